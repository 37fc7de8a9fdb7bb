"""Lines as trees of words, quoted texts and groups; what is refused; how many steps may be taken."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

MOST_DIGITS = 20_000
_TOKEN = re.compile(r'[()]|"[^"\\]*(?:\\.[^"\\]*)*"|[^ \t\r()"]+|"')
"""A parenthesis, a quoted text, a word; last what begins a quoted text that does not end."""
_NUMERAL = re.compile(r"-?[0-9]+")


class Invalid(Exception):
    """The text is not accepted; the message is one line."""


class Exhausted(Invalid):
    """A budget is used up."""


class StepBudget:
    """A budget, so that nothing runs for ever."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, count: int = 1) -> None:
        """Takes `count` steps. Raises `Exhausted`."""
        self.left -= count
        if self.left < 0:
            raise Exhausted("it takes more steps than are allowed")


@dataclass(slots=True)
class QuotedText:
    """A quoted text."""

    value: str


Tree = str | QuotedText | list["Tree"]


def tree(line: str) -> list[Tree]:
    """The one group that `line` holds."""
    outer: list[Tree] = []
    groups = [outer]
    # Between tokens stand blanks alone: every other character begins one.
    for token in _TOKEN.findall(line):
        if token == "(":
            groups.append([])
            groups[-2].append(groups[-1])
        elif token == ")":
            groups.pop()
            if not groups:
                raise Invalid("a parenthesis too many")
        elif token[0] == '"':
            plain = "\\" not in token and token.isprintable() and len(token) > 1
            groups[-1].append(QuotedText(token[1:-1] if plain else _unquoted(token)))
        else:
            groups[-1].append(token)
    if len(groups) != 1 or len(outer) != 1 or not isinstance(outer[0], list):
        raise Invalid("expected one statement in parentheses")
    return outer[0]


def _unquoted(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        raise Invalid("malformed quoted text") from None


def shown(part: object) -> str:
    """A tree in a message, shortened."""
    text = part.value if isinstance(part, QuotedText) else part if isinstance(part, str) else "(…)"
    return ascii(text[:60]) if text != "(…)" else text


def name(part: Tree) -> str:
    """A name, quoted or not."""
    if isinstance(part, list):
        raise Invalid("expected a name, found (…)")
    return part if isinstance(part, str) else part.value


def pair(part: Tree) -> tuple[Tree, Tree]:
    """The two parts of a group."""
    if not isinstance(part, list) or len(part) != 2:
        raise Invalid("expected a group of two")
    return part[0], part[1]


def integer(part: Tree) -> int:
    """The integer that a word writes."""
    if not isinstance(part, str) or not _NUMERAL.fullmatch(part) or len(part) > MOST_DIGITS:
        raise Invalid(f"expected a numeral, found {shown(part)}")
    number = 0
    for start in range(part.startswith("-"), len(part), 4000):
        piece = part[start : start + 4000]
        number = number * 10 ** len(piece) + int(piece)
    return -number if part.startswith("-") else number
