"""Repairs by what is declared: another name, a declaration that is missing, another sort."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from potlang.diag import Applicability, Diagnostic, Fix
from potlang.diag.model import Edit, Patch, Replace
from potlang.diag.near import edit_distance, is_of_family, numbered_alike
from potlang.repair.subject import BUILT_IN, WORD, Repair, Slot, Subject
from potlang.utils.deadline import look

_UNDECLARED: Final = ("POT2001", "POT2005")
_MISMATCHED: Final = ("POT3001", "POT3003", "POT3004", "POT3005", "POT3006")
_FAR: Final = 2
_LONG: Final = 5
"""In shorter names a slip of two letters leaves another word."""
_SHORT: Final = 2
"""So short a name may have been any other of the same scope."""
_DECLARING: Final = 2
"""The cost of a declaration."""
_OPEN: Final = "Sort"
"""The placeholder of a fix that leaves a sort open."""
_MOST_SORTS: Final = 8
_OFTEN: Final = 10_000
"""More than a name stands in a program that is searched."""
_BINDERS: Final = re.compile(r"\[([^\[\]]*)\]")


# --- another name --------------------------------------------------------------------------------


def name_candidates(subject: Subject) -> Iterator[Repair]:
    """Declared names that differ in a letter or two; for short names, all binders."""
    slots = list(subject.slots())
    written = _written(subject)
    for error in subject.with_code(_UNDECLARED):
        span = error.place.span
        if span is None:
            continue
        text = subject.formula(error)
        name = text[slice(*span)]
        if error.code == "POT2001" and len(error.labels) > 1 and len(name) > _SHORT:
            continue  # Whoever writes a name twice means it.
        for near, cost in _near(subject, slots, error, name, text).items():
            pointer = error.place.pointer
            whole = span == (0, len(text))
            edit = Patch("replace", pointer, near) if whole else Replace(pointer, *span, near)
            # The first letter is seldom the one that is wrong.
            common = written[near] + _OFTEN * (near[:1].casefold() != name[:1].casefold())
            yield Repair(cost, f"write `{near}` for `{name}`", (edit,), common)


def _written(subject: Subject) -> Counter[str]:
    """How often each word stands in the program."""
    return Counter(word for _, text in subject.strings() for word in WORD.findall(text))


def _near(subject: Subject, slots: Sequence[Slot], error: Diagnostic, name: str, text: str) -> dict[str, int]:
    look()
    if error.code == "POT2005":
        sorts = [each for sort in subject.sorts() for each in (sort, f"{sort}Sort")]
        near = {sort: far for sort in sorts if (far := edit_distance(name, sort, _FAR))}
        # Another word for a declared sort: which one, compiling tells.
        return {**dict.fromkeys(subject.own_sorts(), _FAR + 1), **near}
    found: dict[str, int] = {}
    span = error.place.span or (0, 0)
    inside = {owner for slot in slots if slot.scope and slot.reaches(error) for owner in slot.owners}
    inside.update(word for group in _BINDERS.findall(text) for word in WORD.findall(group))
    beside = set(WORD.findall(text[slice(*_brackets_around(text, span[0]))]))
    for other in [*inside, *WORD.findall(text)]:
        if other == name or (other not in inside and numbered_alike(name, other)):
            continue
        far = _distance(name, other)
        # A letter that is no variable may be meant for one, unless the two stand side by side.
        is_variable = len(name) == 1 and other in inside and other not in beside
        if far or is_variable or (len(name) <= _SHORT and len(other) <= _SHORT):
            found.setdefault(other, far or (_FAR if is_variable else _FAR + 1))
    declared = [owner for slot in slots if not slot.scope for owner in slot.owners]
    for owner in [*declared, *subject.values()]:
        far = _distance(name, owner)
        if far and not numbered_alike(name, owner):
            # Names of the same formula were entered before, at a lower cost.
            found.setdefault(owner, far + 1)
    return {} if is_of_family(name, found) else found


def _distance(name: str, other: str) -> int | None:
    """How many slips make one of the other; None for too many, and where nothing is left of it."""
    far = edit_distance(name, other, _FAR if len(name) >= _LONG else 1)
    return None if far is None or far >= max(len(name), len(other)) else far


def _brackets_around(text: str, place: int) -> tuple[int, int]:
    """The span of the innermost parentheses around a place, or of the text."""
    ends = []
    for step, stop in ((-1, "("), (1, ")")):
        at, depth = place, 0
        while 0 <= at < len(text) and (depth or text[at] != stop):
            depth += (text[at] in ")(") * (-1 if text[at] == stop else 1)
            at += step
        ends.append(at)
    return max(ends[0], 0), ends[1]


# --- a declaration -------------------------------------------------------------------------------


def declaration_candidates(subject: Subject) -> Iterator[Repair]:
    """Fixes with a placeholder, completed with each sort; an enumeration of the undeclared names."""
    written = _written(subject)
    for error in subject.with_code(_UNDECLARED):
        for fix in error.fixes:
            if fix.applicability is Applicability.PLACEHOLDER:
                yield from _completed(fix, subject.sorts()[:_MOST_SORTS], written)
    unknown = [subject.formula(error) for error in subject.with_code(["POT2005"])]
    names = [
        subject.formula(error)[slice(*error.place.span)]
        for error in subject.with_code(["POT2001"])
        if error.place.span is not None
    ]
    # Several unknown sorts could each own the names: then none is offered.
    if names and len(unknown) == 1 and unknown[0]:
        declared = {"name": unknown[0], "type": "EnumSort", "values": names}
        title = f"declare the sort `{unknown[0]}` with the values {', '.join(names)[:60]}"
        yield Repair(_DECLARING, title, (Patch("add", "/sorts/-", declared),))


def _completed(fix: Fix, sorts: list[str], written: Counter[str]) -> Iterator[Repair]:
    """With one sort wherever one is left open, and, for a function, with each range."""
    plain = fix.title.removesuffix(f" of {_OPEN}")
    whole = not any(isinstance(edit, Patch) and _has_range(edit.value) for edit in fix.edits)
    for sort in sorts:
        for range_ in (None,) if whole else sorts:
            edits = tuple(_edit(edit, sort, range_) for edit in fix.edits)
            title = f"{plain} of {sort}" if range_ is None else f"{plain} with the range {range_}"
            # A name as near comes first; of ranges a sort of the program's own that nothing else uses.
            common = 2 * _OFTEN + _OFTEN * (range_ in BUILT_IN)
            common += written[range_ or ""] + _words(edits).count(range_ or "")
            yield Repair(_DECLARING, title, edits, common)


def _words(edits: Sequence[Edit]) -> list[str]:
    return WORD.findall(" ".join(str(edit.value) for edit in edits if isinstance(edit, Patch)))


def _has_range(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_range, value))
    return isinstance(value, dict) and "range" in value


def _edit(edit: Edit, sort: str, range_: str | None) -> Edit:
    return edit._replace(value=_put(edit.value, sort, range_)) if isinstance(edit, Patch) else edit


def _put(value: Any, sort: str, range_: str | None) -> Any:
    if isinstance(value, dict):
        filled = {key: _put(item, sort, range_) for key, item in value.items()}
        return {**filled, "range": range_} if range_ is not None and "range" in filled else filled
    if isinstance(value, list):
        return [_put(item, sort, range_) for item in value]
    return sort if value == _OPEN else value


# --- another sort --------------------------------------------------------------------------------


def sort_candidates(subject: Subject) -> Iterator[Repair]:
    """Declared sorts of names in the mismatched terms, names common to all terms first."""
    used = [(error, set(WORD.findall(subject.formula(error)))) for error in subject.with_code(_MISMATCHED)]
    mentioned = {word for error, _ in used for word in WORD.findall(error.message)}
    own = subject.own_sorts()
    for slot in subject.slots():
        missed = sum(not slot.reaches(error) or names.isdisjoint(slot.owners) for error, names in used)
        # A declaration that concerns none of the errors cannot mend one.
        if missed == len(used):
            continue
        for sort in subject.sorts()[:_MOST_SORTS]:
            if sort not in (slot.sort, slot.sort.removesuffix("Sort")):
                # A sort of the program's own in place of one that is not is likelier than the reverse.
                unlikely = (slot.sort in own) + (sort not in own)
                cost = 4 * missed + 2 * (sort not in mentioned) + unlikely
                title = f"give {_owners(slot)} the sort {sort} in place of {slot.sort}"
                yield Repair(cost, title, (slot.edit(sort),))


def _owners(slot: Slot) -> str:
    shown = [f"`{name}`" for name in slot.owners[:2]]
    return ", ".join(shown) + (" and the others" if len(slot.owners) > len(shown) else "")
