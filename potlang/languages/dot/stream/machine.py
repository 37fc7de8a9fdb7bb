"""The language of traces as a machine over bytes: immutable states, and a step to the next one.

A `TraceState` is registers and a place in the line. `TraceMachine.step` gives the state behind one more byte,
or None where no well-formed trace goes on so; what a field may hold is asked of `Admission`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from potlang.languages.dot.read.records import END_MARK, ROLE_TOKENS, Profile
from potlang.languages.dot.read.shapes import LONGEST_NUMBER, SHAPES, pattern
from potlang.languages.dot.stream import utf8
from potlang.languages.dot.stream.json_bytes import Cursor, JsonBytes, is_complete, start
from potlang.languages.dot.stream.json_shapes import checked_names
from potlang.languages.dot.stream.registers import (
    NO_GOAL,
    UNBOUNDED,
    Admission,
    Budgets,
    Registers,
    TraceGoal,
    Value,
    WordChoice,
)
from potlang.source import DEFAULT_LIMITS, InputLimits

_LF, _CR, _SPACE, _AT = b"\n\r @"
_DIGITS = frozenset(b"0123456789")
_BLANK = frozenset(b" \t\r\x0b\x0c")
_FENCE = b"@@len="
OPENINGS = {
    **{f"@{kind} {SHAPES[kind][0].name}=".encode(): kind for kind in SHAPES},
    _FENCE: "fence",
}
"""How records and fences begin."""
_KINDS = {kind[:2].encode(): kind for kind in SHAPES if kind != "prop"}
"""The kinds of records but for `@prop` by their first two letters."""
_RECORD = {letters: re.compile(rf"{pattern(kind)}\r?\n".encode()) for letters, kind in _KINDS.items()}
SHAPES_NAMES = {kind: [f" {field.name}=".encode() for field in fields] for kind, fields in SHAPES.items()}


class ByteOrderMark(NamedTuple):
    """In a byte order mark."""

    at: int


class LineStart(NamedTuple):
    """At the start of a line."""


class TextLine(NamedTuple):
    """In a line of text: the bytes that its last character still needs, and how long it is.

    `special`: all of it, as long as it may be the end of the trace or a role token.
    """

    rest: utf8.Partial
    special: bytes | None
    size: int


class BlankLine(NamedTuple):
    """In a line behind the end of the trace."""


class Keyword(NamedTuple):
    """In the first bytes of a record."""

    text: bytes


class FieldName(NamedTuple):
    """In the name of a field, behind a space."""

    kind: str
    values: tuple[Value, ...]
    text: bytes


class FieldValue(NamedTuple):
    """In the value of the field behind `values`."""

    kind: str
    values: tuple[Value, ...]
    text: bytes


class RecordEnd(NamedTuple):
    """Behind a word that is a field's value."""

    kind: str
    values: tuple[Value, ...]


class CarriageReturn(NamedTuple):
    """Behind the carriage return at the end of a record; `kind` is `fence` behind the bytes of one."""

    kind: str
    values: tuple[Value, ...] = ()


class Proposition(NamedTuple):
    """In the JSON of a `@prop`; `fresh`: none of it is written."""

    values: tuple[Value, ...]
    json: Cursor
    fresh: bool = False


class FenceLength(NamedTuple):
    """In the number of a fence, or behind the first `@` that follows it."""

    text: bytes
    closed: bool = False


class FenceBytes(NamedTuple):
    """In the bytes of a fence, or behind them: how many are left, and those that a character needs."""

    left: int
    rest: utf8.Partial = utf8.WHOLE


Place: TypeAlias = (
    ByteOrderMark
    | LineStart
    | TextLine
    | BlankLine
    | Keyword
    | FieldName
    | FieldValue
    | RecordEnd
    | CarriageReturn
    | Proposition
    | FenceLength
    | FenceBytes
)
START_OF_LINE = LineStart()
_BLANK_LINE = BlankLine()


class TraceState(NamedTuple):
    """A trace so far: registers, the place in its line, and how many bytes it has."""

    registers: Registers
    place: Place
    size: int = 0


Next: TypeAlias = tuple[Registers, Place] | None


class TraceMachine:
    """The machine of a profile under budgets and limits.

    `tokens`: whether blocks begin with role tokens; None: as the first one does. `names`: those that
    propositions may use, beside variables that they bind; None: any.
    """

    def __init__(
        self,
        profile: Profile = "paper",
        budgets: Budgets = UNBOUNDED,
        goal: TraceGoal = NO_GOAL,
        *,
        tokens: bool | None = None,
        limits: InputLimits = DEFAULT_LIMITS,
        names: Iterable[str] | None = None,
    ) -> None:
        """Raises ValueError for names that no formula can have."""
        self.rules = Admission(profile, budgets, goal, tokens=tokens)
        self.limits = limits
        self.json = JsonBytes(limits, None if names is None else checked_names(names))
        self._openings: tuple[Registers | None, list[bytes]] = None, []

    def start(self) -> TraceState:
        """In front of the first byte."""
        return TraceState(Registers(tokens=self.rules.tokens), START_OF_LINE)

    def step(self, state: TraceState, byte: int) -> TraceState | None:
        """Behind one more byte; None where no well-formed trace goes on so."""
        registers, place, size = state
        if size >= self.limits.bytes:
            return None
        found = self._step(registers, place, size, byte)
        return None if found is None else TraceState(*found, size + 1)

    def _step(self, registers: Registers, place: Place, size: int, byte: int) -> Next:
        match place:
            case TextLine():
                return self._in_text(registers, place, byte)
            case Proposition():
                return self._in_json(registers, place, byte)
            case FieldValue():
                return self._in_value(registers, place, byte)
            case LineStart():
                return self._at_start(registers, size, byte)
            case Keyword():
                return self._keyword(registers, place.text + bytes((byte,)))
            case FieldName():
                text = place.text + bytes((byte,))
                return self._named(registers, place.kind, place.values, text)
            case RecordEnd():
                return self._behind_value(registers, place.kind, place.values, byte)
            case CarriageReturn():
                return self._finished(registers, place.kind, place.values) if byte == _LF else None
            case FenceBytes():
                return self._in_fence(registers, place, byte)
            case FenceLength():
                return self._in_length(registers, place, size, byte)
            case BlankLine():
                if byte == _LF:
                    return self._finished(registers, "blank")
                return (registers, place) if byte in _BLANK else None
        assert isinstance(place, ByteOrderMark)
        if byte != codecs.BOM_UTF8[place.at]:
            return None
        return registers, ByteOrderMark(place.at + 1) if place.at < 2 else START_OF_LINE

    def _finished(self, registers: Registers, kind: str, values: tuple[Value, ...] = ()) -> Next:
        return self.rules.after(registers, kind, values), START_OF_LINE

    # --- lines of text ---------------------------------------------------------------------------

    def _at_start(self, registers: Registers, size: int, byte: int) -> Next:
        if byte == _AT:
            return self._keyword(registers, b"@")
        if registers.ended:
            return self._step(registers, _BLANK_LINE, size, byte)
        if size == 0 and byte == codecs.BOM_UTF8[0]:
            return registers, ByteOrderMark(1)
        if registers.opening is not None:
            return None
        return self._in_text(registers, TextLine(utf8.WHOLE, b"", 0), byte)

    def specials(self, registers: Registers) -> tuple[bytes, ...]:
        """The lines that are no text here: the end of the trace, and role tokens."""
        found: tuple[bytes, ...] = (END_MARK,) if registers.role == "summarizer" else ()
        return found if registers.tokens is False else (*found, *ROLE_TOKENS)

    def has_text(self, registers: Registers, size: int) -> bool:
        """Whether there may be a line of text here that has so many bytes, its end not counted."""
        return self.rules.follows(registers, "TEXT") and self.rules.has_room(registers, size + 1)

    def _in_text(self, registers: Registers, place: TextLine, byte: int) -> Next:
        if byte == _LF:
            return self._end_of_text(registers, place)
        rest = utf8.after(place.rest, byte)
        if rest is None:
            return None
        size = place.size + 1
        special = None if place.special is None else place.special + bytes((byte,))
        if special is not None:
            content = special.removesuffix(b"\r")
            lines = [line for line in self.specials(registers) if is_on_the_way(special, line)]
            if any(self.may_stand(registers, line) for line in lines):
                return registers, TextLine(rest, special, size)
            # A line that may not stand here is text with one byte more.
            if not self.has_text(registers, size + len(rest) + (content in lines)):
                return None
            return registers, TextLine(rest, special if lines else None, size)
        # The bytes that the character still needs are text, too.
        fits = self.has_text(registers, size + len(rest))
        return (registers, TextLine(rest, None, size)) if fits else None

    def may_stand(self, registers: Registers, line: bytes) -> bool:
        """Whether a special line may stand here."""
        if line == END_MARK:
            return self.rules.follows(registers, "END")
        return self.rules.admits(registers._replace(opening=ROLE_TOKENS[line]), "node")

    def _end_of_text(self, registers: Registers, place: TextLine) -> Next:
        content = None if place.special is None else place.special.removesuffix(b"\r")
        if content is not None and content in self.specials(registers):
            if not self.may_stand(registers, content):
                return None
            if content == END_MARK:
                return self._finished(registers, "end")
            return registers._replace(opening=ROLE_TOKENS[content], tokens=True), START_OF_LINE
        if place.rest or not self.has_text(registers, place.size):
            return None
        return self._finished(self.rules.with_text(registers, place.size + 1), "text")

    # --- records ---------------------------------------------------------------------------------

    def openings(self, registers: Registers, text: bytes) -> list[bytes]:
        """The beginnings of records and fences that may stand here, and begin so."""
        known, found = self._openings
        if known is not registers:
            # They stay the same object for the whole of a line.
            found = [each for each, kind in OPENINGS.items() if self.rules.admits(registers, kind)]
            self._openings = registers, found
        return [each for each in found if each.startswith(text)]

    def names(
        self, registers: Registers, kind: str, values: tuple[Value, ...], text: bytes
    ) -> list[tuple[bytes, int]]:
        """The names of the fields that may come behind `values` and begin so, and which fields they are."""
        found = []
        for index in range(len(values), len(SHAPES[kind])):
            field = SHAPES[kind][index]
            name = f" {field.name}=".encode()
            if name.startswith(text) and self.rules.choice(registers, kind, index, values).extends(b""):
                found.append((name, index))
            if not field.optional:
                break
        return found

    def _keyword(self, registers: Registers, text: bytes) -> Next:
        found = self.openings(registers, text)
        if text not in found:
            return (registers, Keyword(text)) if found else None
        kind = OPENINGS[text]
        return registers, FenceLength(b"") if kind == "fence" else FieldValue(kind, (), b"")

    def _named(self, registers: Registers, kind: str, values: tuple[Value, ...], text: bytes) -> Next:
        found = dict(self.names(registers, kind, values, text))
        if text not in found:
            return (registers, FieldName(kind, values, text)) if found else None
        left_out = (None,) * (found[text] - len(values))
        return registers, FieldValue(kind, values + left_out, b"")

    def _in_value(self, registers: Registers, place: FieldValue, byte: int) -> Next:
        kind, values, text = place
        choice = self.rules.choice(registers, kind, len(values), values)
        longer = text + bytes((byte,))
        if isinstance(choice, WordChoice):
            if choice.has(longer):
                return registers, RecordEnd(kind, (*values, longer))
        elif byte not in _DIGITS:
            is_whole = text and choice.has(text)
            return self._behind_value(registers, kind, (*values, text), byte) if is_whole else None
        elif text == b"0" or len(text) == LONGEST_NUMBER:
            return None
        return (registers, FieldValue(kind, values, longer)) if choice.extends(longer) else None

    def _behind_value(self, registers: Registers, kind: str, values: tuple[Value, ...], byte: int) -> Next:
        if kind == "prop":
            json = start(registers.role == "problem")
            return (registers, Proposition(values, json, True)) if byte == _SPACE else None
        if byte == _SPACE:
            return self._named(registers, kind, values, b" ")
        if byte not in (_LF, _CR) or not may_end_record(kind, values):
            return None
        return (
            self._finished(registers, kind, values)
            if byte == _LF
            else (registers, CarriageReturn(kind, values))
        )

    def _in_json(self, registers: Registers, place: Proposition, byte: int) -> Next:
        if byte == _LF:
            return self._finished(registers, "prop", place.values) if is_complete(place.json) else None
        if byte == _CR and place.fresh:
            return None
        cursor = self.json.step(place.json, byte)
        return None if cursor is None else (registers, Proposition(place.values, cursor))

    # --- fences ----------------------------------------------------------------------------------

    def _in_length(self, registers: Registers, place: FenceLength, size: int, byte: int) -> Next:
        text, closed = place
        if byte == _AT and text:
            if not closed:
                return registers, FenceLength(text, True)
            left = int(text)
            return self.rules.with_text(registers, fence_size(left)), FenceBytes(left)
        if closed or byte not in _DIGITS or text == b"0" or len(text) == LONGEST_NUMBER:
            return None
        longer = text + bytes((byte,))
        left = int(longer)
        fits = size + len(b"0@@") + left <= self.limits.bytes and self.rules.has_room(
            registers, fence_size(left)
        )
        return (registers, FenceLength(longer)) if fits else None

    def _in_fence(self, registers: Registers, place: FenceBytes, byte: int) -> Next:
        left, rest = place
        if left == 0:
            if byte == _LF:
                return self._finished(registers, "fence")
            return (registers, CarriageReturn("fence")) if byte == _CR else None
        after = utf8.after(rest, byte)
        if after is None or len(after) >= left:
            return None
        return registers, FenceBytes(left - 1, after)

    # --- whole lines -----------------------------------------------------------------------------

    def whole_line(self, registers: Registers, line: bytes) -> Registers | None:
        """The registers behind a line with its end, at whose start they are; None: step through it.

        The shortcut for what is plain: most records, and text.
        """
        if registers.ended:
            return None
        if line[0] != _AT:
            return self._whole_text(registers, line)
        match = _RECORD[line[1:3]].fullmatch(line) if line[1:3] in _RECORD else None
        if match is None:
            return None
        kind = _KINDS[line[1:3]]
        values = match.groups()
        rules = self.rules
        if not rules.admits(registers, kind):
            return None
        for index, value in enumerate(values):
            if value is not None and not rules.choice(registers, kind, index, values[:index]).has(value):
                return None
        return rules.after(registers, kind, values)

    def _whole_text(self, registers: Registers, line: bytes) -> Registers | None:
        if registers.tokens or (registers.role == "summarizer" and line[0] == END_MARK[0]):
            return None
        if registers.opening is not None or not self.has_text(registers, len(line) - 1):
            return None
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                return None
        return self.rules.after(self.rules.with_text(registers, len(line)), "text")

    def pass_over(self, state: TraceState, data: bytes, at: int) -> TraceState | None:
        """The state behind the ASCII bytes from `at` on in which nothing is judged; None if there are none.

        Of a fence all but the last, of a line of text those before its end.
        """
        registers, place, size = state
        room = min(len(data), at + self.limits.bytes - size)
        if isinstance(place, FenceBytes):
            end = min(room, at + place.left - 1)
        elif isinstance(place, TextLine) and place.special is None and self.rules.budgets.text is None:
            line_end = data.find(b"\n", at, room)
            end = room if line_end < 0 else line_end
        else:
            return None
        if place.rest or end <= at or not data[at:end].isascii():
            return None
        count = end - at
        if isinstance(place, FenceBytes):
            return TraceState(registers, FenceBytes(place.left - count), size + count)
        return TraceState(registers, TextLine(utf8.WHOLE, None, place.size + count), size + count)

    # --- the end of a trace ----------------------------------------------------------------------

    def has_ended(self, state: TraceState) -> bool:
        """Whether the end of the trace was read, with or without the end of its line."""
        registers, place, _ = state
        if registers.ended or not isinstance(place, TextLine) or place.special is None:
            return registers.ended
        is_end = place.special.removesuffix(b"\r") == END_MARK
        return is_end and registers.role == "summarizer" and self.may_stand(registers, END_MARK)

    def is_complete(self, state: TraceState) -> bool:
        """Whether the trace is well formed if it ends here, and the goal is reached."""
        registers, place, _ = state
        goal = self.rules.goal
        if (goal.critique and not registers.criticized) or (goal.end and not self.has_ended(state)):
            return False
        match place:
            case LineStart():
                return registers.opening is None and self.rules.order.may_end[registers.order]
            case TextLine(rest, special, size):
                content = None if special is None else special.removesuffix(b"\r")
                if content in self.specials(registers):
                    return content == END_MARK and self.may_stand(registers, END_MARK)
                return not rest and self.has_text(registers, size)
            case BlankLine() | CarriageReturn():
                return True
            case RecordEnd(kind, values):
                return may_end_record(kind, values)
            case FieldValue(kind, values, text):
                choice = self.rules.choice(registers, kind, len(values), values)
                return (
                    kind != "prop"
                    and may_end_record(kind, (*values, text))
                    and bool(text)
                    and choice.has(text)
                )
            case Proposition():
                return is_complete(place.json)
            case FenceBytes():
                return place.left == 0
        return False


def fence_size(left: int) -> int:
    """The bytes of text that a fence is, with its line end."""
    return len(b"@@len=%d@@\n" % left) + left


def is_on_the_way(text: bytes, line: bytes) -> bool:
    """Whether a text is the beginning of a line, or all of it with a carriage return."""
    return line.startswith(text) or text == line + b"\r"


def may_end_record(kind: str, values: tuple[Value, ...]) -> bool:
    return all(field.optional for field in SHAPES[kind][len(values) :])
