"""What the tool says of the language: its definition, and the operation `reference`."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import jsonschema
import pytest

import potlang
from potlang import tool
from potlang.languages.pot.library import packs
from potlang.models.programs.topics import topic, topics

ANSWER = jsonschema.Draft202012Validator(tool.answer_schema())


def called(arguments: Any) -> dict[str, Any]:
    """A call's answer, as its schema says."""
    answer: dict[str, Any] = dict(tool.call(arguments))
    ANSWER.validate(answer)
    return answer


@pytest.mark.parametrize("name", [*topics(), *(each.name for each in packs())])
def test_each_topic_fits_an_answer(name: str) -> None:
    """[TOOL-REFERENCE]"""
    found = called({"operation": "reference", "topic": name})
    assert found["status"] == "ok" and found["text"] == topic(name)
    assert "left_out" not in found


@pytest.mark.parametrize("name", [*topics(), *(each.name for each in packs())])
def test_what_topics_show_compiles(name: str) -> None:
    """[TOOL-REFERENCE]"""
    for block in re.findall(r"```json\n(.*?)```", topic(name), re.DOTALL):
        assert potlang.check(block).program is not None, block


def test_topics_are_named_where_one_is_needed() -> None:
    """[TOOL-REFERENCE], [TOOL-MISTAKE]"""
    assert all(each in called({"operation": "reference"})["text"] for each in topics())
    found = called({"operation": "reference", "topic": "datez"})
    assert (found["error"], found["help"]) == ("unknown_topic", "did you mean dates?")
    assert "std/graph/tree" in called({"operation": "reference", "topic": "std/graph/tre"})["help"]
    assert called({"operation": "reference", "topic": 3})["error"] == "wrong_type"
    declared = tool.parameters()["properties"]["topic"]["description"]
    assert all(re.search(rf"\b{each}\b", declared) for each in topics())


def test_formulas_and_the_program_of_the_definition_compile() -> None:
    """[TOOL-DEFINITION]"""
    example = tool.DESCRIPTION.partition("Example: ")[2]
    found = potlang.verify(example)
    assert (found.verdict, found.diagnostics) == ("entailed", ())
    letters = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["T"], "range": "Bool"} for name in "PQ"],
        "constants": [
            {"name": sort, "sort": sort, "members": members}
            for sort, members in {
                "Bool": ["p", "q", "r"],
                "Int": ["n"],
                "T": ["x", "y", "a", "b"],
                "Date": ["d"],
                "Money(USD)": ["m"],
            }.items()
        ],
        "semantics": {"closed_domain": True},
    }
    formulas = re.findall(r"`([^`]+)`", tool.DESCRIPTION.partition("Formulas: ")[2].partition("Example")[0])
    assert len(formulas) >= 10
    for formula in formulas:
        text = f"{formula} == {formula}" if formula.startswith("Distinct") else formula
        potlang.compile({**letters, "verifications": [{"constraint": text}]})


MOST_CHARACTERS = {"openai": 9_300, "anthropic": 8_500, "gemini": 8_400, "mcp": 8_600}
MOST_TOKENS = {"openai": 2_400, "anthropic": 2_200, "gemini": 2_200, "mcp": 2_200}


@pytest.mark.parametrize("provider", get_args(tool.Provider))
def test_definitions_are_small(provider: tool.Provider) -> None:
    """[TOOL-DEFINITION]"""
    text = json.dumps(tool.definition(provider), separators=(",", ":"))
    assert len(text) <= MOST_CHARACTERS[provider]
    encodings = pytest.importorskip("bpe_openai", reason="no tokenizer with o200k is installed")
    assert len(encodings.get_encoding("o200k_base").encode(text)) <= MOST_TOKENS[provider]


def test_what_a_type_may_be_stands_in_every_definition() -> None:
    """[TOOL-DEFINITION], [PROFILE-FORMS]"""
    for provider in get_args(tool.Provider):
        text = json.dumps(tool.definition(provider))
        assert all(
            each in text for each in ("EnumSort", "DeclareSort", "TupleSort", "Set(Person)", "Money(USD)")
        )


def test_an_answer_has_the_outline_that_mcp_declares() -> None:
    """[MCP-TOOL]"""
    outline = jsonschema.Draft202012Validator(tool.answer_outline())
    assert set(tool.answer_outline()["properties"]) == set(tool.answer_schema()["properties"])
    for arguments in (
        {},
        {"operation": "reference"},
        {"program": {"verifications": [{"constraint": "1 < 2"}]}},
    ):
        outline.validate(called(arguments))
    assert not outline.is_valid({"status": "perhaps"}) and not outline.is_valid({})
