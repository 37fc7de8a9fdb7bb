"""What a step may be derived from: claims of its parents, definitions, formulas ([STEP-PREMISES])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from potlang.languages.dagmath.lower.canonical import same_terms
from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.readings import Reading, Schema
from potlang.languages.dagmath.lower.solutions import Read
from potlang.languages.dagmath.lower.syntax import (
    Name,
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    conjuncts,
    free_names,
    is_op,
    parts,
    quantities,
    substituted,
)
from potlang.languages.dagmath.lower.unit_normalisation import check_comparable, has_unit


class Premise(NamedTuple):
    """A claim, and the position of the step that makes it."""

    step: int
    term: Term


class Premises:
    """The claims of the steps so far."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._stated: dict[int, tuple[Term, ...]] = {}
        self._seen: list[frozenset[Term]] = []
        self._names = frozenset[Term](Name(name) for name in read.known)
        counts = Counter(name for reading in read.readings for name in reading.names)
        introducing = [at for at, reading in enumerate(read.readings) if reading.is_introduction]
        self._introductions = [
            at for at in introducing if all(counts[name] == 1 for name in read.readings[at].names)
        ]
        self._meanings: dict[str, list[int]] = {}
        for at in introducing:
            for name in read.readings[at].names:
                self._meanings.setdefault(name, []).append(at)

    def state(self, at: int, claims: tuple[Term, ...]) -> None:
        """Note what a step claims; steps come in order."""
        self._stated[at] = claims
        self._seen.append(self._names)
        reading = self._read.readings[at]
        terms = (*claims, *reading.claims, *reading.values)
        self._names |= named_in(terms)

    def stated(self, at: int) -> tuple[Term, ...]:
        """What a step claims."""
        return self._stated.get(at, ())

    def seen(self, at: int) -> frozenset[Term]:
        """The variables and quantities that the problem and the steps before one mention."""
        return self._seen[at] if at < len(self._seen) else self._names

    def of(self, at: int, parents: Sequence[int], claim: Term) -> list[Premise]:
        """What a step's parents and the definitions say. Raises Unreadable where units differ."""
        found = [Premise(parent, term) for parent in parents for term in self.stated(parent)]
        found += self._definitions(at, parents, [claim, *(each.term for each in found)])
        terms = [claim, *(each.term for each in found)]
        instances = [
            Premise(parent, term)
            for parent in parents
            if (schema := self._read.readings[parent].schema) is not None
            for term in _instances(schema, terms)
        ]
        found += [*instances, *self._applications(terms, found)]
        self._check_meanings([Premise(at, claim), *found])
        used = [self._read.raw[each] for each in dict.fromkeys([*(stated.step for stated in found), at])]
        check_comparable(term for raw in used for term in raw)
        return found

    def _check_meanings(self, stated: Iterable[Premise]) -> None:
        """Raises Unreadable if a variable that is introduced again has two meanings in some claims."""
        meant: dict[str, int] = {}
        for each in stated:
            for name in free_names(each.term):
                places = self._meanings.get(name, ())
                meaning = sum(place <= each.step for place in places)
                if len(places) > 1 and meant.setdefault(name, meaning) != meaning:
                    raise Unreadable(f"{name} means something else than before")

    def are_comparable(self, stated: Sequence[Premise]) -> bool:
        """Whether no two claims have different units, or variables that mean something else."""
        try:
            self._check_meanings(stated)
            check_comparable(term for each in stated for term in self._read.raw[each.step])
        except Unreadable:
            return False
        return True

    def is_restated(self, claim: Term, parents: Sequence[int]) -> bool:
        """Whether a claim gives a named quantity another value.

        What a phrase names may change: apples that are eaten are still "the number of apples".
        """
        named = {side for part in conjuncts(claim) for side in _sides(part) if isinstance(side, Quantity)}
        given = {
            side
            for parent in parents
            for term in self.stated(parent)
            for part in conjuncts(term)
            for side in _sides(part)
        }
        return not named.isdisjoint(given)

    def is_measured_apart(self, at: int, parents: Sequence[int]) -> bool:
        """Whether of a step and a parent that give a number of the same, only one gives it with a unit."""
        here = self._measured(at)
        return any(
            here.get(side, is_) != is_ for each in parents for side, is_ in self._measured(each).items()
        )

    def _measured(self, at: int) -> dict[Term, bool]:
        """What a step gives numbers of, and whether they have units."""
        found = {}
        for part in (part for term in self._read.raw[at] for part in conjuncts(term)):
            if is_op(part, "=") and not named_in(part.args[1:]):
                found[part.args[0]] = has_unit(part.args[1])
        return found

    def is_worked_out(self, parents: Sequence[int]) -> bool:
        """Whether all there is to do with the only parent is to work out the expression that it gives."""
        if len(parents) != 1:
            return False
        stated = (part for term in self.stated(parents[0]) for part in conjuncts(term))
        given = [sides[1] for part in stated if (sides := _sides(part))]
        given += self._read.readings[parents[0]].values
        return bool(given) and any(_is_compound(each) for each in given)

    def is_changed(self, claim: Term, parents: Sequence[int]) -> bool:
        """Whether a claim calculates with what a quantity was: `24 + 6`, where it was given as `6 * 4`."""
        stated = (part for parent in parents for term in self.stated(parent) for part in conjuncts(term))
        old = {found for part in stated for side in _sides(part) if (found := _amount(side)) is not None}
        new = (side for part in conjuncts(claim) for side in _sides(part) if isinstance(side, Op))
        inside = (part for side in new for arg in side.args for part in parts(arg))
        return any(_amount(part) in old for part in inside)

    def is_of_kind(self, parent: int, subject: Term, kinds: frozenset[str]) -> bool:
        """Whether a parent gives what it is about as the value of one of some operations."""
        equal = [subject]
        for part in (part for term in self.stated(parent) for part in conjuncts(term)):
            sides = _sides(part)
            if any(same_terms(side, each) for side in sides for each in equal):
                equal += sides
        return any(isinstance(each, Op) and each.op in kinds for each in equal)

    def before(self, at: int) -> list[Premise]:
        """All that was claimed before a step."""
        return [Premise(step, term) for step in range(at) for term in self.stated(step)]

    def _definitions(self, at: int, parents: Sequence[int], terms: Iterable[Term]) -> list[Premise]:
        """What earlier steps say a variable stands for (`Let r be …`), of those that are mentioned."""
        mentioned = frozenset[str]().union(*map(free_names, terms))
        found = []
        for step in self._introductions:
            if step < at and step not in parents and self._read.readings[step].names & mentioned:
                found += [Premise(step, term) for term in self.stated(step)]
        return found

    def _applications(self, terms: Iterable[Term], stated: Iterable[Premise]) -> list[Premise]:
        """What the definition of a function, `f(x) = …`, says of what it is applied to elsewhere."""
        calls = {
            part for term in terms for part in parts(term) if isinstance(part, Op) and part.op[:5] == "call:"
        }
        found: dict[Premise, None] = {}
        for each in stated:
            match each.term:
                case Op("=", (Op(op, (Name() as parameter,)), body)) if op[:5] == "call:":
                    if self._defining(op) == each.step and free_names(body) == {parameter.text}:
                        found |= {
                            Premise(
                                each.step, Op("=", (call, substituted(body, {parameter: call.args[0]})))
                            ): None
                            for call in sorted(calls, key=repr)
                            if call.op == op and call.args != (parameter,) and len(call.args) == 1
                        }
        return list(found)

    def _defining(self, function: str) -> int | None:
        """The step that defines a function: the first that speaks of it, if it is given."""
        for step in sorted(self._stated):
            if any(
                isinstance(part, Op) and part.op == function
                for term in self.stated(step)
                for part in parts(term)
            ):
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
            for part in (part for term in self.stated(parents[0]) for part in conjuncts(term)):
                if is_op(part, "=") and same_terms(part.args[0], subject):
                    return part.args[1], new
        if isinstance(subject, Name | Quantity):
            return None, None
        names = free_names(claim)
        told = (term for parent in parents for term in self.stated(parent))
        if (reading.rewrites or not reading.claims) and not any(names & free_names(term) for term in told):
            return subject, new
        return None, None


def named_in(terms: Iterable[Term]) -> frozenset[Term]:
    """The variables and quantities in terms."""
    found: set[Term] = set()
    for term in terms:
        found |= {Name(name) for name in free_names(term)} | quantities(term)
    return frozenset(found)


def subjects(stated: tuple[Term, ...], reading: Reading) -> list[Term]:
    """What a step is about: the left side of what it claims; the value that it gives of nothing named."""
    if not stated:
        return list(reading.values) if len(reading.values) == 1 and not reading.claims else []
    term = stated[0]
    while is_op(term, "and", "or"):
        if term.op == "or" and not all(_left(each) == _left(term.args[0]) for each in term.args):
            return []
        term = term.args[0]
    left = _left(term)
    return [] if left is None else [left]


def _sides(term: Term) -> tuple[Term, ...]:
    return term.args if is_op(term, "=") else ()


def _amount(term: Term) -> Fraction | None:
    """The value of a term without variables."""
    try:
        return value(term)
    except NotExact:
        return None


def _is_compound(term: Term) -> bool:
    return isinstance(term, Op) and not (term.op == "neg" and isinstance(term.args[0], Num | Name))


def _left(term: Term) -> Term | None:
    """What an equation is about: its left side, or of `4 = x` the variable."""
    if not is_op(term, "="):
        return None
    left, right = term.args
    return right if isinstance(right, Name | Quantity) and not named_in([left]) else left


def _instances(schema: Schema, terms: Iterable[Term]) -> list[Term]:
    """A formula for any object, of the objects of which its attributes are spoken."""
    attributes = dict(schema.letters)
    objects: dict[tuple[str, ...], None] = {}
    for term in terms:
        for quantity in sorted(quantities(term), key=lambda each: each.words):
            for attribute in attributes.values():
                if attribute in quantity.words:
                    objects[tuple(word for word in quantity.words if word != attribute)] = None
    found = []
    for object_ in objects:
        values: dict[Term, Term] = {
            Name(letter): Quantity(tuple(sorted({*object_, attribute})))
            for letter, attribute in attributes.items()
        }
        found.append(substituted(schema.formula, values))
    return found
