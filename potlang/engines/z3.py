"""z3 through its SMT-LIB reader: one context is a session that keeps its state between texts.

Runs in a worker.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from functools import cache
from typing import Any, Final

from potlang.engines.messages import (
    OptimizeAnswer,
    OptimizeQuery,
    OptimizeStatus,
    Query,
    Reason,
    SolverAnswer,
    Status,
    affords_model,
)
from potlang.engines.repl import Repl, SolverFailure, TextEngine
from potlang.smt.sexpr import elements, has_symbol, pair_values
from potlang.utils.deadline import Deadline

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
_SPARES: Final = 2
"""Contexts made ahead: a verification's second session, for its core, follows the first at once."""
_ERROR: Final = re.compile(r'\(error "(?:line \d+ column \d+: )?((?:[^"\\]|\\.|"")*)"\)')


@cache
def _c_interface() -> Any:
    """The module `z3.z3core`: z3's functions of C, one to one.

    `import z3` makes classes for terms too, which texts have no use for: on its own that takes as long as
    starting Python does (15 of 39 ms), for every process. So the package stands in empty while its C part
    is imported, and is gone from `sys.modules` after that: who imports z3 later gets all of it.
    """
    spec = importlib.util.find_spec("z3")
    if spec is None:
        raise ImportError("z3-solver is not installed")
    if "z3" not in sys.modules:
        sys.modules["z3"] = importlib.util.module_from_spec(spec)
        try:
            return importlib.import_module("z3.z3core")
        finally:
            del sys.modules["z3"]
    return importlib.import_module("z3.z3core")


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


class Z3Context(Repl):
    """One z3 context."""

    name = "z3"
    get_model = _MODEL

    def __init__(self) -> None:
        self._core = core = _c_interface()
        config = core.Z3_mk_config()
        self._context: Any = core.Z3_mk_context_rc(config)
        core.Z3_del_config(config)
        # z3's own handler ends the process; with this one the wrapper of each function raises.
        self._handler = core.Z3_set_error_handler(self._context, lambda context, code: None)
        self._limits = (0, 0)
        self.run(_OPTIONS)

    def __del__(self) -> None:
        if hasattr(self, "_context"):
            self._core.Z3_del_context(self._context)

    def run(self, text: str) -> str:
        """The output of z3 for these commands. Raises `SolverFailure` for an error in any of them."""
        if "\0" in text:
            raise SolverFailure("error", "a NUL character in SMT-LIB text")
        try:
            return str(self._core.Z3_eval_smtlib2_string(self._context, text))
        except UnicodeError as error:
            raise SolverFailure("error", "text that is not Unicode") from error
        except self._core.Z3Exception as error:
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


def _failure(error: Exception) -> SolverFailure:
    raw = error.args[0] if error.args else ""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    match = _ERROR.search(text)
    detail = match[1] if match else text.strip()
    reason = reason_of(detail)
    return SolverFailure("error" if reason == "incomplete" else reason, detail)


class Z3Engine(TextEngine[Z3Context]):
    """z3 in this process."""

    name = "z3"

    def __init__(self) -> None:
        super().__init__()
        self._spares: list[Z3Context] = []

    def prepare(self) -> bool:
        """Make a context ahead of its session, if there are not enough.

        Contexts are not used again: what z3 answers would depend on what it was asked before.
        """
        if len(self._spares) == _SPARES:
            return False
        self._spares.append(Z3Context())
        return True

    def warm_up(self) -> None:
        """Solve something small once, so that z3's own start-up is behind it."""
        repl = Z3Context()
        repl.run("(set-option :produce-unsat-cores true)" + _WARM_UP)
        repl.run("(get-unsat-core)")

    def limit_memory(self, megabytes: int | None) -> None:
        """Cap what z3's own heap may grow by; what it holds already (spare contexts) is not the session's.

        Beyond it z3 answers unknown, or ends the process with status 101.
        """
        core = _c_interface()
        held = core.Z3_get_estimated_alloc_size() >> 20
        core.Z3_global_param_set("memory_max_size", str(megabytes + held if megabytes else 0))

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """Check one query between a push and a pop."""
        deadline = Deadline(timeout_ms)
        return self._answered(query.core, deadline, lambda repl: self._check(repl, query, deadline))

    def _make(self, core: bool) -> Z3Context:
        repl = self._fresh(core)
        repl.run(self._base)
        return repl

    def _fresh(self, core: bool) -> Z3Context:
        repl = self._spares.pop() if self._spares else Z3Context()
        if core:
            repl.run("(set-option :produce-unsat-cores true)")
        return repl

    def _check(self, repl: Z3Context, query: Query, deadline: Deadline) -> SolverAnswer:
        repl.run("(push 1)" + query.text)
        status = repl.check(deadline.left_ms(), self.rlimit, query.assuming)
        values: tuple[str, ...] | None = None
        core: tuple[str, ...] | None = None
        model: str | None = None
        detail = ""
        reason: Reason | None = None
        if status == "sat":
            values, detail = repl.values(query.values)
            if query.model and affords_model(len(self._base) + len(query.text), deadline.left_ms()):
                model = repl.model()
        elif status == "unsat":
            core = repl.core() if query.core else None
        else:
            detail = repl.why_unknown()
            reason = reason_of(detail)
            if reason == "incomplete" and deadline.passed():
                # z3 that is stopped between instances of a quantifier says only that there were more.
                reason = "timeout"
        repl.run("(pop 1)")
        return SolverAnswer(status, reason, detail, values, core, deadline.spent_ms(), model)

    def optimize(self, query: OptimizeQuery, timeout_ms: int) -> OptimizeAnswer:
        """Optimize in a context of its own."""
        deadline = Deadline(timeout_ms)
        try:
            repl = self._fresh(core=False)
            verb = "maximize" if query.maximize else "minimize"
            repl.run(f"{self._base}{query.text}({verb} {query.term})")
            return _optimum(repl, deadline, self.rlimit)
        except SolverFailure as failure:
            return OptimizeAnswer("unknown", failure.reason, failure.detail, time_ms=deadline.spent_ms())


def _optimum(repl: Z3Context, deadline: Deadline, rlimit: int | None) -> OptimizeAnswer:
    status = repl.check(deadline.left_ms(), rlimit)
    if status == "unsat":
        return OptimizeAnswer("infeasible", time_ms=deadline.spent_ms())
    words = repl.why_unknown() if status == "unknown" else ""
    found = pair_values(repl.run("(get-objectives)"))
    value = found[-1] if found else None
    if status == "sat":
        kind = "unknown" if value is None else _kind(value)
        return OptimizeAnswer(kind, value=value, time_ms=deadline.spent_ms())
    bounds = None if value is None else _bounds(value)
    return OptimizeAnswer("unknown", reason_of(words), words, bounds=bounds, time_ms=deadline.spent_ms())


def _kind(value: str) -> OptimizeStatus:
    if has_symbol(value, "oo"):
        return "unbounded"
    return "unattained" if has_symbol(value, "epsilon") else "optimal"


def _bounds(value: str) -> tuple[str, str]:
    parts = elements(value)
    if len(parts) == 3 and parts[0] == "interval":
        return parts[1], parts[2]
    return value, value
