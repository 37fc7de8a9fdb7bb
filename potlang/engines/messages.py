"""Queries to a solver and its answers: plain data, SMT-LIB text on both sides.

A session is a base (declarations and assertions that every query shares) and queries on top of it.
Nothing here knows the IR, and nothing here imports a solver. All are tuples of JSON values and tuples, so
that they travel as JSON arrays; the `unpack` functions make them again.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Status = Literal["sat", "unsat", "unknown"]
Reason = Literal["timeout", "memory", "incomplete", "unsupported", "error", "crash"]
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


class SolverAnswer(NamedTuple):
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


class OptimizeQuery(NamedTuple):
    """One objective on top of the base: `term` as small as possible, or as large if `maximize`.

    `text` is as in `Query`. Several objectives are several queries: what holds of one of them is shown on
    its own. For the engine `sat` the text is clauses and the term the weighted literals to satisfy.
    """

    text: str
    term: str
    maximize: bool = False


class OptimizeAnswer(NamedTuple):
    """A proposal for the optimum of one objective.

    `value` is SMT-LIB text; in an unbounded or unattained one `oo` and `epsilon` occur as constants:
    `(* (- 1) oo)`, `(+ 3.0 epsilon)`. `unknown`: `reason`, and the `bounds` that the engine has, if any, as
    (lower, upper). `true` are the variables that the engine `sat` makes true.
    """

    status: OptimizeStatus
    reason: Reason | None = None
    detail: str = ""
    value: str | None = None
    bounds: tuple[str, str] | None = None
    true: tuple[int, ...] = ()
    time_ms: float = 0.0


def unpack_query(content: Any) -> Query:
    """The query that came over a pipe."""
    return Query._make(_tuples(content))


def unpack_optimize(content: Any) -> OptimizeQuery:
    """The optimization that came over a pipe."""
    return OptimizeQuery._make(_tuples(content))


def unpack_answer(content: Any) -> SolverAnswer:
    """The answer that came over a pipe."""
    return SolverAnswer._make(_tuples(content))


def unpack_optimized(content: Any) -> OptimizeAnswer:
    """The optimization's answer that came over a pipe."""
    return OptimizeAnswer._make(_tuples(content))


def _tuples(content: Any) -> Any:
    """JSON arrays as tuples; two deep at most, so recursion ends."""
    return tuple([_tuples(each) for each in content]) if isinstance(content, list) else content
