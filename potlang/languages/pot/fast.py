"""A short cut for what most of a large program is made of: nested calls, lists and one comparison.

It reads `f(a, b)`, `f(a) == 3`, `ForAll([x], Implies(p(x), Not(q(x))))` with the grammar's own token
definitions and leaves everything else to the grammar. Where it answers, the grammar gives the same
tree (a property of the tests).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from potlang.languages.surface import Call, Compare, Expr, ListOf, Name, Number

from .actions import OPERATORS
from .tables import tokens

_DEEPEST = 100
_LONG_TEXT = 10_000
_LONG_WORD = re.compile(r"\S{10000}")


@cache
def _pattern() -> re.Pattern[str]:
    """Groups: 1 name, 2 its parenthesis, 3 numeral, 4 `,`, 5 `)`, 6 `[`, 7 `]`, 8 comparison, 9 other."""
    known = tokens().patterns
    name, number, compare, space = (known[key] for key in ("NAME", "NUMBER", "COMPARE", "SPACE"))
    return re.compile(
        rf"(?:({name})(?:{space})?(\()?|({number})|(,)|(\))|(\[)|(\])|({compare})|(.))(?:{space})?",
        re.DOTALL,
    )


def fast_expression(text: str) -> Expr | None:
    """The tree of `text`, or None where `text` is not of the simple kind (it may still be right)."""
    if len(text) > _LONG_TEXT and _LONG_WORD.search(text):
        return None
    keywords = tokens().keywords
    stack: list[tuple[list[Expr], Name | int]] = []
    items: list[Expr] = []
    left: Any = None
    lefts: list[Any] = []
    operator = ""
    value: Any = None
    for match in _pattern().finditer(text):
        kind = match.lastindex
        if kind == 1 or kind == 2:
            word = match[1]
            if value is not None or word in keywords:
                return None
            start = match.start()
            value = Name(word, start, start + len(word))
            if kind == 2:
                if len(stack) > _DEEPEST:
                    return None
                stack.append((items, value))
                lefts.append((left, operator))
                items, left, value = [], None, None
        elif kind == 4 or kind == 5 or kind == 7:
            if value is None or not stack:
                return None
            if left is not None:
                value = Compare([left, value], [operator], left.start, value.end)
                left = None
            items.append(value)
            if kind == 4:
                value = None
                continue
            arguments = items
            items, head = stack.pop()
            left, operator = lefts.pop()
            if kind == 5:
                if type(head) is not Name:
                    return None
                value = Call(head, arguments, head.start, match.start() + 1)
            elif type(head) is int:
                value = ListOf(arguments, head, match.start() + 1)
            else:
                return None
        elif kind == 3:
            word = match[3]
            if value is not None or "e" in word or "E" in word:
                return None
            start = match.start()
            value = Number(word, start, start + len(word))
        elif kind == 6:
            if value is not None or left is not None or not stack or len(stack) > _DEEPEST:
                return None
            stack.append((items, match.start()))
            lefts.append((None, ""))
            items = []
        elif kind == 8:
            if value is None or left is not None or type(value) is ListOf:
                return None
            left, value = value, None
            operator = OPERATORS.get(match[8], match[8])
        else:
            return None
    if stack or value is None:
        return None
    if left is not None:
        return Compare([left, value], [operator], left.start, value.end)
    result: Expr = value
    return result
