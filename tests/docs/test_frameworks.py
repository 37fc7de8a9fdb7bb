"""The recipes of `docs/how-to/agents.md` for frameworks of agents, called as the frameworks call them.

Each is skipped where its framework is not installed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_blocks import blocks_of

from potlang.tool import NAME, parameters

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "agents.md"
CALL = {"program": {"verifications": [{"name": "sum", "constraint": "17 * 23 == 391"}]}}


def recipe(framework: str) -> str:
    """The one block of the page that imports from a framework."""
    (found,) = (
        block.text for block in blocks_of(PAGE.read_text("utf-8")) if f"from {framework}" in block.text
    )
    return found


def made(framework: str) -> Any:
    """The tool that the recipe makes."""
    pytest.importorskip(framework.partition(" ")[0], reason=f"{framework.partition(' ')[0]} is not installed")
    names: dict[str, Any] = {}
    exec(compile(recipe(framework), str(PAGE), "exec"), names)  # noqa: S102 - our own page
    return names["tool"]


def is_answer(found: Any) -> bool:
    value = json.loads(found) if isinstance(found, str) else found
    return bool(value["verdict"] == "entailed")


def test_langchain() -> None:
    """[TOOL-CALL] A call with an id comes back as a message."""
    tool = made("langchain_core.tools import")
    assert tool.name == NAME and tool.args_schema == parameters()
    message = tool.invoke({"name": NAME, "args": CALL, "id": "1", "type": "tool_call"})
    assert is_answer(message.content)


def test_pydantic_ai() -> None:
    """[TOOL-CALL] By an agent whose model asks for one call and then tells what came back."""
    tool = made("pydantic_ai import")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def answered(messages: list[Any], info: Any) -> Any:
        (given,) = info.function_tools
        assert given.name == NAME and given.parameters_json_schema == parameters()
        if len(messages) == 1:
            return ModelResponse([ToolCallPart(NAME, CALL)])
        return ModelResponse([TextPart(messages[-1].parts[0].model_response_str())])

    assert is_answer(Agent(FunctionModel(answered), tools=[tool]).run_sync("?").output)


def test_agents_sdk() -> None:
    """[TOOL-CALL]"""
    tool = made("agents import FunctionTool")
    assert (tool.name, tool.params_json_schema) == (NAME, parameters("openai"))
    assert is_answer(asyncio.run(tool.on_invoke_tool(None, json.dumps(CALL))))


def test_llama_index() -> None:
    """[TOOL-CALL] What its agents give to a model has the schema, and the answer is JSON."""
    tool = made("llama_index.core.tools import")
    given = tool.metadata.to_openai_tool()["function"]
    assert (given["name"], given["parameters"]) == (NAME, parameters())
    both: list[Callable[[], Any]] = [lambda: tool.call(**CALL), lambda: asyncio.run(tool.acall(**CALL))]
    for answer in both:
        found = answer()
        assert not found.is_error and is_answer(found.content)
