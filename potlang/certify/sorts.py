"""Sorts, each made once so that sameness is identity."""

from __future__ import annotations

from .tokens import Invalid, QuotedText, Tree, integer, name, shown

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

    def read(self, tree: Tree, level: int = 1) -> Sort:
        """The sort that `tree` writes; `level` is how deep it stands in another one."""
        match tree:
            case ["Set" | "Array" | "Function", *_] if level > MOST_NESTED:
                raise Invalid("a sort is too large")
            case ["Set", _] | ["Array", _, _] | ["Function", _, _, *_]:
                return self.make(name(tree[0]), tuple([self.read(part, level + 1) for part in tree[1:]]))
            case ["BitVec", width] if 1 <= integer(width) <= MOST_WIDTH:
                return self.make("BitVec", (), integer(width))
            case str() if tree in self._made:
                return self._made[tree]
            case str() | QuotedText() if name(tree) in self.named:
                return self.named[name(tree)]
        raise Invalid(f"unknown or malformed sort {shown(tree)}")
