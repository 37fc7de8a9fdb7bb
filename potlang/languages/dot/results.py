"""The verdict on a trace and its parts: plain values, and their JSON form (`schemas/dot-report-1.json`).

Formulas and values are text in the words of the PoT language. Nothing here computes an answer.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from potlang.languages.dot.lower.extract import Schema, State
from potlang.languages.dot.read.records import EdgeKind, Profile, Role
from potlang.report.base import report_to_dict, to_plain
from potlang.report.results import Consistency, CoreItem, Limits, Model, Result, Verdict
from potlang.source import Document

if TYPE_CHECKING:
    from potlang.diag.model import Diagnostic

ArrowState = Literal["proved", "assumed", "refuted", "unknown"]
"""The state of an inclusion P ≤ Q: the theory entails P → Q; neither; P ∧ ¬Q; it is not settled."""

Ground: TypeAlias = Literal["entailed", "criticized"] | None
"""A proposition is established by the theory, by its critic, or not ([DOT-ESTABLISHED-GROUND])."""
Requirement = Literal["entailed", "criticized", "typed"]
"""A further demand on an established trace ([DOT-ESTABLISHED-REQUIRE])."""
ShortcomingKind = Literal[
    "not accepted",
    "nothing concluded",
    "unread record",
    "opaque",
    "undetermined",
    "unknown",
    "self-validated",
    "uncriticized",
    "untyped critique",
    "refuted arrow",
    "undetermined arrow",
    "not entailed",
    "not criticized",
    "not typed",
]


class TraceVerdict(StrEnum):
    """The answer to a whole trace ([DOT-VERDICT-1]); the first that fits, read from the end."""

    ACCEPTED = "accepted"
    """Well formed, consistent, faithful, and no validated proposition is refuted."""
    UNKNOWN = "unknown"
    """A question that it depends on was not settled."""
    UNFAITHFUL = "unfaithful"
    """A summarizer says what the validated propositions do not entail, or uses one that is not validated."""
    INCONSISTENT = "inconsistent"
    """Theory, arrows and validated propositions have no common model."""
    REFUTED = "refuted"
    """The theory refutes a validated proposition."""
    REJECTED = "rejected"
    """Not well formed; what is well formed of it was checked all the same."""


class NodeResult(NamedTuple):
    """A node: its state at the end, what it says, and what the theory says of that.

    `verdict` is None for a node that claims nothing (no `@prop`, or one that is broken), `result` has
    its evidence. `closed`: c(P) = P, of a proposer with a proposition (None: not settled). `text` is the
    node's free text. `line` is that of its `@node`.
    """

    id: int
    role: Role
    status: State | None
    proposition: str | None = None
    verdict: Verdict | None = None
    closed: bool | None = None
    just: int | None = None
    text: str = ""
    line: int | None = None
    result: Result | None = None


class EdgeResult(NamedTuple):
    """An edge of the trace: `target` depends on `source`."""

    source: int
    target: int
    kind: EdgeKind


class ArrowResult(NamedTuple):
    """An inclusion P_source ≤ P_target that a validated critique claims, by LE, EQ or TR.

    `vacuous`: theory and nucleus refute P_source, so the arrow says nothing more; `conflict` are then
    the assumptions, arrows among them, that refute it (None: the theory alone does, or not asked).
    """

    source: int
    target: int
    schema: Schema
    rank: int
    witness: int | None
    state: ArrowState
    vacuous: bool | None = None
    conflict: tuple[CoreItem, ...] | None = None
    line: int | None = None
    result: Result | None = None


class NucleusResult(NamedTuple):
    """The nucleus c(X) = R → X that the arrows generate.

    `rules` are the implications of R in the order of the arrows: all but the refuted ones, and but
    those that are proved already. `consistency` is that of theory and R together. `identity`: R
    follows from the theory, so c(X) = X for all X.
    """

    rules: tuple[str, ...] = ()
    consistency: Consistency = Consistency.UNKNOWN
    identity: bool | None = None


class RankResult(NamedTuple):
    """The summary under the arrows of rank at most `rank` alone (appendix C.3)."""

    rank: int
    consistency: Consistency


class SummarizerResult(NamedTuple):
    """A summarizer: whether what it says follows from the validated propositions.

    `faithful` is True also where it says nothing checkable but uses validated propositions only. `uses`
    are the propositions that it names, `left_out` the validated ones that it does not, and `needed`
    those among them without which its statement does not follow.
    """

    node: int
    faithful: bool | None
    uses: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    needed: tuple[int, ...] = ()
    result: Result | None = None


class SummaryResult(NamedTuple):
    """The summary c(⋀ P_v) of the validated propositions.

    `formula` is it, simplified; `consistency` whether theory, R and the propositions have a model:
    `model` is one, `conflict` a conflicting set (minimal if `conflict_minimal`). `faithful` sums up the
    `summarizers`. `redundant` follow from the others and are dropped one by one. `incomparable` are the
    pairs of which neither entails the other; `branches` the validated propositions by independent
    branches of the trace. `counterevidence` is the consistency of c((⋁ P_v) ∧ ¬(⋁ P_i)), P_i invalidated.
    `ranks` has each rank, and `retraction` is the highest one at which the summary is consistent.
    """

    nodes: tuple[int, ...] = ()
    formula: str | None = None
    consistency: Consistency = Consistency.UNKNOWN
    faithful: bool | None = None
    model: Model | None = None
    conflict: tuple[CoreItem, ...] | None = None
    conflict_minimal: bool = False
    redundant: tuple[int, ...] = ()
    incomparable: tuple[tuple[int, int], ...] = ()
    branches: tuple[tuple[int, ...], ...] = ()
    counterevidence: Consistency | None = None
    ranks: tuple[RankResult, ...] = ()
    retraction: int | None = None
    summarizers: tuple[SummarizerResult, ...] = ()
    notes: tuple[str, ...] = ()
    result: Result | None = None


class Shortcoming(NamedTuple):
    """A reason for which a trace is not established; `target` is the upper node of an arrow."""

    reason: ShortcomingKind
    node: int | None
    target: int | None
    text: str


class Established(NamedTuple):
    """Whether what a trace concludes is established ([DOT-ESTABLISHED-TRACE]); None: not settled.

    `rests_on` are the propositions that its summary rests on, `grounds` what each is established by.
    `require` is what was asked for beyond that.
    """

    holds: bool | None = False
    rests_on: tuple[int, ...] = ()
    grounds: tuple[tuple[int, Ground], ...] = ()
    reasons: tuple[Shortcoming, ...] = ()
    require: tuple[Requirement, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """It as JSON values."""
        return {
            "holds": self.holds,
            "rests_on": [{"node": id_, "ground": ground} for id_, ground in self.grounds],
            "reasons": to_plain(self.reasons),
            "require": list(self.require),
        }


class TraceResult(NamedTuple):
    """The answer to a trace; `TraceReport` is this with text and HTML.

    `diagnostics` holds what is wrong with its form (errors) and with its judgements (warnings: a critic
    that validates what is refuted, …). `consequences` are the other nodes whose propositions the summary
    entails. `hash` is that of the canonical form. Places in diagnostics are in `document`.
    """

    verdict: TraceVerdict
    established: Established = Established()
    profile: Profile = "paper"
    nodes: tuple[NodeResult, ...] = ()
    edges: tuple[EdgeResult, ...] = ()
    arrows: tuple[ArrowResult, ...] = ()
    nucleus: NucleusResult = NucleusResult()
    summary: SummaryResult = SummaryResult()
    consequences: tuple[int, ...] = ()
    hash: str = ""
    is_typed: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()
    located: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    limits: Limits = Limits()
    time_ms: float = 0.0
    kind: str = "dot"
    version: str = ""
    document: Document = Document("", None)

    @property
    def ok(self) -> bool:
        """Whether the trace is accepted, and what it concludes is established."""
        return self.verdict is TraceVerdict.ACCEPTED and self.established.holds is True

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values, in the form of `schemas/dot-report-1.json`."""
        head: dict[str, Any] = {"profile": self.profile, "verdict": str(self.verdict), "typed": self.is_typed}
        head["established"] = self.established.to_dict()
        body = {
            "nodes": to_plain(self.nodes),
            "edges": to_plain(self.edges),
            "arrows": to_plain(self.arrows),
            "nucleus": to_plain(self.nucleus),
            "summary": {"consistent": _known(self.summary.consistency), **to_plain(self.summary)},
            "consequences": list(self.consequences),
            "hash": self.hash,
        }
        return report_to_dict(self, head, body)


def _known(consistency: Consistency) -> bool | None:
    if consistency is Consistency.UNKNOWN:
        return None
    return consistency is Consistency.CONSISTENT
