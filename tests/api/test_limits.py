"""Limits hold whatever the solver does, and cost nothing but the check that hit them."""

from __future__ import annotations

from pathlib import Path

import pytest

import potlang
from potlang import Limits, Verdict
from potlang.api import RouteName

PROGRAMS = Path(__file__).parent.parent / "limits"


def test_a_program_that_hangs_the_solver_is_stopped_with_the_reason() -> None:
    """[LIMIT-CHECK] [VERDICT-UNKNOWN] z3 runs on past its own time limit here: only the end of its process
    stops it.
    """
    result = potlang.verify(PROGRAMS / "hang.json", limits=Limits(check_ms=700)).results[0]
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "timeout")
    assert set(result.possible) == set(Verdict) - {Verdict.UNKNOWN, Verdict.REJECTED}


@pytest.mark.slow
def test_a_claim_that_hangs_the_solver_leaves_the_rest_of_the_report() -> None:
    """[LIMIT-CHECK]"""
    report = potlang.verify(PROGRAMS / "hang_in_claim.json", limits=Limits(check_ms=700))
    first, hanging, last = report.results
    assert (first.verdict, last.verdict) == (Verdict.ENTAILED, Verdict.REFUTED)
    assert (hanging.verdict, hanging.reason) == (Verdict.UNKNOWN, "timeout")
    assert first.evidence.core is not None
    assert report.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("route", ["z3", pytest.param("auto", marks=pytest.mark.slow)])
def test_a_program_that_needs_more_memory_than_it_may_have_says_so(route: RouteName) -> None:
    """[LIMIT-MEMORY] [VERDICT-UNKNOWN]"""
    limits = Limits(check_ms=20_000, memory_mb=200)
    result = potlang.verify(PROGRAMS / "memory.json", route=route, limits=limits).results[0]
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "memory")


def test_the_total_limit_ends_the_checks_that_are_left() -> None:
    """[LIMIT-TOTAL]"""
    report = potlang.verify(PROGRAMS / "hang.json", limits=Limits(check_ms=10_000, total_ms=800))
    assert report.results[0].reason == "timeout"
