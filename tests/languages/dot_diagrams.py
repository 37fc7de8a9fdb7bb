"""Proposition 4.12 on traces: isomorphic diagrams, told in different ways or made to differ a little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import permutations, product
from random import Random
from typing import Any

from dot_support import Compared, Reordered, trace_of
from reference.diagrams import DiagramIsomorphism, isomorphism
from strategies.retellings import retold

from potlang.languages.dot.lower import canonical as can
from potlang.languages.dot.lower import extract as ext
from potlang.languages.dot.lower.extract import Extraction
from potlang.languages.dot.lower.index import IndexCategory
from potlang.languages.dot.read.records import Coeq, Entails, Eq, Node, Prop, Record, Status
from potlang.testing.traces import records, shuffle


def same_diagram(random: Random) -> Reordered:
    """A trace, and one with the same validated diagram that is told in another way."""
    found = records(random, blocks=random.randint(1, 12))
    return Reordered(found, retold(found, random), "paper")


def proposition_4_12(case: Reordered) -> None:
    """4.12: what says the same is found to be isomorphic, by a mapping that is one [DOT-CANON-6]."""
    a, b = ext.extract(trace_of(case.found)), ext.extract(trace_of(case.other.records))
    mapping = isomorphism(a, b)
    assert mapping is not None
    check_isomorphism(a, b, mapping)


def check_isomorphism(a: Extraction, b: Extraction, mapping: DiagramIsomorphism) -> None:
    """The mapping is a bijection of objects and of classes of arrows that keeps everything."""
    first, second = a.index.validated(), b.index.validated()
    assert sorted(mapping.objects) == sorted(first.objects)
    assert sorted(mapping.objects.values()) == sorted(second.objects)
    says, says_there = _content(a), _content(b)
    assert all(says[here] == says_there[there] for here, there in mapping.objects.items())
    arrows, images = first.generators(), second.generators()
    assert sorted(mapping.arrows) == sorted(arrows)
    assert sorted(mapping.arrows.values()) == sorted(images)
    for here, there in mapping.arrows.items():
        assert images[there] == tuple(mapping.objects[end] for end in arrows[here])
    assert {tuple(mapping.objects[end] for end in each[:2]) for each in first.relations} == {
        each[:2] for each in second.relations
    }


def _content(found: Extraction) -> dict[int, Counter[str]]:
    """What each validated object says: the canonical JSON of its members, opaque ones as the empty line."""
    return {
        id_: Counter(can.content(found.trace, member) for member in each.members)
        for id_, each in found.index.objects.items()
        if each.is_validated
    }


def small_pair(random: Random) -> Compared:
    """Two small traces of validated propositions with few contents, arrows, equalities and relations."""
    found = _validated_trace(random, random.randint(1, 4))
    if random.random() < 0.5:
        other = shuffle(found, random).records
        at = [i for i, record in enumerate(other) if isinstance(record, Entails | Eq | Coeq | Prop)]
        if at and random.random() < 0.7:
            del other[random.choice(at)]
        return Compared(found, other)
    return Compared(found, _validated_trace(random, random.randint(1, 4)))


def _validated_trace(random: Random, count: int) -> list[Record]:
    """So many validated propositions, judged and joined by critics behind them."""
    found: list[Record] = []
    ids = range(1, count + 1)
    for id_ in ids:
        found.append(Node(id_, "proposer"))
        if random.random() < 0.5:
            found.append(Prop(id_, "p", '"p"'))
    for at, id_ in enumerate(ids):
        critic = count + 1 + at
        found += [Node(critic, "critic"), Status(id_, "validated", None, critic)]
    last = 2 * count
    pairs = list(product(ids, repeat=2))
    for kind, most in ((Entails, 3), (Eq, 1), (Coeq, 1)):
        for src, dst in random.choices(pairs, k=random.randint(0, most)):
            found.append(Entails(src, dst, None, None, last) if kind is Entails else kind(src, dst, last))
    return found


def proposition_4_12_exact(case: Compared) -> None:
    """4.12: an isomorphism is found exactly if one of all bijections of the objects is one [DOT-CANON-6]."""
    a, b = ext.extract(trace_of(case.found)), ext.extract(trace_of(case.other))
    mapping = isomorphism(a, b)
    assert (mapping is not None) == _is_some_bijection(a, b)
    if mapping is not None:
        check_isomorphism(a, b, mapping)


def _is_some_bijection(a: Extraction, b: Extraction) -> bool:
    first, second = a.index.validated(), b.index.validated()
    if len(first.objects) != len(second.objects):
        return False
    says, says_there = _content(a), _content(b)
    identity = {id_: id_ for id_ in second.objects}
    return any(
        all(says[here] == says_there[there] for here, there in image.items())
        and _generators(first, image) == _generators(second, identity)
        for image in (dict(zip(first.objects, some, strict=True)) for some in permutations(second.objects))
    )


def _generators(index: IndexCategory, image: Mapping[int, int]) -> tuple[Counter[Any], set[Any]]:
    """The generating arrows, parallel ones of a relation as one, and the relations, between the images."""
    related = {(each.source, each.target) for each in index.relations}
    ends = Counter((arrow.source, arrow.target) for arrow in index.arrows)
    return (
        Counter({(image[s], image[t]): 1 if (s, t) in related else n for (s, t), n in ends.items()}),
        {(image[s], image[t]) for s, t in related},
    )
