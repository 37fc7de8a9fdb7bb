"""Work on very many objects without the garbage collector, which would look at all of them each time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused(large: bool) -> Iterator[None]:
    """No collection while something large is worked on, of which hardly a part is garbage in a cycle.

    What was made meanwhile counts as old afterwards: else the next collection, due at once, would
    walk through all of it.
    """
    if not large or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            # Both only relink lists; what the host program has frozen would be thawed with the rest.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
