"""Sorts, each made once so that sameness is identity."""

from __future__ import annotations

from .tokens import Invalid, Tree, integer, name, shown

MOST_WIDTH = 1 << 16
MOST_PARTS = 10_000
MOST_NESTED = 100


Labels = tuple[str, ...]


class Sort:
    """`kind` is Bool, Int, Real, String, declared, enum, tuple, BitVec, Set, Array or Function.

    `parts` are the sorts it is built from, `labels` the values of an enum or the fields of a tuple.
    """

    def __init__(self, kind: str, name: str, parts: tuple[Sort, ...], labels: Labels, width: int) -> None:
        self.kind, self.name, self.parts, self.labels, self.width = kind, name, parts, labels, width
        self.fields = tuple(zip(labels, parts, strict=False))
        self.depth: int = 1 + max((part.depth for part in parts), default=0)
        self.weight: int = 1 + sum(part.weight for part in parts)
        if self.depth > MOST_NESTED or self.weight > MOST_PARTS or width > MOST_WIDTH:
            raise Invalid("a sort is too large")


BOOL, INT, REAL, STRING = (Sort(kind, "", (), (), 0) for kind in ("Bool", "Int", "Real", "String"))


class Sorts:
    """The sorts of one program."""

    def __init__(self) -> None:
        self.named: dict[str, Sort] = {}
        self._made: dict[object, Sort] = {sort.kind: sort for sort in (BOOL, INT, REAL, STRING)}

    def declare(self, kind: str, name: str, parts: tuple[Sort, ...], labels: Labels) -> None:
        """A declared, enum or tuple sort."""
        if name in self.named or len(set(labels)) < len(labels) or (kind == "enum" and not labels):
            raise Invalid(f"the sort {shown(name)} is declared twice, empty, or repeats a name")
        self.named[name] = Sort(kind, name, parts, labels, 0)

    def make(self, kind: str, parts: tuple[Sort, ...] = (), width: int = 0) -> Sort:
        """A set, array, function or bit vector sort."""
        key = (kind, parts, width)
        if key not in self._made:
            self._made[key] = Sort(kind, "", parts, (), width)
        return self._made[key]

    def read(self, tree: Tree) -> Sort:
        """The sort that `tree` writes, from inner parts to outer ones."""
        results: list[Sort] = []
        stack: list[tuple[Tree, bool]] = [(tree, False)]
        while stack:
            top, complete = stack.pop()
            match top:
                case ["Set", _] | ["Array", _, _] | ["Function", _, _, *_]:
                    if not complete:
                        stack.append((top, True))
                        stack.extend((part, False) for part in reversed(top[1:]))
                        continue
                    cut = len(results) - (len(top) - 1)
                    results[cut:] = [self.make(name(top[0]), tuple(results[cut:]))]
                case ["BitVec", width] if 1 <= integer(width) <= MOST_WIDTH:
                    results.append(self.make("BitVec", (), integer(width)))
                case str() if top in self._made:
                    results.append(self._made[top])
                case _:
                    if isinstance(top, list) or name(top) not in self.named:
                        raise Invalid(f"unknown or malformed sort {shown(top)}")
                    results.append(self.named[name(top)])
        return results[0]
