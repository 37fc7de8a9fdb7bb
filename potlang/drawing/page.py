"""The frame of every page: one file that loads nothing, and runs nothing but its own script."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from potlang.drawing.colours import DARK, LIGHT, Palette
from potlang.drawing.graph import MARKS
from potlang.drawing.svg import style as drawing_style
from potlang.report.html import Html, element, html_text, joined, preformatted, table, text_html
from potlang.report.results import Verdict

LONGEST_TEXT = 4_000
"""Characters of one text of an input."""

_GOOD, _BAD, _PLAIN = "good", "bad", "plain"
_TONES = {
    **dict.fromkeys(("given", "not checkable"), _PLAIN),
    **dict.fromkeys(("entailed", "accepted", "optimal", "proved", "holds", "perfect", "consistent"), _GOOD),
    **dict.fromkeys(
        ("refuted", "inconsistent", "rejected", "unfaithful", "wrong", "fails", "infeasible", "assumed"), _BAD
    ),
}
_MARKS = {
    **{str(verdict): mark for verdict, mark in MARKS.items() if verdict is not None},
    **dict.fromkeys(("proved", "accepted", "optimal", "holds"), MARKS[Verdict.ENTAILED]),
    **dict.fromkeys(("wrong", "rejected", "unfaithful", "fails", "infeasible"), MARKS[Verdict.REFUTED]),
    **dict.fromkeys(("not entailed", "open"), MARKS[Verdict.UNDETERMINED]),
}
"""Verdicts have a mark beside their words and colours."""


class Section(NamedTuple):
    """A part of a page with a heading and an id; without a body it is left out."""

    id: str
    title: str
    body: Html


class Lead(NamedTuple):
    """The top of a page: what kind of input it is on, the verdict, and that in sentences."""

    kind: str
    verdict: Sequence[str]
    sentences: Sequence[str]


def document(name: str, lead: Lead, sections: Iterable[Section], footer: str) -> str:
    """The page; `name` is what its input is called."""
    present = [section for section in sections if section.body]
    main = (_section(section) for section in present)
    script, style = _script(), _style()
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{name}: {', '.join(lead.verdict)}"),
        element("style", Html(style)),
    )
    body = element(
        "body",
        element("a", "Skip to the content", class_="skip", href="#main"),
        _header(name, lead, present),
        element("main", *main, id="main", tabindex="-1"),
        element("footer", footer),
        element("script", Html(script)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _header(name: str, lead: Lead, sections: Sequence[Section]) -> Html:
    links = (element("li", element("a", each.title, href=f"#{each.id}")) for each in sections)
    return element(
        "header",
        element("p", lead.kind, class_="kind"),
        element("h1", name),
        element("p", *(joined((chip(word), " ")) for word in lead.verdict), class_="verdict"),
        *(element("p", text_html(sentence), class_="lead") for sentence in lead.sentences),
        element("nav", element("ul", *links), aria_label="On this page") if len(sections) > 1 else None,
    )


def _section(section: Section) -> Html:
    heading = element("h2", section.title, id=f"{section.id}-title")
    return element("section", heading, section.body, id=section.id, aria_labelledby=f"{section.id}-title")


def chip(verdict: str, said: str | None = None) -> Html:
    """A verdict with its mark and its colour; `said` is shown in place of its own word."""
    mark = _MARKS.get(verdict)
    sign = element("span", mark, aria_hidden="true", class_="sign") if mark else None
    return element("strong", sign, said or verdict, class_=f"chip {_TONES.get(verdict, 'open')}")


def lines_section(id_: str, title: str, lines: Iterable[str]) -> Section:
    """A section of lines as they are."""
    return Section(id_, title, preformatted(lines))


def notes_section(notes: Sequence[str]) -> Section:
    """The notes of a report."""
    items = [element("li", text_html(each)) for each in notes]
    return Section("notes", "Notes", element("ul", *items) if items else Html(""))


def graph_link(id_: int, noun: str) -> Html:
    """The id of a node or a step, which leads to it in the graph."""
    where = f"{noun} {id_} in the graph"
    return element("a", str(id_), href=f"#node-{id_}", class_="to-graph", aria_label=where)


def folded(summary: str, body: Html, *, is_open: bool = False) -> Html:
    """A part that a reader may open, or close; nothing of nothing."""
    return element("details", element("summary", summary), body, open=is_open) if body else Html("")


def cut(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text, of a long one its beginning."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… {len(text) - longest:,} more characters"


# --- diagnostics -----------------------------------------------------------------------------------


def diagnostics_section(located: Sequence[dict[str, Any]]) -> Section:
    """The diagnostics with their lines, notes and helps."""
    if not located:
        return Section("diagnostics", "Diagnostics", Html(""))
    rows = map(_diagnostic, located)
    found = table(("place", "code", "message"), rows, class_="cards")
    return Section("diagnostics", "Diagnostics", found)


def _diagnostic(found: dict[str, Any]) -> Html:
    where = f"{found['line']}:{found['column']}" if found.get("line") else found.get("pointer") or ""
    more = [
        element("div", text_html(line), class_="more")
        for key in ("notes", "helps")
        for line in found.get(key, ())
    ]
    return element(
        "tr",
        element("td", where, data_name="place"),
        element("td", f"{found['severity']} {found['code']}", data_name="code"),
        element("td", element("div", text_html(found["message"])), *more, data_name="message"),
    )


# --- style and script ------------------------------------------------------------------------------


@cache
def _script() -> str:
    return _file("page.js")


@cache
def _style() -> str:
    light, dark = ("".join(_variables(palette)) for palette in (LIGHT, DARK))
    colours = f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return f"{colours}\n{_file('page.css')}\n{drawing_style()}\n"


def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _variables(palette: Palette) -> Iterator[str]:
    yield f"--text:{palette.text};--ground:{palette.background};"
    for status, (fill, line) in palette.status.items():
        yield f"--{status}:{fill};--{status}-line:{line};"
    for tone, colour in palette.tone.items():
        yield f"--tone-{tone}:{colour};"


@cache
def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def version_words(version: str) -> str:
    """The line that names the version."""
    return f"potlang {version}".rstrip()


def code_text(text: str) -> Html:
    """Code of an input, cut."""
    return element("code", html_text(cut(text)))
