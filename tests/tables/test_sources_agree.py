"""A program with tables has the verdicts of the program with their facts written out ([SRC-MEANING])."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_support import FILES, write_table

import potlang
from potlang.tables import facts

PEOPLE = ("ann", "bob", "Zoë x")
COMPANIES = ("1", "2")
CLAIMS = (
    *("age(ann) > 2", "ForAll([x: Person], age(x) >= 0)", "Exists([x: Person], boss(x) == x)"),
    *(
        "ForAll([x: Person, c: Company], works(x, c) -> age(x) > 1)",
        "rich(ann)",
        "Exists([x: Person], rich(x))",
    ),
    *("ForAll([x: Person], rich(x) or not rich(x))", "Count([x: Person], rich(x)) == 1"),
    *("ForAll([x: Person], age(x) == age(boss(x)) -> x == boss(x))", "boss(boss(ann)) == boss(ann)"),
    *(
        "ForAll([x: Person], Exists([c: Company], works(x, c)))",
        "ForAll([x: Person], young(x) -> not old(x))",
    ),
)
NORMS = (
    *("ForAll([x: Person], age(x) < 4)", "ForAll([x: Person, c: Company], works(x, c) -> rich(x))"),
    "ForAll([x: Person], age(boss(x)) >= age(x))",
)
RULES = ("ForAll([x: Person], age(x) > 3 -> old(x))", "ForAll([x: Person], age(x) < 2 -> young(x))")

people = st.lists(
    st.tuples(
        st.sampled_from(PEOPLE),
        st.none() | st.integers(-1, 5),
        st.none() | st.sampled_from(PEOPLE),
        st.none() | st.booleans(),
    ),
    min_size=3,
    max_size=5,
).map(lambda rows: [(name, *rest[1:]) for name, rest in zip(PEOPLE, rows, strict=False)])
works = st.lists(st.tuples(st.sampled_from(PEOPLE), st.sampled_from(COMPANIES)), max_size=4)


def program(closed: bool, claims: list[str]) -> dict[str, Any]:
    return {
        "functions": [
            {"name": "age", "domain": ["Person"], "range": "Int"},
            {"name": "boss", "domain": ["Person"], "range": "Person"},
            {"name": "rich", "domain": ["Person"], "range": "Bool"},
            {"name": "young", "domain": ["Person"], "range": "Bool"},
            {"name": "old", "domain": ["Person"], "range": "Bool"},
            {"name": "works", "domain": ["Person", "Company"], "range": "Bool", "closed": closed},
        ],
        "rules": [
            *({"constraint": rule} for rule in RULES),
            *({"constraint": norm, "role": "norm"} for norm in NORMS),
        ],
        "verifications": [{"constraint": claim} for claim in claims],
    }


def written(rows: list[Any], jobs: list[Any], closed: bool, claims: list[str]) -> dict[str, Any]:
    """The program with its facts as formulas."""
    facts = []
    for name, age, boss, rich in rows:
        facts += [] if age is None else [f"age(`{name}`) == {age}"]
        facts += [] if boss is None else [f"boss(`{name}`) == `{boss}`"]
        facts += [] if rich is None else [f"rich(`{name}`)" if rich else f"not rich(`{name}`)"]
    facts += [f"works(`{name}`, `c{company}`)" for name, company in jobs]
    sorts = [
        {"name": "Person", "type": "EnumSort", "values": [row[0] for row in rows]},
        {"name": "Company", "type": "EnumSort", "values": [f"c{each}" for each in COMPANIES]},
    ]
    return {**program(closed, claims), "sorts": sorts, "knowledge_base": facts}


def tabled(
    rows: list[Any],
    jobs: list[Any],
    closed: bool,
    claims: list[str],
    endings: tuple[str, str],
    directory: Path,
) -> dict[str, Any]:
    """The program with its facts in tables."""
    columns = {"id": "VARCHAR", "age": "BIGINT", "boss": "VARCHAR", "rich": "BOOLEAN"}
    first = write_table(directory / f"people.{endings[0]}", columns, rows)
    second = write_table(directory / f"jobs.{endings[1]}", {"who": "VARCHAR", "where": "BIGINT"}, jobs)
    third = write_table(
        directory / f"companies.{endings[0]}", {"id": "BIGINT"}, [(int(each),) for each in COMPANIES]
    )
    names = [
        name
        for name in ("age", "boss", "rich")
        if any(row[list(columns).index(name)] is not None for row in rows)
    ]
    sorts = [{"name": name, "type": "DeclareSort"} for name in ("Person", "Company")]
    sources = [
        {
            **first,
            "members": [{"sort": "Person", "column": "id"}],
            "functions": [{"name": name, "arguments": ["id"], "value": name} for name in names],
        },
        {**third, "members": [{"sort": "Company", "column": "id"}]},
    ]
    if jobs:
        sources.append({**second, "functions": [{"name": "works", "arguments": ["who", "where"]}]})
    constants = {"people": {"sort": "Person", "members": ["ann"]}}
    return {**program(closed, claims), "sorts": sorts, "sources": sources, "constants": constants}


def verdicts(source: Any, **options: Any) -> list[tuple[str, str, Any]]:
    report = potlang.verify(source, language="pot", trust="solver", **options)
    return [(each.kind, str(each.verdict), _violations(each)) for each in report.results]


def _violations(result: Any) -> Any:
    found = result.evidence and result.evidence.violations
    if not found:
        return None
    return [
        sorted(
            sorted(str(value).replace("`", "").rpartition(":")[2].lstrip("c") for value in each.values())
            for each in part
        )
        for part in (found.certain, found.possible)
    ]


@settings(max_examples=5)
@given(
    people,
    works,
    st.booleans(),
    st.lists(st.sampled_from(CLAIMS), min_size=1, max_size=4, unique=True),
    st.tuples(st.sampled_from(FILES), st.sampled_from(FILES)),
)
def test_tables_mean_their_facts(
    rows: list[Any], jobs: list[Any], closed: bool, claims: list[str], endings: tuple[str, str]
) -> None:
    """[SRC-MEANING] [SRC-SMALL]"""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        found = verdicts(tabled(rows, jobs, closed, claims, endings, directory), sources=directory)
    assert found == verdicts(written(rows, jobs, closed, claims))


LARGE_CLAIMS = (
    *("age(ann) > 2", "ForAll([x: Person], age(x) >= 0)", "Exists([x: Person], boss(x) == x)", "rich(ann)"),
    *("ForAll([x: Person, c: Company], works(x, c) -> age(x) > 1)", "Exists([x: Person], rich(x))"),
    *("ForAll([x: Person], rich(x) or not rich(x))", "boss(boss(ann)) == boss(ann)"),
    *("ForAll([x: Person], age(x) == age(boss(x)) -> x == boss(x))", "age(ann) + 2 * age(boss(ann)) < 9"),
    *(
        "ForAll([x: Person], Exists([c: Company], works(x, c)))",
        "ForAll([x: Person], young(x) -> not old(x))",
    ),
    *(
        "Exists([x: Person], old(x) and not Exists([c: Company], works(x, c)))",
        "old(ann) != young(boss(ann))",
    ),
    *(
        "ForAll([x: Person], rich(x) <-> old(boss(x)))",
        "Exists([c: Company], ForAll([x: Person], works(x, c)))",
    ),
    *("ForAll([x: Person], If(rich(x), age(x), 3) >= 0)", "not (rich(ann) -> works(ann, one))"),
    *("ForAll([x: Person], age(x) % 3 == 1 or age(x) // 2 < 9)", "Exists([x: Person], linked(ann, x))"),
    *("ForAll([x: Person, y: Person], linked(x, y) -> x != y)", "Distinct(ann, boss(ann), boss(boss(ann)))"),
    *("Exists([x: Person], rich(x)) and Exists([x: Person], not rich(x))", "linked(boss(ann), ann)"),
)
LARGE_RULES = (
    *RULES,
    "ForAll([x: Person, y: Person], boss(x) == y -> linked(x, y))",
    "ForAll([x: Person, y: Person, z: Person], linked(x, y) and linked(y, z) -> linked(x, z))",
)
BREAKING = (
    "not rich(ann)",
    "ForAll([x: Person], rich(x) -> age(x) > 0)",
    "old(ann)",
    "Exists([x: Person], young(x))",
)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    people,
    works,
    st.booleans(),
    st.lists(st.sampled_from(LARGE_CLAIMS), min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from(LARGE_RULES), max_size=4, unique=True),
    st.lists(st.sampled_from(BREAKING), max_size=1),
    st.sampled_from((("csv", "parquet"), ("parquet", "parquet"))),
)
def test_queries_agree_with_facts(
    rows: list[Any],
    jobs: list[Any],
    closed: bool,
    claims: list[str],
    rules: list[str],
    more: list[str],
    endings: tuple[str, str],
) -> None:
    """[SRC-LARGE] [SRC-ROWS]: what queries say of tables is what solvers say of their facts."""

    def with_rules(source: dict[str, Any]) -> dict[str, Any]:
        linked = {"name": "linked", "domain": ["Person", "Person"], "range": "Bool", "closed": closed}
        norms = [rule for rule in source["rules"] if rule.get("role") == "norm"]
        facts = [*source.get("knowledge_base", []), *more]
        return {
            **source,
            "functions": [*source["functions"], linked],
            "rules": [*norms, *({"constraint": rule} for rule in rules)],
            "knowledge_base": facts,
        }

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        directory = Path(folder)
        source = with_rules(tabled(rows, jobs, closed, claims, endings, directory))
        source["functions"].append({"name": "one", "domain": [], "range": "Company"})
        one = write_table(directory / f"one.{endings[0]}", {"one": "BIGINT"}, [(1,)])
        source["sources"].append({**one, "functions": [{"name": "one", "value": "one"}]})
        patch.setattr(facts, "MOST_ROWS", 0)
        found = potlang.verify(source, language="pot", sources=directory)
    plain = with_rules(written(rows, jobs, closed, claims))
    plain["functions"].append({"name": "one", "domain": [], "range": "Company"})
    plain["knowledge_base"].append("one == c1")
    expected = potlang.verify(plain, language="pot", trust="solver")
    if found.verdict == "rejected" or expected.verdict == "rejected":
        assert found.verdict == expected.verdict
        return
    for one, other in zip(found.results, expected.results, strict=True):
        assert one.route == "tables"
        if one.verdict == "unknown":
            assert other.verdict in one.possible, (one, other)
            continue
        assert one.verdict == other.verdict, (one, other)
        if one.kind == "norm" and one.evidence.rows is not None:
            certain = other.evidence.violations and other.evidence.violations.certain
            assert one.evidence.rows.total == len(certain or ())
            assert len(_violations(one)[0]) == one.evidence.rows.total
            assert _violations(one)[0] == _violations(other)[0]


def test_formats_give_one_program() -> None:
    """[SRC-FORMAT]: the same rows from any two formats are the same typed program."""
    rows = [("ann", 1, "bob", True), ("bob", None, "ann", None), ("Zoë x", -1, None, False)]
    texts = set()
    for endings in itertools.islice(zip(FILES, reversed(FILES), strict=True), None):
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder)
            source = tabled(rows, [("ann", 1)], False, list(CLAIMS), endings, directory)
            text = potlang.compile(source, language="pot", sources=directory).emit("ir")
        for ending, table in zip(endings, ("people", "jobs"), strict=True):
            text = text.replace(f"{table}.{ending}", table)
        texts.add(text)
    assert len(texts) == 1
