"""The shortest ends of traces: bytes behind a state that make a well-formed trace which reaches the goal."""

from __future__ import annotations

import codecs
from typing import Any

from potlang.languages.dot.read.records import END_MARK
from potlang.languages.dot.read.shapes import SHAPES
from potlang.languages.dot.stream import utf8
from potlang.languages.dot.stream.ids import shortest
from potlang.languages.dot.stream.json_bytes import is_complete, start
from potlang.languages.dot.stream.machine import (
    OPENINGS,
    START_OF_LINE,
    ByteOrderMark,
    FenceBytes,
    FenceLength,
    FieldName,
    FieldValue,
    Keyword,
    LineStart,
    Proposition,
    RecordEnd,
    TextLine,
    TraceMachine,
    TraceState,
    is_on_the_way,
    may_end_record,
)
from potlang.languages.dot.stream.registers import Registers, Value, WordChoice

_NEW_IDS = 6
"""More ids than a closing takes."""
_KEPT = 20_000
"""Lengths that are kept."""


def closing(machine: TraceMachine, state: TraceState) -> bytes:
    """Bytes that complete the trace, few of them; none where it is complete.

    Behind the first of them the rest is the closing: so each takes one byte off.
    """
    return _ShortestEnd(machine).closing(state)


class ClosingLengths:
    """How many bytes closings have under one machine, without writing them out.

    From the start of a line on they are kept under what they depend on.
    """

    def __init__(self, machine: TraceMachine) -> None:
        self._machine = machine
        self._ends = _ShortestEnd(machine)
        self._kept: dict[tuple[object, ...], int] = {}
        self._key: tuple[Registers | None, tuple[object, ...]] = None, ()
        self._line: tuple[Registers | None, dict[Any, int]] = None, {}

    def of(self, state: TraceState) -> int:
        """The length of `closing(machine, state)`."""
        machine, count = self._machine, 0
        here: TraceState | None = state
        while here is not None:
            registers, place, size = here
            if type(place) is LineStart:
                return count + self._of_line(registers)
            if machine.is_complete(here):
                return count
            if type(place) is FenceBytes and place.left:
                # Its last bytes may complete a character; they count all the same.
                count += place.left
                here = TraceState(registers, FenceBytes(0), size + place.left)
                continue
            if isinstance(place, FieldName | FieldValue | RecordEnd):
                return count + self._of_record(registers, place)
            more = self._ends.piece(here)
            count += len(more)
            if type(place) is Keyword and OPENINGS[place.text + more] != "fence":
                return count + self._of_fields(registers, OPENINGS[place.text + more], ())
            for byte in more:
                here = None if here is None else machine.step(here, byte)
        raise AssertionError("each state has an end")

    def key(self, registers: Registers) -> tuple[object, ...]:
        """The part of the registers that decides how many bytes the closing has at the start of a line."""
        known, key = self._key
        if known is not registers:
            # They stay the same object for the whole of a line.
            key = self._new_key(registers)
            self._key = registers, key
        return key

    def _new_key(self, registers: Registers) -> tuple[object, ...]:
        goal, last = self._machine.rules.goal, registers.last
        digits = len(str(last)) if last >= 0 else 0
        references: tuple[bytes | None, ...] = ()
        if goal.critique and not registers.criticized:
            # The edge of the critique names a node.
            references = tuple(shortest(ids, b"") for ids in (*registers.by_role, *registers.sources))
        return (
            registers.order,
            registers.role,
            registers.opening,
            registers.tokens,
            registers.criticized,
            registers.ended,
            # How many of the ids that a closing may take have as many digits as the last one.
            digits,
            min(10**digits - last, _NEW_IDS) if digits else 0,
            references,
        )

    # --- records, field by field -----------------------------------------------------------------

    def _of_record(self, registers: Registers, place: FieldName | FieldValue | RecordEnd) -> int:
        """Within a record that is not complete."""
        kind, values = place.kind, place.values
        if isinstance(place, RecordEnd):
            return self._behind_value(registers, kind, values)
        if isinstance(place, FieldName):
            name, index = min(self._machine.names(registers, kind, values, place.text))
            left_out = (None,) * (index - len(values))
            return len(name) - len(place.text) + self._of_fields(registers, kind, values + left_out)
        choice = self._machine.rules.choice(registers, kind, len(values), values)
        if not place.text:
            return self._of_fields(registers, kind, values)
        if isinstance(choice, WordChoice) or not choice.has(place.text):
            rest = self._ends.value(registers, kind, len(values), values, place.text)
            return len(rest) + self._behind_value(registers, kind, (*values, place.text + rest))
        return self._behind_value(registers, kind, (*values, place.text))

    def _of_fields(self, registers: Registers, kind: str, values: tuple[Value, ...]) -> int:
        """In front of the value of a field."""
        key = kind, values, "fields"
        found = self._in_line(registers).get(key)
        if found is None:
            value = self._ends.value(registers, kind, len(values), values, b"")
            found = len(value) + self._behind_value(registers, kind, (*values, value))
            self._in_line(registers)[key] = found
        return found

    def _behind_value(self, registers: Registers, kind: str, values: tuple[Value, ...]) -> int:
        """Behind the value of a field."""
        key = kind, values, "value"
        found = self._in_line(registers).get(key)
        if found is None:
            found = self._new_behind_value(registers, kind, values)
            self._in_line(registers)[key] = found
        return found

    def _new_behind_value(self, registers: Registers, kind: str, values: tuple[Value, ...]) -> int:
        if kind == "prop":
            json = start(registers.role == "problem")
            return 1 + self.of(TraceState(registers, Proposition(values, json, True)))
        if not may_end_record(kind, values):
            return len(_behind(kind, len(values))) + self._of_fields(registers, kind, values)
        if self._machine.is_complete(TraceState(registers, RecordEnd(kind, values))):
            return 0
        return 1 + self._of_line(self._machine.rules.after(registers, kind, values))

    def _in_line(self, registers: Registers) -> dict[Any, int]:
        """The part that is kept of the line that is written now."""
        known, found = self._line
        if known is not registers:
            found = {}
            self._line = registers, found
        return found

    # --- from the start of a line ----------------------------------------------------------------

    def _of_line(self, registers: Registers) -> int:
        key = self.key(registers)
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            found = self._kept[key] = len(self._ends.closing(TraceState(registers, START_OF_LINE)))
        return found


class _ShortestEnd:
    """The way to the end under one machine."""

    def __init__(self, machine: TraceMachine) -> None:
        self._machine = machine
        self._rules = machine.rules

    def closing(self, state: TraceState) -> bytes:
        found = b""
        here: TraceState | None = state
        while here is not None and not self._machine.is_complete(here):
            more = self.piece(here)
            found += more
            for byte in more:
                here = None if here is None else self._machine.step(here, byte)
        assert here is not None, "each state has an end"
        return found

    def piece(self, state: TraceState) -> bytes:
        """Some of the bytes on the way."""
        registers, place, _ = state
        match place:
            case LineStart():
                return self._line(registers)
            case ByteOrderMark(at):
                return codecs.BOM_UTF8[at:]
            case TextLine(rest, special, _):
                return utf8.completing(rest) or self._rest_of_line(registers, special)
            case Keyword(text):
                return self._keyword(registers, text)
            case FieldName(kind, values, text):
                return min(self._machine.names(registers, kind, values, text))[0][len(text) :]
            case FieldValue(kind, values, text):
                return self.value(registers, kind, len(values), values, text)
            case RecordEnd(kind, values):
                return _behind(kind, len(values))
            case Proposition():
                return b"\n" if is_complete(place.json) else self._machine.json.closing(place.json)
            case FenceLength(text, closed):
                return b"@" if closed else b"@@" if text else b"0@@"
            case FenceBytes(left, rest):
                return utf8.completing(rest).ljust(left, b"x") if left else b"\n"
        return b"\n"

    def _line(self, registers: Registers) -> bytes:
        """The first bytes of the next line."""
        rules = self._rules
        needs_critique = rules.goal.critique and not registers.criticized
        if registers.opening is None:
            if needs_critique and rules.may_criticize(registers):
                return b"@edge src="
            if not needs_critique and rules.goal.end and registers.role == "summarizer":
                return END_MARK
            if registers.tokens:
                return b"<%b>\n" % rules.wanted_role(registers).encode()
        return b"@node id="

    def _keyword(self, registers: Registers, text: bytes) -> bytes:
        found, wanted = self._machine.openings(registers, text), self._line(registers)
        return (wanted if wanted in found else min(found, key=len))[len(text) :]

    def value(
        self, registers: Registers, kind: str, field: int, values: tuple[Value, ...], text: bytes
    ) -> bytes:
        """The rest of a value, or what comes behind it."""
        choice = self._rules.choice(registers, kind, field, values)
        if kind == "node" and field == 1:
            wanted = self._rules.wanted_role(registers).encode()
            if choice.has(wanted) and wanted.startswith(text):
                return wanted[len(text) :]
        return choice.shortest(text) if not text or not choice.has(text) else _behind(kind, field + 1)

    def _rest_of_line(self, registers: Registers, special: bytes | None) -> bytes:
        """The text that ends a line, or makes the end or a role token of it where that is the way."""
        machine = self._machine
        if not special:
            return b"\n"
        lines = [line for line in machine.specials(registers) if is_on_the_way(special, line)]
        standing = [line for line in lines if machine.may_stand(registers, line)]
        content = special.removesuffix(b"\r")
        wanted = self._line(registers).removesuffix(b"\n")
        if content in standing:
            return b"\n"
        if wanted in standing:
            return wanted[len(special) :]
        if content in lines:
            return b"x"
        if machine.has_text(registers, len(special)):
            return b"\n"
        return min(standing, key=len)[len(special) :]


def _behind(kind: str, field: int) -> bytes:
    """The text behind a value and in front of this field."""
    if kind == "prop":
        return b" "
    return b"\n" if may_end_record(kind, (None,) * field) else f" {SHAPES[kind][field].name}=".encode()
