"""The diagnostic of the first byte that nothing saves: a code of the reader's with its fields."""

from __future__ import annotations

from typing import Any, NamedTuple

from potlang.languages.dot.read.shapes import LONGEST_NUMBER, SHAPES, form
from potlang.languages.dot.stream import utf8
from potlang.languages.dot.stream.explain_json import json_violation
from potlang.languages.dot.stream.ids import shortest
from potlang.languages.dot.stream.machine import (
    OPENINGS,
    BlankLine,
    ByteOrderMark,
    CarriageReturn,
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
    fence_size,
)
from potlang.languages.dot.stream.registers import PROPOSER, Admission, Registers, Value, WordChoice

_WORDS = {"text": "text", "fence": "a fence", "blank": "a blank line", "end": "the end"}
_DIGITS = frozenset(b"0123456789")
_BREAK = frozenset(b" \t\r\n=")
_FENCE = "@len=N@@"


class Violation(NamedTuple):
    """The code of a diagnostic, and the fields of its headline."""

    code: str
    fields: dict[str, Any]


def violation_at(machine: TraceMachine, state: TraceState, byte: int) -> Violation:
    """Why no well-formed trace has this byte behind the state."""
    if state.size >= machine.limits.bytes:
        return _found("POT0002", limit=machine.limits.bytes)
    return _Explanation(machine.rules, machine, state.registers).of(state, byte)


def _found(code: str, **fields: Any) -> Violation:
    return Violation(code, fields)


class _Explanation(NamedTuple):
    rules: Admission
    machine: TraceMachine
    registers: Registers

    def of(self, state: TraceState, byte: int) -> Violation:
        registers, place, size = state
        one = bytes((byte,))
        match place:
            case LineStart():
                return self._keyword(b"", one) if one == b"@" else self._line_start(one)
            case Keyword(text):
                return self._keyword(text, one)
            case TextLine(rest, _, _):
                if (one == b"\n" and rest) or (one != b"\n" and utf8.after(rest, byte) is None):
                    return _found("POT5005", what="the text")
                return self._no_text(place)
            case BlankLine():
                return _found("POT5010", what="text")
            case ByteOrderMark():
                return _found("POT5007", what="text")
            case FieldName(kind, values, text):
                return self._field_name(kind, values, text + one)
            case FieldValue(kind, values, text):
                return self._field_value(kind, values, text, one)
            case RecordEnd(kind, _) | CarriageReturn(kind, _):
                if kind == "fence":
                    return _found("POT5004", length="N")
                return _malformed(kind, "nothing follows here")
            case Proposition(_, cursor, fresh):
                if fresh and one in (b"\n", b"\r"):
                    return _malformed("prop", "the JSON is missing")
                of_problem = registers.role == "problem"
                return Violation(*json_violation(self.machine.json, cursor, byte, registers.role, of_problem))
            case FenceLength(text, closed):
                return self._length(text + one, size, is_digit=byte in _DIGITS and not closed)
        assert isinstance(place, FenceBytes)
        return _found("POT5005", what="the fence") if place.left else _found("POT5004", length="N")

    # --- lines -----------------------------------------------------------------------------------

    def _line_start(self, one: bytes) -> Violation:
        registers = self.registers
        if registers.ended:
            return _found("POT5010", what="text")
        if registers.opening is not None:
            return _no_token(registers.opening)
        if not registers.previous:
            return _found("POT5007", what="a blank line" if one == b"\n" else "text")
        if one != b"\n" and utf8.after(utf8.WHOLE, one[0]) is None:
            return _found("POT5005", what="the text")
        return self._over_text()

    def _no_text(self, place: TextLine) -> Violation:
        if not self.registers.previous:
            return _found("POT5007", what="text")
        special = (place.special or b"").removesuffix(b"\r")
        if special.startswith(b"<") and special.endswith(b">"):
            return self._no_record("node")
        return self._over_text()

    def _over_text(self) -> Violation:
        return _found("POT5013", what="text", budget=self.rules.budgets.text)

    def _keyword(self, text: bytes, one: bytes) -> Violation:
        longer = text + one
        kinds = [kind for opening, kind in OPENINGS.items() if opening.startswith(longer)]
        if kinds:
            return self._no_record(kinds[0])
        if text.startswith(b"@@len"):
            return _malformed(_FENCE, "not the opening of a fence")
        word, space, _ = text.partition(b" ")
        kind = word[1:].decode("ascii", "replace")
        if kind in SHAPES and (space or one[0] in _BREAK):
            return _malformed(kind, f"expected `{SHAPES[kind][0].name}=`")
        return _found("POT5001", word=longer.decode("utf-8", "replace"))

    def _no_record(self, kind: str) -> Violation:
        """Why no record of a kind may begin here."""
        registers, rules, token = self.registers, self.rules, kind.upper()
        shown = "a fence" if kind == "fence" else f"`@{kind}`"
        if registers.opening is not None or (registers.tokens and kind == "node"):
            return _no_token(registers.opening)
        if not registers.previous:
            return _found("POT5007", what=shown)
        if registers.ended:
            return _found("POT5010", what=shown)
        if kind == "coeq" and rules.profile == "strict":
            return _found("POT5012", what=shown)
        if not rules.is_in_order(registers, token):
            if kind in registers.in_block and kind in ("status", "prop"):
                return _found("POT5009", kind=f"@{kind}")
            previous = _WORDS.get(registers.previous, f"`@{registers.previous}`")
            return _found("POT5008", kind=shown.strip("`"), previous=previous)
        if not rules.has_budget(registers, token):
            return self._over_records(kind)
        if kind == "fence":
            return self._over_text()
        if kind == "edge" and registers.role == "problem":
            return _found("POT5024", kind="use", src="problem", dst="problem")
        return self._value(kind, SHAPES[kind][0].name, b"")

    def _over_records(self, kind: str) -> Violation:
        most, ids = self.rules.budgets.records, self.rules.budgets.ids
        if ids is not None and (most is None or (kind == "node" and self.registers.counted < most)):
            return _found("POT5013", what="ids", budget=ids)
        return _found("POT5011", budget=most)

    # --- fields ----------------------------------------------------------------------------------

    def _field_name(self, kind: str, values: tuple[Value, ...], longer: bytes) -> Violation:
        rest = SHAPES[kind][len(values) :]
        for field in rest:
            if f" {field.name}=".encode().startswith(longer):
                if field.name == "rank":
                    return _found("POT5012", what="`rank=`")
                return self._value(kind, field.name, b"")
            if not field.optional:
                break
        return _malformed(kind, f"expected `{rest[0].name}=`" if rest else "nothing follows here")

    def _field_value(self, kind: str, values: tuple[Value, ...], text: bytes, one: bytes) -> Violation:
        field, longer = SHAPES[kind][len(values)], text + one
        choice = self.rules.choice(self.registers, kind, len(values), values)
        if isinstance(choice, WordChoice):
            fitting = [word for word in field.words if word.encode().startswith(longer)]
            return (
                self._word(kind, values, fitting[0]) if fitting else _malformed(kind, f"write `{form(kind)}`")
            )
        if one[0] in _DIGITS:
            if text == b"0":
                return _malformed(kind, f"`{field.name}` has a leading zero")
            if len(text) == LONGEST_NUMBER:
                return _found("POT0004", digits=LONGEST_NUMBER + 1, limit=LONGEST_NUMBER)
            return self._value(kind, field.name, longer)
        if not text:
            return _malformed(kind, f"`{field.name}` is a number")
        if choice.has(text):
            return _malformed(kind, f"write `{form(kind)}`")
        return self._value(kind, field.name, text, is_whole=True)

    def _word(self, kind: str, values: tuple[Value, ...], word: str) -> Violation:
        registers = self.registers
        if kind == "node":
            return _no_token(registers.opening)
        if registers.role == "critic":
            return _found("POT5025", kind=word)
        source = self.rules.role_of(registers, values[0] or b"")
        return _found("POT5024", kind=word, src=source, dst=registers.role)

    def _value(self, kind: str, field: str, digits: bytes, *, is_whole: bool = False) -> Violation:
        """Why no admissible number begins with, or is, these digits."""
        registers = self.registers
        current = registers.last
        if kind == "node":
            most = self.rules.budgets.ids
            if most is not None and (not digits or int(digits) > most):
                return _found("POT5013", what="ids", budget=most)
            return _found("POT5020", id=digits.decode(), last=current)
        if field == "dst" and kind == "edge":
            return _found("POT5022", dst=digits.decode(), current=current)
        if kind == "prop":
            return _found("POT5040", id=digits.decode(), current=current)
        id_ = digits if is_whole else self._some_node(digits)
        role = None if id_ is None else self.rules.role_of(registers, id_)
        if id_ is None or role is None:
            return _found("POT5021", field=field, id=digits.decode())
        return self._of_role(kind, field, id_.decode(), role)

    def _some_node(self, digits: bytes) -> bytes | None:
        """A node whose id begins so, not the one of the block if there is another."""
        # What is said of a proposer is what most likely was meant.
        by_role = self.registers.by_role
        for ids in (by_role[PROPOSER], *by_role):
            rest = shortest(ids, digits)
            if rest is not None and digits + rest != b"%d" % self.registers.last:
                return digits + rest
        current = b"%d" % self.registers.last
        return current if current.startswith(digits) else None

    def _of_role(self, kind: str, field: str, id_: str, role: str) -> Violation:
        registers = self.registers
        match kind, field:
            case "edge", _ if int(id_) == registers.last:
                return _found("POT5023", src=id_, dst=id_)
            case "edge", _ if role == "proposer" and registers.role == "summarizer":
                return _found("POT5026", id=id_, state=self._state(id_))
            case "edge", _:
                word = "critique" if registers.role == "critic" else "use"
                return _found("POT5024", kind=word, src=role, dst=registers.role)
            case "status", "target" if role == "proposer":
                return _found("POT5031", id=id_, mark=self._state(id_))
            case "status", _:
                return _found("POT5030", id=id_, role=role)
            case _, "witness":
                return _found("POT5033", id=id_, role=role)
        return _found("POT5032", kind=kind, id=id_, role=role)

    def _state(self, id_: str) -> str:
        digits = id_.encode()
        if shortest(self.registers.active, digits) == b"":
            return "active"
        return "validated" if shortest(self.registers.validated, digits) == b"" else "invalidated"

    # --- fences ----------------------------------------------------------------------------------

    def _length(self, longer: bytes, size: int, *, is_digit: bool) -> Violation:
        if not is_digit or longer.startswith(b"0"):
            return _malformed(_FENCE, "not the opening of a fence")
        if len(longer) > LONGEST_NUMBER:
            return _found("POT0004", digits=len(longer), limit=LONGEST_NUMBER)
        length = int(longer)
        if not self.rules.has_room(self.registers, fence_size(length)):
            return self._over_text()
        left = self.machine.limits.bytes - size - len(b"0@@")
        return _found("POT5003", length=longer.decode(), left=max(left, 0))


def _no_token(opening: str | None) -> Violation:
    if opening is None:
        return _found("POT5052", problem="there is no role token above the `@node`")
    return _found("POT5052", problem=f"below `<{opening}>` stands no `@node` with its role")


def _malformed(kind: str, problem: str) -> Violation:
    return _found("POT5002", kind=kind, problem=problem)
