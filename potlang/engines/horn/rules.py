"""Rules over numbered relations of small integers.

Values that are not negative are constants, `~slot` stands for the variable with that number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from potlang.engines.horn.universe import Provenance
from potlang.ir import graphs

Row = tuple[int, ...]
FALSE = 0
"""The relation without columns that holds if a denial is violated."""
EQUAL = 1
"""Heads only: pairs of constants that a rule makes equal."""


class Atom(NamedTuple):
    """A relation by its number, and its arguments: constants, or variables as `~slot`."""

    relation: int
    args: Row


class DatalogRule(NamedTuple):
    """`head` holds where `body` does, the pairs of `differ` are different and the pairs of `equal` equal.

    `source` is the formula that it comes from; None for a copy. Every variable of the head and of `differ`
    occurs in the body; relations of sorts (`Relations.domains`) there say that one is any constant of its
    sort. The pairs of `equal` are constants.
    """

    head: Atom
    body: tuple[Atom, ...]
    differ: tuple[tuple[int, int], ...]
    source: Provenance | None = None
    equal: tuple[tuple[int, int], ...] = ()


class DatalogProgram(NamedTuple):
    """Rules and given rows over numbered relations; `known_distinct` says which constants differ."""

    arities: tuple[int, ...]
    rules: tuple[DatalogRule, ...]
    given: tuple[tuple[int, Row], ...]
    known_distinct: Callable[[int, int], bool]


def variables(atoms: Iterable[Atom]) -> set[int]:
    """The variables of some atoms."""
    return {~value for atom in atoms for value in atom.args if value < 0}


def ground(args: Row, values: Mapping[int, int]) -> Row:
    """Arguments under values for the variables among them."""
    return tuple([values[~value] if value < 0 else value for value in args])


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


def by_head(rules: Iterable[DatalogRule], size: int) -> list[list[DatalogRule]]:
    """For each of `size` relations the rules that derive its rows."""
    found: list[list[DatalogRule]] = [[] for _ in range(size)]
    for rule in rules:
        found[rule.head.relation].append(rule)
    return found


def needed_for(relations: Iterable[int], by_head: Sequence[Sequence[DatalogRule]]) -> set[int]:
    """The relations that these depend on, themselves included."""
    return graphs.reachable_from(
        relations, lambda relation: (atom.relation for rule in by_head[relation] for atom in rule.body)
    )


def components(program: DatalogProgram) -> tuple[list[int], list[list[int]]]:
    """The strongly connected components of relations, each after those that it depends on.

    For each relation the number of its component, and the members of each component.
    """
    used: list[dict[int, None]] = [{} for _ in program.arities]
    for rule in program.rules:
        used[rule.head.relation].update(dict.fromkeys(atom.relation for atom in rule.body))
    return graphs.components(used)
