"""Models over more and more members, by the direct encoding: part of races ([DIRECT-GROW])."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from potlang.certify import Invalid, read_theory
from potlang.engines.check import Check, CheckResult, SideName
from potlang.engines.context import ProgramContext
from potlang.engines.encoding import Encoding
from potlang.engines.messages import Query, SolverAnswer
from potlang.engines.solver import Build, SolverSession
from potlang.engines.timed_steps import TimedSteps
from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import BoolSort, DeclaredSort, EnumSort
from potlang.ir.structure import Structure
from potlang.ir.text import print_module
from potlang.report.results import CheckRecord
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.engines.finite.direct import DirectProblem

MOST_MEMBERS: Final = 8
"""Of a sort."""
_ALONE_MS: Final = 1_000
_MOST_ASSUMPTIONS: Final = 300
_MOST_STEPS: Final = 20_000_000


class _Sized(NamedTuple):
    """The program with constants that name all members of its sorts, as text, and those constants."""

    module: Module
    text: str
    members: frozenset[Symbol]


class _Steps(TimedSteps):
    """Steps that end when the entrant is cancelled, too."""

    def __init__(self, deadline: Deadline, entrant: GrowingEntrant) -> None:
        super().__init__(deadline, _MOST_STEPS)
        self._entrant = entrant

    def spend(self, count: int = 1) -> None:
        """Takes `count` steps. Raises `Exhausted`."""
        if self._entrant.cancelled:
            self.left = 0
        super().spend(count)


class GrowingEntrant:
    """One check over domains of growing size; takes part in a race as a solver does."""

    name = "models"

    def __init__(
        self,
        session: SolverSession,
        encoding: Encoding,
        sized: Sequence[_Sized],
        side: SideName,
        claim: str | None,
    ) -> None:
        self.encoding = encoding
        self.cancelled = False
        self._session = session
        self._sized = sized
        self._side: SideName = side
        self._claim = claim
        self._found: tuple[_Sized, DirectProblem] | None = None

    def query(self, build: Build | None = None) -> Query:
        """The query, which is not one that can be built for solvers."""
        return Query("")

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """Sat, with a model of the least size that there is one of, or unknown."""
        from potlang.engines.finite.direct import DirectProblem

        deadline = Deadline(timeout_ms)
        for each in self._sized:
            keys = [assertion.key for assertion in each.module.assertions]
            try:
                # In a thread: the kernel's terms are its own, unlike nodes of the program.
                steps = _Steps(deadline, self)
                problem = DirectProblem(read_theory(each.text), keys, self._side, self._claim, steps)
            except Invalid as error:
                return SolverAnswer("unknown", "incomplete", str(error), time_ms=deadline.spent_ms())
            self._session.start(problem.base())
            if self.cancelled or deadline.passed():
                return SolverAnswer("unknown", "timeout", "", time_ms=deadline.spent_ms())
            answer = self._session.ask(problem.query(keys), deadline.left_ms())
            if answer.status == "sat":
                self._found = each, problem
            if answer.status != "unsat":
                return answer._replace(time_ms=deadline.spent_ms())
        words = f"there is no model with up to {len(self._sized)} members"
        return SolverAnswer("unknown", "incomplete", words, time_ms=deadline.spent_ms())

    def cancel(self) -> None:
        """End the query that another thread waits for."""
        self.cancelled = True
        self._session.cancel()

    def read(self, result: CheckResult, answer: SolverAnswer) -> CheckResult:
        """The result with the model."""
        assert self._found is not None
        sized, problem = self._found

        def structure() -> Structure:
            found = problem.structure(answer, sized.module)
            meanings = {each: value for each, value in found.functions.items() if each not in sized.members}
            return replace(found, functions=meanings)

        return result._replace(
            encoding=self.encoding, values=None, core=None, model=None, structure=structure
        )


class GrowingProcedure:
    """Looks for models of the program, as compiled, that have few members of each declared sort."""

    name = "models"

    def __init__(self, context: ProgramContext) -> None:
        self._module = module = context.module
        self._encoding = context.encoding
        self._session = SolverSession(context.workers, "sat", memory_mb=context.memory_mb)
        self._fitting = any(isinstance(sort, DeclaredSort) for sort in module.sorts) and all(
            isinstance(sort, DeclaredSort | EnumSort | BoolSort)
            for symbol in module.symbols
            for sort in (*symbol.domain, symbol.range)
        )

    def close(self) -> None:
        """Give the worker back."""
        self._session.close()

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`: a model, or nothing."""
        entrant = self.enter(check)
        answer = None if entrant is None else entrant.ask(entrant.query(), _ALONE_MS)
        if entrant is None or answer is None or answer.status != "sat":
            return None
        record = CheckRecord(check.name, self.name, answer.status, time_ms=answer.time_ms)
        return entrant.read(CheckResult(answer.status, None, (record,), by=self.name), answer)

    def enter(self, check: Check) -> GrowingEntrant | None:
        """The search of a check, for a race; None where the program has other sorts, or is large."""
        claim = check.claim
        count = len(self._module.assertions) + len(check.assumptions)
        known = (check.formula is None) == (claim is None)
        if check.alone or not self._fitting or not known or count > _MOST_ASSUMPTIONS:
            return None
        sized = [self._of_size(size, check.assumptions, claim) for size in range(1, MOST_MEMBERS + 1)]
        key = None if claim is None else claim.key
        return GrowingEntrant(self._session, self._encoding, sized, check.side, key)

    def _of_size(self, size: int, extra: Sequence[Assertion], claim: Claim | None) -> _Sized:
        pool, module = self._module.pool, self._module
        members: list[Symbol] = []
        closings: list[Assertion] = []
        for number, sort in enumerate(module.sorts):
            if isinstance(sort, DeclaredSort):
                named = [Symbol(f"member{at}", (), sort, SymbolKind.FRESH) for at in range(size)]
                members += named
                some = pool.var("x", sort)
                one_of = pool.disj([pool.eq(some, pool.sym(each)) for each in named])
                key = f"members of sort {number}"
                body = pool.quant("forall", (some,), one_of)
                closings.append(Assertion(key, key, AssertionKind.SEMANTICS, body))
        posed = replace(
            module,
            symbols=(*module.symbols, *members),
            assertions=(*module.assertions, *extra, *closings),
            claims=() if claim is None else (claim,),
            norms=(),
            optimization=None,
        )
        return _Sized(posed, print_module(posed, origins=False), frozenset(members))
