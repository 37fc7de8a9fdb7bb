"""Diagnostics as text for people: headline, place, the line with carets, notes, helps, fixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from potlang.diag.model import Diagnostic, Fix, Label, Patch, Place, Replace, Severity
from potlang.diag.snippet import Snippet, columns, snippet
from potlang.diag.wording import shown, visible
from potlang.source import Document

_WIDTH = 100
_PLAIN: Mapping[str, str] = MappingProxyType({})
_ANSI: Mapping[str, str] = MappingProxyType(
    {
        "error": "\x1b[1;31m",
        "warning": "\x1b[1;33m",
        "note": "\x1b[1;36m",
        "bold": "\x1b[1m",
        "frame": "\x1b[1;34m",
        "help": "\x1b[1;32m",
    }
)


def render_text(
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
    return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count)


def render_one(
    diagnostic: Diagnostic, document: Document, *, color: bool = False, width: int = _WIDTH
) -> str:
    """One diagnostic, ending with a newline."""
    paint = _Paint(_ANSI if color else _PLAIN)
    level = diagnostic.severity.value
    lines = [
        paint(level, f"{level}[{diagnostic.code}]") + paint("bold", f": {diagnostic.message}"),
        paint("frame", " --> ") + place_text(document, diagnostic.place),
    ]
    pieces = [(label, snippet(document, label.place, width)) for label in diagnostic.labels]
    gutter = max([len(str(piece.line)) for _, piece in pieces if piece and piece.line], default=1)
    bar = paint("frame", " " * gutter + " |")
    if any(piece for _, piece in pieces):
        lines.append(bar)
    previous: Snippet | None = None
    for index, (label, piece) in enumerate(pieces):
        shown_lines = _label_lines(document, label, piece, gutter, paint, level if index == 0 else "")
        lines += shown_lines[1:] if piece and _same_line(piece, previous) else shown_lines
        previous = piece
    edge = paint("frame", " " * gutter + " = ")
    lines += [edge + paint("note", "note") + f": {note}" for note in diagnostic.notes]
    lines += [edge + paint("help", "help") + f": {text}" for text in diagnostic.helps]
    lines += [
        edge + paint("help", f"fix ({fix.applicability.value})") + f": {fix_text(fix)}"
        for fix in diagnostic.fixes
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


class _Paint:
    __slots__ = ("palette",)

    def __init__(self, palette: Mapping[str, str]) -> None:
        self.palette = palette

    def __call__(self, style: str, text: str) -> str:
        start = self.palette.get(style)
        return f"{start}{text}\x1b[0m" if start else text


def _label_lines(
    document: Document, label: Label, piece: Snippet | None, gutter: int, paint: _Paint, level: str
) -> list[str]:
    if piece is None:
        where = place_text(document, label.place)
        return [] if level else [paint("frame", " " * gutter + " = ") + f"{where}: {label.message}"]
    number = "" if piece.line is None else str(piece.line)
    mark = ("^" if level else "-") * max(1, columns(piece.marked))
    under = " " * columns(piece.before) + paint(level or "frame", f"{mark} {label.message}".rstrip())
    return [
        paint("frame", f"{number:>{gutter}} |") + f" {piece.before}{piece.marked}{piece.after}",
        paint("frame", " " * gutter + " |") + f" {under}",
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
