"""Writes records as the bytes of a trace: the reverse of reading."""

from __future__ import annotations

from collections.abc import Iterable

from potlang.languages.dot.read.records import END_MARK, ROLE_TOKENS, End, Fence, FreeText, Node, Prop, Record
from potlang.languages.dot.read.shapes import kind_of, written
from potlang.languages.dot.read.trace import Trace


def emit(trace: Trace | Iterable[Record], *, role_tokens: bool = False) -> bytes:
    """The text of a trace, or of records in their order, each with a line end.

    With `role_tokens` there is one above each node; a trace that was read with them is written with them.

    Reading it gives the same records at their new places; of a trace with plain line ends that was
    well formed it is the text that was read.
    """
    records = trace.records if isinstance(trace, Trace) else trace
    if role_tokens or (isinstance(trace, Trace) and trace.has_role_tokens):
        return b"".join(_with_token(record) + b"\n" for record in records)
    return b"".join(emit_record(record) + b"\n" for record in records)


def _with_token(record: Record) -> bytes:
    if isinstance(record, Node):
        return b"<%b>\n" % record.role.encode() + emit_record(record)
    if isinstance(record, FreeText) and record.content in ROLE_TOKENS:
        # As a line it would be the token of a node.
        return emit_record(Fence(record.content, record.block))
    return emit_record(record)


def emit_record(record: Record) -> bytes:
    """One record without a line end."""
    if isinstance(record, FreeText):
        return record.content
    if isinstance(record, Fence):
        return b"@@len=%d@@%b" % (len(record.content), record.content)
    if isinstance(record, End):
        return END_MARK
    text = written(kind_of(record), record._asdict())
    if isinstance(record, Prop):
        text += f" {record.text}"
    return text.encode("utf-8", "surrogatepass")
