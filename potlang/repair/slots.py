"""The places where a program mentions sorts: declarations and binders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from potlang.diag.model import Edit, Patch, Replace
from potlang.repair.candidate import Subject
from potlang.source import join_pointer

_ANNOTATED: Final = re.compile(r"(?<!\w)([^\W\d]\w*+)\s*+:\s*+([^\W\d]\w*+)")
_BUILT_IN: Final = ("Bool", "Int", "Real")


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


def slots(subject: Subject) -> Iterator[Slot]:
    """All mentions of sorts that somebody owns."""
    for index, each in enumerate(subject.section("functions")):
        yield from _of_function(each, join_pointer("/functions", str(index)))
    for pointer, each in _dicts(subject.value, ""):
        sort = each.get("sort")
        if not isinstance(sort, str):
            continue
        at = join_pointer(pointer, "sort")
        if isinstance(each.get("name"), str):
            yield Slot((each["name"],), sort, at, scope=_scope(pointer))
        elif isinstance(each.get("members"), list):
            yield Slot(tuple(name for name in each["members"] if isinstance(name, str)), sort, at)
    for pointer, text in subject.strings():
        for found in _ANNOTATED.finditer(text):
            yield Slot((found[1],), found[2], pointer, found.span(2), pointer)


def sort_names(subject: Subject) -> list[str]:
    """The sorts that a program can mention without arguments, its own first."""
    own = [each.get("name") for each in subject.section("sorts") if isinstance(each, dict)]
    return list(dict.fromkeys([*(name for name in own if isinstance(name, str)), *_BUILT_IN]))


def _of_function(function: Any, pointer: str) -> Iterator[Slot]:
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return
    owners = (function["name"],)
    domain = function.get("domain")
    for index, sort in enumerate(domain if isinstance(domain, list) else ()):
        if isinstance(sort, str):
            yield Slot(owners, sort, join_pointer(pointer, "domain", str(index)))
    if isinstance(function.get("range"), str):
        yield Slot(owners, function["range"], join_pointer(pointer, "range"))


def _dicts(value: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield pointer, value
        for key, item in value.items():
            yield from _dicts(item, join_pointer(pointer, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _dicts(item, join_pointer(pointer, str(index)))


def _scope(pointer: str) -> str:
    """Of a binder the statement that it is part of; of a declaration everything."""
    parts = pointer.split("/")
    return "" if parts[1] in ("variables", "constants", "functions") else "/".join(parts[:3])
