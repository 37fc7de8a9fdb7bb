"""Rules taken apart, as nested lists of the words of the textual IR: [EXC-PARTS], [EXC-UNLESS]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Expression = str | list["Expression"]
"""A word, or what stands between parentheses."""

_WORD = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')


class Parts(NamedTuple):
    """A formula, taken apart: for all `variables`, if all `conditions`, then `conclusion`."""

    variables: list[str]
    conditions: list[Expression]
    conclusion: Expression


def parsed(text: str) -> Expression:
    """The nested lists of one term."""
    stack: list[list[Expression]] = [[]]
    for word in _WORD.findall(text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0][0]


def written(expression: Expression) -> str:
    """The text of nested lists."""
    if isinstance(expression, str):
        return expression
    return f"({' '.join(map(written, expression))})"


def taken_apart(formula: Expression) -> Parts:
    """Through universal quantifiers and implications, from the outside."""
    found = Parts([], [], formula)
    while isinstance(formula, list) and formula[0] in ("forall", "=>"):
        if formula[0] == "forall":
            found.variables.extend(map(written, formula[1]))
        else:
            found.conditions.append(formula[1])
        formula = formula[2]
    return found._replace(conclusion=formula)


def excepted(text: str, exceptions: Iterable[str]) -> str:
    """The formula of a rule with these exceptions."""
    parts = taken_apart(parsed(text))
    conditions = [*parts.conditions, *(["not", parsed(each)] for each in exceptions)]
    body: Expression = ["=>", conjunction(conditions), parts.conclusion]
    return written(["forall", list(parts.variables), body] if parts.variables else body)


def conjunction(parts: Sequence[Expression]) -> Expression:
    """All of the parts."""
    return "true" if not parts else parts[0] if len(parts) == 1 else ["and", *parts]
