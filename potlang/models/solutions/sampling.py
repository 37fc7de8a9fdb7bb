"""Solutions of a data set, each problem's many times: the journal of a run, and the run ([SAMPLE-RUN]).

The journal has one record a sample and run; the last one of a sample counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.write import solution_value
from potlang.models.endpoint import Failure
from potlang.models.loop.asking import Attempt
from potlang.models.loop.journal import Journal, attempt_value, fatal, run_items
from potlang.models.solutions.problems import Problem
from potlang.models.solutions.writer import SolutionWriter

MOST_SAMPLES: Final = 1_000
"""Of one problem."""
Outcome = Literal["written", "given up", "failed"]
"""A solution; none that is a graph after all tries; no answer of the endpoint: the next run tries again."""


class Wanted(NamedTuple):
    """A sample that is wanted: the `sample`-th of a problem, both counted from 0."""

    at: int
    problem: Problem
    sample: int

    @property
    def number(self) -> int:
        """Its number for seeds, which depends on nothing but its place."""
        return self.at * MOST_SAMPLES + self.sample


class SampleRecord(NamedTuple):
    """The outcome of a sample."""

    model: str
    problem_id: str
    sample: int
    outcome: Outcome
    reason: str

    @property
    def key(self) -> str:
        """A key that tells samples apart."""
        return sample_key(self.model, self.problem_id, self.sample)


class Sampled(NamedTuple):
    """A sample as it came: its solution, or None and the reason why there is none."""

    solution: Solution | None
    attempts: tuple[Attempt, ...]

    @property
    def failure(self) -> Failure | None:
        """The endpoint's reason, if it is why there is no solution."""
        return None if self.solution is not None or not self.attempts else self.attempts[-1].failure

    @property
    def outcome(self) -> Outcome:
        """How it ended. That a model declines is its answer, and none of the endpoint's failures."""
        if self.solution is not None:
            return "written"
        return "failed" if self.failure not in (None, "declined") else "given up"

    @property
    def reason(self) -> str:
        """Why there is no solution; empty if there is one."""
        return "" if self.solution is not None or not self.attempts else self.attempts[-1].problem


class SampleJournal(Journal[SampleRecord]):
    """The records of samples. Raises BadJournal and OSError."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _record, begins=b'{"problem_id": ')

    def is_done(self, model: str, wanted: Wanted) -> bool:
        """True for a sample that need not be tried again."""
        record = self.entries.get(sample_key(model, wanted.problem.id, wanted.sample))
        return record is not None and record.outcome != "failed"

    def add(self, model: str, wanted: Wanted, sampled: Sampled) -> SampleRecord:
        """Writes down the outcome of a sample."""
        record = SampleRecord(model, wanted.problem.id, wanted.sample, sampled.outcome, sampled.reason)
        value: dict[str, Any] = {
            **record._asdict(),
            "solution": sample_value(model, wanted, sampled.solution),
            "attempts": [attempt_value(each) for each in sampled.attempts],
        }
        # What a line begins with tells a journal from other files.
        ordered = {"problem_id": value["problem_id"], **value}
        self.append(record.key, record, ordered)
        return record

    def samples(self) -> Iterator[dict[str, Any]]:
        """The samples in the order of the journal, as `potc score` reads them; those that failed left out."""
        # Twice through the file: solutions, unlike records, are not kept in memory.
        last = {_record(value)[0]: at for at, value in self.values()}
        for at, value in self.values():
            if last[_record(value)[0]] == at and value["outcome"] != "failed":
                yield value["solution"]


def sample_key(model: str, problem_id: str, sample: int) -> str:
    """A key that tells a sample from others."""
    return "\n".join([model, problem_id, str(sample)])


def sample_value(model: str, wanted: Wanted, solution: Solution | None) -> dict[str, Any]:
    """A sample with what is known of its problem; one without a solution has no steps: it is malformed."""
    problem = wanted.problem
    known = Solution(
        () if solution is None else solution.steps,
        problem_id=problem.id,
        problem=problem.problem,
        model=model,
        dataset=problem.dataset,
        sample=wanted.sample,
        difficulty=problem.difficulty,
        answer=problem.answer or None,
    )
    return solution_value(known)


def _record(value: Any) -> tuple[str, SampleRecord]:
    record = SampleRecord(*(value[name] for name in SampleRecord._fields))
    texts = (record.model, record.problem_id, record.reason)
    if not all(isinstance(each, str) for each in texts) or type(record.sample) is not int:
        raise ValueError("no record of a sample")
    if record.outcome not in get_args(Outcome) or not isinstance(value["solution"], dict):
        raise ValueError("no outcome, or no solution")
    return record.key, record


# --- a run ------------------------------------------------------------------------------------------


def run(
    problems: Iterable[Problem],
    journal: SampleJournal,
    writer: SolutionWriter,
    *,
    n: int,
    jobs: int = 1,
    progress: Callable[[SampleRecord], object] | None = None,
) -> str:
    """Writes the samples that the journal does not have yet, `n` of each problem, `jobs` at a time.

    Ends early, with the reason, at a failure of the endpoint that is one for all problems; else with "".
    """
    model = writer.model.name

    def rest() -> Iterator[Wanted]:
        for at, problem in enumerate(problems):
            wanted = (Wanted(at, problem, sample) for sample in range(n))
            yield from (each for each in wanted if not journal.is_done(model, each))

    def write(wanted: Wanted) -> tuple[SampleRecord, Sampled]:
        talk = writer.conversation(wanted.problem.problem, wanted.number)
        sampled = Sampled(talk.write(), talk.attempts)
        return journal.add(model, wanted, sampled), sampled

    def ended_by(done: tuple[SampleRecord, Sampled]) -> str:
        record, sampled = done
        if progress is not None:
            progress(record)
        return fatal(sampled.failure, sampled.reason)

    return run_items(write, rest(), jobs, ended_by=ended_by)
