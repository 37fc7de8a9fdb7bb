"""Which language an input is in: by its content, for any bytes."""

from __future__ import annotations

import codecs
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.languages.dot.emit import emit
from potlang.languages.kind import kind_of
from potlang.testing import damaged_traces, traces

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").iterdir()), ids=lambda path: path.name)
def test_examples(path: Path) -> None:
    """[KIND-CONTENT]: the names of the examples say what their contents tell."""
    assert kind_of(path.read_bytes()) == ("dot" if path.name.endswith(".dot.txt") else "pot")


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b" \n\t[1]",
        b"\xef\xbb\xbf{",
        b'{"text": "\n@node id=1 role=problem\n"}',
        b'{"description": "<proposer>"',
        b"```json\n{<critic>}\n```",
        '[1, "@node id=1"]'.encode("utf-16"),
    ],
)
def test_json_is_a_program_whatever_else_is_in_it(data: bytes) -> None:
    """[KIND-JSON]"""
    assert kind_of(data) == "pot"


@pytest.mark.parametrize(
    "data",
    [
        b"@node id=1 role=problem\n",
        b"\xef\xbb\xbf@node id=1 role=problem\n",
        b"Here is the trace:\n@node id=1 role=problem\n",
        b"```\n@node id=1 role=problem\n```",
        b"  @node id=1 role=problem\n",
        b"> @edge src=1 dst=2 kind=use",
        b"@Node id=1 role=problem",
        b"@note  target=1",
        b"@@len=3@@abc",
        b"Sure! <problem>Is it?</problem>",
        b"text {\n<critic>no</critic>",
        b"\xff\n@prop id=2 {\xfe",
        "@node id=1 role=problem\n".encode("utf-16"),
        codecs.BOM_UTF32_BE + "@node id=1 role=problem\n".encode("utf-32-be"),
    ],
)
def test_a_record_or_a_tag_makes_a_trace(data: bytes) -> None:
    """[KIND-DOT]"""
    assert kind_of(data) == "dot"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"null",
        b"'sorts': []",
        b"mail @bob",
        b"@bob says",
        b"x @node id=1",
        b"\xff\xfe",
        b"\0" * 9,
    ],
)
def test_what_is_neither_is_read_as_a_program(data: bytes) -> None:
    """[KIND-DEFAULT]"""
    assert kind_of(data) == "pot"


@settings(max_examples=50)
@given(traces())
def test_every_trace_is_one(found: list[object]) -> None:
    """[KIND-DOT]"""
    assert kind_of(emit(found)) == "dot"  # type: ignore[arg-type]


@settings(max_examples=100)
@given(st.binary() | damaged_traces())
def test_any_bytes_have_a_kind(data: bytes) -> None:
    assert kind_of(data) in ("pot", "dot")


@pytest.mark.parametrize("piece", [b" ", b"\n", b"@", b"```", b"@a ", b"\n@a ", b"\n> - ", b"<", b"\n@node"])
def test_long_input_takes_linear_time(piece: bytes) -> None:
    """Backtracking over a repeated piece would take hours here."""
    assert kind_of(piece * 1_000_000 + Random(1).randbytes(9)) in ("pot", "dot")
