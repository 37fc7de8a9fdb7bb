"""Reports on traces as text, and the rows of their tables."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag.wording import shown, visible
from potlang.languages.dot.results import (
    ArrowResult,
    NodeResult,
    SummarizerResult,
    SummaryResult,
    TraceResult,
    TraceVerdict,
)
from potlang.report.base import Row
from potlang.report.results import Consistency, Verdict
from potlang.report.table import aligned
from potlang.report.text import (
    LONGEST_LIST,
    core_lines,
    evidence_lines,
    legend_lines,
    listed,
    model_lines,
    some_of,
    verdict_line,
)
from potlang.utils.style import PLAIN, Style

_SAYS = 64
_DISAGREES = {
    ("validated", Verdict.REFUTED): "validated, but the theory refutes it",
    ("invalidated", Verdict.ENTAILED): "invalidated, but the theory entails it",
}


def disagreement(node: NodeResult) -> str | None:
    """The words for a critic's judgement that the theory contradicts; None for another."""
    if node.status is None or node.verdict is None:
        return None
    return _DISAGREES.get((node.status, node.verdict))


def says(node: NodeResult, longest: int = _SAYS) -> str:
    """A node's content on one line: its proposition, or the beginning of its text in quotes."""
    if node.proposition is not None:
        return shown(node.proposition, longest)
    text = " ".join(node.text[: 4 * longest].split())
    cut = f"{text[: longest - 3]}…" if len(text) > longest - 2 else text
    return f"“{visible(cut)}”" if text else ""


def arrow_name(arrow: ArrowResult) -> str:
    """An arrow in a few words: `4 ≤ 6`."""
    return f"{arrow.source} ≤ {arrow.target}"


def render_trace(report: TraceResult, *, color: bool = False) -> str:
    """The report as lines of text, diagnostics excluded: those are rendered with their source."""
    style = Style(color)
    notes = [*_legend(report), *(f"note: {visible(note)}" for note in report.notes)]
    established = established_lines(report)
    parts = [
        _nodes(report, style),
        arrow_lines(report, style),
        summary_lines(report, style),
        established,
        notes,
    ]
    lines = [line for part in map(list, parts) if part for line in (*part, "")]
    if report.hash:
        lines.append(style.dim(f"hash {report.hash[:16]}"))
    lines.append(verdict_line(verdict_words(report), report.time_ms, style))
    return "\n".join(lines)


def verdict_words(report: TraceResult) -> list[str]:
    """The verdict; of an accepted trace that is not established, that instead ([DOT-ESTABLISHED-TEXT])."""
    is_bare = report.verdict is TraceVerdict.ACCEPTED and not report.ok
    return ["well formed", "not established"] if is_bare else [str(report.verdict)]


def established_lines(report: TraceResult) -> Iterator[str]:
    """Why what an accepted trace concludes is not established."""
    if report.verdict is not TraceVerdict.ACCEPTED or report.ok:
        return
    reasons = report.established.reasons
    yield "not established:"
    yield from (f"  {visible(each.text)}" for each in reasons[:LONGEST_LIST])
    yield from _more(len(reasons))


# --- nodes ---------------------------------------------------------------------------------------


_HEAD = ("node", "role", "status", "verdict", "trust", "says")


def _nodes(report: TraceResult, style: Style) -> Iterator[str]:
    chosen = _chosen(report)
    if not chosen:
        return
    head, *rows = aligned([_HEAD, *map(_cells, chosen)])
    yield style.dim("  ".join(head))
    for node, (id_, role, status, verdict, trust, said) in zip(chosen, rows, strict=True):
        status = status if node.status == "initial" else style.verdict(status)
        yield "  ".join([id_, role, status, style.verdict(verdict), style.dim(trust), said]).rstrip()
        if wrong := disagreement(node):
            yield f"    {style.verdict('!')} {wrong}"
            if node.result is not None:
                yield from (f"    {line}" for line in evidence_lines(node.result, style))
    if len(chosen) < len(report.nodes):
        yield style.dim(f"… {len(report.nodes) - len(chosen):,} more nodes")


def _cells(node: NodeResult) -> tuple[str, ...]:
    verdict = "" if node.verdict is None else str(node.verdict)
    trust = "" if node.result is None else node.result.trust
    return str(node.id), node.role, node.status or "", verdict, trust, says(node)


def _chosen(report: TraceResult) -> list[NodeResult]:
    return some_of(report.nodes, lambda node: node.role == "summarizer" or disagreement(node) is not None)


def node_rows(report: TraceResult) -> Iterator[Row]:
    """Id, role, status, verdict and proposition of the nodes that are shown, and what is wrong with them."""
    for node in _chosen(report):
        id_, role, status, verdict, _, said = _cells(node)
        yield id_, role, status, verdict, said, disagreement(node) or ""


def lines_below(report: TraceResult) -> Iterator[str]:
    """The lines below the table of nodes."""
    if more := len(report.nodes) - len(_chosen(report)):
        yield f"… {more:,} more nodes"
    yield from arrow_lines(report, PLAIN)
    yield from summary_lines(report, PLAIN)
    yield from established_lines(report)
    yield from _legend(report)
    yield from (f"note: {visible(note)}" for note in report.notes)


def _legend(report: TraceResult) -> Iterator[str]:
    """The meaning of the stars, if evidence that is shown has some."""
    yield from legend_lines(
        [
            *(node.result for node in report.nodes if disagreement(node)),
            *(arrow.result for arrow in report.arrows if arrow.state == "refuted"),
            *(each.result for each in report.summary.summarizers if each.faithful is not True),
        ]
    )


# --- arrows --------------------------------------------------------------------------------------


def arrow_lines(report: TraceResult, style: Style) -> Iterator[str]:
    """The inclusions that critiques claim, each with its state, and the nucleus that they generate."""
    chosen = some_of(report.arrows, lambda arrow: arrow.state == "refuted")
    explained: set[int] = set()
    if chosen:
        yield style.dim("inclusions")
    for arrow in chosen:
        yield f"  {arrow_name(arrow)}  {arrow.schema}  {style.verdict(arrow.state)}{_about(arrow)}"
        if arrow.state == "refuted" and arrow.result is not None:
            yield from (f"  {line}" for line in evidence_lines(arrow.result, style))
        if arrow.conflict and arrow.source not in explained:
            explained.add(arrow.source)
            yield f"    node {arrow.source} is refuted by"
            yield from (f"    {line}" for line in core_lines(arrow.conflict, style))
    if len(chosen) < len(report.arrows):
        yield style.dim(f"  … {len(report.arrows) - len(chosen):,} more")
    if chosen:
        yield from _nucleus(report, style)


def _about(arrow: ArrowResult) -> str:
    about = [
        *([f"rank {arrow.rank}"] if arrow.rank else []),
        *([f"witness {arrow.witness}"] if arrow.witness is not None else []),
        *(["vacuous"] if arrow.vacuous else []),
    ]
    return f"  ({', '.join(about)})" if about else ""


def _nucleus(report: TraceResult, style: Style) -> Iterator[str]:
    nucleus = report.nucleus
    if nucleus.identity:
        yield "the nucleus is the identity: the theory proves every inclusion that counts"
        return
    if nucleus.rules:
        yield f"the nucleus assumes, {style.verdict(str(nucleus.consistency))} with the theory,"
        yield from (f"  {shown(rule, 2 * _SAYS)}" for rule in nucleus.rules[:LONGEST_LIST])
        yield from _more(len(nucleus.rules))
    if unclosed := [node.id for node in report.nodes if node.closed is False]:
        yield f"not closed under it: {listed(unclosed)}"


def _more(count: int) -> Iterator[str]:
    if count > LONGEST_LIST:
        yield f"  … {count - LONGEST_LIST:,} more"


# --- summary -------------------------------------------------------------------------------------


def summary_lines(report: TraceResult, style: Style) -> Iterator[str]:
    """The summary of the validated propositions, the summarizers, and what follows as well."""
    summary = report.summary
    if summary.nodes:
        yield f"summary of {listed(summary.nodes)}: {style.verdict(str(summary.consistency))}"
        yield from _summary_body(summary, style)
    elif report.is_typed and report.nodes:
        yield "summary: no proposition is validated"
    for each in summary.summarizers:
        yield from _summarizer(each, style)
    if report.consequences:
        yield f"what follows as well: {listed(report.consequences)}"


def _summary_body(summary: SummaryResult, style: Style) -> Iterator[str]:
    if summary.formula is not None:
        yield f"  {shown(summary.formula, 4 * _SAYS)}"
    if summary.model:
        yield "  for example with"
        yield from model_lines(summary.model, {})
    if summary.conflict is not None:
        yield "  these contradict each other:" if summary.conflict else "  the theory contradicts itself"
        yield from (f"  {line}" for line in core_lines(summary.conflict, style))
    if summary.result is not None and summary.result.trust != "solver":
        yield style.dim(f"  {summary.result.trust} ({summary.result.route})")
    if summary.redundant:
        yield f"  redundant, given the others: {listed(summary.redundant)}"
    if summary.incomparable:
        yield f"  incomparable: {listed(f'{a} and {b}' for a, b in summary.incomparable)}"
    if len(summary.branches) > 1:
        branches = "; ".join(listed(branch) for branch in summary.branches[:LONGEST_LIST])
        yield f"  independent branches: {branches}"
        yield from _more(len(summary.branches))
    if summary.counterevidence is not None:
        yield f"  counterevidence (some of them, none of the invalidated): {summary.counterevidence}"
    yield from _ranks(summary)
    yield from (f"  note: {visible(note)}" for note in summary.notes)


def _ranks(summary: SummaryResult) -> Iterator[str]:
    if len(summary.ranks) > 1 or (summary.ranks and summary.consistency is not Consistency.CONSISTENT):
        yield f"  up to rank: {listed(f'{each.rank} {each.consistency}' for each in summary.ranks)}"
    if summary.consistency is not Consistency.CONSISTENT and summary.retraction is not None:
        yield f"  consistent with the inclusions up to rank {summary.retraction}"


def _summarizer(each: SummarizerResult, style: Style) -> Iterator[str]:
    word = {True: "faithful", False: "unfaithful", None: "unknown"}[each.faithful]
    yield f"summarizer {each.node}: {style.verdict(word)}{f', uses {listed(each.uses)}' if each.uses else ''}"
    if each.faithful is not True and each.result is not None:
        yield from evidence_lines(each.result, style)
    if each.left_out:
        needed = f", of which it needs {listed(each.needed)}" if each.needed else ""
        yield f"  leaves out {listed(each.left_out)}{needed}"
