"""What the tests of the three loops share: a server with a key, and transcripts that fit their schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import jsonschema
from chat_server import Behaviour, ChatServer
from referencing import Registry, Resource

from potlang.models.endpoint import Endpoint
from potlang.models.loop.results import Transcript

SCHEMAS = Path(__file__).parents[2] / "schemas"
SCHEMAS_OF = {
    "reasoned": ("reasoned-1",),
    "reasoned-trace": ("reasoned-trace-1", "dot-report-1"),
    "reasoned-solution": ("reasoned-solution-1", "dagmath-report-1"),
}
KEY = "sk-a-long-secret-key"
TranscriptOf = TypeVar("TranscriptOf", bound=Transcript)


@cache
def validator(kind: str) -> jsonschema.Draft202012Validator:
    """That of transcripts of a kind, with the schemas that it refers to."""
    schema, *others = SCHEMAS_OF[kind]
    names = (schema, *others, "report-1", "diagnostics-1")
    found = {name: json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")) for name in names}
    pairs = [(f"urn:potlang:{name}", Resource.from_contents(value)) for name, value in found.items()]
    return jsonschema.Draft202012Validator(found[schema], registry=Registry().with_resources(pairs))


def checked(found: TranscriptOf) -> TranscriptOf:
    """A transcript, found to fit its schema, and to hold no key."""
    text = found.to_json()
    fits(json.loads(text))
    assert KEY not in text and found.render()
    return found


def fits(value: dict[str, Any]) -> None:
    """Raises ValidationError unless the JSON value is a transcript."""
    validator(value["kind"]).validate(value)


def at_server(
    script: Sequence[Behaviour], reason: Callable[[Endpoint], TranscriptOf], key: str = KEY
) -> tuple[TranscriptOf, ChatServer]:
    """What comes of asking a server that does what the script says, by this key."""
    with (
        ChatServer(script, key=KEY) as server,
        Endpoint(model="m", base_url=server.base_url, key=key, timeout=20.0, retries=1) as model,
    ):
        return checked(reason(model)), server
