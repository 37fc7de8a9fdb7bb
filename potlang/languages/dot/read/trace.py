"""A trace as read: its records, and what is found in them by node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, TypeVar

from potlang.diag import Place
from potlang.languages.dot.read.propositions import embedded_text
from potlang.languages.dot.read.raw import Raw
from potlang.languages.dot.read.records import Fence, FreeText, Node, Profile, Prop, Record, Status
from potlang.reading.embedded import EmbeddedDocument
from potlang.source import Document

R = TypeVar("R")


class LeftOut(NamedTuple):
    """The bytes `[start, end)` of an input that are no part of the trace in it ([DOT-REPLY]).

    `records` counts the lines among them that are or look like records; `thoughts`: these may be, since a
    draft is no answer.
    """

    start: int
    end: int
    records: int = 0
    thoughts: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """The well-formed records of a trace, in the order of the text.

    `is_well_formed` says whether that is all of it. `is_typed` is false for the role-tagged form, which
    has nodes and text alone. `misusing` are the summarizers with an edge from what was not validated by
    then; the edge is left out. `has_role_tokens`: a role token stands above each node. `left_out` is what
    stands around the trace in a reply. Positions in records are byte offsets; `place` makes places of them.
    """

    language: ClassVar[Literal["dot"]] = "dot"

    records: tuple[Record, ...]
    nodes: Mapping[int, Node]
    statuses: Mapping[int, Status]
    props: Mapping[int, Prop]
    profile: Profile
    document: Document
    is_well_formed: bool
    raw: Raw = field(repr=False, compare=False)
    is_typed: bool = True
    misusing: frozenset[int] = frozenset()
    has_role_tokens: bool = False
    left_out: tuple[LeftOut, ...] = ()

    def of(self, kind: type[R]) -> Iterator[R]:
        """The records of one kind, in order: `trace.of(Edge)`."""
        return (record for record in self.records if isinstance(record, kind))

    def texts(self) -> dict[int, bytes]:
        """The free text of each node that has some: its lines and fences, with line ends between them."""
        found: dict[int, list[bytes]] = {}
        for record in self.records:
            if isinstance(record, FreeText | Fence) and record.block is not None:
                found.setdefault(record.block, []).append(record.content)
        return {block: b"\n".join(lines) for block, lines in found.items()}

    def place(self, start: int, end: int) -> Place:
        """The place of the bytes `[start, end)` in the document."""
        return self.raw.place(start, end)

    def place_of(self, record: Record) -> Place:
        """The place of a whole record."""
        return self.raw.place(record.start, record.end)

    def json_of(self, prop: Prop) -> EmbeddedDocument:
        """The JSON text of a `@prop`, which turns JSON pointers into places of the document."""
        return embedded_text(self.raw, Document(self.document.name, prop.text, prop.value), prop.json_start)
