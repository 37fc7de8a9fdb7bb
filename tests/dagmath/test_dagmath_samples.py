"""JSON Lines of samples: a bad line is named by its number and code, and reading goes on."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statements import Property

from potlang.languages.dagmath.read.samples import LINE_LIMITS, SampleLine, read_lines, read_sample
from potlang.languages.dagmath.write import write_json
from potlang.source import InputLimits
from potlang.testing.solutions import damaged_solutions, solution, solutions

STEP = {
    "step_id": 1,
    "edge": "Given.",
    "direct_dependent_steps": None,
    "node": r"The final answer is $\boxed{4}$.",
}
GOOD = json.dumps({"problem_id": "p", "steps": [STEP]})


def bad(**change: Any) -> str:
    return json.dumps({"steps": [STEP, {**STEP, "step_id": 2, **change}]})


BAD = {
    "POT7007": json.dumps({"steps": [{key: item for key, item in STEP.items() if key != "step_id"}]}),
    "POT7002": bad(step_id=1),
    "POT7003": bad(direct_dependent_steps=[9]),
    "POT7004": json.dumps({"steps": [{**STEP, "direct_dependent_steps": [2]}, {**STEP, "step_id": 2}]}),
    "POT7005": json.dumps(
        {
            "steps": [
                {**STEP, "direct_dependent_steps": [2]},
                {**STEP, "step_id": 2, "direct_dependent_steps": [1]},
            ]
        }
    ),
    "POT7010": bad(node=r"The final answer is $\boxed{\frac{1}{2$."),
    "POT7001": '{"steps": []}',
    "POT1001": '{"steps": [',
    "POT1010": "3.5",
}


def read_samples(stream: BinaryIO, limits: InputLimits = LINE_LIMITS) -> Iterator[SampleLine]:
    for number, line in read_lines(stream, limits):
        yield read_sample(line, number, limits)


def test_each_bad_line_has_its_number_and_code() -> None:
    """[DAG-LINES]"""
    lines = [line for each in BAD.values() for line in (each, "", GOOD)]
    found = list(read_samples(io.BytesIO("\n".join(lines).encode())))
    assert [each.line for each in found] == [at for at in range(1, len(lines) + 1) if at % 3 != 2]
    expected = list(BAD)
    expected[expected.index("POT1010")] = "POT7001"
    assert [each.problems[0].code for each in found if each.solution is None] == expected
    assert sum(each.solution is not None for each in found) == len(BAD)
    assert all(problem.message and problem.column for each in found for problem in each.problems)


class Endless(io.RawIOBase):
    """Good lines around one line of so many bytes, made as it is read."""

    def __init__(self, size: int) -> None:
        self.pieces = self.make(size)
        self.rest = b""

    def make(self, size: int) -> Iterator[bytes]:
        yield f"{GOOD}\r\n".encode()
        yield b'{"steps": "'
        for _ in range(size // 1_000_000):
            yield b"x" * 1_000_000
        yield f'"}}\n{GOOD}'.encode()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.rest = self.rest or next(self.pieces, b"")
        size = min(len(buffer), len(self.rest))
        buffer[:size], self.rest = self.rest[:size], self.rest[size:]
        return size


def test_a_line_of_100_megabytes_is_passed_over() -> None:
    """[DAG-LINES]: it is not read into memory, and the next line is."""
    good, long, last = read_samples(io.BufferedReader(Endless(100_000_000)))
    assert (good.line, long.line, last.line) == (1, 2, 3)
    assert good.solution == last.solution
    assert good.solution is not None
    assert [each.code for each in long.problems] == ["POT0002"]


@pytest.mark.parametrize("size", [0, 1, 2])
def test_the_limit_of_a_line_is_exact(size: int) -> None:
    """[DAG-LINES]"""
    limits = InputLimits(bytes=len(GOOD) + size - 1)
    found = list(read_samples(io.BytesIO(f"{GOOD}\n{GOOD}".encode()), limits))
    assert [each.solution is None for each in found] == [size == 0] * 2
    assert LINE_LIMITS.bytes == 16 * 1024 * 1024


def lines_are_read_one_by_one(texts: list[str]) -> None:
    """[DAG-LINES]: whatever is on the other lines, each is read as it is by itself."""
    lines = [text.replace("\n", " ").replace("\r", " ") for text in texts]
    together = list(read_samples(io.BytesIO("\n".join(lines).encode("utf-8", "replace"))))
    alone = [
        each._replace(line=number)
        for number, line in enumerate(lines, 1)
        for each in read_samples(io.BytesIO(line.encode("utf-8", "replace")))
    ]
    assert together == alone


LINES = st.lists(
    damaged_solutions() | solutions().map(lambda found: write_json(found, indent=None)), max_size=4
)
test_lines, test_lines_deep = Property(lines_are_read_one_by_one, LINES, quick=30).tests()


@settings(max_examples=100)
@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    for each in read_samples(io.BytesIO(data)):
        assert (each.solution is None) == bool(each.problems)


@given(st.lists(st.randoms(use_true_random=False).map(solution), max_size=5))
@settings(max_examples=30)
def test_what_is_written_is_read(found: list[Any]) -> None:
    """[DAG-WRITE]"""
    text = "".join(write_json(each, indent=None) for each in found)
    assert [each.solution for each in read_samples(io.BytesIO(text.encode()))] == found
