"""Oracles for the tests: a family of minimal cores given outright, with solvers' usual habits."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

from potlang.prove.cores import Names, Said

Family = tuple[frozenset[str], ...]


def names(count: int) -> Names:
    """`n0`, `n1` …"""
    return tuple(f"n{number}" for number in range(count))


class Given:
    """Unsatisfiable are the supersets of `family`. Cores are padded, as solvers' are, or left out.

    `unknown` is the share of subsets that are undecided, always the same ones. `wrong` is the share of
    cores that lack a name, always of the same subsets.
    """

    def __init__(
        self, family: Iterable[Iterable[str]], seed: int = 0, *, unknown: float = 0, wrong: float = 0
    ) -> None:
        self.family: Family = tuple(frozenset(each) for each in family)
        self.seed = seed
        self.unknown = unknown
        self.wrong = wrong
        self.rounds = 0
        self.undecided = 0
        self.asked: list[Names] = []

    def __call__(self, subset: Names, /) -> Said:
        self.rounds += 1
        return self._say(subset)

    def ahead(self, subsets: Sequence[Names], /) -> list[Said]:
        self.rounds += 1
        return [self._say(subset) for subset in subsets]

    def unsatisfiable(self, subset: Iterable[str]) -> bool:
        inside = frozenset(subset)
        return any(core <= inside for core in self.family)

    def _say(self, subset: Names) -> Said:
        self.asked.append(subset)
        chance = random.Random(f"{self.seed} {' '.join(subset)}")
        if chance.random() < self.unknown:
            self.undecided += 1
            return "unknown", None
        cores = [core for core in self.family if core <= frozenset(subset)]
        if not cores:
            return "sat", None
        core = chance.choice(cores)
        if chance.random() < self.wrong:
            return "unsat", tuple(sorted(core))[1:]
        padded = [name for name in subset if name in core or chance.random() < 0.2]
        chance.shuffle(padded)
        return "unsat", chance.choice((None, tuple(padded), tuple(padded)))


def random_family(seed: int, most: int = 9, cores: int = 6) -> tuple[Names, list[frozenset[str]]]:
    """Some names and cores over them; the cores need not be minimal, and there may be none."""
    chance = random.Random(seed)
    every = names(chance.randint(1, most))
    sizes = [chance.randint(1, min(4, len(every))) for _ in range(chance.randint(0, cores))]
    return every, [frozenset(chance.sample(every, size)) for size in sizes]


def minimal_cores(every: Names, given: Given) -> list[Names]:
    """By brute force, smallest first, then in the order of `every`."""
    return _minimal(every, given.unsatisfiable)


def minimal_corrections(every: Names, given: Given) -> list[Names]:
    """By brute force, smallest first, then in the order of `every`."""
    return _minimal(every, lambda gone: not given.unsatisfiable(n for n in every if n not in gone))


def _minimal(every: Names, fits: object) -> list[Names]:
    assert callable(fits)
    found: list[Names] = []
    for size in range(len(every) + 1):
        for subset in itertools.combinations(every, size):
            if not any(set(each) <= set(subset) for each in found) and fits(subset):
                found.append(subset)
    return found
