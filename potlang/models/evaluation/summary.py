"""The evaluation as numbers: appendix 7.1 of the paper for each family and for all ([EVAL-SUMMARY])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any, Final, NamedTuple

from potlang.models.evaluation.confusion import METRICS, Counts, total
from potlang.models.evaluation.intervals import RESAMPLES, bootstrap
from potlang.models.evaluation.judging import AnswerReading, Case, Grade, Graded, judge
from potlang.models.evaluation.outcome import QuestionOutcome, total_spent
from potlang.models.evaluation.questions import Question, Truth
from potlang.models.evaluation.richness import Richness
from potlang.report.results import Verdict
from potlang.score.inference import Interval

ALL: Final = "all"
NO_ANSWER: Final = "none"
VERDICTS: Final = (
    *(Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED, Verdict.INCONSISTENT, Verdict.UNKNOWN),
    Verdict.REJECTED,
)
PAPER_ANSWERS: Final = ("SAT", "UNSAT", NO_ANSWER)


class Estimate(NamedTuple):
    """A rate, None if there is nothing to divide by, and its interval, if it has one."""

    value: float | None
    interval: Interval | None


class AttemptCount(NamedTuple):
    """The questions whose program was that of this attempt: answered right, wrong, or not at all."""

    attempt: int
    right: int
    wrong: int
    abstained: int


class ReadingSummary(NamedTuple):
    """The answers under one reading. `matrix` counts claims by right answer and given answer."""

    counts: Counts
    metrics: dict[str, Estimate]
    attempts: tuple[AttemptCount, ...]
    matrix: dict[tuple[str, str], int]


class Cost(NamedTuple):
    """Calls of the model, seconds of reasoning, of compiling and verifying, and what the replies cost.

    `mended` counts safe fixes, `second_looks` programs that were looked at again, and `changed` those of them
    in whose place another one stands. Tokens and dollars are None where no reply has them.
    """

    calls: int
    reasoning_s: float
    verifying_s: float
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    dollars: float | None = None
    mended: int = 0
    second_looks: int = 0
    changed: int = 0


class RichnessSummary(NamedTuple):
    """Constructs of the programs that were accepted: on average, in the middle one, in all."""

    programs: int
    mean: dict[str, float]
    median: dict[str, float]
    total: dict[str, int]


class FamilySummary(NamedTuple):
    """The numbers of one family.

    `questions` have an answer; `claims` are theirs, each option being one. Of the questions `compiled` have
    a program, and `executed` also one whose claims all got an answer under the paper's reading.
    `to_reject` are programs that must be rejected, of which `rejected` are. `verdicts` and
    `paper_answers` count claims by right answer and result. Of `expected` verdicts, `agreeing`
    came out so. `failures` are questions for which a call failed. `richness` is of all samples.
    """

    family: str
    questions: int
    claims: int
    compiled: int
    executed: int
    to_reject: int
    rejected: int
    paper: ReadingSummary
    verdict: ReadingSummary
    verdicts: dict[tuple[str, str], int]
    paper_answers: dict[tuple[str, str], int]
    expected: int
    agreeing: int
    failures: int
    cost: Cost
    richness: RichnessSummary

    def reading(self, reading: AnswerReading) -> ReadingSummary:
        """The summary of one reading."""
        return self.paper if reading is AnswerReading.PAPER else self.verdict


Pair = tuple[Question, QuestionOutcome]


def summarize(
    questions: Sequence[Question],
    outcomes: Sequence[QuestionOutcome],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> tuple[FamilySummary, ...]:
    """A summary of each family, in order of name, and behind them that of all questions.

    With one family there is that of all alone.
    """
    families: dict[str, list[Pair]] = {}
    for question, outcome in zip(questions, outcomes, strict=True):
        families.setdefault(question.family, []).append((question, outcome))
    every = [pair for pairs in families.values() for pair in pairs]
    # One family would have the same numbers as all questions.
    parts = sorted(families.items()) if len(families) > 1 else []
    return tuple(
        # A seed of its own for each family: another family must not change its intervals.
        _summary(name, pairs, f"{seed}/{name}", resamples, confidence)
        for name, pairs in [*parts, (ALL, every)]
    )


def _summary(
    family: str, pairs: Sequence[Pair], seed: str, resamples: int, confidence: float
) -> FamilySummary:
    asked = [(question, outcome) for question, outcome in pairs if question.answer is not None]
    to_reject = [outcome for question, outcome in pairs if question.answer is None]
    judged = {reading: [judge(*pair, reading) for pair in asked] for reading in AnswerReading}
    intervals = bootstrap(
        _groups(asked, judged), seed=seed, resamples=resamples, confidence=confidence
    ) or tuple({} for _ in AnswerReading)
    readings = {
        reading: _reading(asked, judged[reading], found)
        for reading, found in zip(AnswerReading, intervals, strict=True)
    }
    checks = [check for pair in pairs for check in _expectations(*pair)]
    return FamilySummary(
        family,
        len(asked),
        sum(len(each.cases) for each in judged[AnswerReading.PAPER]),
        sum(outcome.used is not None for _, outcome in asked),
        sum(_is_executed(*pair) for pair in asked),
        len(to_reject),
        sum(outcome.used is None and outcome.made > 0 for outcome in to_reject),
        readings[AnswerReading.PAPER],
        readings[AnswerReading.VERDICT],
        *_answers(asked),
        len(checks),
        sum(checks),
        sum(bool(outcome.failure) for _, outcome in pairs),
        _cost([outcome for _, outcome in pairs]),
        _richness([outcome for _, outcome in pairs]),
    )


def _groups(
    asked: Sequence[Pair], judged: Mapping[AnswerReading, Sequence[Graded]]
) -> list[tuple[Counts, ...]]:
    """The counts of each group of questions, for each reading."""
    found: dict[str, list[tuple[Counts, ...]]] = {}
    for (question, _), *both in zip(asked, *judged.values(), strict=True):
        found.setdefault(question.group, []).append(tuple(each.counts() for each in both))
    return [tuple(map(total, zip(*rows, strict=True))) for rows in found.values()]


def _reading(
    asked: Sequence[Pair], judged: Sequence[Graded], intervals: Mapping[str, Interval]
) -> ReadingSummary:
    counts = total([Counts(), *(each.counts() for each in judged)])
    metrics = {name: Estimate(rate(counts), intervals.get(name)) for name, rate in METRICS.items()}
    cases = [case for each in judged for case in each.cases]
    return ReadingSummary(counts, metrics, _attempts(asked, judged), _matrix(cases))


def _attempts(asked: Sequence[Pair], judged: Sequence[Graded]) -> tuple[AttemptCount, ...]:
    used = [outcome.used for _, outcome in asked]
    counts = Counter(zip(used, (each.status for each in judged), strict=True))
    return tuple(
        AttemptCount(
            attempt, *(counts[attempt, grade] for grade in (Grade.RIGHT, Grade.WRONG, Grade.ABSTAINED))
        )
        for attempt in sorted({each for each in used if each is not None})
    )


def _matrix(cases: Iterable[Case]) -> dict[tuple[str, str], int]:
    counts = Counter((str(right), NO_ANSWER if answer is None else str(answer)) for right, answer in cases)
    return {
        (right, answer): counts[right, answer] for right in Truth for answer in (*map(str, Truth), NO_ANSWER)
    }


def _answers(asked: Sequence[Pair]) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], int]]:
    """Claims by right answer and verdict, and the same by SAT and UNSAT."""
    verdicts: Counter[tuple[str, str]] = Counter()
    papers: Counter[tuple[str, str]] = Counter()
    for question, outcome in asked:
        for right, name in question.claims():
            claim = outcome.claim(name)
            missing = Verdict.REJECTED if outcome.used is None else Verdict.UNKNOWN
            verdicts[right, missing if claim is None else claim.verdict] += 1
            papers[right, NO_ANSWER if claim is None else claim.paper or NO_ANSWER] += 1
    return (
        {(right, verdict): verdicts[right, verdict] for right in Truth for verdict in VERDICTS},
        {(right, answer): papers[right, answer] for right in Truth for answer in PAPER_ANSWERS},
    )


def _is_executed(question: Question, outcome: QuestionOutcome) -> bool:
    found = [outcome.claim(name) for _, name in question.claims()]
    return all(each is not None and each.paper is not None for each in found)


def _expectations(question: Question, outcome: QuestionOutcome) -> list[bool]:
    """One truth value for each expected verdict: it came out."""
    found = []
    for name, verdict in question.expected:
        claim = outcome.claim(name)
        actual = Verdict.REJECTED if outcome.used is None else claim and claim.verdict
        found.append(actual is verdict)
    return found


def _cost(outcomes: Sequence[QuestionOutcome]) -> Cost:
    samples = [sample for each in outcomes for sample in each.samples]
    spent = total_spent(each.spent for each in outcomes)
    return Cost(
        spent.calls,
        sum(each.reasoning_ms for each in outcomes) / 1000,
        sum(each.verifying_ms for each in outcomes) / 1000,
        spent.prompt_tokens,
        spent.completion_tokens,
        spent.cached_tokens,
        spent.reasoning_tokens,
        spent.dollars,
        sum(each.mended for each in samples),
        sum(bool(each.second_look) for each in samples),
        sum(each.second_look == "changed" for each in samples),
    )


def _richness(outcomes: Sequence[QuestionOutcome]) -> RichnessSummary:
    counts = [sample.richness for each in outcomes for sample in each.samples if sample.richness is not None]
    columns = dict(zip(Richness._fields, zip(*counts, strict=True), strict=True)) if counts else {}
    return RichnessSummary(
        len(counts),
        {name: fmean(column) for name, column in columns.items()},
        {name: float(median(column)) for name, column in columns.items()},
        {name: sum(column) for name, column in columns.items()},
    )


def to_json(summaries: Sequence[FamilySummary]) -> list[dict[str, Any]]:
    """The summaries as JSON values; matrices as nested objects."""
    return [
        {
            **each._asdict(),
            "paper": _reading_json(each.paper),
            "verdict": _reading_json(each.verdict),
            "verdicts": _nested(each.verdicts),
            "paper_answers": _nested(each.paper_answers),
            "cost": each.cost._asdict(),
            "richness": each.richness._asdict(),
        }
        for each in summaries
    ]


def _reading_json(found: ReadingSummary) -> dict[str, Any]:
    metrics = {
        name: {"value": each.value, "interval": None if each.interval is None else list(each.interval)}
        for name, each in found.metrics.items()
    }
    attempts = [each._asdict() for each in found.attempts]
    matrix = _nested(found.matrix)
    return {"counts": found.counts._asdict(), "metrics": metrics, "attempts": attempts, "matrix": matrix}


def _nested(counts: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (first, second), count in counts.items():
        found.setdefault(str(first), {})[str(second)] = count
    return found
