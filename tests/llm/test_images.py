"""Images beside a question: what is read, what models are shown, and what is kept of them."""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from staged_replies import ASKED, GOOD, OUTLINED, QUESTION, STANDS, transcript_schema
from statements import Property

import potlang
from potlang.models.baselines import BASELINES, Baseline, answer
from potlang.models.endpoint import Image, Message, Recorded
from potlang.models.endpoint.model import IMAGE_TYPES, LARGEST_IMAGE
from potlang.models.loop.images import MOST_IMAGES, read_images
from potlang.models.presets import STRATEGIES, StrategyName


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = b"\x89PNG\r\n\x1a\n" + b"".join(
    (
        _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        _chunk(b"IDAT", zlib.compress(b"\x00\x7f")),
        _chunk(b"IEND", b""),
    )
)
BYTES = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(20),
    "image/gif": b"GIF89a" + bytes(20),
    "image/webp": b"RIFF\x1a\x00\x00\x00WEBPVP8 " + bytes(20),
}


@pytest.mark.parametrize("kind", IMAGE_TYPES)
def test_the_type_is_that_of_the_content(kind: str, tmp_path: Path) -> None:
    """[LOOP-IMAGES]: whatever a file is called."""
    path = tmp_path / "picture.txt"
    path.write_bytes(BYTES[kind])
    for found in read_images([path, str(path), BYTES[kind]]):
        assert (found.media_type, found.data) == (kind, BYTES[kind])
    assert [each.name for each in read_images([path, BYTES[kind]])] == ["picture.txt", ""]


def test_a_url_is_passed_on() -> None:
    """[LOOP-IMAGES]: nothing is fetched."""
    (found,) = read_images(["https://images.invalid/a.png"])
    assert (found.url, found.data) == ("https://images.invalid/a.png", b"")
    assert found.to_dict() == {"type": "image", "url": found.url}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "no PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no PNG"),
        (b"%PDF-1.7", "no PNG"),
        (PNG + bytes(LARGEST_IMAGE), "more than 20,000,000 bytes"),
        ("no/such/file.png", "no file"),
        (Path(), "no file"),
        ("\x00", "no file|cannot read"),
        ("https://", "URL"),
        ("https://a.invalid/x y", "URL"),
        ("ftp://a.invalid/x.png", "no file"),
        ("data:image/png;base64,AAAA", "no file"),
    ],
)
def test_what_is_no_image(source: Any, message: str) -> None:
    """[LOOP-IMAGES]: a wrong call, before anything is asked."""
    model = Recorded([])
    for call in (potlang.reason, answer):
        with pytest.raises(ValueError, match=message):
            call("q", model, images=[source])  # type: ignore[operator]
    assert model.asked == []


@pytest.mark.parametrize("images", ["a.png", PNG, [PNG] * (MOST_IMAGES + 1)])
def test_images_are_a_list_of_some(images: Any) -> None:
    """[LOOP-IMAGES]"""
    with pytest.raises(ValueError, match=r"list|at most 20"):
        potlang.reason("q", Recorded([]), images=images)


def check_any_bytes(data: bytes) -> None:
    """[LOOP-IMAGES]: an image of one of the types that endpoints take, or a ValueError."""
    try:
        (found,) = read_images([data])
    except ValueError:
        assert not data.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a"))
    else:
        assert found.media_type in IMAGE_TYPES and found.data == data


ANY = Property(
    check_any_bytes,
    st.tuples(st.sampled_from([b"", *(each[:14] for each in BYTES.values())]), st.binary(max_size=20)).map(
        b"".join
    ),
    quick=50,
)
test_any_bytes, test_any_bytes_deeply = ANY.tests()


def _shown(messages: Sequence[Message]) -> list[str]:
    """The digests of the images in the messages of one request."""
    return [
        hashlib.sha256(part.data).hexdigest()
        for each in messages
        if not isinstance(each.content, str)
        for part in each.content
        if isinstance(part, Image)
    ]


def _reply(messages: Sequence[Message]) -> str:
    said = messages[-1].text
    answers = {
        "Look for mistakes": STANDS,
        "smaller ones": ASKED,
        "Take a question apart": OUTLINED,
        "Propose": '{"thoughts": ["a", "b"]}',
        "Judge": '{"scores": [1, 2]}',
        "Answer:": "Answer: no",
    }
    return next((answers[each] for each in answers if each in said), GOOD)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_stage_is_shown_the_images(strategy: StrategyName) -> None:
    """[LOOP-IMAGES]: once in each request, in front of the question; what is kept has no bytes of them."""
    model = Recorded(_reply)
    gif = Image(BYTES["image/gif"], "image/gif", name="scene.gif")
    found = potlang.reason(QUESTION, model, strategy=strategy, images=[PNG, gif], k=1)
    digests = [hashlib.sha256(each).hexdigest() for each in (PNG, gif.data)]
    for asked in model.asked:
        assert _shown(asked.messages) == digests
        assert [type(part) for part in asked.messages[1].content] == [Image, Image, str]
    value = json.loads(found.to_json())
    transcript_schema("reasoned-1").validate(value)
    parts = value["samples"][0]["attempts"][0]["messages"][0]["content"]
    size = {"media_type": "image/gif", "bytes": len(gif.data), "sha256": digests[1]}
    assert parts[1] == {"type": "image", "name": "scene.gif", **size}
    # A cache of replies finds an image by its bytes, whatever its file is called.
    assert gif.to_dict() == {"type": "image", **size}
    assert "GIF89a" not in found.to_json() and QUESTION in parts[2]["text"]


@pytest.mark.parametrize("baseline", BASELINES)
def test_baselines_are_shown_the_images(baseline: Baseline) -> None:
    """[LOOP-IMAGES]"""
    model = Recorded(_reply)
    answer(QUESTION, model, baseline=baseline, images=[PNG])
    assert all(_shown(each.messages) == [hashlib.sha256(PNG).hexdigest()] for each in model.asked)


def test_the_command_refuses_what_is_no_image(tmp_path: Path) -> None:
    """[LOOP-IMAGES], [LOOP-CLI]: exit code 2, before anything is asked."""
    path = tmp_path / "notes.png"
    path.write_text("no image", encoding="utf-8")
    command = [sys.executable, "-m", "potlang", "reason", "q", "--model", "m", "--image", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2 and "'notes.png' is no PNG" in done.stderr
