"""The extraction map of appendix B.2: from a trace to its graph, index category and diagram.

Linear in the trace but for the inverse Ackermann function of union-find. It reads what is known at the
end of the trace, so the order of the records does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from potlang.ir.graphs import UnionFind
from potlang.languages.dot.lower.canonical import content
from potlang.languages.dot.lower.index import Arrow, IndexCategory, Object, Relation, index_category
from potlang.languages.dot.lower.labelled import LabelledGraph
from potlang.languages.dot.lower.match import find_isomorphism
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


@dataclass(frozen=True, slots=True)
class Extraction:
    """The diagram of a trace.

    `edges` is the graph on the proposers, `critiques` the edges from proposers to critics, `inclusions`
    what validated critiques generate, `index` the index category on all proposers. `of` is the object
    of each proposer. The diagram takes an object to what its members say.
    """

    trace: Trace
    proposers: tuple[int, ...]
    edges: tuple[Edge, ...]
    critiques: tuple[Edge, ...]
    inclusions: tuple[Inclusion, ...]
    index: IndexCategory
    of: Mapping[int, int]

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


class DiagramIsomorphism(NamedTuple):
    """An isomorphism of two diagrams: images of objects, and of classes of generating arrows."""

    objects: dict[int, int]
    arrows: dict[int, int]


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
    index, of = _index(trace, proposers)
    return Extraction(trace, proposers, tuple(edges), tuple(critiques), inclusions, index, of)


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


def _index(trace: Trace, proposers: tuple[int, ...]) -> tuple[IndexCategory, dict[int, int]]:
    equal = UnionFind(proposers)
    for record in trace.of(Eq):
        if _valid(trace, record.src) and _valid(trace, record.dst):
            equal.join(record.src, record.dst)
    objects = [Object(some[0], tuple(some), _valid(trace, some[0])) for some in equal.classes()]
    of = {node: each.id for each in objects for node in each.members}
    arrows = [
        Arrow(of[record.src], of[record.dst], record)
        for record in trace.of(Entails)
        if _valid(trace, record.src)
    ]
    relations = [
        Relation(of[record.src], of[record.dst], record)
        for record in trace.of(Coeq)
        if _valid(trace, record.src) and _valid(trace, record.dst)
    ]
    return index_category({each.id: each for each in objects}, arrows, relations), of


def isomorphism(a: Extraction, b: Extraction) -> DiagramIsomorphism | None:
    """An isomorphism of the validated diagrams of two traces, if there is one (proposition 4.12).

    It takes objects to objects that say the same, generating arrows to generating arrows, relations to
    relations. Raises `potlang.languages.dot.lower.match.UndecidedError`.
    """
    (first, first_names), (second, second_names) = _presentation(a), _presentation(b)
    mapping = find_isomorphism(first, _labels(a, first_names), second, _labels(b, second_names))
    if mapping is None:
        return None
    images = [(kind, id_, second_names[mapping[i]][1]) for i, (kind, id_) in enumerate(first_names)]
    return DiagramIsomorphism(
        {here: there for kind, here, there in images if kind == "object"},
        {here: there for kind, here, there in images if kind == "arrow"},
    )


def isomorphic(a: Extraction, b: Extraction) -> bool:
    """Whether the validated diagrams of two traces are isomorphic."""
    return isomorphism(a, b) is not None


def _presentation(extraction: Extraction) -> tuple[LabelledGraph, list[tuple[str, int]]]:
    """The diagram as a graph: a vertex for each object, class of generating arrows, and relation."""
    index = extraction.index.validated()
    related = dict.fromkeys((each.source, each.target) for each in index.relations)
    names = [("object", id_) for id_ in index.objects]
    place = {id_: i for i, id_ in enumerate(index.objects)}
    edges: list[tuple[int, int, int]] = []
    joins = [("arrow", name, ends) for name, ends in index.generators().items()]
    for kind, name, (source, target) in [*joins, *(("relation", 0, ends) for ends in related)]:
        edges += [(len(names), place[source], 0), (len(names), place[target], 1)]
        names.append((kind, name))
    return LabelledGraph.of_edges(len(names), edges, 2), names


def _labels(extraction: Extraction, names: list[tuple[str, int]]) -> list[tuple[str, tuple[str, ...]]]:
    says = extraction.diagram()
    return [(kind, says[id_] if kind == "object" else ()) for kind, id_ in names]
