"""Gluing two traces along the nodes that they share (proposition C.3, posetal; [DOT-GLUE-1] ff.).

The result is a trace of its own with the records of both, so R = R1 ∧ R2 and the summary is
c12(s1 ∧ s2), c12 being the nucleus of R.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from potlang.diag import Diagnostic, Sink
from potlang.languages.dot.lower.canonical import content
from potlang.languages.dot.lower.typing import read_propositions
from potlang.languages.dot.read.records import Coeq, Edge, Entails, Eq, Fence, FreeText, Record, Role, Status
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.write.builder import TraceBuilder

Key = tuple[int, int]
"""A node while it is glued: 0 and its id in the first trace, 1 and its id in the second; 2 for a new one."""
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
        pairs = _checked(left, right, shared)
        made = _Gluing(left, right, pairs).order()
        if made is None:
            raise GlueError("with these nodes shared, a node would come before itself")
        return made.written()
    pairs = _alike(left, right)
    for some in (pairs, _increasing(pairs), []):
        made = _Gluing(left, right, some).order()
        if made is not None:
            return made.written()
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


@dataclass(slots=True)
class _GluedBlock:
    """A node of the glued trace with what is in its block, in terms of keys."""

    role: Role
    prop: Any = None
    edges: dict[tuple[Key, str], None] = field(default_factory=dict)
    status: tuple[Key, str, Key | None] | None = None
    arrows: dict[tuple[Any, ...], None] = field(default_factory=dict)
    text: list[bytes] = field(default_factory=list)


class _Gluing:
    """The blocks of two traces put together, and an order for them."""

    def __init__(self, left: Trace, right: Trace, pairs: Sequence[tuple[int, int]]) -> None:
        self.traces = left, right
        self.pairs = pairs
        self.merged = {b: a for a, b in pairs}
        one, other = left.texts(), right.texts()
        self._same_text = {b for a, b in pairs if one.get(a) == other.get(b)}
        self.blocks: dict[Key, _GluedBlock] = {}
        self.marks: dict[Key, str] = {}
        self.judged: dict[Key, Key] = {}
        self.contested: dict[Key, str] = {}
        self.stated_twice: list[Key] = []
        self.keys: list[Key] = []
        for side, trace in enumerate(self.traces):
            self._take(side, trace)

    def _key(self, side: int, id_: int) -> Key:
        return (0, self.merged[id_]) if side and id_ in self.merged else (side, id_)

    # --- taking in -------------------------------------------------------------------------------

    def _take(self, side: int, trace: Trace) -> None:
        for id_, node in trace.nodes.items():
            block = self.blocks.setdefault(self._key(side, id_), _GluedBlock(node.role))
            prop = trace.props.get(id_)
            if prop is None:
                continue
            if block.prop is None:
                block.prop = prop.value
            elif content(trace, id_) != content(self.traces[0], self.merged[id_]):
                self.stated_twice.append(self._key(side, id_))
        for record in trace.records:
            if record.block is not None:
                self._record(side, self._key(side, record.block), record)

    def _record(self, side: int, at: Key, record: Record) -> None:
        block = self.blocks[at]
        if isinstance(record, Edge):
            block.edges[self._key(side, record.src), record.kind] = None
        elif isinstance(record, Status):
            self._status(side, at, record)
        elif isinstance(record, Entails):
            ends = self._key(side, record.src), self._key(side, record.dst)
            witness = None if record.witness is None else self._key(side, record.witness)
            block.arrows[("entails", *ends, witness, record.rank)] = None
        elif isinstance(record, Eq | Coeq):
            kind = type(record).__name__.lower()
            block.arrows[(kind, self._key(side, record.src), self._key(side, record.dst))] = None
        elif isinstance(record, FreeText | Fence) and not (side and record.block in self._same_text):
            block.text.append(record.content)

    def _status(self, side: int, at: Key, record: Status) -> None:
        target = self._key(side, record.target)
        known = self.marks.setdefault(target, record.mark)
        if target in self.judged:
            if known != record.mark:
                self.contested[target] = record.mark
            return
        if self.blocks[at].status is not None:
            at = (2, len(self.blocks))
            self.blocks[at] = _GluedBlock("critic")
        just = None if record.just is None else self._key(side, record.just)
        self.blocks[at].status = target, record.mark, just
        self.judged[target] = at

    # --- order -----------------------------------------------------------------------------------

    def order(self) -> _Gluing | None:
        """Puts the blocks in a topological order; None if there is none."""
        self._drop_unvalidated()
        after: dict[Key, list[Key]] = {key: [] for key in self.blocks}
        open_: dict[Key, int] = {}
        for key, block in self.blocks.items():
            needs = self._needs(key, block)
            open_[key] = len(needs)
            for each in needs:
                after[each].append(key)
        ready = [_place(key) for key, count in open_.items() if not count]
        heapq.heapify(ready)
        while ready:
            *_, key = heapq.heappop(ready)
            self.keys.append(key)
            for each in after[key]:
                open_[each] -= 1
                if not open_[each]:
                    heapq.heappush(ready, _place(each))
        return self if len(self.keys) == len(self.blocks) else None

    def _drop_unvalidated(self) -> None:
        """A summarizer does not use what the other trace has invalidated ([DOT-EDGE-5])."""
        for block in self.blocks.values():
            if block.role == "summarizer":
                good = (edge for edge in block.edges if self.marks.get(edge[0]) == "validated")
                block.edges = dict.fromkeys(good)

    def _needs(self, key: Key, block: _GluedBlock) -> set[Key]:
        """The keys of the blocks that must come before a block."""
        found = {source for source, _ in block.edges}
        if block.role == "summarizer":
            found |= {self.judged[source] for source, _ in block.edges}
        if block.status is not None:
            found |= {each for each in (block.status[0], block.status[2]) if each is not None}
        for arrow in block.arrows:
            found |= {each for each in arrow[1:4] if each is not None}
        return found - {key}

    # --- writing ---------------------------------------------------------------------------------

    def written(self) -> Glued:
        """The glued trace."""
        paper = any(trace.profile == "paper" for trace in self.traces)
        builder = TraceBuilder("paper" if paper else "strict")
        ids: dict[Key, int] = {}
        for key in self.keys:
            self._write(builder, key, ids)
        trace = builder.trace()
        shared = tuple(Shared(a, b, ids[0, a]) for a, b in self.pairs)
        left, right = (
            {id_: ids[self._key(side, id_)] for id_ in each.nodes} for side, each in enumerate(self.traces)
        )
        return Glued(builder.text(), trace, shared, left, right, tuple(self._diagnostics(trace, ids)))

    def _write(self, builder: TraceBuilder, key: Key, ids: dict[Key, int]) -> None:
        block = self.blocks[key]
        sources: dict[str, list[int]] = {"use": [], "refine": [], "critique": []}
        for source, kind in block.edges:
            sources[kind].append(ids[source])
        match block.role:
            case "problem":
                ids[key] = builder.problem(prop=block.prop)
            case "proposer":
                ids[key] = builder.proposer(block.prop, uses=sources["use"], refines=sources["refine"])
            case "critic":
                ids[key] = builder.critic(*sources["critique"], prop=block.prop)
            case "summarizer":
                ids[key] = builder.summarizer(block.prop, uses=sources["use"])
        if block.status is not None:
            target, mark, just = block.status
            judge = builder.validate if mark == "validated" else builder.invalidate
            judge(ids[target], just=None if just is None else ids[just])
        for kind, src, dst, *more in block.arrows:
            if kind == "entails":
                witness, rank = more
                found = None if witness is None else ids[witness]
                builder.entails(ids[src], ids[dst], witness=found, rank=rank)
            elif kind == "eq":
                builder.eq(ids[src], ids[dst])
            else:
                builder.coeq(ids[src], ids[dst])
        for line in block.text:
            builder.say(line)

    def _diagnostics(self, trace: Trace, ids: Mapping[Key, int]) -> Iterable[Diagnostic]:
        """Diagnostics for shared nodes and shared names on which the two traces differ."""
        sink = Sink(trace.document)
        for key, mark in self.contested.items():
            status = trace.statuses[ids[key]]
            sink.report("POT5070", trace.place_of(status), id=ids[key], one=status.mark, other=mark)
        for key in self.stated_twice:
            sink.report("POT5071", trace.place_of(trace.props[ids[key]]), id=ids[key])
        named = Sink(trace.document)
        read_propositions(trace, named)
        for diagnostic in named.diagnostics():
            if diagnostic.code in _DECLARED_TWICE:
                sink.add(diagnostic)
        return sink.diagnostics()


def _place(key: Key) -> tuple[int, int, Key]:
    """The order of blocks that are ready: by id, then by trace."""
    return key[1], key[0], key
