"""Data sets and recorded attempts as they are read."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import strategies as st
from statements import Property

from potlang.models.evaluation import OtherColumns, Truth, read_questions, read_recorded
from potlang.models.programs.replies import program_in
from potlang.report.results import Verdict


def lines(*values: Any) -> list[tuple[str, io.BytesIO]]:
    return [("data", io.BytesIO(b"\n".join(json.dumps(each).encode() for each in values)))]


def test_answers_in_all_their_forms() -> None:
    """[EVAL-DATASET]"""
    given = [True, "Yes", "entailed", False, "refuted", "Uncertain", "unknown", "undetermined", "rejected"]
    found, problems, _ = read_questions(lines(*({"id": at, "answer": each} for at, each in enumerate(given))))
    assert not problems
    assert [each.answer for each in found] == [
        *[Truth.TRUE] * 3,
        *[Truth.FALSE] * 2,
        *[Truth.UNCERTAIN] * 3,
        None,
    ]


def test_options() -> None:
    """[EVAL-DATASET]"""
    options = [
        {"label": "A", "verification": "first", "accept": ["entailed", "undetermined"]},
        {"label": "B"},
    ]
    found, problems, _ = read_questions(
        lines({"id": "1", "gold": "B", "options": options}, {"id": "2", "answer": "x", "choices": ["x", "y"]})
    )
    assert not problems
    assert [(each.label, each.verification, len(each.accept)) for each in found[0].options] == [
        ("A", "first", 2),
        ("B", "B", 1),
    ]
    assert found[1].options[1].accept == {Verdict.ENTAILED}


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"answer": True},
        {"id": "", "answer": True},
        {"id": True, "answer": True},
        {"id": "1"},
        {"id": "1", "answer": "maybe"},
        {"id": "1", "answer": 1},
        {"id": "1", "answer": "C", "choices": ["A", "B"]},
        {"id": "1", "answer": "A", "choices": ["A", "A"]},
        {"id": "1", "answer": "A", "options": [{"label": "A", "accept": ["perhaps"]}]},
        {"id": "1", "answer": True, "verdict": "perhaps"},
        {"id": "1", "answer": True, "attempts": [1]},
        {"id": "1", "answer": True, "attempts": [""] * 101},
        {"id": "1", "answer": True, "family": 7},
    ],
)
def test_lines_that_are_no_question(value: Any) -> None:
    """[EVAL-DATASET]"""
    found, problems, _ = read_questions(lines({"id": "0", "answer": True}, value))
    assert [each.id for each in found] == ["0"]
    assert [each.line for each in problems] == [2]


def test_an_id_occurs_once() -> None:
    """[EVAL-DATASET]"""
    found, problems, _ = read_questions(lines({"id": 1, "answer": True}, {"id": "1", "answer": False}))
    assert [each.answer for each in found] == [Truth.TRUE]
    assert str(problems[0]) == "data:2: the id '1' occurs twice"


def check_any_bytes(data: bytes) -> None:
    """[EVAL-DATASET], [EVAL-FILE]: every line of any bytes that is not blank is a question or a problem.

    A file that is one list has items in their place, and one with other columns is refused.
    """
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        whole = None
    count = sum(bool(each.strip(b" \t\r\xef\xbb\xbf")) for each in data.split(b"\n"))
    try:
        found, problems, _ = read_questions([("data", io.BytesIO(data))])
    except OtherColumns as error:
        assert "Needed are" in str(error)
    else:
        assert len(found) + len(problems) == (len(whole) if isinstance(whole, list) else count)
    read_recorded([("data", io.BytesIO(data))])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "answer", "options", "label", "accept", "attempts", "program", "text"]),
            inner,
        )
    ),
    max_leaves=12,
)
BYTES = st.binary(max_size=60) | st.lists(VALUES, max_size=4).map(
    lambda values: b"\n".join(json.dumps(each).encode() for each in values)
)
test_any_bytes, test_any_bytes_deep = Property(check_any_bytes, BYTES, quick=150).tests()


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ({"id": "\ud800", "answer": True}, "`id` has half"),
        ({"id": "x" * 501, "answer": True}, "`id` is no string"),
        ({"id": "a", "family": "x\udfff", "answer": True}, "`family` has half"),
        ({"id": "a", "family": "x" * 501, "answer": True}, "`family` is no string"),
        ({"id": "a", "family": 3, "answer": True}, "`family` is no string"),
        ({"id": "a", "choices": ["A", "\ud800"], "answer": "A"}, "an option's label has half"),
        ({"id": None, "answer": True}, "`id` is no whole number"),
        ({"id": "a", "answer": None}, "the answer None is not true"),
    ],
    ids=lambda each: str(each)[:40].encode("ascii", "backslashreplace").decode(),
)
def test_names_that_no_table_can_have(line: dict[str, Any], what: str) -> None:
    """[EVAL-DATASET]"""
    found, problems, _ = read_questions(lines(line))
    assert not found
    assert problems[0].message.startswith(what)


def test_hostile_lines() -> None:
    """[EVAL-DATASET]"""
    data = b"\n".join([b"[" * 100_000, b'{"id": ' + b"9" * 10_000 + b"}", b'{"id": NaN}', b"\xff\xfe"])
    found, problems, _ = read_questions([("data", io.BytesIO(data))])
    assert (found, len(problems)) == ([], 4)


def test_recorded_lines_of_one_id_follow_each_other() -> None:
    """[EVAL-DATASET]"""
    found, problems = read_recorded(
        lines({"id": "a", "program": "x"}, {"id": "b", "attempts": []}, {"id": "a", "attempts": [{}, "y"]})
    )
    assert found == {"a": ("x", {}, "y")}
    assert [each.line for each in problems] == [2]


@pytest.mark.parametrize("text", ['{"a": 1}', 'Here:\n```json\n{"a": 1}\n```\nDone.', 'So\n  {"a": 1} it is'])
def test_the_program_in_a_reply(text: str) -> None:
    """[EVAL-DATASET]"""
    assert json.loads(str(program_in(text))) == {"a": 1}
    assert program_in("I cannot do that.") == "I cannot do that."
