"""The records of a DAG-MATH solution: plain values, in the order of the input."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Step(NamedTuple):
    """One step: justification, premises, conclusion (paper, section 4.1: Edge, Parents, Node).

    `parents` are ids of earlier steps, in the order written; None where the input says null: the step is
    given by the problem or is common knowledge. `formal` is the node as a formula, in the PoT language
    or SymPy text, if given.
    """

    id: int
    edge: str
    parents: tuple[int, ...] | None
    node: str
    formal: str | None = None


class Solution(NamedTuple):
    """The steps of one sample, and what is known of it; the last step concludes ([DAG-LAST]).

    `answer` is the expected one; `correct` says, where the input does, whether the last step gives it.
    """

    steps: tuple[Step, ...]
    problem_id: str | None = None
    problem: str | None = None
    model: str | None = None
    dataset: str | None = None
    sample: int | str | None = None
    difficulty: float | None = None
    answer: str | None = None
    correct: bool | None = None

    @property
    def language(self) -> Literal["dagmath"]:
        """The name of this language, as `potlang.verify` takes it."""
        return "dagmath"
