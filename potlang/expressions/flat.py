"""Tells literals over names alone, which most facts and half of all antecedents are, by one look at the text.

`knows(a, b)`, `Not(p(a))`, `age(a) == 3`: their tree is not made unless someone asks for it. What is told
to be such a literal is one by the grammar, with the tree that `fast_expression` gives (a property of the
tests); everything else is left to the ordinary way.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from potlang.expressions.fast import fast_expression, plain_name, plain_names
from potlang.expressions.surface import FlatLiteral

_LONGEST = 10_000
"""Longer texts may have names or numerals beyond the limits."""


@cache
def _pattern() -> re.Pattern[str]:
    """Its groups are `surface.Words`."""
    name = plain_name()
    return re.compile(rf"(?:(Not)\()?({name})\(({plain_names()})\)(?: == ({name}|[0-9]+))?(?(1)\))")


def flat_literal(text: str, pointer: str) -> FlatLiteral | None:
    """The formula that `text` is, or None where it is not of this kind (it may still be right)."""
    match = _pattern().fullmatch(text)
    if match is None or len(text) > _LONGEST:
        return None
    words: Any = match.groups()
    return FlatLiteral(pointer, text, words, fast_expression)
