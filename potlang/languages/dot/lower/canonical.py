"""The canonical form of a trace, and its hash: what its typed records say, whatever their ids and order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from potlang.languages.dot.lower.canon import canonical_order
from potlang.languages.dot.lower.labelled import Colouring, LabelledGraph
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.records import (
    EDGE_KINDS,
    MANY_RECORDS,
    Coeq,
    Edge,
    Entails,
    Eq,
    Status,
    references,
)
from potlang.languages.dot.read.trace import Trace
from potlang.utils.gc_pause import collector_paused

Relation = Status | Entails | Eq | Coeq
_NAMES: Mapping[str, int] = MappingProxyType(
    {name: i for i, name in enumerate((*EDGE_KINDS, "block", "target", "just", "src", "dst", "witness"))}
)
_HEADER = "dot-canonical 1"


def canonical(trace: Trace) -> bytes:
    """A text that traces share if, and only if, their typed records are the same but for ids and order.

    Equal typed records means: a bijection of the nodes keeps roles, propositions, edges with how often
    they occur, statuses, arrows and equalities, each with the block that emits it. The nodes are
    numbered canonically. Of parts that are too regular to be numbered ([DOT-CANON-4]) the colours are
    given, which traces can share that are not the same.
    """
    with collector_paused(len(trace.records) >= MANY_RECORDS):
        names = _names(trace)
        return "\n".join([_HEADER, *sorted(_lines(trace, names)), ""]).encode()


def digest(trace: Trace) -> str:
    """The SHA-256 of the canonical form, in hexadecimal digits: the hash of the trace."""
    return hashlib.sha256(canonical(trace)).hexdigest()


def is_numbered(trace: Trace) -> bool:
    """Whether the canonical form numbers all nodes, so that equal hashes mean equal typed records."""
    return not any(name.startswith("~") for name in _names(trace).values())


def _names(trace: Trace) -> dict[int, str]:
    """The canonical number of each node; of an unordered one `~` and its colour."""
    graph, labels = labelled_graph(trace)
    colouring = Colouring(graph, labels)
    colouring.refine()
    order = canonical_order(colouring)
    ids = list(trace.nodes)
    names: dict[int, str] = {}
    for vertex in order.vertices:
        if vertex < len(ids):
            unordered = vertex in order.unordered
            names[ids[vertex]] = f"~{colouring.colour[vertex]}" if unordered else str(len(names))
    return names


def labelled_graph(trace: Trace) -> tuple[LabelledGraph, list[bytes]]:
    """The typed records as a graph: a vertex for each node, and one for each relation of more than two."""
    vertex = {id_: index for index, id_ in enumerate(trace.nodes)}
    labels = [_node_label(trace, id_) for id_ in trace.nodes]
    edges: list[tuple[int, int, int]] = []
    for record in trace.records:
        if isinstance(record, Edge):
            edges.append((vertex[record.src], vertex[record.dst], _NAMES[record.kind]))
        elif isinstance(record, Relation):
            edges.extend((len(labels), vertex[id_], _NAMES[name]) for name, id_ in references(record))
            labels.append(_relation_label(record))
    return LabelledGraph.of_edges(len(labels), edges, len(_NAMES)), labels


def content(trace: Trace, id_: int) -> str:
    """The canonical line of a node's proposition, shared by equal propositions; empty without one."""
    prop = trace.props.get(id_)
    return "" if prop is None else json_line(prop.value, canonical=True)


def _node_label(trace: Trace, id_: int) -> bytes:
    return f"{trace.nodes[id_].role} {content(trace, id_)}".encode()


def _relation_label(record: Relation) -> bytes:
    if isinstance(record, Status):
        return f"@status {record.mark}".encode()
    if isinstance(record, Entails):
        return f"@entails {'' if record.rank is None else record.rank}".encode()
    return b"@eq" if isinstance(record, Eq) else b"@coeq"


def _lines(trace: Trace, names: Mapping[int, str]) -> Iterator[str]:
    for id_, node in trace.nodes.items():
        yield f"node {names[id_]} {node.role} {content(trace, id_)}".rstrip()
    for record in trace.records:
        if isinstance(record, Edge):
            yield f"edge {names[record.src]} {names[record.dst]} {record.kind}"
        elif isinstance(record, Relation):
            ends = " ".join(f"{name}={names[id_]}" for name, id_ in references(record))
            yield f"{_relation_label(record).decode()} {ends}"
