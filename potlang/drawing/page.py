"""One HTML page on a trace or a solution: the drawing, the diagnostics, the summary, the nodes or steps.

It loads nothing and runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from potlang.diag.wording import visible
from potlang.drawing.colours import DARK, LIGHT, Palette
from potlang.drawing.graph import MARKS, DrawnGraph, graph_of, graph_of_solution, marks_of
from potlang.drawing.svg import svg
from potlang.languages.dagmath.render import detail_lines, parents_word, remarks, verdict_word, verdict_words
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import StepEntry
from potlang.languages.dot.render import arrow_lines, disagreement, summary_lines
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import NodeResult
from potlang.languages.pot.report import Report
from potlang.report.html import html_text, preformatted
from potlang.utils.style import PLAIN

LONGEST_TEXT = 4_000
"""Characters of a node's text."""


def page(report: TraceReport, name: str = "trace", topos: Iterable[str] = ()) -> str:
    """The page for a report; `name` is what the trace is called. All text of the trace is escaped.

    `topos` are the lines of its diagram in a topos, if that was asked for.
    """
    graph = graph_of(report)
    kept = {vertex.id for vertex in graph.vertices}
    parts = [
        f'<p><strong class="verdict">{html_text(str(report.verdict))}</strong> '
        f"profile {html_text(report.profile)}</p>",
        *_drawing(graph, report.notes),
        *_diagnostics(report.located),
        *_section("Inclusions", arrow_lines(report, PLAIN)),
        *_section("Summary", summary_lines(report, PLAIN)),
        *_section("In the topos", iter(topos)),
        *_table("Nodes", _NODE_HEAD, (_row(node) for node in report.nodes if node.id in kept)),
        f"<footer>hash {html_text(report.hash)}, potlang {html_text(report.version)}</footer>",
    ]
    return _document(name, parts)


def solution_page(report: SolutionReport, name: str = "solution") -> str:
    """The page for a report on a solution; `name` is what it is called. All its text is escaped."""
    graph = graph_of_solution(report)
    kept = {vertex.id for vertex in graph.vertices}
    parts = [
        f'<p><strong class="verdict">{html_text(", ".join(verdict_words(report)))}</strong></p>',
        *_drawing(graph),
        *_diagnostics(report.located),
        *_section("Summary", detail_lines(report, PLAIN)),
        *_table("Steps", _STEP_HEAD, (_step_row(step) for step in report.steps if step.id in kept)),
        f"<footer>potlang {html_text(report.version)}</footer>",
    ]
    return _document(name, parts)


def program_page(report: Report, name: str = "program") -> str:
    """The page for a report on a program; `name` is what it is called. All its text is escaped."""
    parts = [
        report._repr_html_(),
        *_diagnostics(report.located),
        f"<footer>potlang {html_text(report.version)}</footer>",
    ]
    return _document(name, parts)


def _document(name: str, parts: Iterable[str]) -> str:
    title = html_text(name)
    return _HEAD.format(title=title, style=_style(), body="\n".join([f"<h1>{title}</h1>", *parts]))


_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _style() -> str:
    return (
        "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}"
        "h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem}"
        ".drawing{overflow:auto;max-height:85vh;border:1px solid #8886}"
        "table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;"
        "padding:.3rem .6rem;border-bottom:1px solid #8884}"
        "pre,.text{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}"
        "pre{font:13px/1.45 ui-monospace,monospace}footer{margin-top:2rem;opacity:.7;overflow-wrap:anywhere}"
        + "".join(_colours(LIGHT))
        + f"@media (prefers-color-scheme:dark){{{''.join(_colours(DARK))}}}"
    )


def _colours(palette: Palette) -> Iterator[str]:
    yield f"body{{color:{palette.text};background:{palette.background}}}"
    for status, (fill, _) in palette.status.items():
        yield f"td.s-{status}{{background:{fill}}}"
    yield f".wrong{{color:{palette.tone['refuted']};font-weight:600}}"


def _drawing(graph: DrawnGraph, notes: Sequence[str] = ()) -> Iterator[str]:
    yield from (f"<p>{html_text(note)}</p>" for note in (*notes, graph.note) if note)
    yield f'<div class="drawing">{svg(graph)}</div>'


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    if text := preformatted(lines):
        yield f"<h2>{title}</h2>\n{text}"


# --- diagnostics ---------------------------------------------------------------------------------


def _diagnostics(located: Sequence[dict[str, Any]]) -> Iterator[str]:
    if located:
        yield "<h2>Diagnostics</h2>\n<table><tbody>"
        yield from (_diagnostic(found) for found in located)
        yield "</tbody></table>"


def _diagnostic(found: dict[str, Any]) -> str:
    where = f"{found['line']}:{found['column']}" if found.get("line") else ""
    more = "".join(f"<br>{html_text(line)}" for key in ("notes", "helps") for line in found.get(key, ()))
    code = html_text(f"{found['severity']} {found['code']}")
    return f"<tr><td>{where}</td><td>{code}</td><td>{html_text(found['message'])}{more}</td></tr>"


# --- nodes and steps -----------------------------------------------------------------------------


_NODE_HEAD = ("node", "role", "status", "verdict", "says")
_STEP_HEAD = ("step", "parents", "verdict", "says")


def _table(title: str, head: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    yield f"<h2>{title}</h2>"
    yield f"<table><thead><tr>{''.join(f'<th>{name}' for name in head)}</tr></thead><tbody>"
    yield from rows
    yield "</tbody></table>"


def _row(node: NodeResult) -> str:
    verdict = "" if node.verdict is None else f"{MARKS[node.verdict]} {node.verdict}"
    wrong = disagreement(node)
    says = [
        f'<div class="wrong">{html_text(wrong)}</div>' if wrong else "",
        f"<pre>{html_text(_cut(node.proposition))}</pre>" if node.proposition is not None else "",
        f'<div class="text">{_lines(_cut(node.text))}</div>' if node.text else "",
    ]
    status = node.status or ""
    return (
        f'<tr><td>{node.id}</td><td>{html_text(node.role)}</td><td class="s-{status or "none"}">{status}</td>'
        f"<td>{html_text(verdict)}</td><td>{''.join(says)}</td></tr>"
    )


def _step_row(step: StepEntry) -> str:
    status, verdict = marks_of(step)
    word = f"{MARKS[verdict]} {verdict_word(step)}".strip()
    said = "".join(f'<div class="wrong">{html_text(line)}</div>' for line in remarks(step))
    return (
        f'<tr><td>{step.id}</td><td>{html_text(parents_word(step))}</td><td class="s-{status}">'
        f'{html_text(word)}</td><td><div class="text">{_lines(_cut(step.node))}</div>{said}</td></tr>'
    )


# --- text ----------------------------------------------------------------------------------------


def _cut(text: str) -> str:
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}… {len(text) - LONGEST_TEXT:,} more characters"


def _lines(text: str) -> str:
    """Text with its lines kept, and everything else that cannot be seen as escapes."""
    return escape("\n".join(visible(line) for line in text.split("\n")))
