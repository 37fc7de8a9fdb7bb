"""The names of strategies, what each has by default, and how much each asks at most ([LOOP-STRATEGY])."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, get_args

StrategyName = Literal["plain", "self-consistency", "self-refine", "decomposed", "least-to-most"]
STRATEGIES: Final[tuple[StrategyName, ...]] = get_args(StrategyName)

MOST_REFINEMENTS: Final = 2
"""Rounds of criticism and rewriting."""
MOST_QUESTIONS: Final = 5
"""Questions that a question is taken apart into, itself counted."""


class Preset(NamedTuple):
    """The defaults of a strategy: programs that vote, how many at a time, and the temperature."""

    k: int = 1
    parallel: int = 1
    temperature: float | None = None


def preset(strategy: StrategyName) -> Preset:
    """The preset of a strategy. Five samples are those of the paper's baselines."""
    return Preset(5, 5, 0.7) if strategy == "self-consistency" else Preset()


def most_requests(strategy: StrategyName, attempts: int) -> int:
    """How many requests there may be for one program, each stage having `attempts`."""
    stages = {"self-refine": 1 + 2 * MOST_REFINEMENTS, "decomposed": 2, "least-to-most": 1 + MOST_QUESTIONS}
    return stages.get(strategy, 1) * attempts
