"""Answers in prose are read where they are unmistakable, and nowhere else."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from potlang.models.programs.consistency import compare
from potlang.models.replies import stated_answers
from potlang.models.replies.stated_answers import stated_answer
from potlang.report.results import Verdict

YES, NO, OPEN = Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED
READINGS = {"yes": {YES}, "no": {NO}, "open": {OPEN}, "not-yes": {NO, OPEN}}
MARKERS = (
    "",
    "Answer: ",
    "So the answer is ",
    "Final answer:\n",
    "\\boxed{",
    "The statement is ",
    "### Answer\n",
)
KNOWN = re.compile(
    r"yes|no|true|false|correct|entailed|refuted|un(?:certain|determined|known|clear)|indeterminate"
    r"|inconclusive|insufficient|enough|can|impossible|depends|neither|conclusion|premises|follow|holds",
    re.IGNORECASE,
)
"""Parts of all that is ever read: independent of the patterns that read it."""
WORDS = (
    *(
        "Rex",
        "has",
        "fur",
        "is",
        "a",
        "reptile",
        "of",
        "the",
        "park",
        "because",
        "if",
        "it",
        "answer",
        "claim",
    ),
    *(
        "maybe",
        "perhaps",
        "statement",
        "and",
        "or",
        "B",
        "17",
        ".",
        ",",
        ":",
        "?",
        "**",
        '"',
        "\n",
        "(",
        ")",
        "}",
    ),
)


class Phrase(NamedTuple):
    """A text and what it should be read as: a key of `READINGS`, the label of an option, or `-`."""

    reading: str
    options: tuple[str, ...]
    text: str


def _phrases() -> list[Phrase]:
    lines = (Path(__file__).parent / "answers_in_prose.tsv").read_text(encoding="utf-8").splitlines()[1:]
    parts = (line.split("\t") for line in lines)
    return [
        Phrase(reading, tuple(filter(None, options.split(","))), text.replace("\\n", "\n"))
        for reading, options, text in parts
    ]


PHRASES = _phrases()


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.text[:40])
def test_a_phrase_is_read_as_it_is_meant(phrase: Phrase) -> None:
    """[LOOP-CONSISTENT]"""
    found = stated_answer(phrase.text, phrase.options)
    if phrase.reading == "-":
        assert found is None
    elif phrase.reading in READINGS:
        assert found is not None and found.label is None and found.verdicts == READINGS[phrase.reading]
    else:
        assert found is not None and found.label == phrase.reading


def test_the_phrases_are_many_and_of_all_kinds() -> None:
    counts = {name: sum(each.reading == name for each in PHRASES) for name in (*READINGS, "-")}
    assert len(PHRASES) >= 350 and min(counts.values()) >= 8


def test_what_is_read_as_open_is_no_agreement_with_refuted() -> None:
    """[LOOP-CONSISTENT]"""
    assert compare("Not enough information", {"c": NO}).status == "contradicts"
    assert compare("Not enough information", {"c": OPEN}).status == "agrees"
    assert compare("No doubt Rex has fur", {"c": NO}).status == "cannot tell"


@pytest.mark.parametrize("marker", MARKERS)
def test_a_text_without_a_known_phrase_is_not_read(marker: str) -> None:
    """[LOOP-CONSISTENT]"""
    draw = random.Random(marker)
    for _ in range(300):
        text = marker + " ".join(draw.choices(WORDS, k=draw.randrange(12)))
        assert not KNOWN.search(text) and stated_answer(text) is None, text


def test_a_phrase_among_such_words_is_read() -> None:
    """[LOOP-CONSISTENT]: words as those above stand before a marker with an answer."""
    draw = random.Random(0)
    for _ in range(100):
        found = stated_answer(" ".join(draw.choices(WORDS[:10], k=8)) + ".\nAnswer: no.")
        assert found is not None and found.verdicts == {NO}


@pytest.mark.parametrize(
    "pattern", ["_TAKEN_BACK_HERE", "_TAKEN_BACK_LATER", "_DISTANT", "_CONDITIONAL", "_ASKED"]
)
def test_each_way_to_take_an_answer_back_is_needed(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[LOOP-CONSISTENT]: without it a phrase of the table is read that should not be."""
    monkeypatch.setattr(stated_answers, pattern, re.compile(r"(?!)"))
    assert any(stated_answer(each.text, each.options) for each in PHRASES if each.reading == "-")


@pytest.mark.parametrize(
    "text",
    [
        *("answer " * 100_000, "the statement is " * 50_000, "if " * 100_000 + "the answer is yes"),
        *(
            "Answer: no" + " " * 500_000 + "x",
            "Answer: yes " + "wait " * 100_000,
            "it" + " " * 500_000 + "depends",
        ),
        "\\boxed{\\text{" * 100_000,
    ],
)
def test_hostile_prose_is_read_in_time(text: str) -> None:
    """[LOOP-CONSISTENT]"""
    stated_answer(text, ("A", "B"))
