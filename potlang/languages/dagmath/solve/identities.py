"""Equality of expressions by SymPy, in a child process that is killed in time ([STEP-SYMPY])."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import Term, text
from potlang.processes.child import Child
from potlang.processes.process import Command, Died
from potlang.utils.closing import Closing

_SYMPY: Final[Command] = ("potlang.languages.dagmath.solve.identity_worker:identities",)
MISSING: Final = "sympy is not installed (pip install 'potlang[dagmath]')"
_MOST_FAILURES: Final = 3


class Identities(Closing):
    """Asks SymPy, which starts with the first question and ends with `close`. Not for two threads at once."""

    def __init__(self, *, seconds: float = 2.0, megabytes: int = 1024) -> None:
        self.seconds = seconds
        self.megabytes = megabytes
        self._child = Child(_SYMPY)
        self.note = "" if find_spec("sympy") else MISSING
        """The reason why SymPy could not tell, the last time."""
        self._failures = 0

    def close(self) -> None:
        """End the child process, if there is one."""
        self._child.close()

    def hold(self, left: Term, right: Term, integers: frozenset[str], context: Context) -> bool:
        """Whether SymPy shows that both are equal wherever they are defined; False where it cannot tell."""
        if self.note == MISSING or self._failures >= _MOST_FAILURES:
            return False
        try:
            answer = self._child.ask(
                {
                    "left": text(left),
                    "right": text(right),
                    "integers": sorted(integers),
                    "functions": sorted(context.functions),
                    "variables": sorted(context.variables),
                },
                seconds=self.seconds,
                megabytes=self.megabytes,
            )
        except (Died, OSError) as error:
            self._failures += 1
            overrun = isinstance(error, Died) and error.reason == "timeout"
            late = f"SymPy took longer than {self.seconds:g} s"
            self.note = late if overrun else str(error) or "SymPy ended"
            self.close()
            return False
        self.note = str(answer.get("failed", ""))
        return answer.get("equal") is True
