"""Answers in prose, without a program: what the paper compares itself with ([LOOP-BASELINE]).

found = answer("Rex is an iguana. Is Rex a reptile?", model, baseline="cot-sc")
found.answer, found.votes, found.attempts
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeVar, get_args

from potlang.models.endpoint import Image, Model, Sampling
from potlang.models.evaluation.questions import Question, Truth
from potlang.models.evaluation.reasoners import GivenAnswer
from potlang.models.loop.asking import FATAL, Attempt, RetryLoop, is_given_up
from potlang.models.loop.batched import AwaitsBatch, BatchedModel, asked_by
from potlang.models.loop.images import ImageSource, read_images, with_images
from potlang.models.loop.journal import in_parallel
from potlang.models.loop.results import Totals, attempt_to_dict, totals_of
from potlang.models.loop.sampler import MOST, check_question, opened_model
from potlang.models.loop.stages import StageConversation, StageRequest
from potlang.models.programs.doubts import asks_yes_or_no
from potlang.models.programs.loop import check_options
from potlang.models.prompts import Name, fill, template
from potlang.models.replies.extract import BadReply
from potlang.models.replies.lists import read_items
from potlang.models.replies.schemas import SCORES, THOUGHTS, Schema
from potlang.models.replies.stated_answers import stated_answer
from potlang.report.results import Verdict
from potlang.utils.serialize import json_text
from potlang.version import __version__

Baseline = Literal["cot", "cot-sc", "tot", "got"]
"""Chain of thought; several of them, by vote; a tree of thoughts; a graph of thoughts."""
BASELINES: Final[tuple[Baseline, ...]] = get_args(Baseline)

Found = TypeVar("Found")

SYSTEM: Final = (
    "You answer questions by reasoning in words, step by step. The reply has the form that is asked for."
)
_PROMPTS: Final[tuple[Name, ...]] = (
    *("cot", "propose_thoughts", "judge_thoughts", "conclude", "aggregate", "refine"),
)
_AGAIN: Final = "Reply in the form that was asked for, and nothing else."
_TRUTHS: Final = {
    Verdict.ENTAILED: Truth.TRUE,
    Verdict.REFUTED: Truth.FALSE,
    Verdict.UNDETERMINED: Truth.UNCERTAIN,
}
_WORDS: Final = {Truth.TRUE: "yes", Truth.FALSE: "no", Truth.UNCERTAIN: "uncertain"}
_LONGEST_THOUGHT: Final = 2_000
_LONGEST_SOLUTION: Final = 20_000
"""Characters of a solution that others are made of; its end counts, where the answer is."""
_BEST_SCORE: Final = 10


class SearchBounds(NamedTuple):
    """The bounds of a search.

    `k`: solutions that vote, or that are made one. Of a tree: `depth` levels, at each `breadth` proposals for
    each of the `beam` lines of thought that are kept. `rounds`: of improvement in a graph.
    """

    k: int = 5
    depth: int = 3
    breadth: int = 2
    beam: int = 2
    rounds: int = 3


USUAL_BOUNDS: Final = SearchBounds()
USUAL_SAMPLING: Final = Sampling(2)


def most_calls(baseline: Baseline, bounds: SearchBounds, attempts: int) -> int:
    """How many requests there may be for one question, each stage having `attempts`."""
    levels = max(0, bounds.depth - 1) * (bounds.beam + 1) + min(bounds.depth, 1) * 2
    stages = {"cot": 1, "cot-sc": bounds.k, "tot": levels + 1, "got": bounds.k + 1 + bounds.rounds}
    return stages[baseline] * attempts


class ProseSolution(NamedTuple):
    """A text, and the answer that it states at its end."""

    text: str
    answer: Truth | str


class ProseAnswer(NamedTuple):
    """The answer to a question: a truth, the label of an option, or None, for which there is a `reason`.

    `votes` counts the answers of solutions that vote. `text` is the solution that states the answer.
    """

    question: str
    model: str
    baseline: Baseline
    answer: Truth | str | None
    attempts: tuple[Attempt, ...]
    reason: str = ""
    votes: Mapping[str, int] = MappingProxyType({})
    text: str = ""

    @property
    def totals(self) -> Totals:
        """Calls, seconds and tokens of all attempts."""
        return totals_of(self.attempts)

    def to_dict(self) -> dict[str, Any]:
        """All that was asked and answered as JSON values, in the form of `schemas/answered-1.json`."""
        totals = self.totals
        return {
            "potlang": __version__,
            "kind": "answered",
            **self._asdict(),
            "votes": dict(self.votes),
            "attempts": [attempt_to_dict(each) for each in self.attempts],
            "system": SYSTEM,
            "totals": {**totals._asdict(), "seconds": round(totals.seconds, 3)},
        }

    def to_json(self) -> str:
        """`to_dict` as text; characters that cannot be seen are escapes ([REPORT-JSON])."""
        return json_text(self.to_dict())


def answer(
    question: str,
    model: Model | str | None = None,
    *,
    baseline: Baseline = "cot",
    images: Sequence[ImageSource] = (),
    options: Sequence[str] = (),
    yes_or_no: bool | None = None,
    bounds: SearchBounds = USUAL_BOUNDS,
    attempts: int = 2,
    parallel: int = 1,
    temperature: float | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    progress: Callable[[Attempt], object] | None = None,
) -> ProseAnswer:
    """The answer of a model in prose. `attempts` bounds the replies of each stage, `parallel` the solutions
    that are written at a time; the `temperature` is 0.7 by default, but for `cot` the endpoint's. The others
    are those of `reason`.

    What a model or its endpoint does raises nothing: there is then no answer, with the reason and the
    attempts so far. Raises ValueError for a wrong call, MissingExtraError without the extra `models`.
    """
    if baseline not in BASELINES:
        raise ValueError(f"no baseline {baseline!r}; there are {', '.join(BASELINES)}")
    check_question(question, attempts, bounds.k)
    check_options(options)
    if not all(1 <= each <= MOST for each in (*bounds, parallel)):
        raise ValueError(f"the bounds of a search, and `parallel`, are from 1 to {MOST}")
    if temperature is None and baseline != "cot":
        temperature = 0.7
    if yes_or_no is None:
        yes_or_no = asks_yes_or_no(question, options)
    sampling = Sampling(attempts, temperature, max_tokens, timeout, seed)
    with opened_model(model) as asked:
        thinker = _Thinker(
            asked,
            _PosedQuestion(question, read_images(images), tuple(options), yes_or_no),
            sampling,
            progress,
        )
        return thinker.answered(baseline, bounds, parallel)


# --- what is asked -----------------------------------------------------------------------------------


class _PosedQuestion(NamedTuple):
    """A question with its images, and the answers that there are to it."""

    question: str
    images: tuple[Image, ...]
    options: tuple[str, ...]
    yes_or_no: bool

    @property
    def answers(self) -> list[str]:
        """The answers to choose from, in words."""
        if self.options:
            return [*self.options]
        truths = (Truth.TRUE, Truth.FALSE) if self.yes_or_no else Truth
        return [_WORDS[each] for each in truths]

    def read(self, text: str) -> ProseSolution:
        """The answer at the end of a text. Raises BadReply."""
        stated = stated_answer(text, self.options)
        found: Truth | str | None = None
        if stated is not None and self.options:
            found = stated.label
        elif stated is not None:
            found = self._truth(stated.verdicts)
        if found is None:
            raise BadReply(f"it does not end with `Answer:` and one of {', '.join(self.answers)}")
        return ProseSolution(text, found)

    def _truth(self, verdicts: frozenset[Verdict]) -> Truth | None:
        # `Not necessarily` is a no where there is nothing else.
        if self.yes_or_no and len(verdicts) > 1:
            verdicts = verdicts - {Verdict.UNDETERMINED}
        return _TRUTHS[next(iter(verdicts))] if len(verdicts) == 1 else None


class _Thinker:
    """Asks a model about one question; `attempts` are all that there were."""

    def __init__(
        self,
        model: Model,
        posed: _PosedQuestion,
        sampling: Sampling,
        progress: Callable[[Attempt], object] | None,
    ) -> None:
        self.structured = True
        self._model = model
        self._posed = posed
        self._sampling = sampling
        self._progress = progress

    def answered(self, baseline: Baseline, bounds: SearchBounds, parallel: int) -> ProseAnswer:
        """The answer by a baseline."""
        if baseline == "tot":
            asker = RetryLoop(self._sampling, self._progress)
            return self._of(baseline, _ThoughtTree(self, asker, bounds).solution(), asker.attempts)
        if baseline == "got":
            return self._by_graph(bounds, parallel)
        return self._by_vote(baseline, bounds.k if baseline == "cot-sc" else 1, parallel)

    def ask(
        self,
        asker: RetryLoop,
        stage: str,
        prompt: str,
        read: Callable[[str], Found],
        schema: Schema | None = None,
    ) -> Found | None:
        """The reading of a reply; None without one. Nothing is asked once the endpoint has failed."""
        if is_given_up(asker.attempts):
            return None
        request = StageRequest(with_images(prompt, self._posed.images), read, _AGAIN, schema)
        return asker.converse(self._model, StageConversation(SYSTEM, request, self, asker), stage=stage)

    def solved(self, asker: RetryLoop, stage: str, name: Name, **fields: object) -> ProseSolution | None:
        """A solution by the prompt of this name."""
        prompt = fill(name, question=self._posed.question, answers=self._posed.answers, **fields)
        return self.ask(asker, stage, prompt, self._posed.read)

    @property
    def question(self) -> str:
        """The question."""
        return self._posed.question

    def _solutions(self, k: int, parallel: int) -> tuple[list[ProseSolution], list[Attempt]]:
        """Up to `k` chains of thought, and their attempts; none is begun after the endpoint has failed."""
        failed = awaits = False

        def one(number: int) -> tuple[int, RetryLoop, ProseSolution | None]:
            nonlocal failed, awaits
            seed, tries = self._sampling.seed, self._sampling.tries
            # Seeds that do not depend on how many are written at a time.
            apart = self._sampling._replace(seed=None if seed is None else seed + number * tries)
            asker = RetryLoop(apart, self._progress)
            found = None
            try:
                found = None if failed else self.solved(asker, "thought", "cot")
            except AwaitsBatch:
                awaits = True
            failed = failed or is_given_up(asker.attempts)
            return number, asker, found

        done = sorted(in_parallel(one, range(k), parallel), key=lambda each: each[0])
        if awaits:
            raise AwaitsBatch
        return (
            [found for _, _, found in done if found is not None],
            [each for _, asker, _ in done for each in asker.attempts],
        )

    def _by_vote(self, baseline: Baseline, k: int, parallel: int) -> ProseAnswer:
        solutions, attempts = self._solutions(k, parallel)
        chosen, votes = _elected(solutions)
        return self._of(baseline, chosen, attempts, votes)

    def _by_graph(self, bounds: SearchBounds, parallel: int) -> ProseAnswer:
        """Solutions, one made of them, and that improved until nothing changes."""
        solutions, attempts = self._solutions(bounds.k, parallel)
        chosen, votes = _elected(solutions)
        seed = self._sampling.seed
        later = None if seed is None else seed + bounds.k * self._sampling.tries
        asker = RetryLoop(self._sampling._replace(seed=later), self._progress)
        if solutions and not is_given_up(attempts):
            texts = [each.text[-_LONGEST_SOLUTION:] for each in solutions]
            # Where none is made of them, the one with the most votes is improved.
            chosen = self.solved(asker, "aggregate", "aggregate", solutions=texts) or chosen or solutions[0]
            for _ in range(bounds.rounds):
                text = chosen.text[-_LONGEST_SOLUTION:]
                refined = self.solved(asker, "refine", "refine", solution=text)
                if refined is None or refined.text.split() == chosen.text.split():
                    break
                chosen = refined
        return self._of("got", chosen, [*attempts, *asker.attempts], votes)

    def _of(
        self,
        baseline: Baseline,
        chosen: ProseSolution | None,
        attempts: Sequence[Attempt],
        votes: Mapping[str, int] = MappingProxyType({}),
    ) -> ProseAnswer:
        found = ProseAnswer(
            self._posed.question, self._model.name, baseline, None, tuple(attempts), votes=votes
        )
        if chosen is not None:
            return found._replace(answer=chosen.answer, text=chosen.text)
        counts = ", ".join(f"{count} {name}" for name, count in votes.items())
        return found._replace(
            reason=f"the solutions do not agree: {counts}" if votes else attempts[-1].problem
        )


def _elected(solutions: Sequence[ProseSolution]) -> tuple[ProseSolution | None, dict[str, int]]:
    """The first solution with the answer that most have, None where two have as many; and the counts."""
    votes = Counter(each.answer for each in solutions)
    best = votes.most_common(2)
    counts = {str(each): count for each, count in votes.most_common()}
    if not best or (len(best) == 2 and best[0][1] == best[1][1]):
        return None, counts
    return next(each for each in solutions if each.answer == best[0][0]), counts


# --- trees -------------------------------------------------------------------------------------------

_Line = tuple[str, ...]
"""Thoughts in their order."""


class _ThoughtTree:
    """A search of bounded depth, breadth and beam through lines of thought ([LOOP-BASELINE-TREE])."""

    def __init__(self, thinker: _Thinker, asker: RetryLoop, bounds: SearchBounds) -> None:
        self._thinker = thinker
        self._asker = asker
        self._bounds = bounds

    def solution(self) -> ProseSolution | None:
        """The conclusion from the best line."""
        best: list[_Line] = [()]
        for _ in range(self._bounds.depth):
            grown = [(*line, thought) for line in best for thought in self._proposed(line)]
            if not grown:
                break
            best = self._kept(grown)
        return self._thinker.solved(self._asker, "conclusion", "conclude", thoughts=[*best[0]])

    def _proposed(self, line: _Line) -> list[str]:
        """The thoughts that may follow a line."""
        breadth = self._bounds.breadth

        def read(text: str) -> list[str]:
            items = [each for each in read_items(text, "thoughts") if isinstance(each, str) and each.strip()]
            if not items:
                raise BadReply("there are no thoughts in it")
            return [each.strip()[:_LONGEST_THOUGHT] for each in dict.fromkeys(items)][:breadth]

        prompt = fill("propose_thoughts", question=self._thinker.question, thoughts=[*line], count=breadth)
        return self._thinker.ask(self._asker, "proposal", prompt, read, THOUGHTS) or []

    def _kept(self, lines: list[_Line]) -> list[_Line]:
        """The best lines by the model's own scores; the first ones where it gives none that can be read."""
        if len(lines) == 1:
            return lines

        def read(text: str) -> list[float]:
            scores = read_items(text, "scores")
            if len(scores) != len(lines) or not all(map(_is_score, scores)):
                raise BadReply(f"it does not have {len(lines)} numbers from 0 to {_BEST_SCORE}")
            return [float(each) for each in scores]

        prompt = fill("judge_thoughts", question=self._thinker.question, lines=[[*each] for each in lines])
        scores = self._thinker.ask(self._asker, "evaluation", prompt, read, SCORES)
        order = sorted(range(len(lines)), key=lambda at: 0 if scores is None else -scores[at])
        return [lines[at] for at in order[: self._bounds.beam]]


def _is_score(value: object) -> bool:
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return is_number and 0 <= value <= _BEST_SCORE  # type: ignore[operator]


# --- in an evaluation --------------------------------------------------------------------------------


class AnsweringModel:
    """A model that answers in prose by a baseline: an `Answerer`. `place` says where the model is."""

    def __init__(
        self,
        model: Model,
        baseline: Baseline,
        sampling: Sampling = USUAL_SAMPLING,
        *,
        bounds: SearchBounds = USUAL_BOUNDS,
        place: str = "",
    ) -> None:
        self._model = model
        self._baseline: Baseline = baseline
        self._sampling = sampling
        self._bounds = bounds
        self._ended = ""
        shown = [*map(template, _PROMPTS)]
        parts = [model.name, place, baseline, list(sampling), list(bounds), SYSTEM, shown]
        self._digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def fingerprint(self, question: Question) -> str:
        """A digest of the model's name and place, of baseline, bounds and settings, and the labels."""
        return json.dumps([self._digest, [each.label for each in question.options]])

    def answer_to(self, question: Question) -> GivenAnswer:
        """The answer, with what it took. Nothing is asked after a failure that no further call can mend.

        Raises AwaitsBatch.
        """
        if self._ended or not question.text.strip():
            return GivenAnswer(None, failure=self._ended)
        tries, temperature, max_tokens, timeout, seed = self._sampling
        found = answer(
            question.text,
            asked_by(self._model, f"{self.fingerprint(question)} {question.id}"),
            baseline=self._baseline,
            options=[each.label for each in question.options],
            bounds=self._bounds,
            attempts=tries,
            temperature=temperature,
            max_tokens=max_tokens,
            timeout=timeout,
            seed=seed,
        )
        last = found.attempts[-1]
        failure = "" if last.failure is None else last.problem
        # In a batch the other replies are there, too.
        if last.failure in FATAL and not isinstance(self._model, BatchedModel):
            self._ended = failure
        return GivenAnswer(found.answer, found.attempts, found.votes, failure)
