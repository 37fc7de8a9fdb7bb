"""The service of the children that ask SymPy: one function, whatever it raises."""

from __future__ import annotations

from collections.abc import Callable

from potlang.processes.frames import Message
from potlang.processes.worker import Service


class SympyService(Service):
    """Answers by a function; what that raises is answered by `failed` and a name for it."""

    def __init__(self, answering: Callable[[Message], Message]) -> None:
        self._answering = answering

    def answer(self, request: Message) -> Message:
        """As `Service.answer`."""
        try:
            return dict(self._answering(request))
        except MemoryError:
            return {"failed": "out of memory"}
        except RecursionError:
            return {"failed": "nested too deeply"}
        except Exception as error:
            return {"failed": type(error).__name__}
