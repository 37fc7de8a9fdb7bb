"""The saturation prover as a decision procedure: a route of its own, and part of races ([ROUTE-EPROVER])."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from potlang.engines.check import Check, CheckResult, SideName
from potlang.engines.context import ProgramContext
from potlang.engines.encoding import Encoding
from potlang.engines.fuel import OutOfFuel
from potlang.engines.messages import Query, SolverAnswer
from potlang.engines.solver import Build, SolverSession
from potlang.ir.module import Assertion, Claim
from potlang.ir.skolem import NotSkolemizable
from potlang.report.results import CheckRecord
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.engines.ground.grounding import Grounder
    from potlang.engines.saturation.problem import SaturationProblem

PROVER = "eprover"
"""The program that is looked for on PATH."""
_PART_MS = 500
"""The time of a part of the assumptions."""
_MOST_ASSUMPTIONS = 5_000
_REFUTE_MS = 2_000
_MOST_KEPT = 4


class _Grounded(NamedTuple):
    """A problem for the prover, of these assumptions, and what grounds it again."""

    problem: SaturationProblem
    grounder: Grounder
    assumed: tuple[Assertion, ...]
    side: SideName
    claim: Claim | None


class SaturationEntrant:
    """One check, put to the prover; takes part in a race as a solver does. `names` are by key."""

    name = "eprover"

    def __init__(
        self,
        session: SolverSession,
        encoding: Encoding,
        posed: _Grounded,
        names: Sequence[tuple[str, str]],
    ) -> None:
        self.encoding = encoding
        self._session = session
        self._posed = posed
        self._names = names

    def query(self, build: Build | None = None) -> Query:
        """The query, which is not one that can be built for solvers."""
        return Query(self._posed.problem.text)

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """The prover's answer, its proof confirmed."""
        return self._session.ask(query, max(1, timeout_ms))

    def cancel(self) -> None:
        """End the query that another thread waits for."""
        self._session.cancel()

    def read(self, result: CheckResult, answer: SolverAnswer) -> CheckResult:
        """The result with the core of the proof, and a refutation."""
        posed = self._posed
        used = posed.problem.forms_of(answer.core or ())
        keys = {each.key for number, each in enumerate(posed.assumed) if number in used}
        return result._replace(
            encoding=self.encoding,
            values=None,
            model=None,
            core=tuple(name for key, name in self._names if key in keys),
            # The prover says so, and z3 of each of its steps.
            agreed=True,
            by="eprover+z3",
            refutation=lambda theory, side, claim: _refuted(posed, answer.proof),
        )


class SaturationProcedure:
    """Decides checks by refutations that a saturation prover finds; it never says that there is a model."""

    name = "eprover"

    def __init__(self, path: str, context: ProgramContext, most_ms: int) -> None:
        self._context = context
        self._most_ms = most_ms
        self._path = path
        self._session = SolverSession(context.workers, "eprover", path, memory_mb=context.memory_mb)
        self._originals = {each.key: each for each in context.module.assertions}
        self._grounder: Grounder | None = None
        self._posed: dict[object, _Grounded | None] = {}

    def close(self) -> None:
        """Give the worker back."""
        self._session.close()

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`."""
        entrant = self.enter(check)
        if entrant is None:
            return None
        answer = entrant.ask(entrant.query(), min(_PART_MS, self._most_ms) if check.alone else self._most_ms)
        record = CheckRecord(
            check.name, self.name, answer.status, answer.reason, answer.detail, answer.time_ms
        )
        result = CheckResult(answer.status, answer.reason, (record,), by=self.name)
        return result if answer.status == "unknown" else entrant.read(result, answer)

    def enter(self, check: Check) -> SaturationEntrant | None:
        """The problem of a check, for a race; None where there is none for the prover."""
        claim = check.claim
        # The kernel knows the claims of a program, not formulas beside them.
        if (check.formula is None) != (claim is None):
            return None
        labelled = (
            check.assumptions if check.alone else (*self._context.lowered.assertions, *check.assumptions)
        )
        if len(labelled) > _MOST_ASSUMPTIONS:
            return None
        assumed = tuple(self._originals.get(each.key, each) for each in labelled)
        posed = self._pose(assumed, check.side, claim)
        if posed is None:
            return None
        names = [(each.key, self._context.labels.name(each)) for each in labelled]
        return SaturationEntrant(self._session, self._context.encoding, posed, names)

    def refute(
        self, assumed: Sequence[Assertion], side: SideName, claim: Claim | None, most_ms: int
    ) -> tuple[str, ...] | None:
        """The statements of a refutation of assumptions with one side, by the instances of a proof."""
        posed = self._pose(tuple(assumed), side, claim)
        if posed is None or most_ms <= 0:
            return None
        return _refuted(posed, self._session.ask(Query(posed.problem.text), most_ms).proof)

    def _pose(self, assumed: tuple[Assertion, ...], side: SideName, claim: Claim | None) -> _Grounded | None:
        """The problem, in a session that can be asked; None where there is none."""
        if not self._session.ready:
            self._session.start(self._path)
        key = assumed, side, claim
        if key not in self._posed:
            if len(self._posed) >= _MOST_KEPT:
                self._posed.pop(next(iter(self._posed)))
            self._posed[key] = self._made(assumed, side, claim)
        return self._posed[key]

    def _made(self, assumed: tuple[Assertion, ...], side: SideName, claim: Claim | None) -> _Grounded | None:
        from potlang.engines.saturation.problem import SaturationProblem

        grounder = self._place(assumed, claim)
        try:
            problem = SaturationProblem(grounder.grounding(assumed, side, claim))
        except (NotSkolemizable, OutOfFuel):
            return None
        return _Grounded(problem, grounder, assumed, side, claim) if problem.worth_asking else None

    def _place(self, assumed: Sequence[Assertion], claim: Claim | None) -> Grounder:
        """A grounder of a program that has the assumptions and the claim."""
        from potlang.engines.ground.grounding import Grounder

        extra = tuple(each for each in assumed if self._originals.get(each.key) is not each)
        reading = self._context.reading_with(extra, claim)
        if reading is not self._context.reading:
            return Grounder(reading.module, self._context.workers, reading)
        if self._grounder is None:
            self._grounder = Grounder(reading.module, self._context.workers, reading)
        return self._grounder


def saturation_procedure(context: ProgramContext, most_ms: int) -> SaturationProcedure | None:
    """The procedure, if there is a prover on PATH."""
    path = _prover_on(os.environ.get("PATH"))
    return None if path is None else SaturationProcedure(path, context, most_ms)


@cache
def _prover_on(path: str | None) -> str | None:
    """The prover's file: looked for once on each PATH."""
    found = shutil.which(PROVER, path=path)
    return None if found is None else os.path.abspath(found)  # noqa: PTH100 - pathlib costs start-up


def _refuted(posed: _Grounded, instances: str | None) -> tuple[str, ...] | None:
    """The statements of a refutation by these instances, if the kernel accepts them."""
    from potlang.engines.ground.grounding import GroundLimits
    from potlang.engines.saturation.problem import SaturationProblem

    left = Deadline(_REFUTE_MS).left_ms()
    if instances is None or left <= 0:
        return None
    # Grounded anew: the numbers of terms are those of one table.
    try:
        grounding = posed.grounder.grounding(posed.assumed, posed.side, posed.claim)
    except OutOfFuel:
        return None
    found = SaturationProblem(grounding).instances(instances)
    limits = GroundLimits(timeout_ms=left)
    return posed.grounder.refuted(grounding, found, posed.side, posed.claim, limits).lines or None
