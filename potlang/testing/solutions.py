"""DAG-MATH solutions: well-formed ones, in every form, and damaged copies of their texts."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.write import solution_value, write_json, write_text
from potlang.testing import damage

_NODES = (
    "$x = {0}$.",
    "Cycling speed is ${0}r$ km/h.",
    r"The area is $\frac{{{0}}}{{49}}$, i.e. a share of the whole.",
    "Points $A$, $B$ lie on a line",
    "Die Länge ist {0} 🙂.",
)
_FORMALS = {"$x = {0}$.": "x == {0}"}
"""Nodes with the formula that says the same."""
_EDGES = ("We use {0}.", "From {0} it follows.", "By {0}, and since $k > 0$, both hold.")


def solution(random: Random, *, most: int = 8, formatted: bool = True) -> Solution:
    """A solution of at most `most` steps that is a graph; `formatted`: nothing is to be said against it.

    Otherwise it may have unclosed steps, edges that are empty or cite nothing, and any last sentence.
    """
    count = random.randint(1, most)
    ids = sorted(random.sample(range(1, 3 * count + 1), count))
    parents: list[list[int]] = [[] for _ in range(count)]
    for at in range(count - 1):
        if formatted or random.random() < 0.6:
            parents[random.randint(at + 1, count - 1)].append(at)
    for at in range(1, count):
        parents[at] = sorted({*parents[at], *random.sample(range(at), random.randint(0, min(2, at)))})
    steps = [_step(random, ids, at, parents[at], formatted) for at in range(count)]
    if formatted:
        answer = rf"The final answer is $\boxed{{{random.randint(0, 99)}}}$."
        steps[-1] = steps[-1]._replace(node=answer, formal=None)
    return Solution(tuple(steps), **_metadata(random))


def _step(random: Random, ids: list[int], at: int, parents: list[int], formatted: bool) -> Step:
    names = ", ".join(f"Step {ids[parent]}" for parent in parents) or "the problem"
    edge = random.choice(_EDGES).format(names)
    if not formatted:
        edge = random.choice([edge, "", "Steps 1 and 2 say so.", "It is clear."])
    given = None if formatted or random.random() < 0.5 else ()
    shape, number = random.choice(_NODES), random.randint(0, 99)
    formal = random.choice([None, _FORMALS.get(shape)]) if formatted else random.choice([None, None, "x > 1"])
    return Step(
        ids[at],
        edge,
        tuple(ids[parent] for parent in parents) if parents else given,
        shape.format(number),
        None if formal is None else formal.format(number),
    )


def _metadata(random: Random) -> dict[str, Any]:
    values: dict[str, list[Any]] = {
        "problem_id": ["p1", "aime-2025-i-3"],
        "problem": ["How many?", "What is $2x$?"],
        "model": ["m", "a model: it"],
        "dataset": ["AIME 2025"],
        "sample": [0, 31, "s-1"],
        "difficulty": [0.5, 5.0, -1.0],
        "answer": ["588", r"\frac{1}{2}", "12:1"],
        "correct": [True, False],
    }
    return {name: random.choice(found) for name, found in values.items() if random.random() < 0.4}


def solutions(*, formatted: bool = True) -> SearchStrategy[Solution]:
    """Solutions as `solution` makes them."""
    return st.randoms(use_true_random=False).map(lambda random: solution(random, formatted=formatted))


@st.composite
def damaged_solutions(draw: DrawFn) -> str:
    """The text of a solution in one of its forms, with one mistake or with several."""
    random = draw(st.randoms(use_true_random=False))
    found = solution(random, formatted=False)
    match draw(st.integers(0, 3)):
        case 0:
            return draw(damage.damaged(solution_value(found)))
        case 1:
            text = write_json(found, indent=draw(st.sampled_from([None, 1])))
        case 2:
            text = f"Sure:\n```json\n{json.dumps(solution_value(found)['steps'])}\n```\nDone."
        case _:
            text = write_text(found, bold=draw(st.booleans()))
    for _ in range(draw(st.integers(1, 3))):
        text = _cut_and_pasted(random, text)
    return text


def _cut_and_pasted(random: Random, text: str) -> str:
    """The text with a piece left out, doubled, or put elsewhere."""
    start = random.randint(0, len(text))
    end = random.randint(start, min(len(text), start + random.choice([1, 5, 80])))
    piece, rest = text[start:end], text[:start] + text[end:]
    at = random.randint(0, len(rest))
    return random.choice([rest, rest[:at] + piece + rest[at:], text[:at] + piece + text[at:]])
