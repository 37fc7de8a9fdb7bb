"""Cutting answers apart, and the frames between worker and parent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.solve import frames
from potlang.solve.backend import Answer, Objective, OptimizeAnswer, OptimizeQuery, Point, Query
from potlang.solve.sexpr import elements, has_symbol, pair_values, unquote


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("()", []),
        ("", []),
        ("(a)", ["a"]),
        ("((x 1)\n (|a (b| (- 2)))", ["(x 1)", "(|a (b| (- 2))"]),
        ('((s "a) ""(b"))', ['(s "a) ""(b")']),
        ("(a ; (comment)\n b)", ["a", "b"]),
        ("(a) (b)", ["a"]),
        ("((a b) (c", ["(a b)"]),
        (")", []),
    ],
)
def test_the_elements_of_a_list(text: str, expected: list[str]) -> None:
    assert elements(text) == expected


def test_a_deep_list_needs_no_stack() -> None:
    deep = "(" * 100_000 + ")" * 100_000
    assert elements(deep) == [deep[1:-1]]


def test_the_values_of_pairs() -> None:
    assert pair_values('((x (- 1)) ((f "a b") |q r|))') == ("(- 1)", "|q r|")
    assert pair_values("(objectives\n (x 3)\n (|y z| (* (- 1) oo))\n)") == ("3", "(* (- 1) oo)")


def test_symbols_are_found_as_tokens_only() -> None:
    assert has_symbol("(* (- 1) oo)", "oo")
    assert not has_symbol('(f |oo| "oo" foo)', "oo")
    assert unquote("|a b|") == "a b"
    assert unquote("a") == "a"


ATOM = st.one_of(
    st.from_regex(r"[a-z0-9.+*-]{1,6}", fullmatch=True),
    st.text(alphabet="ab() ;\"'", max_size=6).map(lambda s: "|" + s + "|"),
    st.text(alphabet="ab() ;|", max_size=6).map(lambda s: '"' + s + '"'),
)
TERM = st.recursive(
    ATOM, lambda inner: st.lists(inner, max_size=4).map(lambda s: f"({' '.join(s)})"), max_leaves=12
)


@given(st.lists(TERM, max_size=6))
def test_what_is_joined_is_cut_apart_again(parts: list[str]) -> None:
    """`elements` inverts writing a list, whatever quoted symbols and strings contain."""
    assert elements(f"({' '.join(parts)})") == parts


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
