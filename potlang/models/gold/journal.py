"""Gold-standard solutions over a data set: the journal of a run, and the run ([DAG-BUILD-6]).

The journal has one record a problem and run; the last one of a problem counts.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from potlang.languages.dagmath.write import solution_value
from potlang.models.gold.builder import Builder, Built
from potlang.models.loop.journal import Journal, attempt_value, fatal, run_items
from potlang.models.solutions.problems import Problem

Outcome = Literal["built", "given up", "failed"]
"""A solution; none after all tries; no answer of the endpoint, so that the next run tries again."""


class GoldRecord(NamedTuple):
    """The outcome of a problem."""

    id: str
    outcome: Outcome
    difficulty: float | None
    reason: str


class Success(NamedTuple):
    """Problems with difficulty in (level − 1, level]; None: it is not known (paper, table 2)."""

    level: int | None
    total: int
    built: int


# --- the journal -------------------------------------------------------------------------------------


class GoldJournal(Journal[GoldRecord]):
    """The records of problems. Raises BadJournal and OSError."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _record, begins=b'{"problem_id": ')

    @property
    def done(self) -> dict[str, GoldRecord]:
        """The problems that need not be tried again."""
        return {id_: record for id_, record in self.entries.items() if record.outcome != "failed"}

    def is_done(self, problem: Problem) -> bool:
        """True for a problem that need not be tried again."""
        record = self.entries.get(problem.id)
        return record is not None and record.outcome != "failed"

    def add(self, problem: Problem, built: Built) -> GoldRecord:
        """Writes down the outcome of a problem."""
        outcome: Outcome = (
            "built" if built.solution is not None else "failed" if built.failure else "given up"
        )
        value: dict[str, Any] = {
            "problem_id": problem.id,
            "outcome": outcome,
            "difficulty": problem.difficulty,
            "reason": built.reason,
            "solution": None if built.solution is None else solution_value(built.solution),
            "attempts": [attempt_value(each) for each in built.attempts],
        }
        record = GoldRecord(problem.id, outcome, problem.difficulty, built.reason)
        self.append(problem.id, record, value)
        return record

    def solutions(self) -> Iterator[dict[str, Any]]:
        """The solutions, each of the last record of its problem, in the order of the journal."""
        # Twice through the file: solutions, unlike records, are not kept in memory.
        last = {value["problem_id"]: at for at, value in self.values()}
        for at, value in self.values():
            if last[value["problem_id"]] == at and value["solution"] is not None:
                yield value["solution"]


def _record(value: Any) -> tuple[str, GoldRecord]:
    record = GoldRecord(value["problem_id"], value["outcome"], value["difficulty"], value["reason"])
    if not (isinstance(record.id, str) and isinstance(record.reason, str) and "solution" in value):
        raise ValueError("no record")
    known = 0 if record.difficulty is None else record.difficulty
    if record.outcome not in get_args(Outcome) or not math.isfinite(known):
        raise ValueError("no outcome, or no difficulty")
    return record.id, record


# --- a run ------------------------------------------------------------------------------------------


def run(
    problems: Iterable[Problem],
    journal: GoldJournal,
    make_builder: Callable[[], Builder],
    *,
    jobs: int = 1,
    progress: Callable[[GoldRecord], object] | None = None,
) -> str:
    """Builds the problems that the journal does not have yet, `jobs` at a time.

    Ends early, with the reason, at a failure of the endpoint that is one for all problems; else with "".
    """
    # A builder talks to child processes of its own, which two threads must not share.
    local = threading.local()
    builders: list[Builder] = []

    def build(problem: Problem) -> tuple[GoldRecord, Built]:
        if not hasattr(local, "builder"):
            local.builder = make_builder()
            builders.append(local.builder)
        built: Built = local.builder.build(problem)
        return journal.add(problem, built), built

    def ended_by(done: tuple[GoldRecord, Built]) -> str:
        record, built = done
        if progress is not None:
            progress(record)
        return fatal(built.failure, built.reason)

    rest = (problem for problem in problems if not journal.is_done(problem))
    try:
        return run_items(build, rest, jobs, ended_by=ended_by)
    finally:
        for builder in builders:
            builder.close()


def success_by_difficulty(records: Iterable[GoldRecord]) -> list[Success]:
    """Problems and built ones by difficulty, without failures of the endpoint (paper, table 2)."""
    counts: dict[int | None, list[int]] = {}
    for record in records:
        if record.outcome == "failed":
            continue
        level = None if record.difficulty is None else math.ceil(record.difficulty)
        row = counts.setdefault(level, [0, 0])
        row[0] += 1
        row[1] += record.outcome == "built"
    ordered = sorted(counts.items(), key=lambda item: (item[0] is None, item[0] or 0))
    return [Success(level, total, built) for level, (total, built) in ordered]
