"""Which language an input is in: by its content, for any bytes."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.write import write_json, write_text
from potlang.languages.dot.write.emit import emit
from potlang.languages.kind import Kind, is_prose, kind_of, kind_of_value
from potlang.testing import damaged_traces, programs, traces
from potlang.testing.solutions import damaged_solutions, solutions

ROOT = Path(__file__).parents[2]
KINDS = get_args(Kind)


@pytest.mark.parametrize(
    "path", sorted(filter(Path.is_file, (ROOT / "examples").iterdir())), ids=lambda path: path.name
)
def test_examples(path: Path) -> None:
    """[KIND-CONTENT]: the names of the examples say what their contents tell."""
    expected = next((kind for kind in ("dot", "dagmath") if f".{kind}." in path.name), "pot")
    assert kind_of(path.read_bytes()) == expected


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
        b'{"steps": [{"step_id": 1}]}',
        b'{"problem": "{", "model": "m", "steps" : [ {"edge": "x"}]}',
        b'[{"direct_dependent_steps": null, "step_id": 1}]',
        b'```json\n{"steps": [{"text": "x", "step_id": 1}]}\n```',
        b'Sure, here it is:\n\n```json\n{"steps": [\n{"step_id": 1}]}\n```',
        b'{"steps": [{"step_id": 1}]}\n{"steps": [{"step_id": 1}]}\n',
        b'{"steps": [{"step_id": 1, "edge": "@node id=1 role=problem',
        b"Step 1\nEdge: x\nParents: Null\nNode: y\n",
        b"\xef\xbb\xbf**Step 1**\r\n\r\n**Edge:** x\r\n",
        b"Here are the steps.\n### Step 12:\n> **Parents**: Step 1",
        '{"steps": [{"step_id": 1}]}'.encode("utf-16"),
    ],
)
def test_steps_make_a_solution(data: bytes) -> None:
    """[KIND-STEPS]"""
    assert kind_of(data) == "dagmath"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"constants": {"step_id": {"sort": "Int"}, "steps": [{"node": 1}]}}', "pot"),
        (b'{"sorts": [{"name": "step_id"}], "steps": []}', "pot"),
        (b'{"description": "\\"steps\\": [{\\"step_id\\": 1}]"}', "pot"),
        (b'{"steps": [{"name": "node"}]}', "pot"),
        (b'{"steps": {"step_id": 1}}', "pot"),
        (b'{} {"steps": [{"step_id": 1}]}', "pot"),
        (b"Step 1: do this\nEdge: x", "pot"),
        (b"Edge: x\nthen Step 1\n", "pot"),
        (b"@node id=1 role=problem\nStep 1\nEdge: x\n", "dot"),
        (b'<problem>Is it?</problem>\n{"steps": [{"step_id": 1}]}', "dot"),
        (b'@node id=1 role=problem\n{"steps": [{"step_id": 1}]}', "dot"),
    ],
)
def test_words_of_solutions_elsewhere_mean_nothing(data: bytes, kind: str) -> None:
    """[KIND-STEPS]"""
    assert kind_of(data) == kind


@settings(max_examples=50)
@given(solutions(formatted=False))
def test_every_solution_is_one(found: Solution) -> None:
    """[KIND-STEPS]"""
    for text in (
        write_json(found),
        write_text(found),
        write_text(found, bold=True),
        f"Sure:\n{write_json(found)}",
    ):
        assert kind_of(text.encode()) == "dagmath"


@settings(max_examples=50)
@given(programs())
def test_every_program_is_one(found: dict[str, object]) -> None:
    """[KIND-JSON]"""
    assert kind_of(json.dumps(found).encode()) == "pot"


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


SOLVED = (
    "Tom buys 3 boxes with 6 eggs each, so he has 3 * 6 = 18 eggs.\n",
    "# Solution\n\nWe know that $x + 3 = 7$.\n\n- Hence $x = 4$.\n- The answer is $\\boxed{4}$.\n",
    "There are 7 days in a week\n#### 7\n",
    "Let $S = \\{1, 2\\}$ be the set; then it has $2^2 = 4$ subsets.\n",
)
UNSOLVED = (
    "a rule with no numbers at all",
    "All birds can fly, and Tweety is a bird.",
    "sorts: [Person]\nthe ages are such that a = 3",
    'here is my program so x = 3:\n{"sorts": []}',
    "We write the program x = 3\n```json\n{}\n```\n",
    "(declare-const x Int)\nthe sum of two = 3",
    "'sorts': [], the age is such that x = 3",
    "so x = 3 holds in the problem\n@node id=1 role=problem\n",
    "the trace says that x = 3 <problem> and so on",
    '"verifications": [] and so we have x = 3',
)


@pytest.mark.parametrize("text", SOLVED)
def test_worked_solutions_in_prose(text: str) -> None:
    """[KIND-PROSE]: as text, as a message and as a chat."""
    message = {"role": "assistant", "content": text}
    chat = [{"role": "user", "content": "How many?"}, message]
    for value in (message, [message], chat):
        assert kind_of(json.dumps(value).encode()) == "dagmath" == kind_of_value(value)
    assert kind_of(text.encode()) == kind_of(text.encode("utf-16")) == "dagmath"


@pytest.mark.parametrize("text", UNSOLVED)
def test_what_is_no_worked_solution(text: str) -> None:
    """[KIND-PROSE]: nothing that may mean to be a program or a trace."""
    assert kind_of(text.encode()) in ("pot", "dot")
    assert kind_of(json.dumps({"role": "assistant", "content": text}).encode()) == "pot"


def test_no_program_and_no_trace_is_prose() -> None:
    """[KIND-PROSE]: not the inputs of this repository, nor halves of them."""
    files = [each for ends in ("*.pot*", "*.dot*", "*.json") for each in (ROOT / "tests").rglob(ends)]
    kept = [each for each in files if each.is_file() and "dagmath" not in each.name]
    texts = [each.read_bytes() for each in kept if each.stat().st_size < 40_000]
    assert len(texts) > 200
    for text in texts:
        half = len(text) // 2
        assert not any(map(is_prose, (text, text[:half], text[half:]))), text[:300]


@settings(max_examples=50)
@given(traces())
def test_every_trace_is_one(found: list[object]) -> None:
    """[KIND-DOT]"""
    assert kind_of(emit(found)) == "dot"  # type: ignore[arg-type]


@settings(max_examples=100)
@given(st.binary() | damaged_traces() | damaged_solutions().map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_have_a_kind(data: bytes) -> None:
    assert kind_of(data) in KINDS


@pytest.mark.parametrize("begin", [b"", b'{"steps"', b'x "step_id"\n'])
@pytest.mark.parametrize(
    "piece",
    [
        *(
            b" ",
            b"\n",
            b"@",
            b"```",
            b"@a ",
            b"\n@a ",
            b"\n> - ",
            b"<",
            b"\n@node",
            b'"',
            b'"\\',
            b"[",
            b"{[{",
        ),
        *(b"\nStep 1", b"\n**Step", b"\nEdge", b"\n[ "),
        *(b"x", b"$", b"$ ", b"x ", b"ab ", b"1$", b"\\"),
    ],
)
def test_long_input_takes_linear_time(begin: bytes, piece: bytes) -> None:
    """Backtracking over a repeated piece would take hours here."""
    data = begin + piece * 500_000 + Random(1).randbytes(9)
    assert kind_of(data) in KINDS
    assert is_prose(data) in (True, False)
