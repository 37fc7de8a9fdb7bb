"""The five node classes of the IR and the symbols that they mention.

Nodes are made by a `Pool` alone, which makes structurally equal ones identical, so equality and
hashing are by identity. Nodes and symbols are never changed once made, but are not frozen: a program
has very many, and freezing doubles the cost of making one. Children have smaller ids than their
parents. Binders are unique per quantifier: a `Var` is bound by one `Quant` (or by the parameters of
one definition), so substitution cannot capture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from potlang.ir.sorts import Sort

if TYPE_CHECKING:
    from potlang.ir.operators import Operator

Value = bool | int | Fraction | str | None
"""Of a literal: Bool, Int and bit vectors (unsigned), Real, String and enum values, the empty set."""


class SymbolKind(StrEnum):
    """Where a symbol comes from."""

    FUNCTION = "function"
    CONSTANT = "constant"
    FREE = "free"
    """A declared variable used outside quantifiers, or a decision variable: an unknown constant."""
    DEFINED = "defined"
    CONSTRUCTOR = "constructor"
    SELECTOR = "selector"
    FRESH = "fresh"
    """Introduced by potlang: a Skolem constant or a name for a shared term."""


@dataclass(slots=True, eq=False)
class Symbol:
    """A declared function; a constant is one with an empty domain."""

    name: str
    domain: tuple[Sort, ...]
    range: Sort
    kind: SymbolKind
    declared: Symbol | None = None
    """The symbol over the sorts that the program writes, where numbers stand for some of them."""

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True, eq=False)
class Lit:
    """A literal value of its sort."""

    id: int
    sort: Sort
    value: Value


@dataclass(slots=True, eq=False)
class Sym:
    """A constant symbol as a term."""

    id: int
    sort: Sort
    symbol: Symbol


@dataclass(slots=True, eq=False)
class Var:
    """A bound variable; `name` is for people and need not be unique.

    `shown` is the sort that the program writes, where numbers stand for its members.
    """

    id: int
    sort: Sort
    name: str
    shown: Sort | None = None


@dataclass(slots=True, eq=False)
class App:
    """An operator or a function symbol applied to at least one argument (`And()` is a literal)."""

    id: int
    sort: Sort
    op: Operator | Symbol
    args: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Quant:
    """`kind` is `forall` or `exists`; at least one binder; the body is a formula."""

    id: int
    sort: Sort
    kind: str
    binders: tuple[Var, ...]
    body: Node


Node = Lit | Sym | Var | App | Quant


def children(node: Node) -> tuple[Node, ...]:
    """The subterms one level down; binders are not among them."""
    match node:
        case App():
            return node.args
        case Quant():
            return (node.body,)
        case _:
            return ()


def is_flat(node: Node) -> bool:
    """Whether `node` is a declared symbol applied to constants and literals: `f(a, 3)`."""
    if type(node) is not App or type(node.op) is not Symbol:
        return False
    for arg in node.args:  # noqa: SIM110
        if type(arg) is not Sym and type(arg) is not Lit:
            return False
    return True


def reachable(*roots: Node) -> list[Node]:
    """All nodes below `roots`, themselves included, each once, children before parents."""
    seen: dict[int, Node] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen[node.id] = node
        if isinstance(node, App):
            stack.extend(node.args)
        elif isinstance(node, Quant):
            stack.append(node.body)
    return [seen[key] for key in sorted(seen)]


def quantified(root: Node, parts: Callable[[Node], tuple[Node, ...]] = children) -> frozenset[int]:
    """The ids of the nodes that are quantifiers, or have one among their `parts` at any level."""
    found: set[int] = set()
    for node in reachable(root):
        if isinstance(node, Quant) or any(part.id in found for part in parts(node)):
            found.add(node.id)
    return frozenset(found)


def flattened(node: Node, operator: Operator) -> Iterator[Node]:
    """The arguments of an operator, each once, with those of its own applications among them.

    Of another node that node itself.
    """
    seen: set[int] = set()
    stack = [node]
    while stack:
        each = stack.pop()
        # Formulas are graphs: a part that two others share would be walked twice as often at each level.
        if each.id in seen:
            continue
        seen.add(each.id)
        if isinstance(each, App) and each.op is operator:
            stack += reversed(each.args)
        else:
            yield each


def symbols_in(root: Node) -> list[Symbol]:
    """The constants and functions of one root, each once, in an order that does not depend on ids."""
    found: dict[Symbol, None] = {}
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if isinstance(node, Sym):
            found[node.symbol] = None
        elif isinstance(node, App) and isinstance(node.op, Symbol):
            found[node.op] = None
        stack.extend(reversed(children(node)))
    return list(found)


def free_variables(*roots: Node) -> tuple[Var, ...]:
    """The variables of `roots` that no quantifier inside them binds, in order of creation."""
    free = free_variable_sets(*roots)
    found = frozenset[Var]().union(*(free[root.id] for root in roots))
    return tuple(sorted(found, key=lambda var: var.id))


def free_variable_sets(*roots: Node) -> dict[int, frozenset[Var]]:
    """The free variables of every node below `roots`, by the node's id."""
    free: dict[int, frozenset[Var]] = {}
    for node in reachable(*roots):
        free[node.id] = free_by_parts(node, free)
    return free


def free_by_parts(node: Node, free: Mapping[int, frozenset[Var]]) -> frozenset[Var]:
    """The free variables of `node`, given those of its children by id; sets are shared where they can be."""
    match node:
        case Var():
            return frozenset((node,))
        case Quant():
            return free[node.body.id].difference(node.binders)
        case App():
            # Most nodes have the free variables of their largest part.
            parts = [free[arg.id] for arg in node.args]
            largest = max(parts, key=len, default=_NOTHING)
            return largest if all(part <= largest for part in parts) else _NOTHING.union(*parts)
        case _:
            return _NOTHING


_NOTHING: frozenset[Var] = frozenset()
