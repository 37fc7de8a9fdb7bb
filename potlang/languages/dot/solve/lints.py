"""Judgement lints: warnings where critics, arrows or summarizers contradict the theory ([DOT-CRITIC-1])."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from potlang.diag import Label, Place, Sink
from potlang.diag.wording import shown
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import ArrowResult, NodeResult, SummarizerResult, SummaryResult
from potlang.languages.dot.solve.arrows import Arrow
from potlang.report.results import Consistency, CoreItem, Verdict

_LONGEST = 200
"""Characters of a formula or a value in a note."""
_WRONG = {("validated", Verdict.REFUTED): "POT5060", ("invalidated", Verdict.ENTAILED): "POT5061"}


def report_all(trace: Trace, sink: Sink, report: TraceReport, arrows: Sequence[Arrow]) -> None:
    """All warnings about the judgements of a trace; `arrows` are those of the report.

    That a summary has no model is said once: not where one of its propositions is refuted already.
    """
    refuted = report_judgements(trace, sink, report.nodes)
    refuted |= report_arrows(trace, sink, arrows, report.arrows)
    if refuted.isdisjoint(report.summary.nodes):
        report_summary(trace, sink, report.summary)
    report_summarizers(trace, sink, report.summary.summarizers)


def report_judgements(trace: Trace, sink: Sink, nodes: Iterable[NodeResult]) -> set[int]:
    """Statuses that contradict what the theory says of the proposition; the nodes that it refutes."""
    refuted: set[int] = set()
    for node in nodes:
        if node.status is None or node.verdict is None:
            continue
        code = _WRONG.get((node.status, node.verdict))
        if node.verdict is Verdict.REFUTED:
            refuted.add(node.id)
        if code is not None:
            prop = trace.props[node.id]
            labels = [Label(trace.place_of(prop), "the proposition")]
            core = node.result.evidence.core if node.result is not None else None
            sink.report(
                code,
                trace.place_of(trace.statuses[node.id]),
                id=node.id,
                labels=labels,
                notes=[*_because(core), f"it says `{shown(node.proposition, _LONGEST)}`"],
            )
    return refuted


def report_arrows(
    trace: Trace, sink: Sink, arrows: Sequence[Arrow], found: Sequence[ArrowResult]
) -> set[int]:
    """Refuted arrows, and those whose source theory and arrows refute together; these sources."""
    refuted: set[int] = set()
    reported: set[int] = set()
    for arrow, result in zip(arrows, found, strict=True):
        lower, upper = result.source, result.target
        place = trace.place_of(arrow.inclusion.record)
        if result.state == "refuted":
            model = None if arrow.result is None else arrow.result.evidence.could_be_false
            notes = [f"for example where {_values(model)}"] if model else []
            sink.report("POT5062", place, lower=lower, upper=upper, notes=notes)
        elif result.conflict is not None:
            refuted.add(lower)
            if arrow.rule.lower.id in reported:
                continue
            reported.add(arrow.rule.lower.id)
            sink.report("POT5063", place, id=lower, notes=_because(result.conflict))
    return refuted


def report_summary(trace: Trace, sink: Sink, summary: SummaryResult) -> None:
    """A summary without a model."""
    if summary.consistency is not Consistency.INCONSISTENT:
        return
    core = summary.conflict or ()
    guilty = {item.name for item in core}
    places = [trace.place_of(trace.statuses[id_]) for id_ in summary.nodes if f"node {id_}" in guilty]
    first, *others = places or [_beginning(trace)]
    labels = [Label(place, "and this is validated") for place in others[:4]]
    sink.report("POT5064", first, labels=labels, notes=_because(core))


def report_summarizers(trace: Trace, sink: Sink, found: Iterable[SummarizerResult]) -> None:
    """Summarizers that say what the validated propositions do not entail."""
    for each in found:
        if each.result is None or each.result.verdict not in (Verdict.REFUTED, Verdict.UNDETERMINED):
            continue
        model = each.result.evidence.could_be_false
        notes = [f"it is false, for example, where {_values(model)}"] if model else []
        sink.report("POT5065", trace.place_of(trace.props[each.node]), id=each.node, notes=notes)


def _beginning(trace: Trace) -> Place:
    prop = next(iter(trace.props.values()), None)
    return Place("", (0, 0)) if prop is None else trace.place_of(prop)


def _because(core: Sequence[CoreItem] | None) -> list[str]:
    """The items of a conflict, as one note."""
    if not core:
        return []
    items = [f"{item.name} (`{shown(item.text, _LONGEST)}`)" if item.text else item.name for item in core[:6]]
    more = f" and {len(core) - 6} more" if len(core) > 6 else ""
    return [f"because of {', '.join(items)}{more}"]


def _values(model: dict[str, str]) -> str:
    values = [f"{name} = {shown(value, _LONGEST)}" for name, value in list(model.items())[:6]]
    return ", ".join(values) + (", …" if len(model) > 6 else "")
