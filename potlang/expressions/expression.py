"""Reads expressions and sorts: the short cut, then the grammar, then the explanation of what is wrong."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from potlang.expressions.actions import Fault, StringReading
from potlang.expressions.amounts import is_suspect, without_amounts
from potlang.expressions.fast import fast_expression
from potlang.expressions.flat import flat_literal
from potlang.expressions.names import is_plain_sort, name_of
from potlang.expressions.parser import DEEPEST, parse_tokens
from potlang.expressions.surface import Expr, Formula, SortExpr
from potlang.expressions.tables import Token, tokenize

if TYPE_CHECKING:
    from potlang.diag.sink import Sink

LONGEST_NAME = 10_000
LONGEST_NUMERAL = 10_000
_EXPLAINED = 200_000
"""Characters up to which an expression with a mistake is read again for what is wrong."""
_REMEMBERED = 1_000
"""Characters of an expression whose tree is remembered."""
_OPENING = frozenset(["LPAR", "LSQB", "LBRACE"])
_CLOSING = frozenset(["RPAR", "RSQB", "RBRACE"])


# A repair is tried by compiling the program again, in which all formulas but one are what they were.
_fast = lru_cache(maxsize=512)(fast_expression)


def read_formula(text: str, pointer: str, sink: Sink) -> Formula:
    """The formula that was read at `pointer`; its tree is None after an error, which is in the sink."""
    literal = flat_literal(text, pointer)
    return Formula(pointer, text, parse_expression(text, pointer, sink)) if literal is None else literal


def parse_expression(text: str, pointer: str, sink: Sink) -> Expr | None:
    """The tree of an expression that was read at `pointer`; None after an error, which is in the sink."""
    tree = _fast(text) if len(text) <= _REMEMBERED else fast_expression(text)
    return tree if tree is not None else _parse(text, "expression", pointer, sink)


def parse_sort(text: str, pointer: str, sink: Sink) -> SortExpr | None:
    """The tree of a sort that was read at `pointer`; None after an error, which is in the sink.

    A text without brackets is a name, whatever characters it has: `Person`, `hard hat`.
    """
    if text.isidentifier() and len(text) <= LONGEST_NAME:
        return SortExpr(text, [], pointer, 0, len(text))
    if is_plain_sort(text):
        start = len(text) - len(text.lstrip())
        name = text.strip()
        if len(name) > LONGEST_NAME:
            sink.report("POT0007", pointer, length=len(name), limit=LONGEST_NAME)
            return None
        return SortExpr(name, [], pointer, start, start + len(name))
    sort: SortExpr | None = _parse(text, "sort", pointer, sink)
    return sort


class _Parsed(NamedTuple):
    """The `value` of a text by the grammar; else `over`, a limit, or where it `stopped`."""

    reading: StringReading
    value: Any = None
    over: Fault | None = None
    stopped: tuple[int, int] = (0, 0)


def _parsed(text: str, start: str, pointer: str) -> _Parsed:
    tokens = tokenize(text)
    reading = StringReading(pointer)
    over = _over_limit(tokens)
    if over is not None:
        return _Parsed(reading, over=over)
    stop = parse_tokens(tokens, start, reading)
    is_read = stop.reason == "accepted" and not reading.faults
    if is_read and not (is_suspect(text) and without_amounts(tokens)[1]):
        return _Parsed(reading, stop.value)
    if stop.reason == "too_deep":
        token = tokens[max(stop.index - 1, 0)]
        return _Parsed(reading, over=Fault("POT0003", token.start, token.end, {"limit": DEEPEST}))
    found = tokens[min(stop.index, len(tokens) - 1)]
    return _Parsed(reading, stopped=(found.start, found.end))


_remembered = lru_cache(maxsize=512)(_parsed)


def _parse(text: str, start: str, pointer: str, sink: Sink) -> Any:
    found = (_remembered if len(text) <= _REMEMBERED else _parsed)(text, start, pointer)
    if found.value is not None:
        return found.value
    if found.over is not None:
        found.over.report(pointer, sink)
    elif len(text) > _EXPLAINED:
        first, end = found.stopped
        span = (min(first, len(text) - 1), max(end, first + 1))
        sink.report("POT1020", pointer, span=span, problem="the expression does not go on like this")
    elif start == "sort":
        from potlang.expressions.syntax_errors import explain_sort

        explain_sort(text, pointer, found.reading, sink)
    else:
        from potlang.expressions.syntax_errors import explain_expression

        explain_expression(text, pointer, sink)
    return None


def _over_limit(tokens: list[Token]) -> Fault | None:
    """The first token that breaks a limit: brackets too deep, a numeral or a name too long."""
    depth = 0
    for kind, text, start, end in tokens:
        if kind in _OPENING:
            depth += 1
            if depth > DEEPEST:
                return Fault("POT0003", start, end, {"limit": DEEPEST})
        elif kind in _CLOSING:
            depth -= 1
        elif kind == "NUMBER":
            digits = _numeral_digits(text)
            if digits > LONGEST_NUMERAL:
                return Fault("POT0004", start, end, {"digits": digits, "limit": LONGEST_NUMERAL})
        elif end - start > LONGEST_NAME and kind in ("NAME", "QUOTED"):
            length = len(name_of(text))
            if length > LONGEST_NAME:
                return Fault("POT0007", start, end, {"length": length, "limit": LONGEST_NAME})
    return None


def _numeral_digits(text: str) -> int:
    """How many digits a numeral has when it is written out without an exponent."""
    mantissa, _, exponent = text.lower().partition("e")
    if not exponent:
        return len(text)
    size = exponent.lstrip("+-").lstrip("0") or "0"
    return len(mantissa) + (int(size) if len(size) < 10 else 10**9)
