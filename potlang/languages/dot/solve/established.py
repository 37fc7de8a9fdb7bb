"""Whether what a trace concludes is established: what its summary rests on, judged one by one.

[DOT-ESTABLISHED-RESTS] ff.: a trace can be well formed, consistent and faithful, and conclude what nobody
but its proposer claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from potlang.ir.nodes import Node
from potlang.languages.dot.lower.typing import TypedPropositions
from potlang.languages.dot.read.records import Edge, Entails
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.results import (
    Established,
    Ground,
    Requirement,
    Shortcoming,
    ShortcomingKind,
    SummarizerResult,
    TraceResult,
)
from potlang.languages.dot.solve.arrows import Arrow
from potlang.languages.dot.solve.prover import TheoryProver
from potlang.report.results import Verdict

_TEXTS: dict[ShortcomingKind, str] = {
    "not accepted": "the trace is {detail}",
    "nothing concluded": "nothing is concluded",
    "unread record": "text that looks like a record was not read as one",
    "opaque": "node {node} states nothing that can be checked",
    "undetermined": "what node {node} states does not follow from the theory",
    "unknown": "what the theory says of node {node} was not settled",
    "self-validated": "the proposer's own block validates node {node}",
    "uncriticized": "no critic who examines node {node} validates it",
    "untyped critique": "the critic who validates node {node} states nothing that it follows from",
    "refuted arrow": "the theory refutes that node {node} implies node {target}",
    "undetermined arrow": "that node {node} implies node {target} does not follow from the theory",
    "not entailed": "--require entailed: the theory does not entail node {node}",
    "not criticized": "--require criticized: no critic who examines node {node} validates it",
    "not typed": "--require typed: node {node} states nothing that can be checked",
}


def shortcoming(
    kind: ShortcomingKind, node: int | None = None, target: int | None = None, detail: str = ""
) -> Shortcoming:
    """A reason with its sentence."""
    text = _TEXTS[kind].format(node=node, target=target, detail=detail)
    return Shortcoming(kind, node, target, text)


class Establishing:
    """The judgement of one trace. `prover` asks the theory; at most three more questions for each part."""

    def __init__(
        self,
        trace: Trace,
        said: TypedPropositions,
        prover: TheoryProver,
        arrows: Sequence[Arrow],
        report: TraceResult,
    ) -> None:
        self._trace = trace
        self._said = said
        self._prover = prover
        self._arrows = arrows
        self._report = report
        self._verdicts = {node.id: node.verdict for node in report.nodes}
        critiques = (edge for edge in trace.of(Edge) if edge.kind == "critique")
        self._examined = {(edge.src, edge.dst) for edge in critiques}
        self._grounds: dict[int, Ground] = {}
        self._found: dict[Shortcoming, None] = {}

    def judge(self, require: Iterable[Requirement], unread: bool) -> Established:
        """Whether the trace is established, with what it rests on and the reasons against it.

        `unread`: text of the trace looks like records.
        """
        report, asked = self._report, tuple(dict.fromkeys(require))
        if unread:
            self._add("unread record")
        for arrow in self._arrows:
            if arrow.state == "refuted":
                self._add("refuted arrow", arrow.inclusion.lower, arrow.inclusion.upper)
        rests_on = self._rests_on()
        summarizers = report.summary.summarizers
        if not summarizers and not report.summary.nodes:
            self._add("nothing concluded")
        for each in summarizers:
            self._conclude(each)
        if not summarizers:
            for id_ in report.summary.nodes:
                self._ground(id_)
        for id_ in rests_on:
            # A ground is told also of what a summary that the theory entails would not need.
            self._grounds.setdefault(id_, self._ground_of(id_))
        self._require(asked, rests_on)
        return Established(
            not self._found,
            rests_on,
            tuple((id_, self._grounds[id_]) for id_ in rests_on),
            tuple(self._found),
            asked,
        )

    def _add(self, kind: ShortcomingKind, node: int | None = None, target: int | None = None) -> None:
        self._found[shortcoming(kind, node, target)] = None

    def _rests_on(self) -> tuple[int, ...]:
        """The propositions that the summarizers use or need; all validated ones without a summarizer."""
        summary = self._report.summary
        if not summary.summarizers:
            return summary.nodes
        ids = {id_ for each in summary.summarizers for id_ in (*each.uses, *each.needed)}
        return tuple(sorted(id_ for id_ in ids if id_ in self._said.stated or id_ in self._said.atoms))

    # --- conclusions -----------------------------------------------------------------------------

    def _conclude(self, each: SummarizerResult) -> None:
        """Adds the reasons for which a summarizer's conclusion is not established."""
        verdict = self._verdicts.get(each.node)
        if each.node not in self._said.stated and not each.uses:
            self._add("nothing concluded", each.node)
        if verdict is Verdict.ENTAILED:
            return
        basis = sorted({*each.uses, *each.needed})
        good = [self._ground(id_) for id_ in basis]
        if verdict is not None and not (all(good) and self._follows(each, basis)):
            self._add("unknown" if verdict is Verdict.UNKNOWN else "undetermined", each.node)

    def _follows(self, each: SummarizerResult, basis: Sequence[int]) -> bool:
        """Whether a conclusion follows from its basis, at need with arrows that are established."""
        pool, claim = self._prover.pool, self._said.stated[each.node]
        premises = [formula for id_ in basis if (formula := self._said.formula(id_)) is not None]
        if self._entails(pool.implies(pool.conj(dict.fromkeys(premises)), claim)):
            return True
        assumed = [arrow for arrow in self._arrows if arrow.generates]
        rules = [arrow.rule.formula(pool) for arrow in assumed]
        together = pool.conj(dict.fromkeys([*premises, *rules]))
        # All of them are judged, so that all reasons are named: which ones would help is not looked for.
        judged = [self._arrow(arrow) for arrow in assumed]
        return all(judged) and self._entails(pool.implies(together, claim))

    def _arrow(self, arrow: Arrow) -> bool:
        """Whether an arrow that is assumed follows from what its critic states."""
        record = arrow.inclusion.record
        witness = record.witness if isinstance(record, Entails) else None
        ids = [id_ for id_ in (record.block, witness) if id_ is not None]
        critics = [id_ for id_ in ids if self._trace.nodes[id_].role == "critic"]
        formula = arrow.rule.formula(self._prover.pool)
        if any(self._supports(id_, formula) for id_ in critics):
            return True
        self._add("undetermined arrow", arrow.inclusion.lower, arrow.inclusion.upper)
        return False

    # --- propositions ----------------------------------------------------------------------------

    def _ground(self, id_: int) -> bool:
        """Whether a proposition is established; the reasons against it are added."""
        self._grounds[id_] = ground = self._ground_of(id_)
        if ground is not None:
            return True
        if id_ not in self._said.stated:
            self._add("opaque", id_)
        elif self._verdicts.get(id_) is Verdict.UNKNOWN:
            self._add("unknown", id_)
        else:
            self._add("undetermined", id_)
        status = self._trace.statuses.get(id_)
        judge = None if status is None else status.block
        if judge is not None and self._trace.nodes[judge].role == "proposer":
            self._add("self-validated", id_)
        elif self._critic_of(id_) is None:
            self._add("uncriticized", id_)
        elif id_ in self._said.stated:
            self._add("untyped critique", id_)
        return False

    def _ground_of(self, id_: int) -> Ground:
        if self._verdicts.get(id_) is Verdict.ENTAILED:
            return "entailed"
        critic, formula = self._critic_of(id_), self._said.stated.get(id_)
        if critic is not None and formula is not None and self._supports(critic, formula):
            return "criticized"
        return None

    def _critic_of(self, id_: int) -> int | None:
        """The critic in whose block a proposition is validated, if an edge says that it examines it."""
        status = self._trace.statuses.get(id_)
        if status is None or status.mark != "validated" or status.block is None:
            return None
        is_critic = self._trace.nodes[status.block].role == "critic"
        return status.block if is_critic and (id_, status.block) in self._examined else None

    def _supports(self, critic: int, formula: Node) -> bool:
        """Whether what a critic states, which the theory must not refute, entails a formula."""
        said = self._said.stated.get(critic)
        if said is None or self._verdicts.get(critic) not in (Verdict.ENTAILED, Verdict.UNDETERMINED):
            return False
        return self._entails(self._prover.pool.implies(said, formula))

    def _entails(self, formula: Node) -> bool:
        return self._prover.assuming().follow([formula]).get(formula.id, False)

    # --- what is required beyond that ------------------------------------------------------------

    def _require(self, asked: Sequence[Requirement], rests_on: Sequence[int]) -> None:
        stating = [each.node for each in self._report.summary.summarizers]
        if "entailed" in asked:
            for id_ in (*rests_on, *stating):
                if self._verdicts.get(id_) is not Verdict.ENTAILED:
                    self._add("not entailed", id_)
        if "criticized" in asked:
            for id_ in rests_on:
                if self._critic_of(id_) is None:
                    self._add("not criticized", id_)
        if "typed" in asked:
            for id_ in self._claiming():
                self._add("not typed", id_)

    def _claiming(self) -> Iterator[int]:
        """The proposers and summarizers that state nothing."""
        for id_, node in self._trace.nodes.items():
            if node.role in ("proposer", "summarizer") and id_ not in self._said.stated:
                yield id_


def with_verdict(found: Established, report: TraceResult) -> Established:
    """The same for a trace with its verdict: only an accepted one is established."""
    if report.verdict == "accepted":
        return found
    reason = shortcoming("not accepted", detail=str(report.verdict))
    holds = None if report.verdict == "unknown" else False
    return found._replace(holds=holds, reasons=(reason, *found.reasons))
