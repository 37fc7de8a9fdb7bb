"""Aggregates over sorts that still get members: kept as terms of their own, and not written out.

`Sum([x: Event], amount(x))` is the sum over all events, of which the next ones are not known when a policy is
compiled. It becomes a constant (or a function of the variables that are free in it), and whoever evaluates
the module folds the term over the events that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from potlang.ir.module import Definition
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var, free_variables
from potlang.ir.pool import Pool
from potlang.ir.sorts import DeclaredSort, Sort


class WrittenOut(ValueError):
    """The members of a sort are asked for that still gets some: for a set, or the closure of a relation."""


class KeptAggregate(NamedTuple):
    """`fold` (`Sum`, `Count`, …) of the function `term` over its last arguments, of the sorts `over`."""

    fold: str
    term: Symbol
    over: tuple[Sort, ...]


class KeptAggregates:
    """The aggregates over the sorts of these names, each by the symbol that stands for it."""

    def __init__(self, sorts: Collection[str]) -> None:
        self._sorts = frozenset(sorts)
        self.found: dict[Symbol, KeptAggregate] = {}
        self.definitions: list[Definition] = []

    def has(self, variables: Sequence[Var]) -> bool:
        """Whether an aggregate that binds `variables` is kept."""
        return any(self._is_growing(each.sort) for each in variables)

    def others(self, members: Callable[[Sort], list[Node] | None]) -> Callable[[Sort], list[Node] | None]:
        """The members of sorts other than these, of which `WrittenOut` is raised."""

        def found(sort: Sort) -> list[Node] | None:
            if self._is_growing(sort):
                raise WrittenOut(f"the members of {sort} are written out")
            return members(sort)

        return found

    def _is_growing(self, sort: Sort) -> bool:
        return isinstance(sort, DeclaredSort) and sort.name in self._sorts

    def aggregate(self, pool: Pool, fold: str, variables: Sequence[Var], term: Node, sort: Sort) -> Node:
        """The term, of a sort, that stands for the fold of `term` over `variables`."""
        free = tuple(each for each in free_variables(term) if each not in variables)
        number = len(self.found) + 1
        outer = tuple(each.sort for each in free)
        over = tuple(each.sort for each in variables)
        # No name of a program has a space at its end.
        inner = Symbol(f"term {number} ", (*outer, *over), term.sort, SymbolKind.DEFINED)
        whole = Symbol(f"{fold} {number} ", outer, sort, SymbolKind.FRESH)
        self.definitions.append(Definition(inner, (*free, *variables), term))
        self.found[whole] = KeptAggregate(fold, inner, over)
        return pool.app(whole, free) if free else pool.sym(whole)
