"""A solution as text: `Step k`, and below it `Edge:`, `Parents:`, `Node:` ([DAG-TEXT]; appendix C)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from potlang.diag import Applicability, Fix, Place
from potlang.diag.model import Replace
from potlang.diag.sink import Sink
from potlang.languages.dagmath.read.json_form import LARGEST_DIFFICULTY, LARGEST_ID, Draft
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.read.source_map import Part, SourceMap, Span, StepPlaces, Where

_BOLD = r"(?P<bold>\*\*|__|\*|_)?"
_COLON = r"[ \t]*+(?(bold)(?::[ \t]*+(?P=bold)|(?P=bold)[ \t]*+:|:)|:)[ \t]*+"
_LABELS = r"Edge|Parents?|Sink[ \t]Node|Node|Formal|Proposition"
_METADATA = r"Problem[ \t]id|Problem|Model|Dataset|Sample|Difficulty|Answer|Correct"
# Possessive repetition (`++`, `*+`) throughout: what gives nothing back takes linear time on any text.
HEADING = re.compile(r"[ \t>#*_]*+Step[ \t]++([0-9]++)[ \t]*+[:.]?[*_]*+[:.]?[ \t]*+", re.IGNORECASE)
LABEL = re.compile(
    rf"[ \t>]*+(?:[-*+][ \t]++)?{_BOLD}(?P<label>{_LABELS}|{_METADATA}){_COLON}", re.IGNORECASE
)
_RULE = re.compile(r"[ \t>]*+(?:⋮|…|\.{3,}+|-{3,}+|\*{3,}+|_{3,}+|\\vdots|`{3,}+[\w]*+)[ \t]*+")
_NOTHING = re.compile(r"[ \t]*(?:null|∅|-|–|—)[ \t.]*", re.IGNORECASE)
_EMPTY = re.compile(r"[ \t]*(?:none|\[[ \t]*\])[ \t.]*", re.IGNORECASE)
_ITEM = r"(?:Steps?[ \t~]*+)?[0-9]++"
_LIST = re.compile(
    rf"[ \t]*+[\[(]?[ \t]*+{_ITEM}(?:[ \t]*+(?:,[ \t]*+and[ \t]++|,|;|&|and[ \t]++)[ \t]*+{_ITEM})*+"
    r"[ \t]*+[\])]?[ \t.]*+",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[0-9]++")
_LINE = re.compile(r"[^\n]*+(?:\n|\Z)")
_PARTS: dict[str, Part] = {
    "edge": "edge",
    "parent": "parents",
    "parents": "parents",
    "node": "node",
    "sink node": "node",
    "formal": "formal",
    "proposition": "formal",
}
_LONG = ("edge", "problem")
"""Fields that go on behind a blank line."""


def is_text_form(text: str) -> bool:
    """Whether a text has a heading `Step k`, and a line `Edge:`, `Parents:` or `Node:`."""
    heading = label = False
    for start, end in _lines(text):
        # One letter rules out most lines: the patterns are for the few that are left.
        first = text[start : start + 40].lstrip(" \t>#*_-+")[:1].lower()
        if first == "s" and not heading:
            heading = HEADING.fullmatch(text, start, end) is not None
        if first and first in "epnsf" and not label:
            found = LABEL.match(text, start, end)
            label = found is not None and _name(found) in _PARTS
        if heading and label:
            return True
    return False


def read_text_form(text: str, sink: Sink, places: SourceMap) -> Draft | None:
    """The solution that a text holds; what does not fit is reported. None where it has no step."""
    return _TextSolutionReader(text, sink, places).read()


class _Field(NamedTuple):
    """A labelled part of a block: the span of its label and of what it says."""

    label: str
    name: Span
    value: Span


class _Block(NamedTuple):
    """A heading and the fields below it."""

    heading: re.Match[str]
    fields: list[_Field]


class _TextSolutionReader:
    def __init__(self, text: str, sink: Sink, places: SourceMap) -> None:
        self.text = text
        self.sink = sink
        self.places = places
        self.stray: list[Span] = []

    def read(self) -> Draft | None:
        head, blocks = self._blocks()
        metadata = self._metadata(head)
        found = [self._step(block) for block in blocks]
        if self.stray:
            self._report_stray()
        if not blocks:
            help_ = "begin each step with a line `Step k`, and the lines `Edge:`, `Parents:`, `Node:` below"
            self._report("POT7001", (0, 0), helps=(help_,))
            return None
        kept = tuple(step for step in found if step is not None)
        return Draft(Solution(kept, **metadata), len(kept) == len(blocks))

    # --- lines -----------------------------------------------------------------------------------

    def _blocks(self) -> tuple[list[_Field], list[_Block]]:
        """The fields before the first step, and the steps."""
        head: list[_Field] = []
        blocks: list[_Block] = []
        fields, open_field = head, False
        for start, end in _lines(self.text):
            heading = HEADING.fullmatch(self.text, start, end)
            if heading is not None:
                fields, open_field = [], False
                blocks.append(_Block(heading, fields))
                continue
            label = LABEL.match(self.text, start, end)
            # Metadata stands before the steps, parts behind their headings; elsewhere a label is mere text.
            if label is not None and (_name(label) in _PARTS) == bool(blocks):
                fields.append(_Field(_name(label), label.span(), self._trimmed(label.end(), end)))
                open_field = True
            else:
                open_field = self._continue(fields, open_field, start, end)
        return head, blocks

    def _continue(self, fields: list[_Field], is_open: bool, start: int, end: int) -> bool:
        """Takes a line without a label; whether the field above it may go on after it."""
        if _RULE.fullmatch(self.text, start, end):
            return False
        first, last = self._trimmed(start, end)
        if first == last:
            return is_open and fields[-1].label in _LONG
        if not is_open:
            self.stray.append((first, last))
            return False
        here = fields[-1]
        begin = first if here.value[0] == here.value[1] else here.value[0]
        fields[-1] = here._replace(value=(begin, last))
        return True

    def _trimmed(self, start: int, end: int) -> Span:
        content = self.text[start:end]
        first = start + len(content) - len(content.lstrip())
        return first, max(first, start + len(content.rstrip()))

    def _report_stray(self) -> None:
        edits = tuple(Replace("", *span, "") for span in self.stray)
        fix = Fix("remove it", Applicability.SAFE, edits)
        self._report("POT7030", self.stray[0], fixes=[fix], where="of the steps")

    # --- steps -----------------------------------------------------------------------------------

    def _step(self, block: _Block) -> Step | None:
        heading = block.heading
        number = self._id(heading)
        which = f"step {heading[1][:12]}"
        parts = self._parts(block, which)
        edge, node = self._said(parts, "edge"), self._said(parts, "node")
        if "node" in parts and not node:
            self._report("POT1014", parts["node"].name, what="a node")
        for part, label in (("parents", "Parents:"), ("node", "Node:")):
            if part not in parts:
                self._report("POT7007", heading.span(), which=which, part=f"`{label}`")
        found = self._parents(parts["parents"]) if "parents" in parts else None
        if number is None or not node or found is None:
            return None
        ids, spans = found
        places: dict[Part, Where] = {part: ("", field.value) for part, field in parts.items()}
        places["id"] = "", heading.span(1)
        whole = heading.start(), max(field.value[1] for field in parts.values())
        self.places.rows.append(StepPlaces(("", whole), places, set(), [("", span) for span in spans]))
        return Step(number, edge, ids, node, self._said(parts, "formal") or None)

    def _id(self, heading: re.Match[str]) -> int | None:
        if len(heading[1].lstrip("0")) < 11 and int(heading[1]) <= LARGEST_ID:
            return int(heading[1])
        expected = f"a step id, a number from 0 to {LARGEST_ID}"
        self._report("POT1010", heading.span(1), expected=expected, found="a larger one")
        return None

    def _parts(self, block: _Block, which: str) -> dict[Part, _Field]:
        parts: dict[Part, _Field] = {}
        for each in block.fields:
            part = _PARTS[each.label]
            if part in parts:
                self._report("POT7008", each.name, which=which, part=each.label.title())
            else:
                parts[part] = each
        return parts

    def _said(self, parts: dict[Part, _Field], part: Part) -> str:
        return self.text[slice(*parts[part].value)] if part in parts else ""

    def _parents(self, field: _Field) -> tuple[tuple[int, ...] | None, list[Span]] | None:
        """Ids and their spans; None, with a report, for what is no list of steps."""
        start, end = field.value
        if start == end or _NOTHING.fullmatch(self.text, start, end):
            return None, []
        if _EMPTY.fullmatch(self.text, start, end):
            return (), []
        spans = [found.span() for found in _NUMBER.finditer(self.text, start, end)]
        if _LIST.fullmatch(self.text, start, end) and all(last - first < 11 for first, last in spans):
            return tuple(int(self.text[first:last]) for first, last in spans), spans
        helps = ("write `Null`, or `Step 1, Step 4`",)
        self._report("POT7006", field.value, helps=helps, text=self.text[start:end])
        return None

    # --- the rest of the solution ----------------------------------------------------------------

    def _metadata(self, head: list[_Field]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for field in head:
            name = field.label.replace(" ", "_")
            text = self.text[slice(*field.value)]
            if name not in found and text:
                found[name] = self._typed(name, text, field)
        return found

    def _typed(self, name: str, text: str, field: _Field) -> object:
        if name == "sample" and text.isascii() and text.isdigit() and len(text) < 600:
            return int(text)
        if name == "correct":
            if text.lower() in ("true", "false"):
                return text.lower() == "true"
            self._report("POT1010", field.value, expected="true or false", found="a string")
            return None
        if name != "difficulty":
            return text
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if -LARGEST_DIFFICULTY <= value <= LARGEST_DIFFICULTY:
            return value
        expected = f"a number of at most {LARGEST_DIFFICULTY}"
        self._report("POT1010", field.value, expected=expected, found="a string")
        return None

    def _report(self, code: str, span: Span, **fields: Any) -> None:
        self.sink.report(code, Place("", span), **fields)


def _lines(text: str) -> Iterator[Span]:
    """The lines of a text without their ends."""
    for found in _LINE.finditer(text):
        start, end = found.span()
        while end > start and text[end - 1] in "\r\n":
            end -= 1
        if found.end() > start:
            yield start, end


def _name(label: re.Match[str]) -> str:
    """A label in lower case, with one space between words."""
    return " ".join(label["label"].lower().split())
