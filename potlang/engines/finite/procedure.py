"""Search as a decision procedure, for finitely many unknown values: the route `search` ([ROUTE-NAMES])."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from potlang.engines.check import Check, CheckResult
from potlang.engines.context import ProgramContext
from potlang.engines.fuel import Fuel, OutOfFuel
from potlang.ir.compile import NotFinite
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import Node, Symbol
from potlang.ir.sorts import BOOL, INT, REAL, EnumSort, Sort
from potlang.ir.structure import FunctionTable, Structure, definitions_of
from potlang.ir.values import Unspecified
from potlang.report.results import CheckRecord
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.engines.finite.problem import Conjuncts, ConstraintProblem
    from potlang.engines.finite.search import ConstraintSearch
    from potlang.ir.compile import Values

MOST_STEPS = 5_000
"""Of all searches of one program under the router: some tens of milliseconds."""
_MOST_ASSUMPTIONS = 500
_MOST_KEPT = 64
_PART = 3
"""A part of the assumptions may take a third of the steps that are left."""


class SearchProcedure:
    """Answers checks by search ([SEARCH-DECIDES]). What is beyond `fuel` is left to others from then on.

    `beyond` is asked about it at once: a problem is known to be finite then, and to be hard.
    """

    name = "search"

    def __init__(
        self,
        context: ProgramContext,
        fuel: int = MOST_STEPS,
        beyond: Callable[[Check], CheckResult | None] | None = None,
    ) -> None:
        self._context = context
        self._steps = fuel
        self._beyond = beyond
        self._extra: tuple[Assertion, ...] | None = None
        self._state: _State | None = None

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`; what was found for the program's own assumptions is kept."""
        if not check.alone and self._extra is not check.assumptions:
            self._extra = check.assumptions
            self._state = self._begin((*self._context.lowered.assertions, *check.assumptions))
        state, keys = self._state, None
        if check.alone:
            keys = [each.key for each in check.assumptions]
            if state is None or not state.has(keys):
                state, keys = self._begin(check.assumptions), None
        found = None if state is None else self._answer(state, check, keys)
        if found is None and state is not None and state.exhausted and self._beyond and not check.alone:
            return self._beyond(check)
        return found

    def _begin(self, assumed: Sequence[Assertion]) -> _State | None:
        """The search for these assumptions; None where they are not of its kind."""
        if len(assumed) > _MOST_ASSUMPTIONS or not all(map(_is_searched, self._context.lowered.symbols)):
            return None
        from potlang.engines.finite.problem import ConstraintProblem
        from potlang.engines.finite.search import ConstraintSearch

        try:
            problem = ConstraintProblem(assumed)
            return _State(assumed, problem, ConstraintSearch(problem), lambda: Fuel(self._steps))
        except (NotFinite, Unspecified):
            return None

    def _answer(self, state: _State, check: Check, part: Sequence[str] | None) -> CheckResult | None:
        began = Deadline(0)
        found = state.decide(self._goal(check), part)
        if found is None:
            return None
        values, keys = found
        status: Literal["sat", "unsat"] = "unsat" if values is None else "sat"
        record = CheckRecord(check.name, self.name, status, time_ms=began.spent_ms())
        result = CheckResult(status, None, (record,), self._context.encoding, by=self.name)
        if values is None:
            core = tuple(self._context.labels.name(each) for each in state.assumed if each.key in keys)
            return result._replace(core=core)
        return result._replace(structure=lambda: state.structure(self._context.lowered, values))

    def _goal(self, check: Check) -> Node | None:
        if check.formula is None or not check.negated:
            return check.formula
        return self._context.lowered.pool.negate(check.formula)


class _State:
    """One set of assumptions: what is searched, and the models found so far.

    The whole and its parts have steps of their own: making a core minimal may not cost later claims theirs.
    """

    def __init__(
        self,
        assumed: Sequence[Assertion],
        problem: ConstraintProblem,
        search: ConstraintSearch,
        fuel: Callable[[], Fuel],
    ) -> None:
        self.assumed = assumed
        self.problem = problem
        self._keys = frozenset(each.key for each in assumed)
        self._search = search
        self._steps: dict[bool, Fuel | None] = {True: fuel(), False: fuel()}
        self._goals: dict[int, tuple[Node, Conjuncts]] = {}
        self._models: list[Values] = []
        self._structures: dict[int, tuple[Values, Structure]] = {}

    @cached_property
    def _parts(self) -> ConstraintSearch:
        """The search for parts of the assumptions: most programs are asked about as a whole alone."""
        from potlang.engines.finite.search import ConstraintSearch

        return ConstraintSearch(self.problem, wide=True)

    @property
    def exhausted(self) -> bool:
        """Whether the steps for all assumptions are used up."""
        return self._steps[True] is None

    def has(self, keys: Iterable[str]) -> bool:
        """Whether these are assumptions here."""
        return self._keys.issuperset(keys)

    def decide(
        self, side: Node | None, keys: Sequence[str] | None
    ) -> tuple[Values | None, frozenset[str | None]] | None:
        """A model of assumptions (all, or those of `keys`) and `side`, or whose constraints forbid one.

        None if that is too much.
        """
        steps = self._steps[keys is None]
        if steps is None:
            return None
        wrong = [key for key in self.problem.false if keys is None or key in keys]
        if wrong:
            return None, frozenset(wrong[:1])
        try:
            goal = None if side is None else self._goal(side)
            if goal is not None and goal.false:
                return None, frozenset()
            known = self._known(goal) if keys is None else None
            if known is not None:
                return known, frozenset()
            left = steps.part(1 if keys is None else _PART)
            try:
                search = self._search if keys is None else self._parts
                values, used = search.find(goal, left, keys)
            finally:
                steps.left -= left.spent
        except NotFinite:
            return None
        except (OutOfFuel, Unspecified) as error:
            # One hard part is left to others, and the next may be easy.
            if keys is None or steps.left <= 0 or isinstance(error, Unspecified):
                self._steps[keys is None] = None
            return None
        if values is not None and keys is None and len(self._models) < _MOST_KEPT:
            self._models.append(values)
        return values, used

    def structure(self, module: Module, values: Values) -> Structure:
        """The structure of a model; the same one each time, so that it is evaluated once."""
        if id(values) not in self._structures:
            variables = self.problem.variables[: len(values)]
            self._structures[id(values)] = values, _structure(module, variables, values)
        return self._structures[id(values)][1]

    def _goal(self, side: Node) -> Conjuncts:
        """A side's conjuncts, made once. Raises as `ConstraintProblem.goal`."""
        known = self._goals.get(side.id)
        if known is None:
            known = self._goals[side.id] = side, self.problem.goal(side)
        return known[1]

    def _known(self, goal: Conjuncts | None) -> Values | None:
        """A model found earlier that has values for all variables of a goal and satisfies it."""
        constraints = [] if goal is None else goal.constraints
        most = max((max(each.variables) for each in constraints), default=-1)
        for model in self._models:
            if most < len(model) and all(each.holds(model) for each in constraints):
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
