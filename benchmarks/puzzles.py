"""Finite problems by family and size: as programs, and as clauses written without potlang."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

Value = dict[str, Any]
Choice = tuple[str, int]
"""That a cell has a value."""


class Clauses:
    """One variable for each value of each cell, which has exactly one of them."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = []
        self.variables = 0
        self._numbers: dict[Choice, int] = {}

    def cell(self, name: str, values: Iterable[int]) -> None:
        """A new cell."""
        choices = [(name, value) for value in values]
        for each in choices:
            self.variables += 1
            self._numbers[each] = self.variables
        self.clauses.append([self._numbers[each] for each in choices])
        self.at_most(1, choices)

    def forbid(self, *choices: Choice) -> None:
        """That these are not all so; nor are those that no cell has."""
        if all(each in self._numbers for each in choices):
            self.clauses.append([-self._numbers[each] for each in choices])

    def require(self, *choices: Choice) -> None:
        """That one of these is so."""
        self.clauses.append([self._numbers[each] for each in choices if each in self._numbers])

    def at_most(self, most: int, choices: Sequence[Choice]) -> None:
        """That no more of these are so."""
        if most == 1 and len(choices) <= 20:
            for one, two in itertools.combinations(choices, 2):
                self.forbid(one, two)
            return
        from pysat.card import CardEnc

        numbers = [self._numbers[each] for each in choices]
        found = CardEnc.atmost(numbers, most, top_id=self.variables)
        self.variables = max(self.variables, found.nv)
        self.clauses += found.clauses

    def different(self, names: Sequence[str], values: Sequence[int]) -> None:
        """That no two cells have the same value, and each value is taken if there are as many."""
        for value in values:
            self.at_most(1, [(name, value) for name in names])
            if len(names) == len(values):
                self.require(*[(name, value) for name in names])


class Puzzle(NamedTuple):
    """`possible`: whether the facts have a model; the program's claim is `false`, so it is `refuted` then."""

    family: str
    size: str
    source: Value
    cnf: Clauses
    possible: bool | None

    @property
    def name(self) -> str:
        """Short and unique."""
        return f"{self.family}-{self.size}"


def _source(facts: list[str], sort: str, names: list[str], **sections: Any) -> Value:
    constants = {"cells": {"sort": sort, "members": names}} if names else {}
    claim = {"name": "none", "constraint": "false"}
    return {**sections, "constants": constants, "knowledge_base": facts, "verifications": [claim]}


def _apart(cnf: Clauses, a: str, b: str, values: range, near: int) -> None:
    for one, two in itertools.product(values, repeat=2):
        if abs(one - two) < near:
            cnf.forbid((a, one), (b, two))


# --- families --------------------------------------------------------------------------------------


def no_three(size: int, wanted: int) -> Puzzle:
    """So many points of a grid, no three of them in line."""
    cnf, points = Clauses(), list(itertools.product(range(size), repeat=2))
    names = {point: f"p{point[0]}_{point[1]}" for point in points}
    facts = []
    for name in names.values():
        cnf.cell(name, (0, 1))
    for trio in itertools.combinations(points, 3):
        a, b, c = trio
        if (b[0] - a[0]) * (c[1] - a[1]) == (c[0] - a[0]) * (b[1] - a[1]):
            facts.append(f"not ({' and '.join(names[each] for each in trio)})")
            cnf.forbid(*[(names[each], 1) for each in trio])
    facts.append(f"Count([{', '.join(names.values())}]) >= {wanted}")
    cnf.at_most(len(names) - wanted, [(name, 0) for name in names.values()])
    return Puzzle("no_three", f"{size}_{wanted}", _source(facts, "Bool", list(names.values())), cnf, None)


def colouring(vertices: int, colours: int, seed: int, degree: float) -> Puzzle:
    """A random graph."""
    chance, cnf = random.Random(seed), Clauses()
    names = [f"v{n}" for n in range(vertices)]
    edges = [pair for pair in itertools.combinations(names, 2) if chance.random() < degree / vertices]
    for name in names:
        cnf.cell(name, range(colours))
    for one, two in edges:
        for colour in range(colours):
            cnf.forbid((one, colour), (two, colour))
    enum = {"name": "Colour", "type": "EnumSort", "values": [f"c{n}" for n in range(colours)]}
    source = _source([f"{a} != {b}" for a, b in edges], "Colour", names, sorts=[enum])
    return Puzzle("colouring", f"{vertices}_{colours}_{seed}", source, cnf, None)


def mycielski(steps: int, colours: int) -> Puzzle:
    """A graph without triangles that needs many colours."""
    vertices, edges = 2, {(0, 1)}
    for _ in range(steps):
        copies = {(a, b + vertices) for a, b in edges} | {(b, a + vertices) for a, b in edges}
        edges |= copies | {(n + vertices, 2 * vertices) for n in range(vertices)}
        vertices = 2 * vertices + 1
    cnf, names = Clauses(), [f"v{n}" for n in range(vertices)]
    for name in names:
        cnf.cell(name, range(colours))
    for one, two in edges:
        for colour in range(colours):
            cnf.forbid((names[one], colour), (names[two], colour))
    enum = {"name": "Colour", "type": "EnumSort", "values": [f"c{n}" for n in range(colours)]}
    facts = [f"{names[a]} != {names[b]}" for a, b in sorted(edges)]
    source = _source(facts, "Colour", names, sorts=[enum])
    return Puzzle("mycielski", f"{steps}_{colours}", source, cnf, colours >= steps + 2)


def labelling(vertices: int, span: int) -> Puzzle:
    """Labels of a circle's vertices, all different, neighbours at least two apart."""
    cnf, names = Clauses(), [f"v{n}" for n in range(vertices)]
    for name in names:
        cnf.cell(name, range(span))
    pairs = list(zip(names, [*names[1:], names[0]], strict=True))
    for one, two in pairs:
        _apart(cnf, one, two, range(span), 2)
    cnf.different(names, range(span))
    facts = [f"0 <= {name} < {span}" for name in names] + [f"Abs({a} - {b}) >= 2" for a, b in pairs]
    facts += [f"{a} != {b}" for a, b in itertools.combinations(names, 2)]
    return Puzzle("labelling", f"{vertices}_{span}", _source(facts, "Int", names), cnf, span >= vertices)


def queens(size: int) -> Puzzle:
    """One in each row."""
    cnf, names = Clauses(), [f"q{n}" for n in range(size)]
    for name in names:
        cnf.cell(name, range(size))
    cnf.different(names, range(size))
    facts = [f"0 <= {name} < {size}" for name in names] + [f"Distinct({', '.join(names)})"]
    for (i, a), (j, b) in itertools.combinations(enumerate(names), 2):
        facts.append(f"Abs({a} - {b}) != {j - i}")
        for one, two in itertools.product(range(size), repeat=2):
            if abs(one - two) == j - i:
                cnf.forbid((a, one), (b, two))
    return Puzzle("queens", str(size), _source(facts, "Int", names), cnf, size not in (2, 3))


def magic(size: int) -> Puzzle:
    """A square with equal sums."""
    cnf, cells = Clauses(), [f"m{n}" for n in range(size * size)]
    values, total = range(1, size * size + 1), size * (size * size + 1) // 2
    lines = [cells[n * size : (n + 1) * size] for n in range(size)] + [cells[n::size] for n in range(size)]
    lines += [cells[:: size + 1], cells[size - 1 : -1 : size - 1]]
    for name in cells:
        cnf.cell(name, values)
    cnf.different(cells, values)
    for line, row in itertools.product(lines, itertools.product(values, repeat=size)):
        if sum(row) != total and len(set(row)) == size:
            cnf.forbid(*zip(line, row, strict=True))
    facts = [f"1 <= {name} <= {size * size}" for name in cells] + [f"Distinct({', '.join(cells)})"]
    facts += [f"{' + '.join(line)} == {total}" for line in lines]
    return Puzzle("magic", str(size), _source(facts, "Int", cells), cnf, True)


def sudoku(side: int, given: int, seed: int, wrong: bool) -> Puzzle:
    """Of side 3 or 4, with so many numbers given of a shuffled solution; with one of them `wrong`."""
    chance, cnf, size = random.Random(seed), Clauses(), side * side
    order = [chance.sample(range(side), side) for _ in range(side + 1)]
    rows = [side * block + row for block in order[0] for row in order[1]]
    numbers = chance.sample(range(1, size + 1), size)
    solution = [[numbers[(side * (r % side) + r // side + c) % size] for c in range(size)] for r in rows]
    names = [[f"s{r}_{c}" for c in range(size)] for r in range(size)]
    groups = [*names, *zip(*names, strict=True)]
    for r, c in itertools.product(range(0, size, side), repeat=2):
        groups.append([names[r + i][c + j] for i, j in itertools.product(range(side), repeat=2)])
    facts = []
    for name in itertools.chain.from_iterable(names):
        cnf.cell(name, range(1, size + 1))
        facts.append(f"1 <= {name} <= {size}")
    for group in groups:
        cnf.different(list(group), range(1, size + 1))
        facts.append(f"Distinct({', '.join(group)})")
    for number, (r, c) in enumerate(chance.sample(list(itertools.product(range(size), repeat=2)), given)):
        value = solution[r][c] if not wrong or number else solution[r][c] % size + 1
        facts.append(f"{names[r][c]} == {value}")
        cnf.require((names[r][c], value))
    kind = "wrong" if wrong else "right"
    source = _source(facts, "Int", list(itertools.chain.from_iterable(names)))
    return Puzzle("sudoku", f"{size}_{given}_{seed}_{kind}", source, cnf, None if wrong else True)


def pigeons(holes: int, more: int) -> Puzzle:
    """More pigeons than holes, counted."""
    cnf = Clauses()
    grid = [[f"p{n}_{hole}" for hole in range(holes)] for n in range(holes + more)]
    for name in itertools.chain.from_iterable(grid):
        cnf.cell(name, (0, 1))
    facts = [f"Count([{', '.join(row)}]) >= 1" for row in grid]
    facts += [f"Count([{', '.join(column)}]) <= 1" for column in zip(*grid, strict=True)]
    for row in grid:
        cnf.require(*[(name, 1) for name in row])
    for column in zip(*grid, strict=True):
        cnf.at_most(1, [(name, 1) for name in column])
    source = _source(facts, "Bool", list(itertools.chain.from_iterable(grid)))
    return Puzzle("pigeons", f"{holes}_{more}", source, cnf, more <= 0)


def quasigroup(order: int) -> Puzzle:
    """An idempotent one in which ((y x) y) y = x (QG5)."""
    cnf, places = Clauses(), list(itertools.product(range(order), repeat=2))
    for i, j in places:
        cnf.cell(f"{i},{j}", range(order))
    for i in range(order):
        cnf.require((f"{i},{i}", i))
        cnf.different([f"{i},{j}" for j in range(order)], range(order))
        cnf.different([f"{j},{i}" for j in range(order)], range(order))
    for (x, y), a, b in itertools.product(places, range(order), range(order)):
        for c in range(order):
            if c != x:
                cnf.forbid((f"{y},{x}", a), (f"{a},{y}", b), (f"{b},{y}", c))
    enum = {"name": "E", "type": "EnumSort", "values": [f"e{n}" for n in range(order)]}
    facts = [
        "ForAll([x: E], op(x, x) == x)",
        "ForAll([x: E, y: E], op(op(op(y, x), y), y) == x)",
        *(f"Distinct({', '.join(f'op(e{i}, e{j})' for j in range(order))})" for i in range(order)),
        *(f"Distinct({', '.join(f'op(e{j}, e{i})' for j in range(order))})" for i in range(order)),
    ]
    function = {"name": "op", "domain": ["E", "E"], "range": "E"}
    source = _source(facts, "E", [], sorts=[enum], functions=[function])
    return Puzzle("quasigroup", str(order), source, cnf, None)


def latin(order: int, holes: int, seed: int) -> Puzzle:
    """A Latin square with holes."""
    chance, cnf = random.Random(seed), Clauses()
    names = [[f"l{r}_{c}" for c in range(order)] for r in range(order)]
    rows, columns = chance.sample(range(order), order), chance.sample(range(order), order)
    facts = []
    for name in itertools.chain.from_iterable(names):
        cnf.cell(name, range(order))
        facts.append(f"0 <= {name} < {order}")
    for group in (*names, *zip(*names, strict=True)):
        cnf.different(list(group), range(order))
        facts.append(f"Distinct({', '.join(group)})")
    given = chance.sample(list(itertools.product(range(order), repeat=2)), order * order - holes)
    for r, c in given:
        value = (rows[r] + columns[c]) % order
        facts.append(f"{names[r][c]} == {value}")
        cnf.require((names[r][c], value))
    source = _source(facts, "Int", list(itertools.chain.from_iterable(names)))
    return Puzzle("latin", f"{order}_{holes}_{seed}", source, cnf, True)


_MADE: Final[tuple[Callable[[], Puzzle], ...]] = (
    *(lambda n=n: no_three(n, 2 * n) for n in range(4, 11)),
    *(lambda n=n: no_three(n, 2 * n + 1) for n in range(4, 7)),
    *(lambda n=n, s=s: colouring(n, 3, s, 4.6) for n in (30, 60, 90) for s in (1, 2)),
    *(lambda n=n, k=k: mycielski(n, k) for n, k in ((2, 3), (2, 4), (3, 4), (3, 5))),
    *(lambda n=n, k=k: labelling(n, k) for n, k in ((8, 7), (8, 8), (12, 11), (12, 12), (16, 15), (20, 20))),
    *(lambda n=n: queens(n) for n in (3, 6, 8, 12, 16, 20)),
    *(lambda n=n: magic(n) for n in (3, 4)),
    *(lambda g=g, s=s, w=w: sudoku(3, g, s, w) for g, s, w in ((26, 1, False), (26, 2, True), (40, 3, True))),
    *(lambda g=g, s=s, w=w: sudoku(4, g, s, w) for g, s, w in ((110, 1, False), (140, 2, True))),
    *(lambda n=n, m=m: pigeons(n, m) for n, m in ((4, 1), (6, 1), (8, 1), (10, 1), (8, 0))),
    *(lambda n=n: quasigroup(n) for n in (4, 5, 6, 7, 8)),
    *(lambda n=n, h=h: latin(n, h, 1) for n, h in ((8, 40), (12, 80), (16, 120))),
)


def puzzles() -> Iterator[Puzzle]:
    """All of them, each made when it comes."""
    for make in _MADE:
        yield make()
