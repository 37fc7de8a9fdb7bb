"""The pool: makes nodes, each structure once.

One pool per compilation. Ids grow, so a node's children have smaller ids than the node, and a
loop over reachable nodes in id order meets children first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Value, Var
from potlang.ir.operators import AND, EQ, IFF, IMPLIES, NOT, OR, Operator
from potlang.ir.sorts import BOOL, INT, REAL, Sort
from potlang.utils.deadline import look

_PERIOD = 1_024
"""Nodes after which the pool looks at the limits of the call: a power of two."""


class IllSorted(TypeError):
    """An application was asked for whose arguments do not fit: a bug in the caller, never bad input."""


class Pool:
    """Makes and keeps nodes. Not safe for use by several threads at once."""

    __slots__ = ("_apps", "_lits", "_next", "_quants", "_syms", "false", "true")

    def __init__(self) -> None:
        self._next = 0
        self._lits: dict[tuple[Sort, Value], Lit] = {}
        self._syms: dict[Symbol, Sym] = {}
        self._apps: dict[Operator | Symbol, dict[tuple[Node, ...], App]] = {}
        self._quants: dict[tuple[str, tuple[Var, ...], Node], Quant] = {}
        self.true: Lit = self.lit(True, BOOL)
        self.false: Lit = self.lit(False, BOOL)

    def __len__(self) -> int:
        return self._next

    def scratch(self) -> Pool:
        """An empty pool for nodes above this one's. They are to be dropped before this one grows."""
        other = Pool()
        other._next = len(self)
        other._lits.clear()
        other.true, other.false = other.lit(True, BOOL), other.lit(False, BOOL)
        return other

    def release(self, mark: int, *, literals: bool = False) -> None:
        """Forget applications and quantifiers (and `literals`) made since `len(pool)` was `mark`.

        For a caller that knows that nobody keeps one: a later node of the same structure is another one.
        """
        for apps in self._apps.values():
            _release(apps, mark)
        _release(self._quants, mark)
        if literals:
            _release(self._lits, mark)

    def _id(self) -> int:
        number = self._next
        self._next = number + 1
        # Whatever blows up makes nodes, so that nearly all of it is held to the limits here.
        if not number % _PERIOD:
            look(_PERIOD)
        return number

    def lit(self, value: Value, sort: Sort) -> Lit:
        """The literal `value` of `sort`."""
        node = self._lits.get((sort, value))
        if node is None:
            node = self._lits[sort, value] = Lit(self._id(), sort, value)
        return node

    def truth(self, value: bool) -> Lit:
        """True or False."""
        return self.true if value else self.false

    def integer(self, value: int) -> Lit:
        """An integer literal."""
        return self.lit(value, INT)

    def real(self, value: Fraction | int) -> Lit:
        """A real literal, exact."""
        return self.lit(Fraction(value), REAL)

    def sym(self, symbol: Symbol) -> Sym:
        """A constant symbol as a term."""
        node = self._syms.get(symbol)
        if node is None:
            if symbol.domain:
                raise IllSorted(f"{symbol.name} takes arguments")
            node = self._syms[symbol] = Sym(self._id(), symbol.range, symbol)
        return node

    def var(self, name: str, sort: Sort) -> Var:
        """A new bound variable, different from all others."""
        return Var(self._id(), sort, name)

    def app(self, op: Operator | Symbol, args: tuple[Node, ...]) -> App:
        """`op` applied to `args`. Raises `IllSorted` where the sorts do not fit."""
        known = self._apps.get(op)
        if known is None:
            known = self._apps[op] = {}
        node = known.get(args)
        if node is None:
            node = known[args] = App(self._id(), result_sort(op, args), op, args)
        return node

    def fitting(self, symbol: Symbol, args: tuple[Node, ...]) -> App | None:
        """`symbol` applied to `args`, or None where the sorts do not fit."""
        known = self._apps.get(symbol)
        node = None if known is None else known.get(args)
        if node is not None or not takes(symbol, args):
            return node
        if known is None:
            known = self._apps[symbol] = {}
        node = known[args] = App(self._id(), symbol.range, symbol, args)
        return node

    def quant(self, kind: str, binders: tuple[Var, ...], body: Node) -> Quant:
        """A quantified formula; `kind` is `forall` or `exists`. The binders must be fresh variables."""
        key = (kind, binders, body)
        node = self._quants.get(key)
        if node is None:
            if body.sort is not BOOL or not binders or kind not in ("forall", "exists"):
                raise IllSorted("a quantifier wants binders and a formula")
            node = self._quants[key] = Quant(self._id(), BOOL, kind, binders, body)
        return node

    # Shorthands that build what their names say and simplify only what has no operator row.

    def conj(self, args: Iterable[Node]) -> Node:
        """The conjunction; True for none, the formula itself for one."""
        return self._joined(AND, tuple(args), self.true)

    def disj(self, args: Iterable[Node]) -> Node:
        """The disjunction; False for none, the formula itself for one."""
        return self._joined(OR, tuple(args), self.false)

    def _joined(self, op: Operator, args: tuple[Node, ...], empty: Node) -> Node:
        if len(args) > 1:
            return self.app(op, args)
        return args[0] if args else empty

    def negate(self, arg: Node) -> Node:
        """`not arg`, without doubling a negation."""
        if isinstance(arg, App) and arg.op is NOT:
            return arg.args[0]
        return self.app(NOT, (arg,))

    def implies(self, antecedent: Node, consequent: Node) -> Node:
        """`antecedent => consequent`."""
        return self.app(IMPLIES, (antecedent, consequent))

    def eq(self, a: Node, b: Node) -> Node:
        """Equality; between formulas, iff."""
        return self.app(IFF if a.sort is BOOL else EQ, (a, b))


Made = TypeVar("Made", App, Quant, Lit)


def _release(made: dict[Any, Made], mark: int) -> None:
    while made:
        key, node = made.popitem()
        if node.id < mark:
            made[key] = node
            break


def result_sort(op: Operator | Symbol, args: tuple[Node, ...]) -> Sort:
    """The sort of `op` applied to `args`. Raises `IllSorted` where they do not fit."""
    if isinstance(op, Symbol):
        if takes(op, args):
            return op.range
    elif op.least <= len(args) and (op.most is None or len(args) <= op.most):
        sort = op.sort(tuple([arg.sort for arg in args]))
        if sort is not None:
            return sort
    raise IllSorted(f"{op} does not take ({', '.join(str(arg.sort) for arg in args)})")


def takes(symbol: Symbol, args: Sequence[Node]) -> bool:
    """Whether `args` are as many as `symbol` takes, at least one, and of its sorts."""
    domain = symbol.domain
    if not args or len(args) != len(domain):
        return False
    for arg, sort in zip(args, domain, strict=True):
        if arg.sort is not sort and arg.sort != sort:
            return False
    return True
