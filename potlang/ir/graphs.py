"""Graphs and partitions of things that can be hashed. Nothing recurses; all is linear but for union-find."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)
Label = TypeVar("Label")


class UnionFind(Generic[T]):
    """A partition, in which an item is alone until it is joined: union by size, with path halving."""

    __slots__ = ("_above", "_items", "_size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        """`items` are those that `classes` lists."""
        self._items = dict.fromkeys(items)
        # Representatives have no entry: nothing is to be made for items that are never joined.
        self._above: dict[T, T] = {}
        self._size: dict[T, int] = {}

    def items(self) -> Iterable[T]:
        """The items, in order."""
        return self._items.keys()

    def find(self, item: T) -> T:
        """The representative of the item's class."""
        above = self._above
        while (parent := above.get(item)) is not None:
            top = above.get(parent)
            if top is None:
                return parent
            above[item] = item = top
        return item

    def join(self, a: T, b: T) -> bool:
        """Makes two classes one; whether they were two."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self._size.get(a, 1) < self._size.get(b, 1):
            a, b = b, a
        self.attach(b, a)
        return True

    def attach(self, lower: T, upper: T) -> None:
        """Makes the classes of two representatives one, represented by `upper`."""
        self._above[lower] = upper
        self._size[upper] = self._size.get(upper, 1) + self._size.pop(lower, 1)

    def classes(self) -> list[list[T]]:
        """The classes, each in the order of its items, and in the order of their first items."""
        found: dict[T, list[T]] = {}
        for item in self._items:
            found.setdefault(self.find(item), []).append(item)
        return list(found.values())


class ProofForest(Generic[T, Label]):
    """Why items are in one class: trees whose edges are the equations that joined classes, with labels.

    R. Nieuwenhuis and A. Oliveras, "Proof-producing congruence closure" (2005). A union-find beside it
    says which items are connected; its own paths cannot explain that, since they are compressed.
    """

    __slots__ = ("_edges",)

    def __init__(self) -> None:
        self._edges: dict[T, tuple[T, Label]] = {}

    def link(self, a: T, b: T, label: Label) -> None:
        """Add the edge from `a` to `b`, which must not be connected; cheapest where `a`'s tree is small."""
        # An item has one edge upwards at most, so `a` becomes the root of its tree before it gets one.
        item, edge = a, self._edges.pop(a, None)
        while edge is not None:
            above, old = edge
            edge = self._edges.pop(above, None)
            self._edges[above] = (item, old)
            item = above
        self._edges[a] = (b, label)

    def path(self, a: T, b: T) -> list[tuple[T, Label]]:
        """From `a` to `b`, which must be connected: each item reached, and the label of the edge to it."""
        edges = self._edges
        up: list[tuple[T, Label]] = []
        length = {a: 0}
        here = a
        while here in edges:
            here, label = edges[here]
            up.append((here, label))
            length[here] = len(up)
        down: list[tuple[T, Label]] = []
        here = b
        while here not in length:
            above, label = edges[here]
            down.append((here, label))
            here = above
        return up[: length[here]] + down[::-1]


def reachable_from(starts: Iterable[T], successors: Callable[[T], Iterable[T]]) -> set[T]:
    """`starts` and all that is reached from them."""
    seen = set(starts)
    stack = list(seen)
    while stack:
        for each in successors(stack.pop()):
            if each not in seen:
                seen.add(each)
                stack.append(each)
    return seen


def ordered(
    items: Iterable[T], needs: Callable[[T], Iterable[T]], cyclic: Callable[[list[T]], None]
) -> list[T]:
    """`items` and what they need, each after what it needs, otherwise in the order in which they are met.

    `cyclic` gets the items of a cycle, from the first one met on; if it returns, the edge that closes the
    cycle is left out. (`graphlib` orders by levels instead, and stops at the first cycle.)
    """
    order: list[T] = []
    done: dict[T, bool] = {}
    for root in items:
        path: list[tuple[T, Iterator[T]]] = []
        if root not in done:
            done[root] = False
            path.append((root, iter(needs(root))))
        while path:
            item, rest = path[-1]
            each = next(rest, None)
            if each is None:
                path.pop()
                done[item] = True
                order.append(item)
            elif each not in done:
                done[each] = False
                path.append((each, iter(needs(each))))
            elif not done[each]:
                # Neither finished nor new: it is on the path, which leads from it to itself.
                open_ = [step for step, _ in path]
                cyclic(open_[open_.index(each) :])
    return order


def components(successors: Sequence[Iterable[int]]) -> tuple[list[int], list[list[int]]]:
    """The strongly connected components of the graph on 0, 1, …, each after those that it leads to.

    For each node the number of its component, and the sorted members of each component.
    R. Tarjan, "Depth-first search and linear graph algorithms" (1972).
    """
    size = len(successors)
    number, low, component = [-1] * size, [0] * size, [-1] * size
    found: list[list[int]] = []
    open_: list[int] = []
    work: list[tuple[int, Iterator[int]]] = []

    count = itertools.count()

    def enter(node: int) -> None:
        number[node] = low[node] = next(count)
        open_.append(node)
        work.append((node, iter(successors[node])))

    for root in range(size):
        if number[root] < 0:
            enter(root)
        while work:
            node, rest = work[-1]
            child = next(rest, None)
            if child is not None:
                if number[child] < 0:
                    enter(child)
                elif component[child] < 0:
                    low[node] = min(low[node], number[child])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == number[node]:
                # No older open node is reached from here: what was opened since is one component.
                while component[node] < 0:
                    component[open_.pop()] = len(found)
                found.append([])
    for node, at in enumerate(component):
        found[at].append(node)
    return component, found
