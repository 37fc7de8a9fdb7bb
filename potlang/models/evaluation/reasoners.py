"""The interface between the evaluation and whatever writes programs for questions ([EVAL-REASONER])."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from potlang.models.evaluation.questions import Program, Question
from potlang.models.replies import find_program


class Attempts(NamedTuple):
    """Programs for a question, in the order in which they were made; a later one repairs an earlier.

    `calls`: of the model; None: one for each attempt that was needed. `failure` says why there are not
    more, where a call failed; then the question is asked again by the next run.
    """

    programs: tuple[Program, ...]
    calls: int | None = None
    seconds: float = 0.0
    failure: str = ""


class Reasoner(Protocol):
    """Gives programs for questions. Called from several threads at once."""

    def fingerprint(self, question: Question) -> str:
        """A text that differs where the attempts at the question may: model, settings, prompt."""

    def attempts(self, question: Question) -> Attempts:
        """The attempts at a question. A failure of the endpoint is no exception but `Attempts.failure`."""


class RecordedPrograms:
    """Attempts that were made before: those given by id, else those that the data set itself has."""

    def __init__(self, programs: Mapping[str, tuple[Program, ...]] | None = None) -> None:
        self._programs = programs or {}

    def fingerprint(self, question: Question) -> str:
        """A digest of the attempts."""
        # Recorded programs hold decimals, which JSON has no type for: `default=str`.
        text = json.dumps(self._of(question), sort_keys=True, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def attempts(self, question: Question) -> Attempts:
        """The recorded attempts; none where nothing is recorded."""
        return Attempts(self._of(question))

    def _of(self, question: Question) -> tuple[Program, ...]:
        return self._programs.get(question.id, question.recorded)


def program_in(attempt: Program) -> Program:
    """The program of an attempt: of a reply the one in it ([LOOP-REPLY]), or all of it if there is none."""
    if isinstance(attempt, dict):
        return attempt
    found = find_program(attempt)
    return attempt if found is None else found.text
