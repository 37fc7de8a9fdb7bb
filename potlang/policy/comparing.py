"""Verdicts that differ between two versions: on tests, on their rules, on drawn claims ([POLICY-DIFF])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from potlang.languages.pot.claims import Claim, verified
from potlang.languages.pot.program import Program
from potlang.languages.pot.report import Report
from potlang.policy.sampling import rule_claims, sample_claims
from potlang.policy.tests import PolicyTest
from potlang.report.base import to_plain
from potlang.report.results import Limits, Verdict
from potlang.report.text import evidence_lines
from potlang.utils.style import PLAIN

From = Literal["test", "rule", "sample"]


class Change(NamedTuple):
    """A claim with another verdict, and the evidence for each as text."""

    claim: Claim
    origin: From
    name: str
    old: Verdict
    new: Verdict
    old_evidence: str
    new_evidence: str


class Difference(NamedTuple):
    """The changes among `tests` tests, `rules` rules that one version lacks, and `samples` drawn claims.

    `open` are claims unknown in either.
    """

    changes: tuple[Change, ...]
    open: tuple[Claim, ...]
    tests: int
    samples: int
    rules: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        found: dict[str, Any] = to_plain(self)
        return found


def compare(
    old: Program,
    new: Program,
    tests: Sequence[PolicyTest] = (),
    *,
    samples: int = 50,
    seed: int = 0,
    limits: Limits = Limits(),
) -> Difference:
    """Verifies the same claims against two programs: those of the tests, each other's rules, drawn ones.

    A claim that is no formula over one of them is `rejected` there. The total limit holds for each program.
    """
    # By claim: the newer test of two with the same claim counts, and it is asked once.
    tested = {test.key: test for test in tests}
    rules = {
        claim: name for claim, name in rule_claims(old.module, new.module).items() if claim not in tested
    }
    sampled = sample_claims(old.module, new.module, samples, seed)
    drawn = [each for each in sampled if each not in tested and each not in rules]
    asked: list[tuple[Claim, From, str]] = [(each.claim, "test", each.name) for each in tested.values()]
    asked += [(claim, "rule", name) for claim, name in rules.items()]
    asked += [(claim, "sample", "") for claim in drawn]
    changes, undecided = [], []
    for (claim, origin, name), before, after in zip(
        asked, _reports(old, asked, limits), _reports(new, asked, limits), strict=True
    ):
        verdicts = Verdict(before.verdict), Verdict(after.verdict)
        if Verdict.UNKNOWN in verdicts:
            undecided.append(claim)
        elif verdicts[0] is not verdicts[1]:
            changes.append(Change(claim, origin, name, *verdicts, evidence(before), evidence(after)))
    return Difference(tuple(changes), tuple(undecided), len(tested), len(drawn), len(rules))


def _reports(program: Program, asked: Sequence[tuple[Claim, From, str]], limits: Limits) -> list[Report]:
    with program.session(limits=limits) as session:
        return list(verified(session, [claim for claim, _, _ in asked], limits))


def evidence(report: Report) -> str:
    """The evidence for the verdict on a claim, as lines of text."""
    lines = [line for result in report.results for line in evidence_lines(result, PLAIN)]
    if not lines:
        lines = [f"  {each.message}" for each in report.diagnostics]
    return "\n".join(line.removeprefix("  ") for line in lines)
