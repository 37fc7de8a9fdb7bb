"""Near names: which declared names somebody may have meant.

Equal up to case comes first, then equal up to underscores and camel case, then singular and plural
and the prefixes `is` and `has`, then a bounded Damerau-Levenshtein distance.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

_MARK = re.compile(r"\d+|(?<=[a-z\d])[A-Z]$|(?<=_)[A-Za-z]$")
"""The part of a name that counts things of a kind: a number, or a letter set apart at the end."""
_SHORT = 2
"""Names of so many letters are near to all others."""
_SCAN = 2_000
_WINDOW = 200
_LONGEST = 200


class NearNames:
    """An index for many questions about the same names; building it is O(n log n)."""

    __slots__ = ("_by_form", "_by_stem", "_names", "_reversed", "_sorted")

    def __init__(self, candidates: Iterable[str]) -> None:
        self._names = {name: rank for rank, name in enumerate(dict.fromkeys(candidates))}
        self._by_form: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        for name in self._names:
            form = _form(name)
            self._by_form.setdefault(form, []).append(name)
            self._by_stem.setdefault(_stem(form), []).append(name)
        self._sorted: list[tuple[str, str]] = []
        self._reversed: list[tuple[str, str]] = []

    def nearest(self, name: str, limit: int = 3) -> list[str]:
        """At most `limit` names, the nearest first; ties keep the order of the candidates."""
        form = _form(name)
        same = [near for near in self._by_form.get(form, ()) if near != name]
        found = dict.fromkeys(sorted(same, key=lambda near: near.casefold() != name.casefold()))
        found.update(dict.fromkeys(near for near in self._by_stem.get(_stem(form), ()) if near != name))
        if len(found) < limit and len(name) <= _LONGEST:
            found.update(dict.fromkeys(self._by_distance(name, limit)))
        return list(found)[:limit]

    def _by_distance(self, name: str, limit: int) -> list[str]:
        folded = name.casefold()
        bound = min(len(folded) // 3, 4)
        scored: list[tuple[int, int, str]] = []
        for near in self._plausible(folded) if bound else ():
            if near == name or abs(len(near) - len(name)) > bound + 2:
                continue
            distance = edit_distance(folded, near.casefold(), bound)
            if distance is not None:
                scored.append((distance, self._names[near], near))
                if len(scored) % (limit + 1) == limit:
                    bound = sorted(scored)[limit - 1][0]
        return [near for _, _, near in sorted(scored)]

    def _plausible(self, folded: str) -> Iterable[str]:
        if len(self._names) <= _SCAN:
            return self._names
        if not self._sorted:
            self._sorted = sorted((name.casefold(), name) for name in self._names)
            self._reversed = sorted((name.casefold()[::-1], name) for name in self._names)
        around = _around(self._sorted, folded) + _around(self._reversed, folded[::-1])
        return dict.fromkeys(around)


def nearest(name: str, candidates: Iterable[str], limit: int = 3) -> list[str]:
    """At most `limit` of the candidates that `name` may have been meant for, the nearest first.

    For many questions about the same candidates build one `NearNames`.
    """
    return NearNames(candidates).nearest(name, limit)


def numbered_alike(a: str, b: str) -> bool:
    """Whether names differ in what counts them alone, as `task1` and `task2`, `nodeA` and `nodeB`."""
    return a != b and _MARK.sub("#", a) == _MARK.sub("#", b)


def is_of_family(name: str, names: Iterable[str]) -> bool:
    """Whether several names differ from it in the same letter alone: `wumpus` from `tumpus` and `zumpus`."""
    seen: set[int] = set()
    for other in names if len(name) > _SHORT else ():
        if len(other) == len(name):
            places = [at for at, (a, b) in enumerate(zip(name, other, strict=True)) if a != b]
            if len(places) != 1 or name[places[0]].isupper() != other[places[0]].isupper():
                continue
            if places[0] in seen:
                return True
            seen.update(places)
    return False


def same_but_for_form(a: str, b: str) -> bool:
    """Whether names differ in case, underscores, a plural or a prefix such as `is` alone."""
    return _stem(_form(a)) == _stem(_form(b))


def edit_distance(a: str, b: str, bound: int) -> int | None:
    """The Damerau-Levenshtein distance (adjacent transpositions, optimal alignment), None above `bound`."""
    # A slip takes away one letter and brings another at most: most names are ruled out by that.
    if abs(len(a) - len(b)) > bound or (_letters(a) ^ _letters(b)).bit_count() > 2 * bound:
        return None
    a, b = _without_common_ends(a, b)
    above: list[int] = []
    row = list(range(len(b) + 1))
    for i, char in enumerate(a, 1):
        above, last, row = row, above, [i]
        for j, other in enumerate(b, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (char != other))
            if last and j > 1 and char == b[j - 2] and a[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > bound:
            return None
    return row[-1] if row[-1] <= bound else None


def _without_common_ends(a: str, b: str) -> tuple[str, str]:
    least = min(len(a), len(b))
    start = next((i for i in range(least) if a[i] != b[i]), least)
    end = next((i for i in range(least - start) if a[-1 - i] != b[-1 - i]), least - start)
    return a[start : len(a) - end], b[start : len(b) - end]


def _around(names: list[tuple[str, str]], key: str) -> list[str]:
    # A single slip leaves a long common prefix or suffix, so the neighbours in either order suffice.
    at = bisect_left(names, (key, ""))
    return [name for _, name in names[max(0, at - _WINDOW) : at + _WINDOW]]


@lru_cache(maxsize=1 << 12)
def _letters(name: str) -> int:
    """The set of its letters as bits; several letters may share one, which rules out less."""
    found = 0
    for letter in set(name):
        found |= 1 << (ord(letter) & 63)
    return found


def _form(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _stem(form: str) -> str:
    for prefix in ("is", "has"):
        if form.startswith(prefix) and len(form) > len(prefix) + 2:
            form = form[len(prefix) :]
            break
    if form.endswith("ies") and len(form) > 4:
        return form[:-3] + "y"
    if form.endswith(("ses", "xes", "zes", "ches", "shes")) and len(form) > 4:
        return form[:-2]
    return form[:-1] if form.endswith("s") and not form.endswith("ss") and len(form) > 3 else form
