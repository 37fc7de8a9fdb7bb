"""Diagnostics as text for people: headline, place, the line with carets, notes, helps, fixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from potlang.diag.model import Diagnostic, Fix, Label, Patch, Place, Replace, Severity
from potlang.diag.snippet import Snippet, columns, snippet
from potlang.diag.wording import counted, shown, visible
from potlang.source import Document
from potlang.utils.style import Style

_WIDTH = 100


def render_all(
    diagnostics: Iterable[Diagnostic], document: Document, *, color: bool = False, width: int = _WIDTH
) -> str:
    """All diagnostics, a blank line between two, and a line that counts them; empty if there are none."""
    found = list(diagnostics)
    if not found:
        return ""
    blocks = [render_one(diagnostic, document, color=color, width=width) for diagnostic in found]
    return "\n".join([*blocks, f"{document_name(document)}: {summary(found)}\n"])


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`."""
    severities = [diagnostic.severity for diagnostic in diagnostics]
    counts = [(severities.count(severity), severity.value) for severity in Severity]
    return ", ".join(counted(count, name) for count, name in counts if count)


def render_one(
    diagnostic: Diagnostic, document: Document, *, color: bool = False, width: int = _WIDTH
) -> str:
    """One diagnostic, ending with a newline."""
    style = Style(color)
    level = diagnostic.severity.value
    lines = [
        style(level, f"{level}[{diagnostic.code}]") + style("bold", f": {diagnostic.message}"),
        style("frame", " --> ") + place_text(document, diagnostic.place),
    ]
    pieces = [(label, snippet(document, label.place, width)) for label in diagnostic.labels]
    gutter = max([len(str(piece.line)) for _, piece in pieces if piece and piece.line], default=1)
    bar = style("frame", " " * gutter + " |")
    if any(piece for _, piece in pieces):
        lines.append(bar)
    previous: Snippet | None = None
    for index, (label, piece) in enumerate(pieces):
        shown_lines = _label_lines(document, label, piece, gutter, style, level if index == 0 else "")
        lines += shown_lines[1:] if piece and _same_line(piece, previous) else shown_lines
        previous = piece
    edge = style("frame", " " * gutter + " = ")
    lines += [edge + style("note", "note") + f": {note}" for note in diagnostic.notes]
    lines += [edge + style("help", "help") + f": {text}" for text in diagnostic.helps]
    lines += [
        edge + style("help", f"fix ({fix.applicability.value})") + f": {fix_text(fix)}"
        for fix in diagnostic.fixes
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _label_lines(
    document: Document, label: Label, piece: Snippet | None, gutter: int, style: Style, level: str
) -> list[str]:
    if piece is None:
        where = place_text(document, label.place)
        return [] if level else [style("frame", " " * gutter + " = ") + f"{where}: {label.message}"]
    number = "" if piece.line is None else str(piece.line)
    mark = ("^" if level else "-") * max(1, columns(piece.marked))
    under = " " * columns(piece.before) + style(level or "frame", f"{mark} {label.message}".rstrip())
    return [
        style("frame", f"{number:>{gutter}} |") + f" {piece.before}{piece.marked}{piece.after}",
        style("frame", " " * gutter + " |") + f" {under}",
    ]


def _same_line(piece: Snippet, previous: Snippet | None) -> bool:
    """Whether the line of `piece` was shown just before, so that only its mark is to follow."""
    if previous is None or piece.line != previous.line:
        return False
    return piece.before + piece.marked + piece.after == previous.before + previous.marked + previous.after


def document_name(document: Document) -> str:
    """The document's name, safe to print."""
    return visible(document.name)


def place_text(document: Document, place: Place) -> str:
    """`file.json:3:7 at /rules/0/constraint`, as far as it is known."""
    where = document.locate(place)
    name = document_name(document)
    line = f"{name}:{where.line}:{where.column}" if where else name
    return f"{line} at {shown(place.pointer)}" if place.pointer else line


def fix_text(fix: Fix) -> str:
    """A fix in one line: its title, and the edit where it is a single one that the title does not show."""
    if len(fix.edits) != 1:
        return visible(fix.title)
    edit = fix.edits[0]
    if isinstance(edit, Replace) and edit.text and edit.text not in fix.title:
        return f"{visible(fix.title)}: `{shown(edit.text)}`"
    if isinstance(edit, Patch) and not fix.title:
        return f"{edit.op} {shown(edit.path)}"
    return visible(fix.title)


def render_located(found: Mapping[str, Any], *, color: bool = False) -> str:
    """A diagnostic in its JSON form, for readers who do not have the document: without the line of source."""
    style = Style(color)
    level = found["severity"]
    lines = [
        style(level, f"{level}[{found['code']}]") + style("bold", f": {visible(found['message'])}"),
        style("frame", " --> ") + _located_label(found, found.get("label", "")),
    ]
    edge = style("frame", "  = ")
    lines += [edge + _located_label(each, each["message"]) for each in found.get("labels", ())]
    lines += [edge + style("note", "note") + f": {visible(text)}" for text in found["notes"]]
    lines += [edge + style("help", "help") + f": {visible(text)}" for text in found["helps"]]
    lines += [
        edge + style("help", f"fix ({fix['applicability']})") + f": {visible(fix['title'])}"
        for fix in found["fixes"]
    ]
    return "\n".join(lines) + "\n"


def _located_label(found: Mapping[str, Any], message: str) -> str:
    line = f"line {found['line']}, column {found['column']}" if found["line"] else ""
    pointer = shown(found["pointer"]) if found["pointer"] else ""
    where = " at ".join(filter(None, (line, pointer))) or "the whole input"
    return f"{where}: {visible(message)}" if message else where
