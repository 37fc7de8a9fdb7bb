"""S-expressions as solvers print them: read to trees, or cut apart as text, without recursion.

In a tree an atom is its text: symbols without bars where these are not needed, strings with their
quotes. A list is a `list`. Workers of solvers cut alone, and import this before their first answer: no
module that takes time to import may be imported here.
"""

from __future__ import annotations

import re
from typing import TypeAlias

SExpr: TypeAlias = "str | list[SExpr]"

MAX_CHARS = 64 * 1024 * 1024
MAX_DEPTH = 100_000

# The last alternative is a quote or bar that is not closed.
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


# --- text, cut apart ------------------------------------------------------------------------------


def elements(text: str) -> list[str]:
    """The source text of each element of the first list in `text`; empty if it holds no list.

    `((x 1) |a (b|)` gives `["(x 1)", "|a (b|"]`. An unclosed list gives what is complete.
    """
    found: list[str] = []
    depth = 0
    begin = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "(":
            depth += 1
            if depth == 2:
                begin = match.start()
        elif token == ")":
            depth -= 1
            if depth == 1:
                found.append(text[begin : match.end()])
            elif depth <= 0:
                break
        elif depth == 1 and token not in ('"', "|") and token[0] != ";":
            found.append(token)
    return found


def unquote(symbol: str) -> str:
    """A symbol's name without the bars of `|…|`."""
    if len(symbol) >= 2 and symbol[0] == symbol[-1] == "|":
        return symbol[1:-1]
    return symbol


def pair_values(text: str) -> tuple[str, ...]:
    """The last parts of the lists in a list, as `get-value` answers: `((x 1) (y 2))` gives `("1", "2")`."""
    return tuple(elements(pair)[-1] for pair in elements(text) if pair[0] == "(")


def has_symbol(text: str, symbol: str) -> bool:
    """True if the bare symbol occurs in the text outside strings, quoted symbols and comments."""
    return any(match[0] == symbol for match in _TOKEN.finditer(text))
