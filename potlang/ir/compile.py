"""Terms and formulas as Python functions of an assignment: a list with the value of each unknown."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from potlang.ir import operators as op
from potlang.ir.fold import value_of
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, reachable
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, EnumSort, Sort

Values = list[object]
"""The value of each unknown, by number."""
Compute = Callable[[Sequence[object]], object]

MOST_LEVELS = 100
"""Deeper formulas are not compiled: what is made of them calls itself as deep as they are."""
_MOST_BITS = 1 << 10


class NotFinite(Exception):
    """A formula that cannot be written out, or is too large or too deep for it; the text says why."""


class Compiled:
    """A part of a formula: a `value` where `compute` is None, else its function and the unknowns it reads.

    `variable` is the number of the unknown that the part is, or -1.
    """

    __slots__ = ("compute", "value", "variable", "variables")

    def __init__(
        self, compute: Compute | None, variables: frozenset[int], value: object = None, variable: int = -1
    ) -> None:
        self.compute = compute
        self.variables = variables
        self.value = value
        self.variable = variable

    @property
    def function(self) -> Compute:
        """The part as a function, also where it is a value."""
        if self.compute is not None:
            return self.compute
        value = self.value
        return lambda _: value


Env = Mapping[Var, Compiled]

NOTHING: frozenset[int] = frozenset()
TRUE = Compiled(None, NOTHING, True)
FALSE = Compiled(None, NOTHING, False)


def unknown(number: int) -> Compiled:
    """The unknown of that number."""
    return Compiled(lambda values: values[number], frozenset((number,)), variable=number)


def listed(sort: Sort) -> Sequence[object]:
    """The members of Bool or an enum sort, in order. Raises `NotFinite` for other sorts."""
    if sort is BOOL:
        return (False, True)
    if isinstance(sort, EnumSort):
        return sort.values
    raise NotFinite(f"a variable or an argument of sort {sort}")


def check_shape(formula: Node, is_known: Callable[[Sort], bool]) -> None:
    """Raises `NotFinite` where a formula is too deep, or has a part of a sort that is not known."""
    levels: dict[int, int] = {}
    for node in reachable(formula):
        if not is_known(node.sort):
            raise NotFinite(f"a term of sort {node.sort}")
        below = node.args if isinstance(node, App) else (node.body,) if isinstance(node, Quant) else ()
        levels[node.id] = 1 + max((levels[each.id] for each in below), default=0)
    if levels[formula.id] > MOST_LEVELS:
        raise NotFinite("a formula that is nested too deep")


class FormulaCompiler(ABC):
    """Compiles formulas of at most `MOST_LEVELS` levels (`check_shape`), quantifiers written out.

    `most` parts in all, before `NotFinite`. A subclass says how symbols are compiled.
    """

    def __init__(self, most: int) -> None:
        self._left = most

    @abstractmethod
    def symbol(self, symbol: Symbol, args: list[Compiled]) -> Compiled:
        """A constant, or a function at `args`. Raises `NotFinite`."""

    def bindings(self, quant: Quant, env: Env) -> list[Env]:
        """The values of the binders, one environment for each combination."""
        ranges = [[Compiled(None, NOTHING, value) for value in listed(var.sort)] for var in quant.binders]
        found: list[Env] = []
        for values in itertools.product(*ranges):
            self.spend()
            found.append({**env, **dict(zip(quant.binders, values, strict=True))})
        return found

    def spend(self) -> None:
        """Count one part. Raises `NotFinite` where there are too many."""
        self._left -= 1
        if self._left < 0:
            raise NotFinite("too many instances")

    def term(self, node: Node, env: Env) -> Compiled:
        """The node compiled. Recursion is as deep as the node, which `check_shape` has bounded."""
        self.spend()
        match node:
            case Lit():
                return Compiled(None, NOTHING, value_of(node))
            case Var():
                return env[node]
            case Sym():
                return self.symbol(node.symbol, [])
            case Quant():
                parts = [self.term(node.body, each) for each in self.bindings(node, env)]
                return conjunction(parts) if node.kind == "forall" else disjunction(parts)
            case App(op=Symbol() as symbol):
                return self.symbol(symbol, [self.term(arg, env) for arg in node.args])
            case App():
                assert isinstance(node.op, Operator)
                return self.operation(node.op, [self.term(arg, env) for arg in node.args])

    def operation(self, row: Operator, args: list[Compiled]) -> Compiled:
        """An operator at `args`. Raises `NotFinite`, and `values.Unspecified` for `1/0`."""
        match row:
            case op.AND:
                return conjunction(args)
            case op.OR:
                return disjunction(args)
            case op.NOT:
                return negation(args[0])
            case op.IMPLIES:
                return disjunction([negation(args[0]), args[1]])
        variables = NOTHING.union(*(arg.variables for arg in args))
        evaluate = row.evaluate
        if not variables:
            return Compiled(None, NOTHING, _within(evaluate(*[arg.value for arg in args])))
        if row is op.ITE:
            return _choice(args, variables)
        if row in (op.EQ, op.IFF):
            return _equality(args, variables)
        if row in (op.LT, op.LE):
            return _order(row is op.LT, args, variables)
        functions = tuple(arg.function for arg in args)
        if len(functions) == 2:
            first, second = functions
            return Compiled(lambda values: evaluate(first(values), second(values)), variables)
        return Compiled(lambda values: evaluate(*[each(values) for each in functions]), variables)


def _within(value: object) -> object:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise NotFinite("a number that is too large")
    return value


def _choice(args: list[Compiled], variables: frozenset[int]) -> Compiled:
    condition, then, otherwise = (arg.function for arg in args)
    # Lazy: the other branch may divide by zero.
    return Compiled(lambda values: then(values) if condition(values) else otherwise(values), variables)


def _equality(args: list[Compiled], variables: frozenset[int]) -> Compiled:
    first, second = args
    if first.compute is None:
        first, second = second, first
    one = first.function
    if second.compute is None:
        value = second.value
        return Compiled(lambda values: one(values) == value, variables)
    other = second.function
    return Compiled(lambda values: one(values) == other(values), variables)


def _order(strict: bool, args: list[Compiled], variables: frozenset[int]) -> Compiled:
    first, second = (arg.function for arg in args)
    if strict:
        return Compiled(lambda values: first(values) < second(values), variables)  # type: ignore[operator]
    return Compiled(lambda values: first(values) <= second(values), variables)  # type: ignore[operator]


def negation(arg: Compiled) -> Compiled:
    """Not `arg`."""
    if arg.compute is None:
        return FALSE if arg.value else TRUE
    compute = arg.compute
    return Compiled(lambda values: not compute(values), arg.variables)


def conjunction(args: Sequence[Compiled]) -> Compiled:
    """That all of `args` hold."""
    return _junction(args, decides=False)


def disjunction(args: Sequence[Compiled]) -> Compiled:
    """That one of `args` holds."""
    return _junction(args, decides=True)


def _junction(args: Sequence[Compiled], decides: bool) -> Compiled:
    open_: list[Compiled] = []
    for arg in args:
        if arg.compute is not None:
            open_.append(arg)
        elif arg.value is decides:
            return TRUE if decides else FALSE
    if not open_:
        return FALSE if decides else TRUE
    if len(open_) == 1:
        return open_[0]
    parts = tuple(arg.function for arg in open_)
    variables = NOTHING.union(*(arg.variables for arg in open_))
    if len(parts) == 2:
        first, second = parts
        if decides:
            return Compiled(lambda values: first(values) or second(values), variables)
        return Compiled(lambda values: first(values) and second(values), variables)

    def junction(values: Sequence[object]) -> object:
        for part in parts:
            if part(values) is decides:
                return decides
        return not decides

    return Compiled(junction, variables)
