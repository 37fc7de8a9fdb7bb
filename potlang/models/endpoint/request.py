"""A request before it has the shape of a provider, and what may be left out of it ([ENDPOINT-REFUSED])."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from potlang.models.endpoint.failures import StatedError
from potlang.models.endpoint.model import Content, Image, Message

JsonMode = Literal["schema", "object", "none"]
"""The endpoint is asked for JSON of a schema, for any JSON object, or for neither."""
LimitName = Literal["max_tokens", "max_completion_tokens"]


class ModelRequest(NamedTuple):
    """A request to a model. `settings` are all that there are; `without`: what the endpoint refused.

    `json_mode`, `limit_name` and `stream` are those of the Endpoint.
    """

    model: str
    messages: Sequence[Message]
    settings: Mapping[str, Any]
    json_mode: JsonMode = "schema"
    limit_name: LimitName = "max_tokens"
    stream: bool = True
    without: frozenset[str] = frozenset()


def parts_of(content: Content, image: Callable[[Image], dict[str, Any]]) -> str | list[dict[str, Any]]:
    """A text as it is; of parts each in the provider's shape, in which `image` puts an image."""
    if isinstance(content, str):
        return content
    return [{"type": "text", "text": each} if isinstance(each, str) else image(each) for each in content]


def in_base64(image: Image) -> str:
    """The bytes of an image as text."""
    return base64.b64encode(image.data).decode("ascii")


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Whether each object in the schema has all of its properties and no others, as `strict` asks."""
    rest: list[Any] = [schema]
    while rest:
        each = rest.pop()
        if isinstance(each, list):
            rest.extend(each)
        elif isinstance(each, dict):
            if not _is_closed(each):
                return False
            rest.extend(each.values())
    return True


def _is_closed(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        return True
    properties = schema.get("properties", {})
    return schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(properties)


# --- what an endpoint refuses ------------------------------------------------------------------------

_STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "response_format": ("strict", "json_schema", "response_format"),
    "output_config": ("output_config", "tools"),
    "tools": ("tools",),
    "tool_choice": ("tools",),
    "stream_options": ("stream_options",),
    "temperature": ("temperature",),
    "seed": ("seed",),
    "max_tokens": ("max_tokens",),
    "max_completion_tokens": ("max_completion_tokens",),
    "stream": ("stream",),
}
"""The parts left out, or exchanged, step by step, of a request whose parameter is refused."""
_GENERIC_ORDER: Final = ("response_format", "output_config", "stream_options", "seed", "temperature")
_REFUSES = re.compile(
    r"unsupported|not supported|n.t support|unknown|unrecogni[sz]ed|unexpected|unavailable|invalid|extra"
    r"|deprecated|not (permitted|allowed|available|accepted|implemented|valid)|\b(must|only|cannot|range)\b"
    r"|too (large|high|many)|greater|at most|maximum",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"\W*(status|error|http)?\W*(4\d\d)?\W*(bad request|invalid request|unprocessable (entity|content))?\W*",
    re.IGNORECASE,
)
_OF_STRICT = re.compile(r"\bstrict\b|invalid schema|additionalProperties", re.IGNORECASE)


def next_step(stated: StatedError, body: Mapping[str, Any], without: Collection[str]) -> str | None:
    """The part to leave out of a request that was refused with this error; None if there is no such part.

    An error that says nothing at all is taken to be about one after the other.
    """
    name = _named(stated, body)
    if name is not None:
        return _step(name, stated, body, without)
    said = stated.message or stated.text
    if stated.param or not (stated.code.isdigit() or not stated.code) or not _SAYS_NOTHING.fullmatch(said):
        return None
    steps = (_STEPS[each][-1] for each in _GENERIC_ORDER if each in body)
    return next((each for each in steps if each not in without), None)


def is_guessed(stated: StatedError, body: Mapping[str, Any]) -> bool:
    """Whether the error names no part of the request."""
    return _named(stated, body) is None


def _named(stated: StatedError, body: Mapping[str, Any]) -> str | None:
    """The parameter in the request that the error is about."""
    root = re.split(r"[.\[]", stated.param)[0]
    if root in body:
        return root if root in _STEPS else None
    said = stated.message or stated.text
    if not _REFUSES.search(f"{said} {stated.code}"):
        return None
    found = [(at.start(), each) for each in _STEPS if each in body and (at := _mention(each, said))]
    return min(found)[1] if found else None


def _mention(name: str, text: str) -> re.Match[str] | None:
    return re.search(rf"\b{name}\b", text)


def _step(name: str, stated: StatedError, body: Mapping[str, Any], without: Collection[str]) -> str | None:
    said = f"{stated.param} {stated.message} {stated.text}"
    steps = list(_STEPS[name])
    if name == "response_format":
        schema = body[name].get("json_schema", {})
        if not (schema.get("strict") and _OF_STRICT.search(said)):
            steps.remove("strict")
        if not (schema and re.search("json_schema|json_object", said)):
            steps.remove("json_schema")
    return next((each for each in steps if each not in without), None)
