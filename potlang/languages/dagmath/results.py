"""The verdicts on a solution and its steps: plain typed values, and their JSON form.

The form of a whole report is that of `schemas/dagmath-report-1.json`. Nothing here computes an answer.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from potlang.languages.dagmath.check.metrics import Class
from potlang.languages.dagmath.check.reasons import Reason
from potlang.report.base import report_to_dict, to_plain
from potlang.report.results import Limits, TrustLevel
from potlang.source import Document

if TYPE_CHECKING:
    from potlang.diag.model import Diagnostic


# --- steps ---------------------------------------------------------------------------------------

By = Literal["solver", "arithmetic", "sympy", "rewriting", "reading"]
"""Who answered: a solver, exact arithmetic, SymPy, two expressions compared at a point, or the reader."""


class StepVerdict(StrEnum):
    """The verdict on one step ([STEP-VERDICTS])."""

    PROVED = "proved"
    """Its premises entail it."""
    REFUTED = "refuted"
    """Its premises, which do not contradict each other, entail that it is false."""
    NOT_ENTAILED = "not entailed"
    """As far as it and its premises were read it is open; or its numbers do not fit."""
    NOT_CHECKABLE = "not checkable"
    """It, or a step that it rests on, was not read; or it only names something, or states a goal."""
    GIVEN = "given"
    """It rests on no step, or supposes something: there is nothing to check it against."""
    UNKNOWN = "unknown"
    """The limits, or what solvers can do, did not suffice."""


CHECKED = frozenset([StepVerdict.PROVED, StepVerdict.REFUTED, StepVerdict.NOT_ENTAILED])
"""Verdicts that settle a step."""


class StepRelation(NamedTuple):
    """A relation in a step ([REL-CLAIMS]): what it says, how it is meant, whether it is true, and why."""

    text: str
    standing: str
    truth: str
    reason: str = ""


class StepResult(NamedTuple):
    """One step. `read` is what was read of it; `missing` an earlier step that, added, makes it follow.

    `assuming` are conditions under which it is defined and that its premises do not entail: they were
    taken for granted. `trust` is the tier of a solver's answer. `limited`: the solvers gave up, and might
    not with more time.

    `relations` are those in its text. `true`, `follows` and `fits` answer apart ([REL-QUESTIONS]): whether
    what it says is true as arithmetic or algebra, whether it follows from its parents, whether its numbers
    are those of the problem; None where that could not be told.

    `formal` says how its `formal` field was taken ([STEP-FORMAL-USED]); None where it has none.
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
    relations: tuple[StepRelation, ...] = ()
    true: bool | None = None
    follows: bool | None = None
    fits: bool | None = None
    formal: Literal["used", "disagrees", "unread"] | None = None


class StepsReport(NamedTuple):
    """All steps in order. `contradiction` are given steps that cannot hold together; empty where they can."""

    steps: tuple[StepResult, ...]
    contradiction: tuple[int, ...] = ()
    time_ms: float = 0.0

    def count(self, verdict: StepVerdict) -> int:
        """How many steps have this verdict."""
        return sum(step.verdict == verdict for step in self.steps)

    @property
    def counts(self) -> dict[str, int]:
        """How many steps have each verdict."""
        return {str(verdict): self.count(verdict) for verdict in StepVerdict}

    @property
    def derived(self) -> int:
        """How many steps are not given."""
        return len(self.steps) - self.count(StepVerdict.GIVEN)

    @property
    def settled(self) -> int:
        """How many steps are proved, refuted or not entailed."""
        return sum(step.verdict in CHECKED for step in self.steps)

    @property
    def checkable_share(self) -> float:
        """The settled steps among those that are not given; 1 where all are given ([STEP-SHARE])."""
        return self.settled / self.derived if self.derived else 1.0

    @property
    def formal_share(self) -> float:
        """The steps that rest on `formal` among all that are settled; 0 of none ([STEP-FORMAL-SHARE])."""
        resting = sum(step.verdict in CHECKED and step.formal == "used" for step in self.steps)
        return resting / self.settled if self.settled else 0.0

    @property
    def ok(self) -> bool:
        """Whether no step is refuted and nothing given is contradictory."""
        return not self.count(StepVerdict.REFUTED) and not self.contradiction

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "steps": to_plain(self.steps),
            "counts": self.counts,
            "checkable_share": round(self.checkable_share, 6),
            "formal_share": round(self.formal_share, 6),
            "contradiction": list(self.contradiction),
            "time_ms": round(self.time_ms, 3),
        }


# --- the solution ----------------------------------------------------------------------------------


class SolutionVerdict(StrEnum):
    """The answer to a whole solution ([DAGR-VERDICT]); the first that fits, read from the end."""

    ACCEPTED = "accepted"
    """Well formed and closed, no step refuted, and not the wrong answer where one is expected."""
    UNKNOWN = "unknown"
    """A limit was hit at some step, or the answer could not be compared."""
    OPEN = "open"
    """Some step before the last is used by none."""
    WRONG = "wrong"
    """The last step does not give the expected answer."""
    INCONSISTENT = "inconsistent"
    """Given steps contradict each other, so that anything follows."""
    REFUTED = "refuted"
    """The premises of some step entail that it is false."""
    REJECTED = "rejected"
    """No graph of steps, or an answer that cannot be read."""


class StepLink(NamedTuple):
    """The link of a step in prose to a parent, which a rule found: how sure it is, and why ([DAG-LINKS])."""

    parent: int
    confidence: str
    why: str


class StepEntry(NamedTuple):
    """A step as written, and what was found of it; `result` is None where steps were not checked.

    `parents` are None where the input says null. `line` is that of the step in the input. `links` are those
    to its parents in a solution in prose.
    """

    id: int
    parents: tuple[int, ...] | None
    node: str
    line: int | None = None
    result: StepResult | None = None
    links: tuple[StepLink, ...] = ()


class UnclosedStep(NamedTuple):
    """A step that no later step uses, its likely reason, and the ids of the steps that lead to it alone."""

    id: int
    reason: Reason
    branch: tuple[int, ...] = ()


class GraphResult(NamedTuple):
    """The graph's statistics and closeness ([DAG-CLOSED], [DAG-SHARE]).

    `surplus` are the ids of the steps that the last does not rest on ([DAG-OVER]).
    """

    nodes: int
    edges: int
    density: float
    max_in: int
    max_out: int
    closed: bool
    closed_share: float
    surplus: tuple[int, ...] = ()


class AnswerResult(NamedTuple):
    """The answer of the last step, and whether it is the expected one ([DAG-EQUAL]).

    `given` is the content of the box, None without one. `expected` is None where the input says only
    whether the solution is correct (`by` is then "input"). `correct` is None if it could not be told.
    """

    given: str | None
    expected: str | None
    correct: bool | None
    by: Literal["math", "text", "input"]
    note: str = ""


class SolutionResult(NamedTuple):
    """The answer to a solution; `SolutionReport` is this with text and HTML.

    `sample_class` is its place in the paper's taxonomy, None if no answer is expected or none could be
    judged. `graph` is None for what is no graph, `answer` if none is expected. `contradiction` are ids of
    given steps that cannot hold together. `has_checked_steps`: the steps were asked about. Places in
    diagnostics are in `document`.
    """

    verdict: SolutionVerdict
    sample_class: Class | None = None
    graph: GraphResult | None = None
    answer: AnswerResult | None = None
    unclosed: tuple[UnclosedStep, ...] = ()
    steps: tuple[StepEntry, ...] = ()
    contradiction: tuple[int, ...] = ()
    has_checked_steps: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    located: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    limits: Limits = Limits()
    time_ms: float = 0.0
    kind: str = "dagmath"
    version: str = ""
    document: Document = Document("", None)

    @property
    def ok(self) -> bool:
        """Whether the solution is accepted."""
        return self.verdict is SolutionVerdict.ACCEPTED

    @property
    def checked(self) -> StepsReport:
        """The findings on the steps that were asked about."""
        results = tuple(step.result for step in self.steps if step.result is not None)
        return StepsReport(results, self.contradiction)

    @property
    def derived(self) -> int:
        """How many steps were asked about and are not given."""
        return self.checked.derived

    @property
    def settled(self) -> int:
        """How many of the derived steps have an answer: proved, refuted or not entailed."""
        return self.checked.settled

    @property
    def checkable_share(self) -> float | None:
        """The settled ones among the derived steps, 1 of none; None if steps were not checked."""
        return self.checked.checkable_share if self.has_checked_steps else None

    @property
    def formal_share(self) -> float | None:
        """The settled steps that rest on a `formal` field; None if steps were not checked."""
        return self.checked.formal_share if self.has_checked_steps else None

    def count(self, verdict: StepVerdict) -> int:
        """How many steps have this verdict."""
        return self.checked.count(verdict)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values, in the form of `schemas/dagmath-report-1.json`."""
        share, formal = self.checkable_share, self.formal_share
        head = {
            "verdict": str(self.verdict),
            "class": None if self.sample_class is None else str(self.sample_class),
        }
        body = {
            "graph": None if self.graph is None else _rounded(self.graph),
            "answer": to_plain(self.answer),
            "unclosed": to_plain(self.unclosed),
            "steps": to_plain(self.steps),
            "contradiction": list(self.contradiction),
            "counts": self.checked.counts if self.has_checked_steps else None,
            "checkable_share": None if share is None else round(share, 6),
            "formal_share": None if formal is None else round(formal, 6),
        }
        return report_to_dict(self, head, body)


def _rounded(graph: GraphResult) -> dict[str, Any]:
    shares = {"density": round(graph.density, 6), "closed_share": round(graph.closed_share, 6)}
    return {**graph._asdict(), **shares, "surplus": list(graph.surplus)}
