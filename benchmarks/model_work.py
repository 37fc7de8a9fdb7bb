"""What a small model is asked to write, and what is found of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

from small_model import SmallModel  # noqa: E402
from ways import Exact, Free, Task, Text  # noqa: E402

from potlang.decoding import TokenMasker, TokenVocabulary, TraceGoal  # noqa: E402
from potlang.dot import Validator, verify  # noqa: E402
from potlang.generate.traces import Difficulty, synthesize  # noqa: E402
from potlang.languages.dot.stream.validator import StreamStatus  # noqa: E402
from potlang.models.trace_prompting import trace_system_prompt  # noqa: E402
from potlang.report.results import Limits  # noqa: E402

GOAL = TraceGoal(end=True, critique=True)
LIMITS = Limits(check_ms=5_000, total_ms=20_000)
_EASY = Difficulty(depth=1, width=2, wrong=0.0, refine=0.0)

Judgement = dict[str, bool]


class Work(NamedTuple):
    """The prompt of all texts, the texts, the ways to hold the model, and what is asked of a text."""

    prompt: Sequence[int]
    tasks: Sequence[Task]
    ways: Mapping[str, Callable[[Task], Text]]
    judge: Callable[[bytes], Judgement]


def traces(
    model: SmallModel, vocabulary: TokenVocabulary, problems: int, seeds: int, most: int, temperature: float
) -> Work:
    """Traces about problems of two kinds, each from several seeds."""
    encode = model.tokenizer.encode
    begun = []
    for index in range(problems):
        kind = "horn" if index % 2 else "arithmetic"
        [sample] = synthesize(1, 1_000 + index, kind=kind, difficulty=_EASY)
        block, mark, _ = sample.trace.partition("@node id=2 ")
        assert mark
        begun.append(encode(block))
    tasks = [
        Task(f"{index}.{seed}", (), tuple(tokens), 100 * index + seed)
        for seed in range(seeds)
        for index, tokens in enumerate(begun)
    ]
    prompt = model.prompt([{"role": "user", "content": trace_system_prompt(go_on=True)}])
    options = {"vocabulary": vocabulary, "most": most, "temperature": temperature}
    ways: dict[str, Callable[[Task], Text]] = {
        "exact mask": partial(Exact, **options, start=TokenMasker(vocabulary, goal=GOAL, max_tokens=most)),
        "nothing": partial(Free, **options),
    }
    return Work(prompt, tasks, ways, judge_trace)


def judge_trace(data: bytes) -> Judgement:
    """Whether nothing is wrong up to its end; whether it is whole, has reached the goal, is established."""
    plain, goal = (_status(data, each) for each in (TraceGoal(), GOAL))
    report = verify(data, trust="solver", limits=LIMITS)
    return {
        "unbroken": plain != "invalid",
        "well formed": plain == "complete",
        "complete": goal == "complete",
        "established": goal == "complete" and report.ok,
    }


def _status(data: bytes, goal: TraceGoal) -> StreamStatus:
    return Validator(goal=goal).push(data)
