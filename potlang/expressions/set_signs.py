"""Signs of sets, `A ∪ B ⊆ C`, `x \\in A \\cap B`, `S = ∅`, as they are written here: by calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from potlang.expressions.actions import Fault
from potlang.expressions.phrases import MOST_CHARACTERS, replaced
from potlang.expressions.tables import END, Token

_OPERATORS = {
    **dict.fromkeys(("∪", "\\cup"), "Union"),
    **dict.fromkeys(("∩", "\\cap"), "Intersect"),
    **dict.fromkeys(("∖", "\\setminus", "\\"), "Difference"),
}
_RELATIONS = {
    **dict.fromkeys(("⊆", "\\subseteq"), "Subset({0}, {1})"),
    **dict.fromkeys(("⊂", "\\subset", "⊊", "\\subsetneq"), "(Subset({0}, {1}) and {0} != {1})"),
    **dict.fromkeys(("⊇", "\\supseteq"), "Subset({1}, {0})"),
    **dict.fromkeys(("⊈", "\\nsubseteq"), "not Subset({0}, {1})"),
}
_EMPTY = frozenset(("∅", "\\emptyset", "\\varnothing"))
SIGNS = frozenset((*_OPERATORS, *_RELATIONS, *_EMPTY)) - {"\\"}
_JOINING = frozenset(
    ["AND", "OR", "NOT", "IMPLIES", "IFF", "AND_SIGN", "OR_SIGN", "NOT_SIGN", "IMPLIES_SIGN", "IFF_SIGN"]
)
_SEPARATING = _JOINING | {"COMMA", "COLON"}
_OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}


class _SignToken(NamedTuple):
    """Characters `[start, end)`, the text for them, and the kind of their token; `GROUP` for brackets."""

    kind: str
    text: str
    start: int
    end: int


class _Unread(Exception):
    """The signs cannot be told apart from others: nothing is offered."""


def set_signs(tokens: Sequence[Token], text: str) -> Fault | None:
    """The fault of the signs of sets in a formula, with the whole as it is written here; None without."""
    signs = [token for token in tokens if token.kind == "OTHER" and _is_sign(token, text)]
    if not signs or len(text) > MOST_CHARACTERS:
        return None
    try:
        written = _whole(tokens, text)
    except _Unread:
        return None
    return replaced(0, len(text), written, f"`{signs[0].text}` is not an operator here")


def _is_sign(token: Token, text: str) -> bool:
    # A backslash begins a command of LaTeX, unless a blank follows.
    return token.text in SIGNS or (token.text == "\\" and text[token.end : token.end + 1].isspace())


def _whole(tokens: Sequence[Token], text: str) -> str:
    """The formula with its brackets converted from the inside out."""
    stack: list[tuple[Token | None, list[_SignToken]]] = [(None, [])]
    for token in tokens:
        opening = stack[-1][0]
        if token.kind in _OPENING:
            stack.append((token, []))
        elif token.kind in _OPENING.values():
            if opening is None or _OPENING[opening.kind] != token.kind:
                raise _Unread
            inside = _converted(stack.pop()[1], text)
            group = f"{opening.text}{inside}{token.text}"
            stack[-1][1].append(_SignToken("GROUP", group, opening.start, token.end))
        elif token.kind != END:
            stack[-1][1].append(_SignToken(token.kind, *token[1:]))
    if len(stack) != 1:
        raise _Unread
    return _converted(stack[0][1], text)


def _converted(pieces: list[_SignToken], text: str) -> str:
    """Pieces between two brackets: what stands between connectives and commas is converted by itself."""
    parts: list[_SignToken] = []
    atom: list[_SignToken] = []
    for at, piece in enumerate(pieces):
        is_not_in = piece.kind == "NOT" and pieces[at + 1 : at + 2] and pieces[at + 1].kind == "IN" and atom
        if piece.kind in _SEPARATING and not is_not_in:
            parts += [*_atom(atom, text), piece]
            atom = []
        else:
            atom.append(piece)
    return _joined([*parts, *_atom(atom, text)], text)


def _atom(pieces: list[_SignToken], text: str) -> list[_SignToken]:
    """A relation of terms, or a term, as one piece."""
    if not pieces:
        return []
    sides: list[list[_SignToken]] = [[]]
    relations: list[list[_SignToken]] = []
    for piece in pieces:
        if piece.kind in ("COMPARE", "IN", "NOT") or piece.text in _RELATIONS:
            # `not in` is one relation of two words.
            if relations and not sides[-1]:
                relations[-1].append(piece)
            else:
                relations.append([piece])
                sides.append([])
        else:
            sides[-1].append(piece)
    terms = [_term(side, text) for side in sides]
    shape = _RELATIONS.get(relations[0][0].text) if len(relations) == 1 else None
    if shape is not None:
        written = shape.format(*terms)
    elif any(each[0].text in _RELATIONS for each in relations):
        raise _Unread
    else:
        written = terms[0]
        for relation, term in zip(relations, terms[1:], strict=True):
            written += f" {' '.join(each.text for each in relation)} {term}"
    return [_SignToken("ATOM", written, pieces[0].start, pieces[-1].end)]


def _term(pieces: list[_SignToken], text: str) -> str:
    """Sets joined by signs, from the left; different ones need brackets."""
    operands: list[list[_SignToken]] = [[]]
    names = []
    for piece in pieces:
        if piece.kind == "OTHER" and piece.text in _OPERATORS:
            names.append(_OPERATORS[piece.text])
            operands.append([])
        elif piece.kind == "OTHER" and piece.text in _EMPTY:
            operands[-1].append(piece._replace(text="EmptySet"))
        elif piece.kind == "OTHER":
            raise _Unread
        else:
            operands[-1].append(piece)
    if len(set(names)) > 1 or not all(operands):
        raise _Unread
    written = _joined(operands[0], text)
    for name, operand in zip(names, operands[1:], strict=True):
        written = f"{name}({_bare(written)}, {_bare(_joined(operand, text))})"
    return written


def _bare(written: str) -> str:
    """An argument needs no brackets of its own."""
    inner = written[1:-1]
    is_group = written.startswith("(") and written.endswith(")") and "(" not in inner and ")" not in inner
    return inner if is_group else written


def _joined(pieces: list[_SignToken], text: str) -> str:
    """The pieces with the blanks that stand between them."""
    written, end = "", None
    for piece in pieces:
        written += ("" if end is None else text[end : piece.start]) + piece.text
        end = piece.end
    return written
