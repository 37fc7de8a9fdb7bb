"""Solutions as models write them, right and wrong, for tests of those who ask."""

from __future__ import annotations

import json
from typing import Any

PROBLEM = "Ann has 3 bags with 4 apples each. She eats 2 apples. How many are left?"
STEPS: tuple[dict[str, Any], ...] = (
    {"step_id": 1, "edge": "Given.", "direct_dependent_steps": None, "node": "Ann has $3$ bags."},
    {"step_id": 2, "edge": "Given.", "direct_dependent_steps": None, "node": "A bag has $4$ apples."},
    {"step_id": 3, "edge": "Given.", "direct_dependent_steps": None, "node": "Ann eats $2$ apples."},
    {
        "step_id": 4,
        "edge": "The bags of Step 1 times the apples of Step 2.",
        "direct_dependent_steps": [1, 2],
        "node": "There are $3 \\cdot 4 = 12$ apples.",
    },
    {
        "step_id": 5,
        "edge": "What she eats in Step 3 is taken from Step 4.",
        "direct_dependent_steps": [3, 4],
        "node": "There are $12 - 2 = 10$ apples left.",
    },
    {
        "step_id": 6,
        "edge": "This is Step 5.",
        "direct_dependent_steps": [5],
        "node": "The final answer is $\\boxed{10}$.",
    },
)


def solution(first: int = 1, last: int = 6, **changed: str | tuple[str, Any]) -> str:
    """A reply with some of the steps; `step_4="…"` changes a node, `step_4=("key", value)` another part."""
    steps = []
    for each in STEPS[first - 1 : last]:
        change = changed.get(f"step_{each['step_id']}", ())
        part = ("node", change) if isinstance(change, str) else change
        steps.append({**each, **(dict([part]) if part else {})})
    return json.dumps({"steps": steps})


GOOD = solution()
WRONG = solution(
    step_4="There are $3 \\cdot 4 = 13$ apples.",
    step_5="There are $13 - 2 = 11$ apples left.",
    step_6="The final answer is $\\boxed{11}$.",
)
"""Step 4 calculates wrongly."""
GUESSED = solution(
    step_5="There are $47 - 35 = 12$ apples left.", step_6="The final answer is $\\boxed{12}$."
)
"""Step 5 is true, and its numbers come from nowhere."""
UNUSED = solution(step_5=("direct_dependent_steps", [4]))
CYCLIC = solution(step_4=("direct_dependent_steps", [1, 5]))
OPEN_END = solution(step_6="There are ten apples left.")
"""Without an answer in a box."""
