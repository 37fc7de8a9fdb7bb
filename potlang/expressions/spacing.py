"""The canonical spacing of an expression ([FMT-FORMULA])."""

from __future__ import annotations

from itertools import pairwise

from potlang.expressions.tables import END, UNKNOWN, Token, tokenize

_OPEN = frozenset(["LPAR", "LSQB", "LBRACE"])
_CLOSED = frozenset(["RPAR", "RSQB", "RBRACE"])
SIGNS = frozenset(["MINUS", "NOT_SIGN"])
"""Tokens that touch what follows them, in front of an operand."""
_OPERANDS = _CLOSED | {"NAME", "QUOTED", "NUMBER", "BITS", "DATE", "AMOUNT", "STRING"}
"""Tokens that end an operand: a minus behind another one is a sign."""


def spaced(text: str) -> str:
    """The expression with one space where one belongs; as it is where that would make other tokens of it."""
    tokens = tokenize(text)[:-1]
    if not tokens or tokens[-1].kind in (END, UNKNOWN):
        return text
    pieces = [tokens[0].text]
    is_sign = tokens[0].kind in SIGNS
    for before, token in pairwise(tokens):
        pieces.append("" if is_sign or touch(before.kind, token.kind) else " ")
        pieces.append(token.text)
        is_sign = token.kind in SIGNS and (token.kind == "NOT_SIGN" or before.kind not in _OPERANDS)
    found = "".join(pieces)
    return found if _words(tokenize(found)) == _words(tokenize(text)) else text


def touch(before: str, kind: str) -> bool:
    """Whether nothing stands between two tokens of these kinds, the first of which is no sign."""
    if before in _OPEN or kind in _CLOSED or kind in ("COMMA", "COLON"):
        return True
    return kind == "LPAR" and before in ("NAME", "QUOTED", "RPAR")


def _words(tokens: list[Token]) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens]
