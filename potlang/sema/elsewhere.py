"""Names that are operators in other languages: how each is written here.

A program that uses one without a declaration means that operator. Declaring it would make it an uninterpreted
symbol, with which the program compiles and says something else; so these names are never declared by a fix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_suffix(".tsv")
"""Rows of a kind, names, and what to write: `same` has the name here, `words` and `terms` have a help."""
_MARKS = re.compile(r"[\W_]")


def folded(name: str) -> str:
    """A name without case, underscores and marks: spellings of one operator are alike."""
    return _MARKS.sub("", name).casefold()


@cache
def _table(kind: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        section, names, meaning = line.split("\t")
        if section == kind:
            found.update((folded(name), meaning) for name in names.split())
    return found


def same_as(name: str) -> str | None:
    """The function of the language that goes by another name elsewhere."""
    return _table("same").get(folded(name))


def other_operator(name: str) -> str | None:
    """How to say what an operator of other languages says that is none here."""
    return _table("words").get(folded(name))


def other_constant(name: str) -> str | None:
    """The same for a constant of other languages."""
    return _table("terms").get(folded(name))
