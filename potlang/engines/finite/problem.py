"""Assumptions as constraints on variables with finite domains ([SEARCH-CELLS], [SEARCH-BOUNDS])."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from potlang.engines.finite.small_models import Comparisons, comparisons_of
from potlang.ir import operators as op
from potlang.ir.compile import (
    Compiled,
    Compute,
    Env,
    FormulaCompiler,
    NotFinite,
    check_shape,
    listed,
    negation,
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
_COMPARISONS = (op.EQ, op.LE, op.LT)
_UNKNOWN = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)
_BEYOND = 3
"""Values tried at each end of a number for parts of the assumptions, which may leave it without a bound."""
_SLACK = 2


class Constraint(NamedTuple):
    """A constraint of an assertion (`key`; None: the goal) on variables; `differ`: these two differ.

    `number` tells the constraints of assertions apart; a goal's have -1.
    """

    key: str | None
    variables: frozenset[int]
    holds: Compute
    differ: tuple[int, int] | None = None
    number: int = -1


class Bound(NamedTuple):
    """A limit of a number, and the assertion that sets it."""

    least: float
    greatest: float
    key: str | None


class Domain(NamedTuple):
    """Which values of a variable are allowed (a bit each), and the assertions that say so.

    `complete`: it has no others.
    """

    mask: int
    causes: frozenset[str | None]
    complete: bool = True


class CspVariable(NamedTuple):
    """A ground term whose value is unknown."""

    symbol: Symbol
    args: tuple[object, ...]


class _VariableCompiler(FormulaCompiler):
    """Compiles formulas over the variables of a problem."""

    def __init__(self, problem: ConstraintProblem) -> None:
        super().__init__(MOST_PARTS)
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
    """Variables, and what the assumptions say of them. `goal` says what a claim does.

    `false` are the assertions that are false whatever the variables are.
    """

    def __init__(self, assertions: Iterable[Assertion]) -> None:
        """Raises `NotFinite` where the assumptions are not of this kind, `values.Unspecified` for `1/0`."""
        self.variables: list[CspVariable] = []
        self.constraints: list[Constraint] = []
        self.false: list[str] = []
        self._formulas: list[Node] = []
        self._numbers: dict[CspVariable, int] = {}
        self._by_key: dict[str, list[Constraint]] = {}
        self._bounds: dict[int, list[Bound]] = {}
        self._values: dict[int, list[object]] = {}
        self._complete = False
        compiler = _VariableCompiler(self)
        for assertion in assertions:
            self._formulas.append(assertion.formula)
            self._assume(assertion.key, Conjuncts(assertion.formula, assertion.key, compiler))
        self._complete = True
        self._integers = sum(each.symbol.range is INT for each in self.variables)

    def _assume(self, key: str, found: Conjuncts) -> None:
        first = len(self.constraints)
        numbered = [each._replace(number=at) for at, each in enumerate(found.constraints, first)]
        self.constraints += numbered
        self._by_key.setdefault(key, []).extend(numbered)
        for number, bounds in found.bounds.items():
            self._bounds.setdefault(number, []).extend(bounds)
        if found.false:
            self.false.append(key)

    def suffices(self, goal: Conjuncts | None) -> bool:
        """Whether the wide values are enough for parts of the assertions with a goal: [SEARCH-SMALL]."""
        if not self._integers:
            return True
        more = Comparisons() if goal is None else goal.comparisons
        if self._small is None or self._comparisons is None or more is None:
            return False
        wanted = self._comparisons.joined(more).values(self._integers)
        return self._small[0] <= wanted[0] and wanted[-1] <= self._small[-1]

    @cached_property
    def _comparisons(self) -> Comparisons | None:
        """Those of all assertions; None if one does more with integers."""
        found = Comparisons()
        for formula in self._formulas:
            each = comparisons_of(formula)
            if each is None:
                return None
            found = found.joined(each)
        return found

    @cached_property
    def _small(self) -> range | None:
        """The values among which every integer has one; None if they are too many, or not known."""
        # A goal may have constants a little beyond those of the assertions.
        found = None if self._comparisons is None else self._comparisons.values(self._integers, _SLACK)
        return found if found is not None and len(found) <= MOST_MEMBERS else None

    def goal(self, formula: Node) -> Conjuncts:
        """A claim's conjuncts. Raises `NotFinite` also for a number that no assumption bounds."""
        return Conjuncts(formula, None, _VariableCompiler(self))

    def variable(self, symbol: Symbol, args: tuple[object, ...]) -> int:
        """The number of `symbol` at `args`, a new one where it has not occurred."""
        key = CspVariable(symbol, args)
        number = self._numbers.get(key)
        if number is None:
            if symbol.range not in (BOOL, INT) and not isinstance(symbol.range, EnumSort):
                raise NotFinite(f"{symbol.name} is of sort {symbol.range}")
            if self._complete and symbol.range is INT:
                raise NotFinite(f"{symbol.name} has no bounds")
            if len(self.variables) >= MOST_VARIABLES:
                raise NotFinite("too many unknown values")
            number = self._numbers[key] = len(self.variables)
            self.variables.append(key)
        return number

    def values(self, number: int) -> list[object]:
        """The values of a variable: a number's are those that any assertion's bounds allow, and some beyond.

        Raises `NotFinite` where a number has no bounds.
        """
        found = self._values.get(number)
        if found is None:
            symbol = self.variables[number].symbol
            found = self._values[number] = (
                self._numbers_near(number, symbol.name) if symbol.range is INT else list(listed(symbol.range))
            )
        return found

    def _numbers_near(self, number: int, name: str) -> list[object]:
        bounds = self._bounds.get(number, ())
        least, greatest = _tightest(bounds)
        if math.inf in (-least.least, greatest.greatest):
            raise NotFinite(f"{name} has no bounds")
        if greatest.greatest - least.least >= MOST_MEMBERS:
            raise NotFinite(f"{name} has too many values")
        ends = [end for each in bounds for end in (each.least, each.greatest) if abs(end) < math.inf]
        if max(ends) - min(ends) >= MOST_MEMBERS:
            ends = [least.least, greatest.greatest]
        return list(range(int(min(ends)) - _BEYOND, int(max(ends)) + _BEYOND + 1))

    def wide_values(self, number: int) -> list[object]:
        """The values to be tried for parts of the assertions, which may leave numbers without bounds."""
        if self.variables[number].symbol.range is not INT or self._small is None:
            return self.values(number)
        least, greatest = _tightest(self._bounds.get(number, ()))
        low, high = least.least, greatest.greatest
        # What is bounded lies between the constants, and most others have a value there too.
        found: list[int] = sorted(self._small, key=lambda value: (max(low - value, value - high, 0), value))
        return list(found)

    def domain(
        self,
        number: int,
        values: Sequence[object],
        keys: Collection[str] | None = None,
        more: Iterable[Bound] = (),
    ) -> Domain:
        """The values of a variable that the bounds of these assertions (None: of all) and `more` leave."""
        whole = (1 << len(values)) - 1
        if self.variables[number].symbol.range is not INT:
            return Domain(whole, frozenset())
        integers = [value for value in values if isinstance(value, int)]
        known = self._bounds.get(number, ())
        least, greatest = _tightest([each for each in known if keys is None or each.key in keys] + [*more])
        low, high = least.least, greatest.greatest
        mask = sum([1 << place for place, value in enumerate(integers) if low <= value <= high])
        complete = min(integers) <= low and high <= max(integers)
        return Domain(mask, frozenset((least.key, greatest.key)), complete)

    def constraints_of(self, key: str) -> Sequence[Constraint]:
        """The constraints of an assertion."""
        return self._by_key.get(key, ())


def _tightest(bounds: Iterable[Bound]) -> tuple[Bound, Bound]:
    """The greatest lower bound and the least upper one."""
    every = [Bound(-math.inf, math.inf, None), *bounds]
    return max(every, key=lambda each: each.least), min(every, key=lambda each: each.greatest)


class Conjuncts:
    """A formula's conjuncts, quantifiers written out, each a constraint of the assertion `key`.

    `bounds` are what they say of the least and the greatest value of numbers. `false`: one is false whatever
    the variables are.
    """

    def __init__(self, formula: Node, key: str | None, compiler: _VariableCompiler) -> None:
        check_shape(formula, _is_computed)
        self.constraints: list[Constraint] = []
        self.bounds: dict[int, list[Bound]] = {}
        self.false = False
        self._formula = formula
        self._key = key
        self._compiler = compiler
        stack: list[tuple[Node, Env]] = [(formula, {})]
        while stack:
            node, env = stack.pop()
            if isinstance(node, App) and node.op is op.AND:
                stack.extend((arg, env) for arg in reversed(node.args))
            elif isinstance(node, Quant) and node.kind == "forall":
                stack.extend((node.body, each) for each in reversed(compiler.bindings(node, env)))
            elif isinstance(node, App) and node.op is op.DISTINCT and node.args[0].sort is not BOOL:
                self._distinct([compiler.term(arg, env) for arg in node.args])
            else:
                self._conjunct(node, env)

    @cached_property
    def comparisons(self) -> Comparisons | None:
        """The comparisons of integers; None if more is done with them."""
        return comparisons_of(self._formula)

    def _conjunct(self, node: Node, env: Env) -> None:
        inner, positive = node, True
        while isinstance(inner, App) and inner.op is op.NOT:
            inner, positive = inner.args[0], not positive
        sides: list[Compiled] = []
        if isinstance(inner, App) and inner.op in _COMPARISONS:
            sides = [self._compiler.term(arg, env) for arg in inner.args]
            term = self._compiler.operation(inner.op, sides)
        else:
            term = self._compiler.term(inner, env)
        if not positive:
            term = negation(term)
        if term.compute is None:
            self.false |= term.value is not True
            return
        differ: tuple[int, int] | None = None
        if sides and isinstance(inner, App):
            one, two = sides
            if len(term.variables) == 1:
                self._compared(inner, positive, one, two)
            elif inner.op is op.EQ and not positive and one.variable >= 0 and two.variable >= 0:
                differ = one.variable, two.variable
        elif positive and isinstance(inner, App) and inner.op is op.OR and len(term.variables) == 1:
            self._alternatives(inner, env)
        self.constraints.append(Constraint(self._key, term.variables, term.compute, differ))

    def _distinct(self, args: list[Compiled]) -> None:
        if len(args) > _MOST_DISTINCT:
            raise NotFinite("too many terms that differ")
        for one, two in itertools.combinations(args, 2):
            variables = one.variables | two.variables
            both = (one.variable, two.variable) if one.variable >= 0 and two.variable >= 0 else None
            if not variables or (both is not None and both[0] == both[1]):
                self.false |= bool(variables) or one.value == two.value
            else:
                differ = _differ(one.function, two.function)
                self.constraints.append(Constraint(self._key, variables, differ, both))

    # --- bounds ----------------------------------------------------------------------------------

    def _compared(self, node: App, positive: bool, one: Compiled, two: Compiled) -> None:
        """Note what a comparison says of the least and the greatest value of its one variable."""
        if node.args[0].sort is not INT:
            return
        strict = node.op is op.LT
        if node.op is op.EQ:
            if positive and (one.variable < 0) is not (two.variable < 0):
                variable, other = (one, two) if one.variable >= 0 else (two, one)
                if other.compute is None:
                    self._limit(variable.variable, _integer(other.value), _integer(other.value))
            return
        if not positive:
            # Not (a < b) is b <= a, and not (a <= b) is b < a.
            one, two, strict = two, one, not strict
        if one.variable >= 0 and two.compute is None:
            self._limit(one.variable, -math.inf, _integer(two.value) - strict)
        elif two.variable >= 0 and one.compute is None:
            self._limit(two.variable, _integer(one.value) + strict, math.inf)

    def _alternatives(self, node: App, env: Env) -> None:
        """`x = 1 or x = 2 or …` bounds x."""
        found: list[int] = []
        number = -1
        for part in node.args:
            if not isinstance(part, App) or part.op is not op.EQ or part.args[0].sort is not INT:
                return
            one, two = (self._compiler.term(arg, env) for arg in part.args)
            variable, other = (one, two) if one.variable >= 0 else (two, one)
            if variable.variable < 0 or other.compute is not None:
                return
            number = variable.variable
            found.append(_integer(other.value))
        self._limit(number, min(found), max(found))

    def _limit(self, number: int, least: float, greatest: float) -> None:
        self.bounds.setdefault(number, []).append(Bound(least, greatest, self._key))


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


def _differ(one: Compute, two: Compute) -> Compute:
    return lambda values: one(values) != two(values)


def _is_computed(sort: Sort) -> bool:
    return sort in (BOOL, INT, REAL) or isinstance(sort, EnumSort | BitVecSort)
