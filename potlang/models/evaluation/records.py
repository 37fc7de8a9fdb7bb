"""The records of a data file: JSON Lines, or one JSON value with all of them ([EVAL-FILE])."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, BinaryIO, Final, NamedTuple, cast

from potlang.languages.dagmath.read.samples import LONGEST_LINE, read_lines
from potlang.models.evaluation.questions import BadLine

LARGEST_WHOLE: Final = 64 * 1024 * 1024
"""Most bytes of a file that is one JSON value. JSON Lines are read line by line, however many there are."""


class DataRecord(NamedTuple):
    """An object of a file, None where there is a `problem` instead.

    `number` counts lines, or the items of which the file is made, from 1; `unit` is which of the two.
    """

    number: int
    unit: str
    value: dict[str, Any] | None
    problem: str = ""


class LineProblem(NamedTuple):
    """A line, or an item, without a question: its file, its number and the mistake in it."""

    file: str
    line: int
    message: str
    unit: str = "line"

    def __str__(self) -> str:
        place = f":{self.line}" if self.unit == "line" else f", {self.unit} {self.line}"
        return f"{self.file}{place}: {self.message}"


def read_records(stream: BinaryIO) -> Iterator[DataRecord]:
    """The records of a file in order. Does not raise for what it contains."""
    data = stream.read(LARGEST_WHOLE + 1)
    if len(data) > LARGEST_WHOLE:
        lines = cast("BinaryIO", io.BufferedReader(_Joined(data, stream), 1 << 16))
        yield from _records_of_lines(lines)
        return
    try:
        whole = _value(data)
    except BadLine:
        yield from _records_of_lines(io.BytesIO(data))
    else:
        yield from _unfolded(whole, 1)


class _Joined(io.RawIOBase):
    """The part of a stream that was read, and the rest."""

    def __init__(self, read: bytes, rest: BinaryIO) -> None:
        self._read = io.BytesIO(read)
        self._rest = rest

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer; how many bytes it has then."""
        chunk = self._read.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _records_of_lines(stream: BinaryIO) -> Iterator[DataRecord]:
    for number, line in read_lines(stream):
        try:
            if len(line) > LONGEST_LINE:
                raise BadLine(f"the line has more than {LONGEST_LINE:,} bytes")
            value = _value(line)
        except BadLine as error:
            yield DataRecord(number, "line", None, str(error))
        else:
            yield _record(number, "line", value)


def _value(data: bytes) -> Any:
    try:
        return json.loads(data.removeprefix(b"\xef\xbb\xbf"), parse_constant=_no_number, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise BadLine(f"not JSON: {error}") from None


def _no_number(text: str) -> None:
    raise BadLine(f"`{text}` is not a number")


def _unfolded(whole: Any, number: int) -> Iterator[DataRecord]:
    """The records of a file that is one value: items of a list, of `examples`, of an object, or itself."""
    if isinstance(whole, list):
        yield from (_record(at, "item", each) for at, each in enumerate(whole, 1))
    elif isinstance(whole, dict) and isinstance(whole.get("examples"), list):
        yield from (_record(at, "example", each) for at, each in enumerate(whole["examples"], 1))
    elif isinstance(whole, dict) and whole and all(map(_has_test_example, whole.values())):
        for at, (name, each) in enumerate(whole.items(), 1):
            yield _record(at, "example", {"id": name, **each})
    else:
        yield _record(number, "line", whole)


def _has_test_example(value: Any) -> bool:
    return isinstance(value, dict) and "test_example" in value


def _record(number: int, unit: str, value: Any) -> DataRecord:
    if isinstance(value, dict):
        return DataRecord(number, unit, value)
    return DataRecord(number, unit, None, "not a JSON object")
