"""The child's part in ending with its parent: the system kills it when the parent is gone, where it can.

Linux alone has a signal for it (`prctl(2)`, PR_SET_PDEATHSIG). It needs nothing of this process: an engine
that holds the interpreter's lock for minutes is ended by it like any other.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_LOOK_EVERY_MS: Final = 250


def die_with(parent: int) -> bool:
    """Have the system kill this process, or what it becomes by `exec`, when its parent ends.

    `parent` is the process id that the parent had when it made this process: if that is gone already, this
    process ends here. False where the system has no such thing.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        done: int = ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (OSError, AttributeError):
        return False
    if os.getppid() != parent:
        os._exit(0)
    return done == 0


def watch(parent: int, descriptor: int, *, only_pipe: bool) -> None:
    """End this process in the middle of a request when the pipe `descriptor` is closed, or the parent gone.

    A thread does it, which needs the interpreter's lock. `only_pipe`: `die_with` looks after the parent.
    """
    if not hasattr(select, "poll"):
        return
    poller = select.poll()
    poller.register(descriptor, 0)

    def look() -> None:
        while True:
            if poller.poll(None if only_pipe else _LOOK_EVERY_MS) or os.getppid() != parent:
                os._exit(0)

    threading.Thread(target=look, daemon=True).start()
