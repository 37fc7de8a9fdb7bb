"""Large tables: claims, norms and rules answered by queries, and what is refused there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest
from table_support import people, write_table

import potlang
from potlang import tool
from potlang.languages.pot.program import CompileError
from potlang.prove import table_prover
from potlang.report.from_json import report_from_dict
from potlang.tables import database, facts

ROOT = Path(__file__).parents[2]
COLUMNS = {"id": "VARCHAR", "age": "BIGINT", "boss": "VARCHAR"}
ROWS = [(f"p{n}", n % 100, f"p{n // 2}") for n in range(1_500)]
P7 = {"people": {"sort": "Person", "members": ["p7"]}}


def program(directory: Path, **sections: Any) -> dict[str, Any]:
    return people(write_table(directory / "people.csv", COLUMNS, ROWS), constants=P7, **sections)


def norm(formula: str) -> dict[str, Any]:
    return {"role": "norm", "forall": [{"name": "x", "sort": "Person"}], "constraint": formula}


def test_violations_are_counted_and_the_first_are_shown_with_their_rows(tmp_path: Path) -> None:
    """[SRC-ROWS] [SRC-LARGE]"""
    source = program(
        tmp_path,
        rules=[norm("age(x) != 99 or boss(x) == p7"), norm("age(x) < 100"), norm("age(boss(x)) < 99")],
    )
    report = potlang.verify(source, language="pot", sources=tmp_path)
    first, second, third = report.results
    assert [str(each.verdict) for each in report.results] == ["refuted", "entailed", "refuted"]
    rows = first.evidence.rows
    assert rows is not None and rows.total == 15 == len(rows.shown)
    assert rows.shown[0].binding == {"x": "`Person:p99`"}
    assert rows.shown[0].places == ("people.csv, row 100, column age", "people.csv, row 100, column boss")
    assert second.evidence.rows is None and second.trust == "solver" and second.route == "tables"
    assert third.evidence.rows is not None
    assert third.evidence.rows.total == sum((n // 2) % 100 == 99 for n in range(1_500))
    assert third.evidence.rows.shown[0].places == (
        *("people.csv, row 199, column boss", "people.csv, row 100, column age"),
    )
    assert "violations in the tables: 15" in report.render()
    assert "rests on DuckDB's word" in report.notes[0]
    schema = json.loads((ROOT / "schemas" / "report-1.json").read_text())
    value = report.to_dict()
    jsonschema.validate(value, schema)
    assert report_from_dict(value).to_dict() == value


def test_claims_find_and_sessions(tmp_path: Path) -> None:
    """[SRC-LARGE]"""
    source = program(
        tmp_path,
        verifications=[
            {"constraint": "age(p7) == 7"},
            {"find": [{"name": "x", "sort": "Person"}], "constraint": "boss(x) == p7"},
            {"constraint": "Count([x: Person], age(x) > 3) > 2"},
        ],
    )
    assert [each.code for each in potlang.check(source, sources=tmp_path).diagnostics] == ["POT3010"]
    del source["verifications"][2]
    compiled = potlang.compile(source, sources=tmp_path)
    report = potlang.verify(compiled)
    assert [str(each.verdict) for each in report.results] == ["entailed", "entailed"]
    seven = report.results[0].evidence.rows
    assert seven is not None and seven.shown[0].places == ("people.csv, row 8, column age",)
    assert "by people.csv, row 8, column age" in report.render()
    found = report.results[1].evidence.bindings
    assert found is not None and found.cut == 0
    assert [each["x"] for each in found.certain] == ["`Person:p14`", "`Person:p15`"]
    with compiled.session() as session:
        assert session.verify("age(p7) == 8").verdict == "refuted"
        open_ = session.verify("Exists([x: Person], boss(x) == x and age(x) > 0)")
        assert open_.verdict == "refuted"
        session.push("ForAll([x: Person], age(x) > 0)")
        assert session.verify("age(p7) == 8").verdict == "inconsistent"
        session.pop()
        assert session.verify("age(p7) == 8").verdict == "refuted"


def test_find_counts_what_it_asks_for(tmp_path: Path) -> None:
    """[SRC-ROWS]: not what there is beside."""
    find = {"find": [{"name": "x", "sort": "Person"}], "constraint": "Exists([y: Person], boss(y) == x)"}
    source = program(tmp_path, verifications=[find])
    (result,) = potlang.verify(source, language="pot", sources=tmp_path).results
    assert result.evidence.rows is not None and result.evidence.rows.total == 750


def test_an_interruption_gives_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[SRC-LARGE], [STOP-LIBRARY]"""
    source = program(tmp_path, rules=[norm("age(x) < 100"), norm("age(x) < 99")])
    compiled = potlang.compile(source, sources=tmp_path)
    plain = table_prover.TableProver._asked

    def asked(prover: Any, claim: Any) -> Any:
        if claim.origin.pointer == "/rules/1":
            raise KeyboardInterrupt
        return plain(prover, claim)

    monkeypatch.setattr(table_prover.TableProver, "_asked", asked)
    with pytest.raises(potlang.Interrupted) as caught:
        potlang.verify(compiled)
    known = [(str(each.verdict), each.reason) for each in caught.value.known.results]
    assert known == [("entailed", None), ("unknown", "interrupted")]


def test_sessions_side_by_side_do_not_share_what_they_derive(tmp_path: Path) -> None:
    """[SRC-LARGE]"""
    source = program(tmp_path, rules=[{"constraint": "ForAll([x: Person], age(x) > 90 -> old(x))"}])
    source["functions"].append({"name": "old", "domain": ["Person"], "range": "Bool"})
    compiled = potlang.compile(source, sources=tmp_path)
    with compiled.session() as one, compiled.session() as other:
        for session in (one, other):
            assert session.verify("Exists([x: Person], old(x))").verdict == "entailed"
        other.push("ForAll([x: Person], old(x))")
        assert other.verify("old(p7)").verdict == "entailed"
        assert one.verify("old(p7)").verdict == "undetermined"


def test_what_no_query_says_is_unknown(tmp_path: Path) -> None:
    """[SRC-LARGE]"""
    source = program(
        tmp_path,
        optimization={"objectives": [{"type": "maximize", "expression": "age(p7)"}]},
        verifications=[
            {"constraint": "ForAll([x: Person], ToReal(age(x)) / 3 < 99)"},
            {"constraint": "ForAll([x: Person], age(x) * 9000000000000000000 + age(boss(x)) >= 0)"},
            {"constraint": "ForAll([n: Int], n != age(p7))"},
        ],
    )
    report = potlang.verify(source, language="pot", sources=tmp_path)
    assert [(str(each.verdict), each.reason) for each in report.results] == [
        *(("unknown", "unsupported"), ("unknown", "error"), ("unknown", "unsupported")),
    ]
    assert report.optimization is not None and report.optimization.reason == "unsupported"


def test_constants_that_may_be_one_thing_are_not_told_apart(tmp_path: Path) -> None:
    """[SRC-LARGE]: a sort without a table and without unique names."""
    (tmp_path / "p.csv").write_text("place\nhere\n")
    source = program(tmp_path, verifications=[{"constraint": "open(there)"}, {"constraint": "open(here)"}])
    source["sorts"].append({"name": "Place", "type": "DeclareSort"})
    source["constants"] = {**P7, "places": {"sort": "Place", "members": ["here", "there"]}}
    source["functions"].append({"name": "open", "domain": ["Place"], "range": "Bool", "closed": True})
    source["sources"].append({"file": "p.csv", "functions": [{"name": "open", "arguments": ["place"]}]})
    report = potlang.verify(source, language="pot", sources=tmp_path)
    assert [str(each.verdict) for each in report.results] == ["unknown", "entailed"]
    source["semantics"] = {"unique_names": ["Place"]}
    report = potlang.verify(source, language="pot", sources=tmp_path)
    assert [str(each.verdict) for each in report.results] == ["refuted", "entailed"]


def test_deeply_nested_formulas_are_no_queries(tmp_path: Path) -> None:
    """[SRC-LARGE]"""
    nested = "age(p7) == 7"
    for number in range(400):
        nested = (
            f"(age(p7) > {number} -> {nested})" if number % 2 else f"If(age(p7) < {number}, {nested}, False)"
        )
    for sections in (
        {"verifications": [{"constraint": nested}]},
        {"rules": [{"constraint": nested}, norm("age(x) < 7")]},
    ):
        report = potlang.verify(program(tmp_path, **sections), language="pot", sources=tmp_path)
        assert [each.reason for each in report.results] in (["unsupported"], ["error"]), report


def test_rules_are_evaluated_in_the_database(tmp_path: Path) -> None:
    """[SRC-LARGE]: also recursive ones, and closed predicates."""
    functions = [
        {"name": name, "domain": domain, "range": "Bool", "closed": closed}
        for name, domain, closed in (
            ("under", ["Person", "Person"], True),
            ("old", ["Person"], False),
            ("alone", ["Person"], True),
        )
    ]
    source = program(tmp_path)
    source["functions"] += functions
    three = "x: Person, y: Person, z: Person"
    source["rules"] = [
        {"constraint": "ForAll([x: Person], boss(x) != x -> under(x, boss(x)))"},
        {"constraint": f"ForAll([{three}], under(x, y) and under(y, z) -> under(x, z))"},
        {"constraint": "ForAll([x: Person], age(x) > 90 -> old(x))"},
        {"constraint": "ForAll([x: Person], not Exists([y: Person], under(y, x)) -> alone(x))"},
        {
            "role": "norm",
            "forall": [{"name": "x", "sort": "Person"}],
            "constraint": "alone(x) -> age(x) < 50",
        },
    ]
    source["verifications"] = [
        {"constraint": "under(p7, p7)"},
        {"constraint": "Exists([x: Person], under(x, p7) and old(x))"},
        {"constraint": "old(p7)"},
        {"constraint": "ForAll([x: Person], alone(x) -> not under(p7, x))"},
    ]
    report = potlang.verify(source, language="pot", sources=tmp_path)
    verdicts = [str(each.verdict) for each in report.results]
    assert verdicts == ["refuted", "entailed", "undetermined", "entailed", "refuted"]
    rows = report.results[4].evidence.rows
    leaves = [n for n in range(750, 1_500) if n % 100 >= 50]
    assert rows is not None and rows.total == len(leaves)


def test_formulas_of_large_tables_are_refused(tmp_path: Path) -> None:
    """[SRC-LARGE] [SRC-CACHE]: POT8017, and no report is kept."""
    source = program(tmp_path, verifications=[{"constraint": "age(p7) == 7"}])
    compiled = potlang.compile(source, sources=tmp_path)
    with pytest.raises(CompileError) as caught:
        compiled.emit("ir")
    assert [each.code for each in caught.value.diagnostics] == ["POT8017"]
    assert potlang.lint(source, sources=tmp_path).diagnostics == ()
    options: Any = {"language": "pot", "sources": tmp_path, "cache": tmp_path / "cache"}
    for _ in range(2):
        report = potlang.verify(source, certificate=True, words=True, **options)
        assert report.verdict == "entailed" and report.certificate is None
    assert not (tmp_path / "cache").exists()


def test_the_tool_reads_what_its_caller_allows(tmp_path: Path) -> None:
    """[SRC-ALLOWED] [SRC-ROWS]"""
    source = program(tmp_path, rules=[norm("age(x) < 99")])
    refused = tool.call({"program": source})
    assert refused["status"] == "rejected" and refused["diagnostics"][0]["code"] == "POT8010"
    answer = tool.call({"program": source}, sources=tmp_path)
    jsonschema.validate(answer, tool.answer_schema())
    (result,) = answer["results"]
    assert result["rows"]["total"] == 15
    assert result["rows"]["shown"][0]["places"] == ["people.csv, row 100, column age"]
    for operation in ("compile", "verify"):
        trace = {"trace": "@node id=1 role=problem\n"} if operation == "verify" else {}
        given = {"operation": operation, "program": source, **trace}
        found = tool.call(given, sources=tmp_path)
        assert found["diagnostics"][0]["code"] == "POT8017", found


def test_a_limit_of_time_ends_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[SRC-LARGE]"""
    claim = "ForAll([x: Person, y: Person, z: Person], age(x) + age(y) * age(z) != 5000)"
    source = program(tmp_path, verifications=[{"constraint": claim}])
    compiled = potlang.compile(source, sources=tmp_path)
    report = potlang.verify(compiled, limits=potlang.Limits(total_ms=300))
    assert [(str(each.verdict), each.reason) for each in report.results] == [("unknown", "timeout")]


def test_small_tables_are_facts_and_larger_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[SRC-SMALL] [SRC-LARGE]"""
    source = people(write_table(tmp_path / "few.csv", COLUMNS, ROWS[:10]), constants=P7)
    assert potlang.compile(source, sources=tmp_path).tables is None
    monkeypatch.setattr(facts, "MOST_ROWS", 9)
    assert potlang.compile(source, sources=tmp_path).tables is not None


@pytest.mark.slow
def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[SRC-LARGE]: what does not fit is on disk, and that too has a bound."""
    with duckdb.connect() as connection:
        # Keys that do not rise, so that their table has to be made.
        rows = "SELECT 'a long name of person ' || (range * 7919 % 3000017) AS id, range % 100 AS age, "
        rows += "'a long name of person ' || range * 7919 % 3000017 AS boss FROM range(3000017)"
        connection.execute(f"COPY ({rows}) TO '{tmp_path}/p.csv' (FORMAT csv)")
    source = people({"file": "p.csv"}, rules=[norm("age(boss(x)) < 99")])
    monkeypatch.setattr(database, "MOST_MEGABYTES", 400)
    (result,) = potlang.verify(source, language="pot", sources=tmp_path).results
    assert result.evidence.rows is not None
    assert result.evidence.rows.total == sum(n % 100 == 99 for n in range(3_000_017))
    monkeypatch.setattr(database, "MOST_MEGABYTES", 20)
    monkeypatch.setattr(database, "MOST_SPILLED_MEGABYTES", 1)
    found = potlang.check(source, sources=tmp_path).diagnostics
    assert [each.code for each in found] == ["POT8011"]


@pytest.mark.slow
def test_a_wrong_type_at_row_7654321(tmp_path: Path) -> None:
    """[SRC-VALUE] [SRC-LARGE]: of ten million rows."""
    with duckdb.connect() as connection:
        for ending in ("csv", "parquet"):
            age = "CASE range WHEN 7654320 THEN 'x' ELSE CAST(range % 100 AS VARCHAR) END"
            age = (
                age if ending == "csv" else "CASE range WHEN 7654320 THEN 0.5 ELSE (range % 100)::DOUBLE END"
            )
            rows = f"SELECT 'p' || range AS id, {age} AS age, 'p0' AS boss FROM range(10000000)"
            connection.execute(f"COPY ({rows}) TO '{tmp_path}/p.{ending}' (FORMAT {ending})")
            found = potlang.check(people({"file": f"p.{ending}"}), sources=tmp_path).diagnostics
            value = "x" if ending == "csv" else "0.5"
            assert [each.message for each in found] == [
                f"p.{ending}, row 7,654,321, column age: `{value}` is not an Int of 64 bits"
            ]


@pytest.mark.parametrize("names", [["9", "10", "11"], ["b", "a", "c"], ["a", "b", "a"], ["10", "9", "9"]])
def test_members_are_counted_once_however_their_rows_stand(names: list[str], tmp_path: Path) -> None:
    """[SRC-ROWS] [SRC-MEANING]: rising, mixed, and repeated keys."""
    rows = [(name, 1, "a" if "a" in names else "10") for name in names]
    source = people(write_table(tmp_path / "few.csv", COLUMNS, rows), rules=[norm("age(x) > 1")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facts, "MOST_ROWS", 0)
        (result,) = potlang.verify(source, language="pot", sources=tmp_path).results
    assert result.evidence.rows is not None
    assert result.evidence.rows.total == len(set(names)) == len(result.evidence.rows.shown)
    places = {each.binding["x"]: each.places for each in result.evidence.rows.shown}
    assert places[f"`Person:{names[1]}`"] == ("few.csv, row 2, column age",)


def test_numbers_that_are_none_are_told(tmp_path: Path) -> None:
    """[SRC-VALUE]: NaN and infinity in a column of doubles."""
    columns = {"id": "VARCHAR", "age": "DOUBLE", "boss": "VARCHAR"}
    rows = [("a", float("nan"), "a"), ("b", float("inf"), "a"), ("c", 2.0**60, "a"), ("d", 7.0, "a")]
    write_table(tmp_path / "p.parquet", columns, rows)
    found = potlang.check(people({"file": "p.parquet"}), sources=tmp_path).diagnostics
    assert sorted(each.message.partition(",")[2].partition(",")[0] for each in found) == [
        *(" row 1", " row 2", " row 3"),
    ]
