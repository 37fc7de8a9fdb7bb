"""A change that may be a repair, and the rejected program that it is made from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from potlang.diag import Diagnostic
from potlang.diag.model import Edit
from potlang.source import join_pointer, split_pointer

WORD: Final = re.compile(r"[^\W\d]\w*")


class Repair(NamedTuple):
    """Edits in one place. The cheaper of two is tried first, and preferred if both leave as many errors."""

    cost: int
    title: str
    edits: tuple[Edit, ...]


class Subject(NamedTuple):
    """A rejected program: its text, its JSON value if it has one, and the errors."""

    text: str
    value: Any
    errors: Sequence[Diagnostic]

    def at(self, pointer: str) -> Any:
        """The JSON value at a pointer; None if there is none."""
        value = self.value
        for token in split_pointer(pointer):
            if isinstance(value, dict):
                value = value.get(token)
            elif isinstance(value, list) and token.isdigit() and int(token) < len(value):
                value = value[int(token)]
            else:
                return None
        return value

    def formula(self, error: Diagnostic) -> str:
        """The string in which an error was found; empty if it was not found in one."""
        found = self.at(error.place.pointer)
        return found if isinstance(found, str) else ""

    def section(self, name: str) -> list[Any]:
        """A section of the program that is a list; else an empty one."""
        found = self.value.get(name) if isinstance(self.value, dict) else None
        return found if isinstance(found, list) else []

    def strings(self) -> Iterator[tuple[str, str]]:
        """All strings, by pointer."""
        yield from _strings(self.value, "")


def _strings(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer, value
    members: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = [(str(index), item) for index, item in enumerate(value)]
    for key, item in members:
        yield from _strings(item, join_pointer(pointer, key))


def words(text: str) -> list[str]:
    """The names in a formula, each once, in order."""
    return list(dict.fromkeys(WORD.findall(text)))
