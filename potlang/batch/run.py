"""A batch run by processes of this machine: shard by shard, until each job has its one row ([BATCH-RUN])."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from potlang.batch.local import answered_locally
from potlang.batch.manifest import BatchError, Manifest, Shard, agreed, planned
from potlang.batch.rows import RESERVED, cut_off, is_done, told_of
from potlang.batch.shards import News
from potlang.batch.tables import changed_table
from potlang.languages.pot.solve import CacheChoice, chosen_cache
from potlang.prove.options import Models, RouteName, Trust
from potlang.report.results import Limits
from potlang.utils.extra import needed
from potlang.utils.serialize import json_text

SHARD_JOBS: Final = 200
SUMMARY: Final = "summary.json"


OutFormat = Literal["jsonl", "parquet"]


class BatchOptions(NamedTuple):
    """The options of `potlang.verify` for each job; `carry` are members of jobs that rows have, too.

    `sources` are the directories whose tables all programs may read, `out_format` is that of rows. `models`
    are those of undetermined claims: as few rows are ever looked at, they are as they were found.
    """

    trust: Trust = "best"
    route: RouteName = "auto"
    limits: Limits = Limits()
    steps: bool = True
    carry: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    out_format: OutFormat = "jsonl"
    models: Models = "found"

    def to_dict(self) -> dict[str, Any]:
        """The options as JSON values."""
        lists = {"limits": list(self.limits), "carry": list(self.carry), "sources": list(self.sources)}
        return {**self._asdict(), **lists}


class ShardChoice(NamedTuple):
    """Which shards a run has: each `of`-th one, from shard `number`, which counts from 1."""

    number: int = 1
    of: int = 1

    def has(self, shard: Shard) -> bool:
        """Whether a shard is among them."""
        return shard.number % self.of == self.number - 1


class BatchState(NamedTuple):
    """How far a run is: its jobs, those answered and lost among them, and the verdicts by count.

    `problems` are warnings that belong to no job, such as of a cache that cannot be used.
    """

    jobs: int
    done: int
    lost: int
    verdicts: dict[str, int]
    problems: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether each job has its row."""
        return self.done == self.jobs

    def after(self, news: News) -> BatchState:
        """The state with more jobs answered."""
        verdicts = Counter(self.verdicts) + Counter(news.verdicts)
        done = self.done + sum(news.verdicts.values())
        problems = tuple(dict.fromkeys((*self.problems, *news.problems)))
        return BatchState(self.jobs, done, self.lost + news.lost, dict(sorted(verdicts.items())), problems)


Runner = Callable[[Path, Sequence[Shard], Mapping[str, Any], int | None], Generator[News, None, None]]
"""Answers all jobs of some shards in a directory, with these options, and tells what it has done."""


_USUAL: Final = BatchOptions()
_ALL: Final = ShardChoice()


def run_batch(
    files: Sequence[str],
    directory: Path,
    options: BatchOptions = _USUAL,
    *,
    workers: int | None = None,
    part: ShardChoice = _ALL,
    cache: CacheChoice = None,
    runner: Runner = answered_locally,
    shard_jobs: int = SHARD_JOBS,
    progress: Callable[[BatchState], object] | None = None,
) -> BatchState:
    """Answer the jobs in these files, each in a row of the files in `directory`; the state at the end.

    What the directory has of the same batch is not done again. `workers` processes work side by side, as many
    as there are processors by default; `part` leaves shards to other runs, perhaps on other machines, and
    `runner` says who works. `cache` keeps the verdicts on programs ([CACHE-CHOICE]). `progress` is told now
    and then, in this thread.

    Raises BatchError for inputs and directories that cannot be used, MissingExtraError for Parquet without
    pyarrow, and OSError where nothing can be written.
    """
    if RESERVED.intersection(options.carry):
        raise BatchError("rows have members of their own that are called so: carry others")
    if options.out_format == "parquet":
        needed("pyarrow.parquet", "frames")
        # DuckDB tells no names apart that differ in case alone.
        if len({name.lower() for name in (*options.carry, *RESERVED)}) < len(options.carry) + len(RESERVED):
            raise BatchError("columns of Parquet have one name each, in whatever case: carry others")
    wanted = planned(files, options.to_dict(), shard_jobs)
    directory.mkdir(parents=True, exist_ok=True)
    with _locked(directory, part):
        manifest = agreed(directory, wanted)
        shards = [shard for shard in manifest.shards if part.has(shard)]
        _refuse_other_tables(directory, manifest)
        left = [shard for shard in shards if not is_done(directory, shard)]
        for shard in shards:
            cut_off(directory, shard)
        state = state_of(directory, shards)
        tell = progress or (lambda state: None)
        tell(state)
        kept = chosen_cache(cache)
        # Another run of the batch may have another cache: it is no part of the manifest.
        asked = {**manifest.options, "cache": None if kept is None else kept.settings}
        with closing(runner(directory, left, asked, workers)) as answered:
            for news in answered:
                state = state.after(news)
                tell(state)
        _refuse_other_tables(directory, manifest)
        _summarize(directory, manifest)
        # A node that is lost takes with it what it has not told of its rows.
        return state_of(directory, shards)._replace(problems=state.problems)


def _refuse_other_tables(directory: Path, manifest: Manifest) -> None:
    """Raises BatchError where rows rest on a table that is not what it was ([BATCH-TABLES])."""
    sources = manifest.options["sources"]
    told = (each for shard in manifest.shards for each in told_of(directory, shard)) if sources else ()
    name = changed_table((table for each in told for table in each.tables), sources)
    if name is not None:
        raise BatchError(
            f"`{directory}` has rows that rest on table `{name}` as it was before it changed; name another"
        )


def _summarize(directory: Path, manifest: Manifest) -> None:
    """Write down what the answers are, when there is one to each job of the batch ([BATCH-SUMMARY])."""
    path = directory / SUMMARY
    if path.exists() or not all(is_done(directory, shard) for shard in manifest.shards):
        return
    state = state_of(directory, manifest.shards)
    value = {"potlang": manifest.version, "jobs": state.jobs, "lost": state.lost, "verdicts": state.verdicts}
    unfinished = path.with_name(f"{SUMMARY}.{os.getpid()}.part")
    unfinished.write_text(json_text(value, 2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def state_of(directory: Path, shards: Sequence[Shard]) -> BatchState:
    """How far the shards of a directory are. Raises OSError."""
    told = [each for shard in shards for each in told_of(directory, shard)]
    verdicts = Counter(each.verdict for each in told)
    lost = sum(each.fault is not None for each in told)
    return BatchState(sum(shard.jobs for shard in shards), len(told), lost, dict(sorted(verdicts.items())))


@contextmanager
def _locked(directory: Path, part: ShardChoice) -> Iterator[None]:
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
