"""The messages protocol of Anthropic ([ENDPOINT-ANTHROPIC])."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from potlang.models.endpoint.failures import error_in_body
from potlang.models.endpoint.model import Completion, EndpointError, Image, Usage
from potlang.models.endpoint.request import ModelRequest, in_base64, parts_of
from potlang.models.endpoint.stream import Dialect, PartialAnswer, count

VERSION: Final = "2023-06-01"
_MOST_TOKENS: Final = 8_192
_FEWER_TOKENS: Final = 4_096
"""The protocol wants a limit: the second where a model does not write as much as the first."""
_TOOL: Final = "answer"
_ENDS: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
}
"""Reasons of an end, in the words of the other protocol."""


def messages_body(request: ModelRequest) -> dict[str, Any]:
    """The request as the protocol has it, without what the endpoint refused. It knows no seed."""
    settings, without = request.settings, request.without
    instructions = "\n\n".join(each.text for each in request.messages if each.role == "system")
    found: dict[str, Any] = {
        "model": request.model,
        "max_tokens": _limit(request),
        "system": instructions or None,
        "messages": [
            {"role": each.role, "content": parts_of(each.content, _image)}
            for each in request.messages
            if each.role != "system"
        ],
        "temperature": settings["temperature"],
        "stream": True if request.stream else None,
        **_structure(request),
    }
    return {
        name: value
        for name, value in found.items()
        if value is not None and (name not in without or name == "max_tokens")
    }


def _limit(request: ModelRequest) -> int:
    wanted: int = request.settings["max_tokens"] or _MOST_TOKENS
    return min(wanted, _FEWER_TOKENS) if "max_tokens" in request.without else wanted


def _image(image: Image) -> dict[str, Any]:
    if image.url:
        return {"type": "image", "source": {"type": "url", "url": image.url}}
    source = {"type": "base64", "media_type": image.media_type, "data": in_base64(image)}
    return {"type": "image", "source": source}


def _structure(request: ModelRequest) -> dict[str, Any]:
    """The wish for JSON of a schema: as the format of the output, else as a tool that has to be used."""
    schema = request.settings["schema"]
    if schema is None or request.json_mode != "schema":
        return {}
    if "output_config" not in request.without:
        return {"output_config": {"format": {"type": "json_schema", "schema": dict(schema)}}}
    if "tools" in request.without:
        return {}
    tool = {"name": _TOOL, "description": "Gives the answer.", "input_schema": dict(schema)}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}


# --- what comes back ---------------------------------------------------------------------------------


def _event(answer: PartialAnswer, value: dict[str, Any]) -> None:
    match value.get("type"):
        case "message_start" if isinstance(value.get("message"), dict):
            _about(answer, value["message"])
        case "content_block_start" if isinstance(value.get("content_block"), dict):
            # The input of a tool is empty here, and comes in pieces.
            _block(answer, value["content_block"], with_input=False)
        case "content_block_delta" if isinstance(value.get("delta"), dict):
            _delta(answer, value["delta"])
        case "message_delta":
            _about(answer, value)
            _ended(answer, value.get("delta"))


def _whole(answer: PartialAnswer, value: dict[str, Any]) -> None:
    _about(answer, value)
    blocks = value.get("content")
    if not isinstance(blocks, list):
        raise EndpointError("malformed", "the answer has no list of blocks")
    for block in blocks:
        if isinstance(block, dict):
            _block(answer, block, with_input=True)
    _ended(answer, value)
    answer.finish = answer.finish or "stop"


MESSAGES: Final = Dialect(_event, _whole, error_in_body)


def _about(answer: PartialAnswer, value: dict[str, Any]) -> None:
    if isinstance(value.get("model"), str):
        answer.model = value["model"][:200]
    found = value.get("usage")
    if not isinstance(found, dict):
        return
    fresh, cached, kept = (
        count(found.get(name))
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    before = answer.usage
    # Later events count the output alone, or all of it once more.
    prompt = before.prompt if fresh is None else fresh + (cached or 0) + (kept or 0)
    written = count(found.get("output_tokens"))
    details = found.get("output_tokens_details")
    thoughts = count(details.get("thinking_tokens")) if isinstance(details, dict) else None
    answer.usage = Usage(
        prompt,
        before.completion if written is None else written,
        before.cached if cached is None else cached,
        before.reasoning if thoughts is None else thoughts,
    )


def _block(answer: PartialAnswer, block: dict[str, Any], *, with_input: bool) -> None:
    match block.get("type"):
        case "text":
            _add(answer.text, block.get("text"))
        case "thinking":
            _add(answer.reasoning, block.get("thinking"))
        case "tool_use":
            answer.tools += 1
            if with_input and answer.tools == 1:
                answer.arguments.append(json.dumps(block.get("input"), ensure_ascii=False))


def _delta(answer: PartialAnswer, delta: dict[str, Any]) -> None:
    match delta.get("type"):
        case "text_delta":
            _add(answer.text, delta.get("text"))
        case "thinking_delta":
            _add(answer.reasoning, delta.get("thinking"))
        case "input_json_delta" if answer.tools == 1:
            _add(answer.arguments, delta.get("partial_json"))


def _add(texts: list[str], text: Any) -> None:
    if isinstance(text, str):
        texts.append(text)


def _ended(answer: PartialAnswer, value: Any) -> None:
    """Notes the reason of the end. `value` has it as `stop_reason`."""
    reason = value.get("stop_reason") if isinstance(value, dict) else None
    if not isinstance(reason, str):
        return
    answer.finish = _ENDS.get(reason, reason)
    if reason == "refusal":
        details = value.get("stop_details")
        why = details.get("explanation") if isinstance(details, dict) else None
        answer.refusal.append(why if isinstance(why, str) and why else "the model refuses to answer")


def of_forced_tool(body: Mapping[str, Any], done: Completion) -> Completion:
    """The answer; where it had to be given by the tool, its input is the text."""
    if "tool_choice" not in body or done.text.strip() or not done.arguments:
        return done
    finish = "stop" if done.finish_reason == "tool_calls" else done.finish_reason
    return done._replace(text=done.arguments, arguments="", finish_reason=finish)
