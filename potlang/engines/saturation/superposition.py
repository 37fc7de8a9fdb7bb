"""Clauses that follow from others by resolution and paramodulation, step after step.

J. A. Robinson, "A machine-oriented logic based on the resolution principle" (1965); L. Wos, G. A. Robinson,
"Paramodulation and set of support" (1968). A prover names the clauses that it has used for a step, one after
the other, and shows what is left in the end; what came in between, and by which instances, is found again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import ne
from typing import Final, NamedTuple

from potlang.engines.saturation.tptp import EQUAL, Clause, Literal, Signature, TermBank

MOST_BETWEEN: Final = 400
"""More clauses than this are not looked at between two of the clauses that are named."""
_MOST_RESOLVED: Final = 3
_MOST_LITERALS: Final = 12
_MOST_TRIES: Final = 10_000
REWRITING: Final = "rw"

Use = tuple[str, tuple[int, ...]]
"""An instance of a clause by its name: the values of its variables."""


class Between(NamedTuple):
    """A clause, and the instances over its variables that it follows from."""

    clause: Clause
    uses: tuple[Use, ...]


class Superposition:
    """Replays inferences; terms go to `bank`, and sorts are those of `signature`."""

    def __init__(self, signature: Signature, bank: TermBank) -> None:
        self._symbols = signature.symbols
        self._bank = bank

    def replay(
        self, first: str, others: Sequence[tuple[str, str]], clauses: Mapping[str, Clause], conclusion: Clause
    ) -> Iterator[tuple[Use, ...]]:
        """The instances over its variables that the conclusion may follow from, way by way.

        `others` are the rules by which clauses have been joined to the first, with their names.
        """
        # Provers print equations as they use them, from the left to the right: the other direction is in few
        # proofs, and multiplies the ways.
        for both in (False, True):
            for state in self._resolving(self._ways(first, others, clauses, both=both)):
                images = self._matched(state.clause, conclusion)
                if images is not None:
                    yield tuple((name, self._bank.substitute(values, images)) for name, values in state.uses)

    def _ways(
        self, first: str, others: Sequence[tuple[str, str]], clauses: Mapping[str, Clause], *, both: bool
    ) -> list[Between]:
        """The clauses that there may be in the end; `both`: equations rewrite in both directions."""
        states = [self._named(first, clauses[first])]
        for rule, name in others:
            rewriting = rule == REWRITING
            reverse = both or not rewriting
            after: dict[Clause, Between] = {}
            for state in states:
                for each in self._joined(state, name, clauses[name], rewriting=rewriting, reverse=reverse):
                    after.setdefault(each.clause, each)
                    if len(after) >= MOST_BETWEEN:
                        break
            # One that has nothing to rewrite in it is as good as rewritten.
            states = list(after.values()) or (states if rewriting else [])
        return states

    def _resolving(self, states: Iterable[Between]) -> Iterator[Between]:
        """The clauses, and those in which the sides of negated equations have become equal."""
        waiting = list(states)
        for _ in range(_MOST_RESOLVED):
            after: list[Between] = []
            for state in waiting:
                yield state
                sorts = dict(state.clause.variables)
                for literal in state.clause.literals:
                    if literal.head == EQUAL and not literal.positive:
                        images = self._unified([(literal.args[0], literal.args[1])], sorts)
                        if images is not None:
                            rest = [each for each in state.clause.literals if each is not literal]
                            after.append(self._under(rest, state.uses, images, sorts))
            waiting = after

    def _under(
        self,
        literals: Iterable[Literal],
        uses: Sequence[Use],
        images: Mapping[int, int],
        sorts: Mapping[int, str],
    ) -> Between:
        """Literals and instances under a unifier."""
        resolved = {variable: self._resolved(variable, images) for variable in sorts}
        there = tuple((name, self._bank.substitute(values, resolved)) for name, values in uses)
        return self._tidy(Between(self._clause(literals, images, sorts), there), sorts)

    def _named(self, name: str, clause: Clause) -> Between:
        return self._tidy(
            Between(clause, ((name, tuple([variable for variable, _ in clause.variables])),)), {}
        )

    def _joined(
        self, state: Between, name: str, clause: Clause, *, rewriting: bool, reverse: bool
    ) -> Iterator[Between]:
        """The clauses that follow in one step of the two."""
        bank = self._bank
        apart = {variable: bank.term(f"Y_{bank.heads[variable]}") for variable, _ in clause.variables}
        other = replaced(clause, apart, bank)
        sorts = dict((*state.clause.variables, *other.variables))
        uses = (*state.uses, (name, tuple([variable for variable, _ in other.variables])))
        pairs = [(other, state.clause)] if rewriting else [(other, state.clause), (state.clause, other)]
        for one, another in pairs:
            for literals, images in self._steps(one, another, sorts, reverse=reverse):
                # Rewriting takes an instance of the equation alone.
                if not rewriting or not any(variable in images for variable, _ in state.clause.variables):
                    yield self._under(literals, uses, images, sorts)

    def _tidy(self, state: Between, sorts: Mapping[int, str]) -> Between:
        """The same with other names of variables, by the order in which they occur, and no false literals."""
        bank = self._bank
        clause, uses = state
        literals = [
            each
            for each in clause.literals
            if each.head != EQUAL or each.args[0] != each.args[1] or each.positive
        ]
        used = bank.below(
            (
                *(arg for each in literals for arg in each.args),
                *(value for _, values in uses for value in values),
            )
        )
        known = {**sorts, **dict(clause.variables)}
        variables = [number for number in used if bank.is_variable(number)]
        images = {number: bank.term(f"Z{place}") for place, number in enumerate(variables)}
        made = tuple(
            dict.fromkeys(each._replace(args=bank.substitute(each.args, images)) for each in literals)
        )
        return Between(
            Clause(tuple((images[number], known[number]) for number in variables), made),
            tuple((name, bank.substitute(values, images)) for name, values in uses),
        )

    # --- one step ---

    def _steps(
        self, one: Clause, into: Clause, sorts: Mapping[int, str], *, reverse: bool
    ) -> Iterator[tuple[list[Literal], dict[int, int]]]:
        """The literals left by each step from `one`, and what their variables are.

        Equations are used from the right to the left too if `reverse`.
        """
        for literal in one.literals:
            rest = [each for each in one.literals if each is not literal]
            if literal.head != EQUAL:
                for target in into.literals:
                    if target.head == literal.head and target.positive is not literal.positive:
                        images = self._unified(list(zip(literal.args, target.args, strict=True)), sorts)
                        if images is not None:
                            yield [*rest, *(each for each in into.literals if each is not target)], images
            elif literal.positive:
                for left, right in (literal.args, literal.args[::-1])[: 1 + reverse]:
                    yield from self._rewritten(left, right, rest, into, sorts)

    def _rewritten(
        self, left: int, right: int, rest: list[Literal], into: Clause, sorts: Mapping[int, str]
    ) -> Iterator[tuple[list[Literal], dict[int, int]]]:
        """`right` in place of what `left` unifies with, everywhere in one literal."""
        bank = self._bank
        for target in into.literals:
            for part in bank.below(target.args):
                # Into variables nothing is put that an instance would not have already.
                images = None if bank.is_variable(part) else self._unified([(left, part)], sorts)
                if images is not None:
                    others = [*rest, *(each for each in into.literals if each is not target)]
                    for args in dict.fromkeys(self._exchanged(target, part, right)):
                        yield [*others, target._replace(args=args)], images

    def _exchanged(self, literal: Literal, part: int, by: int) -> Iterator[tuple[int, ...]]:
        """The arguments with another term in place of a part: of an equation on either side, and on both."""
        bank = self._bank
        done: dict[int, int] = {}
        for number in bank.below(literal.args):
            args = tuple([done[arg] for arg in bank.args[number]])
            kept = bank.term(bank.heads[number], args) if args else number
            done[number] = by if number == part else kept
        every = tuple([done[arg] for arg in literal.args])
        if literal.head == EQUAL and all(map(ne, every, literal.args)):
            yield every[0], literal.args[1]
            yield literal.args[0], every[1]
        yield every

    def _sort(self, term: int, sorts: Mapping[int, str]) -> str | None:
        if self._bank.is_variable(term):
            return sorts[term]
        return self._symbols[self._bank.heads[term]][1]

    def _unified(self, pairs: list[tuple[int, int]], sorts: Mapping[int, str]) -> dict[int, int] | None:
        """The images of variables under a most general unifier: triangular, to be resolved. The first terms'
        variables are bound before those of the second."""
        bank = self._bank
        images: dict[int, int] = {}
        stack = list(pairs)
        while stack:
            left, right = (_walked(each, images) for each in stack.pop())
            if left == right:
                continue
            if not bank.is_variable(left):
                left, right = right, left
            if bank.is_variable(left):
                if self._sort(right, sorts) != sorts[left] or self._occurs(left, right, images):
                    return None
                images[left] = right
            elif bank.heads[left] != bank.heads[right]:
                return None
            else:
                stack.extend(zip(bank.args[right], bank.args[left], strict=True))
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

    def _clause(
        self, literals: Iterable[Literal], images: Mapping[int, int], sorts: Mapping[int, str]
    ) -> Clause:
        made = dict.fromkeys(
            literal._replace(args=tuple([self._resolved(arg, images) for arg in literal.args]))
            for literal in literals
        )
        used = self._bank.below(arg for literal in made for arg in literal.args)
        variables = tuple((number, sorts[number]) for number in used if self._bank.is_variable(number))
        return Clause(variables, tuple(made))

    # --- comparing with the conclusion ---

    def _matched(self, clause: Clause, conclusion: Clause) -> dict[int, int] | None:
        """Values with which each literal of the clause is one of the conclusion's, equations either way."""
        if len(clause.literals) > _MOST_LITERALS:
            return None
        tries = 0
        sorts = dict(clause.variables), dict(conclusion.variables)
        stack: list[tuple[int, dict[int, int]]] = [(0, {})]
        while stack and tries < _MOST_TRIES:
            at, images = stack.pop()
            if at == len(clause.literals):
                return self._completed(clause, images, conclusion)
            literal = clause.literals[at]
            for other in conclusion.literals:
                if (other.head, other.positive) != (literal.head, literal.positive):
                    continue
                turns = [other.args, other.args[::-1]] if literal.head == EQUAL else [other.args]
                for args in turns:
                    tries += 1
                    found = self.match(zip(literal.args, args, strict=True), images, *sorts)
                    if found is not None:
                        stack.append((at + 1, found))
        return None

    def match(
        self,
        pairs: Iterable[tuple[int, int]],
        images: Mapping[int, int],
        own: Mapping[int, str],
        others: Mapping[int, str],
    ) -> dict[int, int] | None:
        """The images with those of further variables, under which the first terms are the second; or None.

        `own` and `others` are the sorts of the variables in the first and in the second terms.
        """
        bank = self._bank
        found = dict(images)
        stack = list(pairs)
        seen: set[tuple[int, int]] = set()
        while stack:
            pair = stack.pop()
            one, other = pair
            if bank.is_variable(one):
                # Equality has sides of any sort, so that equal heads do not mean equal sorts.
                if self._sort(other, others) != own[one] or found.setdefault(one, other) != other:
                    return None
            elif bank.heads[one] != bank.heads[other]:
                return None
            elif pair not in seen:
                # Terms are graphs: a pair is looked at once.
                seen.add(pair)
                stack.extend(zip(bank.args[one], bank.args[other], strict=True))
        return found

    def _completed(self, clause: Clause, images: dict[int, int], conclusion: Clause) -> dict[int, int]:
        """The values with any for variables that have dropped out of the clause."""
        some = {sort: variable for variable, sort in conclusion.variables}
        for variable, sort in clause.variables:
            if variable not in images:
                images[variable] = some.get(sort, self._bank.term(f"{DUMMY}{sort}"))
        return images


DUMMY: Final = "dummy "
"""Begins what some member of a sort is called."""


def _walked(term: int, images: Mapping[int, int]) -> int:
    while term in images:
        term = images[term]
    return term


def replaced(clause: Clause, images: Mapping[int, int], bank: TermBank) -> Clause:
    """A clause with other variables."""
    return Clause(
        tuple((images[variable], sort) for variable, sort in clause.variables),
        tuple(literal._replace(args=bank.substitute(literal.args, images)) for literal in clause.literals),
    )
