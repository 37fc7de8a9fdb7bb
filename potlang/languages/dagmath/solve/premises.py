"""The premises of a step: claims of its parents, definitions, formulas for any object ([STEP-PREMISES])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeGuard

from potlang.languages.dagmath.lower.canonical import same_terms
from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.readings import Reading, Schema
from potlang.languages.dagmath.lower.solutions import Read
from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    Variable,
    conjuncts,
    free_names,
    is_closed,
    is_op,
    parts,
    quantities,
    substituted,
)
from potlang.languages.dagmath.lower.unit_normalisation import check_comparable, has_unit

_MOST_PREMISES: Final = 24
"""More of them slow solvers down, and hardly any step rests on so many."""


class Premise(NamedTuple):
    """A claim, and the position of the step that makes it."""

    step: int
    term: Term


class Premises:
    """The claims of the steps so far."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._claims: dict[int, tuple[Term, ...]] = {}
        self._seen: list[frozenset[Term]] = []
        self._names = frozenset[Term](Variable(name) for name in read.known)
        counts = Counter(name for reading in read.readings for name in reading.names)
        introducing = [at for at, reading in enumerate(read.readings) if reading.is_introduction]
        self._introductions = [
            at for at in introducing if all(counts[name] == 1 for name in read.readings[at].names)
        ]
        introduced: dict[str, list[int]] = {}
        for at in introducing:
            for name in read.readings[at].names:
                introduced.setdefault(name, []).append(at)
        self._meanings = {name: places for name, places in introduced.items() if len(places) > 1}

    def record(self, at: int, claims: tuple[Term, ...]) -> None:
        """Note what a step claims; steps come in order."""
        self._claims[at] = claims
        self._seen.append(self._names)
        reading = self._read.readings[at]
        self._names |= named_in((*claims, *reading.claims, *reading.values))

    def claims(self, at: int) -> tuple[Term, ...]:
        """The claims of one step."""
        return self._claims.get(at, ())

    def parts(self, steps: Iterable[int]) -> list[Term]:
        """The relations of which the claims of some steps are conjunctions."""
        return [part for step in steps for term in self.claims(step) for part in conjuncts(term)]

    def _sides(self, steps: Iterable[int]) -> list[Term]:
        """The sides of the equations that some steps claim."""
        return [side for part in self.parts(steps) for side in _sides(part)]

    def calculated(self, steps: Iterable[int], subjects: Collection[Term]) -> set[Term]:
        """The subjects that are mere calculations, and equal to another one: `the length is 2 + 3 = 5`."""
        both = (_sides(part) for part in self.parts(steps))
        pairs = (pair for sides in both if sides for pair in (sides, sides[::-1]))
        named = {side for side, other in pairs if other in subjects and not is_closed(other)}
        return {each for each in subjects if is_closed(each) and each in named}

    def seen(self, at: int) -> frozenset[Term]:
        """The variables and quantities that the problem and the steps before one mention."""
        return self._seen[at] if at < len(self._seen) else self._names

    def of(self, at: int, parents: Sequence[int], claim: Term) -> list[Premise]:
        """The premises of a claim. Raises Unreadable where units differ, or a variable has two meanings."""
        found = [Premise(parent, term) for parent in parents for term in self.claims(parent)]
        found += self._definitions(at, parents, [claim, *(each.term for each in found)])
        terms = [claim, *(each.term for each in found)]
        schemas = [(parent, self._read.readings[parent].schema) for parent in parents]
        instances = [
            Premise(parent, term)
            for parent, schema in schemas
            if schema
            for term in _instances(schema, terms)
        ]
        found += [*instances, *self._applications(terms, found)]
        self._check_meanings([Premise(at, claim), *found])
        used = dict.fromkeys([*(premise.step for premise in found), at])
        check_comparable(term for step in used for term in self._read.raw[step])
        return found

    def before(self, at: int) -> list[Premise]:
        """All that was claimed before a step."""
        return [Premise(step, term) for step in range(at) for term in self.claims(step)]

    def _check_meanings(self, premises: Iterable[Premise]) -> None:
        """Raises Unreadable if a variable that is introduced again has two meanings in some claims."""
        if not self._meanings:
            return
        meant: dict[str, int] = {}
        for each in premises:
            for name in free_names(each.term) & self._meanings.keys():
                meaning = sum(place <= each.step for place in self._meanings[name])
                if meant.setdefault(name, meaning) != meaning:
                    raise Unreadable(f"{name} means something else than before")

    def are_comparable(self, premises: Sequence[Premise]) -> bool:
        """Whether no two claims have different units, or variables that mean something else."""
        try:
            self._check_meanings(premises)
            check_comparable(term for each in premises for term in self._read.raw[each.step])
        except Unreadable:
            return False
        return True

    # --- whether a claim is about what its premises are about ---

    def is_restated(self, claim: Term, parents: Sequence[int]) -> bool:
        """Whether a claim gives a named quantity another value.

        What a phrase names may change: apples that are eaten are still "the number of apples".
        """
        named = {side for part in conjuncts(claim) for side in _sides(part) if isinstance(side, Quantity)}
        return not named.isdisjoint(self._sides(parents))

    def is_measured_apart(self, at: int, parents: Sequence[int]) -> bool:
        """Whether of a step and a parent that give a number of the same, only one gives it with a unit."""
        here = self._measured(at)
        there = (item for parent in parents for item in self._measured(parent).items())
        return any(here.get(side, measured) != measured for side, measured in there)

    def _measured(self, at: int) -> dict[Term, bool]:
        """The terms that a step gives as numbers, and whether those have units."""
        equations = (_sides(part) for term in self._read.raw[at] for part in conjuncts(term))
        return {sides[0]: has_unit(sides[1]) for sides in equations if sides and not named_in(sides[1:])}

    def is_worked_out(self, parents: Sequence[int]) -> bool:
        """Whether all there is to do with the only parent is to work out the expression that it gives."""
        if len(parents) != 1:
            return False
        given = [sides[1] for part in self.parts(parents) if (sides := _sides(part))]
        return any(map(_is_compound, (*given, *self._read.readings[parents[0]].values)))

    def is_changed(self, claim: Term, parents: Sequence[int]) -> bool:
        """Whether a claim calculates with what a quantity was: `24 + 6`, where it was given as `6 * 4`."""
        old = {found for side in self._sides(parents) if (found := _amount(side)) is not None}
        new = (side for part in conjuncts(claim) for side in _sides(part) if isinstance(side, Op))
        return any(_amount(part) in old for side in new for arg in side.args for part in parts(arg))

    def is_of_kind(self, parent: int, subject: Term, kinds: frozenset[str]) -> bool:
        """Whether a parent gives what it is about as the value of one of some operations."""
        equal = [subject]
        for sides in map(_sides, self.parts([parent])):
            if any(same_terms(side, each) for side in sides for each in equal):
                equal += sides
        return any(is_op(each, *kinds) for each in equal)

    # --- definitions ---

    def _definitions(self, at: int, parents: Sequence[int], terms: Iterable[Term]) -> list[Premise]:
        """The introductions (`Let r be …`) of variables that are mentioned."""
        steps = [step for step in self._introductions if step < at and step not in parents]
        if not steps:
            return []
        mentioned = frozenset[str]().union(*map(free_names, terms))
        return [
            Premise(step, term)
            for step in steps
            if self._read.readings[step].names & mentioned
            for term in self.claims(step)
        ]

    def _applications(self, terms: Iterable[Term], premises: Iterable[Premise]) -> list[Premise]:
        """Instances of the definition of a function, `f(x) = …`, at its arguments elsewhere."""
        calls = {part for term in terms for part in parts(term) if _is_call(part)}
        found: dict[Premise, None] = {}
        for each in premises:
            match each.term:
                case Op("=", (Op(op, (Variable() as parameter,)) as head, body)) if _is_call(head):
                    if self._defining(op) != each.step or free_names(body) != {parameter.text}:
                        continue
                    # Sorted, as sets have no order: solvers are asked the same each time.
                    for call in sorted(calls, key=repr):
                        if call.op == op and call.args != (parameter,) and len(call.args) == 1:
                            value = substituted(body, {parameter: call.args[0]})
                            found[Premise(each.step, Op("=", (call, value)))] = None
        return list(found)

    def _defining(self, function: str) -> int | None:
        """The step that defines a function: the first that speaks of it, if it is given."""
        for step in sorted(self._claims):
            if any(is_op(part, function) for term in self.claims(step) for part in parts(term)):
                given = self._read.steps[step].parents is None or self._read.readings[step].supposes
                return step if given else None
        return None

    def rewritten(
        self, reading: Reading, claim: Term, parents: Sequence[int]
    ) -> tuple[Term | None, Term | None]:
        """The expression that a step rewrites, and as what; None where it does something else."""
        if not is_op(claim, "="):
            return None, None
        subject, new = claim.args
        if len(parents) == 1:
            for sides in map(_sides, self.parts(parents)):
                if sides and same_terms(sides[0], subject):
                    return sides[1], new
        if isinstance(subject, Variable | Quantity) or (reading.claims and not reading.rewrites):
            return None, None
        names = free_names(claim)
        told = (term for parent in parents for term in self.claims(parent))
        return (None, None) if any(names & free_names(term) for term in told) else (subject, new)


def relevant(premises: Sequence[Premise], claim: Term) -> list[Premise]:
    """The premises that speak of what a claim speaks of, directly or by others: the latest ones of many."""
    named = [named_in([each.term]) for each in premises]
    reached, chosen = set(named_in([claim])), set[int]()
    while True:
        more = {at for at, names in enumerate(named) if at not in chosen and not reached.isdisjoint(names)}
        # Those without names are arithmetic, which no claim needs unless it is false.
        if not more:
            break
        chosen |= more
        reached.update(*(named[at] for at in more))
    kept = sorted(chosen | {at for at, names in enumerate(named) if not names})[-_MOST_PREMISES:]
    return [premises[at] for at in kept]


def named_in(terms: Iterable[Term]) -> frozenset[Term]:
    """The variables and quantities in terms."""
    found: set[Term] = set()
    for term in terms:
        found |= {Variable(name) for name in free_names(term)} | quantities(term)
    return frozenset(found)


def subjects(claims: tuple[Term, ...], reading: Reading) -> list[Term]:
    """The subjects of a step: the left side of its claim, or the value that it gives of nothing named."""
    if not claims:
        return list(reading.values) if len(reading.values) == 1 and not reading.claims else []
    term = claims[0]
    while is_op(term, "and", "or"):
        if term.op == "or" and len({_left(each) for each in term.args}) > 1:
            return []
        term = term.args[0]
    left = _left(term)
    return [] if left is None else [left]


def all_subjects(claims: tuple[Term, ...]) -> list[Term]:
    """The left sides of all equations of a step: any of them may be what an answer is the value of."""
    found = (_left(part) for term in claims for part in conjuncts(term))
    return list(dict.fromkeys(each for each in found if each is not None))


def _is_call(term: Term) -> TypeGuard[Op]:
    return isinstance(term, Op) and term.op.startswith("call:")


def _sides(term: Term) -> tuple[Term, ...]:
    return term.args if is_op(term, "=") else ()


def _amount(term: Term) -> Fraction | None:
    """The value of a term without variables."""
    try:
        return value(term)
    except NotExact:
        return None


def _is_compound(term: Term) -> bool:
    return isinstance(term, Op) and not (term.op == "neg" and isinstance(term.args[0], Num | Variable))


def _left(term: Term) -> Term | None:
    """The subject of an equation: its left side, or of `4 = x` the variable."""
    sides = _sides(term)
    if not sides:
        return None
    left, right = sides
    return right if isinstance(right, Variable | Quantity) and not named_in([left]) else left


def _instances(schema: Schema, terms: Iterable[Term]) -> list[Term]:
    """A formula for any object, of the objects of which its attributes are spoken."""
    objects: dict[tuple[str, ...], None] = {}
    for term in terms:
        for quantity in sorted(quantities(term), key=lambda each: each.words):
            for _, attribute in schema.letters:
                if attribute in quantity.words:
                    objects[tuple(word for word in quantity.words if word != attribute)] = None
    found = []
    for object_ in objects:
        values: dict[Term, Term] = {
            Variable(letter): Quantity(tuple(sorted({*object_, attribute})))
            for letter, attribute in schema.letters
        }
        found.append(substituted(schema.formula, values))
    return found
