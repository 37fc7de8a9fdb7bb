"""A module to be written for a tool: its assumptions, some claims, and the symbols that occur in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from potlang.ir.graphs import ordered
from potlang.ir.module import Assertion, Claim, Definition, Module, Origin
from potlang.ir.nodes import Node, Quant, Symbol, SymbolKind, Var, children, reachable, symbols_in
from potlang.ir.pool import Pool
from potlang.ir.sorts import DeclaredSort, EnumSort, Sort, TupleSort, parts_of

MOST_TEXT: Final = 4 * 1024 * 1024
"""Characters of one formula."""
_MOST_DISTINCT: Final = 300
"""Terms that are said to be different two by two."""
_MOST_NODES: Final = 200_000
"""Of one formula, when parts that it shares are counted as often as they occur."""
_LONGEST_LABEL: Final = 400
NOWHERE: Final = Origin()


class NoCounterpart(ValueError):
    """A construct that the other tool has no word for: `what` it is, and what to do (`help`).

    `origin` is the place of the statement in which it stands, as far as that is known.
    """

    def __init__(self, what: str, help: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.help = help
        self.origin = Origin()


class TooLarge(NoCounterpart):
    """The text would be beyond the limit."""

    def __init__(self) -> None:
        super().__init__(
            "a formula of this size, when parts that it shares are written out",
            "`--to python` and `--to smt2` write shared parts once",
        )


@contextmanager
def stated_at(origin: Origin) -> Iterator[None]:
    """Name the statement at `origin` in the error of a construct without a counterpart."""
    try:
        yield
    except NoCounterpart as error:
        if not error.origin.pointer:
            error.origin = origin
        raise


class Asked(NamedTuple):
    """A claim and its closed formula, in which `exists` binds the variables of `find`."""

    claim: Claim
    formula: Node


@dataclass(frozen=True, slots=True)
class ToolProblem:
    """The assumptions of a module, some of its claims, and what occurs in these, each after what it uses."""

    module: Module
    assertions: tuple[Assertion, ...]
    asked: tuple[Asked, ...]
    definitions: tuple[Definition, ...]
    symbols: tuple[Symbol, ...]
    """Constants and functions; not those that are defined, constructors or selectors."""
    sorts: tuple[DeclaredSort | EnumSort | TupleSort, ...]

    @property
    def pool(self) -> Pool:
        """The pool of the formulas."""
        return self.module.pool


def problem_of(module: Module, claims: Sequence[Claim]) -> ToolProblem:
    """The problem that a module and some of its claims are.

    Raises `NoCounterpart` for a recursive definition.
    """
    pool = module.pool
    asked = tuple(
        Asked(claim, pool.quant("exists", claim.find, claim.formula) if claim.find else claim.formula)
        for claim in claims
    )
    roots = [*(each.formula for each in module.assertions), *(each.formula for each in asked)]
    definitions = _used_definitions(module, roots)
    roots += [each.body for each in definitions]
    found = dict.fromkeys(symbol for root in roots for symbol in symbols_in(root))
    defined = {each.symbol for each in definitions}
    own = (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR)
    # Those of the module come in its order, those that were introduced after them.
    in_order = [*(symbol for symbol in module.symbols if symbol in found), *found]
    symbols = tuple(
        symbol for symbol in dict.fromkeys(in_order) if symbol not in defined and symbol.kind not in own
    )
    used = set(parts_of(_sorts_of(roots, (*found, *defined))))
    sorts = tuple(sort for sort in module.sorts if sort in used)
    return ToolProblem(module, module.assertions, asked, definitions, symbols, sorts)


def _sorts_of(roots: Sequence[Node], symbols: Iterable[Symbol]) -> Iterator[Sort]:
    for node in reachable(*roots):
        yield node.sort
        if isinstance(node, Quant):
            yield from (var.sort for var in node.binders)
    for symbol in symbols:
        yield from (*symbol.domain, symbol.range)


def _used_definitions(module: Module, roots: Sequence[Node]) -> tuple[Definition, ...]:
    """The definitions that the roots need, each after those that it needs itself."""
    by_symbol = {each.symbol: each for each in module.definitions}

    def used(symbol: Symbol) -> list[Symbol]:
        return [each for each in symbols_in(by_symbol[symbol].body) if each in by_symbol]

    def recursive(cycle: list[Symbol]) -> None:
        raise NoCounterpart(f"the recursive definition of `{cycle[0].name}`", "leave out its body")

    needed = dict.fromkeys(each for root in roots for each in symbols_in(root) if each in by_symbol)
    return tuple(by_symbol[symbol] for symbol in ordered(needed, used, recursive))


def pairs_of(terms: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Each two of some terms. Raises `TooLarge` where these are too many."""
    if len(terms) > _MOST_DISTINCT:
        raise TooLarge
    return list(combinations(terms, 2))


def require_small(root: Node) -> None:
    """Raises `TooLarge` for a formula that is too large without sharing."""
    size: dict[int, int] = {}
    for node in reachable(root):
        size[node.id] = 1 + sum(size[part.id] for part in children(node))
    if size[root.id] > _MOST_NODES:
        raise TooLarge


def label(kind: str, name: str, origin: Origin = NOWHERE) -> str:
    """The words of a comment: plain ASCII in one line, whatever the parts contain."""
    parts = [json.dumps(part[:_LONGEST_LABEL]) for part in (name, origin.text) if part]
    if len(parts) == 2 and parts[0] == parts[1]:
        parts.pop()
    return " ".join([kind, *parts]).replace("\x7f", "\\u007f")


def variables_in(root: Node) -> list[Var]:
    """All variables that a formula has or binds, in the order in which they were made."""
    found: dict[int, Var] = {}
    for node in reachable(root):
        if isinstance(node, Var):
            found[node.id] = node
        elif isinstance(node, Quant):
            found.update((var.id, var) for var in node.binders)
    return [found[key] for key in sorted(found)]
