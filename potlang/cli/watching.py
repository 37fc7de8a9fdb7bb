"""Waits for files to change ([CLI-WATCH])."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from potlang.cli.common import tell
from potlang.diag.wording import counted

if TYPE_CHECKING:
    from potlang.cli.run import Item

_EVERY_S = 0.3
State = tuple[int, int, int] | None


def changed(listed: Callable[[], Sequence[Item]], known: Mapping[str, State]) -> Iterator[list[Item]]:
    """For ever, the items whose files have changed since they were last given, or are new.

    `listed` lists all items anew; `known` are the states of those that are done. Polling sees what is on any
    file system, and an editor that replaces a file.
    """
    while True:
        items = listed()
        tell(f"waiting for a change in {counted(len(items), 'file')}; Ctrl-C ends it")
        found: list[Item] = []
        while not found:
            time.sleep(_EVERY_S)
            items = listed()
            states = states_of(items)
            found = [item for item in items if states[str(item[0])] != known.get(str(item[0]))]
            known = states
        tell(f"--- {time.strftime('%H:%M:%S')} ---")
        yield found


def states_of(items: Sequence[Item]) -> dict[str, State]:
    """The present state of the file of each item, by its name."""
    return {str(item[0]): _state(Path(str(item[0]))) for item in items}


def _state(path: Path) -> State:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
