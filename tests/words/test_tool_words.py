"""Sentences in the answers of the tool."""

from __future__ import annotations

import json

import jsonschema
from test_report_words import rental

from potlang import tool

SCHEMA = tool.answer_schema()


def test_words_are_an_argument() -> None:
    """Rule [TOOL-WORDS]."""
    program = rental({"constraint": "rents(ann)"})
    answer = tool.call({"program": program, "words": True})
    jsonschema.validate(answer, SCHEMA)
    assert answer["results"][0]["words"][:3] == [
        "ann may rent a car.",
        "This is so, because of what is assumed:",
        "- fact 1: The age of ann is 30.",
    ]
    assert "words" not in tool.call({"program": program})["results"][0]
    assert tool.call({"program": program, "words": "yes"})["error"] == "wrong_type"


def test_words_of_optima_and_within_the_budget() -> None:
    """Rules [TOOL-WORDS], [TOOL-BUDGET]."""
    section = {
        "objectives": [{"type": "minimize", "expression": "age(bob)"}],
        "constraints": ["age(bob) > 3"],
    }
    answer = tool.call({"program": rental(optimization=section), "words": True})
    jsonschema.validate(answer, SCHEMA)
    assert answer["words"][0] == "The least possible value of the age of bob is 4."
    many = [{"name": str(number), "constraint": f"age(ann) > {number}"} for number in range(25)]
    short = tool.call({"program": rental(*many), "words": True}, budget=600)
    jsonschema.validate(short, SCHEMA)
    assert len(json.dumps(short)) <= 4 * 600 and short["left_out"]
