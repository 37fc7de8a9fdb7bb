"""A worker for one user that answers one request at a time, each within limits."""

from __future__ import annotations

from typing import Final

from potlang.processes.frames import Message
from potlang.processes.process import Command, Died, Process
from potlang.utils.deadline import Deadline

GRACE_SECONDS: Final = 0.5
_RETIRE_MEGABYTES: Final = 512


class Child:
    """Started when it is needed, ended when it overruns or has grown. Not for two threads at once."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._process: Process | None = None

    def start(self) -> None:
        """Have it running. Raises Died if it does not start, OSError if there can be no process."""
        if self._process is None or not self._process.alive():
            self._process = Process(self._command)
        try:
            self._process.handshake()
        except BaseException:
            self.close()
            raise

    def ask(self, request: Message, *, seconds: float, megabytes: int) -> Message:
        """The answer to a request within these limits. Raises Died, and what `start` raises."""
        self.start()
        process = self._process
        assert process is not None
        process.memory = megabytes
        limits = {"memory": megabytes, "deadline": seconds + GRACE_SECONDS}
        try:
            process.send({**request, **limits})
            answer = process.receive(Deadline(seconds * 1000))
        except TimeoutError:
            self.close()
            raise Died("timeout", f"no answer within {seconds:g} s") from None
        except BaseException:
            # Also where the caller is interrupted: the answer to come would be taken for the next one's.
            self.close()
            raise
        if process.peak > _RETIRE_MEGABYTES:
            self.close()
        return answer

    def kill_from_outside(self) -> None:
        """End it from another thread than the one that asks: that one's `ask` raises Died."""
        process = self._process
        if process is not None:
            process.kill_from_outside()

    def close(self) -> None:
        """End it; the next request starts another."""
        if self._process is not None:
            self._process.kill()
            self._process = None
