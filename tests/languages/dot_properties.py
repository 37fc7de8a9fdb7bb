"""The numbered statements of the paper about traces, each with what it is tried on (appendix B, 4.12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import permutations, product
from random import Random
from typing import Any, TypeVar

from dot_diagrams import proposition_4_12, proposition_4_12_exact, same_diagram, small_pair
from dot_support import Compared, Reordered, read, trace_of
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from reference.diagrams import isomorphic
from statements import Property

from potlang.languages.dot.lower import canonical as can
from potlang.languages.dot.lower import extract as ext
from potlang.languages.dot.lower.extract import Extraction
from potlang.languages.dot.lower.index import IndexCategory
from potlang.languages.dot.read.records import (
    PROFILES,
    ROLES,
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
    renumbered,
)
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.write.emit import emit
from potlang.testing import traces
from potlang.testing.traces import records, shuffle

T = TypeVar("T")
NAMES = ("id", "src", "dst", "target", "just", "witness", "block")
"""The fields that hold the id of a node."""


def made(make: Callable[[Random], T]) -> SearchStrategy[T]:
    """What a function makes from random numbers."""
    return st.builds(make, st.randoms(use_true_random=False))


SEEDS = st.integers(0, (1 << 32) - 1)
"""For what is seldom made where each number is drawn by itself: pairs of traces that differ in one field."""


# --- B.1: extraction -----------------------------------------------------------------------------


def theorem_b_1(found: list[Record]) -> None:
    """B.1: extraction is total, and its result is the one of the definitions [DOT-EXTR-1]."""
    trace = trace_of(found)
    once = ext.extract(trace)
    again = ext.extract(trace_of(found))
    assert replace(again, trace=trace) == once
    proposers = tuple(id_ for id_, node in trace.nodes.items() if node.role == "proposer")
    valid = {id_ for id_ in proposers if id_ in _validated(found)}
    assert once.proposers == proposers
    assert _rows(once) == _wanted_inclusions(trace, valid)
    assert all(edge.src < edge.dst for edge in once.edges)
    assert Counter(edge[:3] for edge in once.edges) == Counter(
        edge[:3] for edge in trace.of(Edge) if {edge.src, edge.dst} <= set(proposers)
    )
    _check_index(trace, once, valid)


def _validated(found: Iterable[Record]) -> set[int]:
    return {r.target for r in found if isinstance(r, Status) and r.mark == "validated"}


def _rows(found: Extraction, ids: Mapping[int, int] | None = None) -> Counter[tuple[int, int, str, int]]:
    """The inclusions with their ranks, under other ids."""
    image = ids or {id_: id_ for id_ in found.trace.nodes}
    return Counter((image[i.lower], image[i.upper], i.schema, i.rank) for i in found.inclusions)


def _wanted_inclusions(trace: Trace, valid: set[int]) -> Counter[tuple[int, int, str, int]]:
    """LE, EQ and TR as [DOT-EXTR-8] has them."""
    rows: list[tuple[int, int, str, int]] = []
    for record in trace.records:
        if isinstance(record, Entails) and record.src in valid:
            rows.append((record.src, record.dst, "LE", record.rank or 0))
        elif isinstance(record, Eq) and {record.src, record.dst} <= valid:
            rows += [(record.src, record.dst, "EQ", 0), (record.dst, record.src, "EQ", 0)]
        elif isinstance(record, Edge) and record.kind == "refine" and record.src in valid:
            rows.append((record.dst, record.src, "TR", 0))
    return Counter(rows)


def _check_index(trace: Trace, found: Extraction, valid: set[int]) -> None:
    """Objects are the classes of the equalities that count; arrows and relations go between them."""
    classes = [{id_} for id_ in found.proposers]
    for record in trace.of(Eq):
        if {record.src, record.dst} <= valid:
            joined = [some for some in classes if record.src in some or record.dst in some]
            classes = [some for some in classes if some not in joined] + [set().union(*joined)]
    objects = found.index.objects
    assert {frozenset(each.members) for each in objects.values()} == {frozenset(some) for some in classes}
    assert all(found.of[node] == id_ for id_, each in objects.items() for node in each.members)
    assert {id_ for id_, each in objects.items() if each.is_validated} == {found.of[node] for node in valid}
    counted = [(found.of[r.src], found.of[r.dst]) for r in trace.of(Entails) if r.src in valid]
    assert [arrow[:2] for arrow in found.index.arrows] == counted
    related = [(found.of[r.src], found.of[r.dst]) for r in trace.of(Coeq) if {r.src, r.dst} <= valid]
    assert [each[:2] for each in found.index.relations] == related
    for one, other in product(range(len(found.index.arrows)), repeat=2):
        ends, there = (found.index.arrows[at][:2] for at in (one, other))
        equal = one == other or (ends == there and ends in related)
        assert (found.index.classes[one] == found.index.classes[other]) == equal


# --- B.2: free text ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Retold:
    """Records, and the same typed records with other text."""

    found: list[Record]
    other: list[Record]


def retold(random: Random) -> Retold:
    """A trace, and the same one with its text exchanged, left out and added to, and with no end."""
    found = records(random, blocks=random.randint(1, 14))
    other: list[Record] = []
    for at, record in enumerate(found):
        following = found[at + 1] if at + 1 < len(found) else None
        if isinstance(record, FreeText | Fence):
            other += _texts(random, record.block, 1 if isinstance(following, Status) else 0)
        elif not isinstance(record, End):
            other.append(record)
        if following is None or isinstance(following, Node):
            other += _texts(random, record.block, 0)
    return Retold(found, other)


def _texts(random: Random, block: int | None, least: int) -> list[Record]:
    """Fences that hold anything, as bytes or as what looks like a record."""
    words = (b"", b"\n", b"@status target=1 mark=validated\n", "é".encode(), b"@prop id=1 {}", b"\x00")
    made = [b"".join(random.choices(words, k=2)) for _ in range(random.randint(least, 2))]
    return [Fence(content, block) for content in made]


def proposition_b_2(case: Retold) -> None:
    """B.2: canonical form and extraction are those of the typed records [DOT-EXTR-1] [DOT-CANON-2]."""
    a, b = trace_of(case.found), trace_of(case.other)
    assert can.canonical(a) == can.canonical(b)
    assert can.digest(a) == can.digest(b)
    first, second = ext.extract(a), ext.extract(b)
    identity = {id_: id_ for id_ in a.nodes}
    check_corresponds(first, second, identity)
    assert first.diagram() == second.diagram()


# --- B.3: order ----------------------------------------------------------------------------------


def reordered(random: Random) -> Reordered:
    """A trace and a shuffle of it."""
    profile = random.choice(PROFILES)
    found = records(random, blocks=random.randint(1, 14), profile=profile)
    return Reordered(found, shuffle(found, random, profile=profile), profile)


def theorem_b_3(case: Reordered) -> None:
    """B.3: canonical form and extraction of two orders of the same records are the same but for the ids.

    [DOT-CANON-2]
    """
    a, b = trace_of(case.found, case.profile), trace_of(case.other.records, case.profile)
    assert can.canonical(a) == can.canonical(b)
    assert can.digest(a) == can.digest(b)
    first, second = ext.extract(a), ext.extract(b)
    check_corresponds(first, second, case.other.ids)
    assert isomorphic(first, second)


def check_corresponds(a: Extraction, b: Extraction, ids: Mapping[int, int]) -> None:
    """The second extraction is the first under other ids, but for the order in which things stand."""
    assert {ids[id_]: a.state(id_) for id_ in a.trace.nodes} == {id_: b.state(id_) for id_ in b.trace.nodes}
    assert {ids[id_] for id_ in a.proposers} == set(b.proposers)
    assert _rows(a, ids) == _rows(b)
    for one, other in ((a.edges, b.edges), (a.critiques, b.critiques)):
        assert Counter((ids[e.src], ids[e.dst], e.kind) for e in one) == Counter(e[:3] for e in other)
    objects = {each.id: b.of[ids[each.id]] for each in a.index.objects.values()}
    assert {
        (objects[each.id], frozenset(ids[m] for m in each.members), each.is_validated)
        for each in a.index.objects.values()
    } == {(each.id, frozenset(each.members), each.is_validated) for each in b.index.objects.values()}
    assert _joins(a.index, objects) == _joins(b.index, {id_: id_ for id_ in b.index.objects})


def _joins(index: IndexCategory, objects: Mapping[int, int]) -> tuple[Counter[Any], ...]:
    """Generating arrows, their classes and the relations, between the images of the objects."""
    return tuple(
        Counter((objects[source], objects[target]) for source, target in pairs)
        for pairs in (
            [each[:2] for each in index.arrows],
            index.generators().values(),
            [each[:2] for each in index.relations],
        )
    )


def typed_rows(found: Iterable[Record], ids: Mapping[int, int]) -> list[tuple[str, str]]:
    """The typed records under other ids, but for their places, in an order of their own."""
    rows = []
    for record in found:
        if not isinstance(record, FreeText | Fence | End):
            moved = renumbered(record, ids)
            values = {k: v for k, v in moved._asdict().items() if k not in ("start", "end", "json_start")}
            rows.append((type(record).__name__, repr((moved.block, sorted(values.items())))))
    return sorted(rows)


def compared(random: Random) -> Compared:
    """A small trace without propositions, and one with another order or another field."""
    found = [r for r in records(random, blocks=random.randint(2, 5)) if not isinstance(r, Prop)]
    return Compared(found, _varied(found, random))


def _varied(found: list[Record], random: Random) -> list[Record]:
    """The records in another order, doubled in one place, or with one field of one of them changed."""
    at = [i for i, r in enumerate(found) if isinstance(r, Edge | Entails | Status | Eq | Coeq)]
    if not at or random.random() < 0.3:
        return shuffle(found, random).records
    index = random.choice(at)
    record = found[index]
    if random.random() < 0.2 and not isinstance(record, Status):
        return [*found[:index], record, *found[index:]]
    if isinstance(record, Entails | Status) and random.random() < 0.3:
        return _moved(found, index)
    ids = {role: [r.id for r in found if isinstance(r, Node) and r.role == role] for role in ROLES}
    changes: dict[str, list[Any]] = {"src": ids["proposer"], "dst": ids["proposer"]}
    if isinstance(record, Status):
        changes = {"target": ids["proposer"], "just": [None, *(id_ for some in ids.values() for id_ in some)]}
    elif isinstance(record, Entails):
        changes |= {"witness": [None, *ids["critic"]], "rank": [None, 0, 1]}
    field = random.choice(list(changes))
    changed = record._replace(**{field: random.choice(changes[field])})  # type: ignore[arg-type]
    return [*found[:index], changed, *found[index + 1 :]]


def _moved(found: list[Record], index: int) -> list[Record]:
    """A record taken to the last block, behind its `@node` and edges."""
    record = found[index]
    rest = [*found[:index], *found[index + 1 :]]
    last = max(i for i, r in enumerate(rest) if isinstance(r, Node | Edge))
    block = rest[last].block
    return [*rest[: last + 1], record._replace(block=block), *rest[last + 1 :]]  # type: ignore[call-arg]


def theorem_b_3_only_if(case: Compared) -> None:
    """B.3: a canonical form is shared by the same typed records alone, by all bijections [DOT-CANON-3]."""
    (a, first), (b, second) = read(emit(case.found)), read(emit(case.other))
    if not first + second:
        assert (can.canonical(a) == can.canonical(b)) == are_same(a, b)


def are_same(a: Trace, b: Trace) -> bool:
    """Whether a bijection of the nodes takes the typed records to each other."""
    if Counter(n.role for n in a.nodes.values()) != Counter(n.role for n in b.nodes.values()):
        return False
    rows = typed_rows(b.records, {id_: id_ for id_ in b.nodes})
    return any(
        typed_rows(a.records, dict(zip(a.nodes, image, strict=True))) == rows
        for image in permutations(b.nodes)
    )


PROPERTIES: dict[str, Property] = {
    "theorem_b_1": Property(theorem_b_1, traces(most=30), 60),
    "proposition_b_2": Property(proposition_b_2, made(retold), 60),
    "theorem_b_3": Property(theorem_b_3, made(reordered), 60),
    "theorem_b_3_only_if": Property(theorem_b_3_only_if, SEEDS.map(lambda seed: compared(Random(seed))), 100),
    "proposition_4_12": Property(proposition_4_12, made(same_diagram), 60),
    "proposition_4_12_exact": Property(proposition_4_12_exact, made(small_pair), 100),
}
"""The statements by their numbers."""
