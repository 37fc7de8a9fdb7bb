"""The trace in a model's reply, or what goes on from a trace that is there already ([LOOP-DOT-REPLY])."""

from __future__ import annotations

import re
from typing import Final

from potlang.languages.dot.read.reader import ReadOptions
from potlang.languages.dot.read.records import ROLES
from potlang.languages.dot.read.reply import read_reply
from potlang.languages.dot.read.shapes import SHAPES

_RECORD: Final = re.compile(rf"^@(?:{'|'.join(SHAPES)})\b", re.MULTILINE)
_NODE: Final = re.compile(
    rf"^(?:<(?:{'|'.join(ROLES)})>[ \t]*\r?\n)?@node[ \t]+id=([0-9]{{1,600}})\b", re.MULTILINE
)


def trace_in(reply: str) -> str | None:
    """The text of the trace in a reply, well formed or not; None if no line is a record ([DOT-REPLY])."""
    # Before windows are tried: text without records may be long.
    if _RECORD.search(reply) is None:
        return None
    data = reply.encode("utf-8", "surrogatepass")
    trace, _ = read_reply(data, ReadOptions(), None)
    for part in reversed(trace.left_out):
        data = data[: part.start] + data[part.end :]
    text = data.decode("utf-8", "surrogatepass").lstrip("\r\n")
    return text if _RECORD.search(text) is not None else None


def behind_node(text: str, last: int) -> str | None:
    """The blocks of a trace's text from the first one on whose id is above `last`; None if there is none."""
    for node in _NODE.finditer(text):
        if int(node[1]) > last:
            return text[node.start() :]
    return None
