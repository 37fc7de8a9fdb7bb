"""The frames between worker and parent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.engines.base import Answer, Objective, OptimizeAnswer, OptimizeQuery, Point, Query
from potlang.processes import frames

TEXT = st.text(max_size=20)
REASON = st.sampled_from([None, "timeout", "memory", "incomplete", "unsupported", "error", "crash"])
TEXTS = st.one_of(st.none(), st.lists(TEXT, max_size=3).map(tuple))
MILLISECONDS = st.floats(0, 1e6)


@given(
    st.builds(Answer, st.sampled_from(["sat", "unsat", "unknown"]), REASON, TEXT, TEXTS, TEXTS, MILLISECONDS)
)
def test_answers_survive_the_pipe(answer: Answer) -> None:
    """Packing, framing, reading and unpacking give the answer back, lone surrogates included."""
    frame = frames.encode(frames.pack_answer(answer))
    assert frames.size(frame[: frames.HEADER.size]) == len(frame) - frames.HEADER.size
    assert frames.unpack_answer(frames.decode(frame[frames.HEADER.size :])) == answer


@given(TEXT, st.lists(TEXT, max_size=3), st.booleans(), st.sampled_from(["lex", "pareto", "box"]))
def test_queries_survive_the_pipe(text: str, values: list[str], flag: bool, priority: str) -> None:
    """As above, for both kinds of query and for optimizations' answers."""
    query = Query(text, tuple(values), flag)
    assert frames.unpack_query(_through(frames.pack_query(query))) == query
    optimize = OptimizeQuery(text, (Objective(text, flag),), tuple(values), priority, 3)  # type: ignore[arg-type]
    assert frames.unpack_optimize(_through(frames.pack_query(optimize))) == optimize
    answer = OptimizeAnswer("optimal", None, text, (Point(tuple(values), None),), flag, ((text, text),), 1.5)
    assert frames.unpack_optimized(_through(frames.pack_answer(answer))) == answer


def _through(message: frames.Message) -> frames.Message:
    return frames.decode(frames.encode(message)[frames.HEADER.size :])


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"3"])
def test_what_is_no_message_is_refused(body: bytes) -> None:
    with pytest.raises(frames.FrameError):
        frames.decode(body)


def test_an_absurd_length_is_refused() -> None:
    with pytest.raises(frames.FrameError):
        frames.size(b"\xff\xff\xff\xff")
