"""The transcript of one question of an evaluation, from its results file ([VIEW-QUESTION])."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from potlang.diag.near import nearest
from potlang.languages.dagmath.read.samples import read_lines
from potlang.models.evaluation.judging import AnswerReading, Grade, judge
from potlang.models.evaluation.outcome import QuestionOutcome
from potlang.models.evaluation.outcomes import SECOND
from potlang.models.evaluation.questions import Question
from potlang.models.evaluation.results_file import LINE_LIMITS, UNREADABLE, KeptSample, read_entry
from potlang.models.loop.asking import Attempt
from potlang.models.loop.transcripts import (
    BadTranscript,
    ReadSample,
    ReadTranscript,
    ReportedVerdict,
    VoteCount,
)
from potlang.report.text import listed
from potlang.version import __version__

_GRADES: Final = {
    Grade.RIGHT: "is right",
    Grade.WRONG: "is wrong",
    Grade.ABSTAINED: "gives no answer",
    Grade.FAILED: "has no program",
}


class _Kept(NamedTuple):
    """The lines of a file on one question, and the ids of all."""

    question: Question | None
    outcome: QuestionOutcome | None
    samples: Sequence[KeptSample]
    model: str
    system: str
    ids: Sequence[str]


def question_transcript(path: Path, id_: str) -> ReadTranscript:
    """The transcript of the question with this id: what the model was asked last for it, and what came of it.

    Raises BadTranscript for a question of which there are no replies, and OSError.
    """
    kept = _kept(path, id_)
    if not kept.samples:
        raise BadTranscript(_missing(kept, id_))
    samples = kept.samples
    if kept.outcome is not None and kept.outcome.samples:
        # More of them may have voted in an earlier run.
        samples = samples[: len(kept.outcome.samples)]
    question = kept.question or Question(id_, "", None, "", "")
    outcome = kept.outcome or QuestionOutcome(id_, "", 0, None, ())
    is_prose = bool(kept.outcome) and not outcome.samples
    chosen = 0 if len(samples) == 1 else outcome.chosen
    return ReadTranscript(
        "answer" if is_prose else "program",
        question.text or id_,
        kept.model,
        kept.system,
        _verdict(outcome, chosen),
        _elected(question, outcome),
        outcome.failure,
        None,
        tuple(VoteCount(*each) for each in outcome.votes),
        "",
        chosen if chosen is not None and chosen < len(samples) else None,
        tuple(_sample(at, each, outcome, at == chosen) for at, each in enumerate(samples)),
        __version__,
        _expected(question, kept.outcome),
    )


def _kept(path: Path, id_: str) -> _Kept:
    question: Question | None = None
    outcome: QuestionOutcome | None = None
    samples: dict[str, dict[int, KeptSample]] = {}
    model = prompt = last = ""
    prompts: dict[str, str] = {}
    ids: dict[str, None] = {}
    with path.open("rb") as stream:
        for _, line in read_lines(stream, LINE_LIMITS):
            try:
                value = json.loads(line)
                _, entry = read_entry(value)
            except UNREADABLE:
                continue
            if isinstance(entry, Question):
                ids[entry.id] = None
                question = entry if entry.id == id_ else question
            elif isinstance(entry, QuestionOutcome):
                outcome = entry if entry.id == id_ else outcome
            elif isinstance(entry, KeptSample) and value.get("question") == id_:
                last, model, prompt = (str(value.get(name, "")) for name in ("key", "model", "prompt"))
                samples.setdefault(last, {})[int(value["number"])] = entry
            elif value["kind"] == "prompt":
                prompts[str(value["key"])] = str(value.get("text", ""))
    found = samples.get(last, {})
    return _Kept(
        question, outcome, [found[at] for at in sorted(found)], model, prompts.get(prompt, ""), [*ids]
    )


def _missing(kept: _Kept, id_: str) -> str:
    if kept.question is not None:
        return f"there are no replies to the question `{id_}`: no model was asked for it"
    near = nearest(id_, kept.ids, 1)
    if near:
        return f"there is no question `{id_}`; did you mean `{near[0]}`?"
    return f"there is no question `{id_}` among {listed(f'`{each}`' for each in kept.ids) or 'none'}"


def _verdict(outcome: QuestionOutcome, chosen: int | None) -> str:
    """The verdict of the program that was chosen; of an answer in prose the one that says so much."""
    if outcome.samples:
        is_known = chosen is not None and chosen < len(outcome.samples)
        return outcome.samples[chosen or 0].verdict if is_known else "unknown"
    return str(outcome.claims[0][1].verdict) if outcome.claims else "unknown"


def _elected(question: Question, outcome: QuestionOutcome) -> str:
    """The label of the option with the most votes, which are for verifications."""
    labels = {each.verification: each.label for each in question.options}
    best = sorted(((count, name) for name, count in outcome.votes), reverse=True)[:2]
    is_tie = len(best) == 2 and best[0][0] == best[1][0]
    return labels.get(best[0][1], "") if best and not is_tie else ""


def _expected(question: Question, outcome: QuestionOutcome | None) -> str:
    """The right answer, and how the outcome is graded by its verdicts, as a sentence."""
    if question.answer is None or outcome is None:
        return ""
    grade = judge(question, outcome, AnswerReading.VERDICT).status
    return f"The right answer is {question.answer}; the run {_GRADES[grade]}."


def _sample(at: int, kept: KeptSample, outcome: QuestionOutcome, is_chosen: bool) -> ReadSample:
    decided = outcome.samples[at] if at < len(outcome.samples) else None
    claims = [ReportedVerdict(name, str(each.verdict), "") for name, each in outcome.claims]
    return ReadSample(
        kept.attempts,
        _standing(kept.attempts, with_second=decided is None or decided.second_look != "kept"),
        _verdict(outcome, at),
        kept.failure,
        tuple(claims) if is_chosen else (),
    )


def _standing(attempts: Sequence[Attempt], *, with_second: bool) -> str:
    """The program that was accepted last, that of a second look if it stands."""
    for each in reversed(attempts):
        is_accepted = each.program is not None and not each.problem and each.failure is None
        if is_accepted and (with_second or each.stage != SECOND):
            return each.program or ""
    return ""
