"""Search as a decision procedure, for finitely many unknown values: the route `search` ([ROUTE-NAMES])."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from potlang.engines.check import Check, CheckResult
from potlang.engines.encoding import AssertionNames, Encoding
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import Node, Symbol
from potlang.ir.sorts import BOOL, INT, REAL, EnumSort, Sort
from potlang.ir.structure import FunctionTable, Structure, definitions_of
from potlang.ir.values import Unspecified
from potlang.report.results import CheckRecord
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.engines.finite.problem import Constraint, ConstraintProblem
    from potlang.engines.finite.search import ConstraintSearch
    from potlang.engines.fuel import Fuel
    from potlang.ir.compile import Values

MOST_STEPS = 5_000
"""Of all searches of one program under the router: some tens of milliseconds."""
_MOST_ASSUMPTIONS = 500
_MOST_KEPT = 64


class SearchProcedure:
    """Answers checks by search ([SEARCH-DECIDES]). What is beyond `fuel` is left to others from then on."""

    name = "search"

    def __init__(
        self, lowered: Module, labels: AssertionNames, encoding: Encoding, fuel: int = MOST_STEPS
    ) -> None:
        self._lowered = lowered
        self._labels = labels
        self._encoding = encoding
        self._steps = fuel
        self._extra: tuple[Assertion, ...] | None = None
        self._state: _State | None = None

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`; what was found for the program's own assumptions is kept."""
        if check.alone:
            state = self._begin(check.assumptions)
        else:
            if self._extra is not check.assumptions:
                self._extra = check.assumptions
                self._state = self._begin((*self._lowered.assertions, *check.assumptions))
            state = self._state
        return None if state is None else self._answer(state, check)

    def _begin(self, assumed: Sequence[Assertion]) -> _State | None:
        """The search for these assumptions; None where they are not of its kind."""
        if len(assumed) > _MOST_ASSUMPTIONS or not all(map(_is_searched, self._lowered.symbols)):
            return None
        from potlang.engines.finite.problem import ConstraintProblem
        from potlang.engines.finite.search import ConstraintSearch
        from potlang.engines.fuel import Fuel
        from potlang.ir.compile import NotFinite

        try:
            problem = ConstraintProblem(assumed)
            return _State(assumed, problem, ConstraintSearch(problem), Fuel(self._steps))
        except (NotFinite, Unspecified):
            return None

    def _answer(self, state: _State, check: Check) -> CheckResult | None:
        began = Deadline(0)
        found = state.decide(self._goal(check))
        if found is None:
            return None
        values, keys = found
        status: Literal["sat", "unsat"] = "unsat" if values is None else "sat"
        record = CheckRecord(check.name, self.name, status, time_ms=began.spent_ms())
        result = CheckResult(status, None, (record,), self._encoding, by=self.name)
        if values is None:
            core = tuple(self._labels.name(each) for each in state.assumed if each.key in keys)
            return result._replace(core=core)
        module, variables = self._lowered, list(state.problem.variables[: len(values)])
        return result._replace(structure=functools.cache(lambda: _structure(module, variables, values)))

    def _goal(self, check: Check) -> Node | None:
        if check.formula is None or not check.negated:
            return check.formula
        return self._lowered.pool.negate(check.formula)


class _State:
    """One set of assumptions: what is searched, and the models found so far."""

    def __init__(
        self, assumed: Sequence[Assertion], problem: ConstraintProblem, search: ConstraintSearch, fuel: Fuel
    ) -> None:
        self.assumed = assumed
        self.problem = problem
        self._search = search
        self._steps: Fuel | None = fuel
        self._models: list[Values] = []

    def decide(self, side: Node | None) -> tuple[Values | None, frozenset[str | None]] | None:
        """A model of assumptions and `side`, or whose constraints forbid one; None if that is too much."""
        from potlang.engines.fuel import OutOfFuel
        from potlang.ir.compile import NotFinite

        if self._steps is None:
            return None
        if self.problem.false:
            return None, frozenset(self.problem.false[:1])
        count = len(self.problem.variables)
        try:
            goal, false = ([], False) if side is None else self.problem.goal(side)
            if false:
                return None, frozenset()
            known = self._known(goal)
            if known is not None:
                return known, frozenset()
            values, keys = self._search.find(goal, self._steps)
        except NotFinite:
            self.problem.forget(count)
            return None
        except (OutOfFuel, Unspecified):
            self._steps = None
            return None
        if values is not None and len(self._models) < _MOST_KEPT:
            self._models.append(values)
        return values, keys

    def _known(self, goal: Sequence[Constraint]) -> Values | None:
        """A model found earlier that has values for all variables of a goal and satisfies it."""
        most = max((max(each.variables) for each in goal), default=-1)
        for model in self._models:
            if most < len(model) and all(each.holds(model) for each in goal):
                return model
        return None


def _is_searched(symbol: Symbol) -> bool:
    return all(_has_values(sort) for sort in (*symbol.domain, symbol.range))


def _has_values(sort: Sort) -> bool:
    return sort in (BOOL, INT, REAL) or isinstance(sort, EnumSort)


def _structure(
    module: Module, variables: Sequence[tuple[Symbol, tuple[object, ...]]], values: Values
) -> Structure:
    """The structure in which the variables have these values and everything else the first of its sort."""
    tables: dict[Symbol, dict[tuple[object, ...], object]] = {}
    for (symbol, args), value in zip(variables, values, strict=True):
        tables.setdefault(symbol, {})[args] = value
    meanings: dict[Symbol, object] = {}
    definitions = definitions_of(module)
    for symbol in module.symbols:
        if symbol not in definitions:
            table = tables.get(symbol, {})
            first = _first(symbol.range)
            meanings[symbol] = FunctionTable(table, first) if symbol.domain else table.get((), first)
    return Structure({}, meanings, definitions)


def _first(sort: Sort) -> object:
    if isinstance(sort, EnumSort):
        return sort.values[0]
    return {BOOL: False, INT: 0, REAL: Fraction(0)}[sort]
