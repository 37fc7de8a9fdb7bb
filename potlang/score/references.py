"""The expected answers of problems, from a file beside the samples ([DAG-REFERENCES])."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from potlang.languages.dagmath.read.arrays import Item, array_items, begins_array
from potlang.languages.dagmath.read.samples import read_lines

_PROBLEM = ("problem_id", "id", "problem_idx", "problem", "problem_text")
_ANSWER = ("answer", "final_answer")
_CHUNK = 1 << 20


class References:
    """Answers by problem; one without a data set is that of the problem in any."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, str] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def add(self, value: Any) -> None:
        """Adds the answer that an object says. Raises ValueError for one that does not, or says another."""
        if not isinstance(value, dict):
            raise ValueError("a reference is an object with `problem_id` and `answer`")
        problem, answer = (_first(value, names) for names in (_PROBLEM, _ANSWER))
        if problem is None or answer is None:
            raise ValueError("a reference needs `problem_id` or `problem`, and `answer`")
        key = value.get("dataset"), problem
        if self._answers.setdefault(key, answer) != answer:
            raise ValueError(f"problem {problem[:60]} has another answer before")

    def find(self, problem: Hashable) -> str | None:
        """The answer of a problem, by the key that samples have; None if there is none."""
        found = self._answers.get(problem)
        if found is None and isinstance(problem, tuple):
            found = self._answers.get((None, problem[1]))
        return found


def read_references(path: Path) -> References:
    """The answers in a file: JSON Lines or an array of objects. Raises OSError and ValueError."""
    found = References()
    for item in _items(path):
        try:
            found.add(json.loads(item.text))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {item.line}: {error}") from error
    return found


def _items(path: Path) -> Iterator[Item]:
    with path.open("rb") as stream:
        is_array = begins_array(stream.read(_CHUNK))
        stream.seek(0)
        if is_array:
            yield from array_items(iter(lambda: stream.read(_CHUNK), b""))
        else:
            yield from (Item(number, line) for number, line in read_lines(stream))


def _first(value: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of some members that is a text or a number, as text."""
    given = (value.get(name) for name in names)
    texts = (
        str(each) for each in given if isinstance(each, str | int | float) and not isinstance(each, bool)
    )
    return next(texts, None)
