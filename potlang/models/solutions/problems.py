"""Problems of a data set, from JSON Lines ([DAG-BUILD-6], [SAMPLE-PROBLEMS])."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import BinaryIO, Final, NamedTuple

from potlang.diag import Sink
from potlang.languages.dagmath.read.samples import LINE_LIMITS, read_lines
from potlang.reading.json_text import open_document, read_json

_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "problem": ("problem", "problem_text", "question"),
    "solution": ("solution", "rationale"),
    "answer": ("answer", "final_answer"),
}
_IDS: Final = ("problem_id", "id")


class Problem(NamedTuple):
    """A problem, with a solution that is known to be right, and its answer; these are empty if not known."""

    id: str
    problem: str
    solution: str
    answer: str
    difficulty: float | None = None
    dataset: str | None = None


class BadProblem(NamedTuple):
    """A line that is no problem."""

    line: int
    reason: str


def read_problems(
    stream: BinaryIO, *, needed: tuple[str, ...] = tuple(_KEYS)
) -> Iterator[Problem | BadProblem]:
    """The problems of JSON Lines: `problem`, `solution`, `answer`, and `problem_id`, `difficulty`, `dataset`.

    Of the first three those `needed` must be there. A problem without an id is named after its line; a second
    one with the same id is no problem.
    """
    seen: set[str] = set()
    for number, line in read_lines(stream):
        found = _problem(line, number, needed)
        if isinstance(found, Problem):
            if found.id in seen:
                found = BadProblem(number, f"there is a problem {found.id!r} already")
            else:
                seen.add(found.id)
        yield found


def _problem(line: bytes, number: int, needed: tuple[str, ...]) -> Problem | BadProblem:
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
            if name in needed:
                return BadProblem(number, f"the problem has no `{name}`")
            text = ""
        texts[name] = text
    id_ = next((value[key] for key in _IDS if value.get(key) is not None), None)
    dataset, difficulty = value.get("dataset"), value.get("difficulty")
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
