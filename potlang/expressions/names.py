"""Names as expressions write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from potlang.expressions.tables import tokenize

_ASCII = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = re.compile(r"\s*+[^()\[\]{}<>,:;`'\"=\s][^()\[\]{}<>,:;`'\"=]*+")
_IN_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`|\w+")
"""Quoted texts, which have no names, and the words of a formula."""
_KEYWORDS = frozenset({"and", "or", "not", "in"})


def written(name: str) -> str:
    """A declared name as an expression writes it: in backquotes unless it is read without them too."""
    return name if _is_plain(name) else "`" + name.replace("`", "``") + "`"


def name_of(text: str) -> str:
    """The name that a token stands for: the inverse of `written`."""
    return text[1:-1].replace("``", "`") if text.startswith("`") else text


def names_within(text: str) -> list[str]:
    """The names in the text of a formula, in order; numbers and words of the language are among them."""
    return [name_of(each) for each in _IN_TEXT.findall(text) if each[0] not in "'\""]


def with_names(text: str, names: Mapping[str, str]) -> str:
    """The text of a formula with some names replaced; quoted texts stay."""

    def replaced(found: re.Match[str]) -> str:
        name = name_of(found[0])
        return written(names[name]) if found[0][0] not in "'\"" and name in names else found[0]

    return _IN_TEXT.sub(replaced, text) if names else text


def _is_plain(name: str) -> bool:
    if _ASCII.fullmatch(name):
        return name not in _KEYWORDS
    if not name or name.isascii():
        return False
    first = tokenize(name)[0]
    return first.kind == "NAME" and first.end == len(name) and first.start == 0


def is_plain_sort(text: str) -> bool:
    """Whether a sort as written is one name, blanks and hyphens inside allowed (`Person`, `hard hat`)."""
    return text.isidentifier() or _PLAIN.fullmatch(text) is not None
