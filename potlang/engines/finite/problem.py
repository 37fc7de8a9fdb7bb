"""Assumptions as constraints on variables with finite domains ([SEARCH-CELLS], [SEARCH-BOUNDS]).

A variable is a ground term whose value is unknown: a constant, or a function at given arguments.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.compile import (
    NOTHING,
    Compiled,
    Compute,
    Env,
    FormulaCompiler,
    NotFinite,
    check_shape,
    listed,
    unknown,
)
from potlang.ir.module import Assertion
from potlang.ir.nodes import App, Node, Quant, Symbol, SymbolKind
from potlang.ir.sorts import BOOL, INT, REAL, BitVecSort, EnumSort, Sort

MOST_VARIABLES = 200
MOST_MEMBERS = 64
"""Of one variable's domain."""
MOST_PARTS = 5_000
"""Parts of all formulas, quantifiers written out."""
_MOST_DISTINCT = 64
_UNKNOWN = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)


class Constraint(NamedTuple):
    """A constraint of an assertion (`key`; None: the goal) on variables; `differ`: these two differ.

    One without variables is false.
    """

    key: str | None
    variables: frozenset[int]
    holds: Compute
    differ: tuple[int, int] | None = None


class Bound(NamedTuple):
    """A limit of a variable, and the assertion that sets it."""

    value: float
    key: str | None


class CspVariable(NamedTuple):
    """A ground term whose value is unknown."""

    symbol: Symbol
    args: tuple[object, ...]


class _VariableCompiler(FormulaCompiler):
    """Compiles formulas over the variables of a problem."""

    def __init__(self, problem: ConstraintProblem, most: int) -> None:
        super().__init__(most)
        self._problem = problem

    def symbol(self, symbol: Symbol, args: list[Compiled]) -> Compiled:
        """The variable of `symbol` at values, or the choice among its variables at terms."""
        if symbol.kind not in _UNKNOWN:
            raise NotFinite(f"{symbol.name} is defined")
        if all(arg.compute is None for arg in args):
            return unknown(self._problem.variable(symbol, tuple(arg.value for arg in args)))
        choices = [
            (arg.value,) if arg.compute is None else listed(sort)
            for arg, sort in zip(args, symbol.domain, strict=True)
        ]
        numbers: dict[tuple[object, ...], int] = {}
        for values in itertools.product(*choices):
            self.spend()
            numbers[values] = self._problem.variable(symbol, values)
        functions = [arg.function for arg in args]
        variables = frozenset(numbers.values()).union(*(arg.variables for arg in args))
        if len(functions) == 1:
            (only,) = functions
            return Compiled(lambda values: values[numbers[only(values),]], variables)
        return Compiled(lambda values: values[numbers[tuple([f(values) for f in functions])]], variables)


class ConstraintProblem:
    """Variables, and what the assumptions say of them. `goal` adds what a claim says.

    `false` is the assertion that is false whatever the variables are, if there is one.
    """

    def __init__(self, assertions: Iterable[Assertion], parts: int = MOST_PARTS) -> None:
        """Raises `NotFinite` where the assumptions are not of this kind, `values.Unspecified` for `1/0`."""
        self.variables: list[CspVariable] = []
        self.constraints: list[Constraint] = []
        self.false: list[str | None] = []
        self._numbers: dict[CspVariable, int] = {}
        self._lower: dict[int, Bound] = {}
        self._upper: dict[int, Bound] = {}
        self._parts = parts
        compiler = _VariableCompiler(self, parts)
        for assertion in assertions:
            for each in self._conjuncts(assertion.formula, assertion.key, compiler):
                if each.variables:
                    self.constraints.append(each)
                else:
                    self.false.append(each.key)

    def variable(self, symbol: Symbol, args: tuple[object, ...]) -> int:
        """The number of `symbol` at `args`, a new one where it has not occurred."""
        key = CspVariable(symbol, args)
        number = self._numbers.get(key)
        if number is None:
            if symbol.range not in (BOOL, INT) and not isinstance(symbol.range, EnumSort):
                raise NotFinite(f"{symbol.name} is of sort {symbol.range}")
            number = self._numbers[key] = len(self.variables)
            if number >= MOST_VARIABLES:
                raise NotFinite("too many unknown values")
            self.variables.append(key)
        return number

    def forget(self, count: int) -> None:
        """Forget all variables but the first `count`."""
        for variable in self.variables[count:]:
            del self._numbers[variable]
        del self.variables[count:]

    def domain(self, number: int) -> tuple[list[object], set[str | None]]:
        """The values that a variable may have, and the assertions that say so. Raises `NotFinite`."""
        sort = self.variables[number].symbol.range
        if sort is not INT:
            return list(listed(sort)), set()
        lower, upper = self._lower.get(number), self._upper.get(number)
        if lower is None or upper is None:
            raise NotFinite(f"{self.variables[number].symbol.name} has no bounds")
        if upper.value - lower.value >= MOST_MEMBERS:
            raise NotFinite(f"{self.variables[number].symbol.name} has too many values")
        return list(range(int(lower.value), int(upper.value) + 1)), {lower.key, upper.key}

    def goal(self, formula: Node) -> tuple[list[Constraint], bool]:
        """The constraints of a claim, and whether it is false by itself. It bounds nothing."""
        found = list(self._conjuncts(formula, None, _VariableCompiler(self, self._parts)))
        return found, not all(each.variables for each in found)

    # --- conjuncts -------------------------------------------------------------------------------

    def _conjuncts(self, formula: Node, key: str | None, compiler: _VariableCompiler) -> Iterator[Constraint]:
        """The conjuncts of a formula, but those that are true."""
        check_shape(formula, _is_computed)
        stack: list[tuple[Node, Env]] = [(formula, {})]
        while stack:
            node, env = stack.pop()
            if isinstance(node, App) and node.op is op.AND:
                stack.extend((arg, env) for arg in reversed(node.args))
            elif isinstance(node, Quant) and node.kind == "forall":
                stack.extend((node.body, each) for each in reversed(compiler.bindings(node, env)))
            elif isinstance(node, App) and node.op is op.DISTINCT and node.args[0].sort is not BOOL:
                yield from _distinct([compiler.term(arg, env) for arg in node.args], key)
            else:
                term = compiler.term(node, env)
                if key is not None and len(term.variables) == 1:
                    self._bound(node, env, key, compiler)
                if term.compute is not None or term.value is not True:
                    differ = _different(node, env, compiler) if len(term.variables) == 2 else None
                    yield Constraint(key, term.variables, term.function, differ)

    # --- bounds ----------------------------------------------------------------------------------

    def _bound(self, node: Node, env: Env, key: str, compiler: _VariableCompiler) -> None:
        """Note what a conjunct says of the least and the greatest value of one variable of sort Int."""
        positive = True
        while isinstance(node, App) and node.op is op.NOT:
            node, positive = node.args[0], not positive
        if not isinstance(node, App):
            return
        if node.op is op.OR and positive:
            self._alternatives(node, env, key, compiler)
        elif node.op in (op.LE, op.LT, op.EQ) and node.args[0].sort is INT:
            one, two = (compiler.term(arg, env) for arg in node.args)
            self._compared(node, positive, one, two, key)

    def _compared(self, node: App, positive: bool, one: Compiled, two: Compiled, key: str) -> None:
        strict = node.op is op.LT
        if node.op is op.EQ:
            if positive and (one.variable < 0) is not (two.variable < 0):
                variable, other = (one, two) if one.variable >= 0 else (two, one)
                if other.compute is None:
                    self._limit(variable.variable, other.value, other.value, key)
            return
        if not positive:
            # Not (a < b) is b <= a, and not (a <= b) is b < a.
            one, two, strict = two, one, not strict
        if one.variable >= 0 and two.compute is None:
            self._limit(one.variable, None, _integer(two.value) - strict, key)
        elif two.variable >= 0 and one.compute is None:
            self._limit(two.variable, _integer(one.value) + strict, None, key)

    def _alternatives(self, node: App, env: Env, key: str, compiler: _VariableCompiler) -> None:
        """`x = 1 or x = 2 or …` bounds x."""
        found: list[int] = []
        number = -1
        for part in node.args:
            if not isinstance(part, App) or part.op is not op.EQ or part.args[0].sort is not INT:
                return
            one, two = (compiler.term(arg, env) for arg in part.args)
            variable, other = (one, two) if one.variable >= 0 else (two, one)
            if variable.variable < 0 or other.compute is not None:
                return
            number = variable.variable
            found.append(_integer(other.value))
        self._limit(number, min(found), max(found), key)

    def _limit(self, number: int, lower: object, upper: object, key: str) -> None:
        if lower is not None and _integer(lower) > self._lower.get(number, Bound(-math.inf, None)).value:
            self._lower[number] = Bound(_integer(lower), key)
        if upper is not None and _integer(upper) < self._upper.get(number, Bound(math.inf, None)).value:
            self._upper[number] = Bound(_integer(upper), key)


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


def _is_computed(sort: Sort) -> bool:
    return sort in (BOOL, INT, REAL) or isinstance(sort, EnumSort | BitVecSort)


def _different(node: Node, env: Env, compiler: _VariableCompiler) -> tuple[int, int] | None:
    """The two variables that a formula says are different, if it says that."""
    inner = node.args[0] if isinstance(node, App) and node.op is op.NOT else None
    if not isinstance(inner, App) or inner.op is not op.EQ:
        return None
    one, two = (compiler.term(arg, env).variable for arg in inner.args)
    return (one, two) if one >= 0 and two >= 0 else None


def _distinct(args: list[Compiled], key: str | None) -> Iterator[Constraint]:
    """That terms are distinct, pair by pair."""
    if len(args) > _MOST_DISTINCT:
        raise NotFinite("too many terms that differ")
    for one, two in itertools.combinations(args, 2):
        variables = one.variables | two.variables
        both = (one.variable, two.variable) if one.variable >= 0 and two.variable >= 0 else None
        if both is not None and both[0] == both[1]:
            variables = NOTHING
        if variables or both is not None or one.value == two.value:
            yield Constraint(key, variables, _differ(one.function, two.function), both)


def _differ(one: Compute, two: Compute) -> Compute:
    return lambda values: one(values) != two(values)
