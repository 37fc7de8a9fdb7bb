"""A batch run by processes of this machine: shard by shard, until each job has its one row ([BATCH-RUN])."""

from __future__ import annotations

import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, NamedTuple

from potlang.batch.manifest import BatchError, Manifest, Shard, agreed, planned
from potlang.batch.rows import RESERVED, cut_off, is_done, told_of
from potlang.processes.child import Child
from potlang.processes.frames import Message
from potlang.processes.process import Died
from potlang.prove.options import RouteName, Trust
from potlang.report.results import Limits

SHARD_JOBS: Final = 200
_SERVICE: Final = ("potlang.batch.worker:ShardService",)
_PIECE_SECONDS: Final = 0.5
"""How long a process works before it says how far it is."""
GRACE_SECONDS: Final = 10.0
"""Beyond the limits of a job, for what no limit stops in time."""
TRIES: Final = 2
WORKER_MB: Final = 4_096


class BatchOptions(NamedTuple):
    """What is asked of each job, as of `potlang.verify`; `carry` are members of jobs that rows have, too."""

    trust: Trust = "best"
    route: RouteName = "auto"
    limits: Limits = Limits()
    steps: bool = True
    carry: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The options as JSON values."""
        return {**self._asdict(), "limits": list(self.limits), "carry": list(self.carry)}


class Part(NamedTuple):
    """Which shards a run has: each `of`-th one, from shard `number`, which counts from 1."""

    number: int = 1
    of: int = 1

    def has(self, shard: Shard) -> bool:
        """Whether a shard is among them."""
        return shard.number % self.of == self.number - 1


class BatchState(NamedTuple):
    """How far a run is: its jobs, those answered and lost among them, and the verdicts by count."""

    jobs: int
    done: int
    lost: int
    verdicts: dict[str, int]

    @property
    def is_whole(self) -> bool:
        """Whether each job has its row."""
        return self.done == self.jobs


_USUAL: Final = BatchOptions()
_ALL: Final = Part()


def run_batch(
    files: Sequence[str],
    directory: Path,
    options: BatchOptions = _USUAL,
    *,
    workers: int | None = None,
    part: Part = _ALL,
    shard_jobs: int = SHARD_JOBS,
    progress: Callable[[BatchState], object] | None = None,
) -> BatchState:
    """Answer the jobs in these files, each in a row of the files in `directory`; the state at the end.

    What the directory has of the same batch is not done again. `workers` processes work side by side, as many
    as there are processors by default; `part` leaves shards to other runs, perhaps on other machines.
    `progress` is told now and then, in this thread. Raises BatchError for inputs and directories that cannot
    be used, MissingExtraError for Parquet without pyarrow, and OSError where nothing can be written.
    """
    if RESERVED.intersection(options.carry):
        raise BatchError("rows have members of their own that are called so: carry others")
    wanted = planned(files, options.to_dict(), shard_jobs)
    directory.mkdir(parents=True, exist_ok=True)
    with _locked(directory, part):
        manifest = agreed(directory, wanted)
        shards = [shard for shard in manifest.shards if part.has(shard)]
        run = _Run(directory, manifest, shards)
        if progress is not None:
            progress(run.state())
        for state in run.work(workers or os.cpu_count() or 1):
            if progress is not None:
                progress(state)
        return run.state()


def state_of(directory: Path, shards: Sequence[Shard]) -> tuple[BatchState, Counter[str]]:
    """How far the shards of a directory are. Raises OSError."""
    verdicts: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for shard in shards:
        told = told_of(directory, shard)
        verdicts.update(each.verdict for each in told)
        faults.update(each.fault for each in told if each.fault is not None)
    jobs = sum(shard.jobs for shard in shards)
    return BatchState(jobs, verdicts.total(), faults.total(), dict(sorted(verdicts.items()))), faults


class _Run:
    """The shards that are left, and the threads that have a process each go on with one."""

    def __init__(self, directory: Path, manifest: Manifest, shards: Sequence[Shard]) -> None:
        self._directory = directory
        self._options = manifest.options
        left = [shard for shard in shards if not is_done(directory, shard)]
        for shard in left:
            cut_off(directory, shard)
        state, _ = state_of(directory, shards)
        self._jobs, self._done, self._lost = state.jobs, state.done, state.lost
        self._verdicts = Counter(state.verdicts)
        self._waiting = deque(left)
        self._news: SimpleQueue[Message | BaseException | None] = SimpleQueue()
        self._stopped = threading.Event()

    def state(self) -> BatchState:
        return BatchState(self._jobs, self._done, self._lost, dict(sorted(self._verdicts.items())))

    def work(self, workers: int) -> Iterator[BatchState]:
        """The state whenever it has changed. Raises what a thread raises, and OSError."""
        count = min(workers, len(self._waiting))
        children = [Child(_SERVICE) for _ in range(count)]
        threads = [threading.Thread(target=self._go_on, args=(child,), daemon=True) for child in children]
        try:
            for thread in threads:
                thread.start()
            left = count
            while left:
                news = self._news.get()
                if isinstance(news, BaseException):
                    raise news
                if news is None:
                    left -= 1
                    continue
                self._verdicts.update(news["counts"])
                self._done += sum(news["counts"].values())
                self._lost += news.get("lost", 0)
                yield self.state()
        finally:
            self._stopped.set()
            for child in children:
                child.kill_from_outside()

    def _go_on(self, child: Child) -> None:
        try:
            while not self._stopped.is_set():
                try:
                    shard = self._waiting.popleft()
                except IndexError:
                    break
                self._do(child, shard)
            child.close()
            self._news.put(None)
        except BaseException as error:
            if not self._stopped.is_set():
                self._news.put(error)

    def _do(self, child: Child, shard: Shard) -> None:
        """One shard to its end; a job at which the process dies is tried once more, and then lost."""
        limits = Limits(*self._options["limits"])
        seconds = limits.total_ms / 1000 + _PIECE_SECONDS + GRACE_SECONDS
        request: Message = {
            "shard": shard._asdict(),
            "directory": str(self._directory),
            "options": self._options,
            "seconds": _PIECE_SECONDS,
        }
        counted = _counted(self._directory, shard)
        fault: str | None = None
        failed_at, tries = -1, 0
        while not self._stopped.is_set():
            try:
                answer = child.ask({**request, "fault": fault}, seconds=seconds, megabytes=WORKER_MB)
            except Died as error:
                if self._stopped.is_set():
                    return
                if fault is not None:
                    raise BatchError(f"no process can be kept: {error}") from error
                found = _counted(self._directory, shard)
                self._news.put({"counts": found - counted})
                counted = found
                tries = tries + 1 if found.total() == failed_at else 1
                failed_at = found.total()
                if tries >= TRIES:
                    fault = f"{error.reason}: {error}"
                continue
            if "failed" in answer:
                raise BatchError(answer["failed"])
            counted.update(answer["counts"])
            self._news.put({**answer, "lost": int(fault is not None)})
            fault = None
            if answer["whole"]:
                return


def _counted(directory: Path, shard: Shard) -> Counter[str]:
    return Counter(each.verdict for each in told_of(directory, shard))


@contextmanager
def _locked(directory: Path, part: Part) -> Iterator[None]:
    """No other run has this directory, or this part of it. Raises BatchError where one has."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    own = directory / f".lock-{part.number}-of-{part.of}"
    with (directory / ".lock").open("a") as all_of_it, own.open("a") as part_of_it:
        try:
            fcntl.flock(all_of_it, (fcntl.LOCK_EX if part.of == 1 else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            fcntl.flock(part_of_it, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BatchError(f"another run is at work in `{directory}`") from error
        yield
