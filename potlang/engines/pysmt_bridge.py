"""cvc5 through pysmt: pysmt reads the SMT-LIB text, types it and builds cvc5's terms.

A second, independent road to the same solver, for cross-checks of the reader and the printer. Where
pysmt's reader or types do not suffice the answer is `unsupported`. Runs in a worker.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from potlang.engines.cvc5 import FINITE_MODELS, REASONS, failure_of
from potlang.engines.messages import Query, SolverAnswer, assumed_core, assumed_text
from potlang.engines.worker import SolverEngine
from potlang.smt.sexpr import unquote
from potlang.utils.deadline import Deadline

_FIRST_SHARE: Final = 0.4
_SHORTEST_SECOND_MS: Final = 20


class NotForPysmt(Exception):
    """pysmt cannot read the text, or would read it as something else."""


@dataclass(frozen=True, slots=True)
class _PysmtScript:
    """A text as pysmt reads it: assertions with the name each bears (or None), and terms to evaluate."""

    environment: Any
    assertions: tuple[tuple[Any, str | None], ...]
    terms: tuple[Any, ...]


def _refuse(text: str) -> None:
    if "\0" in text:
        raise NotForPysmt("a NUL character in SMT-LIB text")
    if '"' in text and ("\\" in text or '""' in text):
        raise NotForPysmt("pysmt takes escapes in string literals literally")


def _read(text: str, values: tuple[str, ...]) -> _PysmtScript:
    """The text in a fresh pysmt environment. Raises `NotForPysmt`."""
    from pysmt.environment import Environment
    from pysmt.smtlib.parser import SmtLibParser

    _refuse(text)
    whole = text + (f"(get-value ({' '.join(values)}))" if values else "")
    environment = Environment()
    try:
        script = SmtLibParser(environment=environment).get_script(io.StringIO(whole))
    except MemoryError:
        raise
    except Exception as error:  # pysmt raises whatever it stumbles over
        raise NotForPysmt(f"pysmt: {error}"[:2000]) from error
    found: list[tuple[Any, str | None]] = []
    terms: tuple[Any, ...] = ()
    for command in script.commands:
        if command.name == "assert":
            found.append((command.args[0], _name(script.annotations, command.args[0])))
        elif command.name == "get-value":
            terms = tuple(command.args)
    return _PysmtScript(environment, tuple(found), terms)


def _name(annotations: Any, formula: Any) -> str | None:
    """The name of an assertion; of several that one formula bears, the first in order."""
    if formula not in annotations:
        return None
    names = sorted(annotations[formula].get("named", ()))
    return unquote(str(names[0])) if names else None


@cache
def _converter_class() -> Any:
    """pysmt's converter with one sort of cvc5 for each of pysmt's.

    As it is, it makes a new uninterpreted sort at every mention, and no two terms of a sort fit.
    """
    from pysmt.solvers.cvcfive import CVC5Converter

    class Converter(CVC5Converter):  # type: ignore[misc]
        def __init__(self, environment: Any, cvc5: Any) -> None:
            super().__init__(environment, cvc5)
            self.sorts: dict[Any, Any] = {}

        def _type_to_cvc5(self, sort: Any) -> Any:
            if sort not in self.sorts:
                self.sorts[sort] = super()._type_to_cvc5(sort)
            return self.sorts[sort]

    return Converter


def _solver(environment: Any, options: dict[str, str]) -> Any:
    from pysmt.logics import Logic
    from pysmt.solvers.cvcfive import CVC5Solver

    logic = Logic(name="ALL", description="whatever cvc5 knows")
    solver = CVC5Solver(environment, logic, generate_models=True, solver_options=options)
    solver.converter = _converter_class()(environment, solver.cvc5)
    return solver


def solve_with_pysmt(
    text: str,
    values: tuple[str, ...] = (),
    *,
    core: bool = False,
    timeout_ms: int = 10_000,
    options: dict[str, str] | None = None,
) -> SolverAnswer:
    """Check a whole SMT-LIB script (declarations and assertions) with cvc5, read by pysmt.

    `values`, `core` and the answer are as in `Query` and `SolverAnswer`; `options` are cvc5's. A text that
    pysmt cannot read is answered `unsupported`. A core names one assertion of those that are equal.
    """
    deadline = Deadline(timeout_ms)
    try:
        script = _read(text, values)
        return _solve(script, core, deadline, options or {})
    except NotForPysmt as error:
        return SolverAnswer("unknown", "unsupported", str(error), time_ms=deadline.spent_ms())
    except (RuntimeError, MemoryError) as error:
        return failure_of(error).answer(deadline)


def _solve(script: _PysmtScript, core: bool, deadline: Deadline, options: dict[str, str]) -> SolverAnswer:
    chosen = {"tlimit-per": str(max(1, deadline.left_ms())), **options}
    if core:
        # pysmt turns on two simplifications that cvc5 refuses together with cores.
        chosen |= {"ite-simp": "false", "simp-ite-compress": "false", "produce-unsat-cores": "true"}
    solver = _solver(script.environment, chosen)
    names = _assert_all(solver, script)
    result = solver.cvc5.checkSat()
    if result.isSat():
        found = tuple(str(solver.cvc5.getValue(_convert(solver, term))) for term in script.terms)
        return SolverAnswer("sat", values=found, time_ms=deadline.spent_ms())
    if result.isUnsat():
        return SolverAnswer("unsat", core=_core(solver, names) if core else None, time_ms=deadline.spent_ms())
    words = result.getUnknownExplanation().name
    return SolverAnswer(
        "unknown", REASONS.get(words, "incomplete"), words.lower(), time_ms=deadline.spent_ms()
    )


def _assert_all(solver: Any, script: _PysmtScript) -> dict[Any, str]:
    names: dict[Any, str] = {}
    for formula, name in script.assertions:
        term = _convert(solver, formula)
        solver.cvc5.assertFormula(term)
        if name is not None:
            names.setdefault(term, name)
    return names


def _convert(solver: Any, formula: Any) -> Any:
    try:
        return solver.converter.convert(formula)
    except MemoryError:
        raise
    except Exception as error:  # as above
        raise NotForPysmt(f"pysmt: {error}"[:2000]) from error


def _core(solver: Any, names: dict[Any, str]) -> tuple[str, ...]:
    return tuple(names[term] for term in solver.cvc5.getUnsatCore() if term in names)


class PysmtEngine(SolverEngine):
    """cvc5 through pysmt, in this process: every query is read with its base anew."""

    name = "cvc5-pysmt"

    def warm_up(self) -> None:
        """Solve something small once: the imports are the most of it."""
        solve_with_pysmt("(declare-sort S 0)(declare-fun p (S) Bool)(assert (forall ((x S)) (p x)))")

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """Check one query with the default options, then with finite model finding."""
        deadline = Deadline(timeout_ms)
        first = self._try(query, max(1, int(timeout_ms * _FIRST_SHARE)), {})
        settled = first.status != "unknown" or first.reason not in ("incomplete", "timeout")
        if settled or deadline.left_ms() < _SHORTEST_SECOND_MS:
            return first
        second = self._try(query, deadline.left_ms(), FINITE_MODELS)
        return second if second.status != "unknown" else first

    def _try(self, query: Query, timeout_ms: int, options: dict[str, str]) -> SolverAnswer:
        if self.rlimit:
            options = {**options, "rlimit-per": str(self.rlimit)}
        text = self._base + assumed_text(query)
        answer = solve_with_pysmt(text, query.values, core=query.core, timeout_ms=timeout_ms, options=options)
        return answer if answer.core is None else answer._replace(core=assumed_core(query, answer.core))
