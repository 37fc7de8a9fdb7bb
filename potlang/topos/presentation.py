"""Categories by generators and relations: free categories, quotients, and gluing along a shared part.

A path is a tuple of edges in the order in which they are travelled, the first one first.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from potlang.topos.category import ARROWS, Category, tabulate
from potlang.topos.errors import bounded, require
from potlang.topos.unions import Unions

Path = tuple[int, ...]


@dataclass(frozen=True)
class Presentation:
    """A finite graph with equations between parallel paths: a presentation of a category.

    `edges[e]` is (source, target). A relation is a pair of parallel paths, at least one of them not
    empty. Raises `AxiomError` if an edge or a path does not fit.
    """

    size: int
    edges: tuple[tuple[int, int], ...]
    relations: tuple[tuple[Path, Path], ...] = ()

    def __post_init__(self) -> None:
        ends = [end for edge in self.edges for end in edge]
        require(all(0 <= end < self.size for end in ends), "edges join nodes")
        for left, right in self.relations:
            require(bool(left or right), "a relation has a path that is not empty")
            start, end = self.ends(left or right)
            require(
                self.ends(left, start) == self.ends(right, start) == (start, end), "relations are parallel"
            )

    def ends(self, path: Path, start: int | None = None) -> tuple[int, int]:
        """The nodes where a path begins and ends; `start` is that of the empty path."""
        if not path:
            require(start is not None, "an empty path needs a node")
            return start or 0, start or 0
        require(all(0 <= edge < len(self.edges) for edge in path), "paths consist of edges")
        for before, after in itertools.pairwise(path):
            require(self.edges[before][1] == self.edges[after][0], "the edges of a path meet")
        return self.edges[path[0]][0], self.edges[path[-1]][1]

    def start(self, relation: tuple[Path, Path]) -> int:
        """The node where both paths of a relation begin."""
        return self.ends(relation[0] or relation[1])[0]


@dataclass(frozen=True)
class Presented:
    """The category that a presentation presents; `paths[f]` is a path for the arrow f."""

    presentation: Presentation
    category: Category
    paths: tuple[Path, ...]
    generators: tuple[int, ...]
    """The arrow of each edge."""

    def arrow(self, path: Path, start: int = 0) -> int:
        """The arrow that a path denotes; `start` is the node of the empty path."""
        found = self.category.identities[self.presentation.ends(path, start)[0]]
        for edge in path:
            found = self.category.compose(self.generators[edge], found)
        return found


def presented(presentation: Presentation, limit: int = ARROWS) -> Presented:
    """The category of paths modulo the congruence that the relations generate.

    The arrows out of each node are enumerated as Todd and Coxeter enumerate cosets, so it ends
    whenever there are finitely many. Raises `BoundExceeded` where more than `limit` are met on the way.
    """
    tables = [_Arrows(presentation, node, limit) for node in range(presentation.size)]
    arrows = [
        ((node, element), node, table.ends[element])
        for node, table in enumerate(tables)
        for element in table.live()
    ]
    words = [tables[node].words[element] for (node, element), _, _ in arrows]
    word = dict(zip([key for key, _, _ in arrows], words, strict=True))
    category = tabulate(
        presentation.size,
        arrows,
        [(node, 0) for node in range(presentation.size)],
        lambda g, f: (f[0], tables[f[0]].follow(f[1], word[g])),
    )
    index = {key: at for at, (key, _, _) in enumerate(arrows)}
    generators = tuple(
        index[source, tables[source].follow(0, (edge,))]
        for edge, (source, _) in enumerate(presentation.edges)
    )
    return Presented(presentation, category, tuple(words), generators)


class _Arrows:
    """The arrows out of one node: element 0 is the identity, `steps[x][e]` is x followed by the edge e."""

    def __init__(self, presentation: Presentation, node: int, limit: int) -> None:
        self.presentation = presentation
        self.limit = limit
        self.ends = [node]
        self.words: list[Path] = [()]
        self.steps: list[dict[int, int]] = [{}]
        self.unions = Unions(1)
        leaving: list[list[int]] = [[] for _ in range(presentation.size)]
        for edge, (source, _) in enumerate(presentation.edges):
            leaving[source].append(edge)
        relations: list[list[tuple[Path, Path]]] = [[] for _ in range(presentation.size)]
        for relation in presentation.relations:
            relations[presentation.start(relation)].append(relation)
        self._enumerate(leaving, relations)

    def _enumerate(self, leaving: list[list[int]], relations: list[list[tuple[Path, Path]]]) -> None:
        at = 0
        while at < len(self.ends):
            if self.unions.find(at) == at:
                for left, right in relations[self.ends[at]]:
                    self._merge(self.follow(at, left), self.follow(at, right))
            if self.unions.find(at) == at:
                for edge in leaving[self.ends[at]]:
                    self.follow(at, (edge,))
            at += 1

    def follow(self, element: int, path: Path) -> int:
        """The element reached along a path, made where it does not exist yet."""
        element = self.unions.find(element)
        for edge in path:
            if edge not in self.steps[element]:
                self._define(element, edge)
            element = self.unions.find(self.steps[element][edge])
        return element

    def _define(self, element: int, edge: int) -> None:
        bounded(len(self.ends) + 1, self.limit, "arrows of a presented category (it may be infinite)")
        self.steps[element][edge] = self.unions.add()
        self.ends.append(self.presentation.edges[edge][1])
        self.words.append((*self.words[element], edge))
        self.steps.append({})

    def _merge(self, left: int, right: int) -> None:
        pending = [(left, right)]
        while pending:
            kept, gone = sorted(map(self.unions.find, pending.pop()))
            if kept == gone:
                continue
            self.unions.join(kept, gone)
            for edge, step in self.steps[gone].items():
                if edge in self.steps[kept]:
                    pending.append((self.steps[kept][edge], step))
                else:
                    self.steps[kept][edge] = step

    def live(self) -> list[int]:
        """The elements that were not merged into an earlier one."""
        return [x for x in range(len(self.ends)) if self.unions.find(x) == x]


def free(size: int, edges: Sequence[tuple[int, int]], limit: int = ARROWS) -> Presented:
    """The free category on a finite acyclic graph. Raises `BoundExceeded` for a graph with a cycle."""
    return presented(Presentation(size, tuple(edges)), limit)


def presentation_of(category: Category) -> Presentation:
    """A category by its arrows other than identities (edges, in order) and its table (relations)."""
    edges = category.proper_arrows
    index = {f: (at,) for at, f in enumerate(edges)}
    relations = [
        ((*index[f], *index[g]), index.get(category.compose(g, f), ()))
        for f in edges
        for g in edges
        if category.target[f] == category.source[g]
    ]
    return Presentation(
        category.size, tuple((category.source[f], category.target[f]) for f in edges), tuple(relations)
    )


def quotient(category: Category, pairs: Sequence[tuple[int, int]], limit: int = ARROWS) -> Presented:
    """The quotient by the smallest congruence that identifies each pair of parallel arrows."""
    base = presentation_of(category)
    index = {f: (at,) for at, f in enumerate(category.proper_arrows)}
    ends = list(zip(category.source, category.target, strict=True))
    require(all(ends[f] == ends[g] for f, g in pairs), "arrows that are identified are parallel")
    extra = tuple((index.get(f, ()), index.get(g, ())) for f, g in pairs if f != g)
    return presented(Presentation(base.size, base.edges, base.relations + extra), limit)


@dataclass(frozen=True)
class Overlap:
    """The shared part of two presentations: a graph with a functor to each of them.

    The node k goes to `nodes[k]` = (its node in the first, in the second); `edges[e]` is (source,
    target) in the graph itself, and `paths[e]` is (its path in the first, in the second). Neither
    functor needs to be injective.
    """

    nodes: tuple[tuple[int, int], ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    paths: tuple[tuple[Path, Path], ...] = ()


@dataclass(frozen=True)
class GluedPresentation:
    """A pushout of presented categories; edges of the first come first, then those of the second."""

    presentation: Presentation
    first: tuple[int, ...]
    second: tuple[int, ...]
    """Where the nodes of the two went."""
    shift: int
    """The edge e of the second is the edge `e + shift` here."""

    @cached_property
    def index(self) -> Presented:
        """The pushout itself, if it is finite."""
        return presented(self.presentation)


def glue(first: Presentation, second: Presentation, overlap: Overlap) -> GluedPresentation:
    """The pushout of the two categories along what they share."""
    _check_overlap(first, second, overlap)
    unions = Unions(first.size + second.size)
    for a, b in overlap.nodes:
        unions.join(a, first.size + b)
    numbers = unions.numbers()
    left, right = tuple(numbers[: first.size]), tuple(numbers[first.size :])
    shift = len(first.edges)
    edges = [(left[a], left[b]) for a, b in first.edges]
    edges += [(right[a], right[b]) for a, b in second.edges]
    moved = [(_shifted(u, shift), _shifted(v, shift)) for u, v in second.relations]
    shared = [(u, _shifted(v, shift)) for u, v in overlap.paths if u or v]
    size = max(numbers, default=-1) + 1
    result = Presentation(size, tuple(edges), (*first.relations, *moved, *shared))
    return GluedPresentation(result, left, right, shift)


def _shifted(path: Path, by: int) -> Path:
    return tuple(edge + by for edge in path)


def _check_overlap(first: Presentation, second: Presentation, overlap: Overlap) -> None:
    for a, b in overlap.nodes:
        require(0 <= a < first.size and 0 <= b < second.size, "shared nodes are nodes of both")
    require(len(overlap.edges) == len(overlap.paths), "each shared edge has a path in both")
    for (source, target), (left, right) in zip(overlap.edges, overlap.paths, strict=True):
        (a, b), (c, d) = overlap.nodes[source], overlap.nodes[target]
        fits = first.ends(left, a) == (a, c) and second.ends(right, b) == (b, d)
        require(fits, "the paths of a shared edge join its nodes")
