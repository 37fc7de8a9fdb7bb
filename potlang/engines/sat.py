"""Propositional problems: CaDiCaL in a worker, with its proof as clauses that follow by propagation.

The text sent is DIMACS without its header: a clause is numbers that end with 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import monotonic
from typing import Any, Final, NamedTuple

from potlang.engines.base import Answer, EngineSource, OptimizeAnswer, OptimizeQuery, Query, Reason, Status

SOLVER: Final = "cadical153"
MOST_LEMMAS: Final = 200_000
"""Longer proofs are not handed over."""


class Outcome(NamedTuple):
    """`true` lists the variables that the model makes true; `lemmas` end with the empty clause left out.

    `lemmas` is None where the proof is too long, or unless unsat.
    """

    status: Status
    reason: Reason | None = None
    detail: str = ""
    true: tuple[int, ...] = ()
    lemmas: tuple[tuple[int, ...], ...] | None = None


def solve_clauses(
    clauses: Iterable[Sequence[int]], workers: EngineSource, timeout_ms: int, memory_mb: int | None = None
) -> Outcome:
    """Decide clauses in a worker, which is killed at the limits: then the status is unknown."""
    text = "\n".join([" ".join(map(str, (*clause, 0))) for clause in clauses])
    with workers.session("sat", memory_mb=memory_mb) as session:
        answer = session.ask(Query(text, core=True), timeout_ms)
    if answer.status == "unknown":
        return Outcome("unknown", answer.reason, answer.detail)
    if answer.status == "sat":
        return Outcome("sat", true=tuple(map(int, (answer.values or ("",))[0].split())))
    lemmas = None if answer.core is None else tuple(tuple(map(int, line.split())) for line in answer.core)
    return Outcome("unsat", lemmas=lemmas)


class SatEngine:
    """What the worker runs: one problem a query, without a base."""

    name = "sat"

    def __init__(self) -> None:
        self.rlimit: int | None = None
        self._base = ""

    def warm_up(self) -> None:
        """Solve something small once."""
        self.ask(Query("1 0\n-1 0", core=True), 1000)

    def prepare(self) -> bool:
        """Nothing is done ahead."""
        return False

    def start(self, base: str) -> None:
        """Begin with these clauses."""
        self._base = base

    def load(self, core: bool) -> Answer | None:
        """There is nothing to read ahead."""

    def limit_memory(self, megabytes: int | None) -> None:
        """The address space is the only limit."""

    def ask(self, query: Query, timeout_ms: int) -> Answer:
        """Decide base and query together; `core` asks for the proof. The parent ends what overruns."""
        from pysat.solvers import Solver

        began = monotonic()
        clauses = [_numbers(line) for text in (self._base, query.text) for line in text.splitlines()]
        with Solver(SOLVER, bootstrap_with=clauses, with_proof=query.core) as solver:
            found = solver.solve()
            took = (monotonic() - began) * 1000
            if found:
                true = " ".join([str(number) for number in solver.get_model() if number > 0])
                return Answer("sat", values=(true,), time_ms=took)
            return Answer("unsat", core=_lemmas(solver.get_proof()) if query.core else None, time_ms=took)

    def optimize(self, query: OptimizeQuery, timeout_ms: int) -> OptimizeAnswer:
        """Not offered."""
        return OptimizeAnswer("unknown", "unsupported", "a SAT solver optimizes nothing")

    def close(self) -> None:
        """Nothing is kept."""
        self._base = ""


def _numbers(line: str) -> list[int]:
    return [int(word) for word in line.split()[:-1]]


def _lemmas(proof: Any) -> tuple[str, ...] | None:
    """The clauses added by a DRUP proof; deletions only make checking faster."""
    added = [line.removesuffix("0").strip() for line in proof or () if not line.startswith("d")]
    return tuple(line for line in added if line) if len(added) <= MOST_LEMMAS else None
