"""Optimization: the objectives of a program in their order, each for itself, or together ([VERDICT-OPTIMUM]).

The optimum of one objective is `potlang.prove.objective`'s; here is what several of them mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from potlang.engines.check import CheckResult
from potlang.engines.messages import Query, SolverAnswer
from potlang.engines.solver import SolverSession
from potlang.ir.measures import value_text
from potlang.ir.module import Assertion, AssertionKind, Module, Objective, Optimization, Origin
from potlang.ir.sorts import INT, DeclaredSort
from potlang.ir.structure import Structure
from potlang.processes.pool import Workers
from potlang.prove.evidence import core_items, evaluated, read_model
from potlang.prove.exact import exact_value
from potlang.prove.objective import (
    Condition,
    ObjectiveOutcome,
    ObjectiveSearch,
    Piece,
    ProgramModels,
    Reached,
    Relation,
    compared,
    number_of,
    read_value,
)
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
from potlang.utils.deadline import Deadline, OutOfFuel

if TYPE_CHECKING:
    from potlang.prove.cross_check import ProofObligation

MOST_POINTS = 64
"""Pareto points listed ([LIMIT-PARETO])."""
_SHARE_MS = 1_000
_Status = OptimizationStatus
_WORST_FIRST = (_Status.UNKNOWN, _Status.INFEASIBLE, _Status.UNBOUNDED, _Status.UNATTAINED, _Status.OPTIMAL)

Shrink = Callable[[tuple[str, ...], tuple[Assertion, ...]], tuple[str, ...]]
"""Makes a core minimal; the assertions are those beyond the program's. The base is lost by it."""
Assure = Callable[[ProgramModels, Piece], "ProofObligation | None"]
"""The best tier that a piece of evidence reaches; None if another answer contradicts it."""


class OptimizerMeans(NamedTuple):
    """An optimizer's means besides the verifier: the program as compiled, and who helps."""

    original: Module
    workers: Workers
    aside: Callable[[], SolverSession]
    shrink: Shrink | None = None
    assure: Assure | None = None


class Optimizer:
    """Answers one optimization on top of a verifier's assumptions."""

    def __init__(
        self,
        verifier: Verifier,
        optimization: Optimization,
        means: OptimizerMeans,
        extra: Sequence[Assertion] = (),
    ) -> None:
        self._verifier = verifier
        self._problem = optimization
        self._means = means
        self._pool = verifier.terms.module.pool
        self._goals = optimization.objectives
        original = means.original.optimization or optimization
        self._originals = original.objectives
        roots = [*(each.term for each in self._goals), *(each.formula for each in optimization.constraints)]
        touched = {term.node.id: term for root in roots for term in verifier.terms.touched(root)}
        self._terms = list(touched.values())
        self._named = list(verifier.terms.names_for(self._terms))
        self._session: SolverSession | None = None
        self.families: dict[int, Structure] = {}
        """Families that show that an objective, by its number, has no bound or comes near to its limit."""
        self._extra = (*extra, *optimization.constraints)
        as_compiled = (*means.original.assertions, *verifier.extra, *extra, *original.constraints)
        self._models = ProgramModels(
            verifier,
            means.original,
            as_compiled,
            self._extra,
            [*self._terms, *self._named],
            self._linear,
            means.workers,
        )

    def run(self) -> OptimizationResult:
        """The answer, each part of it shown."""
        try:
            if not self._goals:
                return self._satisfy()
            if self._problem.mode == "pareto":
                return self._front()
            return self._each()
        finally:
            if self._session is not None:
                self._session.close()

    def _linear(self, query: Query) -> SolverAnswer:
        """A question about numbers alone, in a session that is open as long as this optimization."""
        limit = self._verifier.dispatcher.allowance.check_ms(_SHARE_MS)
        if not limit:
            return SolverAnswer("unknown", "timeout")
        if self._session is None:
            self._session = self._means.aside()
        return self._session.ask(query, limit)

    def _result(self, status: OptimizationStatus) -> OptimizationResult:
        return OptimizationResult(
            status,
            self._problem.mode,
            pointer=self._problem.origin.pointer,
            route=self._verifier.dispatcher.route,
        )

    # --- evidence ---

    def _assured(self, pieces: Sequence[Piece]) -> list[ProofObligation] | None:
        """The pieces with their tiers; none where nobody checks them. None if an answer contradicts."""
        if self._means.assure is None:
            return []
        found = [self._means.assure(self._models, piece) for piece in pieces]
        known = [each for each in found if each is not None]
        return known if len(known) == len(found) else None

    def _shown(self, reached: Reached | None) -> Model | None:
        if reached is None:
            return None
        result = reached.result
        encoding = result.encoding or self._verifier.dispatcher.solvers[0].encoding
        terms = [*self._terms, *self._named]
        model: PartialModel | None = None
        if reached.structure is not None:
            known = CheckResult("sat", None, (), structure=lambda: reached.structure)
            model = evaluated(self._means.original, PartialModel(encoding, {}, known), terms)
        elif result.values is not None:
            ids = [term.node.id for term in terms]
            model = PartialModel(encoding, dict(zip(ids, result.values[1:], strict=True)), result)
        return None if model is None else read_model(model, self._terms, self._named)

    def _core(self, checked: CheckResult) -> tuple[CoreItem, ...] | None:
        names = checked.core
        if names is not None and self._means.shrink is not None:
            names = self._means.shrink(names, self._extra)
        return None if names is None else core_items(names, self._verifier.labels)

    # --- one after the other, or each for itself ---

    def _each(self) -> OptimizationResult:
        """Lexicographic order, or box."""
        ordered = self._problem.mode == "lexicographic"
        fixed: list[Condition] = []
        found: list[ObjectiveResult] = []
        undecided: CheckResult | None = None
        before = _Status.OPTIMAL
        obligations: list[ProofObligation] = []
        outcome = ObjectiveOutcome(before)
        for goal, original in zip(self._goals, self._originals, strict=True):
            if before is _Status.INFEASIBLE:
                found.append(self._objective(len(found), outcome, obligations))
                continue
            if ordered and before is not _Status.OPTIMAL:
                unknown = before in (_Status.UNKNOWN, _Status.INFEASIBLE)
                status = _Status.UNKNOWN if unknown else _Status.UNDEFINED
                behind = (
                    f"{found[-1].name} before it is {before}"
                    if before is not _Status.UNDEFINED
                    else found[-1].detail
                )
                before = status
                outcome = ObjectiveOutcome(status, reason="incomplete" if unknown else None, detail=behind)
                found.append(self._objective(len(found), outcome, ()))
                continue
            outcome, obligations = self._settled(goal, original, fixed)
            before = outcome.status
            if before is _Status.INFEASIBLE:
                undecided = outcome.pieces[0].result
            if before is _Status.OPTIMAL and ordered:
                assert outcome.value is not None
                fixed.append(self._compared(len(found), outcome.value, "equal"))
            found.append(self._objective(len(found), outcome, obligations))
        return self._joined(found, undecided)

    def _settled(
        self, goal: Objective, original: Objective, fixed: Sequence[Condition]
    ) -> tuple[ObjectiveOutcome, list[ProofObligation]]:
        search = ObjectiveSearch(self._models, goal, original, fixed)
        outcome = search.run()
        impossible = outcome.status is _Status.INFEASIBLE and bool(fixed)
        try:
            obligations = None if impossible else self._assured(outcome.pieces)
        except OutOfFuel:
            # What was found is not lost for want of time to check it once more.
            self._verifier.cut_short = True
            obligations = []
        if obligations is None:
            outcome = replace(
                search.unsettled(),
                reason="disagreement",
                detail="two answers to one question contradict",
                pieces=[],
            )
        return outcome, obligations or []

    def _objective(
        self, number: int, outcome: ObjectiveOutcome, obligations: Sequence[ProofObligation]
    ) -> ObjectiveResult:
        goal = self._goals[number]
        for piece in outcome.pieces:
            if piece.family and piece.structure is not None:
                self.families[number] = piece.structure
        value: ExactValue | None = None if outcome.value is None else exact_value(outcome.value)
        if outcome.status is _Status.UNBOUNDED:
            value = "oo" if goal.direction == "maximize" else "-oo"
        return ObjectiveResult(
            goal.name,
            goal.direction,
            value,
            outcome.status,
            goal.origin.pointer,
            None if outcome.lower is None else exact_value(outcome.lower),
            None if outcome.upper is None else exact_value(outcome.upper),
            self._shown(outcome.model),
            outcome.reason,
            outcome.detail,
            _worst(obligations, outcome.pieces),
            tuple(each.record for each in obligations),
            _written(goal, outcome.value),
        )

    def _joined(self, found: Sequence[ObjectiveResult], infeasible: CheckResult | None) -> OptimizationResult:
        statuses = [each.status for each in found if each.status is not _Status.UNDEFINED]
        status = min(statuses, key=_WORST_FIRST.index)
        open_ones = [each for each in found if each.status is _Status.UNKNOWN]
        reason = open_ones[0].reason if open_ones else None
        models = [each.model for each in found if each.model is not None]
        first = self._problem.mode == "box"
        shown = [each for each in found if each.status is not _Status.UNDEFINED]
        trust = max((each.trust for each in shown), key=_LEVELS.index)
        notes = [
            f"{each.name} is undefined: {each.detail}" for each in found if each.status is _Status.UNDEFINED
        ]
        return self._result(status)._replace(
            value=found[0].value,
            objectives=tuple(found),
            model=(models[0] if first else models[-1]) if models else None,
            core=None if infeasible is None else self._core(infeasible),
            confirmed=True if not open_ones else False if reason == "disagreement" else None,
            reason=reason,
            detail=open_ones[0].detail if open_ones else "",
            notes=tuple(notes),
            trust=trust,
        )

    # --- together ---

    def _front(self) -> OptimizationResult:
        """The Pareto front: from each model that is no worse than a known point in all, up to a new point."""
        points: list[ParetoPoint] = []
        left: list[Condition] = []
        worst: ObjectiveOutcome | None = None
        terms = [goal.term for goal in self._goals]
        half = Deadline(self._verifier.dispatcher.allowance.deadline.left_ms() // 2)
        while True:
            checked = self._models.ask(left, terms)
            # A front over reals has no last point: half of the time is enough for some of them.
            if checked.status != "sat" or len(points) >= MOST_POINTS or (points and half.passed()):
                break
            worst = self._point(checked, left, points)
            if worst is not None:
                break
        if checked.status != "unsat":
            return self._partial(checked, worst, points)
        if not points:
            return self._front_is(checked, Piece("feasible", "unsat", (), checked), points)
        return self._front_is(checked, Piece("better", "unsat", tuple(left), checked), points)

    def _front_is(
        self, checked: CheckResult, piece: Piece, points: Sequence[ParetoPoint]
    ) -> OptimizationResult:
        """All points, or none because there is no model."""
        obligations = self._assured([piece])
        if obligations is None:
            return self._partial(checked, self._doubt, points)
        infeasible = piece.name == "feasible"
        status = _Status.INFEASIBLE if infeasible else _Status.OPTIMAL
        trust = max([_worst(obligations, [piece]), *(each.trust for each in points)], key=_LEVELS.index)
        rows = [self._objective(number, ObjectiveOutcome(status), ()) for number in range(len(self._goals))]
        return self._result(status)._replace(
            objectives=tuple(each._replace(trust=trust) for each in rows),
            points=None if infeasible else tuple(points),
            core=self._core(checked) if infeasible else None,
            confirmed=True,
            trust=trust,
            assurances=tuple(each.record for each in obligations),
        )

    def _partial(
        self, checked: CheckResult, worst: ObjectiveOutcome | None, points: Sequence[ParetoPoint]
    ) -> OptimizationResult:
        """Some points: there may be more, or above some model an objective may have no optimum."""
        without_optimum = worst is not None and worst.status in (_Status.UNBOUNDED, _Status.UNATTAINED)
        obligations: list[ProofObligation] = []
        tiers = [each.trust for each in points]
        if worst is not None and without_optimum:
            assured = self._assured(worst.pieces)
            if assured is None:
                return self._partial(checked, self._doubt, points)
            obligations = assured
            tiers.append(_worst(obligations, worst.pieces))
        if worst is not None and without_optimum:
            status, reason = worst.status, None
            note = f"the front is partial: above some model an objective is {worst.status}"
        elif points and checked.status == "sat" and (worst is None or worst.reason != "disagreement"):
            # Each point was shown on its own: what else there is takes nothing away.
            status, reason = _Status.OPTIMAL, None
            note = f"the front is partial: beside these {len(points)} points there are models that none beats"
        else:
            status, note = _Status.UNKNOWN, "the front is partial: whether it has more points is not known"
            reason = (worst.reason if worst is not None else checked.reason) or "incomplete"
        rows = [
            self._objective(number, ObjectiveOutcome(status, reason=reason), ())
            for number in range(len(self._goals))
        ]
        confirmed = None if reason is not None else True
        trust: TrustLevel = max(tiers, key=_LEVELS.index, default="solver")
        return self._result(status)._replace(
            objectives=tuple(each._replace(trust=trust) for each in rows),
            points=tuple(points),
            complete=False,
            confirmed=False if reason == "disagreement" else confirmed,
            reason=reason,
            detail="" if worst is None else worst.detail,
            model=None if worst is None else self._shown(worst.model),
            notes=(note,),
            trust=trust,
            assurances=tuple(each.record for each in obligations),
        )

    def _point(
        self, checked: CheckResult, left: list[Condition], points: list[ParetoPoint]
    ) -> ObjectiveOutcome | None:
        """Adds the best point, in the objectives' order, of those as good as a model; else why not.

        `left` is then what the points leave. Nothing beats the point: it would be as good as the model too.
        """
        fixed = self._as_good(checked, left)
        values: list[Fraction] = []
        outcome = ObjectiveOutcome(_Status.UNKNOWN)
        for goal, original in zip(self._goals, self._originals, strict=True):
            # The point is shown as a whole: how it was found needs no second opinion.
            outcome = ObjectiveSearch(self._models, goal, original, fixed).run()
            if outcome.status is not _Status.OPTIMAL or outcome.value is None:
                return outcome
            values.append(outcome.value)
            fixed.append(self._compared(len(values) - 1, outcome.value, "equal"))
        better = self._some_better(values)
        as_good = [self._compared(number, value, "as good") for number, value in enumerate(values)]
        assert outcome.model is not None
        reached = Piece("reached", "sat", tuple(as_good), outcome.model.result, outcome.model.structure)
        beaten = Piece("better", "unsat", (*as_good, better), self._models.ask((*as_good, better)))
        if beaten.result.status != "unsat":
            return ObjectiveOutcome(_Status.UNKNOWN, reason=beaten.result.reason or "disagreement")
        obligations = self._assured([reached, beaten])
        if obligations is None:
            return self._doubt
        left.append(better)
        trust = _worst(obligations, [reached, beaten])
        shown = tuple(exact_value(value) for value in values)
        records = tuple(each.record for each in obligations)
        written = tuple(_written(*each) for each in zip(self._goals, values, strict=True))
        points.append(ParetoPoint(shown, self._shown(outcome.model), trust, records, written))
        return None

    def _as_good(self, checked: CheckResult, left: Sequence[Condition]) -> list[Condition]:
        """That each objective is as good as in a model; where its values cannot be read, what `left` says."""
        structure = self._models.structure(checked)
        values = None if checked.values is None else [read_value(text) for text in checked.values]
        if structure is not None:
            found = [number_of(self._models.families(goal, ()).value(structure)) for goal in self._originals]
            values = found if None not in found else values
        if values is None or None in values:
            return list(left)
        return [
            self._compared(number, value, "as good")
            for number, value in enumerate(values)
            if value is not None
        ]

    def _compared(self, number: int, value: Fraction, relation: Relation) -> Condition:
        return compared(self._pool, self._goals[number], self._originals[number], value, relation)

    def _some_better(self, values: Sequence[Fraction]) -> Condition:
        """Some objective is better than these values."""
        parts = [self._compared(number, value, "better") for number, value in enumerate(values)]
        lowered, original = ([each[side] for each in parts] for side in (0, 1))
        return Condition(self._pool.disj(lowered), self._pool.disj(original))

    @property
    def _doubt(self) -> ObjectiveOutcome:
        return ObjectiveOutcome(
            _Status.UNKNOWN, reason="disagreement", detail="two answers to one question contradict"
        )

    # --- without objectives ---

    def _satisfy(self) -> OptimizationResult:
        """Without objectives any model is optimal."""
        nodes = [term.node for term in (*self._terms, *self._named)]
        # The place of the objective's value is left to the truth that there is none.
        checked = self._models.ask((), [self._pool.true, *nodes])
        base = self._result(_Status.UNKNOWN)._replace(reason=checked.reason)
        if checked.status == "unsat":
            return base._replace(status=_Status.INFEASIBLE, core=self._core(checked))
        if checked.status == "sat":
            reached = Reached(Fraction(0), checked, self._models.structure(checked))
            return base._replace(status=_Status.OPTIMAL, model=self._shown(reached))
        return base


_LEVELS: tuple[TrustLevel, ...] = ("checked", "cross-checked", "solver")


def _worst(obligations: Sequence[ProofObligation], pieces: Sequence[Piece]) -> TrustLevel:
    """The worst tier; where nothing was checked again, whether two solvers were asked at once."""
    if obligations:
        return max((each.trust for each in obligations), key=_LEVELS.index)
    return "cross-checked" if pieces and all(each.result.agreed for each in pieces) else "solver"


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
    verifier: Verifier, optimization: Optimization, means: OptimizerMeans, *, what_if: bool = True
) -> tuple[OptimizationResult, dict[int, Structure]]:
    """The answer, and `Optimizer.families` that it rests on.

    Where it is unbounded over open sorts, the answer over closed ones is beside it.
    """
    outer = Optimizer(verifier, optimization, means)
    result = outer.run()
    if result.status is OptimizationStatus.UNBOUNDED and what_if:
        result = _with_closed_sorts(result, verifier, optimization, means)
    return result, outer.families


def _with_closed_sorts(
    result: OptimizationResult, verifier: Verifier, optimization: Optimization, means: OptimizerMeans
) -> OptimizationResult:
    closed = closure(verifier.terms.module)
    if not closed:
        return result
    # The first run may have taken the base away from the solvers.
    verifier.dispatcher.start(lambda encoding: encoding.base())
    inner = Optimizer(verifier, optimization, means, closed).run()
    if inner.status in (OptimizationStatus.UNBOUNDED, OptimizationStatus.UNKNOWN):
        return result
    sorts = ", ".join(assertion.key.removeprefix("closed:") for assertion in closed)
    answer = "infeasible" if inner.value is None else f"{inner.status} {inner.value}"
    note = f"open sorts make it unbounded; {answer} if no members but the named ones exist in: {sorts}"
    return result._replace(closed=inner, notes=(*result.notes, note))


def _written(goal: Objective, value: Fraction | None) -> str | None:
    """A value as the program writes it; None where it is a number there, too."""
    if value is None or goal.shown is None or (goal.shown.base is INT and value.denominator != 1):
        return None
    return value_text(value, goal.shown)
