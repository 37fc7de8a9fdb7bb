"""The index category of a trace, given by objects, generating arrows and relations (definition 4.2).

Its arrows are the paths of generating arrows, up to the congruence that the relations generate: a
relation from i to k says that all arrows from i to k are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from potlang.ir.graphs import UnionFind, reachable_from

Path = tuple[int, ...]
"""A path: the classes of its generating arrows in order; the empty path is an identity."""


class Object(NamedTuple):
    """A class of proposers that equalities make one; `id` is the first of them."""

    id: int
    members: tuple[int, ...]
    is_validated: bool


class GeneratingArrow(NamedTuple):
    """A generating arrow between two objects."""

    source: int
    target: int


class Relation(NamedTuple):
    """All arrows from one object to another are equal."""

    source: int
    target: int


class HomSet(NamedTuple):
    """The arrows from one object to another, each as the paths found that are equal to it.

    `complete` says that there are no others; else there are too many paths, or infinitely many.
    """

    arrows: tuple[tuple[Path, ...], ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class IndexCategory:
    """Objects by id, generating arrows, relations, and the class that each arrow belongs to.

    Arrows of one class are parallel and equal by a relation; a class is named by its first arrow.
    """

    objects: Mapping[int, Object]
    arrows: tuple[GeneratingArrow, ...]
    relations: tuple[Relation, ...]
    classes: tuple[int, ...]

    def validated(self) -> IndexCategory:
        """The full subcategory on the validated objects, which the summary is about."""
        kept = {id_: each for id_, each in self.objects.items() if each.is_validated}
        arrows = [each for each in self.arrows if each.source in kept and each.target in kept]
        relations = [each for each in self.relations if each.source in kept and each.target in kept]
        return index_category(kept, arrows, relations)

    def generators(self) -> dict[int, tuple[int, int]]:
        """Source and target of each class of generating arrows."""
        return {c: (self.arrows[c].source, self.arrows[c].target) for c in dict.fromkeys(self.classes)}

    def hom(self, source: int, target: int, most: int = 1_000) -> HomSet:
        """The arrows from one object to another, from at most `most` paths.

        Raises `KeyError` for what is no object. Exact where the paths between the two are finitely
        many, and where a relation makes them one.
        """
        assert self.objects[source] and self.objects[target]
        generators = self.generators()
        paths, all_found = _paths(generators, source, target, most)
        related = dict.fromkeys((each.source, each.target) for each in self.relations)
        if (source, target) in related:
            return HomSet((tuple(paths),) if paths else (), bool(paths) or all_found)
        classes = _equal_paths(paths, generators, source, related)
        return HomSet(tuple(tuple(some) for some in classes), all_found)


def index_category(
    objects: Mapping[int, Object], arrows: Sequence[GeneratingArrow], relations: Sequence[Relation]
) -> IndexCategory:
    """The category with these generators, the parallel arrows of each relation made one."""
    related = dict.fromkeys((each.source, each.target) for each in relations)
    equal = UnionFind(range(len(arrows)))
    first: dict[tuple[int, int], int] = {}
    for number, arrow in enumerate(arrows):
        ends = arrow.source, arrow.target
        if ends in related:
            equal.join(first.setdefault(ends, number), number)
    names = {number: some[0] for some in equal.classes() for number in some}
    classes = tuple(names[number] for number in range(len(arrows)))
    return IndexCategory(objects, tuple(arrows), tuple(relations), classes)


def _paths(
    generators: Mapping[int, tuple[int, int]], source: int, target: int, most: int
) -> tuple[list[Path], bool]:
    """Paths from source to target, shorter ones first, and whether these are all."""
    leaving: dict[int, list[tuple[int, int]]] = {}
    entering: dict[int, list[int]] = {}
    for name, (start, end) in generators.items():
        leaving.setdefault(start, []).append((name, end))
        entering.setdefault(end, []).append(start)
    useful = reachable_from([target], lambda here: entering.get(here, ()))
    found: list[Path] = []
    level: list[tuple[int, Path]] = [(source, ())] if source in useful else []
    steps = 0
    while level:
        found += [path for here, path in level if here == target]
        grown = [(end, (*path, name)) for here, path in level for name, end in leaving.get(here, ())]
        level = [each for each in grown if each[0] in useful]
        steps += sum(len(path) for _, path in level)
        if len(found) > most or steps > 100 * most:
            return found[:most], False
    return found, True


def _equal_paths(
    paths: Sequence[Path],
    generators: Mapping[int, tuple[int, int]],
    source: int,
    related: Iterable[tuple[int, int]],
) -> list[list[Path]]:
    """The classes of paths: two are equal if they differ between two objects of a relation alone.

    Between the first place at the one and the last at the other is enough: paths that differ between
    two such places agree before and after, so they have the same first and last place.
    """
    ends_of: dict[int, list[int]] = {}
    for start, end in related:
        ends_of.setdefault(start, []).append(end)
    equal = UnionFind(paths)
    seen: dict[tuple[Path, int, int, Path], Path] = {}
    for path in paths:
        visited = [source, *(generators[name][1] for name in path)]
        last = {here: place for place, here in enumerate(visited)}
        first = {here: place for place, here in reversed(list(enumerate(visited)))}
        for start, i in first.items():
            for end in ends_of.get(start, ()):
                if last.get(end, -1) >= i:
                    key = path[:i], start, end, path[last[end] :]
                    equal.join(path, seen.setdefault(key, path))
    return equal.classes()
