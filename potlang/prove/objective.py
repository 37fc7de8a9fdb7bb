"""One objective over the models of some conditions: what it reaches, shown by ordinary checks.

An optimizer proposes, and nothing of what it says is taken over. That a value is reached is shown by a
model; that none is better by a check that refutes one; that there is no bound, or that a limit is only
approached, by a family of models ([VERDICT-CONFIRM]). Where the optimizer errs or gives up, the same
questions are asked of better and better models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

from potlang.engines.check import CheckResult
from potlang.engines.encoding import Encoding
from potlang.engines.messages import OptimizeAnswer, OptimizeQuery, Query, SolverAnswer
from potlang.engines.sat import cheapest
from potlang.ir.module import Assertion, Module, Objective
from potlang.ir.nodes import Node
from potlang.ir.operators import BV_ULE, BV_ULT, EQ, LE, LT
from potlang.ir.pool import Pool
from potlang.ir.sorts import REAL, BitVecSort
from potlang.ir.structure import Structure
from potlang.ir.values import Bits
from potlang.processes.pool import Workers
from potlang.prove.dispatcher import Dispatcher
from potlang.prove.exact import Extended, NotLinear, read_extended
from potlang.prove.families import Climb, Families
from potlang.prove.result_models import ResultModels
from potlang.prove.terms import ShownTerm
from potlang.prove.verdicts import Verifier
from potlang.prove.weighted import WeightedSum, bound_by_cores, weighted_sum
from potlang.report.results import OptimizationStatus
from potlang.utils.deadline import Deadline, OutOfFuel, OutOfTime

_MOST_STEPS = 200
"""Questions for better models; [VERDICT-CONFIRM]."""
_FAR = Fraction(10**9)
"""Asked for where there is said to be no bound: a model out there has no comparisons with what is near."""
_FARTHEST = Fraction(2**128)
_PATIENCE = 3
"""Models, each a little better, after which larger steps are tried."""
_MOST_HALVED = 40
"""Halves of an interval of reals; the 2^40th part of it is told from a limit by nobody."""
_NEAR = Fraction(1, 1024)
"""Below a limit that is said not to be reached: a model from which a climb may come to it."""

Relation = Literal["equal", "as good", "better"]
PieceName = Literal["reached", "better", "approached", "beyond", "feasible"]


class Condition(NamedTuple):
    """A formula as solvers are asked, and as the program has it, before passes."""

    lowered: Node
    original: Node


class Piece(NamedTuple):
    """An answer that an objective's status rests on: conditions have a model, its `structure`, or none.

    `family`: the structure depends on a parameter, and the evaluator has found all true in it.
    """

    name: PieceName
    status: Literal["sat", "unsat"]
    conditions: tuple[Condition, ...]
    result: CheckResult
    structure: Structure | None = None
    family: bool = False


class Reached(NamedTuple):
    """A model's value, and the check or the climb that gave it."""

    value: Fraction
    result: CheckResult
    structure: Structure | None


@dataclass
class ObjectiveOutcome:
    """One objective's status, shown by the `pieces`. `model` is the best model known.

    `value` is the optimum or the limit; `lower` and `upper` are what is known where it was not found.
    """

    status: OptimizationStatus
    value: Fraction | None = None
    model: Reached | None = None
    pieces: list[Piece] = field(default_factory=list)
    lower: Fraction | None = None
    upper: Fraction | None = None
    reason: str | None = None
    detail: str = ""


class ProgramModels:
    """The models of a program's assumptions and an optimization's constraints, and questions about them.

    `assumed` are all these as the program has them, `extra` those beyond the base as solvers are
    asked; `linear` opens a session of a solver for questions about numbers alone.
    """

    def __init__(
        self,
        verifier: Verifier,
        original: Module,
        assumed: Sequence[Assertion],
        extra: Sequence[Assertion],
        shown: Sequence[ShownTerm],
        linear: Callable[[Query], SolverAnswer],
        workers: Workers,
    ) -> None:
        self.verifier = verifier
        self.dispatcher = verifier.dispatcher
        self.original = original
        self.assumed = tuple(assumed)
        self.shown = shown
        self.workers = workers
        self._extra = tuple(extra)
        self._linear = linear
        self._read = ResultModels(verifier.terms.module)
        self._texts: dict[tuple[Encoding, int], str] = {}
        self.not_grounded = 0
        """How often no refutation was found by grounding, since one was found last."""

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return self.dispatcher.allowance.deadline.passed()

    def text(self, encoding: Encoding) -> str:
        """The assumptions beyond the base."""
        return "".join(encoding.assertion(each) for each in (*self.verifier.extra, *self._extra))

    def ask(
        self,
        conditions: Sequence[Condition] = (),
        values: Sequence[Node] = (),
        *,
        kept: Sequence[tuple[str, Node]] = (),
        dispatcher: Dispatcher | None = None,
        most_ms: float | None = None,
    ) -> CheckResult:
        """Whether there is a model of the conditions; `kept` are more of them under names, for a core."""

        def build(encoding: Encoding) -> Query:
            text = self.text(encoding) + "".join([self._goal(encoding, each.lowered) for each in conditions])
            for name, node in kept:
                text += f"(declare-const {name} Bool)(assert (=> {name} {encoding.term(node)}))"
            wanted = tuple([encoding.term(each) for each in values])
            return Query(text, wanted, core=True, model=True, assuming=tuple(name for name, _ in kept))

        return (dispatcher or self.dispatcher).ask("assumptions", build, most_ms=most_ms)

    def _goal(self, encoding: Encoding, formula: Node) -> str:
        """The command for a condition; most are part of many queries."""
        # An encoding numbers the names that it makes: another one's text would declare some of them twice.
        key = encoding, formula.id
        if key not in self._texts:
            self._texts[key] = encoding.goal(formula)
        return self._texts[key]

    def structure(self, result: CheckResult) -> Structure | None:
        """The model of a sat answer; None if there is none that can be read."""
        return self._read.structure(result)

    def families(self, goal: Objective, fixed: Sequence[Condition]) -> Families:
        """Families of models that hold `fixed` too."""
        formulas = [*(each.formula for each in self.assumed), *(each.original for each in fixed)]
        # The program's formulas are evaluated as they were before passes; so is its objective.
        return Families(self.original, formulas, goal.term, goal.direction == "maximize", self._linear)


class ObjectiveSearch:
    """Finds the status of one objective over models of `fixed`. Values are signed: larger is better."""

    def __init__(
        self, models: ProgramModels, goal: Objective, original: Objective, fixed: Sequence[Condition]
    ) -> None:
        self._models = models
        self._goal = goal
        self._original = original
        self._fixed = tuple(fixed)
        self._pool = models.verifier.terms.module.pool
        self._maximize = goal.direction == "maximize"
        self._sign = 1 if self._maximize else -1
        self._families = models.families(original, fixed)
        self._best: Reached | None = None
        self._bound: tuple[Fraction, bool, Piece] | None = None
        """A number that no value is better than, `True` if none is as good, and what refuted more."""
        self._limit: tuple[Fraction, Piece] | None = None
        self._endless: Piece | None = None
        self._infeasible: CheckResult | None = None
        self._why: tuple[str | None, str] = (None, "")
        self._lemmas: tuple[Condition, ...] = ()

    def run(self) -> ObjectiveOutcome:
        """The status with what shows it; what is known by then where the limits end the search."""
        try:
            self._propose()
            if self._settled() is None:
                self._by_cores()
            return self._search() or self.unsettled()
        except OutOfFuel as over:
            self._models.verifier.cut_short = True
            self._why = "timeout" if isinstance(over, OutOfTime) else "memory", ""
            return self._settled() or self.unsettled()

    # --- what is known ---

    def _settled(self) -> ObjectiveOutcome | None:
        """The outcome, once what is known shows one."""
        status = OptimizationStatus
        if self._infeasible is not None:
            piece = Piece("feasible", "unsat", self._fixed, self._infeasible)
            return ObjectiveOutcome(status.INFEASIBLE, pieces=[piece])
        if self._endless is not None:
            return ObjectiveOutcome(status.UNBOUNDED, None, self._best, [self._endless])
        if self._bound is None:
            return None
        bound, excluded, refuted = self._bound
        if self._best is not None and self._best.value == bound and not excluded:
            reached = Piece(
                "reached",
                "sat",
                (*self._fixed, self._at_least(bound)),
                self._best.result,
                self._best.structure,
            )
            return ObjectiveOutcome(status.OPTIMAL, self._sign * bound, self._best, [reached, refuted])
        if self._limit is not None and self._limit[0] == bound and excluded:
            return ObjectiveOutcome(
                status.UNATTAINED,
                self._sign * bound,
                self._best,
                [self._limit[1], refuted._replace(name="reached")],
            )
        return None

    def unsettled(self) -> ObjectiveOutcome:
        """The best value so far and the bounds, where the status is not known."""
        best = None if self._best is None else self._sign * self._best.value
        bound = None if self._bound is None else self._sign * self._bound[0]
        lower, upper = (best, bound) if self._maximize else (bound, best)
        reason, detail = self._why
        return ObjectiveOutcome(
            OptimizationStatus.UNKNOWN, best, self._best, [], lower, upper, reason or "incomplete", detail
        )

    # --- questions ---

    def _condition(self, value: Fraction, *, strict: bool) -> Condition:
        relation: Relation = "better" if strict else "as good"
        return compared(self._pool, self._goal, self._original, self._sign * value, relation)

    def _at_least(self, value: Fraction) -> Condition:
        return self._condition(value, strict=False)

    def _ask(self, value: Fraction | None, *, strict: bool = False) -> str:
        """Ask for a model at least as good as `value`, or better; what comes of it is kept."""
        asked = () if value is None else (self._condition(value, strict=strict),)
        conditions = (*self._fixed, *asked)
        nodes = [self._goal.term, *(term.node for term in self._models.shown)]
        result = self._models.ask((*conditions, *self._lemmas), nodes)
        if result.status == "unsat":
            if value is None:
                self._infeasible = result
            else:
                # The cores behind the lemmas may be one solver's word.
                said = result._replace(agreed=False) if self._lemmas else result
                piece = Piece("better", "unsat", conditions, said)
                self._note_bound(value, strict, piece)
            return "unsat"
        if result.status == "sat":
            reached = self._reached(result)
            if reached is None:
                return "unknown"
            if value is not None and (reached.value < value or (strict and reached.value == value)):
                self._why = "disagreement", "a model does not have the value that the solver says"
                return "unknown"
            if self._best is None or reached.value > self._best.value:
                self._best = reached
            return "sat"
        self._why = result.reason, result.checks[-1].detail if result.checks else ""
        return "unknown"

    def _note_bound(self, value: Fraction, strict: bool, refuted: Piece) -> None:
        """Keep that nothing is better than `value` (`strict`) or as good, if that says more than is known."""
        excluded = not strict
        if self._goal.term.sort is not REAL:
            # Integers below n are at most n - 1.
            value = Fraction(math.floor(value) if strict else math.ceil(value) - 1)
            excluded = False
        # Of two bounds at one value the one that excludes it says more.
        if self._bound is None or (value, not excluded) < (self._bound[0], not self._bound[1]):
            self._bound = value, excluded, refuted

    def _reached(self, result: CheckResult) -> Reached | None:
        """The value in a model: as evaluated, or as the solver says where it cannot be."""
        structure = self._models.structure(result)
        if structure is not None:
            value = number_of(self._families.value(structure))
            if value is not None:
                return Reached(self._sign * value, result, structure)
        said = None if result.values is None else read_value(result.values[0])
        if said is None:
            self._why = "incomplete", "the value of a model cannot be read"
            return None
        return Reached(self._sign * said, result, None)

    # --- the proposal ---

    def _propose(self) -> None:
        """Ask an optimizer, and then whether it is right."""

        def build(encoding: Encoding) -> OptimizeQuery:
            more = "".join([encoding.goal(each.lowered) for each in self._fixed])
            term = encoding.term(self._goal.term)
            return OptimizeQuery(self._models.text(encoding) + more, term, self._maximize)

        answer = self._models.dispatcher.optimize(build)
        self._why = answer.reason, answer.detail
        value = self._extended(answer)
        match answer.status:
            case "unbounded":
                if self._ask(_FAR) == "sat":
                    self._climb(endless=True)
            case "optimal" if value is not None:
                self._ask(self._sign * value.finite)
            case "unattained" if value is not None:
                limit = self._sign * value.finite
                if self._ask(limit) == "unsat":
                    self._ask(limit - _NEAR)

    def _extended(self, answer: OptimizeAnswer) -> Extended | None:
        return None if answer.value is None else _read(answer.value, maximize=self._maximize)

    # --- better and better models ---

    def _search(self) -> ObjectiveOutcome | None:
        """Ask for better models until none is left, or one is as good as it gets.

        The outcome; None if a check is unknown, or there is no end.
        """
        if self._best is None and self._ask(None) == "unknown":
            return self._settled()
        worse = halved = 0
        climbed: Reached | None = None
        for step in range(_MOST_STEPS):
            # What no linear function brings to its end may yet be seen to have none.
            if step in (2 * _PATIENCE, _MOST_STEPS // 2):
                self._climb(endless=True)
            if (found := self._settled()) is not None or self._best is None:
                return found
            if climbed is not self._best:
                self._climb(endless=False)
                climbed = self._best
                if (found := self._settled()) is not None:
                    return found
            if self._best.value > _FARTHEST:
                self._why = (
                    "incomplete",
                    "the values pass every number tried; that they pass all is not shown",
                )
                return None
            if self._limit is not None and self._limit[0] > self._best.value:
                # Nothing is known to lie between the best model and the limit that better ones approach.
                if self._ask(self._limit[0]) == "unknown":
                    return None
                continue
            target, strict = self._target(worse, halved)
            answer = self._ask(target, strict=strict)
            if answer == "unknown" and not strict:
                # A step may have been too far for the solver, where the next better value is not.
                worse, halved = 0, _MOST_HALVED
                continue
            if answer == "unknown":
                return self._last_resort()
            halved += answer == "unsat"
            worse = worse + 1 if answer == "sat" else 0
        self._why = "incomplete", f"better models were found {_MOST_STEPS} times"
        return self._settled()

    def _last_resort(self) -> ObjectiveOutcome | None:
        """Where no solver knows of better models, a family may still be seen."""
        why = self._why
        self._climb(endless=True)
        if self._limit is not None and self._best is not None and self._limit[0] > self._best.value:
            self._ask(self._limit[0])
        self._why = why
        return self._settled()

    def _target(self, worse: int, halved: int) -> tuple[Fraction, bool]:
        """The value to ask for next, and whether for better than it: small steps, then larger ones."""
        assert self._best is not None
        best = self._best.value
        if self._bound is not None and halved < _MOST_HALVED:
            middle = (best + self._bound[0]) / 2
            if self._goal.term.sort is not REAL:
                middle = Fraction(math.ceil(middle))
            # Of reals the best one is asked about in turn: halving would come near to it for ever.
            turn = self._goal.term.sort is not REAL or halved % 2 == 1
            if turn and worse < _PATIENCE and best < middle and middle <= self._bound[0]:
                return middle, False
        if worse >= _PATIENCE and self._bound is None:
            return best + Fraction(2) ** (worse - _PATIENCE), False
        return best, True

    def _climb(self, *, endless: bool) -> None:
        """Go up from the best model, as far as its comparisons allow."""
        best = self._best
        if best is None or best.structure is None or isinstance(self._goal.term.sort, BitVecSort):
            return
        for _ in range(_PATIENCE):
            climb = self._families.climb(best.structure, endless=endless)
            if climb is None or not self._follow(climb, best.result):
                return
            if not climb.attained or self._best is best:
                return
            best = self._best
            assert best is not None and best.structure is not None

    def _follow(self, climb: Climb, result: CheckResult) -> bool:
        """Keep what a climb has shown; whether it has led further."""
        if climb.value is None:
            self._endless = Piece("beyond", "sat", self._fixed, result, climb.structure, family=True)
            return True
        value = self._sign * climb.value
        if climb.attained:
            if self._best is None or value > self._best.value:
                self._best = Reached(value, result, climb.structure)
                return True
            return False
        if self._limit is None or value > self._limit[0]:
            self._limit = value, Piece("approached", "sat", self._fixed, result, climb.structure, family=True)
            return True
        return False

    # --- sums of weights ---

    def _by_cores(self) -> None:
        """A bound by cores, where the objective is a sum of weights of conditions."""
        total = weighted_sum(self._goal.term, self._maximize, self._pool)
        if total is None:
            return
        names = [f"!k{number}" for number in range(len(total.conditions))]
        # The search that follows needs its time where cores do not close the gap.
        until = Deadline(self._models.dispatcher.allowance.deadline.left_ms() // 2)
        found = bound_by_cores(
            total, lambda kept: self._kept(total, names, kept), self._cheapest, until.passed
        )
        if found.impossible is not None:
            return
        if found.reached is not None:
            reached = self._reached(found.reached)
            if reached is not None and (self._best is None or reached.value > self._best.value):
                self._best = reached
        # With the cores as lemmas a solver need not find them again to see that nothing is cheaper.
        self._lemmas = tuple(
            Condition(lost, lost)
            for core in found.cores
            for lost in (self._pool.disj(self._pool.negate(total.conditions[number][0]) for number in core),)
        )
        if self._best is not None:
            self._ask(self._best.value, strict=True)

    def _kept(
        self, total: WeightedSum, names: Sequence[str], kept: Sequence[int]
    ) -> tuple[CheckResult, tuple[int, ...]]:
        nodes = [self._goal.term, *(term.node for term in self._models.shown)]
        chosen = [(names[number], total.conditions[number][0]) for number in kept]
        result = self._models.ask(self._fixed, nodes, kept=chosen)
        core = frozenset(result.core or ())
        return result, tuple(number for number in kept if names[number] in core)

    def _cheapest(self, clauses: Sequence[Sequence[int]], costs: Sequence[int]) -> tuple[int, ...] | None:
        limit = self._models.dispatcher.allowance.check_ms()
        return cheapest(clauses, costs, self._models.workers, limit) if limit else None


def compared(
    pool: Pool, goal: Objective, original: Objective, value: Fraction, relation: Relation
) -> Condition:
    """That an objective has a value, is as good, or is better; `value` need not be one of its sort."""
    return Condition(*(_comparison(pool, each, value, relation) for each in (goal, original)))


def _comparison(pool: Pool, goal: Objective, value: Fraction, relation: Relation) -> Node:
    term, sort, up = goal.term, goal.term.sort, goal.direction == "maximize"
    if sort is REAL:
        literal: Node = pool.real(value)
    else:
        # Whole numbers beyond 5/2 are those beyond 2, and those from 5/2 on are those from 3 on.
        whole = math.floor(value) if up is (relation == "better") else math.ceil(value)
        if isinstance(sort, BitVecSort):
            most = (1 << sort.width) - 1
            if not 0 <= whole <= most:
                return pool.truth(relation != "equal" and up is (whole < 0))
            literal = pool.lit(whole, sort)
        else:
            literal = pool.integer(whole)
    if relation == "equal":
        return pool.app(EQ, (term, literal))
    less, most_equal = (BV_ULT, BV_ULE) if isinstance(sort, BitVecSort) else (LT, LE)
    op = less if relation == "better" else most_equal
    return pool.app(op, (literal, term) if up else (term, literal))


def number_of(value: object) -> Fraction | None:
    """An evaluated value as a number; a bit vector's is unsigned. None if it is none."""
    if isinstance(value, Bits):
        return Fraction(value.number)
    return Fraction(value) if isinstance(value, int | Fraction) and not isinstance(value, bool) else None


def read_value(text: str) -> Fraction | None:
    """A solver's text as a number; None for a value that has no exact form here."""
    said = _read(text)
    return None if said is None or said.infinite or said.tiny else said.finite


def _read(text: str, *, maximize: bool = False) -> Extended | None:
    try:
        return read_extended(text, maximize=maximize)
    except NotLinear:
        return None
