"""Adds to the diagnostics of a trace the fixes that take all of it to be found ([DOT-FIX])."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import Any

from potlang.diag import Applicability, Diagnostic, Fix, Severity, Sink
from potlang.languages.dot.mend.lines import TraceLine, blocks_of, fields_of, lines_of
from potlang.languages.dot.mend.numbers import renumbering
from potlang.languages.dot.mend.order import Ordered, ordered
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.lookalike import opening_of
from potlang.languages.dot.read.raw import Raw
from potlang.languages.dot.read.reader import ReadOptions, read_window
from potlang.languages.dot.read.records import Fence, FreeText, Prop
from potlang.languages.dot.read.rules import Violations
from potlang.languages.dot.read.shapes import SHAPES
from potlang.languages.dot.read.trace import Trace
from potlang.source import Document

_LARGEST = 4_000_000
_UNREAD = frozenset({"POT5001", "POT5002", "POT5003", "POT5004", "POT5006", "POT5020", "POT5066"})
"""Where these are, blocks are not what they seem."""
_OF_IDS = frozenset({"POT5021", "POT5022", "POT5023", "POT5030", "POT5032", "POT5033", "POT5040"})
"""Where these are, roles are not what they seem."""
_RESTING = frozenset({"POT5009", "POT5024", "POT5025", "POT5031"})
"""Their fixes rest on blocks and roles."""
_JOINED = "put the JSON on one line"
_NAMELESS = re.compile(rb"@prop[ \t]+(?=[\[{\"])")
"""The beginning of a proposition that does not say whose it is."""

Edit = tuple[int, int, bytes]


def with_mends(trace: Trace, sink: Sink, how: ReadOptions) -> tuple[Diagnostic, ...]:
    """The diagnostics of a trace that was read as `how` says, with further fixes."""
    diagnostics, data = tuple(sink.diagnostics()), trace.raw.data
    mendable = any(each.severity is Severity.ERROR or each.code == "POT5066" for each in diagnostics)
    if not mendable or len(data) > _LARGEST:
        return diagnostics
    try:
        data.decode()
    except UnicodeDecodeError:
        return diagnostics
    return _Mending(trace, diagnostics, how).run(sink.codes())


class _Mending:
    """One trace, its lines, and its diagnostics, which get fixes one after the other."""

    def __init__(self, trace: Trace, diagnostics: tuple[Diagnostic, ...], how: ReadOptions) -> None:
        self.trace = trace
        self.found = list(diagnostics)
        self.how = how
        self.data = trace.raw.data
        self.start, self.end = _window(trace)
        self.lines = list(lines_of(self.data, self.start, self.end))
        self.blocks = blocks_of(self.lines)
        self.violations = Violations(Sink(), trace.raw)

    def run(self, codes: frozenset[str]) -> tuple[Diagnostic, ...]:
        """The diagnostics with their fixes; `codes` are those of all, shown or not."""
        if "POT5066" in codes:
            self._dedent()
        if "POT5020" in codes:
            self._renumber()
        if "POT5002" in codes:
            self._identify(codes)
        joined = any(fix.title == _JOINED for each in self.found for fix in each.fixes)
        if any(each.code == "POT0005" for each in self.found):
            joined = joined or "POT1001" in codes
        if joined or codes & (_UNREAD | _OF_IDS):
            self._doubt()
        if "POT5008" in codes and not joined and not codes & _UNREAD:
            self._order()
        return tuple(self.found)

    def _add(self, index: int | None, fix: Fix) -> None:
        # Where there are more errors than are shown it waits for the rest of them.
        if index is None:
            return
        each = self.found[index]
        self.found[index] = each._replace(fixes=(fix, *each.fixes))

    def _first(self, code: str) -> int | None:
        return next((index for index, each in enumerate(self.found) if each.code == code), None)

    def _fix(self, title: str, sure: bool, edits: list[Edit]) -> Fix:
        how = Applicability.SAFE if sure else Applicability.UNSAFE
        return self.violations.fix(title, how, *((start, end, text.decode()) for start, end, text in edits))

    def _tried(self, edits: list[Edit]) -> tuple[Trace, int]:
        """The trace after some edits, and how many errors it has."""
        data, at = [], self.start
        for start, end, text in sorted(edits):
            data += [self.data[at:start], text]
            at = end
        raw = Raw(b"".join([*data, self.data[at : self.end]]))
        trace = read_window(raw, Document("", raw.text), sink := Sink(), self.how)
        return trace, len(sink)

    def _errors(self) -> int:
        return self._tried([])[1]

    # --- indentation -----------------------------------------------------------------------------

    def _dedent(self) -> None:
        """A fix of all indented records together: safe if they are records and bring no new errors."""
        edits: list[Edit] = []
        for record in self.trace.of(FreeText):
            at = record.start + opening_of(record.content)
            if record.start < at and not self.data[record.start : at].strip():
                line = TraceLine(_word(self.data, at), at, record.end)
                if fields_of(self.data, line) is not None:
                    edits.append((record.start, at, b""))
        sure = bool(edits) and self._tried(edits)[1] <= self._errors()
        if not sure:
            self._downgrade(frozenset({"POT5066"}))
        elif len(edits) > 1:
            self._add(self._first("POT5066"), self._fix("let all records begin their lines", True, edits))

    # --- ids -------------------------------------------------------------------------------------

    def _renumber(self) -> None:
        found = renumbering(self.data, self.blocks, self.how.profile)
        if found is None:
            return
        edits = [(start, end, text.encode()) for start, end, text in found.edits]
        errors = self._tried(edits)[1]
        if errors < self._errors():
            self._add(self._first("POT5020"), self._fix("renumber the nodes", found.sure, edits))

    def _identify(self, codes: frozenset[str]) -> None:
        """A fix for each `@prop` without an id: that of the node of its block, whose only one it is."""
        edits: list[Edit] = []
        malformed = 0
        for block in self.blocks:
            node = fields_of(self.data, block[0])
            alone = sum(line.kind == "prop" for line in block) == 1
            for line in block:
                nameless = _NAMELESS.match(self.data, line.start, line.end)
                if nameless is not None and node is not None and alone:
                    edits.append((*nameless.span(), f"@prop id={node['id'].text} ".encode()))
                elif line.kind == "other" or (line.kind in SHAPES and fields_of(self.data, line) is None):
                    malformed += 1
        others = codes & (_UNREAD - {"POT5002"})
        sure = not malformed and not others and self._tried(edits)[1] <= self._errors()
        index = {each.place.span[0]: at for at, each in enumerate(self.found) if each.place.span is not None}
        for edit, place in zip(edits, self._characters([end for _, end, _ in edits]), strict=True):
            self._add(index.get(place), self._fix("write the id of the node into the `@prop`", sure, [edit]))

    # --- doubts ----------------------------------------------------------------------------------

    def _doubt(self) -> None:
        """Fixes that rest on the blocks and roles of the trace are safe only where these are sure."""
        self._downgrade(_RESTING)

    def _downgrade(self, codes: frozenset[str]) -> None:
        for index, each in enumerate(self.found):
            if each.code in codes:
                fixes = (fix._replace(applicability=_doubtful(fix)) for fix in each.fixes)
                self.found[index] = each._replace(fixes=tuple(fixes))

    # --- order -----------------------------------------------------------------------------------

    def _order(self) -> None:
        """A fix for each block with a record out of place, safe if the trace says the same after it."""
        starts = self._characters([block[0].start for block in self.blocks])
        first: dict[int, int] = {}
        for index, each in enumerate(self.found):
            if each.code == "POT5008" and each.place.span is not None:
                first.setdefault(bisect_right(starts, each.place.span[0]) - 1, index)
        mends: dict[int, Ordered] = {}
        for at, index in first.items():
            mend = None if at < 0 else ordered(self.data, self.blocks[at], self.how.profile)
            if mend is not None:
                mends[index] = mend
        sure = self._keep(list(mends.values()))
        if not sure and len(mends) > 1:
            mends = dict([next(iter(mends.items()))])
            sure = self._keep(list(mends.values()))
        for index, mend in mends.items():
            title = "put the records of the block in order" if mend.moved else "remove the blank lines"
            self._add(index, self._fix(title, sure, [(mend.start, mend.end, mend.text)]))

    def _keep(self, mends: list[Ordered]) -> bool:
        """Whether the trace says what it said after some blocks are put in order, with fewer errors."""
        trace, errors = self._tried([(mend.start, mend.end, mend.text) for mend in mends])
        return errors < self._errors() and _content(trace) == _content(self.trace)

    def _characters(self, offsets: list[int]) -> list[int]:
        """The characters at byte offsets that increase."""
        found, at, characters = [], 0, 0
        for offset in offsets:
            characters += len(self.data[at:offset].decode())
            at = offset
            found.append(characters)
        return found


def _window(trace: Trace) -> tuple[int, int]:
    """The bytes of the trace among those of its input."""
    first = min((record.start for record in trace.records), default=len(trace.raw.data))
    start = max((part.end for part in trace.left_out if part.end <= first), default=0)
    behind = (part.start for part in trace.left_out if part.start > first)
    return start, min(behind, default=len(trace.raw.data))


def _word(data: bytes, at: int) -> str:
    found = re.compile(rb"@([a-z]+)").match(data, at)
    return "" if found is None else found[1].decode()


def _doubtful(fix: Fix) -> Applicability:
    return Applicability.UNSAFE if fix.applicability is Applicability.SAFE else fix.applicability


def _content(trace: Trace) -> Counter[Any]:
    """The content of the typed records of a trace, without their order and their places."""
    return Counter(
        (type(record).__name__, *_said(record))
        for record in trace.records
        if not isinstance(record, FreeText | Fence)
    )


def _said(record: Any) -> tuple[Any, ...]:
    if isinstance(record, Prop):
        return record.id, json_line(record.value, canonical=True)
    values = record._asdict()
    return tuple(values[name] for name in values if name not in ("start", "end"))
