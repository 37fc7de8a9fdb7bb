"""Comparisons of numbers: sums of them that are false (J. Farkas, 1902), and what operators say by them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .operators import cost
from .sorts import BOOL, INT, REAL
from .terms import Term, Terms, inner_first
from .tokens import Invalid, StepBudget

Polynomial = dict[tuple[int, ...], Fraction]
"""Factors by products of terms, which are given by their numbers in order; that of `()` is the constant."""


class ScaledComparison(NamedTuple):
    """`<`, its denial or `=`, times a positive factor. `=` is orderless: its sides are as written."""

    factor: int
    literal: Term
    sides: tuple[Term, ...]


def contradict(comparisons: Sequence[ScaledComparison], steps: StepBudget) -> bool:
    """Whether comparisons have a sum that no numbers satisfy. Raises `Invalid` for what is none."""
    total: Polynomial = {}
    is_strict = False
    for factor, literal, sides in comparisons:
        term, sign = literal, True
        while term.op == "not":
            term, sign = term.args[0], not sign
        is_order = term.op == "<"
        is_equality = term.op == "=" and sign and len(sides) == 2
        if not (is_order or is_equality) or term.args[0].sort not in (INT, REAL) or factor < 1:
            raise Invalid("expected comparisons of numbers with positive factors")
        # Each says that left - right is at most 0: below 0, or of integers at most -1.
        left, right = (term.args if sign else term.args[::-1]) if is_order else sides
        _add(total, polynomial(left, steps), factor, steps)
        _add(total, polynomial(right, steps), -factor, steps)
        if sign and is_order and left.sort is INT:
            _add(total, {(): Fraction(1)}, factor, steps)
        is_strict |= sign and is_order and left.sort is REAL
    constant = total.pop((), Fraction(0))
    return not total and (constant > 0 or (is_strict and constant == 0))


def operator_facts(terms: Terms, term: Term) -> list[Term]:
    """The facts that define a quotient, a remainder, or a rounded or absolute number. Raises `Invalid`."""
    match term.op, term.args:
        case "div" | "mod", (whole, divisor) if divisor.op == "lit" and divisor.value:
            quotient = terms.apply("div", (whole, divisor))
            rest = terms.apply("-", (whole, terms.apply("*", (divisor, quotient))))
            bound = terms.literal(abs(divisor.value), INT)  # type: ignore[arg-type]
            facts = _within(terms, rest, terms.literal(0, INT), bound)
            return facts if term.op == "div" else [*facts, terms.apply("=", (term, rest))]
        case "to_int", (number,):
            rest = terms.apply("-", (number, terms.apply("to_real", (term,))))
            return _within(terms, rest, *(terms.literal(Fraction(each), REAL) for each in (0, 1)))
        case "abs", (number,):
            zero = terms.literal(0 if number.sort is INT else Fraction(0), number.sort)
            negative, opposite = terms.apply("<", (number, zero)), terms.apply("neg", (number,))
            same, turned = (terms.apply("=", (term, each)) for each in (number, opposite))
            return [
                terms.make("or", each, BOOL) for each in ((negative, same), (terms.negated(negative), turned))
            ]
    raise Invalid("the operator is none that arithmetic says something of")


def _within(terms: Terms, term: Term, low: Term, high: Term) -> list[Term]:
    return [terms.negated(terms.apply("<", (term, low))), terms.apply("<", (term, high))]


def polynomial(term: Term, steps: StepBudget) -> Polynomial:
    """A term of numbers as a sum of products of the terms below it that are not sums or products."""
    done: dict[Term, Polynomial] = {}
    for each in inner_first(term, _parts, done):
        parts = [done[part] for part in _parts(each)]
        steps.spend(1 + len(parts))
        done[each] = _combined(each, parts, steps)
    return done[term]


def _parts(term: Term) -> tuple[Term, ...]:
    return term.args if term.op in ("+", "-", "neg", "*", "/", "to_real") else ()


def _combined(term: Term, parts: Sequence[Polynomial], steps: StepBudget) -> Polynomial:
    found: Polynomial = {}
    match term.op:
        case "lit":
            value = term.value
            return {(): Fraction(value)} if isinstance(value, int | Fraction) and value else {}
        case "+" | "-" | "neg" | "to_real":
            for at, part in enumerate(parts):
                _add(found, part, -1 if term.op == "neg" or (at and term.op == "-") else 1, steps)
            return found
        case "*":
            found = {(): Fraction(1)}
            for part in parts:
                found = _product(found, part, steps)
            return found
        case "/" if len(parts[1]) == 1 and () in parts[1]:
            return _product(parts[0], {(): 1 / parts[1][()]}, steps)
        case _:
            return {(term.id,): Fraction(1)}


def _product(one: Polynomial, other: Polynomial, steps: StepBudget) -> Polynomial:
    found: Polynomial = {}
    for terms, factor in one.items():
        shifted = {tuple(sorted((*terms, *more))): value for more, value in other.items()}
        steps.spend(sum(map(len, shifted)))
        _add(found, shifted, factor, steps)
    return found


def _add(total: Polynomial, part: Polynomial, factor: Fraction | int, steps: StepBudget) -> None:
    """Adds a multiple of a polynomial; what becomes 0 is left out."""
    for terms, value in part.items():
        steps.spend(10 + cost([value, Fraction(factor)]))
        new = total.get(terms, 0) + factor * value
        if new:
            total[terms] = Fraction(new)
        else:
            total.pop(terms, None)
