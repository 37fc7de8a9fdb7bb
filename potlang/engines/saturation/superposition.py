"""What follows from two clauses by one step of resolution or paramodulation.

J. A. Robinson, "A machine-oriented logic based on the resolution principle" (1965); L. Wos, G. A. Robinson,
"Paramodulation and set of support" (1968). A prover names the clauses that it superposes, and shows what is
left after many rewritings; what came in between is found here again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from potlang.engines.saturation.tptp import EQUAL, Clause, Literal, Signature, TermBank

MOST_DERIVED: Final = 150
"""More clauses than this are not made of two."""


class Derived(NamedTuple):
    """A clause that follows from an instance of each of two, given by the values of their variables."""

    clause: Clause
    first: tuple[int, ...]
    second: tuple[int, ...]


class Superposition:
    """Makes the clauses; terms go to `bank`, and sorts are those of `signature`."""

    def __init__(self, signature: Signature, bank: TermBank) -> None:
        self._symbols = signature.symbols
        self._bank = bank

    def all_of(self, first: Clause, second: Clause) -> list[Derived]:
        """The clauses that follow by one step from either into the other."""
        bank = self._bank
        apart = {variable: bank.term(f"Y_{bank.heads[variable]}") for variable, _ in second.variables}
        other = _replaced(second, apart, bank)
        sorts = dict((*first.variables, *other.variables))
        found: dict[Clause, Derived] = {}
        for one, another in ((first, other), (other, first)):
            for literals, images in self._steps(one, another, sorts):
                clause = self._clause(literals, images, sorts)
                values = [
                    tuple(self._resolved(variable, images) for variable, _ in each.variables)
                    for each in (first, other)
                ]
                found.setdefault(clause, Derived(clause, *values))
                if len(found) >= MOST_DERIVED:
                    return list(found.values())
        return list(found.values())

    def _steps(
        self, one: Clause, into: Clause, sorts: Mapping[int, str]
    ) -> Iterator[tuple[list[Literal], dict[int, int]]]:
        """The literals left by each step from `one`, and what their variables are."""
        for literal in one.literals:
            rest = [each for each in one.literals if each is not literal]
            if literal.head != EQUAL:
                for target in into.literals:
                    if target.head == literal.head and target.positive is not literal.positive:
                        images = self._unified(zip(literal.args, target.args, strict=True), sorts)
                        if images is not None:
                            yield [*rest, *(each for each in into.literals if each is not target)], images
            elif literal.positive:
                for left, right in (literal.args, literal.args[::-1]):
                    yield from self._rewritten(left, right, rest, into, sorts)

    def _rewritten(
        self, left: int, right: int, rest: list[Literal], into: Clause, sorts: Mapping[int, str]
    ) -> Iterator[tuple[list[Literal], dict[int, int]]]:
        """`right` in place of what `left` unifies with, everywhere in one literal."""
        for target in into.literals:
            for part in self._bank.below(target.args):
                # Into variables nothing is put that an instance would not have already.
                images = None if self._bank.is_variable(part) else self._unified([(left, part)], sorts)
                if images is not None:
                    args = self._exchanged(target.args, part, right)
                    others = [each for each in into.literals if each is not target]
                    yield [*rest, *others, target._replace(args=args)], images

    def _exchanged(self, roots: tuple[int, ...], part: int, by: int) -> tuple[int, ...]:
        bank = self._bank
        done: dict[int, int] = {}
        for number in bank.below(roots):
            args = tuple([done[arg] for arg in bank.args[number]])
            done[number] = by if number == part else bank.term(bank.heads[number], args) if args else number
        return tuple([done[root] for root in roots])

    def _sort(self, term: int, sorts: Mapping[int, str]) -> str | None:
        if self._bank.is_variable(term):
            return sorts[term]
        return self._symbols[self._bank.heads[term]][1]

    def _unified(
        self, pairs: Iterator[tuple[int, int]] | list[tuple[int, int]], sorts: Mapping[int, str]
    ) -> dict[int, int] | None:
        """What variables are under a most general unifier: triangular, to be resolved."""
        bank = self._bank
        images: dict[int, int] = {}
        stack = list(pairs)
        while stack:
            left, right = (_walked(each, images) for each in stack.pop())
            if left == right:
                continue
            if bank.is_variable(right):
                left, right = right, left
            if bank.is_variable(left):
                if self._sort(right, sorts) != sorts[left] or self._occurs(left, right, images):
                    return None
                images[left] = right
            elif bank.heads[left] != bank.heads[right]:
                return None
            else:
                stack.extend(zip(bank.args[left], bank.args[right], strict=True))
        return images

    def _occurs(self, variable: int, term: int, images: Mapping[int, int]) -> bool:
        seen: set[int] = set()
        stack = [term]
        while stack:
            top = _walked(stack.pop(), images)
            if top == variable:
                return True
            if top not in seen:
                seen.add(top)
                stack.extend(self._bank.args[top])
        return False

    def _resolved(self, term: int, images: Mapping[int, int]) -> int:
        """A term under a unifier."""
        bank = self._bank
        done: dict[int, int] = {}
        stack = [term]
        while stack:
            top = stack[-1]
            there = _walked(top, images)
            missing = [each for each in bank.args[there] if each not in done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            args = tuple([done[each] for each in bank.args[there]])
            done[top] = bank.term(bank.heads[there], args) if args else there
        return done[term]

    def _clause(self, literals: list[Literal], images: Mapping[int, int], sorts: Mapping[int, str]) -> Clause:
        made = dict.fromkeys(
            literal._replace(args=tuple([self._resolved(arg, images) for arg in literal.args]))
            for literal in literals
        )
        used = self._bank.below(arg for literal in made for arg in literal.args)
        variables = tuple((number, sorts[number]) for number in used if self._bank.is_variable(number))
        return Clause(variables, tuple(made))


def _walked(term: int, images: Mapping[int, int]) -> int:
    while term in images:
        term = images[term]
    return term


def _replaced(clause: Clause, images: Mapping[int, int], bank: TermBank) -> Clause:
    """A clause with other variables."""
    return Clause(
        tuple((images[variable], sort) for variable, sort in clause.variables),
        tuple(literal._replace(args=bank.substitute(literal.args, images)) for literal in clause.literals),
    )
