"""Another name where one is not declared."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Diagnostic
from potlang.diag.model import Edit, Patch, Replace
from potlang.diag.near import edit_distance, numbered_alike
from potlang.repair.candidate import WORD, Repair, Subject
from potlang.repair.slots import slots, sort_names

CODES = frozenset(("POT2001", "POT2005"))
_FAR = 2
_SHORT = 2
"""So short a name may have been any other of the same scope."""


def name_candidates(subject: Subject) -> Iterator[Repair]:
    """Declared names that differ in a letter or two; for short names, all binders."""
    for error in subject.errors:
        span = error.place.span
        if error.code not in CODES or span is None:
            continue
        text = subject.formula(error)
        name = text[slice(*span)]
        if error.code == "POT2001" and len(error.labels) > 1 and len(name) > _SHORT:
            continue  # Whoever writes a name twice means it.
        for near, cost in _near(subject, error, name, text).items():
            title = f"write `{near}` in place of `{name}`"
            yield Repair(cost, title, (_edit(error, text, span, near),))


def _edit(error: Diagnostic, text: str, span: tuple[int, int], near: str) -> Edit:
    if span == (0, len(text)):
        return Patch("replace", error.place.pointer, near)
    return Replace(error.place.pointer, *span, near)


def _near(subject: Subject, error: Diagnostic, name: str, text: str) -> dict[str, int]:
    if error.code == "POT2005":
        sorts = [each for sort in sort_names(subject) for each in (sort, f"{sort}Sort")]
        return {sort: far for sort in sorts if (far := edit_distance(name, sort, _FAR))}
    found: dict[str, int] = {}
    binders = [slot for slot in slots(subject) if slot.scope]
    inside = {owner for slot in binders if _within(error, slot.scope) for owner in slot.owners}
    for other in [*inside, *WORD.findall(text)]:
        far = edit_distance(name, other, _FAR)
        if other != name and (far or (len(name) <= _SHORT and len(other) <= _SHORT)):
            found.setdefault(other, far or _FAR + 1)
    for slot in slots(subject):
        for owner in slot.owners:
            far = None if slot.scope else edit_distance(name, owner, _FAR)
            if far and not numbered_alike(name, owner):
                # Names of the same formula were entered before, at a lower cost.
                found.setdefault(owner, far + 1)
    return found


def _within(error: Diagnostic, scope: str) -> bool:
    return f"{error.place.pointer}/".startswith(f"{scope}/")
