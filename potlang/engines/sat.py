"""Propositional problems: CaDiCaL in a worker, with its proof as clauses that follow by propagation.

The text sent is DIMACS without its header: a clause is numbers that end with 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from potlang.engines.messages import OptimizeAnswer, OptimizeQuery, Query, Reason, SolverAnswer, Status
from potlang.engines.solver import SolverSession
from potlang.engines.worker import SolverEngine
from potlang.processes.pool import Workers
from potlang.utils.deadline import Deadline

SOLVER: Final = "cadical153"
MOST_LEMMAS: Final = 400_000
"""Longer proofs are not handed over."""


class SatOutcome(NamedTuple):
    """`true` lists the variables that the model makes true.

    `proof` are clauses added (True) and deleted in order, the empty one left out. It is None where it is too
    long, or unless unsat.
    """

    status: Status
    reason: Reason | None = None
    detail: str = ""
    true: tuple[int, ...] = ()
    proof: tuple[tuple[bool, tuple[int, ...]], ...] | None = None

    @property
    def lemmas(self) -> tuple[tuple[int, ...], ...] | None:
        """The clauses that the proof adds."""
        return None if self.proof is None else tuple(clause for added, clause in self.proof if added)


def solve_clauses(
    clauses: Iterable[Sequence[int]], workers: Workers, timeout_ms: int, memory_mb: int | None = None
) -> SatOutcome:
    """Decide clauses in a worker, which is killed at the limits: then the status is unknown."""
    text = "\n".join([" ".join(map(str, (*clause, 0))) for clause in clauses])
    with SolverSession(workers, "sat", memory_mb=memory_mb) as session:
        answer = session.ask(Query(text, core=True), timeout_ms)
    if answer.status == "unknown":
        return SatOutcome("unknown", answer.reason, answer.detail)
    if answer.status == "sat":
        return SatOutcome("sat", true=tuple(map(int, (answer.values or ("",))[0].split())))
    return SatOutcome("unsat", proof=None if answer.core is None else tuple(map(_proof_step, answer.core)))


def cheapest(
    clauses: Iterable[Sequence[int]], costs: Sequence[int], workers: Workers, timeout_ms: int
) -> tuple[int, ...] | None:
    """The variables, from 1, that a solution of least cost makes true; None if none was found in time.

    A variable costs what `costs` says where it is true. Done by RC2 (python-sat) in a worker.
    """
    text = "\n".join([" ".join(map(str, (*clause, 0))) for clause in clauses])
    soft = "\n".join([f"{cost} {-number} 0" for number, cost in enumerate(costs, 1)])
    with SolverSession(workers, "sat") as session:
        answer = session.optimize(OptimizeQuery(text, soft), timeout_ms)
    return answer.true if answer.status == "optimal" else None


class SatEngine(SolverEngine):
    """The SAT engine of a worker. A base is clauses too: kept by the solver for queries that only assume."""

    name = "sat"

    def __init__(self) -> None:
        super().__init__()
        self._solver: Any = None

    def warm_up(self) -> None:
        """Solve something small once."""
        self.ask(Query("1 0\n-1 0", core=True), 1000)

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """Decide base and query together. The parent ends what overruns.

        `core` asks for the proof; of a query that assumes literals, for those of them that are used.
        """
        from pysat.solvers import Solver

        if query.assuming:
            return self._assuming(query)
        began = Deadline(timeout_ms)
        clauses = [_numbers(line) for text in (self._base, query.text) for line in text.splitlines()]
        with Solver(SOLVER, bootstrap_with=clauses, with_proof=query.core) as solver:
            found = solver.solve()
            took = began.spent_ms()
            if found:
                true = " ".join([str(number) for number in solver.get_model() if number > 0])
                return SolverAnswer("sat", values=(true,), time_ms=took)
            return SolverAnswer(
                "unsat", core=_lemmas(solver.get_proof()) if query.core else None, time_ms=took
            )

    def optimize(self, query: OptimizeQuery, timeout_ms: int) -> OptimizeAnswer:
        """The least weight of clauses of the term (a weight before each) that must be left unsatisfied."""
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        began = Deadline(timeout_ms)
        problem = WCNF()
        for line in query.text.splitlines():
            problem.append(_numbers(line))
        for line in query.term.splitlines():
            weight, *clause = _numbers(line)
            problem.append(clause, weight=weight)
        with RC2(problem) as solver:
            model = solver.compute()
            if model is None:
                return OptimizeAnswer("infeasible", time_ms=began.spent_ms())
            true = tuple(number for number in model if number > 0)
            return OptimizeAnswer("optimal", value=str(solver.cost), true=true, time_ms=began.spent_ms())

    def _assuming(self, query: Query) -> SolverAnswer:
        from pysat.solvers import Solver

        began = Deadline(0)
        if self._solver is None:
            self._solver = Solver(SOLVER, bootstrap_with=[_numbers(line) for line in self._base.splitlines()])
        if self._solver.solve(assumptions=list(map(int, query.assuming))):
            true = " ".join([str(number) for number in self._solver.get_model() if number > 0])
            return SolverAnswer("sat", values=(true,), time_ms=began.spent_ms())
        core = tuple(map(str, self._solver.get_core() or ()))
        return SolverAnswer("unsat", core=core, time_ms=began.spent_ms())

    def close(self) -> None:
        """End the session and free what it holds."""
        if self._solver is not None:
            self._solver.delete()
            self._solver = None
        super().close()


def _proof_step(line: str) -> tuple[bool, tuple[int, ...]]:
    return not line.startswith("d"), tuple(map(int, line.removeprefix("d").split()))


def _numbers(line: str) -> list[int]:
    return [int(word) for word in line.split()[:-1]]


def _lemmas(proof: Any) -> tuple[str, ...] | None:
    """The steps of a DRUP proof, deletions with their `d`: checking is faster with them."""
    steps = [line.removesuffix("0").strip() for line in proof or ()]
    return tuple(line for line in steps if line) if len(steps) <= MOST_LEMMAS else None
