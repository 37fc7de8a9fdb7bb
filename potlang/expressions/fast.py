"""A short cut for what most of a large program is made of: nested calls, lists, sums and one comparison.

It reads `f(a, b)`, `f(a) == g(b) + 3`, `ForAll([x], Implies(p(x), Not(q(x))))` with the grammar's own
token definitions and leaves everything else to the grammar. Where it answers, the grammar gives the
same tree (a property of the tests).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from potlang.expressions.actions import OPERATORS
from potlang.expressions.surface import Call, Compare, Expr, FlatCall, Infix, ListOf, Name, Number
from potlang.expressions.tables import tokens

_DEEPEST = 100
_LONG_TEXT = 10_000
_LONG_WORD = 10_000


@cache
def plain_name() -> str:
    """The pattern of a name without backquotes."""
    known = tokens()
    return rf"(?>(?!(?:{'|'.join(known.keywords)})\b){known.patterns['NAME']})"


@cache
def plain_names() -> str:
    """The pattern of names with commas, and a blank at most, between them."""
    return rf"{plain_name()}(?:, ?{plain_name()})*+"


@cache
def _pattern() -> re.Pattern[str]:
    """A token, but `f(a, b)` as a whole.

    Groups: 1 `,`, 2 `)`, 3 `]`, 4 a name, 5 the names in parentheses behind it or 6 their opening alone,
    7 numeral, 8 `[`, 9 comparison, 10 plus or minus, 11 other.
    """
    known = tokens().patterns
    number, compare, space = (known[key] for key in ("NUMBER", "COMPARE", "SPACE"))
    applied = rf"({plain_name()})(?:\(({plain_names()})\)|(?:{space})?(\()?)"
    sign = rf"({known['PLUS']}|(?!{known['IMPLIES']}){known['MINUS']})"
    token = rf"(,)|(\))|(\])|{applied}|({number})|(\[)|({compare})|{sign}|(.)"
    return re.compile(rf"(?:{token})(?:{space})?", re.DOTALL)


_Open = tuple[Any, str] | None
"""An operator whose right operand is being read: the left operand and the operator."""


def fast_expression(text: str) -> Expr | None:
    """The tree of `text`, or None where `text` is not of the simple kind (it may still be right)."""
    # A name or numeral beyond its limit is reported by the ordinary way.
    if len(text) > _LONG_TEXT and max(map(len, text.split()), default=0) >= _LONG_WORD:
        return None
    stack: list[tuple[list[Expr], Name | int, _Open, _Open]] = []
    items: list[Expr] = []
    comparison: _Open = None
    total: _Open = None
    signs = 0
    value: Any = None
    for match in _pattern().finditer(text):
        kind = match.lastindex or 0
        if kind <= 3:
            if value is None or not stack:
                return None
            # Operators bind at a closing bracket or comma: the sum first, then the one comparison.
            if total is not None:
                value, total = _sum(total, value), None
            if comparison is not None:
                value, comparison = _compare(comparison, value), None
            items.append(value)
            if kind == 1:
                value = None
                continue
            arguments = items
            items, head, comparison, total = stack.pop()
            if kind == 2:
                if type(head) is not Name:
                    return None
                value = Call(head, arguments, head.start, match.start() + 1)
            elif type(head) is int:
                value = ListOf(arguments, head, match.start() + 1)
            else:
                return None
        elif kind == 9:
            # A second comparison would be a chain, which the grammar reads differently.
            if value is None or comparison is not None or type(value) is ListOf:
                return None
            if total is not None:
                value, total = _sum(total, value), None
            comparison, value = (value, match[9]), None
        elif kind == 10:
            signs += 1
            if value is None or type(value) is ListOf or signs > _DEEPEST:
                return None
            if total is not None:
                value = _sum(total, value)
            total, value = (value, match[10]), None
        elif value is not None:
            return None
        elif kind == 5:
            value = FlatCall(match[4], match[5], match.start(), match.end(5) + 1)
        elif kind <= 6:
            start, end = match.span(4)
            name = Name(match[4], start, end)
            if kind == 4:
                value = name
                continue
            if len(stack) > _DEEPEST:
                return None
            stack.append((items, name, comparison, total))
            items, comparison, total = [], None, None
        elif kind == 7:
            word = match[7]
            # Exponents may be beyond the limit of digits, which is reported elsewhere.
            if "e" in word or "E" in word:
                return None
            start = match.start()
            # `2025-01-20` and `25,000` without blanks are no arithmetic and no arguments: the ordinary way
            # looks at them.
            close = start > 1 and text[start - 1] in "-," and text[start - 2].isdigit()
            if close and (text[start - 1] == "-" or len(word) >= 3):
                return None
            value = Number(word, start, start + len(word))
        elif kind == 8:
            if comparison is not None or total is not None or not stack or len(stack) > _DEEPEST:
                return None
            stack.append((items, match.start(), None, None))
            items = []
        else:
            return None
    if stack or value is None:
        return None
    if total is not None:
        value = _sum(total, value)
    result: Expr = value if comparison is None else _compare(comparison, value)
    return result


def _sum(total: tuple[Any, str], value: Any) -> Infix:
    """The sum with its right operand, which may be one more of a run of `+`."""
    left, sign = total
    if sign == "+" and type(left) is Infix and left.op == "+":
        left.args.append(value)
        left.end = value.end
        return left
    return Infix(sign, [left, value], left.start, value.end)


def _compare(comparison: tuple[Any, str], value: Any) -> Compare:
    left, operator = comparison
    return Compare([left, value], [OPERATORS.get(operator, operator)], left.start, value.end)
