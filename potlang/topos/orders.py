"""Finite preorders as bit masks: `below[p]` is the mask of all that lies below `p`, `p` included.

Subobjects, sieves and ideals are all down-sets of such preorders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from potlang.topos.errors import bounded

DOWN_SETS = 1 << 16
"""How many down-sets are enumerated, unless the caller says otherwise."""


def bits(mask: int) -> Iterator[int]:
    """The elements of a mask, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(elements: Iterator[int] | Sequence[int]) -> int:
    """The mask of some elements."""
    mask = 0
    for element in elements:
        mask |= 1 << element
    return mask


def is_down_set(below: Sequence[int], mask: int) -> bool:
    """Whether `mask` holds all that lies below its elements."""
    return all(not below[p] & ~mask for p in bits(mask))


def interior(below: Sequence[int], mask: int) -> int:
    """The largest down-set inside `mask`."""
    return mask_of(p for p in bits(mask) if not below[p] & ~mask)


def downward(below: Sequence[int], mask: int) -> int:
    """The least down-set that holds `mask`."""
    result = 0
    for p in bits(mask):
        result |= below[p]
    return result


def classes(below: Sequence[int]) -> list[int]:
    """The classes of elements that lie below each other, as masks; what lies below comes first."""
    found: dict[int, int] = {}
    for p in sorted(range(len(below)), key=lambda p: (below[p].bit_count(), p)):
        found[below[p]] = found.get(below[p], 0) | 1 << p
    return list(found.values())


def down_sets(below: Sequence[int], limit: int = DOWN_SETS) -> list[int]:
    """All down-sets, as masks, ascending."""
    found = [0]
    for members in classes(below):
        lower = below[next(bits(members))] & ~members
        found += [mask | members for mask in found if not lower & ~mask]
        bounded(len(found), limit, "down-sets of a preorder")
    return sorted(found)
