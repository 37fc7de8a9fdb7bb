"""A model that plays answers back."""

from __future__ import annotations

import pytest

from potlang.models.endpoint import Completion, EndpointError, Recorded, RecordingEnded, user


def test_answers_in_order() -> None:
    """[ENDPOINT-RECORDED]: texts, completions and errors, one after the other, and then no more."""
    cut = EndpointError("cut off", "half-way")
    model = Recorded(["one", Completion("two", finish_reason="length"), cut])
    assert model.complete([user("a")], seed=4).text == "one"
    assert model.complete([user("b")]).finish_reason == "length"
    with pytest.raises(EndpointError, match="cut off: half-way"):
        model.complete([user("c")])
    with pytest.raises(RecordingEnded):
        model.complete([user("d")])
    assert [each.messages[-1].content for each in model.asked] == ["a", "b", "c", "d"]
    assert model.asked[0].settings["seed"] == 4


def test_answers_by_message() -> None:
    """[ENDPOINT-RECORDED]: in whatever order they are asked for."""
    model = Recorded({"a": "one", "b": "two"})
    assert [model.complete([user(each)]).text for each in "baa"] == ["two", "one", "one"]
    with pytest.raises(RecordingEnded):
        model.complete([user("c")])
    with pytest.raises(RecordingEnded):
        model.complete([])


def test_answers_by_a_function() -> None:
    """[ENDPOINT-RECORDED]."""
    model = Recorded(lambda messages: messages[-1].content.upper())
    assert model.complete([user("a")]).text == "A"
