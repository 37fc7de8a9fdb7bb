"""Samples in JSON Lines, read line by line; a bad line is reported and passed over ([DAG-LINES])."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from potlang.diag import Severity, Sink
from potlang.languages.dagmath.read.reader import read_solution
from potlang.languages.dagmath.read.records import Solution
from potlang.source import InputLimits

LONGEST_LINE = 16 * 1024 * 1024
LINE_LIMITS = InputLimits(bytes=LONGEST_LINE)
_CHUNK = 1 << 20


class SampleProblem(NamedTuple):
    """Why a line has no solution: the code, its message, and the column in the line, where there is one."""

    code: str
    message: str
    column: int | None


class SampleLine(NamedTuple):
    """A line that is not blank, by its number from 1: its solution, or else what is wrong with it."""

    line: int
    solution: Solution | None
    problems: tuple[SampleProblem, ...]


def read_lines(stream: BinaryIO, limits: InputLimits = LINE_LIMITS) -> Iterator[tuple[int, bytes]]:
    """The lines of a stream that are not blank, without their ends, by their numbers from 1; constant memory.

    `limits.bytes` bounds one line (POT0002): of a longer one there is one byte more than that.
    """
    number = 0
    # One byte more than is allowed tells a line that is too long, whatever its length.
    while line := stream.readline(limits.bytes + 1):
        number += 1
        if len(line) > limits.bytes and not line.endswith(b"\n"):
            _skip_line(stream)
        if line.strip(b" \t\r\n\xef\xbb\xbf"):
            yield number, line.rstrip(b"\r\n")


def read_sample(line: bytes, number: int, limits: InputLimits = LINE_LIMITS) -> SampleLine:
    """One line of JSON Lines, without its end; never raises for what it contains."""
    sink = Sink(limit=10)
    read = read_solution(line, sink, limits=limits, name="<line>", prose=False)
    if read.solution is not None:
        return SampleLine(number, read.solution, ())
    errors = (each for each in sink.diagnostics() if each.severity is Severity.ERROR)
    problems = []
    for each in errors:
        where = read.document.locate(each.place)
        problems.append(SampleProblem(each.code, each.message, where and where.column))
    return SampleLine(number, None, tuple(problems))


def _skip_line(stream: BinaryIO) -> None:
    """Reads the rest of a line that is too long."""
    while (rest := stream.readline(_CHUNK)) and not rest.endswith(b"\n"):
        pass
