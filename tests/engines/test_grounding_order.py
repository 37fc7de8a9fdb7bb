"""Chains of comparisons: refuted with certificates, and only where no numbers fit."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import potlang
from potlang.certify import check
from potlang.languages.pot.report import Report
from potlang.report.results import Verdict

Comparison = tuple[str, str, str]
NAMES = ("a", "b", "c", "d")
LITERALS = ("0", "0.5", "2")
SIGNS = ("<", "<=", "==", ">", ">=")
WHOLE = ("0", "2", "3")


def comparisons_with(literals: tuple[str, ...]) -> st.SearchStrategy[Comparison]:
    """Of a variable with another one, or with a literal."""
    each = st.tuples(st.sampled_from(NAMES), st.sampled_from(SIGNS), st.sampled_from((*NAMES, *literals)))
    return each.filter(lambda found: found[0] != found[2])


def asked(facts: list[str], claim: str, sort: str = "Real") -> Report:
    program = {
        "variables": [{"name": name, "sort": sort} for name in NAMES],
        "knowledge_base": facts,
        "verifications": [{"name": "claim", "constraint": claim}],
    }
    return potlang.verify(potlang.compile(program), certificate=True)


def refuted(report: Report) -> set[str]:
    """The tiers of what is refuted."""
    return {each.tier for each in report.results[0].assurances if each.status == "unsat"}


def contradicts(comparisons: list[Comparison]) -> bool:
    """Whether no real numbers fit: all paths of `<` and `<=`, of which one goes from a term below itself."""
    nodes = [*NAMES, *LITERALS]
    below: dict[tuple[str, str], bool] = {}

    def add(one: str, two: str, strict: bool) -> bool:
        known = below.get((one, two))
        if known is None or (strict and not known):
            below[one, two] = strict
            return True
        return False

    for one, two in itertools.combinations(sorted(LITERALS, key=Fraction), 2):
        add(one, two, True)
    for one, sign, two in comparisons:
        if sign in ("<", "<="):
            add(one, two, sign == "<")
        elif sign in (">", ">="):
            add(two, one, sign == ">")
        else:
            add(one, two, False)
            add(two, one, False)
    grown = True
    while grown:
        grown = False
        for (one, two), (three, four) in itertools.product(list(below.items()), repeat=2):
            if one[1] == three[0]:
                grown |= add(one[0], three[1], two or four)
    return any(below.get((node, node), False) for node in nodes)


def contradicts_whole(comparisons: list[Comparison]) -> bool:
    """Whether no integers fit: how much more each term is than each other at least, by all paths."""
    nodes = [*NAMES, *WHOLE]
    least = {(node, node): 0 for node in nodes}
    least |= {(one, two): int(two) - int(one) for one, two in itertools.permutations(WHOLE, 2)}

    def add(one: str, two: str, more: int) -> None:
        least[one, two] = max(more, least.get((one, two), more))

    for one, sign, two in comparisons:
        if sign in ("<", "<=", "=="):
            add(one, two, sign == "<")
        if sign in (">", ">=", "=="):
            add(two, one, sign == ">")
    for middle, one, two in itertools.product(nodes, repeat=3):
        if (one, middle) in least and (middle, two) in least:
            add(one, two, least[one, middle] + least[middle, two])
    return any(least[node, node] > 0 for node in nodes)


def agree(comparisons: list[Comparison], sort: str = "Real") -> None:
    """The last comparison is denied by the others if they contradict each other together, and by a proof."""
    *facts, (one, sign, two) = comparisons
    denied = f"not ({one} {sign} {two})"
    report = asked([" ".join(each) for each in facts], denied, sort)
    follows = contradicts(comparisons) if sort == "Real" else contradicts_whole(comparisons)
    assert (report.verdict in (Verdict.ENTAILED, Verdict.INCONSISTENT)) is follows, comparisons
    if follows:
        assert refuted(report) == {"checked"}, comparisons


@given(st.lists(comparisons_with(LITERALS), min_size=2, max_size=6))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_chains_of_reals_are_decided(comparisons: list[Comparison]) -> None:
    """[GROUND-ARITHMETIC] [CERT-LINEAR]"""
    agree(comparisons)


@given(st.lists(comparisons_with(WHOLE), min_size=2, max_size=6))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_chains_of_integers_are_decided(comparisons: list[Comparison]) -> None:
    """[GROUND-ARITHMETIC] [CERT-LINEAR]"""
    agree(comparisons, "Int")


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
def test_many_chains_are_decided(data: st.DataObject) -> None:
    """[GROUND-ARITHMETIC] [CERT-LINEAR]"""
    sort, literals = data.draw(st.sampled_from([("Real", LITERALS), ("Int", WHOLE)]))
    agree(data.draw(st.lists(comparisons_with(literals), min_size=2, max_size=9)), sort)


@pytest.mark.parametrize(
    ("sort", "facts", "claim"),
    [
        ("Real", ["a <= 99.5"], "a < 100"),
        ("Real", ["a < b", "b < c", "c <= d"], "a < d"),
        ("Real", ["a == b", "b < c", "c <= d", "d == 2"], "a < 2"),
        ("Int", ["a >= 1", "a < b"], "b >= 2"),
        ("Int", ["b <= 7", "a < b", "c < a"], "c <= 6"),
        ("Int", ["b < 3", "a > 2"], "b < a"),
        ("Int", ["a == 1", "a < b", "b == c", "c < d"], "d >= 3"),
    ],
)
def test_comparisons_are_proved(sort: str, facts: list[str], claim: str) -> None:
    """[GROUND-ARITHMETIC]: the kernel accepts the whole certificate."""
    report = asked(facts, claim, sort)
    assert (report.verdict, refuted(report)) == (Verdict.ENTAILED, {"checked"})
    program: dict[str, Any] = {
        "variables": [{"name": name, "sort": sort} for name in NAMES],
        "knowledge_base": facts,
        "verifications": [{"name": "claim", "constraint": claim}],
    }
    assert report.certificate is not None
    outcome = check(report.certificate, potlang.compile(program).emit("ir", passes=""))
    assert (outcome.status, outcome.open) == ("VALID", ())


@pytest.mark.parametrize("claim", ["a < c", "a + 1 < c + 1", "a <= b"])
def test_what_does_not_follow_is_not_refuted(claim: str) -> None:
    """[GROUND-ARITHMETIC]"""
    assert asked(["a <= c", "b < c"], claim).verdict is Verdict.UNDETERMINED
