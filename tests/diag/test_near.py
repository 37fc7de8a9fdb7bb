"""Near names: what is suggested, in which order, and that it stays cheap."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.diag import NearNames, nearest
from potlang.diag.near import edit_distance


@pytest.mark.parametrize(
    ("name", "candidates", "expected"),
    [
        ("alise", ["bob", "alice", "Alicia"], ["alice"]),
        ("Person", ["person", "persons", "parson"], ["person", "persons", "parson"]),
        (
            "older_than",
            ["olderThan", "older-than", "colder_than"],
            ["olderThan", "older-than", "colder_than"],
        ),
        ("people", ["person"], []),
        ("workers", ["Worker", "working"], ["Worker"]),
        ("category", ["Categories"], ["Categories"]),
        ("isHappy", ["happy", "sad"], ["happy"]),
        ("monkeypox", ["monkey", "monkeyPox"], ["monkeyPox", "monkey"]),
        ("x", ["y", "z"], []),
        ("x", ["X"], ["X"]),
        ("recieve", ["receive"], ["receive"]),
        ("abc", ["abc"], []),
        ("", ["a"], []),
        ("cats", ["bats", "cots", "cat", "rats", "oats"], ["cat", "bats", "cots"]),
    ],
)
def test_nearest(name: str, candidates: list[str], expected: list[str]) -> None:
    """[DIAG-FIX-4]"""
    assert nearest(name, candidates) == expected


def slow_distance(a: str, b: str) -> int:
    table = {(i, j): max(i, j) for i in range(len(a) + 1) for j in range(len(b) + 1) if not i or not j}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            options = [table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a[i - 1] != b[j - 1])]
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                options.append(table[i - 2, j - 2] + 1)
            table[i, j] = min(options)
    return table[len(a), len(b)]


WORDS = st.text("abc", max_size=7)


@given(WORDS, WORDS, st.integers(0, 4))
def test_the_bounded_distance_is_the_plain_one_below_the_bound(a: str, b: str, bound: int) -> None:
    expected = slow_distance(a, b)
    assert edit_distance(a, b, bound) == (expected if expected <= bound else None)


@given(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=20))
def test_suggestions_are_other_candidates_without_repetition(name: str, candidates: list[str]) -> None:
    found = nearest(name, candidates)
    assert len(found) <= 3
    assert len(set(found)) == len(found)
    assert set(found) <= set(candidates) - {name}


@pytest.mark.slow
def test_a_slip_among_a_hundred_thousand_names_is_found_soon() -> None:
    chance = random.Random(1)
    names = [f"{chance.choice('pqrs')}_{chance.randrange(10**9)}" for _ in range(100_000)]
    near = NearNames(names)
    for name in chance.sample(names, 100):
        cut = chance.randrange(2, len(name))
        assert name in near.nearest(name[:cut] + "x" + name[cut:])


def test_long_names_are_no_trouble() -> None:
    assert nearest("a" * 100_000, ["a" * 100_001, "b" * 100_000]) == []
    assert nearest("A" * 100_000, ["a" * 100_000]) == ["a" * 100_000]
