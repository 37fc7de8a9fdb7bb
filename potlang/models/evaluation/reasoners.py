"""Where an evaluation has its programs from: a record, or a model ([EVAL-REASONER], [EVAL-MODEL])."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from potlang.models.asking import FATAL, Attempt
from potlang.models.endpoint import Model, Sampling
from potlang.models.evaluation.questions import Program, Question, Truth
from potlang.models.prompting import system_prompt
from potlang.models.writer import USUAL, Asking, ProgramWriter


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


class GivenAnswer(NamedTuple):
    """An answer without a program, None for none; `votes` of several. `failure` is as in `Attempts`."""

    answer: Truth | str | None
    attempts: tuple[Attempt, ...] = ()
    votes: Mapping[str, int] = MappingProxyType({})
    failure: str = ""


class Answerer(Protocol):
    """Answers questions without a program. Called from several threads at once."""

    def fingerprint(self, question: Question) -> str:
        """A text that differs where the answer may: model, settings, prompt."""

    def answer_to(self, question: Question) -> GivenAnswer:
        """The answer. A failure of the endpoint is no exception but `GivenAnswer.failure`."""


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


class WritingModel:
    """A model that writes programs: a `Reasoner`. `place` says where the model is, for the fingerprint."""

    def __init__(self, model: Model, sampling: Sampling = USUAL, *, place: str = "") -> None:
        self._model = model
        self._sampling = sampling
        self._structured = True
        self._ended = ""
        parts = [model.name, place, list(sampling), system_prompt()]
        self._digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def fingerprint(self, question: Question) -> str:
        """A digest of the model's name and place, of its settings, the prompt, and the labels asked for."""
        return json.dumps([self._digest, _labels(question)])

    def attempts(self, question: Question) -> Attempts:
        """The loop's replies; one without a program counts as an attempt that does not compile.

        Nothing is asked for a question without a text, and after a failure that no further call can mend.
        """
        if self._ended or not question.text.strip():
            return Attempts((), 0, 0.0, self._ended)
        asking = Asking(self._sampling, options=_labels(question))
        writer = ProgramWriter(self._model, asking, structured=self._structured)
        talk = writer.conversation(question.text)
        talk.write()
        written = talk.attempts
        self._structured = self._structured and writer.structured
        failure = "" if written[-1].failure is None else written[-1].problem
        if written[-1].failure in FATAL:
            self._ended = failure
        replies = [each for each in written if each.failure is None]
        return Attempts(
            tuple(_text(each, each is replies[-1]) for each in replies),
            len(written),
            sum(each.seconds for each in written),
            failure,
        )


def _text(attempt: Attempt, is_last: bool) -> str:
    """An attempt as the evaluation compiles it; empty where it compiles and a later one is to be used."""
    if attempt.program is None:
        return attempt.reply
    compiles = all(each["severity"] != "error" for each in attempt.diagnostics)
    return "" if compiles and not is_last else attempt.program


def _labels(question: Question) -> tuple[str, ...]:
    """The verifications that the options are read from."""
    return tuple(dict.fromkeys(each.verification for each in question.options))
