"""Runs an evaluation: programs of each question, their votes and verdicts, the cost ([EVAL-OUTCOME])."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from potlang.diag import Severity
from potlang.languages.pot.report import Report
from potlang.models.evaluation.outcome import ClaimOutcome, QuestionOutcome, ReplyCost, SampleOutcome
from potlang.models.evaluation.questions import Question, Truth
from potlang.models.evaluation.reasoners import (
    Answered,
    Answerer,
    GivenAnswer,
    Reasoner,
    SolverSettings,
    labels_of,
)
from potlang.models.evaluation.results_file import KeptSample, ResultsFile
from potlang.models.evaluation.richness import Richness, sentences_of
from potlang.models.loop.asking import Attempt, is_broken
from potlang.models.loop.batched import AwaitsBatch, BatchedModel
from potlang.models.loop.journal import in_parallel
from potlang.models.programs.loop import elect, most_frequent
from potlang.models.programs.reasoned import ProgramSample
from potlang.prove.versions import versions
from potlang.report.results import Interrupted, Result, Verdict

FIRST: Final = "program"
_PAPER: Final = {Verdict.ENTAILED: "SAT", Verdict.REFUTED: "UNSAT"}
_OF_TRUTH: Final = {
    Truth.TRUE: Verdict.ENTAILED,
    Truth.FALSE: Verdict.REFUTED,
    Truth.UNCERTAIN: Verdict.UNDETERMINED,
}
SECOND: Final = "second look"


def key_of(question: Question, reasoner: Reasoner | Answerer, settings: SolverSettings) -> str:
    """A digest of the question as asked, the reasoner, the options of verification and the versions."""
    if isinstance(reasoner, Answerer):
        # Nothing is verified.
        return _digest([question.id, question.text, reasoner.fingerprint(question)])
    # The right answer is no part: correcting a data set must not cost the calls again.
    limits = settings.limits._asdict()
    parts = [question.id, question.text, reasoner.fingerprint(question), settings.route, settings.trust]
    return _digest([parts, limits, versions()])


def _digest(parts: list[Any]) -> str:
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def find_outcome(
    question: Question, reasoner: Reasoner | Answerer, settings: SolverSettings, results: ResultsFile
) -> QuestionOutcome:
    """Asks for programs, unless `results` has the replies, verifies them and counts their votes.

    Of an `Answerer` the outcome is that of a program whose verdicts say what it answers.
    """
    key = key_of(question, reasoner, settings)
    if isinstance(reasoner, Answerer):
        return _given_outcome(question, key, reasoner.answer_to(question), results)
    began = time.perf_counter()
    given = reasoner.answer(question, settings, results)
    passed = time.perf_counter() - began
    attempts = [each for sample in given.samples for each in sample.attempts]
    reasoning = sum(each.seconds for each in attempts)
    # What neither the model nor a solver took is compiling, which counts as the latter.
    verifying = max(given.seconds, passed - reasoning)
    options = labels_of(question)
    chosen: ProgramSample | None = None
    votes: dict[str, int] = {}
    if given.samples:
        election = elect(given.samples, options, by_option=reasoner.by_option)
        chosen, votes = election.chosen, election.votes
    samples = tuple(_sample_outcomes(given, options))
    used, made = _used(given.samples, samples, chosen)
    return QuestionOutcome(
        question.id,
        key,
        made,
        used,
        _claims(given.samples, chosen, options),
        _errors(attempts),
        round(1000 * reasoning, 3),
        round(1000 * verifying, 3),
        given.failure,
        tuple(votes.items()),
        samples,
        ReplyCost.of(attempts),
        next((at for at, each in enumerate(given.samples) if each is chosen), None),
    )


def _given_outcome(question: Question, key: str, given: GivenAnswer, results: ResultsFile) -> QuestionOutcome:
    attempts = given.attempts
    if attempts:
        kept = KeptSample(attempts, given.failure)
        results.keep_sample(key, 0, question.id, attempts[0].model, kept)
    is_failed = all(each.failure is not None for each in attempts)
    return QuestionOutcome(
        question.id,
        key,
        0 if is_failed else 1,
        None if is_failed else 1,
        () if is_failed else tuple(_stated(question, given.answer)),
        (),
        round(1000 * sum(each.seconds for each in attempts), 3),
        0.0,
        given.failure,
        tuple(given.votes.items()),
        (),
        ReplyCost.of(attempts),
    )


def _stated(question: Question, answer: Truth | str | None) -> Iterator[tuple[str, ClaimOutcome]]:
    """The verdicts that say so much: of options, that one alone counts as chosen."""
    if question.options:
        if any(each.label == answer for each in question.options):
            for each in question.options:
                chosen = each.label == answer
                verdict = next((one for one in _PAPER if (one in each.accept) is chosen), Verdict.UNKNOWN)
                yield each.verification, ClaimOutcome(verdict, _PAPER.get(verdict))
    elif isinstance(answer, Truth):
        verdict = _OF_TRUTH[answer]
        yield "answer", ClaimOutcome(verdict, _PAPER.get(verdict))


def _sample_outcomes(given: Answered, options: Sequence[str]) -> Iterator[SampleOutcome]:
    for sample, counts in zip(given.samples, given.richness, strict=True):
        first = [each for each in sample.attempts if each.stage != SECOND and not is_broken(each)]
        used = None if sample.report is None else _accepted(first)
        yield SampleOutcome(
            str(sample.ballot(options)),
            str(sample.answer),
            used,
            used or len(first),
            sum(each.mended for each in sample.attempts),
            _second_look(sample),
            _with_sentences(counts, sample),
        )


def _accepted(first: Sequence[Attempt]) -> int:
    """The number of the first attempt whose program was accepted, of those before a second look."""
    return next((at for at, each in enumerate(first, 1) if _has_program(each)), len(first))


def _has_program(attempt: Attempt) -> bool:
    is_program = attempt.stage == FIRST or attempt.program is not None
    return is_program and attempt.failure is None and not attempt.problem


def _second_look(sample: ProgramSample) -> str:
    looks = [each for each in sample.attempts if each.stage == SECOND]
    if not looks:
        return ""
    before = [each for each in sample.attempts if each.stage != SECOND and _has_program(each)]
    first = before[-1] if before else None
    return "kept" if first is None or first.program == sample.program else "changed"


def _with_sentences(counts: Richness | None, sample: ProgramSample) -> Richness | None:
    if counts is None:
        return None
    return counts._replace(sentences=sum(map(sentences_of, sample.attempts)))


def _used(
    samples: Sequence[ProgramSample], outcomes: Sequence[SampleOutcome], chosen: ProgramSample | None
) -> tuple[int | None, int]:
    """The attempts of the sample that was chosen, or after a tie of the first that has a program."""
    pairs = list(zip(samples, outcomes, strict=True))
    found = next((outcome for sample, outcome in pairs if sample is chosen), None)
    found = found or next((outcome for _, outcome in pairs if outcome.used is not None), None)
    if found is not None:
        return found.used, found.made
    return None, max((each.made for each in outcomes), default=0)


def _errors(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """The codes of the last attempt that does not compile."""
    for attempt in reversed(attempts):
        codes = {each["code"] for each in attempt.diagnostics if each["severity"] == Severity.ERROR}
        if codes:
            return tuple(sorted(codes))
    return ()


def _claims(
    samples: Sequence[ProgramSample], chosen: ProgramSample | None, options: Sequence[str]
) -> tuple[tuple[str, ClaimOutcome], ...]:
    """The verifications of the chosen program, and their answers by the paper's reading in most programs.

    After a tie no program is chosen: then the verdicts are unknown.
    """
    reports = [each.report for each in samples if each.report is not None]
    shown = next(iter(reports), None) if chosen is None else chosen.report
    found = []
    for at, result in enumerate(_verifications(shown)):
        # Programs may call their only claim as they like.
        is_first = not at and not options
        papers = Counter(filter(None, (_paper(each, result.name, is_first) for each in reports)))
        verdict = Verdict.UNKNOWN if chosen is None else result.verdict
        outcome = result.outcome if result.is_asked and chosen is not None else None
        found.append((result.name, ClaimOutcome(verdict, most_frequent(papers), outcome)))
    return tuple(found)


def _verifications(report: Report | None) -> list[Result]:
    return [] if report is None else [each for each in report.results if each.kind == "verification"]


def _paper(report: Report, name: str, is_first: bool) -> str | None:
    """The paper's answer to a claim of this name, or to the first one."""
    results = _verifications(report)
    if is_first:
        return results[0].paper_answer if results else None
    return next((each.paper_answer for each in results if each.name == name), None)


# --- runs -----------------------------------------------------------------------------------------

USUAL = SolverSettings()
Progress = Callable[[QuestionOutcome], object]


class Run(NamedTuple):
    """The outcomes in the order of the questions; `reused` of them were found in the results file.

    `unreadable` lines of that file were passed over.
    """

    outcomes: tuple[QuestionOutcome, ...]
    reused: int
    unreadable: int


def run(
    questions: Sequence[Question],
    reasoner: Reasoner | Answerer,
    settings: SolverSettings = USUAL,
    *,
    results: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    batches: BatchedModel | None = None,
) -> Run:
    """Outcomes for questions with different ids, `jobs` at a time.

    Samples are appended to `results` as they come, and outcomes. An outcome that is there already, of the
    same question, attempts, settings and versions, is taken from there, unless a call failed; samples of the
    same question are, whatever the settings are. `batches`: the model of the reasoner, if it is asked in
    batches; what all questions ask next is one of them. `progress` is called for each outcome in the caller's
    thread. Raises BadJournal and OSError for the results file, and Interrupted with a run of the questions
    that are finished where it is interrupted.
    """
    found: dict[str, QuestionOutcome] = {}
    with ResultsFile(results) as file:
        waiting: list[Question] = []
        for question in questions:
            known = file.outcome(key_of(question, reasoner, settings))
            if known is None or known.failure:
                waiting.append(question)
                continue
            found[question.id] = known
            file.keep_question(question)
            if progress is not None:
                progress(known)
        reused = len(found)
        if batches is not None:
            batches.keep_in(file)

        def one(question: Question) -> QuestionOutcome | None:
            file.keep_question(question)
            try:
                outcome = find_outcome(question, reasoner, settings, file)
            except AwaitsBatch:
                return None
            # In the worker: it is kept even if the run is interrupted before the result is taken.
            found[outcome.id] = outcome
            file.keep_outcome(outcome)
            return outcome

        def finished() -> Run:
            outcomes = tuple(found[each.id] for each in questions if each.id in found)
            return Run(outcomes, reused, file.unreadable)

        try:
            while waiting:
                for outcome in in_parallel(one, waiting, jobs):
                    if progress is not None and outcome is not None:
                        progress(outcome)
                waiting = [each for each in waiting if each.id not in found]
                if waiting and batches is not None:
                    batches.hand_in()
        except KeyboardInterrupt as error:
            raise Interrupted(finished()) from error
    return finished()
