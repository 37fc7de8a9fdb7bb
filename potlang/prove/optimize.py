"""Optimization: z3's optimizer proposes, plain queries confirm ([VERDICT-OPTIMUM]).

What the optimizer says is not taken on trust: that nothing better exists is a query of its own, so
that a second solver can answer it too. Where the optimizer gives up, better and better models are
asked for instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from potlang.engines.check import CheckResult
from potlang.engines.encoding import Encoding
from potlang.engines.messages import ObjectiveTerm, OptimizeAnswer, OptimizeQuery, Point, Priority, Query
from potlang.ir.module import Assertion, AssertionKind, Module, Objective, Optimization, Origin
from potlang.ir.nodes import Node
from potlang.ir.operators import EQ, LE, LT
from potlang.ir.sorts import INT, REAL, DeclaredSort
from potlang.prove.dispatcher import Dispatcher
from potlang.prove.evidence import core_items, read_model
from potlang.prove.exact import Extended, NotLinear, read_extended
from potlang.prove.terms import Term
from potlang.prove.verdicts import PartialModel, Verifier
from potlang.report.results import (
    CoreItem,
    ExactValue,
    Model,
    ObjectiveResult,
    OptimizationResult,
    OptimizationStatus,
    ParetoPoint,
    TrustLevel,
)

MOST_POINTS = 64
"""Pareto points listed ([LIMIT-PARETO])."""
_MOST_STEPS = 200
_FAR = 10**9
_PRIORITIES: dict[str, Priority] = {"lexicographic": "lex", "pareto": "pareto", "box": "box"}


Shrink = Callable[[tuple[str, ...], tuple[Assertion, ...]], tuple[str, ...]]
"""Makes a core minimal; the assertions are those beyond the program's. The base is lost by it."""


class Optimizer:
    """Answers one optimization on top of a verifier's assumptions."""

    def __init__(
        self,
        verifier: Verifier,
        optimization: Optimization,
        shrink: Shrink | None = None,
        extra: Sequence[Assertion] = (),
        second: Dispatcher | None = None,
    ) -> None:
        self._verifier = verifier
        self._shrink = shrink
        self._second = second
        self._model_terms = verifier.terms
        self._pool = verifier.terms.module.pool
        self._problem = optimization
        self._assumed = (*extra, *optimization.constraints)
        self._goals = optimization.objectives
        roots = [*(each.term for each in self._goals), *(each.formula for each in optimization.constraints)]
        touched = [term for root in roots for term in self._model_terms.touched(root)]
        unique = {term.node.id: term for term in touched}
        self._terms = list(unique.values())
        self._named = list(self._model_terms.names_for(self._terms))

    # --- asking ---

    def run(self) -> OptimizationResult:
        """The answer, confirmed where it can be."""
        if not self._goals:
            return self._satisfy()
        # The optimizer's answer is only a proposal: what it says is confirmed, or searched for, by checks.
        answer = self._verifier.dispatcher.optimize(self._query)
        result = self._read(answer)
        if result.status is OptimizationStatus.INFEASIBLE:
            return self._infeasible(result)
        if result.status is OptimizationStatus.UNKNOWN:
            return self._search(result)
        return self._confirm(result, answer)

    def _query(self, encoding: Encoding) -> OptimizeQuery:
        goals = tuple(
            ObjectiveTerm(encoding.term(each.term), each.direction == "maximize") for each in self._goals
        )
        values = tuple(encoding.term(term.node) for term in self._shown)
        priority = _PRIORITIES[self._problem.mode]
        return OptimizeQuery(self._text(encoding), goals, values, priority, MOST_POINTS)

    @property
    def _shown(self) -> list[Term]:
        return [*self._terms, *self._named]

    def _text(self, encoding: Encoding) -> str:
        extra = (*self._verifier.extra, *self._assumed)
        return "".join(encoding.assertion(each) for each in extra)

    def _ask(
        self, extra: Sequence[Node] = (), values: Sequence[Node] = (), dispatcher: Dispatcher | None = None
    ) -> CheckResult:
        """Whether the constraints and `extra` have a model."""

        def build(encoding: Encoding) -> Query:
            more = "".join(encoding.goal(each) for each in extra)
            return Query(
                self._text(encoding) + more, tuple(encoding.term(each) for each in values), core=True
            )

        return (dispatcher or self._verifier.dispatcher).ask("assumptions", build)

    def _trust(
        self, checked: CheckResult, extra: Sequence[Node] = (), attained: Node | None = None
    ) -> TrustLevel:
        """Whose word the result is; the second solver is asked the same, and for a model of `attained`."""
        if checked.agreed:
            return "cross-checked"
        if self._second is None or checked.status == "unknown":
            return "solver"
        self._second.start(lambda encoding: encoding.base())
        agreed = self._ask(extra, dispatcher=self._second).status == checked.status
        if agreed and attained is not None:
            agreed = self._ask([attained], dispatcher=self._second).status == "sat"
        return "cross-checked" if agreed else "solver"

    # --- reading ---

    def _read(self, answer: OptimizeAnswer) -> OptimizationResult:
        result = OptimizationResult(
            OptimizationStatus(answer.status),
            self._problem.mode,
            reason=answer.reason,
            detail=answer.detail,
            complete=answer.complete,
            pointer=self._problem.origin.pointer,
            route=self._verifier.dispatcher.solvers[0].name,
        )
        if not answer.points:
            bounds = answer.bounds or ((None, None),) * len(self._goals)
            objectives = [
                self._objective(goal, None, result.status, *bound)
                for goal, bound in zip(self._goals, bounds, strict=True)
            ]
            return result._replace(objectives=tuple(objectives))
        if self._problem.mode == "pareto":
            return self._read_points(result, answer.points)
        point = answer.points[0]
        values = [
            self._extended(goal, text) for goal, text in zip(self._goals, point.objectives, strict=True)
        ]
        objectives = [
            self._objective(goal, None if value is None else value.shown(), _status_of(value))
            for goal, value in zip(self._goals, values, strict=True)
        ]
        return result._replace(
            value=objectives[0].value, objectives=tuple(objectives), model=self._model(point)
        )

    def _read_points(self, result: OptimizationResult, points: Sequence[Point]) -> OptimizationResult:
        found = [
            ParetoPoint(tuple(self._value(g, t) for g, t in zip(self._goals, p.objectives, strict=True)), m)
            for p, m in ((point, self._model(point)) for point in points)
        ]
        objectives = [self._objective(goal, None, result.status) for goal in self._goals]
        return result._replace(objectives=tuple(objectives), points=tuple(found))

    def _extended(self, goal: Objective, text: str) -> Extended | None:
        try:
            return read_extended(text, maximize=goal.direction == "maximize")
        except NotLinear:
            return None

    def _value(self, goal: Objective, text: str) -> ExactValue | None:
        value = self._extended(goal, text)
        return None if value is None else value.shown()

    def _objective(
        self,
        goal: Objective,
        value: ExactValue | None,
        status: OptimizationStatus,
        lower: str | None = None,
        upper: str | None = None,
    ) -> ObjectiveResult:
        low = None if lower is None else self._value(goal, lower)
        high = None if upper is None else self._value(goal, upper)
        return ObjectiveResult(goal.name, goal.direction, value, status, goal.origin.pointer, low, high)

    def _model(self, point: Point) -> Model | None:
        return None if point.values is None else self._model_of(point.values)

    def _model_of(self, values: Sequence[str]) -> Model:
        encoding = self._verifier.dispatcher.solvers[0].encoding
        ids = [term.node.id for term in self._shown]
        model = PartialModel(encoding, dict(zip(ids, values, strict=True)), CheckResult("sat", None, ()))
        return read_model(model, self._terms, self._named)

    # --- the answers one by one ---

    def _satisfy(self) -> OptimizationResult:
        """Without objectives any model is optimal."""
        checked = self._ask(values=[term.node for term in self._shown])
        base = OptimizationResult(
            OptimizationStatus.UNKNOWN,
            self._problem.mode,
            reason=checked.reason,
            pointer=self._problem.origin.pointer,
            route=self._verifier.dispatcher.route,
        )
        if checked.status == "unsat":
            return base._replace(status=OptimizationStatus.INFEASIBLE, core=self._core(checked))
        if checked.status == "sat":
            model = None if checked.values is None else self._model_of(checked.values)
            return base._replace(status=OptimizationStatus.OPTIMAL, model=model)
        return base

    def _core(self, checked: CheckResult) -> tuple[CoreItem, ...] | None:
        names = checked.core
        if names is not None and self._shrink is not None:
            names = self._shrink(names, self._assumed)
        return None if names is None else core_items(names, self._verifier.labels)

    def _infeasible(self, result: OptimizationResult) -> OptimizationResult:
        """Confirm by a plain query, whose unsat core says why."""
        checked = self._ask()
        if checked.status == "sat":
            return _doubtful(result, "the optimizer found no model where a plain query finds one")
        confirmed = True if checked.status == "unsat" else None
        trust = self._trust(checked)
        return result._replace(core=self._core(checked), confirmed=confirmed, trust=trust)

    def _confirm(self, result: OptimizationResult, answer: OptimizeAnswer) -> OptimizationResult:
        better = self._better(answer, result.status)
        if better is None:
            return result
        checked = self._ask([better])
        expected = "sat" if result.status is OptimizationStatus.UNBOUNDED else "unsat"
        if checked.status == "unknown":
            return result
        if checked.status != expected:
            doubt = "a plain query does not confirm the optimizer's answer"
            return self._search(_doubtful(result, doubt))
        trust = self._trust(checked, [better], self._attained(answer, result.status))
        return result._replace(confirmed=True, trust=trust)

    def _better(self, answer: OptimizeAnswer, status: OptimizationStatus) -> Node | None:
        """A formula that says the answer is wrong; for an unbounded one, that some value is far out."""
        rows = [
            [self._extended(goal, text) for goal, text in zip(self._goals, point.objectives, strict=True)]
            for point in answer.points
        ]
        if self._problem.mode == "pareto":
            return (
                self._beyond_all(rows) if answer.complete and status is OptimizationStatus.OPTIMAL else None
            )
        return self._beats(rows[0], lexicographic=self._problem.mode == "lexicographic")

    def _attained(self, answer: OptimizeAnswer, status: OptimizationStatus) -> Node | None:
        """That the objectives have the values of a point that is claimed to be reached."""
        if status is not OptimizationStatus.OPTIMAL or self._problem.mode == "box":
            return None
        parts: list[Node] = []
        for goal, text in zip(self._goals, answer.points[0].objectives, strict=True):
            value = self._extended(goal, text)
            literal = None if value is None else self._literal(goal, value)
            if literal is not None:
                parts.append(self._pool.app(EQ, (goal.term, literal)))
        return self._pool.conj(parts)

    def _beyond_all(self, rows: list[list[Extended | None]]) -> Node | None:
        """Some model beats each point in at least one objective."""
        parts = [self._beats(row, lexicographic=False) for row in rows]
        known = [part for part in parts if part is not None]
        return self._pool.conj(known) if len(known) == len(parts) else None

    def _beats(self, row: list[Extended | None], *, lexicographic: bool) -> Node | None:
        """Some objective is better than in this row; if lexicographic, with those before it as they are."""
        parts: list[Node] = []
        before: list[Node] = []
        for goal, value in zip(self._goals, row, strict=True):
            step = None if value is None else self._improves(goal, value)
            if step is None or value is None:
                return None
            parts.append(self._pool.conj([*before, step]))
            if not lexicographic:
                continue
            if value.infinite or value.tiny:
                break
            equal = self._literal(goal, value)
            if equal is None:
                return None
            before.append(self._pool.app(EQ, (goal.term, equal)))
        return self._pool.disj(parts)

    def _literal(self, goal: Objective, value: Extended) -> Node | None:
        if goal.term.sort is REAL:
            return self._pool.real(value.finite)
        whole = value.finite.denominator == 1 and goal.term.sort is INT
        return self._pool.integer(value.finite.numerator) if whole else None

    def _improves(self, goal: Objective, value: Extended) -> Node | None:
        """The objective is better than `value`; at an infimum that is not reached, at least as good."""
        far = Extended(value.infinite * _FAR) if value.infinite else value
        limit = self._literal(goal, far)
        if limit is None:
            return None
        op = LE if value.tiny else LT
        maximize = goal.direction == "maximize"
        return self._pool.app(op, (limit, goal.term) if maximize else (goal.term, limit))

    # --- searching by plain queries ---

    def _search(self, result: OptimizationResult) -> OptimizationResult:
        """Ask for better and better models where the optimizer gave up or was wrong, by objective."""
        if self._problem.mode != "lexicographic":
            return result
        fixed: list[Node] = []
        found: list[ObjectiveResult] = []
        model: Model | None = None
        agreed = True
        for goal in self._goals:
            value, model_now, ended, checked = self._descend(goal, fixed)
            if value is None:
                return self._nothing(result, checked) if not found else result
            status = OptimizationStatus.OPTIMAL if ended else OptimizationStatus.UNKNOWN
            found.append(self._objective(goal, value.shown(), status))
            if not ended:
                before = result.objectives[len(found) - 1]
                found[-1] = found[-1]._replace(lower=before.lower, upper=before.upper)
            model = model_now or model
            agreed = agreed and checked.agreed
            literal = self._literal(goal, value)
            if not ended or literal is None:
                break
            fixed.append(self._pool.app(EQ, (goal.term, literal)))
        return _searched(result, found, len(self._goals), model, agreed)

    def _nothing(self, result: OptimizationResult, checked: CheckResult) -> OptimizationResult:
        if checked.status != "unsat":
            return result
        trust = self._trust(checked)
        return result._replace(
            status=OptimizationStatus.INFEASIBLE,
            core=self._core(checked),
            reason=None,
            detail="",
            confirmed=True,
            trust=trust,
        )

    def _descend(
        self, goal: Objective, fixed: list[Node]
    ) -> tuple[Extended | None, Model | None, bool, CheckResult]:
        """The best value found, its model, whether nothing better exists, and the last result."""
        nodes = [goal.term, *(term.node for term in self._shown)]
        best: Extended | None = None
        model: Model | None = None
        bounds: list[Node] = []
        for _ in range(_MOST_STEPS):
            checked = self._ask([*fixed, *bounds], nodes)
            if checked.status != "sat" or checked.values is None:
                return best, model, checked.status == "unsat", checked
            value = self._extended(goal, checked.values[0])
            if value is None:
                return best, model, False, checked
            best, model = value, self._model_of(checked.values[1:])
            improvement = self._improves(goal, value)
            if improvement is None:
                return best, model, False, checked
            bounds = [improvement]
        return best, model, False, checked


def _status_of(value: Extended | None) -> OptimizationStatus:
    if value is None:
        return OptimizationStatus.UNKNOWN
    if value.infinite:
        return OptimizationStatus.UNBOUNDED
    return OptimizationStatus.UNATTAINED if value.tiny else OptimizationStatus.OPTIMAL


def _doubtful(result: OptimizationResult, detail: str) -> OptimizationResult:
    return result._replace(
        status=OptimizationStatus.UNKNOWN, reason="disagreement", detail=detail, confirmed=False
    )


def _searched(
    result: OptimizationResult, found: list[ObjectiveResult], wanted: int, model: Model | None, agreed: bool
) -> OptimizationResult:
    done = len(found) == wanted and all(each.status is OptimizationStatus.OPTIMAL for each in found)
    value = found[0].value
    if not done:
        return result._replace(value=value, objectives=tuple(found), model=model)
    return result._replace(
        status=OptimizationStatus.OPTIMAL,
        value=value,
        objectives=tuple(found),
        model=model,
        reason=None,
        detail="",
        confirmed=True,
        trust="cross-checked" if agreed else "solver",
    )


# --- what if the declared sorts were closed ------------------------------------------------------


def closure(module: Module) -> tuple[Assertion, ...]:
    """That each open declared sort with named constants has no other members."""
    pool = module.pool
    found: list[Assertion] = []
    for sort in module.sorts:
        constants = module.constants(sort)
        if not isinstance(sort, DeclaredSort) or sort in module.closed or not constants:
            continue
        var = pool.var("x", sort)
        body = pool.disj(pool.eq(var, pool.sym(symbol)) for symbol in constants)
        text = f"{sort.name} has no members but {', '.join(symbol.name for symbol in constants)}"
        key = f"closed:{sort.name}"
        formula = pool.quant("forall", (var,), body)
        found.append(Assertion(key, text, AssertionKind.SEMANTICS, formula, Origin("", text)))
    return tuple(found)


def optimize(
    verifier: Verifier,
    optimization: Optimization,
    *,
    what_if: bool = True,
    shrink: Shrink | None = None,
    second: Dispatcher | None = None,
) -> OptimizationResult:
    """The answer; where it is unbounded over open sorts, with the answer over closed ones beside it.

    `shrink` makes the core of an infeasible one minimal. `second` is another solver, for its opinion.
    """
    result = Optimizer(verifier, optimization, shrink, second=second).run()
    if result.status is not OptimizationStatus.UNBOUNDED or not what_if:
        return result
    closed = closure(verifier.terms.module)
    if not closed:
        return result
    inner = Optimizer(verifier, optimization, shrink, closed, second).run()
    if inner.status in (OptimizationStatus.UNBOUNDED, OptimizationStatus.UNKNOWN):
        return result
    sorts = ", ".join(assertion.key.removeprefix("closed:") for assertion in closed)
    answer = "infeasible" if inner.value is None else f"{inner.status} {inner.value}"
    note = f"open sorts make it unbounded; {answer} if no members but the named ones exist in: {sorts}"
    return result._replace(closed=inner, notes=(*result.notes, note))
