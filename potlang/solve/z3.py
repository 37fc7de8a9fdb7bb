"""z3 through its SMT-LIB reader: one context is a session that keeps its state between texts.

Runs in a worker. A context with unsat cores is kept apart from the one without, since tracking
assertions costs preprocessing; each is made when a query first needs it.
"""

from __future__ import annotations

import re
from typing import Any, Final

from potlang.solve.backend import (
    MOST_MODEL,
    Answer,
    OptimizeAnswer,
    OptimizeQuery,
    OptimizeStatus,
    Point,
    Query,
    Reason,
    Status,
    affords_model,
)
from potlang.solve.clock import Clock
from potlang.solve.sexpr import elements, has_symbol, pair_values, unquote

_OPTIONS: Final = (
    "(set-option :print-success false)(set-option :produce-models true)"
    "(set-option :pp.min_alias_size 4294967295)(set-option :pp.max_depth 4294967295)"
)
# Without names for shared terms a model's text may be exponential in the model.
_MODEL: Final = "(set-option :pp.min_alias_size 10)(get-model)(set-option :pp.min_alias_size 4294967295)"
_WARM_UP: Final = (
    "(declare-sort S 0)(declare-fun p (S) Bool)(declare-const a S)(assert (forall ((x S)) (p x)))"
    "(push 1)(assert (! (not (p a)) :named n))(check-sat)"
)
_ERROR: Final = re.compile(r'\(error "(?:line \d+ column \d+: )?((?:[^"\\]|\\.|"")*)"\)')
_LONGEST_DETAIL: Final = 2000
# After the other reasons the context is not used again. (After "memory" the worker is not: and
# freeing what filled it takes seconds.)
_HARMLESS: Final = (None, "incomplete", "memory")


class Failure(Exception):
    """z3 refused a text or gave up in the middle of it; `reason` as in an answer."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail[:_LONGEST_DETAIL]


def reason_of(words: str) -> Reason:
    """The reason that z3's words for an unknown answer, or for an error, amount to."""
    low = words.lower()
    if "memory" in low or "bad_alloc" in low:
        return "memory"
    if any(word in low for word in ("cancel", "timeout", "resource limit", "interrupted")):
        return "timeout"
    if "incomplete" in low or low in ("", "unknown"):
        return "incomplete"
    return "error"


class Repl:
    """One z3 context that is sent SMT-LIB text."""

    def __init__(self) -> None:
        import z3
        from z3 import z3core

        self._context: Any = z3.Context()
        self._eval: Any = z3core.Z3_eval_smtlib2_string
        self._exception: type[Exception] = z3.Z3Exception
        self._limits = (0, 0)
        self.run(_OPTIONS)

    def run(self, text: str) -> str:
        """What z3 prints for these commands. Raises Failure for an error in any of them."""
        if "\0" in text:
            raise Failure("error", "a NUL character in SMT-LIB text")
        try:
            return str(self._eval(self._context.ref(), text))
        except UnicodeError as error:
            raise Failure("error", "text that is not Unicode") from error
        except self._exception as error:
            raise _failure(error) from error

    def check(self, timeout_ms: int, rlimit: int | None, assuming: tuple[str, ...] = ()) -> Status:
        """`check-sat` under these limits, assuming these constants."""
        limits = (max(1, timeout_ms), rlimit or 0)
        options = ""
        if limits != self._limits:
            options = f"(set-option :timeout {limits[0]})(set-option :rlimit {limits[1]})"
            self._limits = limits
        command = f"(check-sat-assuming ({' '.join(assuming)}))" if assuming else "(check-sat)"
        word = self.run(options + command).split()[-1:]
        return "sat" if word == ["sat"] else "unsat" if word == ["unsat"] else "unknown"

    def why_unknown(self) -> str:
        """z3's words for the last unknown answer."""
        text = self.run("(get-info :reason-unknown)")
        return text.strip().removeprefix("(:reason-unknown").removesuffix(")").strip().strip('"')

    def values(self, terms: tuple[str, ...]) -> tuple[str, ...]:
        """The terms' values in the model of the last sat answer."""
        if not terms:
            return ()
        return pair_values(self.run(f"(get-value ({' '.join(terms)}))"))

    def model(self) -> str:
        """The whole model of the last sat answer."""
        return self.run(_MODEL)


def _failure(error: Exception) -> Failure:
    raw = error.args[0] if error.args else ""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    match = _ERROR.search(text)
    detail = match[1] if match else text.strip()
    reason = reason_of(detail)
    return Failure("error" if reason == "incomplete" else reason, detail)


class Z3Engine:
    """z3 as an `Engine`, in this process."""

    name = "z3"

    def __init__(self, rlimit: int | None = None) -> None:
        self.rlimit = rlimit
        self._base = ""
        self._spares: list[Repl] = []
        self._started = False
        self._open: dict[bool, Repl] = {}

    def prepare(self) -> None:
        """Make the next contexts while the worker is idle.

        Once there was a session, two: a verification's second one, for its core, follows at once. Contexts
        are not used again, since what z3 answers would depend on what it was asked before.
        """
        if not self._spares:
            self._spares = [Repl() for _ in range(2 if self._started else 1)]

    def warm_up(self) -> None:
        """Solve something small once, so that z3's own start-up is behind it."""
        repl = Repl()
        repl.run("(set-option :produce-unsat-cores true)" + _WARM_UP)
        repl.run("(get-unsat-core)")
        self.prepare()

    def limit_memory(self, megabytes: int | None) -> None:
        """Cap what z3's own heap may grow by; what it holds already (spare contexts) is not the session's.

        Beyond it z3 answers unknown, or ends the process with status 101.
        """
        import z3

        held = z3.Z3_get_estimated_alloc_size() >> 20
        z3.set_param("memory_max_size", megabytes + held if megabytes else 0)

    def start(self, base: str) -> None:
        """Begin a session; the base is read by the first query that needs it, or by `load`."""
        self.close()
        self._started = True
        self._base = base

    def load(self, core: bool) -> Answer | None:
        """Read the base now; the answer that a failure to do so comes to."""
        try:
            self._repl(core)
        except Failure as failure:
            return Answer("unknown", failure.reason, failure.detail)
        return None

    def close(self) -> None:
        """End the session: its contexts are freed."""
        self._open.clear()
        self._base = ""

    def ask(self, query: Query, timeout_ms: int) -> Answer:
        """Check one query between a push and a pop."""
        clock = Clock(timeout_ms)
        try:
            answer = self._check(self._repl(query.core), query, clock)
        except Failure as failure:
            answer = Answer("unknown", failure.reason, failure.detail, time_ms=clock.spent())
        if answer.reason not in _HARMLESS:
            self._open.pop(query.core, None)
        return answer

    def _repl(self, core: bool) -> Repl:
        repl = self._open.get(core)
        if repl is None:
            repl = self._fresh(core)
            repl.run(self._base)
            self._open[core] = repl
        return repl

    def _fresh(self, core: bool) -> Repl:
        repl = self._spares.pop() if self._spares else Repl()
        if core:
            repl.run("(set-option :produce-unsat-cores true)")
        return repl

    def _check(self, repl: Repl, query: Query, clock: Clock) -> Answer:
        repl.run("(push 1)" + query.text)
        status = repl.check(clock.left(), self.rlimit, query.assuming)
        values: tuple[str, ...] | None = None
        core: tuple[str, ...] | None = None
        model: str | None = None
        detail = ""
        reason: Reason | None = None
        if status == "sat":
            values, detail = _values(repl, query.values)
            if query.model and affords_model(len(self._base) + len(query.text), clock.left()):
                model = _model(repl)
        elif status == "unsat":
            core = _core(repl) if query.core else None
        else:
            detail = repl.why_unknown()
            reason = reason_of(detail)
        repl.run("(pop 1)")
        return Answer(status, reason, detail, values, core, clock.spent(), model)

    def optimize(self, query: OptimizeQuery, timeout_ms: int) -> OptimizeAnswer:
        """Optimize in a context of its own."""
        clock = Clock(timeout_ms)
        try:
            repl = self._fresh(core=False)
            repl.run(f"(set-option :opt.priority {query.priority})")
            repl.run(self._base)
            repl.run(query.text)
            repl.run("".join(f"({_verb(each.maximize)} {each.term})" for each in query.objectives))
            return _optimum(repl, query, clock, self.rlimit)
        except Failure as failure:
            return OptimizeAnswer("unknown", failure.reason, failure.detail, time_ms=clock.spent())


def _verb(maximize: bool) -> str:
    return "maximize" if maximize else "minimize"


def _values(repl: Repl, terms: tuple[str, ...]) -> tuple[tuple[str, ...] | None, str]:
    try:
        values = repl.values(terms)
    except Failure as failure:
        if failure.reason == "memory":
            raise
        return None, failure.detail
    return (values, "") if len(values) == len(terms) else (None, "z3 left values out")


def _model(repl: Repl) -> str | None:
    try:
        text = repl.model()
    except Failure as failure:
        if failure.reason == "memory":
            raise
        return None
    return text if len(text) <= MOST_MODEL else None


def _core(repl: Repl) -> tuple[str, ...]:
    return tuple(unquote(name) for name in elements(repl.run("(get-unsat-core)")))


def _optimum(repl: Repl, query: OptimizeQuery, clock: Clock, rlimit: int | None) -> OptimizeAnswer:
    status = repl.check(clock.left(), rlimit)
    if status == "unsat":
        return OptimizeAnswer("infeasible", time_ms=clock.spent())
    if status != "sat":
        return _unsettled(repl, query, clock)
    points = [_point(repl, query)]
    kind = _kind(points[0])
    complete = True
    if query.priority == "pareto" and kind == "optimal":
        complete = _more_points(repl, query, clock, rlimit, points)
    return OptimizeAnswer(kind, points=tuple(points), complete=complete, time_ms=clock.spent())


def _more_points(
    repl: Repl, query: OptimizeQuery, clock: Clock, rlimit: int | None, points: list[Point]
) -> bool:
    """Collect the Pareto points after the first; true if there are no more of them.

    z3 gives the one point of a single constant objective again and again, so a repetition is the end.
    """
    while True:
        status = repl.check(clock.left(), rlimit)
        if status != "sat" or len(points) >= query.points:
            return status == "unsat"
        point = _point(repl, query)
        if any(point.objectives == known.objectives for known in points):
            return True
        points.append(point)


def _point(repl: Repl, query: OptimizeQuery) -> Point:
    objectives = pair_values(repl.run("(get-objectives)"))[-len(query.objectives) :]
    return Point(objectives, _values(repl, query.values)[0])


def _kind(point: Point) -> OptimizeStatus:
    if any(has_symbol(value, "oo") for value in point.objectives):
        return "unbounded"
    if any(has_symbol(value, "epsilon") for value in point.objectives):
        return "unattained"
    return "optimal"


def _unsettled(repl: Repl, query: OptimizeQuery, clock: Clock) -> OptimizeAnswer:
    detail = repl.why_unknown()
    found = pair_values(repl.run("(get-objectives)"))[-len(query.objectives) :]
    bounds = tuple(_bounds(value) for value in found)
    return OptimizeAnswer("unknown", reason_of(detail), detail, bounds=bounds, time_ms=clock.spent())


def _bounds(value: str) -> tuple[str, str]:
    parts = elements(value)
    if len(parts) == 3 and parts[0] == "interval":
        return parts[1], parts[2]
    return value, value
