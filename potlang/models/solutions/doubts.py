"""Doubts about a solution, for which a model is asked to look at it again ([LOOP-DAG-SECOND])."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any, Final

from potlang.languages.dagmath.render import remarks
from potlang.languages.dagmath.results import SolutionResult, StepEntry, StepVerdict
from potlang.models.programs.doubts import Doubt
from potlang.models.truncate import truncate_to_budget
from potlang.report.text import listed

_MOST: Final = 5
"""Doubts of one kind that a model is told of."""


class SolutionDoubt(IntEnum):
    """The kinds of doubt, the gravest last."""

    UNUSED = 1
    NO_GROUND = 2
    CONTRADICTORY = 3
    REFUTED = 4


def doubts_about_solution(report: SolutionResult) -> list[Doubt]:
    """The doubts about a solution whose steps were checked, the gravest first."""
    ungrounded = "does not follow from the steps that it rests on"
    return [
        *_of_steps(report, StepVerdict.REFUTED, SolutionDoubt.REFUTED, "is wrong"),
        *_contradictory(report),
        *_of_steps(report, StepVerdict.NOT_ENTAILED, SolutionDoubt.NO_GROUND, ungrounded),
        *_unused(report),
    ]


def _of_steps(
    report: SolutionResult, verdict: StepVerdict, kind: SolutionDoubt, said: str
) -> Iterator[Doubt]:
    """A doubt for each step with a verdict, of which so much is `said`."""
    for step in _with(report, verdict):
        yield Doubt(kind, f"Step {step.id} {said}: {_why(step)}.", _shown(step, report))


def _contradictory(report: SolutionResult) -> list[Doubt]:
    if not report.contradiction:
        return []
    named = f"The steps {listed(report.contradiction)} are taken from the problem and contradict each other."
    nodes = {str(step.id): step.node for step in report.steps if step.id in report.contradiction}
    return [Doubt(SolutionDoubt.CONTRADICTORY, named, truncate_to_budget({"steps": nodes}))]


def _unused(report: SolutionResult) -> list[Doubt]:
    if not report.unclosed:
        return []
    ids = listed(each.id for each in report.unclosed)
    said = f"No later step uses these steps: {ids}. Each step but the last is to be used, or left out."
    return [Doubt(SolutionDoubt.UNUSED, said)]


def _with(report: SolutionResult, verdict: StepVerdict) -> Iterator[StepEntry]:
    found = (step for step in report.steps if step.result is not None and step.result.verdict is verdict)
    # The first wrong step spoils what rests on it.
    yield from list(found)[:_MOST]


def _why(step: StepEntry) -> str:
    return "; ".join(remarks(step)).rstrip(".") or "as far as it was read"


def _shown(step: StepEntry, report: SolutionResult) -> dict[str, Any]:
    """The step, what it rests on, and the relations in it that do not hold."""
    nodes = {each.id: each.node for each in report.steps}
    result = step.result
    false = [] if result is None else [each.text for each in result.relations if each.truth == "false"]
    value = {
        "step": step.id,
        "node": step.node,
        "rests_on": {str(each): nodes[each] for each in step.parents or () if each in nodes},
        **({"false": false} if false else {}),
    }
    return truncate_to_budget(value)
