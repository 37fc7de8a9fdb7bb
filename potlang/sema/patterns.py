"""`Matches(s, pattern)`: that the whole string matches a regular expression, said of its characters.

What has fixed places is said by `Substring` and `Length`: characters, classes, groups with alternatives,
counted repetitions, and one repetition without a bound, or any text around a fixed one. Other patterns are
refused.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from potlang.diag import Place
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import Lit, Node
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, STRING, Sort

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator, Visit

_MOST_ROWS = 500
_MOST_CHARACTERS = 300
_LONGEST = 2_000
_SEVERAL = 2
_MOST_TESTS = 20_000
"""Characters that are compared at places, in all rows of a pattern whose repetitions are counted out."""
_HELP = "write `StartsWith`, `EndsWith`, `Contains`, `Length` and `Substring`, joined with `And` and `Or`"
_CLASSES = {
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "_",
    "s": " \t\n\r\f\v",
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


_BOUNDED = "bound all repetitions but one, as in `[a-z]{0,9}[0-9]*`"
_FEWER = "write fewer alternatives or smaller counts; `.*` stands for any text"


class PatternError(ValueError):
    """A pattern that is not read; the message says what is wrong, `at` where, and `help` what to write."""

    def __init__(self, message: str, help: str = "", at: int | None = None) -> None:
        super().__init__(message)
        self.help = help
        self.at = at


class Characters(NamedTuple):
    """One character of a set, or with `negated` one that is not in it."""

    members: frozenset[str]
    negated: bool = False


class Repetition(NamedTuple):
    """Characters that occur so many times; `most` None: any number."""

    characters: Characters
    least: int
    most: int | None


_ANY = Characters(frozenset(), True)
Row = tuple[Repetition, ...]
"""A way to match: items one after the other."""


def matches(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """The formula that a string matches a pattern, which is a literal."""

    def matched(nodes: list[Node]) -> Node | None:
        whole, pattern = nodes
        try:
            if not isinstance(pattern, Lit) or not isinstance(pattern.value, str):
                raise PatternError("the pattern must be written as a string")
            rows = _spread(read_pattern(pattern.value))
            return e.pool.disj([_row(e.pool, whole, row) for row in rows])
        except PatternError as error:
            helps = [error.help, _HELP] if error.help else [_HELP]
            problem = f"the pattern is not read: {error}"
            e.sink.report("POT1020", _place(e, expr.args[1], error.at), problem=problem, helps=helps)
            return None

    return e.gather_fitted(expr.args, (STRING, STRING), matched)


def _place(e: Elaborator, literal: s.Expr, at: int | None) -> Place:
    """From a place in a pattern to its end; all of a literal with escapes, which has other places."""
    whole = e.place(literal)
    if (
        at is None
        or whole.span is None
        or "\\" in e.text_of(literal)
        or not isinstance(literal, s.StringLiteral)
    ):
        return whole
    start, end = whole.span
    return whole._replace(span=(min(start + 1 + at, end - 1), max(end - 1, start + 2)))


# --- reading -------------------------------------------------------------------------------------


def read_pattern(pattern: str) -> list[Row]:
    """The ways to match; raises PatternError."""
    if len(pattern) > _LONGEST:
        raise PatternError("it is too long")
    text = pattern.removeprefix("^")
    text = text[:-1] if text.endswith("$") and not text.endswith("\\$") else text
    reader = _PatternReader(text)
    try:
        rows = reader.rows()
    except PatternError as error:
        if error.at is None:
            error.at = reader.began + pattern.startswith("^")
        raise
    return list(dict.fromkeys(map(_merged, rows)))


class _PatternReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.began = 0
        """Where the part begins that is being read."""

    def rows(self) -> list[Row]:
        """Groups are kept on a list: a pattern may nest deeper than the host's stack goes."""
        stack: list[tuple[list[Row], list[Row]]] = []
        done: list[Row] = []
        here: list[Row] = [()]
        while self._at < len(self._text):
            char = self._text[self._at]
            self.began = self._at
            self._at += 1
            if char == "|":
                done, here = _limited(done + here), [()]
            elif char == "(":
                self._at += 2 if self._text.startswith("?:", self._at) else 0
                if self._text.startswith("?", self._at):
                    raise PatternError("groups have no options")
                stack.append((done, here))
                done, here = [], [()]
            elif char == ")":
                if not stack:
                    raise PatternError("`)` closes no group")
                inside = done + here
                done, here = stack.pop()
                here = _joined(here, self._repeated(inside))
            else:
                here = _joined(here, [(self._item(char),)])
        if stack:
            raise PatternError("`(` is not closed")
        return _limited(done + here)

    def _item(self, char: str) -> Repetition:
        if char == "[":
            characters = self._class()
        elif char == "\\":
            characters = self._escape()
        elif char == ".":
            characters = _ANY
        elif char in "*+?{^$":
            raise PatternError(f"`{char}` repeats nothing here")
        else:
            characters = Characters(frozenset(char))
        least, most = self._count()
        return Repetition(characters, least, most)

    def _escape(self) -> Characters:
        if self._at >= len(self._text):
            raise PatternError("it ends with a backslash")
        char = self._text[self._at]
        self._at += 1
        if char.lower() in _CLASSES:
            return Characters(frozenset(_CLASSES[char.lower()]), char.isupper())
        if char.isalnum() and char not in _ESCAPES:
            raise PatternError(f"`\\{char}` has no meaning here")
        return Characters(frozenset(_ESCAPES.get(char, char)))

    def _class(self) -> Characters:
        close = self._text.find("]", self._at + 1 + self._text.startswith("^", self._at))
        if close < 0:
            raise PatternError("`[` is not closed")
        negated = self._text[self._at] == "^"
        self._at += negated
        members: set[str] = set()
        while self._at < close:
            char = self._text[self._at]
            self._at += 1
            if char == "\\":
                found = self._escape()
                members |= found.members
                continue
            if self._text[self._at : self._at + 1] == "-" and self._at + 1 < close:
                last = self._text[self._at + 1]
                self._at += 2
                if ord(last) - ord(char) > _MOST_CHARACTERS:
                    raise PatternError(f"`{char}-{last}` has too many characters")
                members |= {chr(code) for code in range(ord(char), ord(last) + 1)}
                continue
            members.add(char)
        self._at = close + 1
        return Characters(frozenset(members), negated)

    def _count(self) -> tuple[int, int | None]:
        sign = self._text[self._at : self._at + 1]
        if sign and sign in "*+?":
            self._at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        if sign != "{":
            return 1, 1
        close = self._text.find("}", self._at)
        low, comma, high = self._text[self._at + 1 : max(close, 0)].partition(",")
        if (
            close < 0
            or not (low.isdigit() or (comma and not low))
            or (high and not high.isdigit())
            or len(low + high) > 8
        ):
            raise PatternError("`{` counts nothing")
        self._at = close + 1
        least = int(low or 0)
        most = (int(high) if high else None) if comma else least
        if most is not None and most < least:
            raise PatternError("the counts are in the wrong order")
        return least, most

    def _repeated(self, rows: list[Row]) -> list[Row]:
        """A group as often as its count says; without a bound only where it is one item."""
        least, most = self._count()
        if (least, most) == (1, 1):
            return rows
        if len(rows) == 1 and len(rows[0]) == 1 and rows[0][0][1:] == (1, 1):
            return [(Repetition(rows[0][0].characters, least, most),)]
        if most is None or most > _MOST_ROWS:
            raise PatternError("a group repeats without a bound", "bound the repetition, as in `(ab){0,9}`")
        found: list[Row] = []
        for count in range(least, most + 1):
            ways = len(rows) ** count
            if ways > _MOST_ROWS:
                raise PatternError("it stands for too many texts", _FEWER)
            found += [tuple(item for part in parts for item in part) for parts in product(rows, repeat=count)]
        return _limited(found)


def _joined(left: list[Row], right: list[Row]) -> list[Row]:
    if len(left) * len(right) > _MOST_ROWS:
        raise PatternError("it stands for too many texts", _FEWER)
    return [one + other for one in left for other in right]


def _limited(rows: list[Row]) -> list[Row]:
    if len(rows) > _MOST_ROWS:
        raise PatternError("it stands for too many texts", _FEWER)
    return rows


def _spread(rows: list[Row]) -> list[Row]:
    """Rows with one item at most of which the number is open: those with bounds are counted out."""
    found: list[Row] = []
    waiting = list(reversed(rows))
    while waiting:
        row = waiting.pop()
        loose = [at for at, item in enumerate(row) if item.least != item.most]
        bounded = [at for at in loose if row[at].most is not None]
        if len(loose) < _SEVERAL or not bounded or len(found) + len(waiting) > _MOST_ROWS:
            found.append(row)
            continue
        sizes = {at: (row[at].most or 0) - row[at].least for at in bounded}
        at = min(bounded, key=lambda each: sizes[each])
        if sizes[at] >= _MOST_ROWS:
            raise PatternError("it stands for too many texts", _FEWER)
        item = row[at]
        counts = range((item.most or 0), item.least - 1, -1)
        waiting += [_merged((*row[:at], item._replace(least=n, most=n), *row[at + 1 :])) for n in counts]
    tests = sum(item.least * len(item.characters.members) for row in found for item in row)
    if len(found) > len(rows) and tests > _MOST_TESTS:
        raise PatternError("it stands for too many texts", _FEWER)
    return _limited(list(dict.fromkeys(found)))


def _merged(row: Row) -> Row:
    """Neighbours of the same characters as one item."""
    found: list[Repetition] = []
    for item in row:
        if found and found[-1].characters == item.characters:
            last = found.pop()
            most = None if last.most is None or item.most is None else last.most + item.most
            item = Repetition(item.characters, last.least + item.least, most)
        found.append(item)
    return tuple(found)


# --- formulas ------------------------------------------------------------------------------------


def _row(pool: Pool, whole: Node, row: Row) -> Node:
    length = pool.app(op.STR_LENGTH, (whole,))
    loose = [index for index, item in enumerate(row) if item.least != item.most]
    if len(loose) > 1:
        return _around(pool, whole, row, loose)
    if not loose:
        size, tests = _fixed(pool, whole, row, pool.integer(0))
        return pool.conj([pool.eq(length, pool.integer(size)), *tests])
    (at,) = loose
    item = row[at]
    before, first = _fixed(pool, whole, row[:at], pool.integer(0))
    after = sum(each.least for each in row[at + 1 :])
    _, last = _fixed(pool, whole, row[at + 1 :], pool.app(op.SUB, (length, pool.integer(after))))
    bounds: list[Node] = [pool.app(op.LE, (pool.integer(before + after + item.least), length))]
    if item.most is not None:
        bounds.append(pool.app(op.LE, (length, pool.integer(before + after + item.most))))
    if item.characters != _ANY:
        bounds.append(_all_in(pool, whole, item.characters, before, after))
    return pool.conj([*bounds, *first, *last])


def _around(pool: Pool, whole: Node, row: Row, loose: Sequence[int]) -> Node:
    """`.*abc.*`: a fixed text with anything around it."""
    inside = row[1:-1]
    anything = Repetition(_ANY, 0, None)
    text = "".join(char * item.least for item in inside for char in item.characters.members)
    plain = all(len(item.characters.members) == 1 and not item.characters.negated for item in inside)
    if row[0] != anything or row[-1] != anything or len(loose) != 2 or not plain:
        raise PatternError("it repeats without a bound in several places", _BOUNDED)
    return pool.app(op.STR_CONTAINS, (whole, pool.lit(text, STRING)))


def _fixed(pool: Pool, whole: Node, row: Row, start: Node) -> tuple[int, list[Node]]:
    """How many characters the items take from a place on, and the tests of these."""
    tests: list[Node] = []
    at, literal, begin = 0, "", 0
    for item in (*row, None):
        char = next(iter(item.characters.members)) if item and _is_char(item.characters) else None
        if item is not None and char is not None:
            begin = begin if literal else at
            literal += char * item.least
        elif literal:
            part = pool.app(
                op.STR_SUBSTRING, (whole, _shifted(pool, start, begin), pool.integer(len(literal)))
            )
            tests.append(pool.eq(part, pool.lit(literal, STRING)))
            literal = ""
        if item is not None and char is None and item.characters != _ANY:
            if item.least > _MOST_CHARACTERS:
                raise PatternError("it is too long")
            places = (_shifted(pool, start, at + offset) for offset in range(item.least))
            tests += [_is_in(pool, whole, place, item.characters) for place in places]
        at += 0 if item is None else item.least
    if at > _LONGEST:
        raise PatternError("it is too long")
    return at, tests


def _is_char(characters: Characters) -> bool:
    return len(characters.members) == 1 and not characters.negated


def _shifted(pool: Pool, start: Node, by: int) -> Node:
    if isinstance(start, Lit) and isinstance(start.value, int):
        return pool.integer(start.value + by)
    return pool.app(op.ADD, (start, pool.integer(by))) if by else start


def _is_in(pool: Pool, whole: Node, place: Node, characters: Characters) -> Node:
    if len(characters.members) > _MOST_CHARACTERS:
        raise PatternError("a class has too many characters")
    char = pool.app(op.STR_SUBSTRING, (whole, place, pool.integer(1)))
    found = pool.disj([pool.eq(char, pool.lit(each, STRING)) for each in sorted(characters.members)])
    return pool.negate(found) if characters.negated else found


def _all_in(pool: Pool, whole: Node, characters: Characters, before: int, after: int) -> Node:
    """That all characters but the first `before` and the last `after` are in the class."""
    length = pool.app(op.STR_LENGTH, (whole,))
    if characters == Characters(frozenset(string.digits)):
        size = pool.app(op.SUB, (length, pool.integer(before + after)))
        part = pool.app(op.STR_SUBSTRING, (whole, pool.integer(before), size))
        number = pool.app(op.LE, (pool.integer(0), pool.app(op.STR_TO_INT, (part,))))
        return pool.disj([pool.eq(part, pool.lit("", STRING)), number])
    place = pool.var("place", INT)
    end = pool.app(op.SUB, (length, pool.integer(after)))
    inside = pool.conj([pool.app(op.LE, (pool.integer(before), place)), pool.app(op.LT, (place, end))])
    return pool.quant(
        "forall", (place,), pool.app(op.IMPLIES, (inside, _is_in(pool, whole, place, characters)))
    )
