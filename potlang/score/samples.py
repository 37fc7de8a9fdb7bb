"""Lines of samples made ready to be counted: quickly where they have the usual form ([DAG-FAST]).

What is not of that form, or not a graph, is read by the full reader, which knows every form and says
what is wrong; a line that it cannot read either is malformed, and placed as far as can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from potlang.languages.dagmath.check.graph import BrokenGraphError
from potlang.languages.dagmath.check.metrics import Premised, Shape, shape_of, shape_of_distinct
from potlang.languages.dagmath.read.boxed import Box, last_box
from potlang.languages.dagmath.read.json_form import (
    LARGEST_DIFFICULTY,
    METADATA,
    NESTED,
    OWN,
    STEP_KEYS,
    model_of,
    says_its_own,
)
from potlang.languages.dagmath.read.latex_escapes import misread_escapes
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.read.samples import LONGEST_LINE, SampleProblem, read_sample
from potlang.score import plain
from potlang.score.tally import Bin, bin_of

_HEAD = 1 << 16
"""Bytes of a broken line in which its group and its problem are looked for."""
_BETWEEN = "; "
_LONGEST_KEPT = 500
"""Characters of a text up to which what was found of it is remembered."""
_MEMBER = re.compile(rb'"([A-Za-z_]{1,60})"\s{0,9}:\s{0,9}("(?:[^"\\]|\\.){0,500}"|-?[0-9.]{1,30})')
_NAMES = {key: name for name, keys in METADATA.items() for key in keys}
_KNOWN = frozenset((*_NAMES, "steps"))
_FORMS = frozenset(name.replace("_", "") for name in _KNOWN)


class Stepwise(Premised, Protocol):
    """A step with its conclusion."""

    @property
    def node(self) -> str: ...


class CountedSample(NamedTuple):
    """A sample as far as it is counted. `problem` tells problems of different data sets apart.

    `labels` are the values of the fields that samples are grouped by, but for the file's name. `is_own`
    says that the input has an answer which is no reference: the last step's own sentence. `formal` is
    how many steps have a `formal` field.
    """

    steps: Sequence[Stepwise]
    problem: Hashable
    difficulty: float | None
    answer: str | None
    correct: bool | None
    labels: tuple[str, ...]
    is_own: bool = False
    formal: int = 0


class Bad(NamedTuple):
    """A malformed sample: what is wrong with it, and its place as far as can be seen.

    `problem` is None for a line that is no JSON object and does not seem to name a problem.
    """

    problems: tuple[SampleProblem, ...]
    problem: Hashable | None
    difficulty: float | None
    labels: tuple[str, ...]


class Reader:
    """Reads lines of samples that are grouped by the named fields: metadata, or any other member."""

    def __init__(self, by: Sequence[str] = ()) -> None:
        self.by = tuple(by)
        self._decoder = _decoder()

    def read(self, line: bytes, number: int) -> tuple[CountedSample, Shape] | Bad:
        """The sample on a line, and its graph's shape. Never raises for what the line contains."""
        usual = self.usual(line) if len(line) <= LONGEST_LINE else None
        if usual is not None:
            try:
                shape = shape_of_distinct(usual.steps)
            except BrokenGraphError:
                return self._full(line, number)
            # A box that never ends is an error, for which the full reader has the words and the place.
            box = box_of(usual.steps[-1].node)
            if box is None or box.content is not None:
                return usual, shape
        return self._full(line, number)

    def usual(self, line: bytes) -> CountedSample | None:
        """The sample on a line of the usual form, no parent named twice; None for any other line."""
        members = self._decoder.members(line)
        if members is None or "steps" not in members or not all(map(_is_plain, members)):
            return None
        steps = self._decoder.steps(members["steps"])
        # Of the texts only the last step's matters here, so only there is LaTeX looked for that JSON misread.
        if not steps or misread_escapes(steps[-1].node):
            return None
        read = self._metadata(members)
        if read is None:
            return None
        row = self._row(steps, read, members)
        # Looked for in all of the line first: this is done for millions of samples.
        has = any(name in line for name in _FORMAL)
        return row._replace(formal=sum(map(has_formal, steps))) if has else row

    def _metadata(self, members: Mapping[str, Any]) -> dict[str, Any] | None:
        """The metadata by name, null left out; None if one is not of its usual type."""
        found: dict[str, Any] = {}
        value = self._decoder.value
        # In the order of the full reader: of two keys for one thing the first that is not null counts.
        for key, name in _NAMES.items():
            if key in members and name not in found and (given := value(members[key])) is not None:
                read = _CHECKS[name](given)
                if read is None:
                    return None
                found[name] = read
        if "model" not in found and (model := self._nested_model(members)) is not None:
            found["model"] = model
        return found

    def _nested_model(self, members: Mapping[str, Any]) -> str | None:
        return model_of(self._decoder.value(members[NESTED])) if NESTED in members else None

    def is_sample(self, text: bytes) -> bool:
        """Whether a JSON text is an object with `steps`, whatever those are."""
        members = self._decoder.members(text)
        return members is not None and "steps" in members

    def row(self, solution: Solution, members: Mapping[str, Any]) -> CountedSample:
        """The row of a solution; `members` are those of its JSON object, for fields that are no metadata."""
        row = self._row(solution.steps, solution._asdict(), members)
        return row._replace(formal=sum(step.formal is not None for step in solution.steps))

    def _row(
        self, steps: Sequence[Stepwise], read: Mapping[str, Any], members: Mapping[str, Any]
    ) -> CountedSample:
        is_own = OWN in members and says_its_own(
            {name: self._decoder.value(members[name]) for name in ("answer", OWN) if name in members},
            steps[-1].node,
        )
        return CountedSample(
            steps,
            problem_key(read),
            read.get("difficulty"),
            None if is_own else read.get("answer"),
            read.get("correct"),
            self._labels(read, members),
            is_own,
        )

    def _labels(self, read: Mapping[str, Any], members: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple([self._label(name, read, members) for name in self.by])

    def _label(self, name: str, read: Mapping[str, Any], members: Mapping[str, Any]) -> str:
        if name in METADATA:
            return label_of(name, read.get(name))
        first, *rest = (name,) if name in members else name.split(".")
        value = self._decoder.value(members[first]) if first in members else None
        for each in rest:
            value = value.get(each) if isinstance(value, Mapping) else None
        return label_of(name, value)

    def _full(self, line: bytes, number: int) -> tuple[CountedSample, Shape] | Bad:
        found = read_sample(line, number)
        members = self._decoder.members(line) if len(line) <= LONGEST_LINE else None
        if found.solution is not None:
            return self.row(found.solution, members or {}), shape_of(found.solution.steps)
        return self._placed(found.problems, line, members)

    def _placed(
        self, problems: tuple[SampleProblem, ...], line: bytes, whole: Mapping[str, Any] | None
    ) -> Bad:
        """A malformed sample with whatever of its metadata can be read."""
        members = _salvaged(line) if whole is None else whole
        read = {}
        for name, keys in METADATA.items():
            values = [self._decoder.value(members[key]) for key in keys if key in members]
            checked = [each for each in map(_CHECKS[name], values) if each is not None]
            if checked:
                read[name] = checked[0]
        if "model" not in read and (model := self._nested_model(members)) is not None:
            read["model"] = model
        known = whole is not None or "problem_id" in read or "problem" in read
        return Bad(
            problems,
            problem_key(read) if known else None,
            read.get("difficulty"),
            self._labels(read, members),
        )


_FORMAL = tuple(f'"{key}"'.encode() for key in STEP_KEYS["formal"])


def has_formal(step: Any) -> bool:
    """Whether a step as decoded has a `formal` field, by the first of its names that it has."""
    names = (getattr(step, key, None) for key in STEP_KEYS["formal"])
    return next((isinstance(each, str) for each in names if isinstance(each, str | None)), False)


def problem_key(read: Mapping[str, Any]) -> Hashable:
    """The key of a problem: data set, and id, else text; samples with neither id nor text share one."""
    name = read.get("problem_id")
    return read.get("dataset"), name if name is not None else read.get("problem")


def label_of(name: str, value: Any) -> str:
    """A field's value as the name of a group, of a list all its single values; empty where there is none."""
    if isinstance(value, list):
        return _BETWEEN.join(filter(None, (label_of(name, each) for each in value if type(each) is not list)))
    if name == "difficulty" and isinstance(value, int | float):
        return difficulty_label(bin_of(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""


def difficulty_label(level: Bin) -> str:
    """The name of the problems with difficulty in (k − 1, k]."""
    return "unknown" if level is None else f"({level - 1}, {level}]"


def box_of(conclusion: str) -> Box | None:
    """The boxed answer of a last step; in sentences that are the same it is looked for once."""
    return _known_box(conclusion) if len(conclusion) <= _LONGEST_KEPT else last_box(conclusion)


_known_box = lru_cache(maxsize=1 << 14)(last_box)


def answer_of(row: CountedSample) -> str | None:
    """The answer that a sample gives; None without a box."""
    box = box_of(row.steps[-1].node)
    return None if box is None else box.content


def _is_plain(key: str) -> bool:
    """Whether a key is a known one, or none that the full reader takes for a known one misspelt."""
    return key in _KNOWN or (_is_strange(key) if len(key) <= _LONGEST_KEPT else _form(key) not in _FORMS)


@lru_cache(maxsize=1 << 12)
def _is_strange(key: str) -> bool:
    return _form(key) not in _FORMS


def _form(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "").replace(" ", "")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) else str(value) if type(value) is int else None


def _number(value: Any) -> float | None:
    fits = type(value) in (int, float) and -LARGEST_DIFFICULTY <= value <= LARGEST_DIFFICULTY
    return float(value) if fits else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "problem_id": _name,
    "problem": _text,
    "model": _text,
    "dataset": _text,
    "sample": _name,
    "difficulty": _number,
    "answer": _name,
    "correct": _flag,
}
"""Checks of metadata of the usual kinds: each gives None for other values, which the full reader judges."""


def _salvaged(line: bytes) -> Mapping[str, Any]:
    """The first members that a broken line seems to have, as texts and numbers."""
    found: dict[str, Any] = {}
    decoder = _decoder()
    for each in _MEMBER.finditer(line[:_HEAD]):
        key = each[1].decode("ascii")
        if key not in found:
            whole = decoder.members(b'{"value":' + each[2] + b"}")
            if whole is not None:
                found[key] = whole["value"]
    return found


@lru_cache(maxsize=1)
def _decoder() -> ModuleType:
    """The module that decodes JSON here."""
    if find_spec("msgspec") is not None:
        from potlang.score import fast

        return fast
    return plain
