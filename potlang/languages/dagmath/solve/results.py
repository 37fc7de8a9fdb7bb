"""The results of checking the steps of a solution: typed values, and their JSON form."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, NamedTuple

from potlang.report.base import to_plain
from potlang.report.results import TrustLevel

By = Literal["solver", "arithmetic", "sympy", "rewriting", "reading"]
"""Who answered: a solver, exact arithmetic, SymPy, two expressions compared at a point, or the reader."""


class StepVerdict(StrEnum):
    """The verdict on one step ([STEP-VERDICTS])."""

    PROVED = "proved"
    """Its premises entail it."""
    REFUTED = "refuted"
    """Its premises, which do not contradict each other, entail that it is false."""
    NOT_ENTAILED = "not entailed"
    """It was read, and so were its premises: they neither entail it nor that it is false."""
    NOT_CHECKABLE = "not checkable"
    """It, or a step that it rests on, was not read; or it only names something, or states a goal."""
    GIVEN = "given"
    """It rests on no step, or supposes something: there is nothing to check it against."""
    UNKNOWN = "unknown"
    """The limits, or what solvers can do, did not suffice."""


CHECKED = frozenset([StepVerdict.PROVED, StepVerdict.REFUTED, StepVerdict.NOT_ENTAILED])
"""Verdicts that settle a step."""


class StepResult(NamedTuple):
    """One step. `read` is what was read of it; `missing` an earlier step that, added, makes it follow.

    `assuming` are conditions under which it is defined and that its premises do not entail: they were
    taken for granted. `trust` is the tier of a solver's answer. `limited`: the solvers gave up, and might
    not with more time.
    """

    id: int
    verdict: StepVerdict
    reason: str = ""
    read: str = ""
    missing: int | None = None
    by: By = "reading"
    assuming: tuple[str, ...] = ()
    trust: TrustLevel | None = None
    limited: bool = False


class StepsReport(NamedTuple):
    """All steps in order. `contradiction` are given steps that cannot hold together; empty where they can."""

    steps: tuple[StepResult, ...]
    contradiction: tuple[int, ...] = ()
    time_ms: float = 0.0

    def count(self, verdict: StepVerdict) -> int:
        """How many steps have this verdict."""
        return sum(step.verdict == verdict for step in self.steps)

    @property
    def checkable_share(self) -> float:
        """The settled steps among those that are not given; 1 where all are given."""
        derived = len(self.steps) - self.count(StepVerdict.GIVEN)
        return sum(step.verdict in CHECKED for step in self.steps) / derived if derived else 1.0

    @property
    def ok(self) -> bool:
        """Whether no step is refuted and nothing given is contradictory."""
        return not self.count(StepVerdict.REFUTED) and not self.contradiction

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "steps": [to_plain(step) for step in self.steps],
            "counts": {str(verdict): self.count(verdict) for verdict in StepVerdict},
            "checkable_share": round(self.checkable_share, 6),
            "contradiction": list(self.contradiction),
            "time_ms": round(self.time_ms, 3),
        }
