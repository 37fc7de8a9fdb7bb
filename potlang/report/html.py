"""HTML from parts: text is escaped wherever it comes in, and only `Html` passes as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from potlang.diag.wording import visible
from potlang.utils.style import tone_of

if TYPE_CHECKING:
    from potlang.report.base import Row

_EMPTY = frozenset({"br", "meta", "rect", "path", "col"})


class Html(str):
    """Markup: text that was escaped, and elements around it."""

    __slots__ = ()


Content = Html | str | None
"""The content of an element: text, which is escaped, and markup; nothing for None."""


def element(tag: str, *content: Content, **attributes: str | float | bool | None) -> Html:
    """An element. `class_` is the attribute `class`, `aria_label` is `aria-label`; without None and False."""
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _EMPTY:
        return Html(f"<{tag}{written}>" if tag in ("br", "meta", "col") else f"<{tag}{written}/>")
    return Html(f"<{tag}{written}>{joined(content)}</{tag}>")


def joined(content: Iterable[Content], between: str = "") -> Html:
    """Parts one after the other."""
    return Html(between.join(part if isinstance(part, Html) else html_text(part or "") for part in content))


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html_text(str(value))}"'


def html_text(text: str) -> Html:
    """Any text as HTML on one line, with nothing hidden in it."""
    return Html(escape(visible(text)))


def text_html(text: str) -> Html:
    """Text with its lines kept, and everything else that cannot be seen as escapes."""
    return Html(escape("\n".join(visible(line) for line in text.split("\n"))))


def preformatted(lines: Iterable[str]) -> Html:
    """Lines of visible characters as they are; nothing of none."""
    text = "\n".join(lines)
    return element("pre", Html(escape(text))) if text else Html("")


def table(
    head: Iterable[Content], rows: Iterable[Html], caption: str | None = None, **attributes: str | None
) -> Html:
    """A table with a row of column names; `rows` are its `tr` elements."""
    names = joined(element("th", name, scope="col") for name in head)
    above = element("caption", caption) if caption else None
    body = element("tbody", joined(rows, "\n"))
    return element("table", above, element("thead", element("tr", names)), body, **attributes)


# --- notebooks -------------------------------------------------------------------------------------


_TONED = "border-radius:.3em;padding:0 .4em;"
_COLOURS = {
    "good": f"{_TONED}background:#e3f3e6;color:#1f6b35",
    "bad": f"{_TONED}background:#fbe7e5;color:#a3231c",
    "open": f"{_TONED}background:#fbf0d2;color:#7a5600",
}
"""Both the ground and the letters, since a notebook may be light or dark."""
_CELL = "text-align:left;vertical-align:top"
_LINES = "white-space:pre-wrap;margin:0"


def fragment(
    kind: str,
    title: str,
    verdict: Iterable[str],
    above: Iterable[str],
    head: Sequence[str],
    rows: Iterable[Row],
    below: Iterable[str],
    *,
    lead: str = "",
) -> Html:
    """A `<div>` of the class `kind`: `title` and verdict, lines, a table with column names, more lines.

    `lead` is said before the verdict.
    """
    body = [element("tr", *map(_cell, head, row)) for row in rows]
    said = joined((toned(each, "strong") for each in verdict), ", ")
    found = table(head, body) if body else None
    before = element("b", f"{title}: ")
    heading = element("p", before, f"{lead}: " if lead else "", said)
    return element("div", heading, _lines(above), found, _lines(below), class_=kind)


def toned(words: str, tag: str) -> Html:
    """A verdict in its colour; any other words as they are."""
    return element(tag, words, style=_COLOURS.get(tone_of(words) or ""))


def _cell(name: str, cell: str | Iterable[str]) -> Html:
    # Notebooks set tables to the right.
    inner: Html | str = _lines(cell) if not isinstance(cell, str) else cell
    if isinstance(cell, str) and cell and name in ("answer", "verdict", "status"):
        inner = toned(cell, "span")
    return element("td", inner, style=_CELL)


def _lines(lines: Iterable[str]) -> Html:
    """Lines of visible characters as they are, of which long ones go on below; nothing of none."""
    text = "\n".join(lines)
    return element("pre", Html(escape(text)), style=_LINES) if text else Html("")
