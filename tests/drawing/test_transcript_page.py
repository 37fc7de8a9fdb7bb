"""The page on a transcript, whatever is in it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_support import made, solutions
from view_support import HOSTILE

import potlang
from potlang.cli.commands import command_of
from potlang.drawing.transcript_page import transcript_page
from potlang.models.loop.transcripts import BadTranscript, read_transcript, transcript_value

STRANGE: tuple[Any, ...] = (None, True, -1, 10**30, 1.5, float("nan"), "x", [], {}, [[1]], [None], {"a": 1})
KINDS = ("program", "trace", "solution")


class Words(HTMLParser):
    """The text of a page by the ids of what it stands in, and its links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.ids.add(values.get("id") or "")
        self.links.append(values.get("href") or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(text: str) -> Words:
    return Words(transcript_page(read_transcript(json.loads(text)), "file.json"))


def test_a_transcript_of_solutions() -> None:
    """[VIEW-TRANSCRIPT]"""
    words = page_of(made("solution"))
    for said in (
        "The answer is 12.",
        "some-model wrote 3 solutions in 5 requests.",
        "the reply has no solution in it",
        "Second look",
        "Step 2 is wrong",
        "no reply: rate limit",
        "1 safe fix made without asking",
        "800 + 200 tokens",
        "$0.0125",
        "of these kept by the endpoint",
        "0.0500",
        "Hm.",
        "How many apples have 3 bags",
    ):
        assert said in words.text.replace("\n", " "), said
    assert {"sample-1", "attempt-1-2", "attempt-3-1", "votes", "cost"} <= words.ids
    assert all(link[1:] in words.ids for link in words.links if link.startswith("#"))
    # Each bar, and nothing else of a drawing.
    assert words.tags.count("svg") == 1 == words.tags.count("rect")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            "program",
            [
                "Program 1",
                "POT",
                "Rex has fur",
                "The opposite of what was asked follows",
                "The system message",
            ],
        ),
        ("trace", ["Trace 1", "the answer is not established", "It establishes its answer.", "tank_locked"]),
    ],
)
def test_transcripts_of_programs_and_traces(kind: str, said: list[str]) -> None:
    """[VIEW-TRANSCRIPT]"""
    words = page_of(made(kind))
    for each in said:
        assert each in words.text
    assert "svg" not in words.tags


def test_a_result_can_be_viewed_without_a_file() -> None:
    """[VIEW-TRANSCRIPT]"""
    found = solutions()
    assert potlang.view(found, name="file.json") == transcript_page(
        read_transcript(found.to_dict()), "file.json"
    )
    with pytest.raises(ValueError, match="a transcript has a page and no drawing"):
        potlang.view(found, to="svg")


@pytest.mark.parametrize("text", HOSTILE)
def test_all_text_is_data(text: str) -> None:
    """[VIEW-TEXT] [VIEW-ALONE]: wherever it stands in a transcript."""

    def spoiled(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: spoiled(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [spoiled(each) for each in value]
        return text if isinstance(value, str) and key != "kind" else value

    value = {**spoiled(json.loads(made("solution"))), "votes": [{"answer": text, "samples": [0, 1]}]}
    page = transcript_page(read_transcript(value), text)
    plain, found = Words(transcript_page(read_transcript(json.loads(made("solution"))), "x")), Words(page)
    assert {"script", "style", "title", "img"} & set(found.tags) == {"script", "style", "title"}
    assert found.tags.count("script") == plain.tags.count("script") == 1
    assert not any(char in page for char in "\u202e\u2066\u200f\x00\x1b\u2028")
    assert not any(link and not link.startswith("#") for link in found.links)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_any_json_has_a_page_or_a_reason(seed: int, kind: str) -> None:
    """[VIEW-TRANSCRIPT]: what is of another type than it should be is left out."""
    random = Random(seed)
    value = json.loads(made(kind))

    def damage(part: Any, depth: int = 0) -> Any:
        if depth and random.random() < 0.04:
            return random.choice(
                [None, True, -1, 10**30, 1.5, float("nan"), "x", [], {}, [[1]], [None], {"a": 1}]
            )
        if isinstance(part, dict):
            return {name: damage(each, depth + 1) for name, each in part.items()}
        return [damage(each, depth + 1) for each in part] if isinstance(part, list) else part

    try:
        assert transcript_page(read_transcript(damage(value))).endswith("</html>\n")
    except BadTranscript as error:
        assert str(error)


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"kind": "reasoned"', b'[{"kind": "reasoned"}]', b'"reasoned"', b"\xff{"]
)
def test_what_is_no_transcript(data: bytes) -> None:
    """[VIEW-TRANSCRIPT]"""
    assert transcript_value(data) is None


def potc(*args: str | Path) -> Result:
    return CliRunner().invoke(command_of("view"), [*map(str, args)])


def test_the_command(tmp_path: Path) -> None:
    """[VIEW-TRANSCRIPT]"""
    file, page = tmp_path / "transcript.json", tmp_path / "page.html"
    file.write_text(made("program"), encoding="utf-8")
    assert potc(file, "-o", page).exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    for args in (["--to", "svg"], ["-o", tmp_path / "page.svg"]):
        done = potc(file, *args)
        assert done.exit_code == 2 and "a transcript has a page and no drawing" in done.stderr
    done = potc(file, "--topos")
    assert done.exit_code == 2 and "only a trace has a diagram in a topos" in done.stderr
    file.write_text('{"kind": "reasoned", "samples": []}', encoding="utf-8")
    done = potc(file)
    assert done.exit_code == 2 and "there are no samples in this transcript" in done.stderr


def test_a_long_transcript_stays_bounded() -> None:
    """[VIEW-TRANSCRIPT]: of a text so much is shown."""
    value = json.loads(made("solution"))
    attempt = value["samples"][0]["attempts"][0]
    attempt["reply"] = "r" * 50_000
    page = transcript_page(read_transcript(value))
    assert "r" * 20_000 in page and "r" * 20_001 not in page and "30,000 more characters" in page
    value["samples"][0]["attempts"] = [attempt] * 200
    assert 100 * 4_000 < len(transcript_page(read_transcript(value))) < 100 * 8_000 + 200_000
