"""Writes records as the bytes of a trace: the reverse of reading."""

from __future__ import annotations

from collections.abc import Iterable

from potlang.languages.dot.read.records import (
    END_MARK,
    Coeq,
    Edge,
    End,
    Entails,
    Eq,
    Fence,
    FreeText,
    Node,
    Prop,
    Record,
    Status,
)
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
    match record:
        case FreeText(content=content):
            return content
        case Fence(content=content):
            return b"@@len=%d@@%b" % (len(content), content)
        case End():
            return END_MARK
        case _:
            return _typed(record).encode("utf-8", "surrogatepass")


def _typed(record: Record) -> str:
    match record:
        case Node():
            return f"@node id={record.id} role={record.role}"
        case Edge():
            return f"@edge src={record.src} dst={record.dst} kind={record.kind}"
        case Status():
            return f"@status target={record.target} mark={record.mark}{_field('just', record.just)}"
        case Entails():
            optional = _field("witness", record.witness) + _field("rank", record.rank)
            return f"@entails src={record.src} dst={record.dst}{optional}"
        case Eq():
            return f"@eq src={record.src} dst={record.dst}"
        case Coeq():
            return f"@coeq src={record.src} dst={record.dst}"
        case Prop():
            return f"@prop id={record.id} {record.text}"
    raise TypeError(f"not a record: {record!r}")


def _field(name: str, value: int | None) -> str:
    return "" if value is None else f" {name}={value}"
