"""Which predicates to read by their denials, so that clauses become Horn (H. R. Lewis, JACM 25, 1978).

A clause is Horn if no two of its atoms are positive: one binary clause for each pair of atoms, over
variables that say of a predicate whether it is flipped. Two-satisfiability, by propagating one choice
after the other: a choice that propagates without conflict can stay (S. Even, A. Itai, A. Shamir 1976).
"""

from __future__ import annotations

from collections.abc import Sequence

from potlang.engines.horn.normal import NumberedClause

_MOST_ATOMS = 40


def choose(clauses: Sequence[NumberedClause]) -> frozenset[int]:
    """The relations to flip: none if all clauses are Horn as they are, or if some never would be.

    Those with the most facts are flipped last.
    """
    shapes = dict.fromkeys(filter(None, map(_shape, clauses)))
    if all(sum(positive for positive, _ in shape) < 2 for shape in shapes):
        return frozenset()
    if any(len(shape) > _MOST_ATOMS for shape in shapes):
        return frozenset()
    facts: dict[int, int] = {}
    for clause in clauses:
        if len(clause.atoms) == 1:
            ((positive, atom),) = clause.atoms
            facts[atom.relation] = facts.get(atom.relation, 0) + (1 if positive else -1)
    return _satisfy(list(shapes), facts)


_Shape = tuple[tuple[bool, int], ...]


def _shape(clause: NumberedClause) -> _Shape | None:
    """The signs and relations of a clause; None for single literals."""
    if len(clause.atoms) < 2:
        return None
    return tuple(sorted({(positive, atom.relation) for positive, atom in clause.atoms})) + _repeated(clause)


def _repeated(clause: NumberedClause) -> _Shape:
    """Signed relations that occur twice: they must not be positive."""
    seen: set[tuple[bool, int]] = set()
    twice: dict[tuple[bool, int], None] = {}
    for positive, atom in clause.atoms:
        if (positive, atom.relation) in seen:
            twice[positive, atom.relation] = None
        seen.add((positive, atom.relation))
    return tuple(sorted(twice))


def _satisfy(shapes: Sequence[_Shape], facts: dict[int, int]) -> frozenset[int]:
    """Flips under which no shape has two positive atoms; none if there are no such flips."""
    implied: dict[_Flip, list[_Flip]] = {}
    for shape in shapes:
        positive_at = [(relation, not positive) for positive, relation in shape]
        for i, a in enumerate(positive_at):
            for b in positive_at[i + 1 :]:
                implied.setdefault(a, []).append(_other(b))
                implied.setdefault(b, []).append(_other(a))
    chosen: dict[int, bool] = {}
    relations = sorted({relation for shape in shapes for _, relation in shape})
    for relation in sorted(relations, key=lambda each: -facts.get(each, 0)):
        if relation not in chosen:
            found = _propagated((relation, False), implied, chosen)
            if found is None:
                found = _propagated((relation, True), implied, chosen)
            if found is None:
                return frozenset()
            chosen |= found
    return frozenset(relation for relation, flip in chosen.items() if flip)


_Flip = tuple[int, bool]
"""Whether a relation is flipped."""


def _other(flip: _Flip) -> _Flip:
    return flip[0], not flip[1]


def _propagated(
    start: _Flip, implied: dict[_Flip, list[_Flip]], chosen: dict[int, bool]
) -> dict[int, bool] | None:
    """All that a choice implies beyond what is chosen, or None if that is contradictory."""
    found = dict([start])
    stack = [start]
    while stack:
        for relation, flip in implied.get(stack.pop(), ()):
            known = chosen.get(relation, found.get(relation))
            if known is None:
                found[relation] = flip
                stack.append((relation, flip))
            elif known is not flip:
                return None
    return found
