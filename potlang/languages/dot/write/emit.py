"""Writes records as the bytes of a trace: the reverse of reading."""

from __future__ import annotations

from collections.abc import Iterable

from potlang.languages.dot.read.records import END_MARK, End, Fence, FreeText, Prop, Record
from potlang.languages.dot.read.shapes import kind_of, written
from potlang.languages.dot.read.trace import Trace


def emit(trace: Trace | Iterable[Record]) -> bytes:
    """The text of a trace, or of records in their order, each with a line end.

    Reading it gives the same records at their new places; of a trace with plain line ends that was
    well formed it is the text that was read.
    """
    records = trace.records if isinstance(trace, Trace) else trace
    return b"".join(emit_record(record) + b"\n" for record in records)


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
