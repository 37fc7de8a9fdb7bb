"""Children that carry out calls: several at once, each within hard limits, each can be cancelled."""

from __future__ import annotations

import os
from typing import Any, Final

import anyio
import anyio.to_thread

from potlang import tool
from potlang.processes.process import Command, Death, Died, Process
from potlang.server.turns import LOCAL, Caller, QueueFull, Turns
from potlang.tool.arguments import CallMistake, Mistake
from potlang.utils.deadline import Deadline

_CALLER: Final[Command] = ("potlang.server.caller:caller",)
HARD_SECONDS: Final = tool.CALL_SECONDS + 4.0
"""After which a call is ended, whatever it is at."""
MEMORY_MB: Final = 2_048
"""Of a child beyond its start-up size; its solvers have a limit of their own."""
MOST_WAITING: Final = 1_000
QUICK_SECONDS: Final = 0.5
"""That a call has on the quick place; most programs that people or models write take a tenth of it."""
_READY: Final = 2
_RETIRE_CALLS: Final = 2_000
_RETIRE_MB: Final = 1_024
_MISTAKES: Final[dict[Death, tuple[Mistake, str]]] = {
    "timeout": ("timeout", f"the call took more than {HARD_SECONDS:.0f} seconds"),
    "memory": ("memory", f"the call took more than {MEMORY_MB} MB"),
}


class Callers:
    """Children that are started with it and replaced when lost. `close` ends them; calls then fail."""

    def __init__(self, count: int | None = None, budget: int = tool.DEFAULT_BUDGET) -> None:
        self.count = count or min(8, os.cpu_count() or 1)
        self._budget = budget
        self._idle = [Process(_CALLER) for _ in range(self.count)]
        self._busy: set[Process] = set()
        self._turns = Turns(self.count, MOST_WAITING)
        # A cancelled call keeps its thread until the child is dead: there must be others by then.
        self._threads = anyio.CapacityLimiter(2 * (self.count + 1))
        self._closed = False

    async def call(self, arguments: Any, caller: Caller = LOCAL) -> dict[str, Any]:
        """The tool's answer. When the task is cancelled, the child that works on it is killed at once."""
        ticket = self._turns.ticket(caller)
        answer = None
        while answer is None:
            try:
                async with self._turns.turn(ticket):
                    answer = await self._carried_out(arguments, QUICK_SECONDS if ticket.quick else None)
                    ticket.tried = True
            except QueueFull:
                return _mistake("busy", f"{MOST_WAITING} calls are waiting already", "call again later")
        return answer

    async def _carried_out(self, arguments: Any, quick: float | None) -> dict[str, Any] | None:
        """The answer; None if it took more than the seconds that a `quick` call has."""
        process = self._take()
        self._busy.add(process)
        message = {"arguments": arguments, "budget": self._budget}
        try:
            answer = await anyio.to_thread.run_sync(
                _exchange, process, message, quick, abandon_on_cancel=True, limiter=self._threads
            )
        except BaseException:
            # The thread that waits for the child finds it dead, and cleans up after it.
            process.kill_from_outside()
            raise
        finally:
            self._busy.discard(process)
        if process.alive() and not _is_worn(process):
            self._idle.append(process)
        else:
            process.kill()
            self._prepare()
        return answer

    def _prepare(self) -> None:
        """Has children ready after one was lost: the next calls shall not wait for their start."""
        while not self._closed and len(self._idle) < _READY:
            self._idle.append(Process(_CALLER))

    def _take(self) -> Process:
        while self._idle:
            # The one that was started first is ready first.
            process = self._idle.pop(0)
            if process.alive():
                return process
        if self._closed:
            raise RuntimeError("these callers are closed")
        return Process(_CALLER)

    def close(self) -> None:
        """Ends all children, those at work too."""
        self._closed = True
        for process in (*self._idle, *self._busy):
            process.kill_from_outside()
        self._idle.clear()


def _is_worn(process: Process) -> bool:
    process.sessions += 1
    return process.sessions >= _RETIRE_CALLS or process.peak >= _RETIRE_MB


def _exchange(process: Process, message: dict[str, Any], quick: float | None) -> dict[str, Any] | None:
    """Sends a call and waits for its answer, None after `quick` seconds; in a thread of its own."""
    try:
        process.handshake()
        process.memory = MEMORY_MB
        process.send({**message, "memory": MEMORY_MB, "deadline": HARD_SECONDS + 1.0})
        answer: dict[str, Any] = process.receive(Deadline((quick or HARD_SECONDS) * 1000))["answer"]
        return answer
    except TimeoutError:
        process.kill()
        return _lost("timeout") if quick is None else None
    except Died as died:
        return _lost(died.reason)


def _lost(reason: Death) -> dict[str, Any]:
    mistake, message = _MISTAKES.get(reason, ("internal", "the process that worked on the call has died"))
    return _mistake(mistake, message, "send a smaller program, or fewer claims at once")


def _mistake(mistake: Mistake, message: str, help_: str) -> dict[str, Any]:
    return CallMistake(mistake, message, help_).answer()
