"""Classes of equal things: union by size, with path halving."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class UnionFind(Generic[T]):
    """A partition of some items, each alone at first."""

    __slots__ = ("_above", "_size")

    def __init__(self, items: Iterable[T]) -> None:
        self._above = {item: item for item in items}
        self._size = dict.fromkeys(self._above, 1)

    def items(self) -> Iterable[T]:
        """The items, in order."""
        return self._above.keys()

    def find(self, item: T) -> T:
        """The representative of the item's class."""
        above = self._above
        while (parent := above[item]) != item:
            above[item] = item = above[parent]
        return item

    def join(self, a: T, b: T) -> bool:
        """Makes two classes one; whether they were two."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self._size[a] < self._size[b]:
            a, b = b, a
        self._above[b] = a
        self._size[a] += self._size[b]
        return True

    def classes(self) -> list[list[T]]:
        """The classes, each in the order of its items, and in the order of their first items."""
        found: dict[T, list[T]] = {}
        for item in self._above:
            found.setdefault(self.find(item), []).append(item)
        return list(found.values())
