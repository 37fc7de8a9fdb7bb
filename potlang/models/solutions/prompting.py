"""Messages to models on the solutions that they wrote: faults, doubts, how to go on ([LOOP-DAG-WRITE])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from potlang.models.programs.doubts import Doubt, doubts_text
from potlang.models.prompts import refusal_prompt

_ALONE: Final = (
    "Reply with the whole solution, corrected, as one JSON object with `steps`, in the form that was asked "
    "for, and nothing else."
)


def solution_repair_prompt(problem: str, diagnostics: Sequence[Mapping[str, Any]] = ()) -> str:
    """The problem of the last reply, and its diagnostics with their fixes."""
    return refusal_prompt(problem, diagnostics, _ALONE)


def going_on_prompt(last: int) -> str:
    """Asks for the rest of a solution that broke off behind a step."""
    return (
        f"Your reply broke off at its greatest length. Its steps up to step {last} are kept. Go on from "
        f"there: reply with one JSON object whose `steps` are the steps from {last + 1} on, in the same "
        "form, to the final answer, and nothing else. Earlier steps may be used by their ids."
    )


def doubtful_solution_prompt(doubts: Sequence[Doubt]) -> str:
    """The doubts about a solution with their facts, and what may be replied."""
    ending = (
        "If a step is right all the same, keep it as it is; if all are, reply with the same solution. "
        f"Otherwise solve the problem anew from the first step that is wrong. {_ALONE}"
    )
    opening = "The steps of this solution were checked by solvers. Look at it once more:"
    return "\n\n".join([opening, *doubts_text(doubts), ending])
