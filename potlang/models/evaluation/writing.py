"""Answers the questions of an evaluation with programs that a model writes and repairs ([EVAL-MODEL])."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from potlang.models.asking import FATAL, Attempt
from potlang.models.endpoint import Model, Sampling
from potlang.models.evaluation.questions import Question
from potlang.models.evaluation.reasoners import Attempts
from potlang.models.writer import USUAL, Asking, ProgramWriter


class WritingModel:
    """A model that writes programs: a `Reasoner`. `place` says where the model is, for the fingerprint."""

    def __init__(
        self,
        model: Model,
        sampling: Sampling = USUAL,
        semantics: Mapping[str, Any] | None = None,
        *,
        place: str = "",
    ) -> None:
        self._model = model
        self._sampling = sampling
        self._semantics = semantics
        self._structured = True
        self._ended = ""
        prompt = ProgramWriter(model, self._asking(())).system
        parts = [model.name, place, list(sampling), prompt]
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
        writer = ProgramWriter(self._model, self._asking(_labels(question)), structured=self._structured)
        # One writer a question: two threads must not share a conversation.
        written, _ = writer.write(question.text)
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

    def _asking(self, labels: tuple[str, ...]) -> Asking:
        return Asking(self._sampling, self._semantics, labels)


def _text(attempt: Attempt, is_last: bool) -> str:
    """An attempt as the evaluation compiles it; empty where it compiles and a later one is to be used."""
    if attempt.program is None:
        return attempt.reply
    compiles = all(each["severity"] != "error" for each in attempt.diagnostics)
    return "" if compiles and not is_last else attempt.program


def _labels(question: Question) -> tuple[str, ...]:
    """The verifications that the options are read from."""
    return tuple(dict.fromkeys(each.verification for each in question.options))
