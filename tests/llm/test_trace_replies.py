"""Traces are found in replies: in fences, among prose, behind thoughts, cut short."""

from __future__ import annotations

import pytest

from potlang.models.traces.prompting import trace_examples
from potlang.models.traces.replies import behind_node, trace_in

TRACE = trace_examples()[0].trace
TOKENS = trace_examples(role_tokens=True)[0].trace
DRAFT = TRACE.replace("validated", "maybe")


@pytest.mark.parametrize("trace", [TRACE, TOKENS])
@pytest.mark.parametrize(
    "around",
    [
        "TRACE",
        "Here it is:\n\nTRACE\nI hope that this helps.",
        "```\nTRACE```\n",
        "Sure!\n\n```text\nTRACE```\nThis is the trace.",
        "~~~dot\nTRACE~~~",
        f"<think>\n{DRAFT}</think>\n\nTRACE",
        f"<think>\nHm.</think>\n```\n{DRAFT}```\nNo, rather:\n```\nTRACE```\n",
        "```\nTRACE",
        "<think>I write it at once.\nTRACE",
    ],
)
def test_what_stands_around_a_trace_is_left_out(around: str, trace: str) -> None:
    """[LOOP-DOT-REPLY]"""
    assert trace_in(around.replace("TRACE", trace)) == trace


@pytest.mark.parametrize(
    "reply", ["", "No.", "```\n{}\n```", "- @node id=1 role=problem", "<proposer>x</proposer>"]
)
def test_a_reply_without_records_has_no_trace(reply: str) -> None:
    """[LOOP-DOT-REPLY]"""
    assert trace_in(reply) is None


def test_blocks_in_fences_of_their_own_beside_others_are_one_trace() -> None:
    """[LOOP-DOT-REPLY]: where a record stands outside of fences, all from the first node on is the trace."""
    first, rest = TRACE.split("@node id=3", 1)
    found = trace_in(f"```\n{first}```\n@node id=3{rest}")
    assert found is not None and found.startswith("@node id=1") and found.endswith("<summarizer:end>\n")


def test_what_is_broken_is_found_too() -> None:
    """[LOOP-DOT-REPLY]"""
    assert trace_in("@edge src=1 dst=2\n") == "@edge src=1 dst=2\n"
    assert trace_in("Well.\n@nodes\n@prop id=1 x\n@node id=one\n") == "@prop id=1 x\n@node id=one\n"


def test_the_rest_of_a_trace() -> None:
    """[LOOP-DOT-VERDICTS]: what goes on behind a node, with or without what was there before."""
    rest = TRACE[TRACE.index("@node id=4") :]
    assert behind_node(TRACE, 3) == behind_node(rest, 3) == rest
    assert behind_node(TRACE, 99) is None
    tokens = behind_node(TOKENS, 3)
    assert tokens is not None and tokens.startswith("<proposer>\n@node id=4")
