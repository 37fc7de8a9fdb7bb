"""The reader and `schemas/dagmath-1.json` accept the same solutions."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from statements import Property
from strategies.json_places import places

from potlang.diag import Sink
from potlang.languages.dagmath.read.reader import read_solution
from potlang.languages.dagmath.write import solution_value
from potlang.testing.solutions import solution

ROOT = Path(__file__).parents[2]
OF_THE_GRAPH = {"POT7002", "POT7003", "POT7004", "POT7005", "POT7010"}
"""What a schema cannot say: that ids are unique, that parents come before, that braces balance."""
KEYS = (
    *("step_id", "edge", "direct_dependent_steps", "node", "text", "thinking", "reason", "prop", "steps"),
    *("problem_id", "problem_text", "final_answer", "answer", "sample", "difficulty", "correct", "extra"),
)
VALUES = (
    *(
        None,
        True,
        False,
        0,
        7,
        -1,
        1.0,
        1.5,
        10**9,
        10**9 + 1,
        "",
        " ",
        "x",
        "3",
        "null",
        [],
        [1],
        ["1"],
        [None],
    ),
    *([1.0], [1.5], {}, {"step_id": 1}, [[]], [{"step_id": 1, "direct_dependent_steps": None, "text": "t"}]),
)


@cache
def validator() -> Draft202012Validator:
    schema = json.loads((ROOT / "schemas/dagmath-1.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def agree(value: object) -> None:
    """[DAG-SCHEMA]: what the schema rejects is reported, and what it accepts is not, but for the graph."""
    read_solution(value, sink := Sink(limit=10_000))  # type: ignore[arg-type]
    found = [each for each in sink.diagnostics() if each.code not in OF_THE_GRAPH]
    errors = [f"{list(each.absolute_path)}: {each.message}" for each in validator().iter_errors(value)]
    assert bool(found) == bool(errors), (value, found, errors)


def mutated(random: Random) -> object:
    """A solution's value with at most three changes."""
    value: dict[str, Any] = solution_value(solution(random, most=4, formatted=False))
    for _ in range(random.randint(0, 3)):
        spots = places(value)
        if not spots:
            break
        holder, key = random.choice(spots)
        change = random.randint(0, 3)
        if change == 0:
            holder[key] = copy.deepcopy(random.choice(VALUES))
        elif change == 1:
            del holder[key]
        elif isinstance(holder, dict) and change == 2:
            holder[random.choice(KEYS)] = copy.deepcopy(random.choice(VALUES))
        elif isinstance(holder, dict):
            holder[random.choice(KEYS)] = holder.pop(key)
        else:
            holder.append(copy.deepcopy(random.choice(VALUES)))
    return value


MUTATED = st.randoms(use_true_random=False).map(mutated)
ANY_JSON = st.recursive(
    st.sampled_from(VALUES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=6,
)
test_mutated, test_mutated_deep = Property(agree, MUTATED, quick=400).tests()
test_any_json, test_any_json_deep = Property(
    agree, ANY_JSON.filter(lambda v: isinstance(v, dict | list)), quick=200
).tests()


def test_both_verdicts_are_common() -> None:
    """The property above would say little of solutions that are all valid, or all invalid."""
    random = Random(5)
    valid = sum(validator().is_valid(mutated(random)) for _ in range(400))
    assert 80 < valid < 320
