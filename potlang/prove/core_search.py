"""Unsat cores of a verification: found apart in large programs, made minimal, enumerated if asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from potlang.engines.check import Check, DecisionProcedure
from potlang.engines.encoding import AssertionNames
from potlang.engines.solver import SolverSession
from potlang.ir.module import Assertion, Module
from potlang.prove.cores import MOST_MS, Core, Names, Oracle, minimize
from potlang.prove.dispatcher import Dispatcher, Racer
from potlang.prove.evidence import core_items
from potlang.prove.subsets import Assisted, Decided, Subsets, declarations, minimal_core, oracle
from potlang.report.results import Evidence
from potlang.smt.names import assertion_number
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.prove.enumeration import MusEnumerator
    from potlang.prove.premises import PremiseSelection

_MOST_HANDED_ON = 200
"""Larger cores that a decision procedure has not made minimal are no work for a solver either."""
_MINIMIZE_MS = 300
"""The time for making a core minimal without a solver."""


class CoreSearch:
    """The cores of one program's checks; `extra` are the assumptions on top of it.

    `aside` opens a second session of the first solver, so that the base of the first stays loaded. `direct`
    has decided what solvers had given up on, so that these are not asked about parts of it.
    """

    def __init__(
        self,
        module: Module,
        dispatcher: Dispatcher,
        labels: AssertionNames,
        aside: Callable[[], SolverSession],
        direct: Racer | None = None,
        *,
        every_core: bool,
    ) -> None:
        self.extra: tuple[Assertion, ...] = ()
        self._module = module
        self._dispatcher = dispatcher
        self._labels = labels
        self._open = aside
        self._direct = direct
        self._decided_by: dict[Check, DecisionProcedure] = {}
        self._side: Dispatcher | None = None
        self._selection: PremiseSelection | None = None
        self._minimized: dict[tuple[Names, Check], Core] = {}
        self._every_core = every_core
        self._enumerator: MusEnumerator | None = None

    def close(self) -> None:
        """Give the second session back."""
        if self._side is not None:
            self._side.close()

    def assume(self, extra: tuple[Assertion, ...]) -> None:
        """These are the assumptions on top of the program's from now on."""
        self.extra = extra
        self._minimized.clear()
        self._decided_by.clear()
        self._enumerator = None

    def forget_claims(self) -> None:
        """Let go of the cores of claims; those of the assumptions alone stay known."""
        self._minimized = {key: core for key, core in self._minimized.items() if key[1].formula is None}

    @property
    def assumed(self) -> tuple[Assertion, ...]:
        """All assumptions."""
        return (*self._module.assertions, *self.extra)

    # --- minimal ones ---

    def minimal(self, names: Names, check: Check, *, beyond: Sequence[Assertion] = (), by: str = "") -> Core:
        """The core of a check that has no model made minimal, by asking again.

        `beyond` are assumptions besides all others, `by` is who found the core. The base is lost by it.
        """
        key = (names, check)
        if key not in self._minimized:
            more = [self._labels.name(each) for each in (*self.extra, *beyond)]
            inside = self._in_order(names, more)
            core = self._by_procedures(inside, check, by)
            if core is None:
                every = (*map(self._labels.name, self._module.assertions), *more)
                core = minimal_core(self._dispatcher, self._labels, inside, every, check)
            self._minimized[key] = core
        return self._minimized[key]

    def _in_order(self, names: Names, more: Sequence[str]) -> Names:
        """Names of assumptions in the order of these: the module's own, then `more`."""
        # Own ones are numbered in order. Of a large program naming all of them would cost more than the rest.
        numbers = {number: name for name in names if (number := assertion_number(name)) is not None}
        own = [numbers[number] for number in sorted(numbers) if number < len(self._module.assertions)]
        return (*own, *(name for name in more if name in names))

    def _by_procedures(self, names: Names, check: Check, by: str) -> Core | None:
        """The core made minimal by a decision procedure, where one decides it."""
        # Who decided the check decides most of its parts too, and without a way to a solver.
        for procedure in sorted(self._dispatcher.procedures, key=lambda each: each.name != by):
            core = self._decided(procedure, names, check, assisted=procedure.name == by)
            if core.verified and (core.minimal or len(names) > _MOST_HANDED_ON):
                self._decided_by[check] = procedure
                return core
        if self._direct is None:
            return None
        core = self._decided(self._direct, names, check)
        if not core.verified:
            return None
        self._decided_by[check] = self._direct
        return core

    def _decided(
        self, procedure: DecisionProcedure, names: Names, check: Check, *, assisted: bool = False
    ) -> Core:
        """The core made minimal by a procedure; `assisted`: by a solver too where that has no answer."""
        deadline = Deadline(_MINIMIZE_MS)
        decided = Decided(procedure, self._labels, check, deadline)
        if not assisted or len(names) > _MOST_HANDED_ON:
            return minimize(names, names, decided, deadline)
        deadline = Deadline(MOST_MS)

        def solver() -> Oracle:
            # What was too hard for the search is no easier for a solver than for who found it.
            if self._direct is not None and self._direct.enter(check._replace(alone=True)):
                return Decided(self._direct, self._labels, check, deadline)
            self._dispatcher.start(declarations)
            return Subsets(self._dispatcher, self._labels, check, deadline)

        return minimize(names, names, Assisted(decided, solver), deadline)

    def into(self, evidence: Evidence, core: Core, check: Check) -> Evidence:
        """`evidence` with this core, and what [VERDICT-CORES] and [VERDICT-CORRECTIONS] add to it."""
        evidence = evidence._replace(core=core_items(core.names, self._labels), core_minimal=core.minimal)
        if not self._every_core and check.formula is not None:
            return evidence
        if self._enumerator is None:
            # Few programs ask for more than one core: start-up does without the enumeration.
            from potlang.prove.enumeration import MusEnumerator

            self._enumerator = MusEnumerator(self._labels, self._oracle, every_core=self._every_core)
        return self._enumerator.add(evidence, core, check)

    def _oracle(self, check: Check, deadline: Deadline) -> tuple[Names, Oracle]:
        """The names of all assumptions, and who says which of them are unsatisfiable by themselves."""
        names = tuple(self._labels.name(each) for each in self.assumed)
        procedure = self._decided_by.get(check)

        def solver() -> Oracle:
            return oracle(self._dispatcher, self._labels, names, check, deadline)

        if procedure is None:
            return names, solver()
        decided = Decided(procedure, self._labels, check, deadline)
        # What solvers have given up on they are not asked about.
        return names, decided if procedure is self._direct else Assisted(decided, solver)

    # --- of large programs ---

    def find(self, check: Check) -> Names | None:
        """A core among the assumptions around the claim, or else among all; None if there is none in time."""
        # Reading the base is the larger part of the work: it stays loaded, and a core is looked for aside.
        side = self._aside()
        subsets = Subsets(side, self._labels, check)
        for assertions in self._premises().around(check.formula):
            status, core = subsets(tuple(self._labels.name(each) for each in assertions))
            if status == "unsat":
                return core
        return self._among_all(check)

    def prepare(self) -> None:
        """Do what a core will need, while a solver is busy with the base."""
        self._premises()
        self._aside().solvers[0].encoding.bare().declarations()

    def _premises(self) -> PremiseSelection:
        """The assumptions by what they mention, looked through once."""
        assumed = self.assumed
        if self._selection is None or len(self._selection.assertions) != len(assumed):
            from potlang.prove.premises import PremiseSelection

            self._selection = PremiseSelection(assumed)
        return self._selection

    def _among_all(self, check: Check) -> Names | None:
        """A core among all assumptions, each tracked."""
        side = self._aside()
        side.start(lambda encoding: encoding.base())
        tracked = check._replace(wanted=(), core=True, model=False, assumptions=self.extra)
        result = side.ask(check.name, tracked.query)
        return result.core if result.status == "unsat" else None

    def _aside(self) -> Dispatcher:
        """The second session, with the declarations alone."""
        if self._side is None:
            self._side = Dispatcher([self._open()], self._dispatcher.allowance)
        self._side.allowance = self._dispatcher.allowance
        self._side.start(declarations)
        return self._side
