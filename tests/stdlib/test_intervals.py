"""The composition table of the thirteen relations between intervals, against one found by trying all ends."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import pytest

from potlang.api import verify
from potlang.report.results import Limits

NAMES = {
    # Signs of: begin with begin, begin with finish, finish with begin, finish with finish.
    (-1, -1, -1, -1): "before",
    (1, 1, 1, 1): "after",
    (-1, -1, 0, -1): "meets",
    (1, 0, 1, 1): "met_by",
    (-1, -1, 1, -1): "overlaps",
    (1, -1, 1, 1): "overlapped_by",
    (0, -1, 1, -1): "starts",
    (0, -1, 1, 1): "started_by",
    (1, -1, 1, -1): "during",
    (-1, -1, 1, 1): "contains",
    (1, -1, 1, 0): "finishes",
    (-1, -1, 1, 0): "finished_by",
    (0, -1, 1, 0): "equals",
}
Interval = tuple[int, int]
INTERVALS: list[Interval] = [(begin, end) for begin in range(6) for end in range(begin + 1, 6)]
"""Three intervals have at most six ends, so that nothing is missing."""


def relation(x: Interval, y: Interval) -> str:
    return NAMES[tuple((a > b) - (a < b) for a, b in product(x, y))]


def composition() -> dict[tuple[str, str], set[str]]:
    """What holds between x and z, by what holds between x and y and between y and z."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for x, y, z in product(INTERVALS, repeat=3):
        found[relation(x, y), relation(y, z)].add(relation(x, z))
    return found


def answers(claims: dict[str, str], **options: Any) -> dict[str, str]:
    program = {
        "imports": ["std/time/intervals"],
        "constants": {"intervals": {"sort": "Interval", "members": ["a", "b", "c"]}},
        "verifications": [{"name": name, "constraint": text} for name, text in claims.items()],
    }
    limits = Limits(total_ms=600_000)
    return {r.name: str(r.verdict) for r in verify(program, trust="solver", limits=limits, **options).results}


def test_the_table_found_by_trying_has_the_size_of_the_published_one() -> None:
    table = composition()
    assert len(table) == 169
    assert sum(map(len, table.values())) == 409


def test_some_entries_of_the_table() -> None:
    claims = {
        "meets and meets": "And(meets(a, b), meets(b, c)) -> before(a, c)",
        "during and before": "And(during(a, b), before(b, c)) -> before(a, c)",
        "overlaps and overlaps": "And(overlaps(a, b), overlaps(b, c)) -> overlaps(a, c)",
    }
    assert list(answers(claims).values()) == ["entailed", "entailed", "undetermined"]


@pytest.mark.slow
@pytest.mark.parametrize("route", ["z3", "cvc5"])
def test_all_169_entries_follow_and_none_is_too_wide(route: Any) -> None:
    """[PACK-LAWS]"""
    claims, expected = {}, {}
    for (first, second), possible in composition().items():
        both = f"And({first}(a, b), {second}(b, c))"
        name = f"{first}, {second}"
        claims[name] = f"{both} -> Or({', '.join(f'{each}(a, c)' for each in sorted(possible))})"
        expected[name] = "entailed"
        for each in possible:
            claims[f"{name}: {each}"] = f"{both} -> not {each}(a, c)"
            expected[f"{name}: {each}"] = "undetermined"
    assert answers(claims, route=route) == expected
