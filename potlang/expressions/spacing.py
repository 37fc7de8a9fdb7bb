"""The canonical spacing of an expression ([FMT-FORMULA])."""

from __future__ import annotations

from itertools import pairwise

from potlang.expressions.tables import END, UNKNOWN, Token, tokenize

_OPEN = frozenset(["LPAR", "LSQB", "LBRACE"])
_CLOSED = frozenset(["RPAR", "RSQB", "RBRACE"])
_OPERANDS = _CLOSED | {"NAME", "QUOTED", "NUMBER", "BITS", "DATE", "AMOUNT", "STRING"}
"""Tokens that end an operand: a minus behind another one is a sign."""


def spaced(text: str) -> str:
    """The expression with one space where one belongs; as it is where that would make other tokens of it."""
    tokens = tokenize(text)[:-1]
    if not tokens or tokens[-1].kind in (END, UNKNOWN):
        return text
    pieces = [tokens[0].text]
    is_sign = tokens[0].kind in ("MINUS", "NOT_SIGN")
    for before, token in pairwise(tokens):
        pieces.append("" if is_sign or _touch(before, token) else " ")
        pieces.append(token.text)
        is_sign = token.kind == "NOT_SIGN" or (token.kind == "MINUS" and before.kind not in _OPERANDS)
    found = "".join(pieces)
    return found if _words(tokenize(found)) == _words(tokenize(text)) else text


def _touch(before: Token, token: Token) -> bool:
    """Whether nothing stands between two tokens."""
    if before.kind in _OPEN or token.kind in _CLOSED or token.kind in ("COMMA", "COLON"):
        return True
    return token.kind == "LPAR" and before.kind in ("NAME", "QUOTED", "RPAR")


def _words(tokens: list[Token]) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens]
