"""Queries and answers on their way through a pipe."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from potlang.engines import messages
from potlang.engines.messages import OptimizeAnswer, OptimizeQuery, Query, SolverAnswer
from potlang.processes import frames

TEXT = st.text(max_size=20)
REASON = st.sampled_from([None, "timeout", "memory", "incomplete", "unsupported", "error", "crash"])
TEXTS = st.one_of(st.none(), st.lists(TEXT, max_size=3).map(tuple))
MILLISECONDS = st.floats(0, 1e6)


@given(
    st.builds(
        SolverAnswer,
        st.sampled_from(["sat", "unsat", "unknown"]),
        REASON,
        TEXT,
        TEXTS,
        TEXTS,
        MILLISECONDS,
        st.none() | TEXT,
        st.none() | TEXT,
    )
)
def test_answers_survive_the_pipe(answer: SolverAnswer) -> None:
    """Packing, framing, reading and unpacking give the answer back, lone surrogates included."""
    assert messages.unpack_answer(_through(answer)) == answer


@given(TEXT, st.lists(TEXT, max_size=3), st.booleans())
def test_queries_survive_the_pipe(text: str, values: list[str], flag: bool) -> None:
    """As above, for both kinds of query and for optimizations' answers."""
    query = Query(text, tuple(values), flag, not flag, tuple(values), "cpc" if flag else None)
    assert messages.unpack_query(_through(query)) == query
    optimize = OptimizeQuery(text, text, flag)
    assert messages.unpack_optimize(_through(optimize)) == optimize
    answer = OptimizeAnswer("optimal", None, text, text, (text, text), (1, 2), 1.5)
    assert messages.unpack_optimized(_through(answer)) == answer


def _through(content: object) -> object:
    return frames.decode(frames.encode({"content": content})[frames.HEADER.size :])["content"]
