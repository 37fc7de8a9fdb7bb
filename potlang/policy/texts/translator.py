"""Has a model translate a text into a policy's words ([POLICY-TEXT-ASK])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from potlang.languages.pot.program import Program
from potlang.models.endpoint import Model, Sampling, user
from potlang.models.loop.asking import Attempt, RetryLoop
from potlang.models.loop.results import attempt_to_dict
from potlang.models.loop.stages import StageConversation, StageRequest
from potlang.models.programs.prompting import formulas_text, functions_text
from potlang.models.programs.vocabulary import vocabulary
from potlang.models.programs.writer import Progress
from potlang.models.prompts import fill
from potlang.models.replies.schemas import TRANSLATION
from potlang.policy.cases import program_value
from potlang.policy.texts.parts import QuotableText
from potlang.policy.texts.translation import Translation, find_translation

STAGE: Final = "translation"
_AGAIN: Final = "Reply with the whole translation, corrected, as one JSON object and nothing else."
_LONGEST_DESCRIPTION: Final = 500
_SECTIONS: Final = ("sorts", "functions", "constants")


class TranslationSample(NamedTuple):
    """The attempts at one translation, and the translation; without one, the `problem`.

    `model` is the name of who was asked; empty where nobody was.
    """

    attempts: tuple[Attempt, ...]
    translation: Translation | None
    problem: str = ""
    model: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "model": self.model,
            "translation": None if self.translation is None else self.translation.to_dict(),
            "problem": self.problem,
            "attempts": [attempt_to_dict(each) for each in self.attempts],
        }


class Translator:
    """Has a model translate one text. Several threads may `sample` at a time.

    `structured`: JSON of the schema is asked for; off once an endpoint does not accept that.
    """

    def __init__(
        self,
        model: Model,
        program: Program,
        text: str,
        sampling: Sampling,
        *,
        progress: Progress | None = None,
    ) -> None:
        self.structured = True
        self._model = model
        self._program = program
        self._text = QuotableText(text)
        self._sampling = sampling
        self._progress = progress
        self._prompt = user(translation_prompt(program, text))

    def sample(self, number: int) -> TranslationSample:
        """The translation with this number, from 0: that of another number has other seeds."""
        asker = RetryLoop.numbered(self._sampling, number, self._progress)
        request = StageRequest(self._prompt, self._read, _AGAIN, TRANSLATION)
        talk = StageConversation("", request, self, asker)
        found = asker.converse(self._model, talk, stage=STAGE)
        problem = asker.attempts[-1].problem if asker.attempts else "nothing was asked"
        said = "" if found is not None else problem
        return TranslationSample(tuple(asker.attempts), found, said, self._model.name)

    def _read(self, reply: str) -> Translation:
        # One thread at a time: reading a formula makes nodes in the policy's pool.
        with self._program.use.turn:
            return find_translation(reply, self._text, self._program)


def translation_prompt(program: Program, text: str) -> str:
    """The request for a translation; the text, and all that the policy says of its words, are data in it."""
    words = "\n".join([*vocabulary(program.module), *_descriptions(program)])
    language = f"{formulas_text()}\n\n{functions_text()}"
    return fill("translate", words=words, language=language, text=text)


def _descriptions(program: Program) -> Iterator[str]:
    """The descriptions of the policy's sorts, functions and constants."""
    value = program_value(program)
    for section in _SECTIONS:
        items = value.get(section)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, Mapping) and (said := _said(item)):
                yield said


def _said(item: Mapping[str, Any]) -> str:
    name, description = item.get("name"), item.get("description")
    if not isinstance(name, str) or not isinstance(description, str) or not description.strip():
        return ""
    return f"{name}: {' '.join(description.split())[:_LONGEST_DESCRIPTION]}"
