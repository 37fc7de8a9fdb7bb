"""Cardinalities, reachability, sets and rounding against computations of their own, over all small models."""

from __future__ import annotations

import itertools
import random
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Decimal,
)
from fractions import Fraction
from typing import Any

import pytest

from potlang.api import verify

NAMES = ("a", "b", "c")
ENUM: dict[str, Any] = {"sorts": [{"name": "T", "type": "EnumSort", "values": list(NAMES)}]}
CLOSED: dict[str, Any] = {
    "sorts": [{"name": "T", "type": "DeclareSort"}],
    "constants": {"t": {"sort": "T", "members": list(NAMES)}},
    "semantics": {"closed_domain": ["T"]},
}
"""Its constants may be one thing: what is said of it is said by quantifiers."""


def holds(program: dict[str, Any], facts: list[str], claims: list[str]) -> list[bool]:
    """Whether each claim is entailed; all are to be decided."""
    verifications = [{"name": str(n), "constraint": claim} for n, claim in enumerate(claims)]
    report = verify({**program, "knowledge_base": facts, "verifications": verifications}, language="pot")
    found = [str(each.verdict) for each in report.results]
    assert set(found) <= {"entailed", "refuted"} and len(found) == len(claims), report
    return [each == "entailed" for each in found]


@pytest.mark.parametrize("program", [ENUM, CLOSED], ids=["enum", "closed"])
@pytest.mark.parametrize(
    "members",
    [
        pytest.param(each, marks=() if each == (False, True, True) else pytest.mark.slow)
        for each in itertools.product([False, True], repeat=3)
    ],
    ids=str,
)
def test_cardinalities_count_members(program: dict[str, Any], members: tuple[bool, ...]) -> None:
    """[SORT-CARD-2] [SORT-CARD-3]"""
    functions = [{"name": "p", "domain": ["T"], "range": "Bool"}]
    facts = ["Distinct(a, b, c)"] if program is CLOSED else []
    facts += [f"p({name})" if true else f"Not(p({name}))" for name, true in zip(NAMES, members, strict=True)]
    count = sum(members)
    claims = {"ExistsUnique([x: T], p(x))": count == 1, "NoneOf([x: T], p(x))": count == 0}
    for k in range(5):
        claims[f"AtMost({k}, [x: T], p(x))"] = count <= k
        claims[f"AtLeast([x: T], p(x), {k})"] = count >= k
        claims[f"Exactly({k}, [x: T], p(x))"] = count == k
    pairs = sum(one and other for one in members for other in members)
    claims["AtMost(3, [x: T, y: T], p(x) and p(y))"] = pairs <= 3
    claims["Exactly(1, [x: T, y: T], p(x) and p(y))"] = pairs == 1
    assert holds({**program, "functions": functions}, facts, list(claims)) == list(claims.values())


@pytest.mark.parametrize("seed", range(8))
def test_weights_are_those_of_what_holds(seed: int) -> None:
    """[SORT-CARD-1] [SORT-CARD-4]"""
    rng = random.Random(seed)
    truth = [rng.random() < 0.5 for _ in range(4)]
    weights = [rng.randint(0, 5) for _ in range(4)]
    total = sum(weight for weight, true in zip(weights, truth, strict=True) if true)
    pairs = ", ".join(f"(p{n}, {weight})" for n, weight in enumerate(weights))
    names = ", ".join(f"p{n}" for n in range(4))
    claims = {
        f"{word}([{pairs}], {k})": test
        for k in range(0, 21, 3)
        for word, test in (("PbLe", total <= k), ("PbGe", total >= k), ("PbEq", total == k))
    }
    claims |= {f"AtMost({k}, [{names}])": sum(truth) <= k for k in range(5)}
    claims |= {"ExactlyOne([p0, p1])": truth[0] != truth[1], "AtMostOne(p1, p2)": not (truth[1] and truth[2])}
    program = {"constants": {"c": {"sort": "Bool", "members": [f"p{n}" for n in range(4)]}}}
    facts = [f"p{n}" if true else f"not p{n}" for n, true in enumerate(truth)]
    assert holds(program, facts, list(claims)) == list(claims.values())


@pytest.mark.parametrize("seed", range(8))
def test_reachability_is_the_closure(seed: int) -> None:
    """[SORT-REACH-1]"""
    rng = random.Random(seed)
    names = ["a", "b", "c", "d"]
    edges = {(x, y) for x in names for y in names if rng.random() < 0.3}
    closure = set(edges)
    for _ in names:
        closure |= {(x, z) for x, y in closure for other, z in closure if other == y}
    program = {
        "sorts": [{"name": "T", "type": "EnumSort", "values": names}],
        "functions": [{"name": "e", "domain": ["T", "T"], "range": "Bool"}],
    }
    pairs = [(x, y) for x in names for y in names]
    facts = [f"e({x}, {y})" if (x, y) in edges else f"Not(e({x}, {y}))" for x, y in pairs]
    found = holds(program, facts, [f"Reachable(e, {x}, {y})" for x, y in pairs])
    assert found == [pair in closure for pair in pairs]


MODES = {
    "half_up": ROUND_HALF_UP,
    "half_down": ROUND_HALF_DOWN,
    "half_even": ROUND_HALF_EVEN,
    "up": ROUND_UP,
    "down": ROUND_DOWN,
    "ceiling": ROUND_CEILING,
    "floor": ROUND_FLOOR,
}


@pytest.mark.parametrize("mode", MODES)
def test_rounding_is_that_of_decimal(mode: str) -> None:
    """[SORT-ROUND-1]: of literals, and of constants that a solver knows the values of."""
    values = [Decimal(n) / 4 for n in range(-14, 15)]
    whole = [int(value.quantize(Decimal(1), rounding=MODES[mode])) for value in values]
    claims = [f'Round({value}, "{mode}") == {number}' for value, number in zip(values, whole, strict=True)]
    decimals = [value.quantize(Decimal("0.1"), rounding=MODES[mode]) for value in values]
    claims += [
        f'Round({value}, 1, "{mode}") == {tenth}' for value, tenth in zip(values, decimals, strict=True)
    ]
    facts = [f"r{n} == {Fraction(value)}" for n, value in enumerate(values)]
    claims += [f'Round(r{n}, "{mode}") == {number}' for n, number in enumerate(whole)]
    program = {"constants": {"r": {"sort": "Real", "members": [f"r{n}" for n in range(len(values))]}}}
    assert all(holds(program, facts, claims))


@pytest.mark.parametrize("members", list(itertools.product([False, True], repeat=3)))
def test_sets_are_built_of_what_holds(members: tuple[bool, ...]) -> None:
    """[SORT-SET-4] [SORT-SET-2]"""
    chosen = [name for name, true in zip(NAMES, members, strict=True) if true]
    functions = [{"name": "p", "domain": ["T"], "range": "Bool"}]
    facts = [f"p({name})" if true else f"Not(p({name}))" for name, true in zip(NAMES, members, strict=True)]
    built, literal = "SetOf([x: T], p(x))", f"Set({', '.join(chosen)})"
    claims = {f"IsEmpty({built})": not chosen, f"Size({built}) == {len(chosen)}": True}
    claims |= {f"{name} in {built}": name in chosen for name in NAMES}
    if chosen:
        claims[f"{built} == {literal}"] = True
    assert holds({**ENUM, "functions": functions}, facts, list(claims)) == list(claims.values())
