"""A rejected program as repairs are made from it: its strings, the sorts that it mentions, its errors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from potlang.diag import Diagnostic
from potlang.diag.model import Edit, Patch, Replace
from potlang.diag.patching import FixError, get
from potlang.source import join_pointer, split_pointer

WORD: Final = re.compile(r"[^\W\d]\w*")
_ANNOTATED: Final = re.compile(r"(?<!\w)([^\W\d]\w*+)\s*+:\s*+([^\W\d]\w*+)")
BUILT_IN: Final = ("Bool", "Int", "Real")


class Repair(NamedTuple):
    """Edits in one place. The cheaper of two is tried first, and preferred if both leave as many errors."""

    cost: int
    title: str
    edits: tuple[Edit, ...]
    common: int = 0
    """How often the name that it writes stands elsewhere: of two as near, the rarer one is missing here."""


class Slot(NamedTuple):
    """A mention of a sort. `scope` is the pointer below which its owners are known; empty: everywhere."""

    owners: tuple[str, ...]
    sort: str
    pointer: str
    span: tuple[int, int] | None = None
    scope: str = ""

    def edit(self, sort: str) -> Edit:
        """The edit that puts another sort there."""
        if self.span is not None:
            return Replace(self.pointer, *self.span, sort)
        return Patch("replace", self.pointer, sort)

    def reaches(self, error: Diagnostic) -> bool:
        """True where the owners are known."""
        return not self.scope or f"{error.place.pointer}/".startswith(f"{self.scope}/")


class Subject(NamedTuple):
    """A rejected program: its text, its JSON value if it has one, and the errors."""

    text: str
    value: Any
    errors: Sequence[Diagnostic]

    def with_code(self, codes: Collection[str]) -> list[Diagnostic]:
        """The errors that have one of the codes."""
        return [error for error in self.errors if error.code in codes]

    def at(self, pointer: str) -> str:
        """The string at a pointer; empty if there is none."""
        try:
            found = get(self.value, pointer)
        except FixError:
            return ""
        return found if isinstance(found, str) else ""

    def formula(self, error: Diagnostic) -> str:
        """The string in which an error was found; empty if it was not found in one."""
        return self.at(error.place.pointer)

    def section(self, name: str) -> list[Any]:
        """A section of the program that is a list; else an empty one."""
        found = self.value.get(name) if isinstance(self.value, dict) else None
        return found if isinstance(found, list) else []

    def strings(self) -> Iterator[tuple[str, str]]:
        """All strings, by pointer."""
        return ((pointer, each) for pointer, each in self._parts() if isinstance(each, str))

    def own_sorts(self) -> list[str]:
        """The names of the sorts that the program declares."""
        names = [each.get("name") for each in self.section("sorts") if isinstance(each, dict)]
        return [name for name in names if isinstance(name, str)]

    def values(self) -> list[str]:
        """The values of the program's enumerations."""
        found: list[str] = []
        for each in self.section("sorts"):
            values = each.get("values") if isinstance(each, dict) else None
            found += [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
        return found

    def sorts(self) -> list[str]:
        """The sorts that a program can mention without arguments, its own first."""
        return list(dict.fromkeys([*self.own_sorts(), *BUILT_IN]))

    def slots(self) -> Iterator[Slot]:
        """All mentions of sorts that somebody owns."""
        for index, each in enumerate(self.section("functions")):
            yield from _of_function(each, join_pointer("/functions", index))
        for pointer, each in self._parts():
            sort = each.get("sort") if isinstance(each, dict) else None
            if not isinstance(sort, str):
                continue
            at = join_pointer(pointer, "sort")
            if isinstance(each.get("name"), str):
                yield Slot((each["name"],), sort, at, scope=_scope(pointer))
            elif isinstance(each.get("members"), list):
                yield Slot(tuple(name for name in each["members"] if isinstance(name, str)), sort, at)
        for pointer, text in self.strings():
            for found in _ANNOTATED.finditer(text):
                yield Slot((found[1],), found[2], pointer, found.span(2), pointer)

    def _parts(self) -> Iterator[tuple[str, Any]]:
        """All values in the program's own by pointer, from the outside in, in order."""
        waiting = [("", self.value)]
        while waiting:
            pointer, value = waiting.pop()
            yield pointer, value
            members: Any = value.items() if isinstance(value, dict) else ()
            if isinstance(value, list):
                members = enumerate(value)
            waiting += reversed([(join_pointer(pointer, key), item) for key, item in members])


def _of_function(function: Any, pointer: str) -> Iterator[Slot]:
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return
    owners = (function["name"],)
    domain = function.get("domain")
    for index, sort in enumerate(domain if isinstance(domain, list) else ()):
        if isinstance(sort, str):
            yield Slot(owners, sort, join_pointer(pointer, "domain", index))
    if isinstance(function.get("range"), str):
        yield Slot(owners, function["range"], join_pointer(pointer, "range"))


def _scope(pointer: str) -> str:
    """Of a binder the statement that it is part of; of a declaration everything."""
    section, *rest = split_pointer(pointer) or [""]
    return (
        "" if section in ("", "variables", "constants", "functions") else join_pointer("", section, *rest[:1])
    )
