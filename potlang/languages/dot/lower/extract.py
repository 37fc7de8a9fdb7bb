"""The extraction map of appendix B.2: from a trace to its graph, index category and diagram.

Linear in the trace but for the inverse Ackermann function of union-find. It reads what is known at the
end of the trace, so the order of the records does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from potlang.ir.graphs import UnionFind
from potlang.languages.dot.lower.canonical import content
from potlang.languages.dot.lower.index import GeneratingArrow, IndexCategory, Object, Relation, index_category
from potlang.languages.dot.read.records import MANY_RECORDS, Coeq, Edge, Entails, Eq
from potlang.languages.dot.read.trace import Trace
from potlang.utils.gc_pause import collector_paused

State = Literal["initial", "active", "validated", "invalidated"]
Schema = Literal["LE", "EQ", "TR"]


class Inclusion(NamedTuple):
    """A claim `lower ≤ upper` between the propositions of two nodes, by a schema of appendix C.1."""

    lower: int
    upper: int
    schema: Schema
    record: Entails | Eq | Edge

    @property
    def rank(self) -> int:
        """The priority of the critique that claims it; 0 where none is given."""
        return self.record.rank or 0 if isinstance(self.record, Entails) else 0


@dataclass(frozen=True)
class Extraction:
    """The diagram of a trace.

    `edges` is the graph on the proposers, `critiques` the edges from proposers to critics, `inclusions`
    what validated critiques generate. The diagram takes an object of the index category to what its
    members say.
    """

    trace: Trace
    proposers: tuple[int, ...]
    edges: tuple[Edge, ...]
    critiques: tuple[Edge, ...]
    inclusions: tuple[Inclusion, ...]

    @cached_property
    def index(self) -> IndexCategory:
        """The index category on all proposers; made when it is asked for, since no verdict rests on it."""
        return _index(self.trace, self.proposers)

    @cached_property
    def of(self) -> dict[int, int]:
        """The object of each proposer."""
        return {node: each.id for each in self.index.objects.values() for node in each.members}

    def state(self, id_: int) -> State | None:
        """The state of a node at the end; critics and summarizers have none. Raises `KeyError`."""
        return state(self.trace, id_)

    def marked(self, mark: State) -> tuple[int, ...]:
        """The propositions in one state at the end, in order."""
        return tuple(id_ for id_ in self.proposers if self.state(id_) == mark)

    def diagram(self) -> dict[int, tuple[str, ...]]:
        """The content of each validated object: the propositions of its members, in canonical JSON.

        A member without a proposition says the empty line, an atom of its own.
        """
        objects = self.index.validated().objects
        return {
            id_: tuple(sorted(content(self.trace, node) for node in each.members))
            for id_, each in objects.items()
        }


def state(trace: Trace, id_: int) -> State | None:
    """The state of a node at the end of the trace; None for critics and summarizers."""
    role = trace.nodes[id_].role
    if role == "problem":
        return "initial"
    if role != "proposer":
        return None
    status = trace.statuses.get(id_)
    return "active" if status is None else status.mark


def extract(trace: Trace) -> Extraction:
    """The diagram of a trace; total and deterministic, also on what is well formed of a broken one."""
    with collector_paused(len(trace.records) >= MANY_RECORDS):
        return _extract(trace)


def _extract(trace: Trace) -> Extraction:
    nodes = trace.nodes
    proposers = tuple(id_ for id_, node in nodes.items() if node.role == "proposer")
    edges: list[Edge] = []
    critiques: list[Edge] = []
    for edge in trace.of(Edge):
        if nodes[edge.src].role == "proposer":
            if nodes[edge.dst].role == "proposer":
                edges.append(edge)
            elif edge.kind == "critique":
                critiques.append(edge)
    inclusions = tuple(_inclusions(trace))
    return Extraction(trace, proposers, tuple(edges), tuple(critiques), inclusions)


def _inclusions(trace: Trace) -> Iterator[Inclusion]:
    """The inclusions of the critiques that count, in the order of the records ([DOT-EXTR-8])."""
    for record in trace.records:
        if isinstance(record, Entails):
            if _valid(trace, record.src):
                yield Inclusion(record.src, record.dst, "LE", record)
        elif isinstance(record, Eq):
            if _valid(trace, record.src) and _valid(trace, record.dst):
                yield Inclusion(record.src, record.dst, "EQ", record)
                yield Inclusion(record.dst, record.src, "EQ", record)
        elif isinstance(record, Edge) and record.kind == "refine" and _valid(trace, record.src):
            # Against the edge: a refinement says more than what it refines.
            yield Inclusion(record.dst, record.src, "TR", record)


def _valid(trace: Trace, id_: int) -> bool:
    return state(trace, id_) == "validated"


def _index(trace: Trace, proposers: tuple[int, ...]) -> IndexCategory:
    equal = UnionFind(proposers)
    for record in trace.of(Eq):
        if _valid(trace, record.src) and _valid(trace, record.dst):
            equal.join(record.src, record.dst)
    objects = [Object(some[0], tuple(some), _valid(trace, some[0])) for some in equal.classes()]
    of = {node: each.id for each in objects for node in each.members}
    arrows = [
        GeneratingArrow(of[record.src], of[record.dst])
        for record in trace.of(Entails)
        if _valid(trace, record.src)
    ]
    relations = [
        Relation(of[record.src], of[record.dst])
        for record in trace.of(Coeq)
        if _valid(trace, record.src) and _valid(trace, record.dst)
    ]
    return index_category({each.id: each for each in objects}, arrows, relations)
