"""The difference of versions whose facts stay in large tables."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from policy_schemas import validate

import potlang
from potlang.cli.policy.diff import difference_lines
from potlang.drawing.difference_page import difference_page
from potlang.policy import PolicyTest, compare
from potlang.policy.tabled import row_changes
from potlang.report.results import Limits, Verdict
from potlang.tables import facts

Row = Sequence[Any]
ROWS: list[Row] = [(f"i{n}", n * 13 % 60, "true" if n % 7 == 0 else "false") for n in range(1_200)]


def version(directory: Path, rows: Sequence[Row], rule: str, **more: Any) -> potlang.Program:
    """A policy on items, whose days and whether they are opened are in a table."""
    directory.mkdir(exist_ok=True)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([("item", "days", "opened"), *rows])
    (directory / f"{directory.name}.csv").write_text(text.getvalue(), "utf-8")
    program = {
        "sorts": [{"name": "Item", "type": "DeclareSort"}],
        "functions": [
            {"name": "days", "domain": ["Item"], "range": "Int"},
            *({"name": name, "domain": ["Item"], "range": "Bool"} for name in ("opened", "returnable")),
        ],
        "sources": [
            {
                "file": f"{directory.name}.csv",
                "members": [{"sort": "Item", "column": "item"}],
                "functions": [
                    {"name": "days", "arguments": ["item"], "value": "days"},
                    {"name": "opened", "arguments": ["item"], "value": "opened"},
                ],
            }
        ],
        "rules": [{"name": "thirty", "forall": [{"name": "x", "sort": "Item"}], "constraint": rule}],
        "verifications": [{"name": "late", "constraint": "Exists([x: Item], days(x) == 59)"}],
        **more,
    }
    (directory / "policy.json").write_text(json.dumps(program), "utf-8")
    return potlang.compile(program, sources=directory)


THIRTY = "days(x) <= 30 and not opened(x) -> returnable(x)"


def test_rules_over_the_same_rows(tmp_path: Path) -> None:
    """[POLICY-DIFF-ROWS]: what follows without the rows is proved, and no row of theirs is a difference."""
    old = version(tmp_path / "a", ROWS, THIRTY)
    same = compare(old, version(tmp_path / "b", ROWS, "not opened(x) and days(x) <= 30 -> returnable(x)"))
    assert (same.relation, same.rows, same.is_proved, same.proved) == ("equal", (), True, 2)
    less = compare(old, version(tmp_path / "c", ROWS, THIRTY.replace("30", "20")))
    assert (less.relation, [each.words for each in less.changes]) == ("weaker", ["30 → 20"])
    assert dict(less.asked) == {"verification": 1} and not less.verdicts


def test_what_only_the_rows_say_rests_on_their_word(tmp_path: Path) -> None:
    """[POLICY-DIFF-ROWS]: it is unchecked, and what a row contradicts has that row as its case."""
    old = version(tmp_path / "a", ROWS, THIRTY)

    def also(limit: int) -> potlang.Program:
        rule = {"name": "all", "forall": [{"name": "x", "sort": "Item"}], "constraint": f"days(x) < {limit}"}
        first = json.loads((tmp_path / "a" / "policy.json").read_text("utf-8"))["rules"][0]
        return version(tmp_path / str(limit), ROWS, THIRTY, rules=[first, rule])

    found = compare(old, also(60))
    assert (found.relation, found.is_proved, found.differs) == ("unknown", False, False)
    assert [(each.name, each.reason) for each in found.unchecked] == [("all", "solver, not checked")]
    found = compare(old, also(59))
    (case,) = found.changes[0].cases
    assert (case.allowed_by, case.confirmed, case.case) == ("old", False, None)
    # i23 is the first with 23 * 13 mod 60 = 59.
    assert case.values == {"x": "`Item:i23`"}


def test_rows_that_differ_are_named(tmp_path: Path) -> None:
    """[POLICY-DIFF-ROWS]"""
    old = version(tmp_path / "a", ROWS, THIRTY)
    changed = [(name, 59 if name == "i17" else days, opened) for name, days, opened in ROWS]
    tests = [PolicyTest("Exists([x: Item], days(x) == 3 and not opened(x))", Verdict.ENTAILED, "three")]
    found = compare(old, version(tmp_path / "b", [*changed, ("j1", 3, "true")], THIRTY), tests)
    assert {each.name: (each.old.first, each.new.first) for each in found.rows} == {
        "Item": ((), (("j1",),)),
        "days": ((("i17", "41"),), (("i17", "59"), ("j1", "3"))),
        "opened": ((), (("j1", "true"),)),
    }
    assert (found.differs, found.relation, found.verdicts) == (True, "equal", ())
    assert dict(found.asked) == {"test": 1, "verification": 1}
    lines = list(difference_lines(found))
    assert "1 row of days in the old version alone: (i17, 41)" in lines
    assert lines[-1].endswith("both say the same of other rows")
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["rows"][0]["name"] == "Item"
    page = difference_page("a", "b", plain, "0")
    assert "Both versions say the same of other rows." in page and "allow the same" not in page
    validate("policy-difference-1", plain)


def test_real_numbers_are_compared_as_numbers_and_shown_as_written(tmp_path: Path) -> None:
    """[POLICY-DIFF-ROWS]: with `2.5` among them a column is read as one of other numbers."""
    days = {"name": "days", "domain": ["Item"], "range": "Real"}
    truths = [{"name": name, "domain": ["Item"], "range": "Bool"} for name in ("opened", "returnable")]
    more = [("j1", "2.5", "true"), ("j2", "1e3", "true"), ("j3", "0", "true")]
    sides = [
        version(tmp_path / name, rows, THIRTY, functions=[days, *truths])
        for name, rows in (("a", ROWS), ("b", [*ROWS, *more]))
    ]
    rows = {each.name: each for each in compare(*sides).rows}
    assert rows["days"].old.total == 0
    assert rows["days"].new.first == (("j1", "2.5"), ("j2", "1000"), ("j3", "0"))


def test_a_table_that_only_one_version_keeps_apart(tmp_path: Path) -> None:
    """[POLICY-DIFF-ROWS]: the rows of a small table are formulas, which are asked of the large one."""
    small = version(tmp_path / "a", ROWS[:40], THIRTY)
    large = version(tmp_path / "b", ROWS, THIRTY)
    found = compare(small, large, limits=Limits(total_ms=20_000))
    assert [(each.of, each.name) for each in found.open if each.kind == "rows"] == [
        ("new", name) for name in ("Item", "days", "opened")
    ]
    assert not found.is_proved


def test_rows_beyond_the_time_are_open(tmp_path: Path) -> None:
    """[POLICY-DIFF-ROWS]"""
    old, new = version(tmp_path / "a", ROWS, THIRTY), version(tmp_path / "b", ROWS, THIRTY)
    assert old.tables is not None and new.tables is not None
    _, unknown = row_changes(old.tables, new.tables, {}, Limits(total_ms=0))
    assert unknown == dict.fromkeys(("Item", "days", "opened"), "timeout")
    found = compare(old, new, limits=Limits(total_ms=1))
    assert not found.rows and not found.is_proved


def test_the_command_reads_tables_where_it_may(tmp_path: Path) -> None:
    """[POLICY-DIFF-ROWS] [POLICY-EXIT]"""
    for name, rows in (("a", ROWS), ("b", [*ROWS, ("j1", 3, "true")])):
        version(tmp_path / name, rows, THIRTY)
    sides = [str(tmp_path / each / "policy.json") for each in "ab"]

    def diff(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "potlang", "policy", "diff", *sides, *options]
        environment = {**os.environ, "POTLANG_POLICIES": str(tmp_path / "store")}
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)

    refused = diff()
    assert refused.returncode == 2 and "POT8010" in refused.stderr
    allowed = [option for each in "ab" for option in ("--sources-dir", str(tmp_path / each))]
    found = diff(*allowed)
    assert found.returncode == 1, found.stderr
    assert "1 row of Item in the new version alone: (j1)" in found.stdout


TABLES = st.dictionaries(st.integers(0, 6), st.tuples(st.integers(0, 2), st.booleans()), min_size=1)


@given(TABLES, TABLES)
@settings(max_examples=12, deadline=None)
def test_rows_are_those_of_sets(
    tmp_path_factory: Any, old: Mapping[int, tuple[int, bool]], new: Mapping[int, tuple[int, bool]]
) -> None:
    """[POLICY-DIFF-ROWS]: counted against sets of Python."""
    most, facts_module = facts.MOST_ROWS, facts
    directory = tmp_path_factory.mktemp("rows")
    try:
        facts_module.MOST_ROWS = 0  # type: ignore[misc]
        tables = []
        for at, rows in enumerate((old, new)):
            listed = [(f"i{key}", days, str(opened).lower()) for key, (days, opened) in rows.items()]
            tables.append(version(directory / str(at), listed, THIRTY).tables)
    finally:
        facts_module.MOST_ROWS = most  # type: ignore[misc]
    assert tables[0] is not None and tables[1] is not None
    sides = [
        {
            "Item": {(f"i{key}",) for key in rows},
            "days": {(f"i{key}", str(days)) for key, (days, _) in rows.items()},
            "opened": {(f"i{key}", str(opened).lower()) for key, (_, opened) in rows.items()},
        }
        for rows in (old, new)
    ]
    changes, unknown = row_changes(tables[0], tables[1], {}, Limits())
    assert not unknown
    found = {each.name: each for each in changes}
    for name in sides[0]:
        alone = sides[0][name] - sides[1][name], sides[1][name] - sides[0][name]
        told = (found[name].old, found[name].new) if name in found else ((0, ()), (0, ()))
        assert told == tuple((len(rows), tuple(sorted(rows)[:3])) for rows in alone)
