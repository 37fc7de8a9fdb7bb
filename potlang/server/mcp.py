"""The Model Context Protocol server: the tool with structured answers, resources, prompts (`97-tool.md`).

Calls run in children (`callers`), so that the event loop is always free to hear of a cancellation.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette

from potlang import tool
from potlang.models.programs.prompting import (
    agent_check_prompt,
    agent_prompt,
    agent_repair_prompt,
    diagnostics_text,
)
from potlang.server import content
from potlang.server.callers import Callers
from potlang.server.sessions import SESSION_HEADER, SessionLimits, origin_of
from potlang.server.turns import LOCAL, Caller
from potlang.utils.serialize import json_text
from potlang.version import __version__

Context = ServerRequestContext[Any]

PATH: Final = "/mcp"
"""Of the endpoint of streamable HTTP."""
_BEAT_SECONDS: Final = 0.5
_LONGEST_NAME: Final = 500
_INSTRUCTIONS: Final = (
    "Use the tool `potlang` to verify reasoning: write premises and questions as a program, read the "
    "verdicts; answer with what these support. Its operation `reference` and potlang://reference "
    "describe the language, potlang://diagnostics/{code} a mistake."
)
_DECLARED: Final = tool.definition("mcp")
_QUESTION: Final = types.PromptArgument(
    name="question", description="In plain words, with its premises.", required=True
)
_PROMPTS: Final = {
    "write_program": ("Answer a question by a program and its verdict", [_QUESTION]),
    "repair_program": (
        "Repair a program by its diagnostics, and verify it",
        [types.PromptArgument(name="program", description="Its JSON text.", required=True)],
    ),
    "check_answer": (
        "Check whether an answer in prose follows from its question",
        [_QUESTION, types.PromptArgument(name="answer", description="In plain words.", required=True)],
    ),
}


def make_server(callers: Callers) -> Server[Any]:
    """The protocol's server over these children."""

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_declared()])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name != tool.NAME:
            raise MCPError(code=types.INVALID_PARAMS, message=f"no tool {params.name[:80]!r}")
        answer = await _with_progress(context, callers, params.arguments or {})
        return _result(answer)

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await _prompt(context, callers, params)

    return Server(
        tool.NAME,
        version=__version__,
        title="potlang",
        instructions=_INSTRUCTIONS,
        get_tool_input_schema=lambda name: _DECLARED["inputSchema"] if name == tool.NAME else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=get_prompt,
    )


def serve_stdio(
    workers: int | None = None, budget: int = tool.DEFAULT_BUDGET, sources: Sequence[str] = ()
) -> None:
    """Serves one client over standard input and output until the input ends.

    `sources` are the directories, absolute, whose tables programs may read ([SRC-ALLOWED]).
    """
    interruptible(_stdio, workers, budget, sources)


def interruptible(serve: Callable[..., Awaitable[None]], *arguments: object) -> None:
    """Serves until the process is told to end; an interruption is raised as what it is."""
    try:
        anyio.run(serve, *arguments)
    except BaseExceptionGroup as raised:
        # It came while the code of some task ran, whose group wraps whatever a task raises.
        if raised.subgroup(KeyboardInterrupt) is not None:
            raise KeyboardInterrupt from None
        raise


async def _stdio(workers: int | None, budget: int, sources: Sequence[str]) -> None:
    with closing(Callers(workers, budget, sources=sources)) as callers:
        server = make_server(callers)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


def mcp_app(callers: Callers, limits: SessionLimits) -> Starlette:
    """The application of streamable HTTP at `PATH`; hosts, tokens and sizes are the gate's."""
    return make_server(callers).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=sys.maxsize,
        # Ours are what count; the library's own bound refuses where ours ends what is idle.
        max_sessions=2 * limits.most,
        session_idle_timeout=limits.idle_seconds,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def _caller(context: Context) -> Caller:
    """Who sent this: by its token or address, and its session or, where the protocol has none, its name."""
    request = context.request
    if request is None:
        return LOCAL
    session = request.headers.get(SESSION_HEADER)
    if session is None:
        info = (context.meta or {}).get(types.CLIENT_INFO_META_KEY)
        session = f"{info}{request.headers.get('user-agent')}"[:_LONGEST_NAME]
    return Caller(origin_of(request.scope), session)


# --- the tool -----------------------------------------------------------------------------------------


def _declared() -> types.Tool:
    return types.Tool(
        name=tool.NAME,
        title="Verify reasoning",
        description=tool.DESCRIPTION,
        input_schema=_DECLARED["inputSchema"],
        output_schema=_DECLARED["outputSchema"],
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _result(answer: dict[str, Any]) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json_text(answer, None))
    return types.CallToolResult(
        content=[text], structured_content=answer, is_error=answer["status"] == "error"
    )


async def _with_progress(context: Context, callers: Callers, arguments: dict[str, Any]) -> dict[str, Any]:
    """The answer, with the seconds that went by as progress while it is awaited."""
    began = time.monotonic()

    async def beat() -> None:
        while True:
            # Clients drop calls that are silent for long.
            await anyio.sleep(_BEAT_SECONDS)
            elapsed = round(time.monotonic() - began, 1)
            await context.session.report_progress(elapsed, None, f"{elapsed} s")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(beat)
        answer = await callers.call(arguments, _caller(context))
        # The answer is there: no beat may follow it.
        tasks.cancel_scope.cancel()
    return answer


# --- resources ----------------------------------------------------------------------------------------


async def _list_resources(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=list(content.entries()))


async def _list_templates(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=content.TEMPLATES)


async def _read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    found = content.read(uri)
    if found is None:
        raise MCPError(code=types.INVALID_PARAMS, message="no such resource", data={"uri": uri[:200]})
    return types.ReadResourceResult(contents=[found])


# --- prompts ------------------------------------------------------------------------------------------


async def _list_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    found = [
        types.Prompt(name=name, description=description, arguments=arguments)
        for name, (description, arguments) in _PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=found)


async def _prompt(
    context: Context, callers: Callers, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    known = _PROMPTS.get(params.name)
    if known is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"no prompt {params.name[:80]!r}")
    description, arguments = known
    given = {each.name: (params.arguments or {}).get(each.name) or "" for each in arguments}
    missing = [name for name, value in given.items() if not value]
    if missing:
        raise MCPError(code=types.INVALID_PARAMS, message=f"{params.name} needs `{missing[0]}`")
    match params.name:
        case "write_program":
            text = agent_prompt(given["question"])
        case "check_answer":
            text = agent_check_prompt(given["question"], given["answer"])
        case _:
            text = await _repair(context, callers, given["program"])
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=description, messages=[message])


async def _repair(context: Context, callers: Callers, program: str) -> str:
    """The program with its diagnostics."""
    answer = await callers.call({"operation": "check", "program": program}, _caller(context))
    if answer["status"] == "ok":
        return agent_repair_prompt(program, "No mistake was found in it: verify it as it is.")
    problem = answer.get("message", "it has mistakes").partition(":")[0]
    return agent_repair_prompt(program, diagnostics_text(problem, answer.get("diagnostics", ())))
