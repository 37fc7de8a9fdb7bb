"""The frames between worker and parent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.processes import frames

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
def test_messages_survive_the_pipe(message: frames.Message) -> None:
    """Lone surrogates included; the header says how long the rest is."""
    frame = frames.encode(message)
    assert frames.size(frame[: frames.HEADER.size]) == len(frame) - frames.HEADER.size
    assert frames.decode(frame[frames.HEADER.size :]) == message


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"3"])
def test_what_is_no_message_is_refused(body: bytes) -> None:
    with pytest.raises(frames.FrameError):
        frames.decode(body)


def test_an_absurd_length_is_refused() -> None:
    with pytest.raises(frames.FrameError):
        frames.size(b"\xff\xff\xff\xff")
