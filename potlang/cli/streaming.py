"""`potc check --stream`: a trace is judged while it is read, and reading stops at the first violation."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from potlang.cli.answer import Answer, checked_answer
from potlang.cli.common import INVALID, Input, read_input
from potlang.languages.dot.check import check
from potlang.languages.dot.read.reader import detect
from potlang.languages.dot.stream.registers import Budgets
from potlang.languages.dot.stream.validator import Validator

if TYPE_CHECKING:
    from potlang.api import FormOptions

_PIECE = 1 << 16
_TAG = re.compile(rb"\s*+<(?:problem|proposer|critic|summarizer)>")


def streamed_answer(name: str, options: FormOptions) -> Answer:
    """The diagnostics of a trace: the first violation alone, or what checking finds in a well-formed one."""
    validator = Validator(profile=options["profile"], budgets=Budgets(options["budget"]))
    shown = "<stdin>" if name == "-" else name
    data = bytearray()
    if name != "-" and not Path(name).is_file():
        return checked_answer(read_input(name)._replace(kind="dot"), **options)
    tags = _Tags(data)
    for piece in _pieces(name):
        data += piece
        validator.push(piece)
        if validator.error is not None and not tags.are_all():
            # What follows was not read, so that what the reader says of the end would be beside the point.
            found = check(bytes(data), profile=options["profile"], name=shown)
            stopped = found._replace(diagnostics=(validator.error,))
            return Answer(shown, stopped.document, stopped.diagnostics, stopped, INVALID)
    return checked_answer(Input(bytes(data), shown, "dot"), **options)


class _Tags:
    """Whether bytes that come are of the role-tagged form, in which no record stands ([STREAM-TAGGED])."""

    def __init__(self, data: bytearray) -> None:
        self._data = data
        self._seen = 0

    def are_all(self) -> bool:
        """Whether the bytes begin with a tag, and no line so far is a record."""
        if _TAG.match(self._data) is None or detect(self._data, self._seen) not in ("tagged", None):
            return False
        self._seen = self._data.rfind(b"\n") + 1
        return True


def _pieces(name: str) -> Iterator[bytes]:
    """The contents of a file, or of standard input for `-`, as they come."""
    if name == "-":
        # As many bytes as there are: a buffered read would wait for all of them.
        yield from iter(lambda: os.read(sys.stdin.fileno(), _PIECE), b"")
        return
    with Path(name).open("rb") as file:
        yield from iter(lambda: file.read(_PIECE), b"")
