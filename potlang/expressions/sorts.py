"""Sorts as they are written: plain names at once, the rest by the grammar."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"\s*+[^()\[\]{}<>,:;`'\"=\s][^()\[\]{}<>,:;`'\"=]*+")


def plain_name(text: str) -> bool:
    """Whether `text` is one name, blanks and hyphens inside allowed (`Person`, `hard hat`)."""
    return text.isidentifier() or _PLAIN.fullmatch(text) is not None
