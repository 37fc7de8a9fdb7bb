"""Children of the language server that misbehave on purpose."""

from __future__ import annotations

import os
import time

from potlang.editor.desk import DeskService
from potlang.processes.frames import Message


class HangingDesk(DeskService):
    """Hangs or ends at the texts that say so."""

    def answer(self, request: Message) -> Message:
        """As the desk does, but for those texts."""
        if request.get("text") == "hang":
            time.sleep(600)
        if request.get("text") == "exit":
            os._exit(3)
        return super().answer(request)


def hanging() -> HangingDesk:
    """The service."""
    return HangingDesk()
