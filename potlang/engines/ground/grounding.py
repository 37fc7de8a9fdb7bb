"""Refutations and models by ground instances, asked for as models of those before violate them.

Solve the ground clauses, close the model under equality, look for axioms and instances that it
violates, add them, repeat: `unsat` has a refutation that the kernel accepts, `sat` a structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from potlang.certify import Invalid, Refutation, Theory
from potlang.engines.fuel import Fuel, OutOfFuel
from potlang.engines.ground.arithmetic import Arithmetic
from potlang.engines.ground.axioms import Axiom
from potlang.engines.ground.equality import EqualityClasses
from potlang.engines.ground.forms import ClausalForm, Grounding, form_of
from potlang.engines.ground.lines import Instance, Origin, statements
from potlang.engines.ground.model import structure_of
from potlang.engines.ground.search import InstanceSearch, plan
from potlang.engines.ground.table import FALSE, TRUE
from potlang.engines.kernel_reading import KernelReading
from potlang.engines.propositional import Propositional
from potlang.engines.term_text import TermText, module_printer
from potlang.engines.timed_steps import TimedSteps
from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.ir.skolem import NotSkolemizable
from potlang.ir.structure import Structure, definitions_of
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.engines.sat import SatOutcome
    from potlang.processes.pool import Workers

Side = Literal["claim", "negation", "assumptions"]
_PERIOD = 256


class GroundLimits(NamedTuple):
    """Beyond these the answer is unknown. `instances` are ground clauses made, `search` steps a round,
    `questions` rounds that ask what comparisons of numbers leave open.
    """

    timeout_ms: int = 1_000
    instances: int = 20_000
    terms: int = 20_000
    estimate: int = 2_000_000
    search: int = 500_000
    round: int = 2_000
    conflicts: int = 2_000
    questions: int = 20
    memory_mb: int | None = None
    finite_only: bool = False
    """Nothing is tried where there are infinitely many ground terms."""


class Grounded(NamedTuple):
    """`unsat` with the `lines` of a refutation, `sat` with a `structure`, `unknown` with a `reason`."""

    status: Literal["sat", "unsat", "unknown"]
    reason: str = ""
    structure: Structure | None = None
    lines: tuple[str, ...] = ()
    rounds: int = 0
    instances: int = 0


class _Unknown(Exception):
    """No answer, and why."""


class Grounder:
    """Grounds subsets of one program's assertions with its claims. Keeps what they share.

    `reading` is the module as the kernel reads it, if others use that too.
    """

    def __init__(
        self, module: Module, workers: Workers | None = None, reading: KernelReading | None = None
    ) -> None:
        self.module = module
        self._workers = workers
        self._reading = reading or KernelReading(module)
        self._printer = module_printer(module)
        self._definitions = definitions_of(module)
        self._pool: Pool = module.pool
        self._forms: dict[str, ClausalForm] = {}

    @property
    def theory(self) -> Theory:
        """The kernel's reading of the program."""
        return self._reading.theory

    def refute(
        self,
        assertions: Sequence[Assertion],
        side: Side,
        claim: Claim | None = None,
        limits: GroundLimits = GroundLimits(),
    ) -> Grounded:
        """A refutation of the assertions with one side of a claim: `unsat`, or `unknown` and why.

        Its lines are those of a certificate after `(refutation …)`, and the kernel has accepted them.
        """
        found = self._run(assertions, side, claim, limits, lines=True)
        return found._replace(status="unknown", reason="satisfiable") if found.status == "sat" else found

    def grounding(self, assertions: Sequence[Assertion], side: Side, claim: Claim | None) -> Grounding:
        """The rules of the assertions with one side of a claim. Raises `NotSkolemizable`, `OutOfFuel`."""
        try:
            return Grounding(self._problem(assertions, side, claim, Deadline(GroundLimits().timeout_ms)))
        except _Unknown as reason:
            raise OutOfFuel from reason

    def refuted(
        self,
        grounding: Grounding,
        instances: Iterable[Instance],
        side: Side,
        claim: Claim | None,
        limits: GroundLimits = GroundLimits(),
    ) -> Grounded:
        """As `refute`, of rules of which these instances are known to contradict each other."""
        loop = _Loop(grounding, limits, self._workers, Deadline(limits.timeout_ms))
        try:
            for instance in instances:
                loop.add(instance)
            if loop.run() is not None:
                raise _Unknown("satisfiable")
            lines = self._refutation(loop, side, claim)
            return Grounded("unsat", "", None, tuple(lines), loop.rounds, loop.count)
        except _Unknown as error:
            return Grounded("unknown", str(error))
        except OutOfFuel:
            return Grounded("unknown", "the search for instances takes too many steps")

    def decide(
        self,
        assertions: Sequence[Assertion],
        side: Side,
        claim: Claim | None = None,
        limits: GroundLimits = GroundLimits(),
        *,
        lines: bool = True,
    ) -> Grounded:
        """`sat`, `unsat` or `unknown`; nothing is tried where the estimate is beyond its limit.

        `lines` False: an unsatisfiable answer comes without its refutation.
        """
        return self._run(assertions, side, claim, limits, lines=lines, estimate=True)

    def _run(
        self,
        assertions: Sequence[Assertion],
        side: Side,
        claim: Claim | None,
        limits: GroundLimits,
        *,
        lines: bool,
        estimate: bool = False,
    ) -> Grounded:
        try:
            deadline = Deadline(limits.timeout_ms)
            grounding = Grounding(self._problem(assertions, side, claim, deadline))
            if estimate:
                _affordable(grounding, limits)
            loop = _Loop(grounding, limits, self._workers, deadline)
            classes = loop.run()
            if classes is not None:
                structure = structure_of(self.module, grounding.table, classes)
                if structure is None:
                    raise _Unknown("a sort has values that grounding does not make")
                return Grounded("sat", "", structure, (), loop.rounds, loop.count)
            found = self._refutation(loop, side, claim) if lines else ()
            return Grounded("unsat", "", None, tuple(found), loop.rounds, loop.count)
        except (_Unknown, NotSkolemizable) as error:
            return Grounded("unknown", str(error))
        except OutOfFuel:
            return Grounded("unknown", "the search for instances takes too many steps")

    def _problem(
        self, assertions: Iterable[Assertion], side: Side, claim: Claim | None, deadline: Deadline
    ) -> tuple[ClausalForm, ...]:
        forms: list[ClausalForm] = []
        for assertion in assertions:
            forms.append(self._form(assertion))
            if len(forms) % _PERIOD == 0:
                _in_time(deadline)
        if claim is not None and side != "assumptions":
            pool = self._pool.scratch()
            forms.append(form_of(None, closed(claim, pool), pool, self._definitions, side == "negation"))
        return tuple(forms)

    def _form(self, assertion: Assertion) -> ClausalForm:
        form = self._forms.get(assertion.key)
        if form is None or form.formula is not assertion.formula:
            form = form_of(assertion.key, assertion.formula, self._pool, self._definitions)
            self._forms[assertion.key] = form
        return form

    def _refutation(self, loop: _Loop, side: Side, claim: Claim | None) -> list[str]:
        text = TermText(self._printer)
        for form in loop.grounding.forms:
            if form.skolem.universals or form.skolem.choices:
                text.add(form.root, form.formula, form.skolem)
        lines = statements(loop.grounding, text, loop.used())
        key = claim.key if claim is not None and side != "assumptions" else None
        try:
            refutation = Refutation(self.theory, side, key, TimedSteps(Deadline(loop.limits.timeout_ms)))
            for line in lines:
                refutation.statement(line)
            if not refutation.propagate():
                lemmas = loop.lemmas(refutation.clauses)
                lines += [f"(lemma {' '.join(map(str, lemma))})" for lemma in lemmas]
                for line in lines[-len(lemmas) :] if lemmas else ():
                    refutation.statement(line)
            refutation.statement("(empty)")
        except Invalid as error:
            raise _Unknown(f"the kernel does not accept the refutation: {error}") from None
        return [*lines, "(empty)"]


def closed(claim: Claim, pool: Pool) -> Node:
    """A claim's formula; for one with `find`, that something has it."""
    return pool.quant("exists", claim.find, claim.formula) if claim.find else claim.formula


def _affordable(grounding: Grounding, limits: GroundLimits) -> None:
    size = grounding.size()
    if not size.finite:
        if limits.finite_only:
            raise _Unknown("there are infinitely many ground terms")
        return
    if size.terms > limits.terms or size.instances > limits.estimate:
        raise _Unknown(f"grounding takes {size.terms} terms and {size.instances} instances")


def _in_time(deadline: Deadline) -> None:
    if deadline.passed():
        raise _Unknown("timeout")


class _Loop:
    """One problem: the clauses so far, where each comes from, and the solver that has them."""

    def __init__(
        self, grounding: Grounding, limits: GroundLimits, workers: Workers | None, deadline: Deadline
    ) -> None:
        self.grounding = grounding
        self.limits = limits
        self.workers = workers
        self.deadline = deadline
        self.rounds = 0
        self.clauses: list[list[int]] = []
        self.origins: list[Origin] = []
        self.seen: set[Origin] = set()
        self.solver = Propositional()
        self.plans = [(rule, plan(rule)) for rule in grounding.rules]
        self.lemmas_found: Iterable[Sequence[int]] | None = None
        self.questions = 0

    @property
    def count(self) -> int:
        """How many ground clauses there are."""
        return len(self.clauses)

    def run(self) -> EqualityClasses | None:
        """The classes of a model, or None for unsatisfiable. Raises `_Unknown` and `OutOfFuel`."""
        for number, rule in enumerate(self.grounding.facts):
            if not number % _PERIOD:
                _in_time(self.deadline)
            self.add(Instance(rule, ()))
        while True:
            # In each round: sums of truth values add axioms for thousands of rounds, each of them short.
            _in_time(self.deadline)
            self.rounds += 1
            true = self._solve()
            if true is None:
                return None
            before, table = self.count, self.grounding.table
            terms, atoms = len(table.heads), len(table.atoms)
            classes = EqualityClasses(table, true)
            for number, axiom in enumerate(classes.axioms):
                if not number % _PERIOD:
                    _in_time(self.deadline)
                self._axiom(axiom)
            # Axioms first: violations found in a model that breaks equality would be of no use.
            if self.count == before:
                self._arithmetic(classes)
            if self.count == before and len(table.atoms) == atoms:
                self._violations(classes)
            # Looking for violations makes terms, also where none is found: those need classes too.
            if self.count == before and len(table.heads) == terms and len(table.atoms) == atoms:
                if classes.doubtful() or not self.exact():
                    raise _Unknown("a model of the instances need not be one of the formulas")
                return classes
            if self.count > self.limits.instances or len(table.heads) > self.limits.terms:
                raise _Unknown("there are too many instances")

    def exact(self) -> bool:
        """Whether a model of all instances over its terms is a model of the formulas."""
        return all(self.grounding.table.exact(rule) for rule, _ in self.plans)

    def used(self) -> list[Origin]:
        """Where the clauses come from that the refutation uses."""
        if self.lemmas_found is not None:
            replayed = Propositional()
            for clause in self.clauses:
                replayed.add(clause)
            if not replayed.replay(self.lemmas_found, self.deadline):
                return self.origins
            return [self.origins[number] for number in replayed.trace().clauses]
        return [self.origins[number] for number in self.solver.trace().clauses]

    def lemmas(self, clauses: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """Clauses that lead from `clauses` to the empty one, each by propagation. Raises `_Unknown`."""
        solver = Propositional()
        for clause in clauses:
            solver.add(clause)
        found = solver.solve(self.limits.conflicts, self.deadline)
        if found is None:
            found = not self._replayed(solver, clauses)
        if found:
            raise _Unknown("the instances written are satisfiable")
        return list(solver.trace().lemmas)

    def _replayed(self, solver: Propositional, clauses: Sequence[Sequence[int]]) -> bool:
        outcome = self._ask(clauses)
        return outcome.lemmas is not None and solver.replay(outcome.lemmas, self.deadline)

    # --- clauses ---

    def add(self, instance: Instance) -> None:
        """Take an instance of a rule."""
        if instance not in self.seen:
            self._add(self.grounding.table.instance(*instance), instance)

    def _axiom(self, axiom: Axiom) -> None:
        if axiom not in self.seen:
            for clause in axiom.clauses(self.grounding.table):
                self._add(clause, axiom)

    def _add(self, literals: Sequence[int], origin: Origin) -> None:
        self.seen.add(origin)
        if TRUE not in literals:
            clause = [literal for literal in literals if literal != FALSE]
            self.clauses.append(clause)
            self.origins.append(origin)
            self.solver.add(clause)

    def _arithmetic(self, classes: EqualityClasses) -> None:
        """Add axioms of comparisons that the model violates, or ask what it leaves open.

        Splits of unbounded integers need not come to an end: so many questions, and no more.
        """
        if self.questions < self.limits.questions:
            axioms = Arithmetic(self.grounding.table, classes, partial(_in_time, self.deadline)).axioms()
            self.questions += not any(axiom.rule == "linear" for axiom in axioms)
            for axiom in axioms:
                self._axiom(axiom)

    def _violations(self, classes: EqualityClasses) -> None:
        """Add violated instances of all rules, of each at most so many."""
        search = InstanceSearch(self.grounding.table, classes, Fuel(self.limits.search))
        found: list[Instance] = []
        for rule, steps in self.plans:
            violated = search.violations(rule, steps)
            found += [Instance(rule, binding) for binding in islice(violated, self.limits.round)]
            _in_time(self.deadline)
        for instance in found:
            self.add(instance)

    def _solve(self) -> list[int] | None:
        """The true variables of a model, or None if there is none."""
        found = self.solver.solve(self.limits.conflicts, self.deadline)
        if found is None:
            return self._solve_outside()
        return self.solver.true_variables() if found else None

    def _solve_outside(self) -> list[int] | None:
        outcome = self._ask(self.clauses)
        if outcome.status == "unknown":
            raise _Unknown(str(outcome.reason))
        if outcome.status == "sat":
            return list(outcome.true)
        self.lemmas_found = outcome.lemmas or ()
        return None

    def _ask(self, clauses: Sequence[Sequence[int]]) -> SatOutcome:
        left = self.deadline.left_ms()
        if self.workers is None and left > 0:
            raise _Unknown("there are more conflicts than are allowed without a SAT solver")
        if self.workers is None or left <= 0:
            raise _Unknown("timeout")
        from potlang.engines.sat import solve_clauses

        return solve_clauses(clauses, self.workers, left, self.limits.memory_mb)
