"""Limits hold for the whole call: wherever a small program blows up, it ends and keeps what it found."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

import potlang
from potlang import Limits, Verdict, dagmath
from potlang.processes.pool import default_workers
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.tool import call

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import heavy

SECOND = Limits(check_ms=1_000, total_ms=1_000)
SLACK = 20.0
"""Seconds beyond the limit that a busy machine may need; what these tests are about took minutes."""


def ends_in_time(text: str, limits: Limits = SECOND, **options: Any) -> potlang.Report:
    began = time.monotonic()
    report: potlang.Report = potlang.verify(text, limits=limits, **options)
    report.to_json()
    assert str(report)
    assert time.monotonic() - began < limits.total_ms / 1000 + SLACK
    return report


def program(name: str) -> str:
    return next(each.text for each in heavy.programs() if each.name == name)


@pytest.mark.parametrize(
    "name",
    [
        "doubling-ints-40",
        "distinct-elements-2000",
        "wide-quantifier-8",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in (
                "doubling-elements-120",
                "doubling-formulas-40",
                "doubling-quantified-40",
                "wide-maximum-2000",
                "count-pairs-60",
                "long-numerals-30",
                "pigeons-8",
                "successor-chain-10000",
            )
        ),
    ],
)
def test_a_small_program_that_blows_up_ends_within_its_limits(name: str) -> None:
    """[LIMIT-WHOLE-CALL]"""
    report = ends_in_time(program(name))
    assert report.verdict is not Verdict.REJECTED
    for result in report.results:
        assert result.reason is not None or result.verdict is not Verdict.UNKNOWN


@pytest.mark.parametrize("route", ["closure", "ground", "search", "z3", "cvc5", "both"])
def test_each_route_ends_within_the_limits(route: Any) -> None:
    """[LIMIT-WHOLE-CALL]"""
    ends_in_time(program("doubling-elements-40"), route=route)


def test_claims_after_the_end_of_the_time_are_unknown_for_want_of_it() -> None:
    """[LIMIT-WHOLE-CALL] [LIMIT-TOTAL]"""
    # To read them takes a part of the time that a busy machine may not have.
    compiled = potlang.compile(program("many-real-claims-1000"))
    with Prover(compiled.module, ProverOptions(), Limits(total_ms=100), default_workers()) as prover:
        report = prover.report()
    last = report.results[-1]
    assert len(report.results) == 1_000
    assert (last.verdict, last.reason) == (Verdict.UNKNOWN, "timeout")


def test_a_program_that_is_not_read_in_time_has_a_report_that_says_so() -> None:
    """[LIMIT-WHOLE-CALL]"""
    report = ends_in_time(program("chain-40000"), Limits(total_ms=100))
    assert report.verdict is Verdict.UNKNOWN
    assert report.results == ()
    assert "before the program was read and checked" in report.notes[0]


@pytest.mark.slow
def test_a_found_verdict_stays_where_its_evidence_takes_too_long() -> None:
    """[LIMIT-WHOLE-CALL] z3 refutes at once; unfolding the definitions, for a proof, is beyond all bounds."""
    report = ends_in_time(program("doubling-sums-40"), Limits(total_ms=4_000))
    assert report.verdict is Verdict.UNDETERMINED


def test_a_session_answers_after_a_call_that_its_limits_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """[LIMIT-WHOLE-CALL] What was interrupted is not used again."""
    found = potlang.compile(program("doubling-elements-12"))
    with found.session() as session:
        with monkeypatch.context() as tight:
            tight.setattr("potlang.prove.prover._FEWEST_NODES", 2_000)
            tight.setattr("potlang.prove.prover._NODES_EACH", 0)
            session.verify("d11(a) == d11(b)")
            assert session._prover.was_cut_short
        assert session.verify("a == a").verdict is Verdict.ENTAILED
        assert session.verify("a == b").verdict is Verdict.UNDETERMINED


def test_a_call_of_the_tool_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """[LIMIT-WHOLE-CALL]"""
    monkeypatch.setattr("potlang.tool.CALL_SECONDS", 1.0)
    began = time.monotonic()
    answer = call({"operation": "verify", "program": program("doubling-ints-40")})
    assert answer["verdict"] == "unknown"
    assert time.monotonic() - began < 2 + SLACK


def test_many_undeclared_names_are_looked_up_once() -> None:
    """[LIMIT-REPAIR] A hundred names took 11 s: each try of a repair looked for what all others may be."""
    found = next(each.text for each in heavy.programs() if each.name == "undeclared-words-50")
    began = time.process_time()
    checked = potlang.check(found)
    assert len(checked.diagnostics) == 100
    assert time.process_time() - began < 3


@pytest.mark.slow
def test_all_aggregates_of_a_program_have_one_bound() -> None:
    """[SORT-AGG-4] Each is small enough by itself; a claim of a session has the bound for itself."""
    sum_ = "Sum([x: E, y: E, z: E], If(x == y and y == z, w(x) * w(y) + w(z), w(x) + w(y) + w(z)))"
    source = {
        "sorts": [{"name": "E", "type": "EnumSort", "values": [f"e{n}" for n in range(20)]}],
        "functions": [{"name": "w", "domain": ["E"], "range": "Int"}],
        "knowledge_base": [f"{sum_} > {n}" for n in range(2)],
    }
    found = potlang.check(source, language="pot")
    assert found.ok
    source["knowledge_base"] = [f"{sum_} > {n}" for n in range(12)]
    assert {each.code for each in potlang.check(source).diagnostics} == {"POT0008"}


@pytest.mark.slow
def test_steps_that_are_not_looked_at_in_time_are_unknown() -> None:
    """[LIMIT-WHOLE-CALL] Reading counts; the steps that were looked at keep their verdicts."""
    form = "**Step {0}**\n\n**Edge:** We add.\n**Parents:** {1}\n**Node:** ${2}$.\n"
    steps = [form.format(1, "Null", "n \\in \\mathbb{Z}"), form.format(2, "Step 1", "2 + 2 = 4")]
    steps += [form.format(at, "Step 1", f"n^3 + {at} n^5 \\ne 33 m^4 + k^3 + {at}") for at in range(3, 40)]
    began = time.monotonic()
    report = dagmath.verify("\n".join(steps), limits=Limits(500, 2_000))
    assert time.monotonic() - began < 2 + SLACK
    results = [step.result for step in report.steps if step.result is not None]
    assert len(results) == len(report.steps) == 39
    assert results[1].verdict == "proved"
    assert results[-1].verdict == "unknown" and results[-1].limited
