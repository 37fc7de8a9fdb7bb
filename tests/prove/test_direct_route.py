"""What search and solvers leave to the direct encoding, from program to certificate, within limits."""

from __future__ import annotations

import itertools
import time

import pytest

import potlang
from potlang import Report, certify
from potlang.certify.tokens import Exhausted
from potlang.engines.finite.direct_procedure import DirectProcedure
from potlang.engines.ground.grounding import Grounder, GroundLimits
from potlang.engines.timed_steps import TimedSteps
from potlang.ir.text import print_module
from potlang.prove.prover import Prover
from potlang.utils.deadline import Deadline


def no_three_in_line(size: int, most: int) -> dict[str, object]:
    """That of the points of a grid, no three of them in line, at most so many are chosen."""
    points = list(itertools.product(range(size), repeat=2))
    names = {point: f"p{point[0]}{point[1]}" for point in points}
    lines = [
        f"not ({names[a]} and {names[b]} and {names[c]})"
        for a, b, c in itertools.combinations(points, 3)
        if (b[0] - a[0]) * (c[1] - a[1]) == (c[0] - a[0]) * (b[1] - a[1])
    ]
    return {
        "constants": {"points": {"sort": "Bool", "members": list(names.values())}},
        "knowledge_base": lines,
        "verifications": [{"name": "most", "constraint": f"Count([{', '.join(names.values())}]) <= {most}"}],
    }


def labelling(vertices: int, span: int) -> dict[str, object]:
    """Labels below `span` of a complete graph's vertices, neighbours on a circle at least two apart."""
    names = [f"v{at}" for at in range(vertices)]
    facts = [f"0 <= {name} < {span}" for name in names]
    facts += [f"Abs({a} - {b}) >= 2" for a, b in itertools.pairwise(names)]
    facts += [f"{a} != {b}" for a, b in itertools.combinations(names, 2)]
    return {
        "constants": {"labels": {"sort": "Int", "members": names}},
        "knowledge_base": facts,
        "verifications": [{"name": "never", "constraint": "false"}],
    }


def decided(source: dict[str, object]) -> Report:
    """The report of one claim, whose certificate the kernel accepts, without holes if it is `checked`."""
    program = potlang.compile(source)
    report = potlang.verify(source, certificate=True)
    assert report.certificate is not None
    (result,) = report.results
    outcome = certify.check(report.certificate, print_module(program.module))
    assert outcome.status == ("VALID" if result.trust == "checked" else "VALID_WITH_HOLES")
    return report


def test_counts_are_decided_and_checked() -> None:
    """[DIRECT-DECIDES], [ROUTE-AUTO] On a slow machine another may be the first; the evidence is the same."""
    (result,) = decided(no_three_in_line(5, 10)).results
    assert (result.verdict, result.trust) == ("entailed", "checked")


@pytest.mark.slow
def test_what_is_too_hard_for_the_search_is_asked_of_no_solver_first() -> None:
    """[SEARCH-LIMITS] [ROUTE-AUTO] A solver's answer would come without what its proof is made of."""
    source = no_three_in_line(5, 10)
    report = decided(source)
    assert report.results[0].route == "search+direct"
    # With a count of steps no clock may decide who is asked.
    counted = potlang.verify(source, limits=potlang.Limits(rlimit=10_000_000))
    assert (counted.verdict, "direct" in counted.results[0].route) == ("entailed", False)


def test_claims_of_a_session_are_no_claims_of_the_program() -> None:
    """[DIRECT-DECIDES] [TIER-PIECE] Whatever they are called: sessions and programs count for themselves."""
    source = no_three_in_line(4, 8)
    points = source["verifications"][0]["constraint"].removesuffix(" <= 8")  # type: ignore[index]
    with potlang.compile(source).session() as session:
        for claim, verdict in ((">= 9", "refuted"), ("<= 7", "undetermined"), ("<= 8", "entailed")):
            assert session.verify(f"{points} {claim}").verdict == verdict
    module = potlang.compile(source).module
    (own,) = module.claims
    with Prover(module) as prover:
        found = [
            prover.verify([own._replace(formula=formula)])[0]
            for formula in (own.formula, module.pool.negate(own.formula))
        ]
        assert [(str(each.verdict), each.trust) for each in found] == [
            ("entailed", "checked"),
            ("refuted", "checked"),
        ]


def test_labellings_are_decided_and_checked() -> None:
    """[DIRECT-DECIDES], [DIRECT-PARTS], [CERT-FINITE-APART]"""
    (result,) = decided(labelling(12, 11)).results
    assert (result.verdict, result.trust) == ("inconsistent", "checked")
    (result,) = decided(labelling(12, 12)).results
    assert (result.verdict, result.trust) == ("refuted", "checked")


@pytest.mark.parametrize(("span", "verdict"), [(11, "inconsistent"), (12, "refuted")])
def test_the_direct_encoding_is_in_the_race(span: int, verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[ROUTE-RACE] Where it has not decided alone."""
    alone = DirectProcedure.decide
    monkeypatch.setattr(
        DirectProcedure, "decide", lambda self, check: alone(self, check) if check.alone else None
    )
    (result,) = decided(labelling(12, span)).results
    assert (result.verdict, result.trust) == (verdict, "checked")
    assert "direct" in result.route or span == 12


def test_grounding_ends_at_its_limit() -> None:
    """[GROUND-ROUND] A sum of truth values takes thousands of short rounds, which look at the clock each."""
    module = potlang.compile(no_three_in_line(4, 7)).module
    began = time.process_time()
    found = Grounder(module).refute(
        module.assertions, "negation", module.claims[0], GroundLimits(timeout_ms=200)
    )
    assert found.status == "unknown"
    assert time.process_time() - began < 3


def test_the_kernel_ends_at_a_deadline() -> None:
    """[TIER-PIECE] A refutation is not read beyond the time of the call."""
    steps = TimedSteps(Deadline(0))
    with pytest.raises(Exhausted):
        steps.spend(1)
    steps = TimedSteps(Deadline(60_000), 10)
    steps.spend(10)
    with pytest.raises(Exhausted):
        steps.spend(1)
