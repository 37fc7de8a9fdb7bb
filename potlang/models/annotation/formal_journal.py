"""Many solutions whose steps a model writes as formulas: inputs, journal, run ([ANNOTATE-JOURNAL])."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from potlang.diag import Severity
from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.read.samples import read_lines, read_sample
from potlang.languages.dagmath.write import solution_value
from potlang.models.annotation.formals import Formalized, formalize
from potlang.models.endpoint import Failure, Model, Sampling
from potlang.models.loop.journal import Journal, attempt_value, fatal, run_items

_LINES: Final = (".jsonl", ".ndjson")


class Unannotated(NamedTuple):
    """A solution as it was read, and the JSON value that it is in; None for one in another form."""

    name: str
    solution: Solution
    value: Mapping[str, Any] | None

    @property
    def key(self) -> str:
        """A key that tells solutions apart: of all that is in them."""
        return sha256(json.dumps(solution_value(self.solution)).encode()).hexdigest()

    def with_formals(self, formals: Mapping[int, str]) -> dict[str, Any]:
        """The JSON value of the solution with these formulas; members that mean nothing here are kept."""
        steps = tuple(each._replace(formal=formals.get(each.id, each.formal)) for each in self.solution.steps)
        made = solution_value(self.solution._replace(steps=steps))
        given = None if self.value is None else self.value.get("steps")
        is_plain = isinstance(given, list) and all(isinstance(each, dict) for each in given)
        if self.value is None or not is_plain or not isinstance(given, list) or len(given) != len(steps):
            return made
        written = [
            {**old, **({"formal": formals[step.id]} if step.id in formals else {})}
            for old, step in zip(given, steps, strict=True)
        ]
        return {**self.value, "steps": written}


class NotRead(NamedTuple):
    """An input that has no solution, and why."""

    name: str
    reason: str


class Annotation(NamedTuple):
    """The result for a solution: the formulas that were taken, and the steps whose were not, by their ids."""

    formals: Mapping[int, str]
    left_out: Mapping[int, str]
    reason: str = ""
    failure: Failure | None = None


class FormalJournal(Journal[Annotation]):
    """The annotations of solutions by what is in them. Raises BadJournal and OSError."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, _entry, begins=b'{"solution": ')

    def add(self, given: Unannotated, found: Formalized) -> Annotation:
        """Writes down what came of a solution."""
        formals = {step.id: step.formal for step in found.solution.steps if step.id in found.added}
        annotation = Annotation(
            {id_: each for id_, each in formals.items() if each is not None},
            found.left_out,
            found.reason,
            found.failure,
        )
        value = {
            "solution": given.key,
            "name": given.name,
            **annotation._asdict(),
            "attempts": [attempt_value(each) for each in found.attempts],
        }
        self.append(given.key, annotation, value)
        return annotation

    def is_done(self, given: Unannotated) -> bool:
        """True for a solution that need not be asked about again."""
        entry = self.entries.get(given.key)
        return entry is not None and entry.failure is None


def _entry(value: Any) -> tuple[str, Annotation]:
    formals = {int(id_): each for id_, each in value["formals"].items()}
    left_out = {int(id_): each for id_, each in value["left_out"].items()}
    texts = (value["solution"], value["reason"], *formals.values(), *left_out.values())
    if not all(isinstance(each, str) for each in texts):
        raise TypeError("no annotation")
    return value["solution"], Annotation(formals, left_out, value["reason"], value["failure"])


def solutions_in(name: str, path: Path) -> Iterator[Unannotated | NotRead]:
    """The solutions in a file: one in any form, in prose too, or one on each line. Raises OSError."""
    with path.open("rb") as stream:
        is_lines = path.suffix in _LINES or any(
            read_sample(line, number).solution is not None for number, line in islice(read_lines(stream), 1)
        )
        if not is_lines:
            yield _whole(name, path)
            return
        stream.seek(0)
        for number, line in read_lines(stream):
            sample = read_sample(line, number)
            if sample.solution is None:
                yield NotRead(f"{name}:{number}", sample.problems[0].message)
            else:
                yield Unannotated(f"{name}:{number}", sample.solution, _object(line))


def _whole(name: str, path: Path) -> Unannotated | NotRead:
    checked = check(path, name=name)
    if checked.solution is None:
        errors = (each for each in checked.diagnostics if each.severity is Severity.ERROR)
        return NotRead(name, next((each.message for each in errors), "there is no solution in it"))
    text = checked.document.text
    return Unannotated(name, checked.solution, None if text is None else _object(text))


def _object(text: str | bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def run(
    solutions: Iterable[Unannotated],
    journal: FormalJournal,
    model: Model,
    *,
    batch: int,
    sampling: Sampling,
    jobs: int = 1,
    progress: Callable[[Unannotated, Annotation], object] | None = None,
) -> str:
    """Annotates the solutions that the journal does not have yet, `jobs` at a time.

    Ends early, with the reason, at a failure of the endpoint that is one for all; else with "".
    """

    def annotate(given: Unannotated) -> tuple[Unannotated, Annotation]:
        return given, journal.add(given, formalize(given.solution, model, batch=batch, sampling=sampling))

    def ended_by(done: tuple[Unannotated, Annotation]) -> str:
        given, annotation = done
        if progress is not None:
            progress(given, annotation)
        return fatal(annotation.failure, annotation.reason)

    rest = (each for each in solutions if not journal.is_done(each))
    return run_items(annotate, rest, jobs, ended_by=ended_by)
