"""Reports as fragments of HTML for notebooks: no script, and all text escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from potlang.diag.wording import visible
from potlang.report.base import Row


def fragment(kind: str, verdict: str, above: Iterable[str], rows: Iterable[Row], below: Iterable[str]) -> str:
    """A `<div>` of the class `kind`: the verdict, lines, a table, and more lines."""
    table = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f'<div class="{kind}"><p><strong>{html_text(verdict)}</strong></p>{preformatted(above)}'
        f"<table><tbody>{table}</tbody></table>{preformatted(below)}</div>"
    )


def _cell(cell: str | Iterable[str]) -> str:
    inner = html_text(cell) if isinstance(cell, str) else preformatted(cell)
    return f'<td style="text-align:left">{inner}</td>'


def preformatted(lines: Iterable[str]) -> str:
    """Lines of visible characters as they are; nothing of none."""
    text = "\n".join(lines)
    return f"<pre>{escape(text)}</pre>" if text else ""


def html_text(text: str) -> str:
    """Any text as HTML on one line, with nothing hidden in it."""
    return escape(visible(text))
