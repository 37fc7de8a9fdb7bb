"""The reward of solutions in the shapes in which trainers and evaluation harnesses call it ([DAG-TRAINERS]).

Nothing here needs a trainer to be installed. A `Rewarder` can be pickled and used by any number of threads.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final

from potlang.languages.dagmath.solve.answers import SECONDS, shared_checker
from potlang.processes.children import MOST_AT_ONCE
from potlang.score.rewards import CompletionReward, Reference, assess, check_weights
from potlang.utils.extra import MissingExtraError

_LOG: Final = logging.getLogger(__name__)
_PASSED_BY_VERL: Final = ("reward_router_address", "reward_model_tokenizer")


@dataclass(frozen=True)
class Rewarder:
    """The weights of `assess`, the time for one answer, and how a trainer is told that there is no verdict.

    `column` is where TRL's data set has the expected answers. `undecided` is for trainers that take no None:
    `compute_score` has it for an item without a verdict, and then says beside the score which these are.
    """

    closeness: float = 0.5
    partial: float = 0.1
    required: float = 0.0
    seconds: float = SECONDS
    column: str = "answer"
    undecided: float | None = None

    def __post_init__(self) -> None:
        check_weights(self.closeness, self.partial, self.required)

    def detail(self, completion: object, answer: Reference) -> CompletionReward:
        """The reward of one completion, a text or a chat, with its reason.

        Whatever goes wrong costs this one alone: there is no verdict, and the log has the traceback. Raises
        MissingExtraError, since that would go wrong with every other one too.
        """
        try:
            return assess(
                text_of(completion),
                answer=() if answer is None else answer,
                closeness=self.closeness,
                partial=self.partial,
                required=self.required,
                judge=shared_checker(self.seconds),
            )
        except MissingExtraError:
            raise
        except Exception as error:
            _LOG.exception("no reward for a completion")
            return CompletionReward(None, f"{type(error).__name__}: {error}")

    def details(self, completions: Iterable[object], answers: Iterable[Reference]) -> list[CompletionReward]:
        """The rewards of completions, in their order. Raises ValueError if there are not as many answers."""
        pairs = list(zip(completions, answers, strict=True))
        if len(pairs) < 2:
            return [self.detail(*pair) for pair in pairs]
        # One more than can be judged at once: it reads meanwhile.
        with ThreadPoolExecutor(MOST_AT_ONCE + 1) as threads:
            return list(threads.map(self.detail, *zip(*pairs, strict=True)))

    def rewards(self, completions: Iterable[object], answers: Iterable[Reference]) -> list[float | None]:
        """The values of `details`."""
        return [each.value for each in self.details(completions, answers)]

    def trl_reward(
        self, prompts: object = None, completions: Sequence[object] = (), **columns: Any
    ) -> list[float | None]:
        """As a reward function of TRL: `GRPOTrainer(reward_funcs=[trl_reward], …)`.

        Raises ValueError if the data set has no column of expected answers.
        """
        if self.column not in columns:
            raise ValueError(
                f"no column `{self.column}` has the expected answers; Rewarder(column=…) names it"
            )
        found = self.details(completions, columns[self.column])
        if callable(log_metric := columns.get("log_metric")) and found:
            log_metric("dagmath_undecided", sum(each.value is None for each in found) / len(found))
        if callable(log_extra := columns.get("log_extra")):
            log_extra("dagmath_reason", [each.reason for each in found])
        return [each.value for each in found]

    def compute_score(
        self,
        data_source: object,
        solution_str: str,
        ground_truth: Reference,
        extra_info: object = None,
        **options: Any,
    ) -> float | dict[str, float | str] | None:
        """As verl's `compute_score`; `options` (its `reward_kwargs`) are the fields of this class.

        With `undecided` the result has `score`, `decided` (0 or 1) and `reason`, the same keys for each.
        """
        rewarder = self._with(options)
        return rewarder._score(rewarder.detail(solution_str, ground_truth))

    def compute_scores(
        self,
        data_sources: object,
        solution_strs: Iterable[str],
        ground_truths: Iterable[Reference],
        extra_infos: object = None,
        **options: Any,
    ) -> list[float | dict[str, float | str] | None]:
        """As verl's batch reward manager calls it; see `compute_score`."""
        rewarder = self._with(options)
        return [rewarder._score(each) for each in rewarder.details(solution_strs, ground_truths)]

    def rubric_reward(
        self, prompt: object, completion: object, answer: Reference, state: object = None
    ) -> float | None:
        """As a reward function of `verifiers`: `Rubric(funcs=[rubric_reward])`."""
        return self.detail(completion, answer).value

    def _with(self, options: Mapping[str, Any]) -> Rewarder:
        ours = {name: value for name, value in options.items() if name not in _PASSED_BY_VERL}
        return replace(self, **ours) if ours else self

    def _score(self, found: CompletionReward) -> float | dict[str, float | str] | None:
        if self.undecided is None:
            return found.value
        score = self.undecided if found.value is None else found.value
        return {"score": score, "decided": float(found.value is not None), "reason": found.reason}


def text_of(completion: object) -> str:
    """The text of a completion: itself, or what the assistant says last in a chat; empty if nothing is said.

    Raises TypeError for anything else.
    """
    if completion is None or isinstance(completion, str):
        return completion or ""
    messages = completion if isinstance(completion, Sequence) else [completion]
    for message in reversed(messages):
        if _member(message, "role") in ("assistant", None):
            return _content(_member(message, "content"))
    return ""


def _member(message: object, name: str) -> object:
    if isinstance(message, Mapping):
        return message.get(name)
    if not hasattr(message, "content"):
        raise TypeError(f"a completion is a text or messages, not {type(message).__name__}")
    return getattr(message, name, None)


def _content(content: object) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, Sequence):
        raise TypeError(f"the content of a message is a text or parts, not {type(content).__name__}")
    texts = [each if isinstance(each, str) else each.get("text") for each in content]
    return "".join(each for each in texts if isinstance(each, str))


DEFAULT: Final = Rewarder()
trl_reward: Final = DEFAULT.trl_reward
compute_score: Final = DEFAULT.compute_score
compute_scores: Final = DEFAULT.compute_scores
rubric_reward: Final = DEFAULT.rubric_reward
