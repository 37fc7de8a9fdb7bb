"""The verdicts on a solution in sentences ([WORDS-TRACE])."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potlang.diag.wording import visible
from potlang.languages.dagmath.results import SolutionResult, StepEntry, StepVerdict
from potlang.words.table import Language, filled, language


def solution_sentences(report: SolutionResult) -> Iterator[str]:
    """The verdict, then what is said of the steps, of those that nothing uses, and of the answer."""
    return _Sentences(language()).all(report)


class _Sentences:
    def __init__(self, table: Language) -> None:
        self._language = table
        self._words: dict[str, str] = table.table["solution"]

    def all(self, report: SolutionResult) -> Iterator[str]:
        yield self._words[str(report.verdict)]
        for verdict in (StepVerdict.GIVEN, StepVerdict.NOT_CHECKABLE):
            steps = [step.id for step in report.steps if step.result and step.result.verdict is verdict]
            if steps:
                yield self._with(str(verdict), steps=self._steps(steps))
            if verdict is StepVerdict.GIVEN:
                for step in report.steps:
                    yield from self._derived(step)
        if report.contradiction:
            yield self._with("contradiction", steps=self._steps(report.contradiction))
        if report.unclosed:
            yield self._with("unused", steps=self._steps(each.id for each in report.unclosed))
        yield from self._answer(report)

    def _derived(self, step: StepEntry) -> Iterator[str]:
        result = step.result
        if result is None or result.verdict in (StepVerdict.GIVEN, StepVerdict.NOT_CHECKABLE):
            return
        premises = self._steps(step.parents or ()) or self._words["nothing"]
        key = {"refuted": "step refuted", "unknown": "step unknown"}.get(str(result.verdict))
        yield self._with(key or str(result.verdict), step=str(step.id), premises=premises)
        if result.missing is not None:
            yield self._with("missing", step=str(result.missing))

    def _answer(self, report: SolutionResult) -> Iterator[str]:
        answer = report.answer
        if answer is None:
            return
        if answer.given is None:
            yield self._words["no answer"]
            return
        key = {True: "answer right", False: "answer wrong", None: "answer unknown"}[answer.correct]
        if answer.correct is False and answer.expected is not None:
            key = "answer expected"
        yield self._with(key, given=visible(answer.given), expected=visible(answer.expected or ""))

    def _steps(self, ids: Iterable[int]) -> str:
        return self._language.listed([self._with("premise", step=str(each)) for each in ids])

    def _with(self, key: str, **parts: str) -> str:
        return filled(self._words[key], parts)
