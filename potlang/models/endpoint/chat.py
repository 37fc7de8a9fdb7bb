"""The chat-completions protocol of OpenAI and all who speak it, Azure too ([ENDPOINT-HTTP])."""

from __future__ import annotations

import json
from typing import Any, Final

from potlang.models.endpoint.failures import error_in_body
from potlang.models.endpoint.model import EndpointError, Image, Usage
from potlang.models.endpoint.request import LimitName, ModelRequest, in_base64, is_strict, parts_of
from potlang.models.endpoint.stream import Dialect, PartialAnswer, count

_OTHER_NAME: Final[dict[LimitName, LimitName]] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_THOUGHTS: Final = ("thinking", "reasoning")


def chat_body(request: ModelRequest) -> dict[str, Any]:
    """The request as the protocol has it, without what the endpoint refused."""
    settings, without = request.settings, request.without
    found: dict[str, Any] = {
        "model": request.model,
        "messages": [
            {"role": each.role, "content": parts_of(each.content, _image)} for each in request.messages
        ],
        "temperature": settings["temperature"],
        "seed": settings["seed"],
        "response_format": _response_format(request),
    }
    if name := _limit_name(request):
        found[name] = settings["max_tokens"]
    if request.stream and "stream" not in without:
        found |= {"stream": True, "stream_options": {"include_usage": True}}
    return {name: value for name, value in found.items() if value is not None and name not in without}


def _image(image: Image) -> dict[str, Any]:
    url = image.url or f"data:{image.media_type};base64,{in_base64(image)}"
    return {"type": "image_url", "image_url": {"url": url}}


def _limit_name(request: ModelRequest) -> str | None:
    names = (request.limit_name, _OTHER_NAME[request.limit_name])
    return next((each for each in names if each not in request.without), None)


def _response_format(request: ModelRequest) -> dict[str, Any] | None:
    schema = request.settings["schema"]
    if schema is None or request.json_mode == "none":
        return None
    if request.json_mode == "object" or "json_schema" in request.without:
        return {"type": "json_object"}
    answer: dict[str, Any] = {"name": "answer", "schema": dict(schema)}
    if "strict" not in request.without and is_strict(schema):
        answer["strict"] = True
    return {"type": "json_schema", "json_schema": answer}


# --- what comes back ---------------------------------------------------------------------------------


def _event(answer: PartialAnswer, value: dict[str, Any]) -> None:
    found = _about(answer, value)
    # Some endpoints count tokens in an event of its own, without choices.
    choice = None if found and value.get("choices") is None else _choice(value)
    if choice is None:
        return
    delta = choice.get("delta")
    if isinstance(delta, dict):
        _message(answer, delta)
    if isinstance(choice.get("finish_reason"), str):
        answer.finish = choice["finish_reason"]


def _whole(answer: PartialAnswer, value: dict[str, Any]) -> None:
    _about(answer, value)
    choice = _choice(value)
    message = choice.get("message") if choice is not None else None
    if choice is None or not isinstance(message, dict):
        raise EndpointError("malformed", "the answer has no choice with a message")
    _message(answer, message)
    finish = choice.get("finish_reason")
    answer.finish = finish if isinstance(finish, str) else "stop"


CHAT: Final = Dialect(_event, _whole, error_in_body)


def _about(answer: PartialAnswer, value: dict[str, Any]) -> bool:
    """Notes the model, the tokens and the cost; whether tokens are counted."""
    if isinstance(value.get("model"), str):
        answer.model = value["model"][:200]
    found = value.get("usage")
    if not isinstance(found, dict):
        return False
    answer.usage = Usage(
        count(found.get("prompt_tokens")),
        count(found.get("completion_tokens")),
        _detail(found, "prompt_tokens_details", "cached_tokens", "prompt_cache_hit_tokens"),
        _detail(found, "completion_tokens_details", "reasoning_tokens", "reasoning_tokens"),
    )
    cost = found.get("cost")
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < float("inf"):
        answer.cost = float(cost)
    return True


def _detail(usage: dict[str, Any], section: str, name: str, flat: str) -> int | None:
    details = usage.get(section)
    found = count(details.get(name)) if isinstance(details, dict) else None
    return count(usage.get(flat)) if found is None else found


def _choice(value: dict[str, Any]) -> dict[str, Any] | None:
    choices = value.get("choices")
    if not isinstance(choices, list):
        raise EndpointError("malformed", "no list of choices")
    first = choices[0] if choices else None
    return first if isinstance(first, dict) else None


def _message(answer: PartialAnswer, message: dict[str, Any]) -> None:
    """Adds a message, or a piece of one. Raises EndpointError for content that is none."""
    _content(answer, message.get("content"))
    thoughts = (message.get(name) for name in ("reasoning_content", "reasoning"))
    answer.reasoning.extend([each for each in thoughts if isinstance(each, str)][:1])
    if isinstance(message.get("refusal"), str):
        answer.refusal.append(message["refusal"])
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        for call in calls:
            # Of several calls the first counts; in a stream each piece says of which it is.
            if isinstance(call, dict) and call.get("index", 0) == 0:
                _arguments(answer, call.get("function"))
                if "index" not in call:
                    break
    _arguments(answer, message.get("function_call"))


def _arguments(answer: PartialAnswer, function: Any) -> None:
    found = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(found, dict):
        found = json.dumps(found, ensure_ascii=False)
    if isinstance(found, str):
        answer.arguments.append(found)


def _content(answer: PartialAnswer, content: Any) -> None:
    """Adds the content of a message: a string, null, or a list of parts: texts, thoughts, a refusal."""
    if content is None:
        return
    if isinstance(content, str):
        answer.text.append(content)
        return
    if not isinstance(content, list):
        raise EndpointError("malformed", "the content of the message is no text")
    for part in content:
        if isinstance(part, dict):
            _part(answer, part)


def _part(answer: PartialAnswer, part: dict[str, Any]) -> None:
    kind = part.get("type")
    if kind in ("text", "output_text") and isinstance(part.get("text"), str):
        answer.text.append(part["text"])
    elif kind == "refusal" and isinstance(part.get("refusal"), str):
        answer.refusal.append(part["refusal"])
    elif kind in _THOUGHTS:
        answer.reasoning.append(_thought(part))


def _thought(part: dict[str, Any]) -> str:
    """The text of a thought: a string, or a list of parts with one."""
    found = next((part[name] for name in (*_THOUGHTS, "text") if name in part), "")
    if isinstance(found, list):
        found = "".join(str(each.get("text", "")) for each in found if isinstance(each, dict))
    return found if isinstance(found, str) else ""
