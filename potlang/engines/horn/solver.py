"""The closure route: what the least model of a program's Horn part decides (`spec/55-closure.md`).

The model of the assumptions is computed once; each claim adds to it and takes back what it added.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

from potlang.engines.horn.derivation import CaseProof, Derivation, derive_by_events, derive_by_ranks
from potlang.engines.horn.engine import (
    DatalogEngine,
    EvaluationLimits,
    EvaluationTimeout,
    Merging,
    TooManyRows,
)
from potlang.engines.horn.goals import GoalCase, HornGoal, read_goal
from potlang.engines.horn.instances import RuleInstances, rule_instances
from potlang.engines.horn.program import HornParts, HornProgram, add_rule
from potlang.engines.horn.rules import EQUAL, FALSE, Atom, DatalogProgram, DatalogRule, Row
from potlang.engines.horn.semi_naive import SemiNaive
from potlang.engines.horn.structure import SharedTables, least_structure
from potlang.engines.horn.tables import Map, RelationTables, domain_rows, narrowed, same, tables
from potlang.engines.horn.universe import Provenance, Universe
from potlang.engines.horn.with_equality import DatalogWithEquality
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.ir.structure import Structure

Status = Literal["sat", "unsat"]
SideName = Literal["assumptions", "claim", "negation"]
MOST_ROWS = 2_000_000
"""Atoms derived in memory."""
MOST_LARGE_ROWS = 100_000_000
"""Atoms derived by an engine for large programs."""
SMALL_ROWS = 100_000
"""Atoms after which a program counts as large, if there is such an engine."""
MOST_ENTRIES = 200_000
"""Of a least model that is shown as a structure."""
MOST_FOCUSED = 32
"""Claims that are decided by a part of a relation before all of it is evaluated."""

TIMEOUT = "timeout"

T = TypeVar("T")
Expired = Callable[[], bool]


def never() -> bool:
    """A time limit that never comes."""
    return False


class SideAnswer(NamedTuple):
    """The conclusion on one check. `status` None: none, for the `reason` given."""

    status: Status | None
    reason: str | None = None


class HornAnswer(NamedTuple):
    """The answer on one claim. Derivations and models are made by `HornSolver` when asked for."""

    assumptions: SideAnswer
    claim: SideAnswer
    negation: SideAnswer


Large = Callable[[DatalogProgram, Universe, EvaluationLimits], DatalogEngine]
"""Makes an engine other than this module's own."""


@dataclass(slots=True)
class _Base:
    """The model of the assumptions: rows over constants, or over the leaders of their classes."""

    tables: RelationTables
    engine: DatalogEngine
    renamed: Map
    merged: DatalogWithEquality | None = None
    """With equations: the same model with what explains them."""
    large: bool = False
    focused: int = 0
    """How many claims were decided by parts of relations."""
    shared: SharedTables = field(default_factory=SharedTables)
    """Tables of the models shown."""


class HornSolver:
    """The closure of one program. Not safe for use by several threads at once."""

    def __init__(
        self,
        horn: HornProgram,
        most_rows: int = MOST_ROWS,
        large: Large | None = None,
        small_rows: int = SMALL_ROWS,
    ) -> None:
        """`most_rows` bounds what is derived in memory.

        If there is `large`, it makes an engine where more than `small_rows` are derived.
        """
        self.horn = horn
        self.most_rows = most_rows
        self.small_rows = small_rows
        self._large = large
        self._base: _Base | None = None
        self._explainer: _Base | None = None
        """In memory, where the base is not: derivations come from it."""
        self._assumptions: SideAnswer | None = None

    # --- statuses ---

    def decide(self, formula: Node, expired: Expired = never) -> HornAnswer:
        """The conclusions on a closed claim. When `expired` says so, no more are drawn."""
        assumptions = self.assumptions(expired)
        claim, negation = (self._side(formula, negated, assumptions, expired) for negated in (False, True))
        return HornAnswer(assumptions, claim, negation)

    def assumptions(self, expired: Expired = never) -> SideAnswer:
        """Whether the assumptions are satisfiable; computed once."""
        if self._assumptions is None:
            found = self._concluded(self._judge, expired)
            if found.reason == TIMEOUT:
                return found
            self._assumptions = found
        return self._assumptions

    def _judge(self, base: _Base) -> SideAnswer:
        # Classes end at the first violation: what else would become equal is not known, nor to be asked for.
        if base.merged is not None and base.merged.violated:
            return SideAnswer("unsat")
        base.engine.ensure((FALSE, EQUAL))
        if base.engine.violated:
            return SideAnswer("unsat")
        return SideAnswer("sat") if self.horn.exact else SideAnswer(None, _joined(self.horn.reasons))

    def _concluded(self, work: Callable[[_Base], SideAnswer], expired: Expired) -> SideAnswer:
        """The conclusion of `work`, or why there is none."""
        try:
            return self._attempt(work, expired)
        except TooManyRows:
            return SideAnswer(None, f"more than {self._most()} atoms follow")
        except EvaluationTimeout:
            return SideAnswer(None, TIMEOUT)

    def _attempt(self, work: Callable[[_Base], T], expired: Expired) -> T:
        """Do `work` on the model of the assumptions, making a better one if need be.

        Raises `TooManyRows`, `EvaluationTimeout`.
        """
        while True:
            if self._base is None:
                self._base = self._first_base(expired)
            base = self._base
            base.engine.limits = EvaluationLimits(self._most(), expired)
            try:
                return work(base)
            except TooManyRows:
                if self._large is None or base.large or base.merged is not None:
                    raise
                self._base = self._plain_base(EvaluationLimits(MOST_LARGE_ROWS, expired), self._large)
            except Merging:
                assert base.merged is None
                self._base = self._merged_base(expired)

    def _most(self) -> int:
        """How many rows the present engine may have."""
        base = self._base
        if base is not None and base.large:
            return MOST_LARGE_ROWS
        if self._large is None or (base is not None and base.merged is not None):
            return self.most_rows
        return min(self.most_rows, self.small_rows)

    # --- models of the assumptions ---

    def _first_base(self, expired: Expired) -> _Base:
        if any(given.relation == EQUAL for given in self.horn.parts.given):
            return self._merged_base(expired)
        return self._plain_base(EvaluationLimits(self._most(), expired))

    def _plain_base(self, limits: EvaluationLimits, large: Large | None = None) -> _Base:
        """The model, in memory or in an engine for large programs, of rules that make nothing equal."""
        found = tables(self.horn)
        program = _satisfied(found.program, same)
        engine = SemiNaive(program, limits) if large is None else large(program, self.horn.universe, limits)
        return _Base(found, engine, same, large=large is not None)

    def _merged_base(self, expired: Expired) -> _Base:
        """The classes of constants, and on top of them an ordinary model to add to."""
        found = tables(self.horn)
        limits = EvaluationLimits(self.most_rows, expired)
        merged = DatalogWithEquality(found.program, self._sources(found), self.horn.constants, limits)
        merged.saturate()
        leader = dict(enumerate(merged.leader))

        def renamed(row: Row) -> Row:
            return tuple([leader.get(value, value) for value in row])

        over = tables(self.horn, renamed, merged.known_distinct)
        given = tuple((relation, row) for relation, rows in enumerate(merged.rows) for row in rows)
        program = _satisfied(over.program, renamed)._replace(given=given)
        return _Base(over, SemiNaive(program, limits), renamed, merged)

    def _sources(self, found: RelationTables, *, goal: bool = False) -> list[tuple[int, Row, object]]:
        rows: list[tuple[int, Row, object]] = [
            (*found.given(*given), source) for given, source in self.horn.parts.given.items()
        ]
        domain = domain_rows(self.horn, range(len(self.horn.universe.nodes) if goal else self.horn.constants))
        return rows + [(relation, row, None) for relation, row in domain]

    # --- one side of a claim ---

    def _side(self, formula: Node, negated: bool, assumptions: SideAnswer, expired: Expired) -> SideAnswer:
        if assumptions.status == "unsat":
            return assumptions
        with self._goal(formula, negated, self.horn.pool.scratch()) as goal:
            return self._concluded(lambda base: self._settled(base, goal, expired), expired)

    def _settled(self, base: _Base, goal: HornGoal, expired: Expired) -> SideAnswer:
        base.engine.ensure((FALSE, EQUAL))
        if all(self._refuted(base, goal, case, expired) for case in goal.cases()):
            return SideAnswer("unsat")
        doubts = [*(each.reason for each in goal.parts.remainder), *goal.doubts, *self.horn.reasons]
        return SideAnswer(None, _joined(doubts)) if doubts else SideAnswer("sat")

    @contextmanager
    def _goal(self, formula: Node, negated: bool, pool: Pool | None = None) -> Iterator[HornGoal]:
        try:
            yield read_goal(self.horn, formula, negated, pool or self.horn.pool)
        finally:
            self.horn.universe.release(self.horn.constants)

    def _refuted(self, base: _Base, goal: HornGoal, case: GoalCase, expired: Expired) -> bool:
        """Whether the assumptions with one case of the goal violate something."""
        try:
            with self._added(base, goal, case) as engine:
                return engine.violated
        except Merging:
            return self._with_equations(goal, case, expired).violated

    @contextmanager
    def _added(
        self, base: _Base, goal: HornGoal, case: GoalCase, everything: bool = False
    ) -> Iterator[DatalogEngine]:
        """The model with a case of the goal on top. Raises `Merging` where that makes constants equal."""
        parts = _with_literals(self.horn, goal, case)
        renamed = _renaming(base, case)
        rules = [base.tables.rule(clause, renamed) for clause in parts.rules if _active(clause, renamed)]
        given = [base.tables.given(each.relation, renamed(each.row)) for each in parts.given]
        fresh = range(self.horn.constants, len(self.horn.universe.nodes))
        given += domain_rows(self.horn, (code for code in fresh if code not in case.members))
        engine = base.engine
        if everything:
            wanted: Collection[int] = range(len(base.tables.shown))
            engine.ensure(wanted)
        else:
            wanted = (FALSE, EQUAL)
            denied = not given and all(rule.head.relation == FALSE for rule in rules)
            rules, given = self._narrowed(base, rules, given)
            used = {atom.relation for rule in rules for atom in rule.body}
            engine.ensure(used if denied else {*used, *wanted})
        try:
            engine.add(given, rules, wanted)
            yield engine
        finally:
            engine.backtrack()

    def _narrowed(
        self, base: _Base, rules: list[DatalogRule], given: list[tuple[int, Row]]
    ) -> tuple[list[DatalogRule], list[tuple[int, Row]]]:
        """The same by a part of a relation only, where one fact of it is all that matters."""
        if len(rules) != 1 or given or len(rules[0].body) != 1:
            return rules, given
        (atom,) = rules[0].body
        focus = base.tables.focus.get(atom.relation)
        if focus is None or min(atom.args) < 0 or base.large or base.engine.complete(atom.relation):
            return rules, given
        if base.focused >= MOST_FOCUSED and base is not self._explainer:
            return rules, given
        base.focused += 1
        own = rules[0]._replace(body=(Atom(focus.part, atom.args),))
        part, rows = narrowed(focus, atom.relation, atom.args)
        return [*part, own], rows

    def _with_equations(self, goal: HornGoal, case: GoalCase, expired: Expired) -> DatalogWithEquality:
        """The model of the assumptions with a case of the goal, from the beginning."""
        found = tables(self.horn)
        parts = _with_literals(self.horn, goal, case)
        rules = tuple(found.rule(clause, same) for clause in parts.rules)
        program = found.program._replace(rules=found.program.rules + rules)
        given = self._sources(found, goal=True)
        given += [(*found.given(*each), source) for each, source in parts.given.items()]
        given += [(EQUAL, pair, Provenance(None, (), True)) for pair in case.members.items()]
        limits = EvaluationLimits(self.most_rows, expired)
        merged = DatalogWithEquality(program, given, len(self.horn.universe.nodes), limits)
        merged.saturate()
        return merged

    # --- evidence ---

    def derivation(self, formula: Node | None, side: SideName, expired: Expired = never) -> Derivation | None:
        """Why a side is unsatisfiable; None if that was not concluded, or takes too long."""
        inconsistent = self.assumptions(expired).status == "unsat"
        if not inconsistent and (formula is None or side == "assumptions"):
            return None
        try:
            if inconsistent or formula is None:
                return self._attempt(
                    lambda base: self._of_assumptions(self._explaining(base, expired)), expired
                )
            with self._goal(formula, side == "negation") as goal:
                return self._attempt(
                    lambda base: self._of_goal(self._explaining(base, expired), goal, expired), expired
                )
        except (TooManyRows, EvaluationTimeout):
            return None

    def instances(self, formula: Node, side: SideName, keys: Collection[str]) -> RuleInstances | None:
        """Tells which of these assertions refute a side; None where that takes a closure of each part."""
        with self._goal(formula, side == "negation", self.horn.pool.scratch()) as goal:
            return rule_instances(self.horn, goal, keys)

    def _explaining(self, base: _Base, expired: Expired) -> _Base:
        """A model that explains: the base, or one in memory of what a claim needs."""
        if not base.large:
            return base
        limits = EvaluationLimits(self.most_rows, expired)
        if self._explainer is None:
            self._explainer = self._plain_base(limits)
        self._explainer.engine.limits = limits
        return self._explainer

    def _of_assumptions(self, base: _Base) -> Derivation | None:
        if base.merged is not None and base.merged.violated:
            return derive_by_events(self.horn, base.tables, base.merged)
        base.engine.ensure((FALSE, EQUAL))
        return derive_by_ranks(self.horn, base.tables, base.engine, {})

    def _of_goal(self, base: _Base, goal: HornGoal, expired: Expired) -> Derivation | None:
        proofs: list[CaseProof] = []
        for case in goal.cases():
            found = self._of_case(base, goal, case, expired)
            if found is None:
                return None
            proofs += found.cases
        sorts = {self.horn.universe.nodes[code].sort for code, _ in goal.chosen}
        closing = [source.key for sort in sorts for source in self.horn.closing.get(sort, ())]
        return Derivation(tuple(proofs), goal.parts.choices, tuple(key for key in closing if key is not None))

    def _of_case(self, base: _Base, goal: HornGoal, case: GoalCase, expired: Expired) -> Derivation | None:
        if base.merged is None and not case.members:
            try:
                with self._added(base, goal, case) as engine:
                    return self._by_ranks(base, engine, goal, case) if engine.violated else None
            except Merging:
                pass
        merged = self._with_equations(goal, case, expired)
        return derive_by_events(self.horn, base.tables, merged) if merged.violated else None

    def _by_ranks(self, base: _Base, engine: DatalogEngine, goal: HornGoal, case: GoalCase) -> Derivation:
        parts = _with_literals(self.horn, goal, case)
        sources = {base.tables.given(*each): source for each, source in parts.given.items()}
        return derive_by_ranks(self.horn, base.tables, engine, sources)

    def model(self, formula: Node | None, side: SideName, expired: Expired = never) -> Structure | None:
        """The least model of a side, if nothing is violated and it is small enough.

        Where the program is not exact it may be a model all the same: that is for an evaluator to say.
        """
        if self.assumptions(expired).status == "unsat":
            return None
        try:
            if formula is None or side == "assumptions":
                return self._attempt(self._of_everything, expired)
            with self._goal(formula, side == "negation") as goal:
                return self._attempt(lambda base: self._first_model(base, goal, expired), expired)
        except (TooManyRows, EvaluationTimeout):
            return None

    def _of_everything(self, base: _Base) -> Structure | None:
        if base.merged is not None and base.merged.violated:
            return None
        base.engine.ensure(range(len(base.tables.shown)))
        return None if base.engine.violated else self._shown(base, base.renamed)

    def _first_model(self, base: _Base, goal: HornGoal, expired: Expired) -> Structure | None:
        models = (self._model(base, goal, case, expired) for case in goal.cases())
        return next((model for model in models if model is not None), None)

    def _model(self, base: _Base, goal: HornGoal, case: GoalCase, expired: Expired) -> Structure | None:
        try:
            with self._added(base, goal, case, everything=True) as engine:
                return None if engine.violated else self._shown(base, _renaming(base, case))
        except Merging:
            merged = self._with_equations(goal, case, expired)
        if merged.violated:
            return None
        return least_structure(self.horn, merged, merged.canonical, MOST_ENTRIES)

    def _shown(self, base: _Base, renamed: Map) -> Structure | None:
        return least_structure(self.horn, base.engine, renamed, MOST_ENTRIES, base.shared)


def _joined(reasons: Iterable[str]) -> str:
    return "; ".join(list(dict.fromkeys(reasons))[:3])


def _renaming(base: _Base, case: GoalCase) -> Map:
    """From constants to those that the base, and the case's choices, put for them."""
    members = case.members
    if not members:
        return base.renamed
    return lambda row: base.renamed(tuple([members.get(value, value) for value in row]))


def _active(clause: DatalogRule, renamed: Map) -> bool:
    """Whether the constants that a rule wants equal are."""
    return all(a == b for a, b in map(renamed, clause.equal))


def _satisfied(program: DatalogProgram, renamed: Map) -> DatalogProgram:
    """The program with the rules only whose constants are as equal as they want."""
    return program._replace(rules=tuple([rule for rule in program.rules if _active(rule, renamed)]))


def _with_literals(horn: HornProgram, goal: HornGoal, case: GoalCase) -> HornParts:
    """The goal's parts with the literals that the case has chosen."""
    if not case.literals:
        return goal.parts
    parts = HornParts(list(goal.parts.rules), dict(goal.parts.given))
    for literal in case.literals:
        add_rule(parts, literal, horn.relations, horn.universe)
    return parts
