"""What is asked of a solver and what it answers: plain data, SMT-LIB text on both sides.

A session is a base (declarations and assertions that every query shares) and queries on top of it.
Nothing here knows the IR, and nothing here imports a solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

Status = Literal["sat", "unsat", "unknown"]
Reason = Literal["timeout", "memory", "incomplete", "unsupported", "error", "crash"]
Priority = Literal["lex", "pareto", "box"]
OptimizeStatus = Literal["optimal", "infeasible", "unbounded", "unattained", "unknown"]


class Query(NamedTuple):
    """One check on top of the base.

    `text` is SMT-LIB commands (`declare-const`, `assert` …), run between a push and a pop. `values`
    are the terms to evaluate if the answer is sat. `core` asks for the names of the assertions of an
    unsat core (`(! … :named a12)`, in the base or here).
    """

    text: str
    values: tuple[str, ...] = ()
    core: bool = False


class Answer(NamedTuple):
    """The outcome of one check.

    `reason` says why a status is unknown, and `detail` in the solver's own words. `values` is the
    SMT-LIB text of each value asked for, in order: None unless sat, or if the solver has no value
    for one of them. `core` holds names without bars, in the solver's order: None unless asked for
    and unsat. `time_ms` is the time spent in the solver.
    """

    status: Status
    reason: Reason | None = None
    detail: str = ""
    values: tuple[str, ...] | None = None
    core: tuple[str, ...] | None = None
    time_ms: float = 0.0


class Objective(NamedTuple):
    """A term to be made as small as possible, or as large if `maximize`."""

    term: str
    maximize: bool = False


class OptimizeQuery(NamedTuple):
    """An optimization on top of the base.

    Several objectives are taken in order (`lex`), each for itself (`box`), or together (`pareto`:
    every point that no other beats in all of them, up to `points`). `values` as in `Query`.
    """

    text: str
    objectives: tuple[Objective, ...]
    values: tuple[str, ...] = ()
    priority: Priority = "lex"
    points: int = 64


class Point(NamedTuple):
    """The objectives' values at one optimum, and the values asked for in a model that goes with it.

    An objective's value is SMT-LIB text; in an unbounded or unattained one `oo` and `epsilon` occur
    as constants: `(* (- 1) oo)`, `(+ 3.0 epsilon)`. The model then shows a feasible point only.
    """

    objectives: tuple[str, ...]
    values: tuple[str, ...] | None = None


class OptimizeAnswer(NamedTuple):
    """The outcome of an optimization.

    `optimal`: `points` holds one point, or the Pareto points; `complete` is false if there may be
    more of them. `unbounded` and `unattained`: one point that says which objective. `unknown`:
    `reason`, and the known `bounds` of each objective as (lower, upper). With `box`, each
    objective's value is an optimum for itself and the model belongs to the first.
    """

    status: OptimizeStatus
    reason: Reason | None = None
    detail: str = ""
    points: tuple[Point, ...] = ()
    complete: bool = True
    bounds: tuple[tuple[str, str], ...] = ()
    time_ms: float = 0.0


class Engine(Protocol):
    """A solver with a session: in this process (`z3.py`, `cvc5.py`) or in a worker (`pool.Session`)."""

    @property
    def name(self) -> str:
        """The engine's name, as in `ENGINES`."""

    def start(self, base: str) -> None:
        """Begin a session with these SMT-LIB commands, ending any other; errors show in the answers."""

    def ask(self, query: Query, timeout_ms: int) -> Answer:
        """Check one query; never raises for what the solver does."""

    def optimize(self, query: OptimizeQuery, timeout_ms: int) -> OptimizeAnswer:
        """Optimize; `unsupported` if the engine cannot."""

    def close(self) -> None:
        """End the session and free what it holds."""


class RemoteEngine(Engine, Protocol):
    """An engine in a worker: queries can be sent ahead of their turn."""

    def ask_all(self, queries: Sequence[Query], timeout_ms: int) -> Iterator[Answer]:
        """Check the queries in order, each within the limit; yields each answer as it comes."""


ENGINES: tuple[str, ...] = ("z3", "cvc5", "cvc5-pysmt")
