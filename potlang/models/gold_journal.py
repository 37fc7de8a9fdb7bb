"""Gold-standard solutions over a data set: its problems, the journal of a run, the run ([DAG-BUILD-6]).

The journal has one record a problem and run; the last one of a problem counts.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, get_args

from potlang.diag import Sink
from potlang.languages.dagmath.read.samples import LINE_LIMITS, read_lines
from potlang.languages.dagmath.write import solution_value
from potlang.models.asking import FATAL, Attempt
from potlang.models.gold_builder import Builder, Built, Problem
from potlang.models.journal import Journal, in_parallel
from potlang.reading.json_text import open_document, read_json

Outcome = Literal["built", "given up", "failed"]
"""A solution; none after all tries; no answer of the endpoint, so that the next run tries again."""

_KEYS: Mapping[str, tuple[str, ...]] = {
    "problem": ("problem", "problem_text", "question"),
    "solution": ("solution", "rationale"),
    "answer": ("answer", "final_answer"),
}


class BadProblem(NamedTuple):
    """A line that is no problem."""

    line: int
    reason: str


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


def read_problems(stream: BinaryIO) -> Iterator[Problem | BadProblem]:
    """The problems of JSON Lines: `problem`, `solution`, `answer`, and `problem_id`, `difficulty`, `dataset`.

    A problem without an id is named after its line; a second one with the same id is no problem.
    """
    seen: set[str] = set()
    for number, line in read_lines(stream):
        found = _problem(line, number)
        if isinstance(found, Problem):
            if found.id in seen:
                found = BadProblem(number, f"there is a problem {found.id!r} already")
            else:
                seen.add(found.id)
        yield found


def _problem(line: bytes, number: int) -> Problem | BadProblem:
    sink = Sink()
    value = read_json(open_document(line, sink, LINE_LIMITS), sink, LINE_LIMITS)
    if sink.has_errors:
        return BadProblem(number, sink.diagnostics()[0].message)
    if not isinstance(value, dict):
        return BadProblem(number, "a problem is an object")
    texts: dict[str, str] = {}
    for name, keys in _KEYS.items():
        text = next((value[key] for key in keys if key in value), None)
        # Answers are often bare numbers in published data sets.
        if isinstance(text, int | float) and not isinstance(text, bool):
            text = str(text)
        if not isinstance(text, str) or not text.strip():
            return BadProblem(number, f"the problem has no `{name}`")
        texts[name] = text
    id_, dataset, difficulty = value.get("problem_id"), value.get("dataset"), value.get("difficulty")
    level = None
    if difficulty is not None:
        with suppress(TypeError, ValueError, OverflowError):
            level = float(difficulty)
        if level is None or not math.isfinite(level):
            return BadProblem(number, "the difficulty is no number")
    return Problem(
        f"line {number}" if id_ is None else str(id_)[:1_000],
        difficulty=level,
        dataset=dataset if isinstance(dataset, str) else None,
        **texts,
    )


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
            "attempts": [_attempt_value(each) for each in built.attempts],
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


def _attempt_value(attempt: Attempt) -> dict[str, Any]:
    return {
        "stage": attempt.stage,
        "model": attempt.model,
        "prompt": attempt.messages[-1].text,
        "reply": attempt.reply,
        "fault": attempt.problem,
        "seconds": attempt.seconds,
        "prompt_tokens": attempt.prompt_tokens,
        "completion_tokens": attempt.completion_tokens,
        "failure": attempt.failure,
    }


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
    ended = ""

    def rest() -> Iterator[Problem]:
        for problem in problems:
            if ended:
                return
            if not journal.is_done(problem):
                yield problem

    def build(problem: Problem) -> tuple[GoldRecord, Built]:
        if not hasattr(local, "builder"):
            local.builder = make_builder()
            builders.append(local.builder)
        built: Built = local.builder.build(problem)
        return journal.add(problem, built), built

    try:
        for record, built in in_parallel(build, rest(), jobs):
            if progress is not None:
                progress(record)
            if built.failure in FATAL:
                ended = built.reason
    finally:
        for builder in builders:
            builder.close()
    return ended


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
