"""Sets of ids as their decimal digits, in persistent tries: adding and removing leaves the old set as it was.

A node is whether its digits are a member, and its edges, each with the digits on it; all but the root have
members below. So a set is shared by all states that have it, and asked by prefix, as digits come one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple, TypeAlias

IdTrie: TypeAlias = tuple[bool, tuple[tuple[bytes, Any], ...]]
EMPTY: IdTrie = (False, ())
_LEAF: IdTrie = (True, ())


class _DownEdge(NamedTuple):
    """A node on the way down, and which of its edges was taken."""

    node: IdTrie
    edge: int


def below(root: IdTrie, prefix: bytes) -> tuple[bytes, IdTrie] | None:
    """Where the members with this prefix go on: the digits up to the next node, and that node."""
    node, rest = root, prefix
    while rest:
        edge = next((edge for edge in node[1] if edge[0][0] == rest[0]), None)
        if edge is None:
            return None
        label, child = edge
        if not rest.startswith(label):
            return (label[len(rest) :], child) if label.startswith(rest) else None
        node, rest = child, rest[len(label) :]
    return b"", node


def has(root: IdTrie, key: bytes) -> bool:
    """Whether the digits are a member."""
    found = below(root, key)
    return found is not None and not found[0] and found[1][0]


def extends(root: IdTrie, prefix: bytes) -> bool:
    """Whether some member begins with these digits."""
    return bool(prefix or root[0] or root[1]) and below(root, prefix) is not None


def added(root: IdTrie, key: bytes) -> IdTrie:
    """The set with one member more."""
    ways, node, rest = [], root, key
    new: IdTrie = _LEAF
    while rest:
        found = next((i for i, (label, _) in enumerate(node[1]) if label[0] == rest[0]), None)
        if found is None:
            new = (node[0], (*node[1], (rest, _LEAF)))
            break
        index, (label, child) = found, node[1][found]
        if not rest.startswith(label):
            new = _with_edge(node, index, *_split(label, child, rest))
            break
        ways.append(_DownEdge(node, index))
        node, rest = child, rest[len(label) :]
    else:
        new = (True, node[1])
    return _rebuilt(ways, new)


def _split(label: bytes, child: IdTrie, rest: bytes) -> tuple[bytes, IdTrie]:
    """The edge that leads both to `child`, over `label`, and to the member `rest`."""
    shared = next((i for i, (a, b) in enumerate(zip(label, rest, strict=False)) if a != b), len(rest))
    old = (label[shared:], child)
    if shared == len(rest):
        return rest, (True, (old,))
    return label[:shared], (False, (old, (rest[shared:], _LEAF)))


def _with_edge(node: IdTrie, index: int, label: bytes, child: IdTrie) -> IdTrie:
    edges = node[1]
    return node[0], (*edges[:index], (label, child), *edges[index + 1 :])


def removed(root: IdTrie, key: bytes) -> IdTrie:
    """The set without a member of it."""
    ways, node, rest = [], root, key
    while rest:
        index = next(i for i, (label, _) in enumerate(node[1]) if rest.startswith(label))
        ways.append(_DownEdge(node, index))
        label, node = node[1][index]
        rest = rest[len(label) :]
    new: IdTrie = (False, node[1])
    while ways and not new[0] and not new[1]:
        above, index = ways.pop()
        new = (above[0], above[1][:index] + above[1][index + 1 :])
    return _rebuilt(ways, new)


def _rebuilt(ways: list[_DownEdge], new: IdTrie) -> IdTrie:
    for node, index in reversed(ways):
        new = _with_edge(node, index, node[1][index][0], new)
    return new


def members(root: IdTrie) -> Iterator[bytes]:
    """All members, in no particular order."""
    stack = [(b"", root)]
    while stack:
        digits, (is_member, edges) = stack.pop()
        if is_member:
            yield digits
        stack += ((digits + label, child) for label, child in edges)


def shortest(root: IdTrie, prefix: bytes) -> bytes | None:
    """The fewest digits that make the prefix a member, the smallest of these; None where nothing does."""
    found = below(root, prefix)
    if found is None:
        return None
    heap = [(len(found[0]), *found)]
    while heap:
        _, digits, (is_member, edges) = heappop(heap)
        if is_member:
            return digits
        for label, child in edges:
            more = digits + label
            heappush(heap, (len(more), more, child))
    return None
