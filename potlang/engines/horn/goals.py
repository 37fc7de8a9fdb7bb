"""Goals: the clauses that a claim, or its denial, adds to the Horn part of a program."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from potlang.engines.horn.normal import Normalizer, NotHorn, NumberedClause, distinct_constants
from potlang.engines.horn.program import (
    HornParts,
    HornProgram,
    Remainder,
    add_rule,
    loose,
    outside,
    read_clauses,
)
from potlang.engines.horn.universe import fixed_members, is_open
from potlang.ir.clauses import pairwise
from potlang.ir.nodes import Node, Sym
from potlang.ir.pool import Pool
from potlang.ir.sorts import Sort
from potlang.ir.structure import definitions_of

MOST_CASES = 4_096
"""Cases that one side of a goal is split into."""


class HornGoal(NamedTuple):
    """One side of a claim, to be added to the assumptions.

    `chosen` are those of its constants that are some member of a sort whose members are known, with these
    members: one case for each choice.
    """

    parts: HornParts
    chosen: tuple[tuple[int, tuple[int, ...]], ...]
    doubts: tuple[str, ...]
    """Why a least model of it may be no model of what was asked."""

    def cases(self) -> Iterator[GoalCase]:
        """All cases; one, without choices, as a rule."""
        members = [[(code, member) for member in found] for code, found in self.chosen]
        for choice in itertools.product(*members):
            for literals in itertools.product(*self.parts.splits):
                yield GoalCase(dict(choice), literals)


class GoalCase(NamedTuple):
    """Choices of members for constants, and of a literal from each ground disjunction."""

    members: dict[int, int]
    literals: tuple[NumberedClause, ...]


def read_goal(horn: HornProgram, formula: Node, negated: bool, pool: Pool) -> HornGoal:
    """The goal side of a closed formula. Its constants are in the universe until they are released.

    `pool` makes the nodes needed; it may be a scratch one if no step or structure is made of them.
    """
    parts = HornParts()
    mark = horn.constants
    found = read_clauses(formula, pool, definitions_of(horn.module), None, negated=negated)
    found.enter(parts, None)
    normalizer = Normalizer(horn.universe, horn.relations, horn.pool, None, found.universals)
    for clause in found.clauses:
        for each in pairwise(terms, pool) if (terms := distinct_constants(clause)) else [clause]:
            try:
                normal = normalizer.normal(each)
                if normal is not None:
                    _add(horn, parts, normal)
            except NotHorn as problem:
                parts.remainder.append(Remainder(None, str(problem)))
    chosen = _chosen(horn, parts, mark)
    cases = 1
    for count in (*(len(m) for _, m in chosen), *map(len, parts.splits)):
        cases *= count
    if cases > MOST_CASES:
        parts.remainder.append(Remainder(None, "too many cases"))
        parts.splits.clear()
        chosen = ()
    return HornGoal(parts, chosen, _doubts(horn, parts, mark, {code for code, _ in chosen}))


def _add(horn: HornProgram, parts: HornParts, normal: NumberedClause) -> None:
    """Enter a clause; a ground one with several heads as a disjunction, whose literals are cases."""
    if any(horn.universe.known_distinct(a, b) for a, b in normal.equal):
        return
    flipped = horn.relations.flipped
    heads = [atom for positive, atom in normal.atoms if positive is not (atom.relation in flipped)]
    if len(heads) + len(normal.equations) < 2 or any(value < 0 for value in _values(normal)):
        add_rule(parts, normal, horn.relations, horn.universe)
        return
    normal = normal._replace(source=normal.source._replace(assumed=True))
    single = [normal._replace(atoms=(each,), equations=(), equal=()) for each in normal.atoms]
    single += [normal._replace(atoms=(), equations=(each,), equal=()) for each in normal.equations]
    single += [normal._replace(atoms=(), equations=(), equal=(each,)) for each in normal.equal]
    parts.splits.append(tuple(single))


def _values(normal: NumberedClause) -> list[int]:
    found = [value for _, atom in normal.atoms for value in atom.args]
    return found + [value for pair in normal.equations for value in pair]


def _chosen(horn: HornProgram, parts: HornParts, mark: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The goal's Skolem constants of sorts whose members are known."""
    universe = horn.universe
    found = []
    for code in range(mark, len(universe.nodes)):
        node = universe.nodes[code]
        if isinstance(node, Sym) and node.symbol in parts.choices:
            members = _members(horn, node.sort)
            if members:
                found.append((code, members))
    return tuple(found)


def _members(horn: HornProgram, sort: Sort) -> tuple[int, ...]:
    if is_open(sort):
        return horn.closed.get(sort, ())
    return tuple(horn.universe.code(node) for node in fixed_members(sort, horn.pool))


def _doubts(horn: HornProgram, parts: HornParts, mark: int, chosen: set[int]) -> tuple[str, ...]:
    universe = horn.universe
    fresh = [universe.nodes[code] for code in range(mark, len(universe.nodes)) if code not in chosen]
    doubts = [*parts.doubts, *outside(fresh, universe, horn.closed)]
    touched = {node.sort for node in fresh}
    differing = {**parts.differing, **{sort: None for sort in horn.parts.differing if sort in touched}}
    return tuple(dict.fromkeys([*doubts, *loose(differing, universe, chosen)]))
