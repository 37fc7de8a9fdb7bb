"""Declarations that are missing: those that an error offers but for a sort, and enumerations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from potlang.diag import Applicability, Fix
from potlang.diag.model import Edit, Patch
from potlang.repair.candidate import Repair, Subject
from potlang.repair.slots import sort_names

CODES = frozenset(("POT2001", "POT2005"))
_COST = 2
_OPEN = "Sort"
"""The placeholder of a fix that leaves a sort open."""
_MOST_SORTS = 8


def declaration_candidates(subject: Subject) -> Iterator[Repair]:
    """Fixes with a placeholder, completed with each sort; an enumeration of the undeclared names."""
    for error in subject.errors:
        for fix in error.fixes if error.code in CODES else ():
            if fix.applicability is Applicability.PLACEHOLDER:
                yield from _completed(fix, sort_names(subject)[:_MOST_SORTS])
    unknown = [_said(subject, error.place.pointer) for error in subject.errors if error.code == "POT2005"]
    names = [
        subject.formula(error)[slice(*error.place.span)]
        for error in subject.errors
        if error.code == "POT2001" and error.place.span is not None
    ]
    # Several unknown sorts could each own the names: then none is offered.
    if names and len(unknown) == 1 and unknown[0]:
        declared = {"name": unknown[0], "type": "EnumSort", "values": names}
        title = f"declare the sort `{unknown[0]}` with the values {', '.join(names)[:60]}"
        yield Repair(_COST, title, (Patch("add", "/sorts/-", declared),))


def _said(subject: Subject, pointer: str) -> str:
    found = subject.at(pointer)
    return found if isinstance(found, str) else ""


def _completed(fix: Fix, sorts: list[str]) -> Iterator[Repair]:
    """With one sort wherever one is left open, and, for a function, with each range."""
    plain = fix.title.removesuffix(f" of {_OPEN}")
    whole = not any(isinstance(edit, Patch) and _has_range(edit.value) for edit in fix.edits)
    for sort in sorts:
        for range_ in (None,) if whole else sorts:
            edits = tuple(_edit(edit, sort, range_) for edit in fix.edits)
            title = f"{plain} of {sort}" if range_ is None else f"{plain} with the range {range_}"
            yield Repair(_COST, title, edits)


def _has_range(value: Any) -> bool:
    return (
        any(map(_has_range, value))
        if isinstance(value, list)
        else isinstance(value, dict) and "range" in value
    )


def _edit(edit: Edit, sort: str, range_: str | None) -> Edit:
    return edit._replace(value=_put(edit.value, sort, range_)) if isinstance(edit, Patch) else edit


def _put(value: Any, sort: str, range_: str | None) -> Any:
    if isinstance(value, dict):
        filled = {key: _put(item, sort, range_) for key, item in value.items()}
        return {**filled, "range": range_} if range_ is not None and "range" in filled else filled
    if isinstance(value, list):
        return [_put(item, sort, range_) for item in value]
    return sort if value == _OPEN else value
