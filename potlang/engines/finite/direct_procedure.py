"""The direct encoding as a decision procedure: asked where others have given up ([ROUTE-AUTO])."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from potlang.certify import Invalid
from potlang.certify.tokens import Exhausted
from potlang.engines.check import Check, CheckResult, SideName
from potlang.engines.context import ProgramContext
from potlang.engines.encoding import Encoding
from potlang.engines.messages import Query, SolverAnswer
from potlang.engines.solver import Build, SolverSession
from potlang.ir.module import Assertion, Claim, Module
from potlang.report.results import CheckRecord
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.certify import Theory
    from potlang.engines.finite.direct import DirectProblem

DIRECT_MS = 1_000
"""How long it may take alone where a solver has given up on a check; it is in the race, too."""
_PART_MS = 200
"""The time of a part of the assumptions, and of a problem that is tried before solvers are asked."""
_FEW_STEPS = 100_000
"""Of the encoding of a problem that is tried before solvers are asked: some 30 ms."""
_MOST_ASSUMPTIONS = 5_000
_MOST_KEPT = 4


class _EncodedProblem(NamedTuple):
    """A problem that was encoded, of these assumptions by key, and the program that its theory is of."""

    problem: DirectProblem
    module: Module
    assumed: Mapping[str, Assertion]


class DirectEntrant:
    """One check, put to the SAT solver; takes part in a race as a solver does. `names` are by key."""

    name = "direct"

    def __init__(
        self,
        session: SolverSession,
        encoding: Encoding,
        posed: _EncodedProblem,
        side: SideName,
        names: Mapping[str, str],
        query: Query,
        refuted: Callable[[Theory, Sequence[str], SideName, Claim | None], tuple[str, ...] | None],
    ) -> None:
        self.encoding = encoding
        self._session = session
        self._posed = posed
        self._side = side
        self._names = names
        self._query = query
        self._refuted = refuted

    def query(self, build: Build | None = None) -> Query:
        """The query, which is not one that can be built for solvers."""
        return self._query

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """The SAT solver's answer."""
        return self._session.ask(query, max(1, timeout_ms))

    def cancel(self) -> None:
        """End the query that another thread waits for."""
        self._session.cancel()

    def suffices(self, answer: SolverAnswer) -> bool:
        """Whether what an unsatisfiable answer rests on was assumed."""
        if answer.status != "unsat":
            return True
        problem = self._posed.problem
        if self._side == "assumptions" and problem.rests_on_goal(answer):
            return False
        return self._names.keys() >= set(problem.core(answer))

    def read(self, result: CheckResult, answer: SolverAnswer) -> CheckResult:
        """The result with a model, or with a core and a refutation."""
        problem, module, _ = self._posed
        result = result._replace(encoding=self.encoding, values=None, core=None, model=None)
        if answer.status == "sat":
            return result._replace(structure=lambda: problem.structure(answer, module))
        core, side, refuted = problem.core(answer), self._side, self._refuted
        return result._replace(
            core=tuple(name for key, name in self._names.items() if key in core),
            refutation=lambda theory, _, claim: refuted(theory, core, side, claim),
        )


class DirectProcedure:
    """Decides checks of finite problems with a SAT solver in a worker; parts of the assumptions, where the
    whole was.
    """

    name = "direct"

    def __init__(self, context: ProgramContext, most_ms: int) -> None:
        self._context = context
        self._most_ms = most_ms
        self._session = SolverSession(context.workers, "sat", memory_mb=context.memory_mb)
        self._loaded: _EncodedProblem | None = None
        self._posed: dict[object, tuple[tuple[Assertion, ...], _EncodedProblem | None]] = {}

    def close(self) -> None:
        """Give the worker back."""
        self._session.close()

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`."""
        entrant = self.enter(check)
        limit = _PART_MS if check.alone else self._most_ms
        return None if entrant is None else self._asked(entrant, check, limit)

    def decide_small(self, check: Check) -> CheckResult | None:
        """As `decide`, in little time: for what the search has found too hard, before a solver is asked."""
        entrant = self.enter(check, _FEW_STEPS)
        return None if entrant is None else self._asked(entrant, check, _PART_MS)

    def _asked(self, entrant: DirectEntrant, check: Check, limit: int) -> CheckResult | None:
        answer = entrant.ask(entrant.query(), min(limit, self._most_ms))
        # A number that the part leaves without a bound may have other values than those that were tried.
        if answer.status == "unknown" or not entrant.suffices(answer):
            return None
        record = CheckRecord(check.name, self.name, answer.status, time_ms=answer.time_ms)
        return entrant.read(CheckResult(answer.status, None, (record,), by=self.name), answer)

    def enter(self, check: Check, steps: int | None = None) -> DirectEntrant | None:
        """The problem of a check, for a race; None where it is none, or takes more steps to encode."""
        claim = check.claim
        # The kernel knows the claims of a program, not formulas beside them.
        if (check.formula is None) != (claim is None):
            return None
        given = self._context
        assumed = check.assumptions if check.alone else (*given.lowered.assertions, *check.assumptions)
        posed = self._pose(check, claim, steps)
        # By identity: in a session another assumption may have had the same key.
        if posed is None or not all(posed.assumed.get(each.key) is each for each in assumed):
            return None
        names = {each.key: self._context.labels.name(each) for each in assumed}
        if self._loaded is not posed or not self._session.ready:
            self._session.start(posed.problem.base())
            self._loaded = posed
        query = posed.problem.query(names, goal=claim is not None)
        return DirectEntrant(
            self._session, self._context.encoding, posed, check.side, names, query, self._refuted
        )

    def _refuted(
        self, theory: Theory, core: Sequence[str], side: SideName, claim: Claim | None
    ) -> tuple[str, ...] | None:
        from potlang.engines.finite.direct import refutation

        key = None if claim is None else claim.key
        return refutation(theory, core, side, key, self._context.workers, Deadline(self._most_ms))

    def _pose(self, check: Check, claim: Claim | None, steps: int | None) -> _EncodedProblem | None:
        """The problem that a check is about or is a part of; None where there is none."""
        goal = check.side, claim
        known = self._posed.get(goal)
        if check.alone:
            # Without a side any problem will do: its goal is left out.
            if known is None and claim is None and self._posed:
                known = self._posed[next(reversed(self._posed))]
            return None if known is None else known[1]
        if known is None or known[0] is not check.assumptions:
            try:
                known = check.assumptions, self._encoded(check, claim, steps)
            except Exhausted:
                # With more steps it may be possible yet.
                if steps is not None:
                    return None
                known = check.assumptions, None
            if len(self._posed) >= _MOST_KEPT:
                self._posed.pop(next(iter(self._posed)))
            self._posed[goal] = known
        return known[1]

    def _encoded(self, check: Check, claim: Claim | None, steps: int | None) -> _EncodedProblem | None:
        """The problem; None if it is of another kind. Raises `Exhausted` if it is too large."""
        from potlang.engines.finite.direct import MOST_STEPS, DirectProblem

        if len(self._context.lowered.assertions) + len(check.assumptions) > _MOST_ASSUMPTIONS:
            return None
        try:
            # Of a program whose definitions unfold to too much the kernel has no theory.
            reading = self._context.reading_with(check.assumptions, claim)
            module, theory = reading.module, reading.theory
        except Invalid:
            return None
        keys = [each.key for each in module.assertions]
        wanted = None if claim is None else claim.key
        try:
            problem = DirectProblem(theory, keys, check.side, wanted, steps or MOST_STEPS)
        except Exhausted:
            raise
        except Invalid:
            return None
        assumed = (*self._context.lowered.assertions, *check.assumptions)
        return _EncodedProblem(problem, module, {each.key: each for each in assumed})
