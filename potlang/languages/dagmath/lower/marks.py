"""Where the formulas of a text are: between dollar signs, in brackets, in displays ([STEP-CHUNKS])."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

DISPLAYS: Final = "align|equation|gather|eqnarray|multline"
"""Environments that are displays."""
_SPAN: Final = re.compile(
    r"\$\$(?P<a>.{1,4000}?)\$\$|\\\((?P<b>(?:(?!(?<!\\)\\\().){1,4000}?)\\\)"
    r"|\\\[(?P<c>(?:(?!(?<!\\)\\\[).){1,4000}?)\\\]"
    rf"|\\begin\{{(?P<env>{DISPLAYS})(?P<star>\*?)\}}(?P<d>.{{1,4000}}?)\\end\{{(?P=env)(?P=star)\}}"
    r"|(?<!\\)\$(?P<e>(?:\\.|[^$\\\n]|\n(?!\n)){1,2000}?)(?<!\\)\$",
    re.DOTALL,
)
_AMOUNT: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_BETWEEN_AMOUNTS: Final = re.compile(r"[^\w\\(\[{].*\d", re.DOTALL)
"""The text between the dollar signs of two amounts, each of which has its sign behind it."""
_WORDS: Final = re.compile(r"(?<![\\A-Za-z\d])(?![A-Z]+\b)[A-Za-z]{2,}")
"""Words, and no products of letters: not `cd` in `4cd`, nor `AB`."""
_OPEN: Final = re.compile(r"[-+*/=×(–−÷·]\s*$")
"""A sign at the end, whose right side is behind the second dollar sign."""
_MARK: Final = re.compile(r"\\[][()]")
_COMMAND: Final = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*\})?")
_NOTATION: Final = re.compile(r"[\^_]|\\[A-Za-z]{2,}")
_LONG_WORD: Final = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{4,}")
_PERCENT: Final = re.compile(r" ?(?:\\?%|percent\b|per cent\b)")


class FormulaSpan(NamedTuple):
    """A formula in a text: its place with its marks, its source without them, the length of the first mark.

    `is_percent`: a percent sign stands behind it.
    """

    start: int
    end: int
    source: str
    mark: int = 0
    is_percent: bool = False


def marked_formulas(text: str) -> list[FormulaSpan]:
    """The formulas between marks, in order. A dollar sign before an amount is money, and no mark."""
    found: list[FormulaSpan] = []
    at = 0
    while (match := _SPAN.search(text, at)) is not None:
        kind = next(name for name in "abcde" if match[name] is not None)
        if kind == "e" and _is_money(text, match):
            at = match.start() + 1
            continue
        is_percent = _PERCENT.match(text, match.end()) is not None
        mark = match.start(kind) - match.start()
        found.append(FormulaSpan(match.start(), match.end(), match[kind], mark, is_percent))
        at = match.end()
    return found


def _is_money(text: str, match: re.Match[str]) -> bool:
    """Whether the first dollar sign is that of an amount: `$5 and $6`, `$2000 + $200`, `5$ + 6$`."""
    inside = match["e"]
    if text[match.start() - 1 : match.start()].isdigit() and _BETWEEN_AMOUNTS.fullmatch(inside):
        return True
    if _AMOUNT.match(inside) is None:
        return inside[:1].isspace() and inside[-1:].isspace() and _LONG_WORD.search(inside) is not None
    is_before_digit = text[match.end() : match.end() + 1].isdigit()
    bare = _COMMAND.sub(" ", inside)
    is_factor = inside.rstrip().endswith("x") and is_before_digit
    if _OPEN.search(inside) or is_factor or _LONG_WORD.search(bare):
        return True
    if _MARK.search(inside) is not None:
        return True
    if _NOTATION.search(inside) is not None:
        return False
    is_odd = inside.count("(") != inside.count(")") or inside.count("{") != inside.count("}")
    return _WORDS.search(inside) is not None or (is_before_digit and is_odd)
