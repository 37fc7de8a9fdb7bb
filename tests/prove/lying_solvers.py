"""Workers whose solvers give the same answer to everything."""

from __future__ import annotations

from collections import deque

from potlang.engines.messages import OptimizeAnswer, SolverAnswer
from potlang.processes.frames import Message
from potlang.processes.pool import Workers
from potlang.processes.process import Command, Process
from potlang.utils.deadline import Deadline


class Liar(Process):
    """A solver's process that is none."""

    def __init__(self, command: Command, status: str) -> None:
        self._closed = True
        self.command = command
        self.memory = None
        self.peak = 0
        self._status = status
        self._requests: deque[Message] = deque()

    @property
    def pending(self) -> int:
        return len(self._requests)

    def send(self, message: Message, *, answered: bool = True, more: bool = False) -> None:
        if answered:
            self._requests.append(message)

    def deliver(self, deadline: Deadline) -> None:
        """Nothing to wait for."""

    def handshake(self) -> None:
        """It is there at once."""

    def receive(self, deadline: Deadline) -> Message:
        request = self._requests.popleft()
        if request["op"] == "start":
            return {"failed": None}
        if request["op"] == "optimize":
            return {"answer": OptimizeAnswer("unknown", "unsupported")}
        core = () if request["query"].core and self._status == "unsat" else None
        return {"answer": SolverAnswer(self._status, core=core)}  # type: ignore[arg-type]

    def alive(self) -> bool:
        return True

    def kill(self) -> None:
        """Nothing to end."""

    def kill_from_outside(self) -> None:
        """Nothing to end."""


class Liars(Workers):
    """Gives solvers that contradict each other."""

    def __init__(self, **statuses: str) -> None:
        super().__init__()
        self._statuses = statuses

    def warm(self, command: Command, count: int = 1) -> None:
        """They need no time."""

    def checkout(self, command: Command) -> Process:
        return Liar(command, self._statuses[command[-1]])

    def give_back(self, process: Process) -> None:
        """Nothing is kept."""
