"""Children that carry out calls: several at once, each within hard limits, each can be cancelled."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final, Literal, NamedTuple

import anyio
import anyio.from_thread
import anyio.to_thread

from potlang import tool
from potlang.processes.frames import Message
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
_QUICK_GUESS: Final = 0.1
_NEWEST: Final = 0.05
"""The weight of the newest call in the mean of their times."""
_START_SECONDS: Final = 2.0
"""That a new child takes, where the processors have other work too."""
_LOOK_SECONDS: Final = 0.5
"""After which it is looked at whether others have had less time, time and again."""
_LAST_MOMENT: Final = 0.2
"""Seconds that a cancelled call has to be answered before its child is ended."""


class CallAllowance(NamedTuple):
    """The time and the memory that a call has, after which it is ended."""

    seconds: float = HARD_SECONDS
    megabytes: int = MEMORY_MB


_USUAL: Final = CallAllowance()


def default_count() -> int:
    """Calls at a time where nobody says how many: one for each core, at most eight."""
    return min(8, os.cpu_count() or 1)


Loss = Death | Literal["cancelled", "moment", "slowed"]


class Watcher:
    """Is told what goes on in `Callers`; this one takes no notice."""

    def waited(self, seconds: float) -> None:
        """A call has waited for its place, whichever."""

    def lost(self, reason: Loss) -> None:
        """A child was ended: by a limit, its own fault, a cancellation, off the quick place, or as slowed."""


_NOBODY: Final = Watcher()


class Callers:
    """Children that are started with it and replaced when lost. `close` ends them; calls then fail.

    `sources` are the directories, absolute, whose tables the programs of all calls may read.
    """

    def __init__(
        self,
        count: int | None = None,
        budget: int = tool.DEFAULT_BUDGET,
        most_waiting: int | None = None,
        watcher: Watcher = _NOBODY,
        sources: Sequence[str] = (),
    ) -> None:
        self.count = count or default_count()
        self._command = (*_CALLER, *sources)
        self._budget = budget
        self._watcher = watcher
        self._idle = [Process(self._command) for _ in range(self.count)]
        self._busy: set[Process] = set()
        self.most_waiting = MOST_WAITING if most_waiting is None else most_waiting
        self.turns = Turns(self.count, self.most_waiting)
        # A cancelled call keeps its thread until the child is dead: there must be others by then.
        self._threads = anyio.CapacityLimiter(2 * (self.count + 1))
        self._closed = False
        self._mean_seconds = _QUICK_GUESS

    async def call(
        self, arguments: Any, caller: Caller = LOCAL, allowance: CallAllowance = _USUAL
    ) -> dict[str, Any]:
        """The tool's answer. When the task is cancelled, the child that works on it is killed in a moment."""
        message = {"arguments": arguments, "budget": self._budget}
        try:
            answer: dict[str, Any] = (await self.ask(message, caller, allowance))["answer"]
        except QueueFull:
            return _mistake("busy", f"{self.most_waiting} calls are waiting already", "call again later")
        except Died as died:
            return _lost(died.reason, allowance)
        return answer

    async def ask(self, message: Message, caller: Caller, allowance: CallAllowance) -> Message:
        """A child's answer. Raises QueueFull, and Died where the child has; cancelled as `call` is."""
        ticket = self.turns.ticket(caller)
        answer = None
        while answer is None:
            began = monotonic()
            async with self.turns.turn(ticket):
                at = monotonic()
                self._watcher.waited(at - began)
                quick = QUICK_SECONDS if ticket.quick else None
                answer = await self._carried_out(message, caller, allowance, quick)
                self._mean_seconds += _NEWEST * (monotonic() - at - self._mean_seconds)
                ticket.tried = answer is None
        return answer

    def expected_wait(self) -> float:
        """Seconds that the last of the calls that wait may have to."""
        return self.turns.waiting * self._mean_seconds / self.count

    def is_ready(self) -> bool:
        """Whether there are children to call."""
        return not self._closed and any(each.alive() for each in (*self._idle, *self._busy))

    async def _carried_out(
        self, message: Message, caller: Caller, allowance: CallAllowance, quick: float | None
    ) -> Message | None:
        """The answer; None if it took more than the seconds that a `quick` call has. Raises Died."""
        process = self._take()
        self._busy.add(process)
        answered = threading.Event()
        try:
            answer = await anyio.to_thread.run_sync(
                _exchange,
                process,
                message,
                allowance,
                quick,
                answered,
                lambda: self.turns.is_ahead(caller),
                abandon_on_cancel=True,
                limiter=self._threads,
            )
        except Died as died:
            self._replace(caller, died.reason)
            raise
        except BaseException:
            # Most calls are answered in a moment, and to start another child takes longer.
            with anyio.move_on_after(_LAST_MOMENT, shield=True):
                while not answered.is_set() and not self._closed:
                    await anyio.sleep(_LAST_MOMENT / 20)
            if answered.is_set() and process.alive():
                self._idle.append(process)
                raise
            # The thread that waits for the child finds it dead, and cleans up after it.
            process.kill_from_outside()
            self._replace(caller, "cancelled")
            raise
        finally:
            self._busy.discard(process)
        if answer is None:
            self._replace(caller, "moment")
        elif process.is_low:
            process.kill()
            self._replace(caller, "slowed")
        elif process.alive() and not _is_worn(process):
            self._idle.append(process)
        else:
            process.kill()
            self._prepare()
        return answer

    def _replace(self, caller: Caller, reason: Loss) -> None:
        """Another child has to be started, which is who has brought it about to pay for.

        That a moment was too short is nobody's fault.
        """
        self._watcher.lost(reason)
        if reason != "moment":
            self.turns.charge(caller, _START_SECONDS)
        self._prepare()

    def _prepare(self) -> None:
        """Has children ready after one was lost: the next calls shall not wait for their start."""
        while not self._closed and len(self._idle) < _READY:
            self._idle.append(Process(self._command))

    def _take(self) -> Process:
        while self._idle:
            # The one that was started first is ready first.
            process = self._idle.pop(0)
            if process.alive():
                return process
        if self._closed:
            raise RuntimeError("these callers are closed")
        return Process(self._command)

    def close(self) -> None:
        """Ends all children, those at work too."""
        self._closed = True
        for process in (*self._idle, *self._busy):
            process.kill_from_outside()
        self._idle.clear()


def _is_worn(process: Process) -> bool:
    process.sessions += 1
    return process.sessions >= _RETIRE_CALLS or process.peak >= _RETIRE_MB


def _exchange(
    process: Process,
    message: Message,
    allowance: CallAllowance,
    quick: float | None,
    answered: threading.Event,
    is_ahead: Callable[[], bool],
) -> Message | None:
    """Sends a call and waits for its answer, None after `quick` seconds; in a thread of its own.

    When `is_ahead` says, in the loop that has started the thread, that others wait who have had less time,
    the call goes on at low priority.
    """
    process.handshake()
    process.memory = allowance.megabytes
    process.send({**message, "memory": allowance.megabytes, "deadline": allowance.seconds + 1.0})
    try:
        answer = _received(process, quick or allowance.seconds, is_ahead)
        answered.set()
        return answer
    except TimeoutError:
        process.kill()
        if quick is not None:
            return None
        raise Died("timeout", f"no answer within {allowance.seconds:g} s") from None


def _received(process: Process, seconds: float, is_ahead: Callable[[], bool]) -> Message:
    """The answer. Raises Died, and TimeoutError when the seconds are over."""
    deadline = Deadline(seconds * 1000)
    while not process.is_low and not deadline.passed():
        with suppress(TimeoutError):
            return process.receive(Deadline(min(_LOOK_SECONDS * 1000, deadline.left_ms())))
        if not deadline.passed() and anyio.from_thread.run_sync(is_ahead):
            process.lower_priority()
    return process.receive(deadline)


def _lost(reason: Death, allowance: CallAllowance) -> dict[str, Any]:
    mistake, message = reason_of(reason, allowance)
    return _mistake(mistake, message, "send a smaller program, or fewer claims at once")


def reason_of(reason: Death, allowance: CallAllowance) -> tuple[Mistake, str]:
    """The words for the end of the child that was at work on its call."""
    match reason:
        case "timeout":
            return "timeout", f"the call took more than {allowance.seconds:.0f} seconds"
        case "memory":
            return "memory", f"the call took more than {allowance.megabytes} MB"
    return "internal", "the process that worked on the call has died"


def _mistake(mistake: Mistake, message: str, help_: str) -> dict[str, Any]:
    return CallMistake(mistake, message, help_).answer()
