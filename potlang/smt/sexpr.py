"""S-expressions as solvers print them, read without recursion.

An atom is its text: symbols without bars where these are not needed, strings with their quotes. A
list is a `list`.
"""

from __future__ import annotations

import re
from typing import TypeAlias

SExpr: TypeAlias = "str | list[SExpr]"

MAX_CHARS = 64 * 1024 * 1024
MAX_DEPTH = 100_000

_TOKEN = re.compile(r'[()]|"(?:[^"]|"")*"|\|[^|]*\||;[^\n]*|[^\s()";|]+|["|]')
_SIMPLE = re.compile(r"[A-Za-z0-9~!@$%^&*_\-+=<>.?/]+")


class SExprError(ValueError):
    """The text is no sequence of s-expressions, or is larger than the limits."""


def read_all(text: str) -> list[SExpr]:
    """All expressions of `text`. Raises `SExprError`."""
    return read_tokens(tokenize(text))


def tokenize(text: str) -> list[str]:
    """The tokens of `text`, comments among them. Raises `SExprError` if it is too long."""
    if len(text) > MAX_CHARS:
        raise SExprError("the text is too long")
    return _TOKEN.findall(text)


def read_tokens(tokens: list[str]) -> list[SExpr]:
    """All expressions that the tokens make. Raises `SExprError`."""
    current: list[SExpr] = []
    stack: list[list[SExpr]] = []
    for token in tokens:
        if token == "(":
            stack.append(current)
            current = []
            if len(stack) > MAX_DEPTH:
                raise SExprError("nested too deep")
        elif token == ")":
            if not stack:
                raise SExprError("a parenthesis is closed that was not opened")
            stack[-1].append(current)
            current = stack.pop()
        elif token[0] in '|";':
            _quoted(token, current)
        else:
            current.append(token)
    if stack:
        raise SExprError("a parenthesis is not closed")
    return current


def _quoted(token: str, current: list[SExpr]) -> None:
    if token[0] == ";":
        return
    if len(token) == 1:
        raise SExprError(f"a {token} is not closed")
    bare = token[1:-1]
    current.append(bare if token[0] == "|" and _SIMPLE.fullmatch(bare) else token)


def read_one(text: str) -> SExpr:
    """The single expression of `text`. Raises `SExprError`."""
    found = read_all(text)
    if len(found) != 1:
        raise SExprError(f"one expression is wanted, there are {len(found)}")
    return found[0]


def write(expression: SExpr) -> str:
    """The text of an expression, on one line."""
    out: list[str] = []
    stack: list[SExpr] = [expression]
    closing: SExpr = ")"
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if out and item is not closing and out[-1] != "(":
                out.append(" ")
            out.append(item)
            continue
        if out and out[-1] != "(":
            out.append(" ")
        out.append("(")
        stack.append(closing)
        stack.extend(reversed(item))
    return "".join(out)
