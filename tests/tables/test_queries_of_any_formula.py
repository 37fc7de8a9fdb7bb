"""Random formulas over tables: what queries say against what solvers say of the facts ([SRC-LARGE])."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from table_support import write_table

import potlang
from potlang.tables import facts

PEOPLE = ("ann", "bob", "cid")
COLUMNS = {
    "id": "VARCHAR",
    "age": "BIGINT",
    "cost": "DOUBLE",
    "boss": "VARCHAR",
    "rich": "BOOLEAN",
    "kind": "VARCHAR",
}
RANGES = {"age": "Int", "cost": "Real", "boss": "Person", "rich": "Bool", "kind": "Kind"}

rows = st.tuples(
    *(
        st.tuples(
            st.just(name),
            st.sampled_from((None, 0, 1, 2)),
            st.sampled_from((None, 0.5, 1.0, 2.25)),
            st.none() | st.sampled_from(PEOPLE),
            st.sampled_from((None, True, False)),
            st.sampled_from((None, "red", "blue")),
        )
        for name in PEOPLE
    )
)
likes = st.lists(st.tuples(st.sampled_from(PEOPLE), st.sampled_from(PEOPLE)), max_size=5)


@st.composite
def formulas(draw: st.DrawFn, bound: tuple[str, ...] = (), depth: int = 3) -> str:
    """A closed formula, or one over the variables that are bound."""
    kinds = ("atom",) if depth == 0 else ("atom", "not", "and", "or", "->", "<->", "If", "ForAll", "Exists")
    kind = draw(st.sampled_from(kinds))
    if kind == "atom":
        return draw(atoms(bound))
    if kind in ("ForAll", "Exists"):
        name = f"x{len(bound)}"
        return f"{kind}([{name}: Person], {draw(formulas((*bound, name), depth - 1))})"
    parts = [draw(formulas(bound, depth - 1)) for _ in range({"not": 1, "If": 3}.get(kind, 2))]
    if kind == "If":
        return f"If({', '.join(parts)})"
    return f"not ({parts[0]})" if kind == "not" else f"(({parts[0]}) {kind} ({parts[1]}))"


@st.composite
def atoms(draw: st.DrawFn, bound: tuple[str, ...]) -> str:
    def person() -> str:
        name = draw(st.sampled_from((*bound, *bound, "ann", "bob")))
        return draw(st.sampled_from((name, name, f"boss({name})", f"boss(boss({name}))")))

    def number() -> str:
        return draw(
            st.sampled_from((f"age({person()})", "1", f"(age({person()}) + 1)", f"2 * age({person()})"))
        )

    sign = draw(st.sampled_from(("<", "<=", "==", "!=", ">")))
    made = (
        f"{number()} {sign} {number()}",
        f"cost({person()}) {sign} cost({person()}) + 0.5",
        f"cost({person()}) * 1.5 {sign} {number()}",
        f"rich({person()})",
        f"old({person()})",
        f"likes({person()}, {person()})",
        f"knows({person()}, {person()})",
        f"{person()} == {person()}",
        f"kind({person()}) == red",
        f"If(rich({person()}), age({person()}), 1) {sign} {number()}",
    )
    return draw(st.sampled_from(made))


RULES = (
    "ForAll([x: Person], age(x) > 0 -> old(x))",
    "ForAll([x: Person, y: Person], likes(x, y) -> knows(x, y))",
    "ForAll([x: Person, y: Person, z: Person], knows(x, y) and knows(y, z) -> knows(x, z))",
    "ForAll([x: Person], rich(boss(x)) -> rich(x))",
    "ForAll([x: Person], not knows(x, ann) -> old(x))",
)


def program(claims: Sequence[str], rules: Sequence[str], closed: Sequence[str]) -> dict[str, Any]:
    functions = [{"name": name, "domain": ["Person"], "range": sort} for name, sort in RANGES.items()]
    functions.append({"name": "old", "domain": ["Person"], "range": "Bool"})
    functions += [
        {"name": name, "domain": ["Person", "Person"], "range": "Bool"} for name in ("likes", "knows")
    ]
    return {
        "functions": [{**each, **({"closed": True} if each["name"] in closed else {})} for each in functions],
        "rules": [{"constraint": rule} for rule in rules],
        "verifications": [{"constraint": claim} for claim in claims],
    }


def tabled(
    base: dict[str, Any], people: Sequence[Any], pairs: Sequence[Any], directory: Path
) -> dict[str, Any]:
    first = write_table(directory / "people.parquet", COLUMNS, people)
    second = write_table(directory / "likes.csv", {"a": "VARCHAR", "b": "VARCHAR"}, pairs)
    functions = [{"name": name, "arguments": ["id"], "value": name} for name in RANGES]
    sources = [
        {**first, "members": [{"sort": "Person", "column": "id"}], "functions": functions},
        {**second, "functions": [{"name": "likes", "arguments": ["a", "b"]}]},
    ]
    sorts = [
        {"name": "Person", "type": "DeclareSort"},
        {"name": "Kind", "type": "EnumSort", "values": ["red", "blue"]},
    ]
    constants = {"people": {"sort": "Person", "members": ["ann", "bob"]}}
    return {**base, "sorts": sorts, "constants": constants, "sources": sources}


def check(people: Sequence[Any], pairs: Sequence[Any], base: dict[str, Any]) -> int:
    """How many verdicts were settled; each is the solvers'."""
    settled = 0
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        directory = Path(folder)
        source = tabled(base, people, pairs, directory)
        expected = potlang.verify(source, language="pot", sources=directory, trust="solver")
        patch.setattr(facts, "MOST_ROWS", 0)
        found = potlang.verify(source, language="pot", sources=directory)
    assert (found.verdict == "rejected") == (expected.verdict == "rejected"), (found, expected)
    for one, other in zip(found.results, expected.results, strict=True):
        assert one.route == "tables" and one.reason != "error", one
        if other.verdict == "unknown":
            continue
        if one.verdict == "unknown":
            assert other.verdict in one.possible, (one, other)
        else:
            assert one.verdict == other.verdict, (one, other)
            settled += 1
    return settled


NOTHING = tuple((name, None, None, None, None, None) for name in PEOPLE)


@settings(max_examples=3)
@example(NOTHING, [], ["not (ForAll([x0: Person], not (likes(boss(x0), x0))))"], [], [])
@given(
    rows,
    likes,
    st.lists(formulas(), min_size=1, max_size=4),
    st.lists(st.sampled_from(RULES), max_size=2, unique=True),
    st.lists(st.sampled_from(("likes", "knows", "rich")), max_size=2, unique=True),
)
def test_queries_agree_with_solvers(
    people: Sequence[Any], pairs: Sequence[Any], claims: list[str], rules: list[str], closed: list[str]
) -> None:
    """[SRC-LARGE]"""
    check(people, pairs, program(claims, rules, closed))


@pytest.mark.slow
@settings(max_examples=300)
@given(
    rows,
    likes,
    st.lists(formulas(), min_size=1, max_size=4),
    st.lists(st.sampled_from(RULES), max_size=3, unique=True),
    st.lists(st.sampled_from(("likes", "knows", "rich")), max_size=3, unique=True),
)
def test_queries_agree_with_solvers_deeply(
    people: Sequence[Any], pairs: Sequence[Any], claims: list[str], rules: list[str], closed: list[str]
) -> None:
    """[SRC-LARGE]"""
    check(people, pairs, program(claims, rules, closed))
