"""Union-find on `0 .. n-1`; a class is represented by its least element."""

from __future__ import annotations


class Unions:
    """A partition that becomes coarser. Each operation is near constant in time."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def add(self) -> int:
        """A new element, alone in its class."""
        self._parent.append(len(self._parent))
        return len(self._parent) - 1

    def find(self, element: int) -> int:
        """The least element of the class."""
        parent = self._parent
        while parent[element] != element:
            parent[element] = parent[parent[element]]
            element = parent[element]
        return element

    def join(self, left: int, right: int) -> None:
        """Make the two classes one."""
        kept, gone = sorted((self.find(left), self.find(right)))
        self._parent[gone] = kept

    def numbers(self) -> list[int]:
        """The class of each element, numbered from 0 in the order of least elements."""
        index: dict[int, int] = {}
        return [index.setdefault(self.find(x), len(index)) for x in range(len(self._parent))]
