"""dagre inside of V8, as the service of a process of its own: whatever ends the engine ends no caller.

V8 wants more address space than callers may have whose memory is capped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from py_mini_racer import JSEvalException, MiniRacer

from potlang.processes.frames import Message
from potlang.processes.worker import Service

_SCRIPTS: Final = ("vendor/dagre.js", "layout.js")


class LayoutService(Service):
    """Answers a graph with the places that `layout.js` gives it."""

    def __init__(self) -> None:
        here = Path(__file__).parent
        self._engine = MiniRacer()
        for script in _SCRIPTS:
            self._engine.eval((here / script).read_text(encoding="utf-8"))

    def answer(self, request: Message) -> Message:
        """As `Service.answer`: `graph` is what `layOut` takes; the answer has what it gives, or `failed`."""
        try:
            # The process has limits of its own, by which a graph that takes too long ends it.
            return {"laid_out": self._engine.call("layOut", request["graph"])}
        except JSEvalException as error:
            return {"failed": str(error)}
