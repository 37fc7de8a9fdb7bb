"""Which statement of the new version stands in the place of which of the old one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from potlang.policy.statements import PolicyStatement
from potlang.policy.wording import likeness

_NUMBERED: Final = re.compile(r"(?:fact|rule) \d+")
_LEAST_ALIKE: Final = 0.5
_MOST_COMPARED: Final = 10_000
Pair = tuple[PolicyStatement | None, PolicyStatement | None]


def paired(old: Sequence[PolicyStatement], new: Sequence[PolicyStatement]) -> list[Pair]:
    """Pairs of the two, in the order of the old ones; at last the new ones that have no partner.

    Partners have one kind, and a name in common, or texts that are alike, or a place.
    """
    partner: dict[int, int] = {}
    for make in (_named, _alike, _placed):
        left = [at for at in range(len(old)) if at not in partner]
        free = [at for at in range(len(new)) if at not in partner.values()]
        partner |= make(old, new, left, free)
    taken = set(partner.values())
    pairs: list[Pair] = [(each, new[partner[at]] if at in partner else None) for at, each in enumerate(old)]
    return [*pairs, *((None, each) for at, each in enumerate(new) if at not in taken)]


Places = Sequence[int]


def _named(
    old: Sequence[PolicyStatement], new: Sequence[PolicyStatement], left: Places, free: Places
) -> dict[int, int]:
    def name(each: PolicyStatement) -> object:
        return None if _NUMBERED.fullmatch(each.name) else (each.kind, each.name)

    return _by(name, old, new, left, free)


def _placed(
    old: Sequence[PolicyStatement], new: Sequence[PolicyStatement], left: Places, free: Places
) -> dict[int, int]:
    return _by(lambda each: (each.kind, each.pointer), old, new, left, free)


def _by(
    key: Callable[[PolicyStatement], object],
    old: Sequence[PolicyStatement],
    new: Sequence[PolicyStatement],
    left: Places,
    free: Places,
) -> dict[int, int]:
    """Those of which the key is that of exactly one on either side."""
    found: dict[object, tuple[list[int], list[int]]] = {}
    for side, (every, places) in enumerate(((old, left), (new, free))):
        for at in places:
            found.setdefault(key(every[at]), ([], []))[side].append(at)
    found.pop(None, None)
    return {first[0]: second[0] for first, second in found.values() if len(first) == len(second) == 1}


def _alike(
    old: Sequence[PolicyStatement], new: Sequence[PolicyStatement], left: Places, free: Places
) -> dict[int, int]:
    """The most alike first; none where there are too many to compare each with each."""
    if len(left) * len(free) > _MOST_COMPARED:
        return {}
    scored = [
        (likeness(old[at].text, new[to].text), at, to)
        for at in left
        for to in free
        if old[at].kind == new[to].kind
    ]
    found: dict[int, int] = {}
    for score, at, to in sorted(scored, key=lambda each: (-each[0], each[1], each[2])):
        if score >= _LEAST_ALIKE and at not in found and to not in found.values():
            found[at] = to
    return found
