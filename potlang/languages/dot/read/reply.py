"""The trace in a reply: behind thoughts or a greeting, in a fence, before a closing sentence ([DOT-REPLY]).

A reply is a window: the bytes around the trace are left out, and places are those in the whole input.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from potlang.diag import Applicability, Sink
from potlang.languages.dot.read.lookalike import opening_of
from potlang.languages.dot.read.raw import Raw, Source, open_trace
from potlang.languages.dot.read.reader import ReadOptions, detect, read_window
from potlang.languages.dot.read.records import END_MARK, ROLE_TOKENS
from potlang.languages.dot.read.rules import Violations
from potlang.languages.dot.read.shapes import SHAPES
from potlang.languages.dot.read.trace import LeftOut, Trace
from potlang.reading.replies import FENCE_LINE, begins_with_thought, ends_of_thoughts

_MOST_TRIED = 20
_RECORD = re.compile(
    rf"@(?:@[ \t]*len\b|(?:{'|'.join(SHAPES)})\b|\w++[ \t]++(?:id|src|dst|target)[ \t]*+[=:])", re.IGNORECASE
)
_MEANT = re.compile(f"^{_RECORD.pattern}", re.MULTILINE | re.IGNORECASE)
"""The beginning of a line that is a record or a fence of one, or means to be."""
_FENCED = re.compile(r"@@len=([0-9]{1,18})@@")
_LINE = re.compile(r"[^\n]+")
_END = re.compile(rf"^{re.escape(END_MARK.decode())}\r?(?:\n|\Z)", re.MULTILINE)


class _Window(NamedTuple):
    start: int
    end: int


def read_reply(source: Source, how: ReadOptions, name: str | None) -> tuple[Trace, Sink]:
    """The trace in an input, as it stands or in a reply, and the sink with what is not well formed in it.

    What is well formed as it stands is read so. Otherwise it is the first window of the reply that is, or
    the first of them if none is; `left_out` of the trace has the rest of the input.
    """
    sink = Sink()
    raw, document = open_trace(source, sink, how.limits, name)
    if raw is None:
        return Trace((), {}, {}, {}, how.profile, document, False, Raw(b"")), sink
    trace = read_window(raw, document, sink, how)
    if trace.is_well_formed:
        return trace, sink
    reply = _Reply(raw)
    chosen: tuple[Trace, Sink] | None = None
    for window in reply.windows():
        if window == (0, len(raw.data)):
            chosen = chosen or (trace, sink)
            continue
        tried = Sink(document)
        found = read_window(raw, document, tried, how, start=window.start, end=window.end)
        found = replace(found, left_out=(*reply.around(window), *found.left_out))
        if found.is_well_formed:
            return found, tried
        chosen = chosen or (found, tried)
    return chosen or (trace, sink)


def report_left_out(trace: Trace, sink: Sink) -> None:
    """Says what was left out around the trace (POT5067)."""
    violations = Violations(sink, trace.raw)
    for part in trace.left_out[:_MOST_TRIED]:
        data = trace.raw.data[part.start : part.end]
        what = "thoughts" if part.thoughts else _kind(data)
        if part.records:
            what += f" with {part.records} line{'s' if part.records > 1 else ''} that may be records"
        start = part.start + len(data) - len(data.lstrip())
        shown = data.strip().split(b"\n", 1)[0].rstrip()
        # Text outside of tags that do not match may belong inside.
        is_sure = not part.records and (trace.is_typed or trace.is_well_formed)
        how = Applicability.SAFE if is_sure else Applicability.UNSAFE
        fix = violations.fix("remove it", how, (part.start, part.end, ""))
        end = min(start + len(shown), part.end)
        violations.report("POT5067", min(start, part.end), end, fixes=[fix], what=what)


def _kind(data: bytes) -> str:
    lines = [line for line in data.split(b"\n") if line.strip()]
    if not lines:
        return "a blank line"
    is_fence = all(FENCE_LINE.match(line.decode("latin-1")) for line in lines)
    return "the line of a fence" if is_fence else "text"


class _Reply:
    """The bytes of a reply as one character each, and the windows that may be the trace."""

    def __init__(self, raw: Raw) -> None:
        self._data = raw.data
        self._text = raw.one_character_a_byte()
        self._ends = ends_of_thoughts(self._text)
        self._explicit = begins_with_thought(self._text)

    def windows(self) -> Iterator[_Window]:
        """The windows of the reply that may be its trace, those that leave least out first."""
        yield from dict.fromkeys(each for start in self._starts() for each in self._from(start))

    def _starts(self) -> list[int]:
        """Where the answer may begin: behind thoughts if it begins with some, else also behind their end."""
        ends = dict.fromkeys(self._ends[:1] * self._explicit + self._ends[-1:])
        behind = [end for end in ends if self._records(end) or detect(self._data, end) is not None]
        return behind if self._explicit and behind else [0, *behind]

    def _from(self, start: int) -> Iterator[_Window]:
        """All records from `start` on, without what stands around them; then each fence that may be all."""
        lines = self._records(start)
        if not lines:
            if start and detect(self._data, start) == "tagged":
                yield _Window(start, len(self._data))
            return
        first = self._first(start, lines[0])
        yield _Window(first, self._end(start, lines))
        yield from self._fences(start, lines)

    def _records(self, start: int, end: int | None = None) -> list[int]:
        """Where lines begin that are records or mean to be; that of the answer may begin behind a thought."""
        here = [start] if start and _RECORD.match(self._text, start) else []
        size = len(self._text) if end is None else end
        return list(dict.fromkeys(here + [each.start() for each in _MEANT.finditer(self._text, start, size)]))

    def _fence_lines(self, start: int) -> list[int]:
        """Where lines begin that open or close a fence; that of the answer may begin behind a thought."""
        here = [start] if FENCE_LINE.match(self._text[start : start + 80]) else []
        return list(dict.fromkeys(here + [each.start() for each in FENCE_LINE.finditer(self._text, start)]))

    def _first(self, start: int, record: int) -> int:
        """The beginning of the trace: its first record, or the role token above that."""
        above = self._text.rfind("\n", start, max(start, record - 1)) + 1
        line = self._data[max(start, above) : record].rstrip(b"\r\n")
        first = max(start, above) if line in ROLE_TOKENS else record
        # What looks like a record is not left out: it may be one.
        return start if self._looking(start, first) else first

    def _end(self, start: int, lines: list[int]) -> int:
        """The end of the trace: its end mark, or the end of the fence that it is in, behind all records."""
        size = len(self._data)
        last = max(map(self._line_end, lines))
        fences = self._fence_lines(start)
        nodes = [line for line in lines if self._text.startswith("@node", line)]
        is_last = bool(nodes) and "role=summarizer" in self._text[nodes[-1] : self._line_end(nodes[-1])]
        end = self._marked_end(last, size) if is_last else None
        if end is None and sum(fence < lines[0] for fence in fences) % 2:
            end = self._closing([fence for fence in fences if fence >= last])
        if end is None or not self._data[end:].strip() or self._looking(end, size):
            return size
        return end

    def _marked_end(self, last: int, limit: int) -> int | None:
        """The end of the first line from `last` on that is the end mark."""
        found = _END.search(self._text, last, limit)
        return None if found is None else found.end()

    def _closing(self, fences: list[int]) -> int | None:
        """The fence line that closes the fence around the trace; those with a word open one within."""
        depth = 0
        for fence in fences:
            line = self._text[fence : self._line_end(fence)].strip()
            if line.strip("`~"):
                depth += 1
            elif not depth:
                return fence
            else:
                depth -= 1
        return None

    def _fences(self, start: int, lines: list[int]) -> Iterator[_Window]:
        """The insides of fences with a summarizer, the last ones first, if all records are in fences."""
        marks = self._fence_lines(start)
        pairs = list(zip(marks[::2], marks[1::2], strict=False))
        inside = [(self._line_end(opened), closed) for opened, closed in pairs]
        found = [(*span, bisect_left(lines, span[0]), bisect_left(lines, span[1])) for span in inside]
        holding = [span for span in found if span[2] < span[3]]
        if len(holding) < 2 or sum(last - first for *_, first, last in holding) < len(lines):
            return
        for opened, closed, first, last in holding[: -_MOST_TRIED - 1 : -1]:
            own = lines[first:last]
            if "role=summarizer" in self._text[opened:closed]:
                behind = self._line_end(own[-1])
                yield _Window(self._first(opened, own[0]), self._marked_end(behind, closed) or closed)

    def around(self, window: _Window) -> Iterator[LeftOut]:
        """The parts that a window leaves out of the reply."""
        thoughts = next((end for end in reversed(self._ends) if end <= window.start), 0)
        spans = ((0, thoughts, True), (thoughts, window.start, False), (window.end, len(self._data), False))
        for start, end, is_thought in spans:
            if self._data[start:end].strip() or (start < end and not start):
                yield LeftOut(start, end, self._count(start, end), is_thought)

    def _count(self, start: int, end: int) -> int:
        return len(self._records(start, end)) + self._looking(start, end)

    def _looking(self, start: int, end: int) -> int:
        """How many lines look like records but for what stands before them."""
        lines = (found[0] for found in _LINE.finditer(self._text, start, end))
        return sum(opening_of(line.encode("latin-1")) > 0 for line in lines)

    def _line_end(self, start: int) -> int:
        """The end of a line, or of the content of the fence that begins on it."""
        fenced = _FENCED.match(self._text, start)
        if fenced is not None:
            start = min(len(self._text), fenced.end() + int(fenced[1]))
        end = self._text.find("\n", start)
        return len(self._text) if end < 0 else end + 1
