"""Whether two expressions are equal as expressions, by SymPy in a child process that is killed in time."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any, Final

from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import Term, text
from potlang.processes.launch import launch_python
from potlang.processes.process import Died, Process

_WORKER: Final = "from potlang.languages.dagmath.solve.identity_worker import main;main()"
MISSING: Final = "sympy is not installed (pip install 'potlang[dagmath]')"
_GRACE_SECONDS: Final = 0.5
_MOST_FAILURES: Final = 3
_RETIRE_MEGABYTES: Final = 512


class Identities:
    """Asks SymPy; starts it with the first question. Not for two threads at once; `close` ends it."""

    def __init__(self, *, seconds: float = 2.0, megabytes: int = 1024) -> None:
        self.seconds = seconds
        self.megabytes = megabytes
        self.note = "" if find_spec("sympy") else MISSING
        """Why SymPy could not tell, the last time."""
        self._process: Process | None = None
        self._failures = 0

    def close(self) -> None:
        """End the child process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def hold(self, left: Term, right: Term, integers: frozenset[str], context: Context) -> bool:
        """Whether SymPy shows that both are equal wherever they are defined; False where it cannot tell."""
        if self.note == MISSING or self._failures >= _MOST_FAILURES:
            return False
        try:
            answer = self._ask(
                {
                    "left": text(left),
                    "right": text(right),
                    "integers": sorted(integers),
                    "functions": sorted(context.functions),
                    "variables": sorted(context.variables),
                }
            )
        except (Died, OSError) as error:
            self._failures += 1
            self.note = str(error) or "SymPy ended"
            self.close()
            return False
        self.note = str(answer.get("failed", ""))
        return answer.get("equal") is True

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._process is None or not self._process.alive():
            self._process = Process("identities", child=launch_python(_WORKER))
        self._process.greet()
        deadline = self.seconds + _GRACE_SECONDS
        self._process.memory = self.megabytes
        self._process.send({**message, "memory": self.megabytes, "deadline": deadline})
        try:
            answer = self._process.receive(time.monotonic() + self.seconds)
        except TimeoutError:
            raise Died("timeout", f"SymPy took longer than {self.seconds:g} s") from None
        if self._process.peak > _RETIRE_MEGABYTES:
            self.close()
        return dict(answer)
