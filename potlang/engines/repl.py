"""The common part of z3 and cvc5 as engines that are sent SMT-LIB text. Runs in a worker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Final, Generic, TypeVar

from potlang.engines.messages import MOST_MODEL, Reason, SolverAnswer
from potlang.engines.worker import SolverEngine
from potlang.smt.sexpr import elements, pair_values, unquote
from potlang.utils.deadline import Deadline

_LONGEST_DETAIL: Final = 2000
# After the other reasons the solver is not used again. (After "memory" the worker is not: and
# freeing what filled it takes seconds.)
_HARMLESS: Final = (None, "incomplete", "memory")


class SolverFailure(Exception):
    """A solver refused a text or gave up in the middle of it; `reason` as in an answer."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail[:_LONGEST_DETAIL]

    def answer(self, deadline: Deadline | None = None) -> SolverAnswer:
        """The answer that it comes to, with the time spent since the deadline was set."""
        spent = 0.0 if deadline is None else deadline.spent_ms()
        return SolverAnswer("unknown", self.reason, self.detail, time_ms=spent)


class Repl(ABC):
    """One solver that is sent SMT-LIB text and keeps its state between texts."""

    name: ClassVar[str]
    get_model: ClassVar[str] = "(get-model)"

    @abstractmethod
    def run(self, text: str) -> str:
        """The solver's output for these commands. Raises `SolverFailure` for an error in any of them."""

    def values(self, terms: tuple[str, ...]) -> tuple[tuple[str, ...] | None, str]:
        """The terms' values in the model of the last sat answer; None if there are none, and why.

        Raises `SolverFailure` where memory is out.
        """
        if not terms:
            return (), ""
        try:
            values = pair_values(self.run(f"(get-value ({' '.join(terms)}))"))
        except SolverFailure as failure:
            if failure.reason == "memory":
                raise
            return None, failure.detail
        return (values, "") if len(values) == len(terms) else (None, f"{self.name} left values out")

    def model(self) -> str | None:
        """The whole model of the last sat answer, unless it is too long. Raises as `values` does."""
        try:
            text = self.run(self.get_model)
        except SolverFailure as failure:
            if failure.reason == "memory":
                raise
            return None
        return text if len(text) <= MOST_MODEL else None

    def core(self) -> tuple[str, ...]:
        """The names in the unsat core of the last answer."""
        return tuple(unquote(name) for name in elements(self.run("(get-unsat-core)")))


R = TypeVar("R", bound=Repl)


class TextEngine(SolverEngine, Generic[R]):
    """A session's base, and the solvers that keep it: one for queries with unsat cores, one for others.

    They are kept apart since tracking assertions costs preprocessing; each is made when it is needed.
    """

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[bool, R] = {}

    @abstractmethod
    def _make(self, core: bool) -> R:
        """A solver that has read the base. Raises `SolverFailure`."""

    def load(self, core: bool) -> SolverAnswer | None:
        """Read the base now; the answer that a failure to do so comes to."""
        try:
            self._kept(core)
        except SolverFailure as failure:
            return failure.answer()
        return None

    def close(self) -> None:
        """End the session: its solvers are freed."""
        super().close()
        self._open.clear()

    def _kept(self, core: bool) -> R:
        found = self._open.get(core)
        if found is None:
            found = self._open[core] = self._make(core)
        return found

    def _answered(self, core: bool, deadline: Deadline, check: Callable[[R], SolverAnswer]) -> SolverAnswer:
        """The answer of `check` from a solver that keeps the base; it must leave the solver as it was."""
        try:
            answer = check(self._kept(core))
        except SolverFailure as failure:
            answer = failure.answer(deadline)
        if answer.reason not in _HARMLESS:
            self._open.pop(core, None)
        return answer
