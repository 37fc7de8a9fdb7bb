"""Cutting solvers' answers apart: the elements of a list in SMT-LIB text, without building trees."""

from __future__ import annotations

import re
from typing import Final

# One token: string literal, quoted symbol, comment, bracket, or a run of anything else.
_TOKEN: Final = re.compile(r'"(?:[^"]|"")*"|\|[^|]*\||;[^\n]*|[()]|[^\s()"|;]+')


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
        elif depth == 1 and not token.startswith(";"):
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
    """Whether the bare symbol occurs in the text, outside strings, quoted symbols and comments."""
    return any(match[0] == symbol for match in _TOKEN.finditer(text))
