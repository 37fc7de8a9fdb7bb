"""Validated propositions compared modulo theory and arrows: which are redundant, which incomparable.

Models met on the way are kept with what is true in them, and rule out most questions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations

from potlang.ir.graphs import UnionFind
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.languages.dot.lower.extract import Extraction
from potlang.languages.dot.solve.prover import Assuming

MOST_COMPARED = 200
"""Validated propositions up to which the questions about each and all others are asked."""


class Comparison:
    """Compares formulas under the assumptions of one base."""

    def __init__(self, base: Assuming, pool: Pool, formulas: Iterable[Node]) -> None:
        self._base = base
        self._pool = pool
        self._formulas = list(dict.fromkeys(formulas))
        self._models: list[dict[int, bool]] = []
        self.complete = True
        """Whether every question so far was answered."""

    def _satisfiable(self, true: Sequence[Node], false: Node) -> bool | None:
        """Whether there is a model in which some formulas are true and one is not."""
        if self._has_model(true, false):
            return True
        formula = self._pool.conj((*true, self._pool.negate(false)))
        answer = self._base.probe(formula, self._formulas)
        if answer.status == "unknown":
            self.complete = False
            return None
        if answer.status == "unsat":
            return False
        self._models.append({**answer.truths, **{each.id: True for each in true}, false.id: False})
        return True

    def _has_model(self, true: Sequence[Node], false: Node) -> bool:
        """Whether a model met so far is one in which some formulas are true and one is not."""
        return any(
            truths.get(false.id) is False and all(truths.get(each.id) for each in true)
            for truths in self._models
        )

    def follows(self, formula: Node, others: Sequence[Node]) -> bool | None:
        """Whether the others entail a formula; None if that was not settled."""
        if formula in others:
            return True
        found = self._satisfiable(list(dict.fromkeys(others)), formula)
        return None if found is None else not found

    def entails(self, lower: Node, upper: Node) -> bool | None:
        """Whether one formula entails another; None if that was not settled."""
        return self.follows(upper, (lower,))

    def irredundant(self, named: Sequence[tuple[int, Node]], known: Iterable[int] = ()) -> list[int]:
        """The nodes that are left when those that the rest entails are dropped, later ones first.

        `known` are nodes whose propositions follow from the assumptions alone.
        """
        dropped = set(known)
        return _needed([pair for pair in named if pair[0] not in dropped], self.follows)

    def incomparable(self, named: Sequence[tuple[int, Node]]) -> list[tuple[int, int]]:
        """The pairs of nodes of which neither entails the other (theorem 4.22); settled ones alone."""
        above = self._order(dict.fromkeys(formula for _, formula in named))
        pairs = (
            ((one, left), (other, right))
            for (one, left), (other, right) in combinations(named, 2)
            if right.id not in above[left.id] and left.id not in above[right.id]
        )
        return [(one, other) for (one, left), (other, right) in pairs if self._apart(left, right)]

    def _apart(self, left: Node, right: Node) -> bool:
        """Whether models tell two formulas apart in both directions; so if every question was answered."""
        return self.complete or (self._has_model((left,), right) and self._has_model((right,), left))

    def _order(self, formulas: Iterable[Node]) -> dict[int, set[int]]:
        """For each formula those that it entails, by ids.

        Formulas are kept in chains in which each entails the next. Where a new one belongs in a chain is
        found by bisection, so that an order of few chains takes few questions.
        """
        chains: list[list[Node]] = []
        above: dict[int, set[int]] = {}
        for formula in formulas:
            above[formula.id] = {formula.id}
            home: tuple[list[Node], int] | None = None
            for chain in chains:
                # The new formula entails the members from `up` on, and those before `down` entail it.
                up = bisect_left(chain, True, key=partial(self._yes, formula))
                down = bisect_left(chain, True, key=partial(self._fails, formula))
                above[formula.id].update(each.id for each in chain[up:])
                for each in chain[:down]:
                    above[each.id].add(formula.id)
                if down >= up and home is None:
                    home = chain, down
            if home is None:
                chains.append([formula])
            else:
                home[0].insert(home[1], formula)
        return above

    def _yes(self, lower: Node, upper: Node) -> bool:
        """Whether one entails the other; what is not settled is noted, and taken as not."""
        return self.entails(lower, upper) is True

    def _fails(self, upper: Node, lower: Node) -> bool:
        """Whether one does not entail the other."""
        return not self._yes(lower, upper)

    def needed(self, claim: Node, used: Sequence[Node], more: Sequence[tuple[int, Node]]) -> list[int] | None:
        """Which of `more` a claim needs beside `used`, dropped one by one, later ones first.

        None if the first question was not settled, or the claim does not follow from all of them.
        """
        alone = self.follows(claim, used)
        if alone is not False:
            return None if alone is None else []
        return _needed(more, lambda _, rest: self.follows(claim, [*used, *rest]))


def _needed(
    named: Sequence[tuple[int, Node]], follows: Callable[[Node, Sequence[Node]], bool | None]
) -> list[int]:
    """The nodes that are left when one after the other is dropped, later ones first.

    Dropped is one for whose formula and the rest `follows` is true.
    """
    kept = list(named)
    for pair in reversed(named):
        rest = [formula for node, formula in kept if node != pair[0]]
        if follows(pair[1], rest):
            kept.remove(pair)
    return [node for node, _ in kept]


def branches(extraction: Extraction, validated: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The validated propositions by independent branches ([DOT-SUMMARY-6])."""
    parts = UnionFind(validated)
    inside = set(validated)
    for edge in extraction.edges:
        if edge.src in inside and edge.dst in inside:
            parts.join(edge.src, edge.dst)
    for inclusion in extraction.inclusions:
        if inclusion.lower in inside and inclusion.upper in inside:
            parts.join(inclusion.lower, inclusion.upper)
    return tuple(tuple(part) for part in parts.classes())
