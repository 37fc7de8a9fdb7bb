"""The trace in a model's reply, or what goes on from a trace that is there already ([LOOP-DOT-REPLY])."""

from __future__ import annotations

import re
from typing import Final

from potlang.languages.dot.read.records import END_MARK, ROLES
from potlang.languages.dot.read.shapes import SHAPES
from potlang.models.replies import behind_thoughts

_RECORD: Final = re.compile(rf"^@(?:{'|'.join(SHAPES)})\b", re.MULTILINE)
_NODE: Final = re.compile(
    rf"^(?:<(?:{'|'.join(ROLES)})>[ \t]*\r?\n)?@node[ \t]+id=([0-9]{{1,600}})\b", re.MULTILINE
)
_FENCE: Final = re.compile(r"^[ \t]*+(?:```|~~~)[^\n]*+(?:\n|\Z)", re.MULTILINE)
_END: Final = re.compile(rf"^{re.escape(END_MARK.decode())}[ \t]*\r?$", re.MULTILINE)


def trace_in(reply: str) -> str | None:
    """The text of the trace in a reply, well formed or not; None if no line is a record.

    It is in a fence, the last one that has records if all of them are in fences; else it reaches from the
    first `@node` to the end of the trace, or of the reply. Thoughts count only where nothing else does.
    """
    for text in dict.fromkeys([behind_thoughts(reply), reply]):
        if _RECORD.search(text) is not None:
            return _whole(_unfenced(text))
    return None


def _whole(text: str) -> str:
    first = _NODE.search(text) or _RECORD.search(text)
    end = _END.search(text)
    start = 0 if first is None else first.start()
    # A text that is cut within a record stays so: it is the beginning of one.
    return text[start:] if end is None else f"{text[start : end.end()]}\n"


def _unfenced(text: str) -> str:
    """The inside of the last fence with records, where no record stands outside of fences; else all."""
    marks = list(_FENCE.finditer(text))
    ends = [mark.start() for mark in marks[1::2]]
    # A reply that broke off did not close its fence.
    insides = [(mark.end(), end) for mark, end in zip(marks[::2], [*ends, len(text)], strict=False)]
    lines = [found.start() for found in _RECORD.finditer(text)]
    holding = [(start, end) for start, end in insides if any(start <= line < end for line in lines)]
    if not holding or not all(any(start <= line < end for start, end in holding) for line in lines):
        return text
    start, end = holding[-1]
    return text[start:end]


def behind_node(text: str, last: int) -> str | None:
    """The blocks of a trace's text from the first one on whose id is above `last`; None if there is none."""
    for node in _NODE.finditer(text):
        if int(node[1]) > last:
            return text[node.start() :]
    return None
