"""Where an evaluation has its programs from: a record, or a model ([EVAL-REASONER], [EVAL-MODEL])."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.program import Program
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import verify as verify_program
from potlang.models.endpoint import Model, Sampling
from potlang.models.evaluation.questions import Asks, Question, RecordedProgram, Truth
from potlang.models.evaluation.results_file import KeptSample, ResultsFile
from potlang.models.evaluation.richness import Richness, richness
from potlang.models.loop.asking import ASKED_AGAIN, FATAL, Attempt, is_given_up
from potlang.models.loop.batched import AwaitsBatch, BatchedModel, asked_by
from potlang.models.presets import StrategyName
from potlang.models.programs.doubts import asks_yes_or_no
from potlang.models.programs.loop import ProgramSampler
from potlang.models.programs.prompting import PromptSize, question_prompt, system_prompt
from potlang.models.programs.reasoned import ProgramSample
from potlang.models.programs.replies import program_in
from potlang.models.programs.writer import USUAL, Asking, ProgramWriter, Written
from potlang.prove.options import RouteName, Trust
from potlang.report.results import Limits


class SolverSettings(NamedTuple):
    """Options of the verification of programs."""

    route: RouteName = "auto"
    trust: Trust = "solver"
    limits: Limits = Limits()


class Verifying:
    """Verifies programs; `seconds` are those spent, `richness` has the counts of each program by its text."""

    def __init__(self, settings: SolverSettings) -> None:
        self._settings = settings
        self.seconds = 0.0
        self.richness: dict[str, Richness] = {}

    def report(self, program: Program, text: str) -> Report:
        """The report on a program."""
        began = time.perf_counter()
        route, trust, limits = self._settings
        report = verify_program(program, route=route, trust=trust, limits=limits)
        self.richness[text] = richness(program)
        self.seconds += time.perf_counter() - began
        return report

    def __call__(self, written: Written) -> Report:
        return self.report(written.program, written.text)


class Answered(NamedTuple):
    """The samples of a question, with all attempts that were made for it, and the richness of each.

    `failure` says why there are not more, where a call failed; then the question is asked again by the next
    run.
    """

    samples: tuple[ProgramSample, ...]
    richness: tuple[Richness | None, ...]
    seconds: float
    failure: str = ""


class Reasoner(Protocol):
    """Gives programs for questions. Called from several threads at once.

    `by_option`: samples vote for the options that they elect, or else by their verdicts.
    """

    by_option: bool

    def fingerprint(self, question: Question) -> str:
        """A text that differs where the attempts at the question may: model, settings, prompt."""

    def answer(self, question: Question, settings: SolverSettings, results: ResultsFile) -> Answered:
        """The attempts at a question, verified. A failure of the endpoint is no exception but a text."""


def labels_of(question: Question) -> tuple[str, ...]:
    """The verifications that the options are read from."""
    return tuple(dict.fromkeys(each.verification for each in question.options))


class GivenAnswer(NamedTuple):
    """An answer without a program, None for none; `votes` of several. `failure` is as in `Attempts`."""

    answer: Truth | str | None
    attempts: tuple[Attempt, ...] = ()
    votes: Mapping[str, int] = MappingProxyType({})
    failure: str = ""


@runtime_checkable
class Answerer(Protocol):
    """Answers questions without a program. Called from several threads at once."""

    def fingerprint(self, question: Question) -> str:
        """A text that differs where the answer may: model, settings, prompt."""

    def answer_to(self, question: Question) -> GivenAnswer:
        """The answer. A failure of the endpoint is no exception but `GivenAnswer.failure`."""


class RecordedPrograms:
    """Attempts that were made before: those given by id, else those that the data set itself has."""

    by_option = True

    def __init__(self, programs: Mapping[str, tuple[RecordedProgram, ...]] | None = None) -> None:
        self._programs = programs or {}

    def fingerprint(self, question: Question) -> str:
        """A digest of the attempts."""
        # Recorded programs hold decimals, which JSON has no type for: `default=str`.
        text = json.dumps(self._of(question), sort_keys=True, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def answer(self, question: Question, settings: SolverSettings, results: ResultsFile) -> Answered:
        """The first recorded attempt that compiles, as it was written, and those before it."""
        verifying = Verifying(settings)
        attempts: list[Attempt] = []
        for recorded in self._of(question):
            checked = check_program(program_in(recorded), name="attempt")
            text = recorded if isinstance(recorded, str) else ""
            attempt = Attempt((), False, reply=text)
            if checked.program is not None:
                attempts.append(attempt)
                report = verifying.report(checked.program, text)
                sample = ProgramSample(tuple(attempts), report)
                return Answered((sample,), (verifying.richness[text],), verifying.seconds)
            problem = "the program does not compile"
            attempts.append(attempt._replace(diagnostics=checked.located(), problem=problem))
        return Answered((ProgramSample(tuple(attempts)),), (None,), verifying.seconds)

    def _of(self, question: Question) -> tuple[RecordedProgram, ...]:
        return self._programs.get(question.id, question.recorded)


class LoopOptions(NamedTuple):
    """How the loop writes programs for a question: `k` of them vote, by option unless it says otherwise.

    `prompt` is the size of what is told of the language.
    """

    k: int = 1
    second_look: bool = True
    safe_fixes: bool = True
    by_option: bool = True
    prompt: PromptSize = "full"
    strategy: StrategyName = "plain"


_DEFAULTS: Final = LoopOptions()


class WritingModel:
    """A model that writes programs in the loop: a `Reasoner`. `place` says where the model is."""

    def __init__(
        self,
        model: Model,
        sampling: Sampling = USUAL,
        options: LoopOptions = _DEFAULTS,
        *,
        place: str = "",
    ) -> None:
        self.by_option = options.by_option
        self._model = model
        self._sampling = sampling
        self._options = options
        self._is_batched = isinstance(model, BatchedModel)
        self._structured = True
        self._ended = ""
        self._system = system_prompt(size=options.prompt)
        # How long a reply may take changes none that came in time.
        sampled: dict[str, Any] = {**sampling._asdict(), "timeout": None}
        asked = {**options._asdict(), "k": None, "by_option": None}
        parts = [model.name, place, sampled, asked, self._system]
        self._digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def fingerprint(self, question: Question) -> str:
        """A digest of what is asked, with how many programs vote, and how."""
        return json.dumps([self._asked(question), self._options.k, self._options.by_option])

    def answer(self, question: Question, settings: SolverSettings, results: ResultsFile) -> Answered:
        """The samples of the question: those that are kept in `results`, and the others from the model.

        Nothing is asked for a question without a text, and after a failure that no further call can mend.
        Raises AwaitsBatch.
        """
        if not question.text.strip():
            return Answered((), (), 0.0)
        verifying = Verifying(settings)
        _, second_look, safe_fixes, _, prompt, strategy = self._options
        asking = Asking(
            self._sampling,
            options=labels_of(question),
            safe_fixes=safe_fixes,
            prompt=prompt,
            strategy=strategy,
        )
        found: list[ProgramSample] = []
        failure = ""
        is_over = awaits = False
        for number in range(self._options.k):
            model = asked_by(self._model, f"{self._asked(question)} {number}")
            writer = ProgramWriter(model, asking, structured=self._structured)
            sampler = ProgramSampler(writer, question.text, verifying, second_look, _is_yes_or_no(question))
            try:
                sample, why = self._sample(sampler, question, number, results, is_over)
            except AwaitsBatch:
                awaits = True
                continue
            # In batches each conversation is gone through again, and must ask the same as before.
            self._structured = self._structured and (writer.structured or self._is_batched)
            failure = failure or why
            if sample is not None:
                found.append(sample)
            # A failure that would come back: what is kept of further samples still counts.
            is_over = is_over or (bool(why) and sample is not None and self._is_over(sample))
        if awaits:
            raise AwaitsBatch
        counts = [verifying.richness.get(each.program or "") for each in found]
        return Answered(tuple(found), tuple(counts), verifying.seconds, failure)

    def _sample(
        self, sampler: ProgramSampler, question: Question, number: int, results: ResultsFile, is_over: bool
    ) -> tuple[ProgramSample | None, str]:
        """A sample with all that was paid for it, and why it is not whole; none anew if it `is_over`."""
        key = self._asked(question)
        kept = results.sample(key, number)
        if kept is not None and not kept.failure:
            sample = sampler.sample(number, kept.attempts)
            return sample._replace(attempts=_merged(sample.attempts, kept.attempts)), ""
        if self._ended or is_over:
            return None, self._ended or "no further program was asked for"
        sample = sampler.sample(number)
        failure = _failure(sample)
        if self._is_over(sample) and sample.attempts[-1].failure in FATAL:
            self._ended = failure
        asked = KeptSample(sample.attempts, failure)
        results.keep_sample(key, number, question.id, self._model.name, asked, system=self._system)
        return sample, failure

    def _is_over(self, sample: ProgramSample) -> bool:
        """Whether the endpoint failed in a way that would come back; a batch has the other replies, too."""
        return not self._is_batched and sample.report is None and is_given_up(sample.attempts)

    def _asked(self, question: Question) -> str:
        """A digest of what the model is asked: question, prompt, model, sampling, strategy."""
        prompt = question_prompt(question.text, labels_of(question))
        parts = [question.id, prompt, _is_yes_or_no(question), self._digest]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _is_yes_or_no(question: Question) -> bool:
    if question.asks is None:
        return asks_yes_or_no(question.text, labels_of(question))
    return question.asks is Asks.YES_NO


def _failure(sample: ProgramSample) -> str:
    """Why a call failed that might have given a program; a model that refuses was asked and has answered."""
    if sample.report is not None or not sample.attempts:
        return ""
    last = sample.attempts[-1]
    is_answer = last.failure is None or last.failure in ASKED_AGAIN or last.failure == "declined"
    return "" if is_answer else last.problem


def _merged(replayed: tuple[Attempt, ...], kept: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    """The attempts that were kept, with what was found in those of them that were read anew."""
    found = iter(replayed)
    current = next(found, None)
    merged = []
    for each in kept:
        if (
            current is not None
            and (current.reply, current.stage) == (each.reply, each.stage)
            and each.failure is None
        ):
            merged.append(current)
            current = next(found, None)
        else:
            merged.append(each)
    return tuple(merged)
