"""Dependencies between the steps of a solution in prose, by a model (paper, appendix H; [DAG-PROSE])."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from potlang.languages.dagmath.read.records import Solution, Step
from potlang.models.endpoint import EndpointError, Failure, Model, Sampling
from potlang.models.loop.asking import DEFAULT_SAMPLING, Attempt, RetryLoop
from potlang.models.prompts import fill, reasons_prompt
from potlang.models.replies.lists import MOST_STEPS, Dependency, read_dependencies
from potlang.models.replies.schemas import PARENTS, REASONS

Mode = Literal["thinking", "reasons"]
"""The model thinks before it answers, or is to give a reason before each of its answers."""

_MARK = re.compile(
    r"^[ \t]*+(?:[#>*_]{1,6}[ \t]*+)*+Step[ \t]++[0-9]{1,4}\b[^\n]*+$", re.MULTILINE | re.IGNORECASE
)
_NUMBER = re.compile(r"^[ \t]{0,3}(?:[0-9]{1,4}[.)])[ \t]++(?=\S)", re.MULTILINE)
_HEADING = re.compile(r"^[ \t#>*_]*+(?:Step[ \t]++)?[0-9]{1,4}[*_]*+[ \t]*+[.:)\-–—]?[*_]*+", re.IGNORECASE)
_BLANK = re.compile(r"\n[ \t\r]*+\n\s*+")


class Annotated(NamedTuple):
    """The steps with their dependencies, or None and the reason why there are none."""

    solution: Solution | None
    attempts: tuple[Attempt, ...]
    reason: str = ""
    failure: Failure | None = None


def annotate(
    problem: str,
    prose: str | Sequence[str],
    model: Model,
    *,
    mode: Mode = "thinking",
    sampling: Sampling = DEFAULT_SAMPLING,
    answer: str | None = None,
) -> Annotated:
    """The prose as a solution whose dependencies the model finds; with `reasons`, these are the edges.

    `prose` is a text, or the texts of its steps, such as the nodes of another solution; `answer` is the
    expected one. Nothing is repaired: steps that nothing uses stay unclosed.

    >>> import json
    >>> from potlang.dagmath import annotate
    >>> from potlang.models.endpoint import Recorded
    >>> parents = {1: None, 2: [1]}
    >>> steps = [{"step_id": id_, "direct_dependent_steps": each} for id_, each in parents.items()]
    >>> model = Recorded([json.dumps({"steps": steps})])
    >>> found = annotate("2 + 2?", "1. Double 2.\\n2. It is 4.", model)
    >>> [step.parents for step in found.solution.steps]
    [None, (1,)]
    """
    texts = split_steps(prose) if isinstance(prose, str) else prose
    if not 1 <= len(texts) <= MOST_STEPS:
        return Annotated(None, (), f"the solution has {len(texts)} steps, and must have 1 to {MOST_STEPS}")
    ids = range(1, len(texts) + 1)
    steps = [{"step_id": id_, "text": text} for id_, text in zip(ids, texts, strict=True)]
    solved: dict[str, Any] = {"problem_text": problem, "steps": steps}
    prompt = reasons_prompt(solved) if mode == "reasons" else fill("parse_thinking", solved=solved)

    def read(text: str) -> dict[int, Dependency]:
        return read_dependencies(text, ids, reasons=mode == "reasons")

    asker = RetryLoop(sampling)
    schema = REASONS if mode == "reasons" else PARENTS
    try:
        found = asker.until_accepted(lambda: asker.prompted("dependencies", model, prompt, schema, read))
    except EndpointError as error:
        return Annotated(None, tuple(asker.attempts), str(error), error.reason)
    if found is None:
        return Annotated(None, tuple(asker.attempts), "no dependencies are accepted")
    rows = zip(ids, texts, strict=True)
    return Annotated(
        Solution(
            tuple(Step(id_, found[id_].reason, found[id_].parents, text) for id_, text in rows),
            problem=problem,
            answer=answer,
        ),
        tuple(asker.attempts),
    )


def split_steps(prose: str) -> list[str]:
    """The steps of a text: parts under headings `Step k`, else items of a numbered list, else paragraphs.

    What stands before the first heading or item is no step. Marks, numbers and line breaks are left out.
    """
    text = prose.replace("\r\n", "\n").replace("\r", "\n")
    for mark in (_MARK, _NUMBER):
        marks = list(mark.finditer(text))
        # One heading alone divides nothing: it may be a mention of a step.
        if len(marks) > 1:
            ends = [*(each.start() for each in marks[1:]), len(text)]
            parts = [_titled(each[0], text[each.end() : end]) for each, end in zip(marks, ends, strict=True)]
            return [part for part in parts if part]
    return [" ".join(part.split()) for part in _BLANK.split(text) if part.strip()]


def _titled(heading: str, body: str) -> str:
    """The text behind the number in a heading, and the text below it."""
    title = _HEADING.sub("", heading, count=1).strip().strip("*_#").strip()
    return " ".join(f"{title} {body}".split())
