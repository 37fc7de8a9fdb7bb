"""The finding on a text under a policy, by translations that agree ([POLICY-TEXT]).

check_text(program, "I bought it 20 days ago, so I may return it.", model).finding
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from enum import StrEnum
from typing import Any, NamedTuple

from potlang.diag.wording import counted
from potlang.languages.pot.claims import verify_claims
from potlang.languages.pot.program import Program
from potlang.languages.pot.report import Report
from potlang.models.endpoint import Model, Sampling
from potlang.models.loop.results import SampledReplies
from potlang.models.loop.sampler import MOST, check_question, opened_model, samples_of
from potlang.models.programs.writer import Progress
from potlang.models.replies.extract import BadReply
from potlang.policy.cases import Case, CaseFact
from potlang.policy.placing import CorePlace, case_places, report_with_places
from potlang.policy.texts.formulas import compiled_with, read_formula
from potlang.policy.texts.parts import QuotableText, TextPart
from potlang.policy.texts.readings import Readings, SeparatingCase, TextReading, conjunction, readings_of
from potlang.policy.texts.render import lines_of
from potlang.policy.texts.translation import Translation, find_translation, read_translation
from potlang.policy.texts.translator import TranslationSample, Translator
from potlang.prove.options import Trust
from potlang.report.base import to_plain
from potlang.report.results import Limits, Verdict
from potlang.sema.emit import Writer
from potlang.version import __version__
from potlang.words.orders import order_conflict

SAMPLES = 3
THRESHOLD = 1.0
_TEMPERATURE = 0.7
"""Of several samples, unless another is asked for: those of temperature 0 agree without meaning it."""


class TextFinding(StrEnum):
    """The finding about a text under a policy ([POLICY-TEXT-FINDING])."""

    VALID = "valid"
    INVALID = "invalid"
    SATISFIABLE = "satisfiable"
    IMPOSSIBLE = "impossible"
    AMBIGUOUS = "ambiguous"
    TOO_COMPLEX = "too complex"
    NO_TRANSLATION = "no translation"

    @property
    def is_decided(self) -> bool:
        """Whether enough translations agree, and solvers decided what they say."""
        return self not in (TextFinding.AMBIGUOUS, TextFinding.TOO_COMPLEX, TextFinding.NO_TRANSLATION)


class TextCheckValues(NamedTuple):
    """The finding on a text, and all that it rests on.

    `readings` are the translations by what they mean, the most frequent first; `report` has the verdicts on
    the claims of the first, if that is decided on. `untranslated` are the parts of the text that none of its
    formulas translates: no verdict covers them. Of an ambiguous text `separating` is a case that tells
    the first two readings apart.
    """

    text: str
    model: str
    """The names of the models, with commas between them."""
    finding: TextFinding
    reason: str
    threshold: float
    samples: tuple[TranslationSample, ...]
    readings: Readings
    report: Report | None = None
    separating: SeparatingCase | None = None
    untranslated: tuple[TextPart, ...] = ()
    version: str = __version__


class TextCheck(TextCheckValues, SampledReplies):
    """The finding on a text: the values of `TextCheckValues` with the face of `SampledReplies`."""

    __slots__ = ()

    @property
    def reading(self) -> TextReading | None:
        """The reading that the finding is about; None where no reading is decided on."""
        return self.readings.classes[0] if self.report is not None else None

    @property
    def share(self) -> float:
        """The share of the samples that the most frequent reading has."""
        classes = self.readings.classes
        return len(classes[0].members) / len(self.samples) if classes else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The finding with its evidence, and the whole transcript, as JSON values."""
        return {
            "potlang": self.version,
            "kind": "text check",
            "text": self.text,
            "model": self.model,
            "finding": str(self.finding),
            "reason": self.reason,
            "threshold": self.threshold,
            "share": round(self.share, 4),
            "untranslated": to_plain(self.untranslated),
            "readings": [
                {"samples": list(each.members), "translation": each.translation.to_dict()}
                for each in self.readings.classes
            ],
            "separating": to_plain(self.separating),
            "comparisons": to_plain(self.readings.comparisons),
            "report": None if self.report is None else self.report.to_dict(),
            "samples": [each.to_dict() for each in self.samples],
            "totals": self._totals_as_json,
        }

    def render(self, *, color: bool = False) -> str:
        """The finding, the readings, the report and the cost, as lines of text."""
        return "\n".join(lines_of(self, color=color)) + "\n"


def check_text(
    program: Program,
    text: str,
    model: Model | str | Sequence[Model | str | None] | None = None,
    *,
    case: Case | dict[str, Any] | None = None,
    samples: int | None = None,
    threshold: float = THRESHOLD,
    attempts: int = 3,
    parallel: int = 1,
    limits: Limits = Limits(),
    trust: Trust = "best",
    temperature: float | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> TextCheck:
    """The finding on a text that a model translates several times into the policy's words.

    `program` is the policy, `case` what is known beside it. `model`: one, or the name of one at the endpoint
    of the environment ([ENDPOINT-ENV]), or several of these, which take turns. `threshold` is the share of
    `samples` (3, or one of each model if these are more) that must mean the same. `attempts`
    bounds the replies for one translation; `parallel` is how many are written at a time. The total limit of
    `limits` holds for the comparisons, and for the claims. `temperature` (0.7 by default, for one sample the
    model's own), `max_tokens`, `timeout` and `seed` go to the model.

    What a model or its endpoint does raises nothing: the finding is then `no translation`, with the reason
    and the attempts so far. Raises ValueError for a wrong call, MissingExtraError without the extra `models`.
    """
    named = [*model] if isinstance(model, Sequence) and not isinstance(model, str) else [model]
    if not named:
        raise ValueError("there is no model to ask")
    samples = max(SAMPLES, len(named)) if samples is None else samples
    check_question(text, attempts, samples, parallel=parallel, trust=trust)
    check_threshold(threshold)
    if temperature is None and samples > 1:
        temperature = _TEMPERATURE
    sampling = Sampling(attempts, temperature, max_tokens, timeout, seed)
    known = _KnownCase.of(program, case)
    with ExitStack() as opened:
        models = [opened.enter_context(opened_model(each)) for each in named]
        translators = [Translator(each, known.program, text, sampling, progress=progress) for each in models]

        def sample(number: int) -> TranslationSample:
            return translators[number % len(translators)].sample(number)

        found = samples_of(sample, samples, parallel=parallel)
        names = [each.name for each in models]
    # Samples that were not begun after a failure of the endpoint agree with nothing.
    missing = [TranslationSample((), None, "the endpoint failed before")] * (samples - len(found))
    all_names = ", ".join(dict.fromkeys(names))
    return _checked(known, text, all_names, [*found, *missing], threshold, limits, trust)


def check_translations(
    program: Program,
    text: str,
    translations: Sequence[Any],
    *,
    case: Case | dict[str, Any] | None = None,
    threshold: float = THRESHOLD,
    limits: Limits = Limits(),
    trust: Trust = "best",
) -> TextCheck:
    """The finding on a text with these translations: JSON values as models write them, or whole replies.

    One that is no translation of the text into the policy's words counts as a sample that agrees with none.
    Raises ValueError for a wrong call, CompileError for a case that does not fit.
    """
    if not 1 <= len(translations) <= MOST:
        raise ValueError(f"there are 1 to {MOST} translations")
    check_question(text, 1, len(translations), trust=trust)
    check_threshold(threshold)
    known = _KnownCase.of(program, case)
    quotable = QuotableText(text)
    samples = []
    for value in translations:
        try:
            read = find_translation if isinstance(value, str) else read_translation
            samples.append(TranslationSample((), read(value, quotable, known.program)))
        except BadReply as error:
            samples.append(TranslationSample((), None, str(error)))
    return _checked(known, text, "", samples, threshold, limits, trust)


def check_threshold(threshold: float) -> None:
    """Raises ValueError for a share that is none."""
    if not 0 < threshold <= 1:
        raise ValueError("`threshold` is a share above 0, and at most 1")


# --- the finding -------------------------------------------------------------------------------------


class _KnownCase(NamedTuple):
    """A policy with a case, and the places in it of the case's facts."""

    program: Program
    places: dict[str, CorePlace]

    @classmethod
    def of(cls, program: Program, case: Case | dict[str, Any] | None) -> _KnownCase:
        """Raises CompileError for a case that does not fit."""
        if case is None:
            return cls(program, {})
        applied, facts = Case.of(case).applied_with_places(program)
        return cls(applied, case_places(facts))


class _Decided(NamedTuple):
    finding: TextFinding
    reason: str = ""
    report: Report | None = None


def _checked(
    known: _KnownCase,
    text: str,
    model: str,
    samples: Sequence[TranslationSample],
    threshold: float,
    limits: Limits,
    trust: Trust,
) -> TextCheck:
    numbers = [at for at, each in enumerate(samples) if each.translation is not None]
    translations = [each.translation for each in samples if each.translation is not None]
    quotable = QuotableText(text)
    readings = readings_of(known.program, translations, limits, trust).numbered(numbers)
    readings = _with_representatives(readings, samples, quotable)
    needed = threshold * len(samples)
    decided = _agreed(readings, samples, needed)
    if decided is None:
        reading = readings.classes[0].translation
        decided = _at_odds(known.program, reading, text) or _verdicts(known, reading, limits, trust)
    separating = None
    if decided.finding is TextFinding.AMBIGUOUS and len(readings.classes) > 1:
        separating = readings.separating(0, 1)
    untranslated: Sequence[TextPart] = ()
    if decided.report is not None:
        untranslated = readings.classes[0].translation.untranslated(quotable)
    return TextCheck(
        text,
        model,
        decided.finding,
        decided.reason,
        threshold,
        tuple(samples),
        readings,
        decided.report,
        separating,
        tuple(untranslated),
    )


def _with_representatives(
    readings: Readings, samples: Sequence[TranslationSample], text: QuotableText
) -> Readings:
    """The readings, each with that of its translations which leaves least of the text out."""

    def best(reading: TextReading) -> TextReading:
        members = [each for each in (samples[at].translation for at in reading.members) if each is not None]
        return reading._replace(translation=min(members, key=left_out))

    def left_out(translation: Translation) -> int:
        return sum(len(part.text) for part in translation.untranslated(text))

    return readings._replace(classes=tuple(map(best, readings.classes)))


def _agreed(readings: Readings, samples: Sequence[TranslationSample], needed: float) -> _Decided | None:
    """None where enough translations agree on one reading that says something; else why they do not."""
    translated = sum(len(each.members) for each in readings.classes)
    if not readings.classes:
        return _Decided(TextFinding.NO_TRANSLATION, samples[-1].problem)
    first, *others = readings.classes
    if _meets(len(first.members), needed) and all(len(each.members) < len(first.members) for each in others):
        if first.translation.formulas:
            return None
        return _Decided(TextFinding.NO_TRANSLATION, "the text says nothing in the policy's words")
    unknown = [each.found.reason for each in readings.comparisons if each.found.same is None]
    if unknown and any(_meets(readings.most(each), needed) for each in readings.classes):
        return _Decided(TextFinding.TOO_COMPLEX, f"the translations could not be compared: {unknown[0]}")
    if not others:
        missing = f"{translated} of {counted(len(samples), 'reply', 'replies')} can be used"
        problem = next(each.problem for each in samples if each.translation is None)
        return _Decided(TextFinding.NO_TRANSLATION, f"{missing}: {problem}")
    most = f"{len(first.members)} of {counted(len(samples), 'translation')}"
    return _Decided(TextFinding.AMBIGUOUS, f"the most frequent reading has {most}")


def _at_odds(program: Program, translation: Translation, text: str) -> _Decided | None:
    """`ambiguous` where the text's own words are at odds with a reading, else None ([POLICY-TEXT-ORDER])."""
    whole = compiled_with(program, translation.individuals)
    conflict = order_conflict(text, [read_formula(whole, each.formula) for each in translation.formulas])
    if conflict is None:
        return None
    reason = f"the translations agree, but {conflict.described(Writer(whole.module).term)}"
    return _Decided(TextFinding.AMBIGUOUS, reason)


def _meets(members: int, needed: float) -> bool:
    # Shares such as 0.6 of 5 are no exact numbers.
    return members >= needed - 1e-9


def _verdicts(known: _KnownCase, translation: Translation, limits: Limits, trust: Trust) -> _Decided:
    """The finding on one translation, with the report on its claims."""
    whole, facts = Case.of(translation.case).applied_with_places(known.program)
    places = known.places | _premise_places(facts, translation)
    decided = _decided(whole, [each.formula for each in translation.claims], limits, trust)
    if decided.report is None:
        return decided
    report = report_with_places(decided.report, places)
    return decided._replace(
        report=report, reason=decided.reason or _apart_from_policy(decided.finding, report)
    )


def _apart_from_policy(finding: TextFinding, report: Report) -> str:
    """Words for a finding that rests on nothing of the policy; empty for others."""
    verdict = {TextFinding.VALID: Verdict.ENTAILED, TextFinding.INVALID: Verdict.REFUTED}.get(finding)
    cores = [each.evidence.core for each in report.results if each.verdict is verdict]
    if cores and all(core is not None and all(each.kind == "premise" for each in core) for core in cores):
        return "that follows from the text by itself; no fact and no rule of the policy has a part in it"
    return ""


def _premise_places(facts: Mapping[str, CaseFact], translation: Translation) -> dict[str, CorePlace]:
    """The places of premises: in the translation, with the words of the text for a name."""
    return {
        place: CorePlace(f"/premises/{at}", "premise", "; ".join(translation.premises[at].words))
        for place, fact in facts.items()
        if (at := int(fact.pointer.rpartition("/")[2])) < len(translation.premises)
    }


def _decided(whole: Program, claims: Sequence[str], limits: Limits, trust: Trust) -> _Decided:
    report = verify_claims(whole, claims or ["True"], limits, trust)
    verdicts = {each.verdict for each in report.results}
    if Verdict.INCONSISTENT in verdicts:
        return _Decided(TextFinding.IMPOSSIBLE, "policy and premises contradict each other", report)
    if not claims and verdicts == {Verdict.ENTAILED}:
        return _Decided(TextFinding.SATISFIABLE, "the text claims nothing; what it says is possible", report)
    if len(claims) > 1 and verdicts == {Verdict.UNDETERMINED}:
        # Each may be possible by itself, and all together not.
        report = verify_claims(whole, [*claims, conjunction(claims)], limits, trust)
        verdicts = {each.verdict for each in report.results}
    if Verdict.REFUTED in verdicts:
        return _Decided(TextFinding.INVALID, "", report)
    if Verdict.UNKNOWN in verdicts:
        reasons = sorted({each.reason for each in report.results if each.reason})
        return _Decided(TextFinding.TOO_COMPLEX, ", ".join(reasons), report)
    if verdicts == {Verdict.ENTAILED}:
        return _Decided(TextFinding.VALID, "", report)
    return _Decided(TextFinding.SATISFIABLE, "", report)
