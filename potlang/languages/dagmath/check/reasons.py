"""Why a step is likely to be unclosed, from graph and text alone ([DAG-REASON]; paper, appendix B.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.read.records import Step

MOST_BRANCH = 100
"""Steps of an abandoned branch that are named."""
_FIGURE = re.compile(r"[0-9]|\\(?:frac|sqrt|pi|infty)\b")


class Reason(StrEnum):
    """Why no later step uses a step."""

    IMPLICIT = "implicit"
    """A given without a figure: later steps may rest on it without citing it."""
    RESTATED = "restated"
    """A given with figures that is not needed."""
    COMMENTARY = "commentary"
    """Derived in one step from steps that the answer rests on: a remark."""
    ABANDONED = "abandoned"
    """The end of a derivation of several steps that leads nowhere."""


PHRASES = {
    Reason.IMPLICIT: "a given without figures: later steps may use it and not say so",
    Reason.RESTATED: "a given that the answer does not need",
    Reason.COMMENTARY: "a remark on earlier steps that the answer does not need",
    Reason.ABANDONED: "the end of a strategy that was given up",
}


class Unclosed(NamedTuple):
    """An unclosed step by position, its likely reason, and the derived steps that lead to it alone.

    Those are listed for an abandoned strategy, in order, the step itself at the end; at most 100 of them.
    """

    step: int
    reason: Reason
    branch: tuple[int, ...] = ()


def unclosed_steps(steps: Sequence[Step], graph: Graph) -> list[Unclosed]:
    """The unclosed steps in order, with reasons; `graph` is that of the steps."""
    last = len(steps) - 1
    needed = graph.ancestors(last) | {last}
    return [_unclosed(step, steps, graph, needed) for step in graph.unclosed()]


def _unclosed(step: int, steps: Sequence[Step], graph: Graph, needed: set[int]) -> Unclosed:
    if not graph.parents[step]:
        figures = _FIGURE.search(steps[step].node) is not None
        return Unclosed(step, Reason.RESTATED if figures else Reason.IMPLICIT)
    branch = _branch(step, graph, needed)
    if len(branch) > 1:
        return Unclosed(step, Reason.ABANDONED, branch)
    return Unclosed(step, Reason.COMMENTARY)


def _branch(step: int, graph: Graph, needed: set[int]) -> tuple[int, ...]:
    """The derived steps that a step rests on, itself among them, and the answer does not."""
    found = {step}
    waiting = [step]
    while waiting and len(found) < MOST_BRANCH:
        for parent in graph.parents[waiting.pop()]:
            if parent not in needed and parent not in found and graph.parents[parent]:
                found.add(parent)
                waiting.append(parent)
    return tuple(sorted(found))
