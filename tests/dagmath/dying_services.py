"""Services that end, or say nonsense, before they answer anything."""

from __future__ import annotations

import os
import time


def exits() -> None:
    os._exit(3)


def runs_out_of_memory() -> None:
    raise MemoryError


def prints_garbage() -> None:
    # What is printed goes to the diagnosis pipe: nonsense comes only from who writes to the parent's end.
    for descriptor in range(3, 10):
        try:
            os.write(descriptor, b"garbage\n")
        except OSError:
            continue
    time.sleep(9)
