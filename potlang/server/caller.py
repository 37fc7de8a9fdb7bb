"""The child that carries out calls of the tool, one at a time: it can be killed, whatever a call does."""

from __future__ import annotations

import contextlib
import os
import signal

from potlang import tool
from potlang.processes.frames import FrameError, Message
from potlang.processes.pool import default_workers
from potlang.processes.worker import Limits, Pipes, watch_parent
from potlang.tool import operations

_SLACK_MB = 256


def main() -> None:
    """Answers requests until the parent closes the pipe."""
    pipes = Pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    default_workers().warm("z3")
    operations.prepare()
    limits = Limits()
    limits.deepen_stack()
    watch_parent(pipes.fileno())
    with contextlib.suppress(BrokenPipeError, FrameError):
        pipes.send({"kind": "hello"})
        while (message := pipes.receive()) is not None:
            limits.deadline(message["deadline"])
            limits.memory(message["memory"], _SLACK_MB)
            answer = _answer(message)
            limits.deadline(0.0)
            pipes.send({"answer": answer, "tag": message["tag"], "peak": limits.peak()})
    default_workers().close()
    os._exit(0)


def _answer(message: Message) -> Message:
    return tool.call(message["arguments"], budget=message["budget"])
