"""A program with tables has the verdicts of the program with their facts written out ([SRC-MEANING])."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from table_support import FILES, write_table

import potlang

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
    write_table(directory / "companies.csv", {"id": "BIGINT"}, [(int(each),) for each in COMPANIES])
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
        {"file": "companies.csv", "members": [{"sort": "Company", "column": "id"}]},
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


@settings(max_examples=12)
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
