"""Texts that are made to hang a server or to fill its memory, and storms of edits."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from editor_client import EditorClient, editor, position_of

from potlang.editor import lanes
from potlang.editor.desk import DeskService
from potlang.editor.diagnosis import LARGEST
from potlang.processes.frames import Message

GIRAFFE = (Path(__file__).parents[2] / "examples" / "giraffe.json").read_text(encoding="utf-8")
GOOD = "file:///good.json"
BAD = "file:///bad.json"
LARGE = "file:///large.json"


def facts(count: int) -> str:
    """A program of so many facts, one a line."""
    names = [f"c{number}" for number in range(1_000)]
    lines = [f"r({names[n % 1000]}, {names[(7 * n + n // 1000) % 1000]})" for n in range(count)]
    value = {
        "sorts": [{"name": "P", "type": "DeclareSort"}],
        "functions": [{"name": "r", "domain": ["P", "P"], "range": "Bool"}],
        "constants": {"ps": {"sort": "P", "members": names}},
        "knowledge_base": lines,
    }
    return json.dumps(value, indent=1)


HOSTILE = {
    "deep lists": "[" * 200_000,
    "deep objects": '{"sorts":' * 50_000,
    "deep formula": json.dumps({"verifications": [{"constraint": "(" * 50_000}]}),
    "deep names": json.dumps({"verifications": [{"constraint": "Not(" * 900 + "p" + ")" * 900}]}),
    "binary": bytes(range(256)).decode("latin-1") * 200,
    "one string": '{"verifications": ["' + "a" * 300_000,
    "long formula": json.dumps({"verifications": [{"constraint": " + ".join(["x"] * 40_000)}]}),
    "many errors": json.dumps({"verifications": [{"constraint": f"f{n}(x)"} for n in range(5_000)]}),
    "quotes": '{"a": ' + '"' * 100_001,
    "escapes": '{"verifications": [{"constraint": "' + "\\u0061" * 30_000 + '"}]}',
    "records": "@node id=1 role=problem\n" * 5_000,
    "fences": "@node id=1 role=problem\n" + "@@len=999999999@@\n" * 5_000,
    "prose": "So x = 1 and y = 2. " * 10_000,
    "steps": json.dumps({"steps": [{"step_id": 1, "direct_dependent_steps": [1], "node": "x"}] * 3_000}),
    "backquotes": json.dumps({"verifications": [{"constraint": "`" * 30_001}]}),
    "definitions": json.dumps(
        {
            "functions": [
                {
                    "name": f"d{n}",
                    "domain": ["Int"],
                    "range": "Int",
                    "params": [{"name": "x", "sort": "Int"}],
                    "body": f"d{n - 1}(d{n - 1}(x))" if n else "x + 1",
                }
                for n in range(40)
            ],
            "verifications": [{"constraint": "d39(0) > 0"}],
        }
    ),
}


QUICK = ("deep objects", "binary", "deep names", "backquotes")
EACH = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in HOSTILE]


@pytest.fixture(scope="module")
def client() -> Iterator[EditorClient]:
    with editor() as found:
        found.open(GOOD, GIRAFFE)
        yield found


def questions(uri: str) -> list[tuple[str, Any]]:
    """One of each kind of question about a document."""
    document = {"textDocument": {"uri": uri}}
    at = {**document, "position": {"line": 0, "character": 20}}
    whole = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}}
    return [
        ("textDocument/hover", at),
        ("textDocument/completion", at),
        ("textDocument/definition", at),
        ("textDocument/references", {**at, "context": {"includeDeclaration": True}}),
        ("textDocument/semanticTokens/full", document),
        ("textDocument/inlayHint", {**document, **whole}),
        ("textDocument/documentSymbol", document),
        ("textDocument/foldingRange", document),
        ("textDocument/codeAction", {**document, **whole, "context": {"diagnostics": []}}),
        ("textDocument/formatting", {**document, "options": {"tabSize": 2, "insertSpaces": True}}),
    ]


@pytest.mark.parametrize("name", EACH)
def test_hostile_texts_have_answers(client: EditorClient, name: str) -> None:
    """[EDIT-LIMITS] Each has diagnostics and answers, and the documents beside it go on."""
    client.open(BAD, HOSTILE[name])
    for method, params in questions(BAD):
        client.ask(method, params)
    assert client.ask("textDocument/hover", client.at(GOOD, *position_of(GIRAFFE, "jump_height(", 0, 2)))
    assert client.process.poll() is None
    client.notify("textDocument/didClose", {"textDocument": {"uri": BAD}})


@pytest.mark.slow
def test_five_megabytes(client: EditorClient) -> None:
    """[EDIT-LIMITS] A program of five megabytes is looked at; a larger text gets one diagnostic."""
    text = facts(290_000)
    assert len(text) > 5_000_000
    found = client.open(BAD, text)
    assert all(each.get("code") != "POT0002" for each in found)
    assert client.ask("textDocument/hover", client.at(BAD, *position_of(text, '"r(c1, ', 0, 2)))
    data = client.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": BAD}})["data"]
    lines = sum(data[0::5])
    assert sum(map(len, text.split("\n")[:lines])) + lines < 1 << 18
    (large,) = client.replace(BAD, text + " " * LARGEST)
    assert large["code"] == "POT0002"
    assert client.ask("textDocument/hover", client.at(BAD, 0, 5)) is None
    client.notify("textDocument/didClose", {"textDocument": {"uri": BAD}})


def test_of_a_large_text_mistakes_come_first(client: EditorClient) -> None:
    """[EDIT-DIAGNOSTICS] And what the linter finds besides comes when the text rests."""
    text = facts(5_000).replace('"sorts": [', '"sorts": [{"name": "Unused", "type": "DeclareSort"}, ', 1)
    assert len(text) > 100_000
    assert client.open(LARGE, text) == []
    assert "POT9010" in [each["code"] for each in client.diagnostics(LARGE)]
    client.notify("textDocument/didClose", {"textDocument": {"uri": LARGE}})


def test_a_storm_of_edits(client: EditorClient) -> None:
    """[EDIT-SYNC] A thousand edits, as quick as they can be sent: the last text is what counts."""
    text = GIRAFFE
    client.open(BAD, text)
    line, column = position_of(text, "2.45")
    place = {"line": line, "character": column}
    hovers = []
    for number in range(1_000):
        client.change(BAD, {"range": {"start": place, "end": place}, "text": str(number % 10)})
        if number % 100 == 0:
            hovers.append(client.begin("textDocument/hover", client.at(BAD, line, 5)))
    typed = "".join(str(number % 10) for number in reversed(range(1_000)))
    (error,) = [each for each in client.diagnostics(BAD) if each["severity"] == 1] or [None]
    assert error is None
    for id_ in hovers:
        with_answer(client, id_)
    final = client.ask("textDocument/hover", client.at(BAD, *position_of(text, "jump_height(", 0, 2)))
    assert final is not None
    wrong = text.replace("2.45", f"{typed}2.45 and")
    client.change(
        BAD,
        {
            "range": {
                "start": {"line": line, "character": column + 1_004},
                "end": {"line": line, "character": column + 1_004},
            },
            "text": " and",
        },
    )
    assert client.diagnostics(BAD) == client.replace(BAD, wrong)
    client.notify("textDocument/didClose", {"textDocument": {"uri": BAD}})


def with_answer(client: EditorClient, id_: int) -> None:
    """Waits for an answer, which may be that the document has changed in the meantime."""
    try:
        client.end(id_)
    except Exception as error:
        assert getattr(error, "code", None) == -32801


def test_a_child_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """[EDIT-LIMITS] The question has no answer, the next one has a new child."""
    monkeypatch.setattr(lanes, "_COMMAND", ("editor_desks:hanging",))
    lane = lanes.Lane(0.5)

    def text(content: str) -> lanes.AskedText:
        return lanes.AskedText("u", len(content), content, "json", "utf-16", lambda: True)

    async def asked() -> None:
        began = time.monotonic()
        with pytest.raises(lanes.ChildLost, match="no answer"):
            await lane.ask(text("hang"), {"ask": "outline"})
        assert time.monotonic() - began < 30
        lane._seconds = 60.0
        with pytest.raises(lanes.ChildLost):
            await lane.ask(text("exit"), {"ask": "outline"})
        assert await lane.ask(text("{}"), {"ask": "outline"}) == []

    try:
        asyncio.run(asked())
    finally:
        lane.close()


def test_a_question_about_an_older_version_is_not_asked() -> None:
    """[EDIT-SYNC] Nobody waits for its answer any more."""
    lane = lanes.Lane(30.0)
    old = lanes.AskedText("u", 1, "{}", "json", "utf-16", lambda: False)
    try:
        with pytest.raises(lanes.Outdated):
            asyncio.run(lane.ask(old, {"ask": "outline"}))
    finally:
        lane.close()


def test_of_many_highlights_those_around_the_cursor_are_given() -> None:
    """[EDIT-DEFINITION] A thousand, and not all of ten thousand; references are all."""
    text = facts(5_000)
    line, column = position_of(text, '"r(c1, ', 3, 1)
    more = {"text": text, "language": "json", "encoding": "utf-16", "declarations": True}
    question = {"uri": "u", "version": 1, "position": {"line": line, "character": column}, **more}
    found = DeskService().answer({"ask": "highlights", **question})["found"]
    assert len(found) == 1_000
    assert line in {each["range"]["start"]["line"] for each in found}
    assert len(DeskService().answer({"ask": "references", **question})["found"]) == 5_001


def test_texts_that_were_dropped_are_sent_again() -> None:
    """[EDIT-LIMITS] A child remembers a few texts, and asks for one that it has forgotten."""
    desk = DeskService()

    def ask(uri: str, text: str | None) -> Message | None:
        more = {} if text is None else {"text": text, "language": "json", "encoding": "utf-16"}
        return desk.answer({"ask": "outline", "uri": uri, "version": 1, **more})

    for number in range(10):
        ask(f"u{number}", GIRAFFE)
    assert ask("u0", None) == {"unknown": True}
    answer = ask("u0", GIRAFFE)
    assert answer is not None
    assert answer == ask("u0", None)
