"""The typed records of a trace (appendix B.1), as plain values with their places in bytes.

`start` and `end` are byte offsets of the record without its line end. `block` is the node whose
block holds the record; None where that block has no node because its `@node` was rejected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, TypeVar, get_args

Role = Literal["problem", "proposer", "critic", "summarizer"]
EdgeKind = Literal["refine", "critique", "use"]
Mark = Literal["validated", "invalidated"]
Profile = Literal["strict", "paper"]

ROLES: tuple[Role, ...] = get_args(Role)
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)
MARKS: tuple[Mark, ...] = get_args(Mark)
PROFILES: tuple[Profile, ...] = get_args(Profile)

END_MARK = b"<summarizer:end>"
ROLE_TOKENS: Mapping[bytes, Role] = MappingProxyType({f"<{role}>".encode(): role for role in ROLES})
"""The role tokens of section 3.1 of the paper."""
MANY_RECORDS = 20_000
"""From so many records on a trace is large."""


class Node(NamedTuple):
    """`@node id= role=`: the node itself; it opens a block."""

    id: int
    role: Role
    start: int = 0
    end: int = 0

    @property
    def block(self) -> int:
        """The node's own block."""
        return self.id


class Edge(NamedTuple):
    """`@edge src= dst= kind=`: `dst`, the node of the block, depends on `src`."""

    src: int
    dst: int
    kind: EdgeKind
    start: int = 0
    end: int = 0

    @property
    def block(self) -> int:
        """The block of the node in which the edge ends."""
        return self.dst


class Status(NamedTuple):
    """`@status target= mark= [just=]`: the one judgement about a proposer."""

    target: int
    mark: Mark
    just: int | None
    block: int | None
    start: int = 0
    end: int = 0


class Entails(NamedTuple):
    """`@entails src= dst= [witness=] [rank=]`: an arrow between proposers."""

    src: int
    dst: int
    witness: int | None
    rank: int | None
    block: int | None
    start: int = 0
    end: int = 0


class Eq(NamedTuple):
    """`@eq src= dst=`: two proposers are one object."""

    src: int
    dst: int
    block: int | None
    start: int = 0
    end: int = 0


class Coeq(NamedTuple):
    """`@coeq src= dst=`: the parallel arrows from one proposer to another are one."""

    src: int
    dst: int
    block: int | None
    start: int = 0
    end: int = 0


class Prop(NamedTuple):
    """`@prop id= <JSON>`: what the node says. `json_start` is where the text of the JSON begins."""

    id: int
    value: object
    text: str
    json_start: int = 0
    start: int = 0
    end: int = 0

    @property
    def block(self) -> int:
        """The node that says it."""
        return self.id


class FreeText(NamedTuple):
    """One line of free text, without its line end."""

    content: bytes
    block: int | None
    start: int = 0
    end: int = 0


class Fence(NamedTuple):
    """`@@len=N@@` and N bytes: free text that may hold anything."""

    content: bytes
    block: int | None
    start: int = 0
    end: int = 0


class End(NamedTuple):
    """The line `<summarizer:end>` in the block of a summarizer."""

    block: int
    start: int = 0
    end: int = 0


Typed: TypeAlias = Node | Edge | Status | Entails | Eq | Coeq | Prop
Free: TypeAlias = FreeText | Fence | End
Record: TypeAlias = Typed | Free
R = TypeVar("R", bound=Record)

_REFERENCES = ("id", "block", "target", "just", "src", "dst", "witness")


def references(record: Record) -> Iterator[tuple[str, int]]:
    """The nodes that a record names, its own and that of its block among them, each with the field."""
    for name in _REFERENCES:
        id_ = getattr(record, name, None)
        if id_ is not None:
            yield name, id_


def renumbered(record: R, ids: Mapping[int, int]) -> R:
    """The record with other ids; its places are those of the old one."""
    changed = {name: ids[id_] for name, id_ in references(record) if name in record._fields}
    return record._replace(**changed)  # type: ignore[arg-type, return-value]
