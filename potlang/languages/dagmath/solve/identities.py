"""Equality of expressions by SymPy, in a child process that is killed in time ([STEP-SYMPY])."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import Final

from potlang.languages.dagmath.lower.numeric import may_be_identical
from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import Term, Unreadable, text
from potlang.languages.dagmath.lower.to_sympy import check_sympy
from potlang.languages.dagmath.solve.budget import Budget
from potlang.processes.children import Children
from potlang.processes.process import Command, Died
from potlang.utils.extra import not_installed

_SYMPY: Final[Command] = ("potlang.languages.dagmath.solve.identity_worker:identities",)
MISSING: Final = not_installed("sympy")
_MOST_FAILURES: Final = 3
_SHARE: Final = 0.5


class Identities:
    """Asks SymPy, which starts with the first question, in a process that all who ask share."""

    def __init__(self, *, seconds: float = 1.0, megabytes: int = 1024) -> None:
        self.seconds = seconds
        self.megabytes = megabytes
        self.note = "" if find_spec("sympy") else MISSING
        """The reason why SymPy could not tell, the last time."""
        self._failures = 0

    def hold(
        self, left: Term, right: Term, integers: frozenset[str], context: Context, budget: Budget
    ) -> bool:
        """Whether SymPy shows that both are equal wherever they are defined; False where it cannot tell.

        It is not asked where it has no words for them, or where they differ at a point.
        """
        if self.note == MISSING or self._failures >= _MOST_FAILURES:
            return False
        try:
            check_sympy(left)
            check_sympy(right)
        except Unreadable as error:
            self.note = str(error)
            return False
        seconds = budget.question_ms(self.seconds * 1000, _SHARE) / 1000
        if not seconds or not may_be_identical(left, right, integers):
            return False
        with budget.spending():
            return self._hold(left, right, integers, context, seconds)

    def _hold(
        self, left: Term, right: Term, integers: frozenset[str], context: Context, seconds: float
    ) -> bool:
        request = {
            "left": text(left),
            "right": text(right),
            "integers": sorted(integers),
            "functions": sorted(context.functions),
            "variables": sorted(context.variables),
        }
        try:
            answer = shared_children().ask(request, seconds=seconds, megabytes=self.megabytes)
        except Died as error:
            self._failures += 1
            late = f"SymPy took longer than {seconds:g} s"
            self.note = late if error.reason == "timeout" else str(error) or "SymPy ended"
            return False
        self.note = str(answer.get("failed", ""))
        return answer.get("equal") is True


@lru_cache(maxsize=1)
def shared_children() -> Children:
    """The processes of SymPy, which end with this one."""
    return Children(_SYMPY)
