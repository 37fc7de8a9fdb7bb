"""Closeness as a reward for training, and as a hint for search (paper, appendix J)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from potlang.diag import Sink
from potlang.ir.graphs import reachable_from
from potlang.languages.dagmath.check.graph import BrokenGraphError, Graph
from potlang.languages.dagmath.check.metrics import shape_of
from potlang.languages.dagmath.read.boxed import boxed_answer
from potlang.languages.dagmath.read.reader import Source, read_solution
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.solve.answers import AnswerJudge, given_judge

Advice = Literal["close", "prune"]


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


def reward(
    solution: Solution | Source,
    *,
    closeness: float = 0.5,
    partial: float = 0.1,
    required: float = 0.0,
    judge: AnswerJudge | None = None,
) -> float:
    """A number from 0 to 1: 1 of a perfect solution, 0 of a malformed one ([DAG-REWARD]).

    With f the closed share: 1 − closeness · (1 − f) if the answer is right and f is at least `required`,
    else partial · f. `required` is meant to grow in training (appendix J). A solution that says neither
    `correct` nor `answer` counts as not right. Raises ValueError unless all three weights are in [0, 1]
    and `partial` is at most 1 − `closeness`, so that no wrong answer is worth more than a right one.
    """
    if not all(0 <= each <= 1 for each in (closeness, partial, required)) or partial > 1 - closeness:
        raise ValueError("weights are from 0 to 1, and partial is at most 1 - closeness")
    read = solution if isinstance(solution, Solution) else read_solution(solution, Sink()).solution
    if read is None:
        return 0.0
    try:
        share = float(shape_of(read.steps).share)
    except BrokenGraphError:
        return 0.0
    if share >= required and _is_right(read, judge):
        return 1 - closeness * (1 - share)
    return partial * share


def _is_right(solution: Solution, judge: AnswerJudge | None) -> bool:
    if solution.correct is not None:
        return solution.correct
    if solution.answer is None:
        return False
    with given_judge(judge) as comparing:
        return comparing.judge(boxed_answer(solution.steps[-1].node), solution.answer).correct


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
