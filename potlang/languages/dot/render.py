"""Reports on traces for people: plain text, with colours only when asked for, and a fragment of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from potlang.diag.wording import shown, visible
from potlang.languages.dot.report import ArrowResult, NodeResult, SummarizerResult, SummaryResult, TraceReport
from potlang.languages.pot.render import (
    LONGEST_LIST,
    Paint,
    core_lines,
    escaped,
    evidence_lines,
    html_text,
    model_lines,
    time_words,
)
from potlang.report.results import Consistency, Verdict

LONGEST_TABLE = 200
"""Rows of a table; of more, the first ones are shown, and those on which something is to be said."""
_SAYS = 64
_DISAGREES = {
    ("validated", Verdict.REFUTED): "validated, but the theory refutes it",
    ("invalidated", Verdict.ENTAILED): "invalidated, but the theory entails it",
}


def disagreement(node: NodeResult) -> str | None:
    """What is wrong with a critic's judgement, if the theory says otherwise."""
    if node.status is None or node.verdict is None:
        return None
    return _DISAGREES.get((node.status, node.verdict))


def says(node: NodeResult, longest: int = _SAYS) -> str:
    """What a node says, on one line: its proposition, or the beginning of its text in quotes."""
    if node.proposition is not None:
        return shown(node.proposition, longest)
    text = " ".join(node.text[: 4 * longest].split())
    cut = f"{text[: longest - 3]}…" if len(text) > longest - 2 else text
    return f"“{visible(cut)}”" if text else ""


def arrow_name(arrow: ArrowResult) -> str:
    """An arrow in a few words: `4 ≤ 6`."""
    return f"{arrow.source} ≤ {arrow.target}"


def render_trace(report: TraceReport, color: bool = False) -> str:
    """The report as lines of text, diagnostics excluded: those are rendered with their source."""
    paint = Paint(color)
    parts = [
        list(_nodes(report, paint)),
        list(arrow_lines(report, paint)),
        list(summary_lines(report, paint)),
        [f"note: {visible(note)}" for note in report.notes],
    ]
    lines = [line for part in parts if part for line in (*part, "")]
    if report.hash:
        lines.append(paint.dim(f"hash {report.hash[:16]}"))
    lines.append(f"{paint.verdict(str(report.verdict))} {paint.dim(time_words(report.time_ms))}".rstrip())
    return "\n".join(lines)


# --- nodes ---------------------------------------------------------------------------------------


def _nodes(report: TraceReport, paint: Paint) -> Iterator[str]:
    chosen = _chosen(report)
    rows = [
        (str(node.id), node.role, node.status or "", _verdict(node), _trust(node), says(node))
        for node in chosen
    ]
    widths = [max(len(row[i]) for row in (*rows, _HEAD)) for i in range(len(_HEAD) - 1)]
    if rows:
        yield paint.dim("  ".join(_padded(_HEAD, widths)))
    for node, row in zip(chosen, rows, strict=True):
        words = _padded(row, widths)
        words[2:5] = [_colored(words[2], paint), _colored(words[3], paint), paint.dim(words[4])]
        yield "  ".join(words).rstrip()
        if wrong := disagreement(node):
            yield f"    {paint.verdict('!')} {wrong}"
            if node.result is not None:
                yield from (f"    {line}" for line in evidence_lines(node.result, paint))
    if len(chosen) < len(report.nodes):
        yield paint.dim(f"… {len(report.nodes) - len(chosen):,} more nodes")


_HEAD = ("node", "role", "status", "verdict", "trust", "says")


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The words of a row, all but the last one filled up to their columns."""
    return [*(word.ljust(width) for word, width in zip(row, widths, strict=False)), row[-1]]


def _colored(word: str, paint: Paint) -> str:
    name = word.rstrip()
    return paint.verdict(name) + word[len(name) :] if name and name != "initial" else word


def _verdict(node: NodeResult) -> str:
    return "" if node.verdict is None else str(node.verdict)


def _trust(node: NodeResult) -> str:
    return "" if node.result is None else node.result.trust


def _chosen(report: TraceReport) -> list[NodeResult]:
    first = report.nodes[:LONGEST_TABLE]
    rest = (each for each in report.nodes[LONGEST_TABLE:] if each.role == "summarizer" or disagreement(each))
    return [*first, *(each for each, _ in zip(rest, range(LONGEST_TABLE), strict=False))]


# --- arrows --------------------------------------------------------------------------------------


def arrow_lines(report: TraceReport, paint: Paint) -> Iterator[str]:
    """The inclusions that critiques claim, each with its state, and the nucleus that they generate."""
    first = report.arrows[:LONGEST_TABLE]
    rest = [each for each in report.arrows[LONGEST_TABLE:] if each.state == "refuted"][:LONGEST_TABLE]
    explained: set[int] = set()
    if first:
        yield paint.dim("inclusions")
    for arrow in (*first, *rest):
        yield f"  {arrow_name(arrow)}  {arrow.schema}  {paint.verdict(arrow.state)}{_about(arrow)}"
        if arrow.state == "refuted" and arrow.result is not None:
            yield from (f"  {line}" for line in evidence_lines(arrow.result, paint))
        if arrow.conflict and arrow.source not in explained:
            explained.add(arrow.source)
            yield f"    node {arrow.source} is refuted by"
            yield from (f"    {line}" for line in core_lines(arrow.conflict, paint))
    if len(first) + len(rest) < len(report.arrows):
        yield paint.dim(f"  … {len(report.arrows) - len(first) - len(rest):,} more")
    if first:
        yield from _nucleus(report, paint)


def _about(arrow: ArrowResult) -> str:
    about = [
        *([f"rank {arrow.rank}"] if arrow.rank else []),
        *([f"witness {arrow.witness}"] if arrow.witness is not None else []),
        *(["vacuous"] if arrow.vacuous else []),
    ]
    return f"  ({', '.join(about)})" if about else ""


def _nucleus(report: TraceReport, paint: Paint) -> Iterator[str]:
    nucleus = report.nucleus
    if nucleus.identity:
        yield "the nucleus is the identity: the theory proves every inclusion that counts"
        return
    if nucleus.rules:
        yield f"the nucleus assumes, {paint.verdict(str(nucleus.consistency))} with the theory,"
        yield from (f"  {shown(rule, 2 * _SAYS)}" for rule in nucleus.rules[:LONGEST_LIST])
        yield from _more(len(nucleus.rules))
    if unclosed := [node.id for node in report.nodes if node.closed is False]:
        yield f"not closed under it: {_ids(unclosed)}"


def _more(count: int) -> Iterator[str]:
    if count > LONGEST_LIST:
        yield f"  … {count - LONGEST_LIST:,} more"


# --- summary -------------------------------------------------------------------------------------


def summary_lines(report: TraceReport, paint: Paint) -> Iterator[str]:
    """The summary of the validated propositions, the summarizers, and what follows as well."""
    summary = report.summary
    if summary.nodes:
        yield f"summary of {_ids(summary.nodes)}: {paint.verdict(str(summary.consistency))}"
        yield from _summary_body(summary, paint)
    elif report.is_typed and report.nodes:
        yield "summary: no proposition is validated"
    for each in summary.summarizers:
        yield from _summarizer(each, paint)
    if report.consequences:
        yield f"what follows as well: {_ids(report.consequences)}"


def _summary_body(summary: SummaryResult, paint: Paint) -> Iterator[str]:
    if summary.formula is not None:
        yield f"  {shown(summary.formula, 4 * _SAYS)}"
    if summary.model:
        yield "  for example with"
        yield from model_lines(summary.model, {})
    if summary.conflict is not None:
        yield "  these contradict each other:" if summary.conflict else "  the theory contradicts itself"
        yield from (f"  {line}" for line in core_lines(summary.conflict, paint))
    if summary.result is not None and summary.result.trust != "solver":
        yield paint.dim(f"  {summary.result.trust} ({summary.result.route})")
    if summary.redundant:
        yield f"  redundant, given the others: {_ids(summary.redundant)}"
    if summary.incomparable:
        yield f"  incomparable: {_listed(f'{a} and {b}' for a, b in summary.incomparable)}"
    if len(summary.branches) > 1:
        branches = "; ".join(_ids(branch) for branch in summary.branches[:LONGEST_LIST])
        yield f"  independent branches: {branches}"
        yield from _more(len(summary.branches))
    if summary.counterevidence is not None:
        yield f"  counterevidence (some of them, none of the invalidated): {summary.counterevidence}"
    yield from _ranks(summary)
    yield from (f"  note: {visible(note)}" for note in summary.notes)


def _ranks(summary: SummaryResult) -> Iterator[str]:
    if len(summary.ranks) > 1 or (summary.ranks and summary.consistency is not Consistency.CONSISTENT):
        yield f"  up to rank: {_listed(f'{each.rank} {each.consistency}' for each in summary.ranks)}"
    if summary.consistency is not Consistency.CONSISTENT and summary.retraction is not None:
        yield f"  consistent with the inclusions up to rank {summary.retraction}"


def _summarizer(each: SummarizerResult, paint: Paint) -> Iterator[str]:
    word = {True: "faithful", False: "unfaithful", None: "unknown"}[each.faithful]
    yield f"summarizer {each.node}: {paint.verdict(word)}{f', uses {_ids(each.uses)}' if each.uses else ''}"
    if each.faithful is not True and each.result is not None:
        yield from evidence_lines(each.result, paint)
    if each.left_out:
        needed = f", of which it needs {_ids(each.needed)}" if each.needed else ""
        yield f"  leaves out {_ids(each.left_out)}{needed}"


def _ids(ids: Iterable[int]) -> str:
    return _listed(map(str, ids))


def _listed(words: Iterable[str]) -> str:
    every = list(words)
    more = [f"… {len(every) - LONGEST_LIST:,} more"] if len(every) > LONGEST_LIST else []
    return ", ".join([*every[:LONGEST_LIST], *more])


# --- HTML ----------------------------------------------------------------------------------------


def render_trace_html(report: TraceReport) -> str:
    """A fragment of HTML without scripts, for notebooks: a row for each node, and the rest as text."""
    paint = Paint(False)
    rows = "".join(_row(node) for node in _chosen(report))
    more = len(report.nodes) - len(_chosen(report))
    rest = "\n".join([*arrow_lines(report, paint), *summary_lines(report, paint)])
    notes = "".join(f"<p>{html_text(note)}</p>" for note in report.notes)
    return (
        f'<div class="potlang-trace"><p><strong>{html_text(str(report.verdict))}</strong></p>'
        f"<table><tbody>{rows}</tbody></table>{f'<p>… {more:,} more nodes</p>' if more else ''}"
        f"<pre>{escaped(rest)}</pre>{notes}</div>"
    )


def _row(node: NodeResult) -> str:
    cells = [str(node.id), node.role, node.status or "", _verdict(node), says(node)]
    shown_cells = "".join(f'<td style="text-align:left">{html_text(cell)}</td>' for cell in cells)
    wrong = disagreement(node)
    return f"<tr>{shown_cells}<td>{html_text(wrong) if wrong else ''}</td></tr>"
