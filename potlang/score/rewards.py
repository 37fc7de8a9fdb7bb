"""Closeness as a reward for training, and as a hint for search (paper, appendix J)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, Final, Literal, NamedTuple

from potlang.diag import Sink
from potlang.ir.graphs import reachable_from
from potlang.languages.dagmath.check.graph import BrokenGraphError, Graph
from potlang.languages.dagmath.check.metrics import shape_of
from potlang.languages.dagmath.read.boxed import boxed_answer
from potlang.languages.dagmath.read.reader import Source, read_solution
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.solve.answers import AnswerJudge, given_judge
from potlang.reading.replies import ends_of_thoughts
from potlang.utils.extra import needed

Advice = Literal["close", "prune"]
LONGEST: Final = 1_000_000
"""Characters of a completion; there is no verdict on a longer one."""


class OpenStep(NamedTuple):
    """A step, by id, that no later one uses yet; `idle` steps have been written since.

    `branch` are the steps that serve it alone, itself among them: what goes with it if it is pruned.
    """

    id: int
    idle: int
    branch: tuple[int, ...]
    advice: Advice


class PruneHint(NamedTuple):
    """The open steps of a partial solution but the last, oldest first.

    `prune` has all steps that no step to be kept rests on. A next step that uses all in `close` leaves,
    once those in `prune` are gone, a closed solution.
    """

    open_steps: tuple[OpenStep, ...]
    close: tuple[int, ...]
    prune: tuple[int, ...]


Reference = str | float | Real | Iterable[object] | None
"""An expected answer: text or a number; one of several; or None, where there is none."""


class CompletionReward(NamedTuple):
    """The reward of a completion, from 0 to 1, and in words why it is not 1.

    `value` is None where there is no verdict, and `correct` where nobody could tell or nothing was asked.
    """

    value: float | None
    reason: str = ""
    correct: bool | None = None
    share: float | None = None


def reward(solution: Solution | Source, *, answer: Reference = None, **given: Any) -> float | None:
    r"""A number from 0 to 1: 1 of a perfect solution, 0 of a malformed one ([DAG-REWARD]).

    None is no verdict: nobody could tell whether the answer is right. See `assess` for what else can be
    `given`.

    >>> from potlang.dagmath import reward
    >>> reward("Step 1\nEdge: Given.\nParents: none\nNode: The final answer is \\boxed{4}.", answer=4)
    1.0
    """
    return assess(solution, answer=answer, **given).value


def assess(
    solution: Solution | Source,
    *,
    answer: Reference = None,
    closeness: float = 0.5,
    partial: float = 0.1,
    required: float = 0.0,
    judge: AnswerJudge | None = None,
) -> CompletionReward:
    r"""The reward of a solution with what it rests on.

    With f the closed share: 1 − closeness · (1 − f) if the answer is right and f is at least `required`,
    else partial · f. `required` is meant to grow in training (appendix J). `answer` is the expected one: of
    several any is right, and of a text in which it stands in a box or behind `####` that counts. What a text
    says of itself by `answer` or `correct` never counts; what a `Solution` does, only without `answer`. With
    neither it counts as not right. Raises ValueError unless all three weights are in [0, 1] and `partial` is
    at most 1 − `closeness`, so that no wrong answer is worth more than a right one, and MissingExtraError
    where the library that compares answers is needed and not there.
    """
    check_weights(closeness, partial, required)
    expected = _references(answer)
    if isinstance(solution, str | bytes) and len(solution) > LONGEST:
        return CompletionReward(None, f"longer than {LONGEST} characters")
    if isinstance(solution, Solution):
        read = solution
    else:
        sink = Sink()
        found = read_solution(_behind_thoughts(solution), sink).solution
        if found is None:
            return CompletionReward(0.0, f"malformed: {sink.diagnostics()[0].code}", False)
        read = found._replace(answer=None, correct=None)
    try:
        share = float(shape_of(read.steps).share)
    except BrokenGraphError as broken:
        return CompletionReward(0.0, f"malformed: {broken}", False)
    correct, reason = _judged(read, expected, judge)
    if correct is None and expected is not None:
        return CompletionReward(None, reason, None, share)
    if correct and share >= required:
        value = 1 - closeness * (1 - share)
        return CompletionReward(value, "" if share == 1 else "not closed", True, share)
    return CompletionReward(partial * share, reason or "less closed than is required", correct, share)


def check_weights(closeness: float, partial: float, required: float) -> None:
    """Raises ValueError where a reward were not from 0 to 1, or that of a wrong answer the greater one."""
    if not all(0 <= each <= 1 for each in (closeness, partial, required)) or partial > 1 - closeness:
        raise ValueError("weights are from 0 to 1, and partial is at most 1 - closeness")


def _behind_thoughts(source: Source) -> Source:
    """A text from where its last thought ends; of any other source all."""
    ends = ends_of_thoughts(source) if isinstance(source, str) else []
    return source[ends[-1] :] if isinstance(source, str) and ends else source


def _judged(
    solution: Solution, expected: Sequence[str] | None, judge: AnswerJudge | None
) -> tuple[bool | None, str]:
    """Whether the answer is right, None where that is not known; and why it is not known to be."""
    if expected is None:
        if solution.correct is not None:
            return solution.correct, "" if solution.correct else "the answer is wrong"
        if solution.answer is None:
            return None, "no answer is expected"
        expected = (solution.answer,)
    given = boxed_answer(solution.steps[-1].node)
    undecided = wrong = ""
    with given_judge(judge) as comparing:
        for each in expected:
            judged = comparing.judge(given, each)
            if judged.correct:
                return True, ""
            if judged.is_missing:
                needed("math_verify")
            if judged.is_undecided:
                undecided = judged.note
            else:
                wrong = judged.note or "the answer is wrong"
    # One of several that nobody could compare may be the one that is given.
    if undecided or not wrong:
        return None, undecided or "no answer is expected"
    return False, wrong


def _references(answer: Reference) -> tuple[str, ...] | None:
    """The expected answers as texts, without those that tables leave open; None if `answer` is None."""
    if answer is None:
        return None
    several: Iterable[object] = [answer]
    if isinstance(answer, Iterable) and not isinstance(answer, str | Mapping):
        several = answer
    # What is not there is None, or a number that is not itself.
    return tuple(_reference(each) for each in several if each is not None and each == each)


def _reference(answer: object) -> str:
    if isinstance(answer, bool) or not isinstance(answer, str | Real):
        raise TypeError(f"an expected answer is a text or a number, not {type(answer).__name__}")
    # GSM8K has a whole solution, whose answer is behind this sign.
    return str(answer).rpartition("####")[2].strip()


def prune_hint(solution: Solution, patience: int = 5) -> PruneHint:
    """The hint for a search on its open steps, the last one excepted ([DAG-PRUNE]).

    A derived step is to be pruned, with what serves only such steps, if more than `patience` steps
    were written since and it is not used; all other open steps are to be closed by using them. Raises
    BrokenGraphError.
    """
    graph = Graph.of(solution)
    ids = [step.id for step in solution.steps]
    branches = _branches(graph)
    found = tuple(_open_steps(graph, ids, branches, patience))
    close = tuple(each.id for each in found if each.advice == "close")
    kept = reachable_from([len(ids) - 1, *(ids.index(each) for each in close)], graph.parents.__getitem__)
    return PruneHint(found, close, tuple(ids[step] for step in range(len(ids)) if step not in kept))


def _open_steps(
    graph: Graph, ids: list[int], branches: dict[int, list[int]], patience: int
) -> Iterator[OpenStep]:
    last = len(ids) - 1
    for step in graph.unclosed():
        idle = last - step
        advice: Advice = "prune" if graph.parents[step] and idle > patience else "close"
        yield OpenStep(ids[step], idle, tuple(ids[each] for each in branches[step]), advice)


def _branches(graph: Graph) -> dict[int, list[int]]:
    """For each sink the steps that serve no other sink, in order."""
    count = len(graph.parents)
    serves: list[int | None] = [None] * count
    shared = [False] * count
    # Backwards: all that use a step are seen before it, and it serves a sink alone if all of them do.
    for step in range(count - 1, -1, -1):
        if serves[step] is None:
            serves[step] = step
        for parent in graph.parents[step]:
            if shared[step] or serves[parent] not in (None, serves[step]):
                shared[parent] = True
            serves[parent] = serves[step]
    found: dict[int, list[int]] = {step: [] for step in graph.sinks()}
    for step in range(count):
        sink = serves[step]
        if sink is not None and not shared[step]:
            found[sink].append(step)
    return found
