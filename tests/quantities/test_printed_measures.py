"""Dates, durations and amounts that are printed as programs, and read back."""

from __future__ import annotations

from typing import Any

import pytest

import potlang
from potlang.sema.emit import module_to_pot

DECLARED: dict[str, Any] = {
    "functions": [
        {"name": "paid", "domain": ["Date"], "range": "Date"},
        {"name": "k", "domain": [], "range": "Int"},
        {"name": "q", "domain": [], "range": "Real"},
    ],
    "constants": {
        "d": {"sort": "Date", "members": ["start", "end"]},
        "t": {"sort": "DateTime", "members": ["t1", "t2"]},
        "u": {"sort": "Duration", "members": ["stay", "s2"]},
        "v": {"sort": "Duration(seconds)", "members": ["sec", "sec2"]},
        "m": {"sort": "Money(USD)", "members": ["price", "p2"]},
        "x": {"sort": "Quantity(foo)", "members": ["foo1"]},
    },
}
CLAIMS = [
    "DaysBetween(start, end) > 3",
    "start + Days(k) > end",
    "start + Weeks(k) > end",
    "t1 + Hours(k) > t2",
    "t1 + Minutes(k) >= t2",
    "stay % s2 == s2",
    "stay + sec > sec2",
    "price * q > p2",
    "price / p2 > 0.5",
    "-stay < s2",
    "Abs(price - p2) < $3",
    "Max(price, p2) > $5",
    "foo1 * 2 == Quantity(1/3, foo)",
    "Hour(t1) == 3",
    "Minute(t1) == 3",
    "DateOf(t1) == start",
    "DateTime(start) < t1",
    "If(k > 1, DaysBetween(start,end), k) == 3",
    "Exists([z: Duration], start + z == end)",
    "Exists([z: Int], start + Days(z) == end)",
    "k == DaysBetween(start, end) + 2",
    "DaysBetween(start, end) * price > p2",
    "start in [end, 2025-01-01]",
    "DaysBetween(start, start + stay) == 3",
    "price * DaysBetween(start, end) == p2",
    "Days(3) == stay",
    "stay * 2 + s2 > Days(k + 1)",
    "Between(k, 1, DaysBetween(start, end))",
    "Floor(price / p2) == 2",
]


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_printed_claim_is_the_same_one(claim: str) -> None:
    """[QTY-SHOWN] Beside plain numbers, measures are printed as the numbers that they are."""
    printed = _printed(claim)
    (item,) = printed["verifications"]
    assert module_to_pot(_module(printed)) == printed
    heads = [(kind, item[kind]) for kind in ("forall", "exists") if kind in item]
    said = str(item["constraint"])
    for kind, binders in heads:
        names = ", ".join(f"{each['name']}: {each['sort']}" for each in binders)
        said = f"{'ForAll' if kind == 'forall' else 'Exists'}([{names}], {said})"
    both = {**DECLARED, "verifications": [{"constraint": f"({claim}) <-> ({said})"}]}
    assert potlang.verify(both, trust="solver").verdict == "entailed"


def test_a_body_that_is_a_plain_number_is_printed_as_one() -> None:
    """[QTY-SHOWN]"""
    late = {"name": "late", "domain": ["Date"], "range": "Int", "params": [{"name": "d", "sort": "Date"}]}
    program = {
        **DECLARED,
        "functions": [{**late, "body": "DaysBetween(start, d)"}],
        "verifications": [{"constraint": "late(end) > 3"}],
    }
    printed = module_to_pot(_module(program))
    assert module_to_pot(_module(printed)) == printed


def _printed(claim: str) -> dict[str, Any]:
    return module_to_pot(_module({**DECLARED, "verifications": [{"constraint": claim}]}))


def _module(program: dict[str, Any]) -> Any:
    module = potlang.compile(program, language="pot").module
    return module.typed or module
