"""Reads expressions and sorts: the short cut, then the grammar, then the explanation of what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from potlang.expressions.actions import Fault, Reading
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
_OPENING = frozenset(["LPAR", "LSQB", "LBRACE"])
_CLOSING = frozenset(["RPAR", "RSQB", "RBRACE"])


def read_formula(text: str, pointer: str, sink: Sink) -> Formula:
    """The formula that was read at `pointer`; its tree is None after an error, which is in the sink."""
    literal = flat_literal(text, pointer)
    return Formula(pointer, text, parse_expression(text, pointer, sink)) if literal is None else literal


def parse_expression(text: str, pointer: str, sink: Sink) -> Expr | None:
    """The tree of an expression that was read at `pointer`; None after an error, which is in the sink."""
    tree = fast_expression(text)
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


def _parse(text: str, start: str, pointer: str, sink: Sink) -> Any:
    tokens = tokenize(text)
    over = _over_limit(tokens)
    reading = Reading(pointer)
    if over is None:
        stop = parse_tokens(tokens, start, reading)
        if (
            stop.reason == "accepted"
            and not reading.faults
            and not (is_suspect(text) and without_amounts(tokens)[1])
        ):
            return stop.value
        if stop.reason == "too_deep":
            token = tokens[max(stop.index - 1, 0)]
            over = Fault("POT0003", token.start, token.end, {"limit": DEEPEST})
    if over is not None:
        over.report(pointer, sink)
    elif len(text) > _EXPLAINED:
        found = tokens[min(stop.index, len(tokens) - 1)]
        span = (min(found.start, len(text) - 1), max(found.end, found.start + 1))
        sink.report("POT1020", pointer, span=span, problem="the expression does not go on like this")
    elif start == "sort":
        from potlang.expressions.syntax_errors import explain_sort

        explain_sort(text, pointer, reading, sink)
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
