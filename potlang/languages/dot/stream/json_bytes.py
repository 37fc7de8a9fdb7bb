"""The JSON of a `@prop` byte by byte: a pushdown automaton of bounded depth.

A `Cursor` is where the text stands: what is expected or half read, and the brackets around it. What
`read.propositions` accepts is accepted, and each byte refused behind which nothing would be.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from potlang.languages.dot.stream import utf8
from potlang.languages.dot.stream.json_shapes import (
    KEYWORDS,
    NAMING,
    OF_A_PROBLEM,
    PROPOSITION,
    SHAPES_OF,
    ListShape,
    ObjectShape,
    StringShape,
    depth_of,
    depth_of_list,
    depth_of_object,
    shortest_of,
)
from potlang.source import DEFAULT_LIMITS, InputLimits

SPACE = frozenset(b" \t\r")
"""White space of JSON; a line feed ends the record."""
_DIGITS = frozenset(b"0123456789")
_HEX = frozenset(b"0123456789abcdefABCDEF")
_ESCAPES = {ord(a): b for a, b in zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True)}
_QUOTE, _BACKSLASH, _COMMA, _COLON = b'"\\,:'
_LIST, _LIST_END, _OBJECT, _OBJECT_END = b"[]{}"
_ZERO, _MINUS, _PLUS, _POINT, _SMALL_E, _LARGE_E = b"0-+.eE"
_BINDERS = SHAPES_OF["binders"].object
UNFINISHED = frozenset(("sign", "point", "e", "sign of exponent"))
"""The parts of a number behind which it needs a digit."""


class ListFrame(NamedTuple):
    """An open list, and how many items it has, counted as far as it matters."""

    shape: ListShape
    items: int

    @property
    def may_go_on(self) -> bool:
        """Whether it may have one item more."""
        return self.shape.more or self.items < len(self.shape.kinds)

    @property
    def next_kind(self) -> str:
        """The kind of its next item."""
        return self.shape.kinds[min(self.items, len(self.shape.kinds) - 1)]


class ObjectFrame(NamedTuple):
    """An open object and its keys."""

    shape: ObjectShape
    keys: frozenset[str]

    def may_go_on(self, room: int) -> bool:
        """Whether it may have one member more, whose value nests at most `room` deep."""
        if self.shape.most is not None and len(self.keys) >= self.shape.most:
            return False
        return self.shape.keys is None or bool(self.open_keys(room))

    @property
    def may_close(self) -> bool:
        """Whether its members suffice."""
        return len(self.keys) >= self.shape.least and self.shape.required <= self.keys

    def open_keys(self, room: int) -> list[str]:
        """The keys that it may still have, of those that are listed."""
        table = self.shape.keys or {}
        return [key for key, kind in table.items() if key not in self.keys and depth_of(kind) <= room]


class Brackets(NamedTuple):
    """The innermost open bracket, those around it, and how many there are.

    `bound`: the variables that are bound here, where names are limited.
    """

    frame: ListFrame | ObjectFrame
    below: Brackets | None
    depth: int
    bound: frozenset[str] = frozenset()


class Expected(NamedTuple):
    """A value of a kind; in a list that has none yet, perhaps its end instead."""

    kind: str
    may_close: bool = False


class ExpectedKey(NamedTuple):
    """A key; in an object that has none yet, perhaps its end instead."""

    may_close: bool = False


class ExpectedColon(NamedTuple):
    """The colon behind a key, and the value of a kind behind that."""

    kind: str


class BehindValue(NamedTuple):
    """A value was read: a comma, or the end of the bracket, or of the text."""


class InString(NamedTuple):
    """A string up to here.

    `text`: of a key, or of one of some names, what it says so far; `among`: these names, if they are limited.
    `length`: its characters, as far as they matter. `part`: the bytes of an escape that is not complete,
    `rest`: of a character. `half`: the first of a pair of surrogates.
    """

    shape: StringShape
    length: int = 0
    text: str | None = None
    part: bytes = b""
    rest: utf8.Partial = utf8.WHOLE
    half: int = 0
    among: frozenset[str] | None = None


class InNumber(NamedTuple):
    """A number up to here: the part at which it is, its characters without the sign, and its digits.

    `figures`: from the first that is not 0 on. `fraction`: behind the point. `exponent`: what it says.
    """

    part: str
    written: int = 0
    figures: int = 0
    fraction: int = 0
    negative: bool = False
    exponent: int = 0


At: TypeAlias = Expected | ExpectedKey | ExpectedColon | BehindValue | InString | InNumber
_READ = BehindValue()


class Cursor(NamedTuple):
    """Where a text stands."""

    at: At
    stack: Brackets | None = None


def start(of_problem: bool) -> Cursor:
    """In front of the JSON of a `@prop`."""
    return Cursor(Expected(OF_A_PROBLEM if of_problem else PROPOSITION))


def is_complete(cursor: Cursor) -> bool:
    """Whether the text is a whole value."""
    return cursor.stack is None and type(cursor.at) is BehindValue


class JsonBytes(NamedTuple):
    """The automaton under limits.

    `names`: those that propositions may use, beside variables that they bind, where these are limited.
    """

    limits: InputLimits = DEFAULT_LIMITS
    names: frozenset[str] | None = None

    def step(self, cursor: Cursor, byte: int) -> Cursor | None:
        """Behind one more byte, which is no line feed; None if nothing that begins so is accepted."""
        at, stack = cursor
        if type(at) is InString:
            return self._string(at, stack, byte)
        if type(at) is InNumber:
            return self._number(at, stack, byte)
        if byte in SPACE:
            return cursor
        if type(at) is BehindValue:
            return self._comma_or_end(stack, byte)
        if type(at) is Expected:
            return self._value(at, stack, byte)
        if type(at) is ExpectedKey:
            return self._key(at, stack, byte)
        assert type(at) is ExpectedColon
        return Cursor(Expected(at.kind), stack) if byte == _COLON else None

    def _room(self, stack: Brackets | None) -> int:
        return self.limits.nesting - (0 if stack is None else stack.depth)

    def _value(self, at: Expected, stack: Brackets | None, byte: int) -> Cursor | None:
        shape = SHAPES_OF[at.kind]
        if byte == _QUOTE:
            if shape.string is None:
                return None
            if self.names is None or at.kind not in NAMING:
                return Cursor(InString(shape.string), stack)
            return Cursor(InString(shape.string, text="", among=self.names_in(stack)), stack)
        if byte == _LIST:
            if shape.list is None or depth_of_list(shape.list) > self._room(stack):
                return None
            inner = self._inside(stack, ListFrame(shape.list, 0))
            return Cursor(Expected(shape.list.kinds[0], shape.list.least == 0), inner)
        if byte == _OBJECT:
            if shape.object is None or depth_of_object(shape.object) > self._room(stack):
                return None
            inner = self._inside(stack, ObjectFrame(shape.object, frozenset()))
            return Cursor(ExpectedKey(shape.object.least == 0), inner)
        if byte == _LIST_END and at.may_close:
            return self._closed(stack)
        if shape.number and (byte == _MINUS or byte in _DIGITS):
            return Cursor(InNumber("sign") if byte == _MINUS else _whole(byte), stack)
        return None

    def _inside(self, stack: Brackets | None, frame: ListFrame | ObjectFrame) -> Brackets:
        if stack is None:
            return Brackets(frame, None, 1)
        return Brackets(frame, stack, stack.depth + 1, stack.bound)

    def names_in(self, stack: Brackets | None) -> frozenset[str]:
        """The names that may be used here, where they are limited."""
        names = self.names or frozenset()
        return names if stack is None else names | stack.bound

    def _comma_or_end(self, stack: Brackets | None, byte: int) -> Cursor | None:
        if stack is None:
            return None
        frame = stack.frame
        if isinstance(frame, ListFrame):
            if byte == _COMMA and frame.may_go_on and depth_of(frame.next_kind) <= self._room(stack):
                return Cursor(Expected(frame.next_kind), stack)
            return self._closed(stack) if byte == _LIST_END and frame.items >= frame.shape.least else None
        if byte == _COMMA and frame.may_go_on(self._room(stack)):
            return Cursor(ExpectedKey(), stack)
        return self._closed(stack) if byte == _OBJECT_END and frame.may_close else None

    def _closed(self, stack: Brackets | None) -> Cursor:
        assert stack is not None
        frame, below = stack.frame, stack.below
        if self.names is not None and below is not None and frame.shape is _BINDERS:
            assert isinstance(frame, ObjectFrame)
            below = below._replace(bound=below.bound | frame.keys)
        return self.behind_value(below)

    def behind_value(self, stack: Brackets | None) -> Cursor:
        """Behind a value."""
        if stack is not None and isinstance(stack.frame, ListFrame):
            frame = stack.frame
            stack = stack._replace(frame=frame._replace(items=min(frame.items + 1, len(frame.shape.kinds))))
        return Cursor(_READ, stack)

    def _key(self, at: ExpectedKey, stack: Brackets | None, byte: int) -> Cursor | None:
        if byte == _QUOTE:
            return Cursor(InString(StringShape(), text=""), stack)
        return self._closed(stack) if byte == _OBJECT_END and at.may_close else None

    # --- strings ---------------------------------------------------------------------------------

    def _string(self, at: InString, stack: Brackets | None, byte: int) -> Cursor | None:
        if at.rest:
            # Only keys and limited names keep what they say, and need the bytes of the character for it.
            part = at.part + bytes((byte,)) if at.text is not None else b""
            rest = utf8.after(at.rest, byte)
            if rest is None or not self._may_begin_character(at, stack, part):
                return None
            if rest:
                return Cursor(at._replace(part=part, rest=rest), stack)
            return self._character(at, stack, part.decode() if at.text is not None else None)
        if at.part:
            return self._escape(at, stack, at.part + bytes((byte,)))
        if at.half:
            return Cursor(at._replace(part=b"\\"), stack) if byte == _BACKSLASH else None
        if byte == _QUOTE:
            return self._end_of_string(at, stack)
        if byte < 0x20 or at.length == at.shape.most:
            return None
        if byte == _BACKSLASH:
            return Cursor(at._replace(part=b"\\"), stack) if self._next_characters(at, stack) != "" else None
        rest = utf8.after(utf8.WHOLE, byte)
        if rest is None:
            return None
        if not rest:
            return self._character(at, stack, chr(byte) if at.text is not None else None)
        if not self._may_begin_character(at, stack, bytes((byte,))):
            return None
        return Cursor(at._replace(part=bytes((byte,)) if at.text is not None else b"", rest=rest), stack)

    def _may_begin_character(self, at: InString, stack: Brackets | None, part: bytes) -> bool:
        """Whether a character that may follow begins with these bytes."""
        among = self._next_characters(at, stack)
        return among is None or any(each.encode().startswith(part) for each in among)

    def _next_characters(self, at: InString, stack: Brackets | None) -> str | None:
        """The characters that a key or a limited name may go on with; None if any."""
        if at.text is None:
            return None
        if at.among is not None:
            return "".join(sorted({each[len(at.text)] for each in _beginning(at.among, at.text)}))
        assert stack is not None and isinstance(stack.frame, ObjectFrame)
        frame = stack.frame
        if frame.shape.keys is None:
            return None
        size = len(at.text)
        keys = frame.open_keys(self._room(stack))
        return "".join({key[size] for key in keys if len(key) > size and key.startswith(at.text)})

    def _escape(self, at: InString, stack: Brackets | None, part: bytes) -> Cursor | None:
        if len(part) == 2:
            if part == b"\\u":
                return Cursor(at._replace(part=part), stack)
            character = _ESCAPES.get(part[1])
            return None if character is None or at.half else self._character(at, stack, character)
        digits = part[2:].lower()
        if part[-1] not in _HEX or not self._may_be_escaped(at, stack, digits):
            return None
        if len(digits) < 4:
            return Cursor(at._replace(part=part), stack)
        code = int(digits, 16)
        if at.half:
            code = 0x10000 + ((at.half - 0xD800) << 10) + (code - 0xDC00)
        elif 0xD800 <= code < 0xDC00:
            return Cursor(at._replace(part=b"", half=code), stack)
        return self._character(at, stack, chr(code))

    def _may_be_escaped(self, at: InString, stack: Brackets | None, digits: bytes) -> bool:
        """Whether an escape may begin with these digits: pairs of surrogates are whole, keys known."""
        is_low = digits[0] == ord("d") and (len(digits) == 1 or digits[1] in b"cdef")
        if at.half:
            among = self._next_characters(at, stack)
            return is_low and (
                among is None or any(code.startswith(digits) for code in _codes(among, at.half))
            )
        if is_low and len(digits) > 1:
            return False
        among = self._next_characters(at, stack)
        return among is None or any(code.startswith(digits) for code in _codes(among, 0))

    def _character(self, at: InString, stack: Brackets | None, character: str | None) -> Cursor | None:
        """Behind one character more, which is needed of keys alone."""
        length = 1 if at.shape.most is None else at.length + 1
        if at.text is None:
            return Cursor(InString(at.shape, length), stack)
        if at.among is not None:
            assert character is not None
            text = at.text + character
            is_on_the_way = any(each.startswith(text) for each in at.among)
            return Cursor(InString(at.shape, length, text, among=at.among), stack) if is_on_the_way else None
        among = self._next_characters(at, stack)
        assert character is not None
        if among is not None and character not in among:
            return None
        text = at.text + character
        if length == at.shape.most and self._is_repeated(text, stack):
            return None
        return Cursor(InString(at.shape, length, text), stack)

    def _is_repeated(self, key: str, stack: Brackets | None) -> bool:
        return stack is not None and isinstance(stack.frame, ObjectFrame) and key in self.taken(stack.frame)

    def taken(self, frame: ObjectFrame) -> frozenset[str]:
        """The keys that an object may not have: those that it has, and keywords where names are limited."""
        if self.names is None or frame.shape.keys is not None:
            return frame.keys
        return frame.keys | KEYWORDS

    def _end_of_string(self, at: InString, stack: Brackets | None) -> Cursor | None:
        if at.length == 0:
            return None
        if at.text is None:
            return self.behind_value(stack)
        if at.among is not None:
            return self.behind_value(stack) if at.text in at.among else None
        assert stack is not None and isinstance(stack.frame, ObjectFrame)
        frame, key = stack.frame, at.text
        if key in self.taken(frame):
            return None
        shape = frame.shape
        kind = shape.value
        if shape.keys is not None:
            if key not in frame.open_keys(self._room(stack)):
                return None
            kind = shape.keys[key]
        if shape.other is not None and key in (shape.other.keys or ()):
            shape = shape.other
        inner = stack._replace(frame=ObjectFrame(shape, frame.keys | {key}))
        return Cursor(ExpectedColon(kind), inner)

    # --- numbers ---------------------------------------------------------------------------------

    def _number(self, at: InNumber, stack: Brackets | None, byte: int) -> Cursor | None:
        more = longer(at, byte)
        if more is not None:
            return Cursor(more, stack) if self._fits(more) else None
        return None if at.part in UNFINISHED else self.step(self.behind_value(stack), byte)

    def _fits(self, at: InNumber) -> bool:
        """Whether some number that begins so has no more digits than are allowed (`digits_of`)."""
        most, written = self.limits.digits, at.written + (at.part in UNFINISHED)
        if at.part in ("e", "sign of exponent", "exponent"):
            figures = max(at.figures, 1)
            exponent = (-at.exponent if at.negative else at.exponent) - at.fraction
            return max(written, figures, figures + exponent, 1 - exponent) <= most
        return written - (at.part in ("point", "decimals")) <= most

    # --- the shortest end ------------------------------------------------------------------------

    def closing(self, cursor: Cursor) -> bytes:
        """Bytes that complete the value, few of them."""
        found = b""
        here: Cursor | None = cursor
        while here is not None and not is_complete(here):
            more = self._towards_end(here)
            found += more
            for byte in more:
                here = None if here is None else self.step(here, byte)
        assert here is not None
        return found

    def _towards_end(self, cursor: Cursor) -> bytes:
        """Some of the bytes that complete the value."""
        at, stack = cursor
        match at:
            case InString():
                return self._rest_of_string(at, stack)
            case InNumber():
                return b"0" if at.part in UNFINISHED else self._towards_end(self.behind_value(stack))
            case ExpectedColon():
                return b":"
            case Expected():
                return b"]" if at.may_close else self._shortest(at, stack)
            case ExpectedKey():
                return b"}" if at.may_close else b'"'
        assert stack is not None
        if isinstance(stack.frame, ListFrame):
            return b"]" if stack.frame.items >= stack.frame.shape.least else b","
        return b"}" if stack.frame.may_close else b","

    def _shortest(self, at: Expected, stack: Brackets | None) -> bytes:
        """A short value of a kind."""
        if self.names is None or at.kind == "term":
            return shortest_of(at.kind)
        if at.kind in NAMING:
            return b'"%b"' % _shortest_of_names(self.names_in(stack))
        # Names may stand in the items of a list: they are looked for where they stand.
        return b"[" if SHAPES_OF[at.kind].list else shortest_of(at.kind)

    def _rest_of_name(self, at: InString, among: frozenset[str]) -> bytes:
        """The bytes that make a name of those that are allowed."""
        assert at.text is not None
        begun = _beginning(among, at.text)
        if at.rest:
            rests = (each[len(at.text)].encode() for each in begun)
            return min(rest[len(at.part) :] for rest in rests if rest.startswith(at.part))
        if at.part or at.half:
            wanted = _codes((each[len(at.text)] for each in begun), at.half)
            digits = at.part[2:].lower()
            code = min(code for code in wanted if code.startswith(digits))
            return (b"\\u" + code)[len(at.part) :]
        if at.text in among:
            return b'"'
        return _shortest_of_names(each[len(at.text) :] for each in begun) + b'"'

    def _rest_of_string(self, at: InString, stack: Brackets | None) -> bytes:
        if at.among is not None:
            return self._rest_of_name(at, at.among)
        if at.rest:
            return utf8.completing(at.rest)
        digits = at.part[2:].lower()
        if at.half:
            low = digits + b"dc00"[len(digits) :] if len(digits) < 2 else digits.ljust(4, b"0")
            return (b"\\u" + low)[len(at.part) :]
        among = self._next_characters(at, stack)
        if at.part:
            codes = [b"%04x" % ord(each) for each in among or ""]
            fitting = [code for code in codes if code.startswith(digits)]
            code = min(fitting) if fitting else digits.ljust(4, b"0")
            return (b"\\u" + code)[len(at.part) :]
        if among is not None:
            assert at.text is not None and stack is not None and isinstance(stack.frame, ObjectFrame)
            keys = stack.frame.open_keys(self._room(stack))
            rest = min((key for key in keys if key.startswith(at.text)), key=len)[len(at.text) :]
            return rest.encode() + b'"'
        is_whole = at.length > 0 and (at.text is None or not self._is_repeated(at.text, stack))
        return b'"' if is_whole else b"x"


def _beginning(names: frozenset[str], text: str) -> list[str]:
    """The names that begin with a text and go on."""
    return [each for each in names if len(each) > len(text) and each.startswith(text)]


def _shortest_of_names(names: Iterable[str]) -> bytes:
    """The shortest of some names as a string of JSON has it; variables may have any characters."""
    written = (json.dumps(each, ensure_ascii=False)[1:-1].encode() for each in names)
    return min(written, key=lambda each: (len(each), each))


def _codes(characters: Iterable[str], half: int) -> list[bytes]:
    """The digits of the escapes with which characters begin, or that follow the first of a pair."""
    found = []
    for each in characters:
        units = each.encode("utf-16-be").hex().encode()
        if not half:
            found.append(units[:4])
        elif len(units) == 8 and int(units[:4], 16) == half:
            found.append(units[4:])
    return found


def _whole(digit: int) -> InNumber:
    """A number of one digit."""
    return InNumber("zero", 1) if digit == _ZERO else InNumber("whole", 1, 1)


def longer(at: InNumber, byte: int) -> InNumber | None:
    """A number with one byte more; None where that is none."""
    part, written, figures, fraction, _, exponent = at
    written += 1
    if byte in _DIGITS:
        figures += bool(figures or byte != _ZERO)
        match part:
            case "sign":
                return _whole(byte)
            case "whole":
                return InNumber(part, written, figures)
            case "point" | "decimals":
                return InNumber("decimals", written, figures, fraction + 1)
            case "e" | "sign of exponent" | "exponent":
                return at._replace(part="exponent", written=written, exponent=exponent * 10 + byte - _ZERO)
    elif byte == _POINT and part in ("zero", "whole"):
        return InNumber("point", written, figures)
    elif byte in (_SMALL_E, _LARGE_E) and part in ("zero", "whole", "decimals"):
        return at._replace(part="e", written=written)
    elif byte in (_PLUS, _MINUS) and part == "e":
        return at._replace(part="sign of exponent", written=written, negative=byte == _MINUS)
    return None
