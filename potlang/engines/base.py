"""What is asked of a solver and what it answers: plain data, SMT-LIB text on both sides.

A session is a base (declarations and assertions that every query shares) and queries on top of it.
Nothing here knows the IR, and nothing here imports a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Literal, NamedTuple, Protocol, Self

Status = Literal["sat", "unsat", "unknown"]
Reason = Literal["timeout", "memory", "incomplete", "unsupported", "error", "crash"]
Priority = Literal["lex", "pareto", "box"]
ProofFormat = Literal["cpc", "alethe"]
OptimizeStatus = Literal["optimal", "infeasible", "unbounded", "unattained", "unknown"]

MOST_MODEL = 2 * 1024 * 1024
"""Characters that a whole model may have."""
MOST_PROOF = 64 * 1024 * 1024
"""Characters that a proof may have."""
_PRINTED_PER_MS = 500


def affords_model(asked: int, left_ms: float) -> bool:
    """Whether the model of `asked` characters of SMT-LIB text can be printed in the time that is left.

    A model is about as long as what it is a model of, and no solver's printing can be stopped but by
    ending its process, which would lose the answer too.
    """
    return asked <= min(MOST_MODEL, left_ms * _PRINTED_PER_MS)


class Query(NamedTuple):
    """One check on top of the base.

    `text` is SMT-LIB commands (`declare-const`, `assert` …), run between a push and a pop. `values`
    are the terms to evaluate if the answer is sat. `core` asks for the names of the assertions of an
    unsat core (`(! … :named a12)`, in the base or here). `model` asks for the whole model. `assuming` are
    Boolean constants taken to be true for this check alone; those that a core needs are in it by name.
    `proof` asks for the proof of an unsat answer in this format, which only the engine `cvc5` gives.
    """

    text: str
    values: tuple[str, ...] = ()
    core: bool = False
    model: bool = False
    assuming: tuple[str, ...] = ()
    proof: ProofFormat | None = None


def assumed_text(query: Query) -> str:
    """The query's text with what it assumes asserted by name, for an engine that cannot assume."""
    return query.text + "".join([f"(assert (! {each} :named {each}!))" for each in query.assuming])


def assumed_core(query: Query, core: tuple[str, ...]) -> tuple[str, ...]:
    """The core of `assumed_text` in the words of the query."""
    constants = {f"{each}!": each for each in query.assuming}
    return tuple(constants.get(name, name) for name in core)


class Answer(NamedTuple):
    """The outcome of one check.

    `reason` says why a status is unknown, and `detail` in the solver's own words. `values` is the
    SMT-LIB text of each value asked for, in order: None unless sat, or if the solver has no value
    for one of them. `core` holds names without bars, in the solver's order: None unless asked for
    and unsat. `model` is what the solver answers to `get-model`: None unless asked for and sat, or if
    it is beyond `MOST_MODEL` or too long in coming. `time_ms` is the time spent in the solver. `proof` is
    the commands of a proof: None unless asked for and unsat, or if there is none, as `detail` then says.
    """

    status: Status
    reason: Reason | None = None
    detail: str = ""
    values: tuple[str, ...] | None = None
    core: tuple[str, ...] | None = None
    time_ms: float = 0.0
    model: str | None = None
    proof: str | None = None


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
    """An engine in a worker: queries can be sent ahead of their turn. A context manager, which closes it.

    `meanwhile` is called while the worker starts, or reads a base.
    """

    meanwhile: Callable[[], None] | None

    def __enter__(self) -> Self:
        """The engine."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""

    def ask_all(self, queries: Sequence[Query], timeout_ms: int) -> Iterator[Answer]:
        """Check the queries in order, each within the limit; yields each answer as it comes."""

    def cancel(self) -> None:
        """End, from another thread, the query under way; the session needs a new `start`."""


class EngineSource(Protocol):
    """Gives engines: `potlang.processes.pool.Workers`."""

    def warm(self, engine: str = ..., count: int = ...) -> None:
        """Get ready for one more session of this engine."""

    def session(
        self, engine: str = ..., base: str = ..., *, memory_mb: int | None = ..., rlimit: int | None = ...
    ) -> RemoteEngine:
        """An engine of this name within these limits."""


ENGINES: tuple[str, ...] = ("z3", "cvc5", "cvc5-fmf", "cvc5-pysmt")
"""`cvc5-fmf` is cvc5 with finite model finding from the start; `cvc5` tries that second."""
WORKERS: tuple[str, ...] = (*ENGINES, "sat")
"""What runs in workers; `sat` is given clauses (`solve/sat.py`) in place of SMT-LIB text."""
