"""A service that repeats what it is told, or takes its time."""

from __future__ import annotations

import time

from potlang.processes.frames import Message
from potlang.processes.worker import Service

WAIT = "wait"
HOLD = "hold"
"""Work that never lets go of the interpreter's lock, for some seconds at least."""


class Echo(Service):
    def answer(self, request: Message) -> Message:
        if request["text"] == WAIT:
            time.sleep(10)
        if request["text"] == HOLD:
            return {"text": str((3**100_000_000).bit_length())}
        return {"text": request["text"]}


def echo() -> Echo:
    return Echo()
