"""Images in messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chat_server import ChatServer

from potlang.models.endpoint import Endpoint, Image, Message, user

PNG = Image(b"\x89PNG\r\n\x1a\n0000", "image/png")


def _sent(provider: Any, messages: list[Message]) -> list[dict[str, Any]]:
    """The parts of the first message that the server gets."""
    with ChatServer(["a cat"]) as server:
        url = server.root if provider == "anthropic" else server.base_url
        with Endpoint(model="m", base_url=url, provider=provider) as model:
            model.complete(messages)
    found: list[dict[str, Any]] = server.received[0].body["messages"][0]["content"]
    return found


def test_images_have_each_providers_shape() -> None:
    """[ENDPOINT-IMAGES]."""
    linked = Image(url="https://example.org/a.png")
    talk = [user(("What is this?", PNG, linked))]
    text, image, link = _sent("openai", talk)
    assert text == {"type": "text", "text": "What is this?"}
    assert image["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert link == {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    _, image, link = _sent("anthropic", talk)
    assert image["source"]["media_type"] == "image/png" and image["source"]["data"].startswith("iVBOR")
    assert link["source"] == {"type": "url", "url": "https://example.org/a.png"}


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"data": b"x"},
        {"data": b"x", "media_type": "image/svg+xml"},
        {"data": b"x" * 20_000_001, "media_type": "image/png"},
        {"url": "file:///etc/passwd"},
        {"url": "https://"},
        {"url": "https://example.org/" + "a" * 9_000},
        {"url": "https://example.org/", "data": b"x"},
    ],
    ids=lambda each: str(each)[:30],
)
def test_what_is_no_image(parts: dict[str, Any]) -> None:
    """[ENDPOINT-IMAGES]."""
    with pytest.raises(ValueError):
        Image(**parts)


def test_a_message_with_an_image_is_recorded_by_its_digest() -> None:
    """[ENDPOINT-IMAGES]."""
    found = user(("What is this?", PNG)).to_dict()
    assert found["content"][1]["sha256"] and "data" not in json.dumps(found)
    assert user(("a", PNG, "b")).text == "a\nb"
