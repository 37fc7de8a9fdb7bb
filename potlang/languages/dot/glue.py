"""Gluing two traces along the nodes that they share (proposition C.3, posetal; [DOT-GLUE-1] ff.).

The result is a trace of its own with the records of both, so R = R1 ∧ R2 and the summary is
c12(s1 ∧ s2), c12 being the nucleus of R.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from potlang.diag import Diagnostic, Sink
from potlang.languages.dot.lower.canonical import content
from potlang.languages.dot.lower.typing import read_propositions
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.reader import read_trace
from potlang.languages.dot.read.records import (
    Coeq,
    Edge,
    Entails,
    Eq,
    Fence,
    FreeText,
    Node,
    Profile,
    Prop,
    Record,
    Role,
    Status,
    references,
    renumbered,
)
from potlang.languages.dot.read.tagged import free
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.write.builder import in_order
from potlang.languages.dot.write.emit import emit

_DECLARED_TWICE = ("POT2002", "POT2003")


class Shared(NamedTuple):
    """A shared node: its ids in the two traces and in the glued one."""

    left: int
    right: int
    node: int


@dataclass(frozen=True, slots=True)
class Glued:
    """A glued trace, the nodes that were shared, and where each node of the two went.

    `diagnostics` has what the two say differently of shared nodes, at places of the glued trace.
    """

    text: bytes
    trace: Trace
    shared: tuple[Shared, ...]
    left: Mapping[int, int]
    right: Mapping[int, int]
    diagnostics: tuple[Diagnostic, ...]


class GlueError(ValueError):
    """Nodes cannot be shared as the caller wants it."""


def glue(left: Trace, right: Trace, shared: Mapping[int, int] | None = None) -> Glued:
    """One trace with the records of both; ids are new, in a topological order.

    `shared` gives for ids of the first trace the ids of the second that are the same node; without it
    problems and proposers that say the same are shared. Where the two judge or state a shared node
    differently, the first counts and a diagnostic says so. Raises `GlueError` for a map that names nodes
    that do not exist, nodes of different roles, a node twice, or nodes that would come before themselves.
    """
    if shared is not None:
        gluing = _Gluing(left, right, _checked(left, right, shared))
        order = gluing.order()
        if order is None:
            raise GlueError("with these nodes shared, a node would come before itself")
        return gluing.written(order)
    pairs = _alike(left, right)
    for some in (pairs, _increasing(pairs), []):
        gluing = _Gluing(left, right, some)
        order = gluing.order()
        if order is not None:
            return gluing.written(order)
    raise AssertionError("two traces without shared nodes have an order")


def _checked(left: Trace, right: Trace, shared: Mapping[int, int]) -> list[tuple[int, int]]:
    for trace, ids in ((left, shared.keys()), (right, shared.values())):
        unknown = [id_ for id_ in ids if id_ not in trace.nodes]
        if unknown:
            raise GlueError(f"{trace.document.name} has no node {unknown[0]}")
    if len(set(shared.values())) < len(shared):
        raise GlueError("two nodes of the first trace are the same node of the second")
    for a, b in shared.items():
        roles = left.nodes[a].role, right.nodes[b].role
        if roles[0] != roles[1]:
            raise GlueError(f"node {a} is a {roles[0]}, and node {b} a {roles[1]}")
    return sorted(shared.items())


def _alike(left: Trace, right: Trace) -> list[tuple[int, int]]:
    """Problems and proposers with equal typed content; of several that say the same, one after the other."""
    waiting: dict[tuple[Role, str], list[int]] = {}
    for id_ in reversed(list(right.props)):
        role = right.nodes[id_].role
        if role in ("problem", "proposer"):
            waiting.setdefault((role, content(right, id_)), []).append(id_)
    pairs = []
    for id_ in left.props:
        same = waiting.get((left.nodes[id_].role, content(left, id_)))
        if same:
            pairs.append((id_, same.pop()))
    return pairs


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest part of the pairs in which both ids increase."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int | None] = []
    for at, (_, right) in enumerate(pairs):
        slot = bisect_left(ends, right)
        before.append(places[slot - 1] if slot else None)
        ends[slot : slot + 1], places[slot : slot + 1] = [right], [at]
    found: list[tuple[int, int]] = []
    here: int | None = places[-1] if places else None
    while here is not None:
        found.append(pairs[here])
        here = before[here]
    return found[::-1]


class _Gluing:
    """The blocks of two traces put together, and an order for them.

    Until they have their order, nodes have numbers that sort by id, then by trace: three times the id,
    and one more in the second trace; blocks that belong to neither have two more.
    """

    def __init__(self, left: Trace, right: Trace, pairs: Sequence[tuple[int, int]]) -> None:
        self.traces = left, right
        self.pairs = pairs
        self.numbers = {id_: 3 * id_ for id_ in left.nodes}, {id_: 3 * id_ + 1 for id_ in right.nodes}
        self.numbers[1].update((b, self.numbers[0][a]) for a, b in pairs)
        self.blocks: dict[int, list[Record]] = {}
        self.judged: dict[int, Status] = {}
        self.contested: dict[int, str] = {}
        self.stated_twice: list[int] = []
        self._merged = {b: a for a, b in pairs}
        one, other = left.texts(), right.texts()
        self._same_text = {a for a, b in pairs if one.get(a) == other.get(b)}
        self._known: set[tuple[type[Record], Record]] = set()
        for side, trace in enumerate(self.traces):
            for id_, node in trace.nodes.items():
                number = self.numbers[side][id_]
                self.blocks.setdefault(number, [Node(number, node.role)])
            for record in trace.records:
                if record.block is not None:
                    self._take(side, record)
        self._drop_unvalidated()

    # --- taking in -------------------------------------------------------------------------------

    def _take(self, side: int, record: Record) -> None:
        moved = renumbered(record, self.numbers[side])._replace(start=0, end=0)
        assert record.block is not None and moved.block is not None
        left, right = self.traces
        shared = self._merged.get(record.block) if side else None
        block = self.blocks[moved.block]
        match moved:
            case Edge() | Entails() | Eq() | Coeq():
                # With its kind: records are tuples, and an `@eq` would be equal to a `@coeq`.
                if (type(moved), moved) not in self._known:
                    self._known.add((type(moved), moved))
                    block.append(moved)
            case Status():
                self._judge(moved)
            case Prop():
                if shared is None or shared not in left.props:
                    block.append(moved._replace(text=json_line(moved.value)))
                elif content(right, record.block) != content(left, shared):
                    self.stated_twice.append(moved.id)
            case FreeText() | Fence() if shared not in self._same_text:
                text = moved.content.decode("utf-8", "replace").encode()
                block += [free(line, moved.block) for line in text.split(b"\n")]

    def _judge(self, status: Status) -> None:
        earlier = self.judged.get(status.target)
        if earlier is not None:
            if earlier.mark != status.mark:
                self.contested[status.target] = status.mark
            return
        at = status.block
        assert at is not None
        if any(isinstance(record, Status) for record in self.blocks[at]):
            at = 3 * len(self.blocks) + 2
            self.blocks[at] = [Node(at, "critic")]
        self.judged[status.target] = status._replace(block=at)
        self.blocks[at].append(self.judged[status.target])

    def _drop_unvalidated(self) -> None:
        """A summarizer does not use what the other trace has invalidated ([DOT-EDGE-5])."""
        for block in self.blocks.values():
            if _is_summarizer(block):
                block[:] = [
                    each for each in block if not isinstance(each, Edge) or self._is_validated(each.src)
                ]

    def _is_validated(self, number: int) -> bool:
        status = self.judged.get(number)
        return status is not None and status.mark == "validated"

    # --- order -----------------------------------------------------------------------------------

    def order(self) -> list[int] | None:
        """The blocks in a topological order, the lowest number first; None if there is none."""
        sorter = TopologicalSorter({number: self._needs(block) for number, block in self.blocks.items()})
        try:
            sorter.prepare()
        except CycleError:
            return None
        ready: list[int] = []
        found: list[int] = []
        while sorter.is_active():
            for number in sorter.get_ready():
                heapq.heappush(ready, number)
            found.append(heapq.heappop(ready))
            sorter.done(found[-1])
        return found

    def _needs(self, block: Sequence[Record]) -> set[int]:
        """The blocks that must come before a block."""
        named = {number for record in block for _, number in references(record)}
        if _is_summarizer(block):
            judges = (self.judged[record.src].block for record in block if isinstance(record, Edge))
            named |= {judge for judge in judges if judge is not None}
        return named - {block[0].block}

    # --- writing ---------------------------------------------------------------------------------

    def written(self, order: Iterable[int]) -> Glued:
        """The glued trace, its blocks in this order."""
        ids = {number: id_ for id_, number in enumerate(order, 1)}
        records = [
            renumbered(record, ids)
            for number in ids
            for record in in_order(sorted(self.blocks[number], key=_edge_kind))
        ]
        text = emit(records)
        profile: Profile = "paper" if any(trace.profile == "paper" for trace in self.traces) else "strict"
        trace = read_trace(text, Sink(), profile=profile, form="records")
        left, right = ({id_: ids[number] for id_, number in numbers.items()} for numbers in self.numbers)
        shared = tuple(Shared(a, b, left[a]) for a, b in self.pairs)
        return Glued(text, trace, shared, left, right, tuple(self._diagnostics(trace, ids)))

    def _diagnostics(self, trace: Trace, ids: Mapping[int, int]) -> Iterable[Diagnostic]:
        """Diagnostics for shared nodes and shared names on which the two traces differ."""
        sink = Sink(trace.document)
        for number, mark in self.contested.items():
            status = trace.statuses[ids[number]]
            sink.report("POT5070", trace.place_of(status), id=ids[number], one=status.mark, other=mark)
        for number in self.stated_twice:
            sink.report("POT5071", trace.place_of(trace.props[ids[number]]), id=ids[number])
        named = Sink(trace.document)
        read_propositions(trace, named)
        for diagnostic in named.diagnostics():
            if diagnostic.code in _DECLARED_TWICE:
                sink.add(diagnostic)
        return sink.diagnostics()


def _is_summarizer(block: Sequence[Record]) -> bool:
    node = block[0]
    return isinstance(node, Node) and node.role == "summarizer"


def _edge_kind(record: Record) -> str:
    """The key by which edges stand with those of their kind: critiques, refinements, uses."""
    return record.kind if isinstance(record, Edge) else ""
