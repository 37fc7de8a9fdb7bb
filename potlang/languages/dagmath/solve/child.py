"""The loop of a child process that answers one request after the other, each within its limits."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable

from potlang.processes.frames import FrameError, Message
from potlang.processes.worker import Limits, Pipes, watch_parent

Answering = Callable[[Message], Message]


def serve(prepare: Callable[[], Answering]) -> None:
    """Answers requests until the parent closes the pipe, and ends the process.

    `prepare` imports what is needed, and gives what answers a request. What that raises is answered by
    `failed` and a name for it.
    """
    pipes = Pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answering = prepare()
    limits = Limits()
    limits.deepen_stack()
    watch_parent(pipes.fileno())
    with contextlib.suppress(BrokenPipeError, FrameError):
        pipes.send({"kind": "hello"})
        while (message := pipes.receive()) is not None:
            limits.deadline(message["deadline"])
            limits.memory(message["memory"], slack=0)
            answer = _answer(answering, message)
            limits.deadline(0.0)
            pipes.send({**answer, "tag": message["tag"], "peak": limits.peak()})
    os._exit(0)


def _answer(answering: Answering, message: Message) -> Message:
    try:
        return dict(answering(message))
    except MemoryError:
        return {"failed": "out of memory"}
    except RecursionError:
        return {"failed": "nested too deeply"}
    except Exception as error:
        return {"failed": type(error).__name__}
