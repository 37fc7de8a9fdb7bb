"""Rules over numbered relations of small integers.

Values that are not negative are constants, `~slot` stands for the variable with that number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

Row = tuple[int, ...]
FALSE = 0
"""The relation without columns that holds if a denial is violated."""
EQUAL = 1
"""Heads only: pairs of constants that a rule makes equal."""


class Atom(NamedTuple):
    """A relation by its number, and its arguments: constants, or variables as `~slot`."""

    relation: int
    args: Row


class Rule(NamedTuple):
    """`head` holds where `body` does and the pairs of `differ` are different.

    `source` is the caller's. The pairs of constants in `equal` must be equal.
    Every variable of the head and of `differ` occurs in the body.
    """

    head: Atom
    body: tuple[Atom, ...]
    differ: tuple[tuple[int, int], ...]
    source: object = None
    equal: tuple[tuple[int, int], ...] = ()


class Program(NamedTuple):
    """Rules and given rows over numbered relations; `apart` knows which constants certainly differ."""

    arities: tuple[int, ...]
    rules: tuple[Rule, ...]
    given: tuple[tuple[int, Row], ...]
    apart: Callable[[int, int], bool]


def variables(atoms: Iterable[Atom]) -> set[int]:
    """The variables of some atoms."""
    return {~value for atom in atoms for value in atom.args if value < 0}


def ground(atom: Atom, values: dict[int, int]) -> Row:
    """The row of an atom under values for its variables."""
    return tuple([values[~value] if value < 0 else value for value in atom.args])


def unify(head: Atom, row: Row) -> dict[int, int] | None:
    """The values of the head's variables that make it this row, or None."""
    values: dict[int, int] = {}
    for pattern, value in zip(head.args, row, strict=True):
        if pattern < 0:
            if values.setdefault(~pattern, value) != value:
                return None
        elif pattern != value:
            return None
    return values


def components(program: Program) -> tuple[list[int], list[list[int]]]:
    """The strongly connected components of relations, each after those that it depends on (Tarjan 1972).

    For each relation the number of its component, and the members of each component.
    """
    size = len(program.arities)
    used: list[dict[int, None]] = [{} for _ in range(size)]
    for rule in program.rules:
        used[rule.head.relation].update(dict.fromkeys(atom.relation for atom in rule.body))
    below = [list(each) for each in used]
    number, low, component = [-1] * size, [0] * size, [-1] * size
    order: list[list[int]] = []
    path: list[int] = []
    count = 0
    for root in range(size):
        if number[root] >= 0:
            continue
        work: list[tuple[int, Iterator[int]]] = [(root, iter(below[root]))]
        number[root] = low[root] = count
        count += 1
        path.append(root)
        while work:
            node, rest = work[-1]
            child = next(rest, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    members = []
                    while component[node] < 0:
                        member = path.pop()
                        component[member] = len(order)
                        members.append(member)
                    order.append(sorted(members))
            elif number[child] < 0:
                number[child] = low[child] = count
                count += 1
                path.append(child)
                work.append((child, iter(below[child])))
            elif component[child] < 0:
                low[node] = min(low[node], number[child])
    return component, order
