"""Facts from tables: what they mean, and what is said of tables that are wrong."""

from __future__ import annotations

import json
import os
import pickle
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from table_support import FILES, people, write_table

import potlang
from potlang import Limits
from potlang.languages.pot.program import Checked
from potlang.tables import reading
from potlang.tables.database import TableDatabase

COLUMNS = {"id": "VARCHAR", "age": "BIGINT", "boss": "VARCHAR"}
ROWS = [("ann", 30, "bob"), ("bob", 17, None), ("Zoë, 'c\"", 5, "ann"), ("ann", 30, "bob")]
BOBS_AGE = {"constraint": "age(bob) == 17"}
BOB = {"people": {"sort": "Person", "members": ["bob"]}}


def check(program: Any, directory: Path) -> Checked:
    found = potlang.check(program, language="pot", sources=directory)
    assert isinstance(found, Checked)
    return found


def messages(program: Any, directory: Path) -> list[tuple[str, str]]:
    return [(each.code, each.message) for each in check(program, directory).diagnostics]


@pytest.mark.parametrize("ending", FILES)
def test_rows_are_facts_in_every_format(ending: str, tmp_path: Path) -> None:
    """[SRC-MEANING] [SRC-MEMBER] [SRC-SMALL] [SRC-FORMAT] [SRC-ITEM]"""
    source = write_table(tmp_path / f"people.{ending}", COLUMNS, ROWS)
    program = people(
        source,
        constants=BOB,
        rules=[
            {
                "role": "norm",
                "name": "adult",
                "forall": [{"name": "x", "sort": "Person"}],
                "constraint": "age(x) >= 18",
            }
        ],
        verifications=[
            {"constraint": "age(bob) == 17"},
            {"constraint": "Exists([x: Person], boss(x) == bob and age(x) == 30)"},
            {"constraint": "Count([x: Person], age(x) > 0) == 3"},
            {"constraint": "boss(bob) == bob"},
        ],
    )
    report = potlang.verify(program, language="pot", sources=tmp_path)
    assert [str(each.verdict) for each in report.results] == [
        *("entailed", "entailed", "entailed", "undetermined", "refuted")
    ]
    first, *_, norm = report.results
    place = f"people.{ending}"
    assert first.evidence is not None and first.evidence.core is not None
    assert [each.name for each in first.evidence.core] == [f"{place}, row 2, column age"]
    assert norm.evidence is not None and norm.evidence.violations is not None
    assert [each["x"] for each in norm.evidence.violations.certain] == ["bob", "`Person:Zoë, 'c\"`"]


def test_every_sort_of_values(tmp_path: Path) -> None:
    """[SRC-VALUE]: equal values of every sort, and what is beyond them, in each format."""
    columns = {
        "id": "BIGINT",
        "n": "BIGINT",
        "r": "DOUBLE",
        "s": "VARCHAR",
        "b": "BOOLEAN",
        "d": "DATE",
        "c": "VARCHAR",
        "k": "VARCHAR",
    }
    rows = [
        (1, -(2**63), 0.1, 'it\'s "so"\n\\', True, "2025-01-20", "red", "kim"),
        (2, 2**63 - 1, -12.5, "", False, "1999-12-31", "dark blue", "kim"),
        (3, 0, 1e-07, None, None, None, None, None),
    ]
    functions = [
        {"name": name, "domain": ["Item"], "range": sort}
        for name, sort in {
            "n": "Int",
            "r": "Cost",
            "s": "String",
            "b": "Bool",
            "d": "Date",
            "c": "Colour",
            "k": "Kid",
        }.items()
    ]
    claims = [
        *("n(`1`) == -9223372036854775808", "n(`2`) == 9223372036854775807", "r(`1`) == 1/10"),
        *("r(`2`) == -25/2", "r(`3`) == 1/10000000", "s(`1`) == 'it\\'s \"so\"\\n\\\\'", "s(`2`) == ''"),
        *("b(`1`) and not b(`2`)", "d(`1`) == 2025-01-20", "c(`1`) == red", "c(`2`) == `dark blue`"),
        *("k(`1`) == k(`2`)",),
    ]
    for ending in FILES:
        source = write_table(tmp_path / f"items.{ending}", columns, rows)
        program = {
            "sorts": [
                {"name": "Item", "type": "DeclareSort"},
                {"name": "Kid", "type": "DeclareSort"},
                {"name": "Cost", "type": "RealSort"},
                {"name": "Colour", "type": "EnumSort", "values": ["red", "dark blue"]},
            ],
            "functions": functions,
            "constants": {
                "items": {"sort": "Item", "members": ["1", "2", "3"]},
                "kids": {"sort": "Kid", "members": ["kim"]},
            },
            "sources": [
                {
                    **source,
                    "members": [{"sort": "Item", "column": "id"}],
                    "functions": [
                        {"name": each["name"], "arguments": ["id"], "value": each["name"]}
                        for each in functions
                    ],
                }
            ],
            "verifications": [{"constraint": claim} for claim in claims],
        }
        report = potlang.verify(program, language="pot", sources=tmp_path, trust="solver")
        found = {claim: str(each.verdict) for claim, each in zip(claims, report.results, strict=True)}
        assert found == dict.fromkeys(claims, "entailed"), (ending, messages(program, tmp_path))


WRONG: dict[str, list[tuple[str, Any]]] = {
    "csv": [("ann", "1.5"), ("bob", "1e3"), ("cid", "x"), ("dan", "1_0"), ("eve", str(2**63))],
    "sqlite": [("ann", 1.5), ("bob", "1e3"), ("cid", "x"), ("dan", "1_0"), ("eve", str(2**63))],
    "jsonl": [("ann", 1.5), ("bob", "7"), ("cid", "x"), ("dan", True), ("eve", 2**63)],
    "json": [("ann", 1.5), ("bob", "7"), ("cid", [1]), ("dan", {}), ("eve", 2**63)],
}


@pytest.mark.parametrize("ending", WRONG)
def test_a_wrong_value_is_shown_with_file_row_and_column(ending: str, tmp_path: Path) -> None:
    """[SRC-VALUE]"""
    columns = {"id": "VARCHAR", "age": "BIGINT", "boss": "VARCHAR"}
    rows = [("ok", 1, None), *((*each, None) for each in WRONG[ending])]
    program = people(write_table(tmp_path / f"people.{ending}", columns, rows))
    if ending.startswith("json"):
        # No object has the key.
        del program["sources"][0]["functions"][1]
    found = messages(program, tmp_path)
    assert [code for code, _ in found] == ["POT8013"] * 5
    for row, (_, message) in enumerate(sorted(found), 2):
        assert f"people.{ending}, row {row}, column age: `" in message
        assert message.endswith("is not an Int of 64 bits")


def test_wrong_values_beyond_the_first_are_counted(tmp_path: Path) -> None:
    """[SRC-VALUE]"""
    rows = [(f"p{n}", n if n < 5_000 else "old", None) for n in range(5_020)]
    program = people(write_table(tmp_path / "people.csv", COLUMNS, rows))
    found = sorted(check(program, tmp_path).diagnostics, key=lambda each: each.message)
    assert found[0].message == "people.csv, row 5,001, column age: `old` is not an Int of 64 bits"
    assert [each.notes for each in found] == [(), (), (), (), ("15 more rows have this mistake",)]


def test_a_column_of_another_type_is_refused(tmp_path: Path) -> None:
    """[SRC-VALUE]: Parquet has types."""
    columns = {"id": "VARCHAR", "age": "VARCHAR", "boss": "DOUBLE"}
    program = people(write_table(tmp_path / "people.parquet", columns, [("ann", "7", 1.5)]))
    found = messages(program, tmp_path)
    assert [code for code, _ in found] == ["POT8015", "POT8015"]
    assert "column `age` of people.parquet is of type VARCHAR, which is not Int" in found[0][1]
    rows = [("a", 7.0, "a"), ("b", 7.5, "a")]
    whole = people(write_table(tmp_path / "w.parquet", {**COLUMNS, "age": "DOUBLE"}, rows))
    problem = "w.parquet, row 2, column age: `7.5` is not an Int of 64 bits"
    assert messages(whole, tmp_path) == [("POT8013", problem)]


def test_a_source_that_gives_nothing_is_not_read(tmp_path: Path) -> None:
    """[SRC-ITEM]"""
    (tmp_path / "people.csv").write_text("")
    assert messages({"sources": [{"file": "people.csv"}]}, tmp_path) == []


def test_keys_are_there_and_of_their_sorts(tmp_path: Path) -> None:
    """[SRC-KEY] [SRC-MEMBER]"""
    rows = [("ann", 3, "zed"), (None, 4, "ann"), ("ann", 5, "ann")]
    program = people(write_table(tmp_path / "people.csv", COLUMNS, rows))
    assert (
        messages(program, tmp_path)
        == [("POT8014", "people.csv, row 2, column id: no value, where each row needs one")] * 3
        or [code for code, _ in messages(program, tmp_path)] == ["POT8014"] * 3
    )
    write_table(tmp_path / "people.csv", COLUMNS, [rows[0], rows[2]])
    assert sorted(messages(program, tmp_path)) == [
        ("POT8013", "people.csv, row 1, column boss: `zed` is not a member of Person"),
        ("POT8016", "people.csv, row 2, column age: another value of `age` than in row 1"),
        ("POT8016", "people.csv, row 2, column boss: another value of `boss` than in row 1"),
    ]
    named = people(write_table(tmp_path / "one.csv", COLUMNS, [("ann", 3, None)]), constants=BOB)
    assert messages(named, tmp_path) == [
        ("POT8015", "no column can give `bob`: column `id` of one.csv has no such member of Person")
    ]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_member_that_comes_twice_hides_no_value_that_is_none(ending: str, tmp_path: Path) -> None:
    """[SRC-MEMBER]: the values that are members are counted, each once."""
    rows = [("ann", 3, "ann"), ("ann", 3, None), ("bob", 4, "zed")]
    program = people(write_table(tmp_path / f"people.{ending}", COLUMNS, rows))
    problem = f"people.{ending}, row 3, column boss: `zed` is not a member of Person"
    assert messages(program, tmp_path) == [("POT8013", problem)]


def test_an_empty_table_gives_no_facts_and_no_members(tmp_path: Path) -> None:
    """[SRC-MEANING] [SRC-ITEM]"""
    for ending in FILES:
        source = write_table(tmp_path / f"none.{ending}", COLUMNS, [])
        assert messages(people(source), tmp_path) == [
            ("POT8015", f"no column can give `Person`: none.{ending} has no rows")
        ]
        program = {
            "functions": [{"name": "p", "domain": ["Int"], "range": "Bool"}],
            "sources": [{**source, "functions": [{"name": "p", "arguments": ["age"]}]}],
            "verifications": [{"constraint": "p(1)"}],
        }
        report = potlang.verify(program, language="pot", sources=tmp_path)
        assert [str(each.verdict) for each in report.results] == ["undetermined"]


def test_constants_predicates_and_closed_ones(tmp_path: Path) -> None:
    """[SRC-MEANING]: of a table of one row, of pairs, and of truth values."""
    (tmp_path / "limit.csv").write_text("limit\n18\n")
    (tmp_path / "likes.csv").write_text("who,whom,sure\nann,bob,true\nbob,ann,false\nann,bob,true\n")
    program = {
        "sorts": [{"name": "P", "type": "EnumSort", "values": ["ann", "bob"]}],
        "functions": [
            {"name": "limit", "domain": [], "range": "Int"},
            {"name": "likes", "domain": ["P", "P"], "range": "Bool", "closed": True},
            {"name": "sure", "domain": ["P"], "range": "Bool"},
        ],
        "sources": [
            {"file": "limit.csv", "functions": [{"name": "limit", "value": "limit"}]},
            {
                "name": "who likes whom",
                "file": "likes.csv",
                "functions": [
                    {"name": "likes", "arguments": ["who", "whom"]},
                    {"name": "sure", "arguments": ["who"], "value": "sure"},
                ],
            },
        ],
        "verifications": [
            {"constraint": "limit == 18"},
            {"constraint": "likes(ann, bob) and likes(bob, ann) and not likes(ann, ann)"},
            {"constraint": "sure(ann) and not sure(bob)"},
        ],
    }
    report = potlang.verify(program, language="pot", sources=tmp_path)
    assert [str(each.verdict) for each in report.results] == ["entailed"] * 3
    (tmp_path / "limit.csv").write_text("limit\n18\n21\n")
    assert messages(program, tmp_path) == [
        ("POT8016", "limit.csv, row 2, column limit: another value of `limit` than in row 1")
    ]


# --- what may be read ------------------------------------------------------------------------------------


def test_nothing_outside_the_allowed_directories_is_read(tmp_path: Path) -> None:
    """[SRC-ALLOWED]"""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    for folder in (inside, outside):
        write_table(folder / "people.csv", COLUMNS, [("ann", 1, "ann")])
    (inside / "link.csv").symlink_to(outside / "people.csv")
    (inside / "folder").symlink_to(outside)
    (inside / "loop.csv").symlink_to(inside / "loop.csv")
    (inside / "own.csv").symlink_to(inside / "people.csv")
    os.mkfifo(inside / "pipe.csv")
    fine = ("people.csv", str(inside / "people.csv"), "own.csv", "./../in/people.csv", "../in/people.csv")
    for name in fine:
        assert messages(people({"file": name}), inside) == [], name
    # DuckDB takes the name for a pattern, which may read no other file.
    assert [code for code, _ in messages(people({"file": "*.csv"}), inside)] == ["POT8010"]
    refused = (
        *("../out/people.csv", str(outside / "people.csv"), "link.csv", "folder/people.csv", "loop.csv"),
        *("/etc/passwd", "/dev/stdin", "/proc/self/environ", ".", "missing.csv", "a\0b.csv", "~/x.csv"),
        *("http://127.0.0.1/people.csv", "https://x/y.csv", "s3://b/k.csv", "file:///etc/passwd"),
        *("x'; DROP TABLE t0", "a" * 5_000, "people.csv/../../out/people.csv", "pipe.csv"),
        "\\\\host\\share\\x.csv",
    )
    for name in refused:
        found = messages(people({"file": name, "format": "csv"}), inside)
        assert [code for code, _ in found] == ["POT8010"], (name, found)
    assert [each.code for each in potlang.check(people({"file": "people.csv"})).diagnostics] == ["POT8010"]


def test_names_are_no_queries(tmp_path: Path) -> None:
    """[SRC-ALLOWED]: columns, members and tables with all that SQL reads."""
    evil = "id'\"; DROP TABLE t0; -- $path {}[]`"
    for ending in FILES:
        rows = [(evil, 1, evil), ("b'); SELECT 1; --", 2, evil)]
        source = write_table(tmp_path / f"evil.{ending}", COLUMNS, rows)
        assert messages(people(source), tmp_path) == []
    (tmp_path / "names.csv").write_text(f'"{evil.replace(chr(34), chr(34) * 2)}"\n1\n')
    program = {
        "functions": [{"name": "n", "domain": [], "range": "Int"}],
        "sources": [{"file": "names.csv", "functions": [{"name": "n", "value": evil}]}],
        "verifications": [{"constraint": "n == 1"}],
    }
    assert potlang.verify(program, language="pot", sources=tmp_path).verdict == "entailed"
    write_table(tmp_path / "t.sqlite", COLUMNS, [("ann", 1, "ann")])
    found = messages(people({"file": "t.sqlite", "table": 'people"; DROP TABLE people; --'}), tmp_path)
    assert [code for code, _ in found] == ["POT8011"]


def test_the_database_reads_its_files_alone(tmp_path: Path) -> None:
    """[SRC-ALLOWED]: whatever the query."""
    from potlang.tables.database import TableDatabase

    allowed, other = tmp_path / "a.csv", tmp_path / "b.csv"
    for path in (allowed, other):
        path.write_text("x\n1\n")
    with TableDatabase([allowed]) as database:
        assert database.rows("SELECT * FROM read_csv($path)", {"path": str(allowed)}) == [(1,)]
        for query in (
            f"SELECT * FROM read_csv('{other}')",
            f"SELECT * FROM read_text('{other}')",
            f"SELECT * FROM read_csv('{tmp_path}/*.csv')",
            f"COPY (SELECT 1) TO '{tmp_path}/new.csv'",
            f"ATTACH '{tmp_path}/new.db'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET enable_external_access = true",
            "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
        ):
            with pytest.raises(database.error):
                database.rows(query)
    assert not database.folder.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "b.csv"]


def test_a_file_that_is_no_table_is_told(tmp_path: Path) -> None:
    """[SRC-FORMAT]"""
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "short.csv").write_text("id,age,boss\nann,1\n")
    (tmp_path / "open.csv").write_text('id,age,boss\n"ann,1,x\n')
    (tmp_path / "latin.csv").write_bytes("id,age,boss\nZoë,1,\n".encode("latin-1"))
    (tmp_path / "no.parquet").write_text("PAR1 no")
    (tmp_path / "no.json").write_text('[{"id": "ann", "age": 1, "boss": "ann"},')
    (tmp_path / "cut.jsonl").write_text('{"id": "ann", "age": 1, "boss": "ann"}\n{"id": "b')
    (tmp_path / "no.sqlite").write_text("no database")
    (tmp_path / "people.xlsx").write_text("?")
    sources: list[dict[str, str]] = [{"file": f"{name}.csv"} for name in ("empty", "short", "open", "latin")]
    sources += [{"file": "no.parquet"}, {"file": "no.json"}, {"file": "no.sqlite", "table": "t"}]
    sources += [
        {"file": "cut.jsonl"},
        {"file": "people.xlsx"},
        {"file": "no.sqlite"},
        {"file": "short.csv", "table": "t"},
    ]
    for source in sources:
        found = messages(people(source), tmp_path)
        assert [code for code, _ in found] == ["POT8011"], (source, found)
        assert str(tmp_path) not in json.dumps(found)
    (tmp_path / "rows.jsonl").write_text('{"id": "ann", "age": 1, "boss": "ann"}\n[1]\n7\n')
    assert messages(people({"file": "rows.jsonl"}), tmp_path) == [
        ("POT8013", "rows.jsonl, row 2: `[1]` is not an object"),
        ("POT8013", "rows.jsonl, row 3: `7` is not an object"),
    ]


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    """[SRC-FORMAT]"""
    for ending in FILES:
        source = write_table(tmp_path / f"few.{ending}", {"id": "VARCHAR", "Age": "BIGINT"}, [("ann", 1)])
        found = check(people(source), tmp_path).diagnostics
        assert [each.code for each in found] == ["POT8012"], (ending, found)
    (tmp_path / "twice.csv").write_text("id,age,boss,age\nann,1,ann,2\n")
    assert [code for code, _ in messages(people({"file": "twice.csv"}), tmp_path)] == ["POT8012"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[SRC-FORMAT]"""
    source = write_table(tmp_path / f"people.{ending}", COLUMNS, ROWS)
    kind = {"jsonl": "json"}.get(ending, ending)
    plain = reading._READERS[kind]

    def changed(*given: Any) -> Any:
        found = plain(*given)
        with (tmp_path / f"people.{ending}").open("ab") as file:
            file.write(b"\n")
        return found

    monkeypatch.setitem(reading._READERS, kind, changed)
    ((code, message),) = messages(people(source), tmp_path)
    assert code == "POT8011" and ("has changed while it was read" in message or ending == "parquet")


def test_without_duckdb_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[SRC-ALLOWED]: the extra is named."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    ((code, message),) = messages(people(write_table_csv(tmp_path)), tmp_path)
    assert code == "POT8011" and "duckdb is not installed (`potc doctor` says how)" in message


def write_table_csv(directory: Path) -> dict[str, str]:
    found: dict[str, str] = write_table(directory / "people.csv", COLUMNS, ROWS)
    return found


# --- where programs are used -----------------------------------------------------------------------------


def test_a_pickled_program_reads_the_same_tables(tmp_path: Path) -> None:
    """[SRC-ALLOWED]"""
    program = potlang.compile(people(write_table_csv(tmp_path)), sources=tmp_path)
    again = pickle.loads(pickle.dumps(program))
    assert again.emit("ir") == program.emit("ir")


def test_the_command_reads_what_its_option_allows(tmp_path: Path) -> None:
    """[SRC-ALLOWED]"""
    program = people(write_table_csv(tmp_path), constants=BOB, verifications=[BOBS_AGE])
    path = tmp_path / "program.json"
    path.write_text(json.dumps(program))

    def potc(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "potlang", *arguments, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    code, text = potc("verify")
    assert code == 2 and "POT8010" in text
    code, text = potc("verify", "--sources-dir", str(tmp_path), "--jobs", "2")
    assert code == 0 and "people.csv, row 2, column age" in text
    for command in ("check", "compile"):
        code, text = potc(command, "--sources-dir", str(tmp_path))
        assert code == 0, text


def test_a_batch_gives_its_directories_to_all_jobs(tmp_path: Path) -> None:
    """[SRC-ALLOWED]"""
    from potlang.batch.run import BatchOptions

    (tmp_path / "tables").mkdir()
    program = people(write_table_csv(tmp_path / "tables"), constants=BOB, verifications=[BOBS_AGE])
    allowed = BatchOptions(sources=(str(tmp_path / "tables"),))
    for options, verdict in ((allowed, "entailed"), (BatchOptions(), "rejected")):
        (found,) = potlang.verify_many([program], options, workers=1)
        assert found.verdict == verdict


def test_a_cached_report_is_that_of_the_rows(tmp_path: Path) -> None:
    """[SRC-SMALL]: the key has the facts, whatever the state of the file."""
    program = people(write_table_csv(tmp_path), constants=BOB, verifications=[BOBS_AGE])
    cache = tmp_path / "cache"
    options: Any = {"language": "pot", "sources": tmp_path, "cache": cache}
    assert potlang.verify(program, **options).verdict == "entailed"
    state = (tmp_path / "people.csv").stat()
    text = (tmp_path / "people.csv").read_text().replace("17", "18")
    (tmp_path / "people.csv").write_text(text)
    os.utime(tmp_path / "people.csv", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert potlang.verify(program, **options).verdict == "refuted"


def test_the_linter_knows_what_tables_say(tmp_path: Path) -> None:
    """[SRC-MEANING]: constants that name members are used, and what rows say is said."""
    program = people(write_table_csv(tmp_path), constants=BOB, verifications=[BOBS_AGE])
    assert potlang.lint(program, sources=tmp_path).diagnostics == ()


@pytest.mark.parametrize(
    "values",
    [
        ["a\0b", "x"],
        ["\u202e", "\u2028"],
        ["é", "e\u0301"],
        ["a ", " a"],
        ["`", "``"],
        ["", "z"],
        ["True", "and"],
    ],
)
def test_any_text_names_a_member(values: list[str], tmp_path: Path) -> None:
    """[SRC-MEMBER]: different texts are different members, whatever they are."""
    for ending in ("csv", "json", "sqlite"):
        source = write_table(tmp_path / f"p.{ending}", COLUMNS, [(each, 1, values[0]) for each in values])
        rules = [{"role": "norm", "forall": [{"name": "x", "sort": "Person"}], "constraint": "age(x) > 1"}]
        (found,) = potlang.verify(people(source, rules=rules), sources=tmp_path, trust="solver").results
        assert found.evidence.violations is not None and len(found.evidence.violations.certain) == 2


def test_reading_ends_with_the_time_of_the_call(tmp_path: Path) -> None:
    """[SRC-LARGE] [LIMIT-WHOLE-CALL]"""
    source = write_table(tmp_path / "p.csv", COLUMNS, [(f"p{n}", n, None) for n in range(50_000)])
    report = potlang.verify(people(source), language="pot", sources=tmp_path, limits=Limits(total_ms=1))
    assert report.verdict == "unknown" and not report.results


def test_folders_of_killed_processes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those of processes that live."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "potlang-tables-left"
    left.mkdir()
    (left / "spill").write_bytes(b"x")
    with TableDatabase([]) as one:
        assert list(tmp_path.iterdir()) == [one.folder]
        with TableDatabase([]) as other:
            assert {*tmp_path.iterdir()} == {one.folder, other.folder}
    assert not list(tmp_path.iterdir())


def test_sqlite_views_and_locks(tmp_path: Path) -> None:
    """[SRC-FORMAT]: a view is a table, bytes are no value, and writing is not waited for."""
    with closing(sqlite3.connect(tmp_path / "v.db")) as connection:
        connection.execute("CREATE TABLE t (id, age, boss)")
        connection.execute("INSERT INTO t VALUES ('ann', 1, 'ann')")
        connection.execute("CREATE VIEW v AS SELECT id, age + 1 AS age, boss FROM t")
        connection.execute("CREATE TABLE b AS SELECT x'00ff' AS id, 1 AS age, 'a' AS boss")
        connection.commit()
    assert messages(people({"file": "v.db", "table": "v"}), tmp_path) == []
    ((code, message),) = messages(people({"file": "v.db", "table": "b"}), tmp_path)
    assert code == "POT8011" and "row 1 has bytes in a column" in message


def test_a_database_that_cannot_be_reached_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[SRC-ALLOWED]"""
    pytest.importorskip("psycopg")
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        monkeypatch.setenv("POTLANG_POSTGRES", f"postgresql://nobody:secret@127.0.0.1:{port}/x")
        found = messages(people({"table": "people"}), tmp_path)
    assert [code for code, _ in found] == ["POT8011"]
    assert "secret" not in str(found)
