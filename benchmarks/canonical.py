"""The strings that exported grammars admit, by the readers and plain conditions on what they read.

`grammars.py` compares this with what llguidance says of the grammars. Nothing here looks at a grammar.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from potlang.diag import Sink
from potlang.expressions.expression import parse_expression, parse_sort
from potlang.expressions.tables import UNKNOWN, Token, tokenize
from potlang.languages.dot.read.propositions import check_value

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_KEYWORDS = {"and", "or", "not", "in"}
_CHARACTERS = r"[ -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\U0010ffff]"
_FORMS = {
    "NAME": r"(?!of$)[A-Za-z_][A-Za-z0-9_]{0,63}",
    "QUOTED": rf"`(?:(?!`){_CHARACTERS}){{1,200}}`",
    "NUMBER": r"(?:[0-9]{1,15}(?:\.[0-9]{1,15})?|\.[0-9]{1,15})(?:[eE][+-]?[0-9]{1,3})?",
    "BITS": r"#b[01]{1,64}|#x[0-9a-fA-F]{1,16}",
    "DATE": r".*",
    "AMOUNT": r"[$€£¥][0-9]{1,15}(?:\.[0-9]{1,15})?"
    r"|(?:[0-9]{1,15}(?:\.[0-9]{1,15})?|\.[0-9]{1,15})(?:%| [A-Za-z]+)",
    "STRING": "|".join(rf"{m}(?:(?![{m}\\]){_CHARACTERS}|\\{m}|\\\\){{0,200}}{m}" for m in "\"'"),
}
_OPEN, _CLOSED = ("LPAR", "LSQB", "LBRACE"), ("RPAR", "RSQB", "RBRACE")
_OPERANDS = (*_CLOSED, *_FORMS)
_LOOSE = ("COMMA", "COMPARE", "IN", "AND", "OR", "NOT", "AND_SIGN", "OR_SIGN", "NOT_SIGN", "IMPLIES")
_BESIDE_PERCENTAGES = (*_LOOSE, "IMPLIES_SIGN", "IFF", "IFF_SIGN", *_OPEN, *_CLOSED, "")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,3})?")
_PLAIN_TOKENS = ("[", "]", "{", "}", ", ", ": ", "true", "false", "null")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"\[\]{},:]+|, |: |.', re.DOTALL)


def is_expression(text: str, *, in_json: bool = False) -> bool:
    """Whether an expression is read, has the canonical spacing, and tokens of the exported forms."""
    tokens = tokenize(text)[:-1]
    if not tokens or tokens[-1].kind == UNKNOWN or (in_json and set(text) & set('"\\')):
        return False
    sink = Sink()
    if not _is_spaced(text, tokens) or parse_expression(text, "", sink) is None or sink.has_errors:
        return False
    return _has_forms(tokens)


def is_sort(text: str) -> bool:
    """The same of a sort in a string of JSON."""
    tokens = tokenize(text)[:-1]
    if not tokens or tokens[-1].kind == UNKNOWN or set(text) & set('"\\'):
        return False
    is_named = tokens[0].kind in ("NAME", "QUOTED") and all(
        each.kind in ("NAME", "QUOTED", "COMMA", "LPAR", "RPAR", "NUMBER") for each in tokens
    )
    sink = Sink()
    read = parse_sort(text, "", sink) is not None and not sink.has_errors
    # A text without brackets is read as one name, whatever it is made of.
    is_one = any(each.kind == "LPAR" for each in tokens) or len(tokens) == 1
    return read and is_named and is_one and _is_spaced(text, tokens) and _has_forms(tokens)


def _is_spaced(text: str, tokens: list[Token]) -> bool:
    if tokens[0].start or tokens[-1].end != len(text):
        return False
    operand_before = False
    for before, after in pairwise(tokens):
        is_sign = before.kind == "NOT_SIGN" or (before.kind == "MINUS" and not operand_before)
        operand_before = before.kind in _OPERANDS
        touching = (
            is_sign
            or before.kind in _OPEN
            or after.kind in (*_CLOSED, "COMMA", "COLON")
            or (after.kind == "LPAR" and before.kind in ("NAME", "QUOTED", "RPAR"))
        )
        if text[before.end : after.start] != ("" if touching else " "):
            return False
    return True


def _has_forms(tokens: list[Token]) -> bool:
    kinds = ["", *(each.kind for each in tokens), ""]
    for index, token in enumerate(tokens):
        if token.kind in _FORMS and not re.fullmatch(_FORMS[token.kind], token.text, re.DOTALL):
            return False
        if token.kind == "AMOUNT" and token.text.endswith("%"):
            beside = {kinds[index], kinds[index + 2]}
            if not beside <= set(_BESIDE_PERCENTAGES):
                return False
        if token.kind == "STRING" and kinds[index + 2] == "COLON":
            return False
        # Lists in parentheses, and in front of a comparison, are not exported.
        if (
            token.kind in ("RSQB", "RBRACE")
            and kinds[index + 2] == "COMPARE"
            and not _is_compared(kinds, index + 1)
        ):
            return False
    return not _has_round_list(tokens)


def _is_compared(kinds: list[str], end: int) -> bool:
    """Whether the list whose bracket closes at `end` stands behind a comparison."""
    depth, at = 0, end
    while True:
        depth += (kinds[at] in _CLOSED) - (kinds[at] in _OPEN)
        if depth == 0:
            return kinds[at - 1] == "COMPARE"
        at -= 1


def _has_round_list(tokens: list[Token]) -> bool:
    """Whether parentheses that are no call hold a comma or a colon."""
    stack: list[bool] = []
    before = ""
    for token in tokens:
        if token.kind in _OPEN:
            stack.append(token.kind == "LPAR" and before not in ("NAME", "QUOTED", "RPAR"))
        elif token.kind in _CLOSED:
            if stack:
                stack.pop()
        elif token.kind in ("COMMA", "COLON") and stack and stack[-1]:
            return True
        before = token.kind
    return False


# --- propositions --------------------------------------------------------------------------------


def is_proposition(text: str) -> bool:
    """Whether a text is what the `@prop` of a problem says, in the canonical layout."""
    value = canonical_json(text)
    if value is None:
        return False
    sink = Sink()
    check_value(value[0], sink, "problem")
    return not sink.has_errors and _is_canonical(value[0])


def canonical_json(text: str) -> tuple[Any] | None:
    """The value of a JSON text with one space behind each comma and colon, and no others."""
    try:
        value = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        return None
    plain = all(_is_plain(each) for each in _JSON_TOKEN.findall(text))
    return (value,) if plain else None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key is repeated")
    return dict(pairs)


def _is_plain(token: str) -> bool:
    if token[0] == '"':
        return "\\" not in token
    return token in _PLAIN_TOKENS or _NUMBER.fullmatch(token) is not None


def is_word(text: object) -> bool:
    return isinstance(text, str) and _WORD.fullmatch(text) is not None and text not in _KEYWORDS


def _is_canonical(value: Any) -> bool:
    """Whether a value of the right shape has the names, the sorts and the order of the export."""
    if isinstance(value, dict) and set(value) <= {"declare", "assume"} and value:
        declared = value.get("declare", {})
        first = [name[0] for name in declared]
        return (
            list(value) == [key for key in ("declare", "assume") if key in value]
            and len(set(first)) == len(first)
            and all(is_word(name) and _is_signature(sort) for name, sort in declared.items())
            and all(_is_canonical(each) for each in value.get("assume", ()))
        )
    if isinstance(value, str):
        return is_word(value)
    if isinstance(value, list):
        return all(map(_is_canonical, value))
    if not isinstance(value, dict):
        return True
    ((operator, operands),) = value.items()
    if operator == "pot":
        return is_expression(operands, in_json=True)
    if operator in ("forall", "exists"):
        binders, body = operands
        bound = all(is_word(name) and is_sort(sort) for name, sort in binders.items())
        return len(binders) == 1 and bound and _is_canonical(body)
    return _is_canonical(operands)


def _is_signature(value: Any) -> bool:
    if isinstance(value, str):
        return is_sort(value)
    return list(value) == ["domain", "range"] and all(map(is_sort, (*value["domain"], value["range"])))
