"""The meaning of a trace: every proposition, arrow and summary against the theory ([DOT-THEORY-1] ff.).

The order of the questions is that in which few solvers are started: the theory alone, ¬R, all
validated propositions, R, and the theory once more if arrows have ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from potlang.diag import Sink
from potlang.languages.dot.check import Theory, TraceSource, compiled, opened
from potlang.languages.dot.lower.canonical import digest
from potlang.languages.dot.lower.extract import Extraction, extract, state
from potlang.languages.dot.lower.typing import TraceTheory, TypedPropositions, read_propositions
from potlang.languages.dot.mend.mending import with_mends
from potlang.languages.dot.read.lookalike import report_unread
from potlang.languages.dot.read.reader import ReadOptions
from potlang.languages.dot.read.records import Edge, Profile
from potlang.languages.dot.read.reply import report_left_out
from potlang.languages.dot.read.rules import located
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import (
    EdgeResult,
    NodeResult,
    NucleusResult,
    Requirement,
    SummarizerResult,
    SummaryResult,
    TraceVerdict,
)
from potlang.languages.dot.solve.arrows import Arrow, NucleusOfTrace, arrow_results, judge_arrows
from potlang.languages.dot.solve.comparing import branches
from potlang.languages.dot.solve.established import Establishing, with_verdict
from potlang.languages.dot.solve.lints import report_all
from potlang.languages.dot.solve.prover import TheoryProver
from potlang.languages.dot.solve.summary import Summary, formula_text
from potlang.prove.options import ProverOptions, RouteName, Trust
from potlang.report.results import Consistency, Evidence, Interrupted, Limits, Result, Verdict
from potlang.sema.emit import Writer
from potlang.utils.deadline import Deadline
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.processes.pool import Workers

_CONSISTENCY = {
    Verdict.INCONSISTENT: Consistency.INCONSISTENT,
    Verdict.UNKNOWN: Consistency.UNKNOWN,
}


def verify(
    source: TraceSource,
    *,
    profile: Profile = "paper",
    theory: Theory | None = None,
    route: RouteName = "auto",
    trust: Trust = "best",
    limits: Limits = Limits(),
    workers: Workers | None = None,
    budget: int | None = None,
    require_end: bool = False,
    name: str | None = None,
    require: Iterable[Requirement] = (),
) -> TraceReport:
    """The report on a trace: form, propositions, arrows, nucleus and summary, with evidence.

    `theory` is a PoT program that the trace is read against; `route`, `trust`, `limits` and `workers` are
    those of `potlang.verify`, the limits for the trace as a whole. `require` is what an established trace has
    to be beyond that ([DOT-ESTABLISHED-REQUIRE]). Whatever is well formed of a broken
    trace is verified all the same. Raises `potlang.CompileError` if the theory does not compile,
    `potlang.api.OptionError` for an option that means nothing, TypeError for a source of another type, and
    `potlang.Interrupted` with the report on what is known where a question is interrupted.
    """
    deadline = Deadline(limits.total_ms)
    program = compiled(theory)
    trace, sink = opened(source, profile, budget, name, require_end)
    report_left_out(trace, sink)
    unread = report_unread(trace, sink)
    with nullcontext() if program is None else program.borrowed():
        space = None if program is None else TraceTheory(program.tree, (program.module, program.extension))
        said = read_propositions(trace, sink, space)
        extraction = extract(trace)
        left = limits._replace(total_ms=deadline.left_ms())
        with TheoryProver(said.module, ProverOptions(route, trust), left, workers) as prover:
            report = _Verification(extraction, said, prover, sink, require, unread).run()
    report = report._replace(verdict=_verdict(report, sink))
    report = report._replace(established=with_verdict(report.established, report))
    how = ReadOptions(trace.profile, budget, require_end)
    diagnostics = with_mends(trace, sink, how)
    report = report._replace(
        profile=trace.profile,
        hash=digest(trace),
        is_typed=trace.is_typed,
        diagnostics=diagnostics,
        located=located(diagnostics, trace.document),
        limits=limits,
        time_ms=deadline.spent_ms(),
        version=__version__,
        document=trace.document,
    )
    if prover.interruption is not None:
        raise Interrupted(report) from prover.interruption
    return report


class _Verification:
    """One verification: the questions in their order, and the report of the answers."""

    def __init__(
        self,
        extraction: Extraction,
        said: TypedPropositions,
        prover: TheoryProver,
        sink: Sink,
        require: Iterable[Requirement],
        unread: bool,
    ) -> None:
        self.require = require
        self.unread = unread
        self.extraction = extraction
        self.trace = extraction.trace
        self.said = said
        self.prover = prover
        self.sink = sink

    def run(self) -> TraceReport:
        """The report but for what the caller knows."""
        results = self._node_results()
        verdicts = {id_: result.verdict for id_, result in results.items()}
        arrows = judge_arrows(self.extraction, self.said, self.prover)
        nucleus = NucleusOfTrace(arrows, self.prover.pool)
        closed = self._closed(nucleus)
        summary = Summary(self.extraction, self.said, nucleus, self.prover, verdicts)
        consistency, result = summary.consistent()
        summarizers = summary.summarizers()
        consequences = summary.consequences(consistency)
        vacuous, conflicts = self._vacuous(arrows, nucleus, verdicts)
        joint = self._joint(nucleus, consistency)
        redundant, pairs = summary.compared(consistency)
        summarizers = list(summary.with_needed(summarizers))
        counterevidence = summary.counterevidence()
        ranks, retraction = summary.ranked(consistency)
        found = self._summary(summary, consistency, result, summarizers)._replace(
            redundant=redundant,
            incomparable=pairs,
            counterevidence=counterevidence,
            ranks=ranks,
            retraction=retraction,
        )
        lines = [self._line(arrow.inclusion.record) for arrow in arrows]
        shown = arrow_results(arrows, vacuous, conflicts, lines)
        nodes = tuple(self._nodes(results, closed))
        report = TraceReport(
            TraceVerdict.UNKNOWN,
            nodes=nodes,
            edges=tuple(EdgeResult(each.src, each.dst, each.kind) for each in self.trace.of(Edge)),
            arrows=shown,
            nucleus=self._nucleus(nucleus, joint),
            summary=found,
            consequences=consequences,
            notes=self._notes(),
        )
        report_all(self.trace, self.sink, report, arrows)
        judging = Establishing(self.trace, self.said, self.prover, arrows, report)
        established = judging.judge(self.require, self.unread)
        # What was asked for it may have used up the time.
        return report._replace(established=established, notes=self._notes())

    # --- nodes -----------------------------------------------------------------------------------

    def _node_results(self) -> dict[int, Result]:
        stated = self.said.stated
        if not stated:
            return {}
        claims = [(f"node {id_}", formula) for id_, formula in stated.items()]
        return dict(zip(stated, self.prover.assuming().results(claims), strict=True))

    def _closed(self, nucleus: NucleusOfTrace) -> Mapping[int, bool]:
        """Whether c(P) = P, by the id of the formula: whether R ∨ P follows ([DOT-NUC-4])."""
        stated = [each for id_, each in self.said.stated.items() if self._role(id_) == "proposer"]
        if not nucleus.rules:
            return {formula.id: True for formula in stated}
        return self.prover.assuming(nucleus.negation()).follow(stated)

    def _role(self, id_: int) -> str:
        return self.trace.nodes[id_].role

    def _nodes(self, results: Mapping[int, Result], closed: Mapping[int, bool]) -> Iterable[NodeResult]:
        texts = self.trace.texts()
        for id_, node in self.trace.nodes.items():
            status = self.trace.statuses.get(id_)
            result = results.get(id_)
            formula = self.said.stated.get(id_) if node.role == "proposer" else None
            yield NodeResult(
                id_,
                node.role,
                state(self.trace, id_),
                self.said.texts.get(id_),
                None if result is None else result.verdict,
                None if formula is None else closed.get(formula.id),
                None if status is None else status.just,
                texts.get(id_, b"").decode("utf-8", "replace"),
                self._line(node),
                result,
            )

    def _line(self, record: Any) -> int | None:
        span = self.trace.place_of(record).span
        return None if span is None else self.trace.document.line_column(span[0])[0]

    # --- arrows ----------------------------------------------------------------------------------

    def _vacuous(
        self, arrows: Iterable[Arrow], nucleus: NucleusOfTrace, verdicts: Mapping[int, Verdict]
    ) -> tuple[dict[int, bool], dict[int, Result]]:
        """Which sources theory and R refute, and the conflicts that R has a part in."""
        sources = {arrow.rule.lower: arrow.source for arrow in arrows if arrow.state != "refuted"}
        found: dict[int, bool] = {}
        for formula, id_ in sources.items():
            if verdicts.get(id_) in (Verdict.REFUTED, Verdict.INCONSISTENT):
                found[formula.id] = True
            elif not nucleus.rules and verdicts.get(id_) in (Verdict.ENTAILED, Verdict.UNDETERMINED):
                found[formula.id] = False
        left = [formula for formula in sources if formula.id not in found]
        if not left:
            return found, {}
        negations = {formula: self.prover.pool.negate(formula) for formula in left}
        base = self.prover.assuming(*nucleus.assertions())
        follow = base.follow(negations.values())
        found.update(
            (formula.id, follow[each.id]) for formula, each in negations.items() if each.id in follow
        )
        refuted = [formula for formula in left if found.get(formula.id)]
        claims = [(f"not node {sources[formula]}", negations[formula]) for formula in refuted]
        results = base.results(claims)
        names = {rule.name for rule in nucleus.rules}
        conflicts = {
            formula.id: result
            for formula, result in zip(refuted, results, strict=True)
            if any(item.name in names for item in result.evidence.core or ())
        }
        return found, conflicts

    def _joint(self, nucleus: NucleusOfTrace, whole: Consistency) -> Consistency:
        """Whether theory and R have a model."""
        base = self.prover.assuming(*nucleus.assertions())
        if whole is Consistency.CONSISTENT or base.is_empty:
            return Consistency.CONSISTENT
        [result] = base.results([("arrows", self.prover.pool.false)])
        return _CONSISTENCY.get(result.verdict, Consistency.CONSISTENT)

    def _nucleus(self, nucleus: NucleusOfTrace, joint: Consistency) -> NucleusResult:
        writer, pool = Writer(self.said.module), self.prover.pool
        rules = tuple(formula_text(writer, each.formula(pool)) or each.name for each in nucleus.rules)
        identity: bool | None = True
        if any(arrow.state == "assumed" for arrow in nucleus.arrows):
            identity = False
        elif nucleus.rules:
            identity = None
        return NucleusResult(rules, joint, identity)

    # --- the summary -----------------------------------------------------------------------------

    def _summary(
        self,
        summary: Summary,
        consistency: Consistency,
        result: Result | None,
        summarizers: list[SummarizerResult],
    ) -> SummaryResult:
        formula = summary.formula()
        notes = summary.notes if formula is not None else [*summary.notes, "its formula is too large to show"]
        evidence = Evidence() if result is None else result.evidence
        answers = [each.faithful for each in summarizers]
        faithful: bool | None = None
        if answers:
            faithful = False if False in answers else None if None in answers else True
        is_consistent = consistency is Consistency.CONSISTENT
        is_inconsistent = consistency is Consistency.INCONSISTENT
        return SummaryResult(
            summary.validated,
            formula,
            consistency,
            faithful,
            evidence.could_be_true if is_consistent else None,
            evidence.core if is_inconsistent else None,
            evidence.core_minimal and is_inconsistent,
            branches=branches(self.extraction, summary.validated),
            summarizers=tuple(summarizers),
            notes=tuple(notes),
            result=result,
        )

    def _notes(self) -> tuple[str, ...]:
        if self.prover.interruption is not None:
            return ("it was interrupted: what is unknown was not settled by then",)
        if self.prover.gave_up:
            return ("the time for the trace is used up: what is unknown was not settled in it",)
        return ()


def _verdict(report: TraceReport, sink: Sink) -> TraceVerdict:
    """The verdict on a trace ([DOT-VERDICT-1])."""
    summary = report.summary
    refuted = (each.status == "validated" and each.verdict is Verdict.REFUTED for each in report.nodes)
    if sink.has_errors:
        return TraceVerdict.REJECTED
    if any(refuted):
        return TraceVerdict.REFUTED
    if summary.consistency is Consistency.INCONSISTENT:
        return TraceVerdict.INCONSISTENT
    if summary.faithful is False:
        return TraceVerdict.UNFAITHFUL
    unsettled = (
        summary.consistency is Consistency.UNKNOWN,
        any(each.faithful is None for each in summary.summarizers),
        any(each.state == "unknown" for each in report.arrows),
    )
    return TraceVerdict.UNKNOWN if any(unsettled) else TraceVerdict.ACCEPTED
