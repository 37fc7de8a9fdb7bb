"""Repairs of sort mismatches: change a declared sort."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Diagnostic
from potlang.repair.candidate import Repair, Subject, words
from potlang.repair.slots import Slot, slots, sort_names

CODES = frozenset(("POT3001", "POT3003", "POT3004", "POT3005", "POT3006"))
_MOST_SORTS = 8


def sort_candidates(subject: Subject) -> Iterator[Repair]:
    """Declared sorts of names in the mismatched terms, names common to all terms first."""
    errors = [error for error in subject.errors if error.code in CODES]
    used = [(error, set(words(subject.formula(error)))) for error in errors]
    names = set().union(*(found for _, found in used))
    mentioned = {word for error in errors for word in words(error.message)}
    sorts = sort_names(subject)[:_MOST_SORTS]
    for slot in slots(subject):
        if names.isdisjoint(slot.owners):
            continue
        missed = sum(not _concerns(slot, *each) for each in used)
        # A declaration that concerns none of the errors cannot mend one.
        if missed == len(used):
            continue
        for sort in sorts:
            if sort not in (slot.sort, slot.sort.removesuffix("Sort")):
                cost = 4 * missed + 2 * (sort not in mentioned) + _unlikely(slot, sort, subject)
                title = f"give {_owners(slot)} the sort {sort} in place of {slot.sort}"
                yield Repair(cost, title, (slot.edit(sort),))


def _concerns(slot: Slot, error: Diagnostic, names: set[str]) -> bool:
    inside = not slot.scope or f"{error.place.pointer}/".startswith(f"{slot.scope}/")
    return inside and not names.isdisjoint(slot.owners)


def _unlikely(slot: Slot, sort: str, subject: Subject) -> int:
    """A sort of the program's own in place of one that is not is likelier than the reverse."""
    own = {each.get("name") for each in subject.section("sorts") if isinstance(each, dict)}
    return int(slot.sort in own) + int(sort not in own)


def _owners(slot: Slot) -> str:
    shown = [f"`{name}`" for name in slot.owners[:2]]
    return ", ".join(shown) + (" and the others" if len(slot.owners) > len(shown) else "")
