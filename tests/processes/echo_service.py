"""A service that repeats what it is told, or takes its time."""

from __future__ import annotations

import time

from potlang.processes.frames import Message
from potlang.processes.worker import Service

WAIT = "wait"


class Echo(Service):
    def answer(self, request: Message) -> Message:
        if request["text"] == WAIT:
            time.sleep(10)
        return {"text": request["text"]}


def echo() -> Echo:
    return Echo()
