"""The constants that a closure ranges over, as numbers, and which of them certainly differ."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from potlang.ir.nodes import Lit, Node, Sym, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BoolSort, DeclaredSort, EnumSort, IntSort, RealSort, Sort, StringSort

_MOST_COMPARED = 64
"""Constants of a sort that are compared pair by pair to see whether all differ."""


class Provenance(NamedTuple):
    """The assertion that something comes from (None: the goal).

    `images` gives each universal variable of that formula its place: a constant, or `~slot`, the number of
    a rule's variable. `assumed`: from no assertion, but supposed for one case.
    """

    key: str | None
    images: tuple[tuple[Var, int], ...] = ()
    assumed: bool = False


@dataclass(slots=True)
class Universe:
    """Constants by number. What was added after a `mark` can be released again."""

    nodes: list[Node] = field(default_factory=list)
    codes: dict[int, int] = field(default_factory=dict)
    """By node id."""
    by_sort: dict[Sort, list[int]] = field(default_factory=dict)
    groups: list[Provenance | None] = field(default_factory=list)
    """Sets of constants that all differ: what says so; None for literals of a sort."""
    group_of: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The groups a constant is in."""
    pairs: dict[tuple[int, int], Provenance] = field(default_factory=dict)
    """Pairs, smaller number first, that differ by what an assertion says."""
    dummies: dict[Sort, Symbol] = field(default_factory=dict)
    """The fresh constants of sorts that have no other."""
    _literals: dict[Sort, int] = field(default_factory=dict)

    def code(self, node: Node) -> int:
        """The number of a constant, a new one if need be."""
        found = self.codes.get(node.id)
        if found is None:
            found = self.codes[node.id] = len(self.nodes)
            self.nodes.append(node)
            self.by_sort.setdefault(node.sort, []).append(found)
            if isinstance(node, Lit):
                self.group_of[found] = (self._group_of_literals(node.sort),)
        return found

    def _group_of_literals(self, sort: Sort) -> int:
        group = self._literals.get(sort)
        if group is None:
            group = self._literals[sort] = len(self.groups)
            self.groups.append(None)
        return group

    def release(self, mark: int) -> None:
        """Forget the constants with numbers from `mark` on."""
        for code in range(len(self.nodes) - 1, mark - 1, -1):
            node = self.nodes.pop()
            del self.codes[node.id]
            self.by_sort[node.sort].remove(code)
            self.group_of.pop(code, None)

    def dummy(self, sort: Sort, pool: Pool) -> int:
        """The number of the fresh constant of `sort`."""
        return self.code(self.dummy_node(sort, pool))

    def dummy_node(self, sort: Sort, pool: Pool) -> Node:
        """The fresh constant of `sort`."""
        symbol = self.dummies.get(sort)
        if symbol is None:
            symbol = self.dummies[sort] = Symbol("dummy", (), sort, SymbolKind.FRESH)
        return pool.sym(symbol)

    # --- differences ---

    def separate(self, codes: list[int], source: Provenance) -> None:
        """Note that these constants are pairwise different."""
        if len(codes) == 2:
            self.pairs.setdefault((min(codes), max(codes)), source)
            return
        number = len(self.groups)
        self.groups.append(source)
        for code in dict.fromkeys(codes):
            self.group_of[code] = (*self.group_of.get(code, ()), number)

    def known_distinct(self, a: int, b: int) -> bool:
        """Whether two constants certainly differ."""
        if a == b:
            return False
        one, other = self.group_of.get(a, ()), self.group_of.get(b, ())
        if any(group in other for group in one):
            return True
        return bool(self.pairs) and (min(a, b), max(a, b)) in self.pairs

    def reason(self, a: int, b: int) -> Provenance | None:
        """The reason why two known distinct constants differ; None for literals."""
        other = self.group_of.get(b, ())
        for group in self.group_of.get(a, ()):
            if group in other:
                return self.groups[group]
        return self.pairs[min(a, b), max(a, b)]

    def all_distinct(self, sort: Sort, but: Collection[int] = ()) -> bool:
        """Whether every constant of `sort`, those of `but` excepted, has a unique name."""
        codes = [code for code in self.by_sort.get(sort, ()) if code not in but]
        if len(codes) <= 1:
            return True
        shared = set(self.group_of.get(codes[0], ()))
        for code in codes:
            shared &= set(self.group_of.get(code, ()))
        if shared:
            return True
        if len(codes) > _MOST_COMPARED:
            return False
        return all(self.known_distinct(a, b) for i, a in enumerate(codes) for b in codes[i + 1 :])


def is_open(sort: Sort) -> bool:
    """Whether `sort` has members that no constant need name: declared sorts, and infinite basic ones."""
    return isinstance(sort, DeclaredSort | IntSort | RealSort | StringSort)


def is_infinite(sort: Sort) -> bool:
    """Whether `sort` is a basic sort with infinitely many members."""
    return isinstance(sort, IntSort | RealSort | StringSort)


def can_range(sort: Sort) -> bool:
    """Whether rules may quantify over `sort`."""
    return is_open(sort) or isinstance(sort, EnumSort | BoolSort)


def fixed_members(sort: Sort, pool: Pool) -> list[Node]:
    """The members of an enum sort and of Bool, as literals."""
    if isinstance(sort, EnumSort):
        return [pool.lit(value, sort) for value in sort.values]
    return [pool.false, pool.true] if isinstance(sort, BoolSort) else []


def is_constant(node: Node) -> bool:
    """Whether a node is a constant or a literal."""
    return isinstance(node, Sym | Lit)
