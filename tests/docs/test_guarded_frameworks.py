"""The recipes of `docs/how-to/guard.md`, each in an agent of its framework with a model that is a script.

Each is skipped where its framework is not installed.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from test_blocks import blocks_of

from potlang.policy.guard import Guard

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "guard.md"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("refund", {"customer": "c-17", "amount": 40}),
    ("identify", {"customer": "c-17"}),
    ("refund", {"customer": "c-17", "amount": 40}),
    ("refund", {"customer": "c-17", "amount": 400}),
]
"""What the model asks for, one call after the other."""
BEGINNINGS = ("deny: not allowed by the policy", "known c-17", "paid 40", "ask: the policy says neither")


def recipe(framework: str) -> Any:
    """What the one block of the page that imports from a framework defines as guarded."""
    pytest.importorskip(framework.partition(" ")[0], reason=f"{framework.partition(' ')[0]} is not installed")
    blocks = blocks_of(PAGE.read_text("utf-8"))
    (program,) = (each.text for each in blocks if each.title == "refunds.json")
    (text,) = (each.text for each in blocks if f"from {framework}" in each.text)
    scope: dict[str, Any] = {"guard": Guard(program)}
    exec(compile(text, str(PAGE), "exec"), scope)  # noqa: S102 - our own page
    return scope.get("guarded") or scope["Guarded"]


DONE: list[str] = []


def refund(customer: str, amount: int) -> str:
    """Pay an amount back."""
    DONE.append(f"paid {amount}")
    return f"paid {amount}"


def identify(customer: str) -> str:
    """Find out who somebody is."""
    DONE.append(f"known {customer}")
    return f"known {customer}"


TOOLS = (refund, identify)


def check(answers: list[str]) -> None:
    """That the model has read these answers, and that the tools did no more than was allowed."""
    assert DONE == ["known c-17", "paid 40"]
    assert len(answers) == len(BEGINNINGS)
    for answer, beginning in zip(answers, BEGINNINGS, strict=True):
        assert answer.startswith(beginning), answer


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


def test_langchain() -> None:
    """[GUARD-CHECK] The middleware of an agent."""
    guarded = recipe("langchain.agents.middleware")
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    class Script(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    asked = [
        AIMessage("", tool_calls=[{"name": name, "args": given, "id": str(at), "type": "tool_call"}])
        for at, (name, given) in enumerate(CALLS)
    ]
    agent = create_agent(
        Script(messages=iter([*asked, AIMessage("done")])), list(TOOLS), middleware=[guarded]
    )
    found = agent.invoke({"messages": [HumanMessage("?")]})["messages"]
    check([str(each.content) for each in found if isinstance(each, ToolMessage)])


def test_pydantic_ai() -> None:
    """[GUARD-CHECK] A toolset around that of an agent."""
    guarded = recipe("pydantic_ai.toolsets")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.toolsets import FunctionToolset

    answers: list[str] = []

    def script(messages: list[Any], info: Any) -> Any:
        at = len(messages) // 2
        if at:
            answers.append(messages[-1].parts[0].model_response_str())
        if at == len(CALLS):
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(*CALLS[at])])

    Agent(FunctionModel(script), toolsets=[guarded(FunctionToolset(list(TOOLS)))]).run_sync("?")
    check(answers)


def test_agents_sdk() -> None:
    """[GUARD-CHECK] Tools of an agent that a runner runs."""
    guarded = recipe("agents import FunctionTool")
    from agents import Agent, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
    from agents.models.interface import Model
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )

    set_tracing_disabled(True)
    answers: list[str] = []

    class Script(Model):
        at = 0

        async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:
            answers[:] = [
                each["output"]
                for each in input
                if isinstance(each, dict) and each.get("type") == "function_call_output"
            ]
            at, self.at = self.at, self.at + 1
            output: Any
            if at < len(CALLS):
                name, given = CALLS[at]
                output = ResponseFunctionToolCall(
                    name=name, arguments=json.dumps(given), call_id=str(at), type="function_call"
                )
            else:
                text = ResponseOutputText(text="done", type="output_text", annotations=[])
                output = ResponseOutputMessage(
                    id="1", content=[text], role="assistant", status="completed", type="message"
                )
            return ModelResponse(output=[output], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    tools = [guarded(function_tool(each)) for each in TOOLS]
    asyncio.run(Runner.run(Agent(name="shop", tools=tools, model=Script()), "?"))
    check(answers)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_llama_index() -> None:
    """[GUARD-CHECK] Tools as an agent calls them, one after the other."""
    guarded = recipe("llama_index.core.tools")
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
    from llama_index.core.llms.function_calling import FunctionCallingLLM
    from llama_index.core.llms.llm import ToolSelection

    answers: list[str] = []

    class Script(FunctionCallingLLM):
        """A model that asks for the calls, one after the other."""

        @property
        def metadata(self) -> Any:
            return LLMMetadata(is_function_calling_model=True)

        def _prepare_chat_with_tools(
            self, tools: Any, user_msg: Any = None, chat_history: Any = None, **_: Any
        ) -> Any:
            return {"messages": chat_history or []}

        def get_tool_calls_from_response(self, response: Any, **_: Any) -> Any:
            answers[:] = [each.content for each in response.raw if each.role == "tool"]
            if len(answers) == len(CALLS):
                return []
            name, given = CALLS[len(answers)]
            return [ToolSelection(tool_id=str(len(answers)), tool_name=name, tool_kwargs=given)]

        async def achat(self, messages: Any, **_: Any) -> Any:
            return ChatResponse(message=ChatMessage(role="assistant", content="done"), raw=list(messages))

        async def astream_chat(self, messages: Any, **_: Any) -> Any:
            async def one() -> Any:
                yield ChatResponse(
                    message=ChatMessage(role="assistant", content="done"), raw=list(messages), delta=""
                )

            return one()

        chat = complete = stream_chat = stream_complete = lambda self, *_, **__: None
        acomplete = astream_complete = achat

    tools = [guarded(each) for each in TOOLS]
    for tool in tools:
        given = tool.metadata.to_openai_tool()["function"]
        assert set(given["parameters"]["properties"]) >= {"customer"}

    async def session() -> None:
        await FunctionAgent(tools=tools, llm=Script(), streaming=False).run("?")

    asyncio.run(session())
    check(answers)
