"""The decision rule: from the three checks of a claim to its verdict ([VERDICT-RULE]).

Pure. A claim's true state is the satisfiability of the assumptions, of assumptions and claim, and
of assumptions and negated claim; four states exist, each is a verdict, and a set of answers, some of
them unknown or not asked for, leaves those states that it does not contradict.
"""

from __future__ import annotations

import functools
from typing import Literal, NamedTuple

from potlang.engines.check import Known
from potlang.report.results import Verdict

State = tuple[Literal["sat", "unsat"], Literal["sat", "unsat"], Literal["sat", "unsat"]]

STATES: dict[Verdict, State] = {
    Verdict.ENTAILED: ("sat", "sat", "unsat"),
    Verdict.REFUTED: ("sat", "unsat", "sat"),
    Verdict.UNDETERMINED: ("sat", "sat", "sat"),
    Verdict.INCONSISTENT: ("unsat", "unsat", "unsat"),
}
"""The true states: assumptions, assumptions with the claim, assumptions with its negation."""

ANSWERS: tuple[Known, ...] = ("sat", "unsat", "unknown", None)


class ClaimDecision(NamedTuple):
    """A verdict; for `unknown` the verdicts still possible, none of them if the answers contradict."""

    verdict: Verdict
    possible: tuple[Verdict, ...]

    @property
    def settled(self) -> bool:
        """Whether one state is left."""
        return self.verdict is not Verdict.UNKNOWN

    @property
    def contradictory(self) -> bool:
        """Whether no state has these answers: some answer is wrong."""
        return not self.possible


def _fits(known: Known, true: str) -> bool:
    return known is None or known == "unknown" or known == true


@functools.cache
def decide(assumptions: Known, positive: Known, negative: Known) -> ClaimDecision:
    """The verdict that the answers leave: one state, or `unknown` with the states left."""
    answers = (assumptions, positive, negative)
    left = tuple(
        verdict
        for verdict, state in STATES.items()
        if all(_fits(known, true) for known, true in zip(answers, state, strict=True))
    )
    return ClaimDecision(left[0] if len(left) == 1 else Verdict.UNKNOWN, left)


def _gains(before: ClaimDecision, after: tuple[ClaimDecision, ...]) -> bool:
    return not before.settled and any(each.settled for each in after)


def needs_assumptions(positive: Known, negative: Known) -> bool:
    """Whether asking for the assumptions alone can still decide the claim."""
    before = decide(None, positive, negative)
    return _gains(before, (decide("sat", positive, negative), decide("unsat", positive, negative)))


def paper_answer(decision: ClaimDecision, positive: Known) -> str | None:
    """Whether assumptions and claim are satisfiable together: `SAT`, `UNSAT`, None if not known."""
    known: Known = positive if positive in ("sat", "unsat") else None
    if known is None:
        left = {STATES[verdict][1] for verdict in decision.possible}
        known = left.pop() if len(left) == 1 else None
    return known.upper() if known else None
