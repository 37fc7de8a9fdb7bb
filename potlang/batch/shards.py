"""One shard answered to its end by a process that may die ([BATCH-FAULT])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from potlang.batch.manifest import BatchError, Shard
from potlang.batch.rows import told_of
from potlang.processes.child import Child
from potlang.processes.frames import Message
from potlang.processes.process import Command, Died
from potlang.report.results import Limits

SERVICE: Final[Command] = ("potlang.batch.worker:ShardService",)
GRACE_SECONDS: Final = 10.0
"""Beyond the limits of a job, for what no limit stops in time."""
TRIES: Final = 3
"""Two of them may meet whatever ends processes from outside."""
STARTS: Final = 8
"""How often in a row a process may end before it has started."""
WORKER_MB: Final = 4_096
_PIECE_SECONDS: Final = 0.5
"""How long a process works before it says how far it is."""


class News(NamedTuple):
    """Jobs that were answered, counted by verdict, how many of them are lost, and warnings of no job."""

    verdicts: Mapping[str, int]
    lost: int = 0
    problems: tuple[str, ...] = ()


def answer_shard(
    child: Child,
    directory: Path,
    shard: Shard,
    options: Mapping[str, Any],
    is_stopped: Callable[[], bool] = lambda: False,
) -> Iterator[News]:
    """Have a process answer the jobs of a shard, and tell so as they are answered, until all are.

    A job at which the process dies is tried twice more, and then lost. Raises BatchError where no process can
    be kept, or nothing can be written, and OSError if there can be no process.
    """
    limits = Limits(*options["limits"])
    seconds = limits.total_ms / 1000 + _PIECE_SECONDS + GRACE_SECONDS
    request: Message = {
        "shard": shard._asdict(),
        "directory": str(directory),
        "options": dict(options),
        "seconds": _PIECE_SECONDS,
    }
    counted = _counted(directory, shard)
    fault: str | None = None
    failed_at, tries = -1, 0
    while not is_stopped():
        try:
            _start(child)
            answer = child.ask({**request, "fault": fault}, seconds=seconds, megabytes=WORKER_MB)
        except Died as error:
            if is_stopped():
                return
            if fault is not None:
                raise BatchError(f"no process can be kept: {error}") from error
            # It died before it could say what it had done.
            found = _counted(directory, shard)
            yield News(found - counted)
            counted = found
            tries = tries + 1 if found.total() == failed_at else 1
            failed_at = found.total()
            if tries >= TRIES:
                fault = f"{error.reason}: {error}"
            continue
        if "failed" in answer:
            raise BatchError(answer["failed"])
        counted.update(answer["counts"])
        yield News(answer["counts"], int(fault is not None), tuple(answer["problems"]))
        fault = None
        if answer["whole"]:
            return


def _start(child: Child) -> None:
    """Have it running; what ends it before it has a job is no job's fault. Raises BatchError."""
    for _ in range(STARTS):
        try:
            return child.start()
        except Died as error:
            last = error
    raise BatchError(f"no process can be kept: {last}")


def _counted(directory: Path, shard: Shard) -> Counter[str]:
    return Counter(each.verdict for each in told_of(directory, shard))
