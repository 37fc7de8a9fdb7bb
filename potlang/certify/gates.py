"""Clauses over numbered variables, and terms as their possible values ([CERT-FINITE-TERM])."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from .propagation import Clause
from .tokens import Exhausted, Invalid, StepBudget

MOST_VALUES = 1 << 10
MOST_CLAUSES = 1 << 20
_PAIRWISE = 16
TRUE = 1
Values = Mapping[Any, int]
"""The possible values of a term with their literals, of which exactly one is true."""


class Gates:
    """`clauses` say what the variables, 1 to `variables`, mean; variable 1 is true."""

    def __init__(self, steps: StepBudget) -> None:
        self.variables = 1
        self.clauses: list[Clause] = [(TRUE,)]
        self._steps = steps
        self._unions: dict[frozenset[int], int] = {}

    def fresh(self, members: Collection[Any]) -> Values:
        """New literals for values; one for two, none for one."""
        if len(members) > MOST_VALUES:
            raise Invalid("a term has too many values")
        first = self.variables + 1
        self.variables += len(members) if len(members) > 2 else len(members) - 1 if members else 0
        literals = [TRUE] if len(members) == 1 else [first, -first] if len(members) == 2 else None
        return dict(zip(members, literals or range(first, self.variables + 1), strict=True))

    def define(self, literals: Iterable[int]) -> None:
        """One more clause."""
        self.add(self.clauses, literals)

    def add(self, clauses: list[Clause], literals: Iterable[int]) -> None:
        """One clause without what is false in it, unless it is always true."""
        kept = dict.fromkeys(literals)
        kept.pop(-TRUE, None)
        self._steps.spend(1 + len(kept))
        if TRUE in kept or len({*map(abs, kept)}) < len(kept):
            return
        clauses.append(tuple(kept))
        if len(clauses) > MOST_CLAUSES:
            raise Exhausted("there are too many clauses")

    def at_most_one(self, literals: Sequence[int], add: Callable[[Iterable[int]], None]) -> None:
        """Adds the clauses that no two of these are true."""
        if len(literals) <= _PAIRWISE:
            for pair in itertools.combinations([-each for each in literals], 2):
                add(pair)
            return
        # Each says its own number in binary digits, and there is only one number.
        width = (len(literals) - 1).bit_length()
        digits = range(self.variables + 1, self.variables + 1 + width)
        self.variables += width
        for number, literal in enumerate(literals):
            for place, digit in enumerate(digits):
                add((-literal, digit if number >> place & 1 else -digit))

    def any_of(self, literals: Iterable[int]) -> int:
        """The literal that is true if one of these is."""
        found = frozenset(literals) - {-TRUE}
        if len(found) < 2 or TRUE in found or any(-literal in found for literal in found):
            return -TRUE if not found else next(iter(found)) if len(found) == 1 else TRUE
        if found not in self._unions:
            self.variables += 1
            self._unions[found] = new = self.variables
            for literal in sorted(found):
                self.define((new, -literal))
            self.define((-new, *sorted(found)))
        return self._unions[found]

    def image(self, values: Values, function: Callable[[Any], object]) -> Values:
        """The values of a function of one term."""
        groups: dict[object, list[int]] = {}
        for value, literal in values.items():
            groups.setdefault(function(value), []).append(literal)
        if len(groups) == 1:
            return dict.fromkeys(groups, TRUE)
        if len(groups) == 2:
            first, second = groups
            literal = self.any_of(groups[first])
            return {first: literal, second: -literal}
        return {value: self.any_of(literals) for value, literals in groups.items()}

    def chosen(self, index: Values, branches: Mapping[Any, Values]) -> Values:
        """The values of the branch that the value of `index` chooses."""
        open_ = [branches[key] for key in index]
        if len(open_) == 1:
            return open_[0]
        if all(len(branch) == 1 for branch in open_):
            return self.image(index, lambda key: next(iter(branches[key])))
        found = self.fresh(dict.fromkeys(itertools.chain.from_iterable(open_)))
        if len(found) > 2:
            self.define(found.values())
        # Of two values the second is the negation of the first, and so are its clauses.
        told = itertools.islice(found.items(), 1 if len(found) == 2 else None)
        for (value, literal), (key, chosen) in itertools.product(told, index.items()):
            inner = branches[key].get(value, -TRUE)
            self.define((-chosen, -inner, literal))
            self.define((-chosen, inner, -literal))
        return found


def taken(terms: Sequence[Values]) -> list[Clause]:
    """Clauses that follow if all terms differ: each value is taken if there are as many, else none fits."""
    having: dict[Any, list[int]] = {}
    for each in terms:
        for value, literal in each.items():
            having.setdefault(value, []).append(literal)
    if len(having) < len(terms):
        return [()]
    return [tuple(literals) for literals in having.values()] if len(having) == len(terms) else []


def few(choices: Sequence[Collection[Any]]) -> list[tuple[Any, ...]]:
    """All tuples of values, unless they are too many."""
    if math.prod(map(len, choices)) > MOST_VALUES * 16:
        raise Invalid("there are too many arguments or members")
    return list(itertools.product(*choices))


def truth(literal: int) -> Values:
    """The values of a formula that is true if the literal is."""
    if abs(literal) == TRUE:
        return {literal == TRUE: TRUE}
    return {True: literal, False: -literal}
