"""Whatever is typed has an answer: nothing raises, and every place that is named is in the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.editor.desk import DeskService
from potlang.editor.positions import TextLines
from potlang.testing import damaged, damaged_solutions, damaged_traces, programs

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = [
    (EXAMPLES / name).read_text(encoding="utf-8")
    for name in ("ladder.json", "refinement.dot.txt", "natascha.dagmath.json", "logarithms.dagmath.txt")
]
PIECES = (
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "'",
    "`",
    "\\",
    "@",
    "@node id=",
    "@prop id=1 {",
    "Step 1",
    "<summarizer:end>",
    "\n",
    "\r",
    "\u2028",
    "🙂",
    "\u202e",
    "\0",
    "1e999",
    "ForAll([x: ",
    "(" * 50,
    "// ",
)
LANGUAGES = st.sampled_from(["json", "plaintext", "potlang", "potlang-trace", "potlang-solution"])
PLACED = ("hover", "completions", "definition", "references", "highlights", "name", "rename")
PARTS = ("diagnostics", "actions", "hints", "tokens", "outline", "folds", "format")


@st.composite
def cut_texts(draw: st.DrawFn) -> str:
    """A text of one of the languages with something cut out and something put in."""
    text = draw(st.sampled_from(TEXTS))
    start = draw(st.integers(0, len(text)))
    end = min(len(text), start + draw(st.integers(0, 60)))
    put = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=3)))
    rest = text[end:] if draw(st.booleans()) else ""
    return text[:start] + put + rest


ANY_TEXT = st.one_of(
    cut_texts(),
    programs().flatmap(damaged),
    damaged_traces().map(lambda data: data.decode("utf-8", "replace")),
    damaged_solutions(),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)


def ranges_of(value: Any) -> list[dict[str, Any]]:
    """The ranges in an answer, wherever they stand."""
    if isinstance(value, list):
        return [found for each in value for found in ranges_of(each)]
    if not isinstance(value, dict):
        return []
    own = [value] if value.keys() == {"start", "end"} else []
    return [*own, *(found for each in value.values() for found in ranges_of(each))]


def assert_answered(text: str, language: str, offset: int) -> None:
    """Each question about a place and about the whole has an answer, whose places are in the text."""
    desk, lines = DeskService(), TextLines(text)
    position = lines.position(offset)._asdict()
    whole = {"start": {"line": 0, "character": 0}, "end": lines.position(len(text))._asdict()}
    more = {
        "position": position,
        "range": whole,
        "declarations": True,
        "only": ["quickfix"],
        "name": "fresh_name",
    }
    for ask in (*PARTS, *PLACED):
        question = {"ask": ask, "uri": "u", "version": 1, "language": language, "encoding": "utf-16", **more}
        answer = desk.answer({**question, "text": text} if ask == PARTS[0] else question)
        assert answer is not None
        assert answer.keys() <= {"found", "refused"}
        json.dumps(answer)
        for each in ranges_of(answer.get("found")):
            start, end = (tuple(each[side].values()) for side in ("start", "end"))
            assert (0, 0) <= start <= end <= tuple(whole["end"].values())


@settings(max_examples=60, deadline=None)
@given(ANY_TEXT, LANGUAGES, st.data())
def test_any_text_has_answers(text: str, language: str, data: st.DataObject) -> None:
    """[EDIT-ROBUST] Damaged programs, traces, solutions and heaps of pieces, at any place."""
    text = text.encode("utf-8", "replace").decode()
    assert_answered(text, language, data.draw(st.integers(0, len(text))))


@pytest.mark.slow
@settings(max_examples=3_000, deadline=None)
@given(ANY_TEXT, LANGUAGES, st.data())
def test_very_many_texts_have_answers(text: str, language: str, data: st.DataObject) -> None:
    """[EDIT-ROBUST] As above, many."""
    text = text.encode("utf-8", "replace").decode()
    assert_answered(text, language, data.draw(st.integers(0, len(text))))
