"""Relations and expressions that are the same, however they are written ([STEP-FORMAL-SAYS]).

Expressions with variables are compared as polynomials, calculations as such: `3 + 4` is not `7`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.canonical import same_terms
from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.phrases import stem
from potlang.languages.dagmath.lower.polynomials import (
    NotRational,
    Polynomial,
    difference_of,
    quotient,
    variables,
)
from potlang.languages.dagmath.lower.syntax import (
    RELATIONS,
    Num,
    Op,
    Quantity,
    Term,
    Variable,
    free_names,
    is_closed,
    is_op,
    is_statement,
    parts,
    rebuilt,
    shown,
    text,
    words,
)
from potlang.languages.dagmath.relations.model import Chain, Side
from potlang.languages.dagmath.relations.truth import RelationTruth, truth_of

FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
"""A relation with its sides exchanged."""
NEGATED: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
"""The relation that holds where one does not."""


class FormalRelation(NamedTuple):
    """A relation in the formula, not negated; `after`: it is on the right of an implication."""

    op: str
    left: Term
    right: Term
    after: bool = False

    def __str__(self) -> str:
        return shown(Op(self.op, (self.left, self.right)))


def atoms_of(term: Term, holds: bool = True, after: bool = False) -> Iterator[FormalRelation]:
    """The relations of a formula; of negated ones those that hold instead."""
    match term:
        case Op("not", (inner,)):
            yield from atoms_of(inner, not holds, after)
        case Op("=>", (first, second)):
            yield from atoms_of(first, holds, after)
            yield from atoms_of(second, holds, True)
        case Op(op, (left, right)) if op in FLIPPED:
            yield FormalRelation(op if holds else NEGATED[op], left, right, after)
        case Op(op, args) if op not in RELATIONS:
            for arg in args:
                if is_statement(arg):
                    yield from atoms_of(arg, holds, after)


def as_chain(atom: FormalRelation, end: int) -> Chain:
    sides = tuple(Side(text(each), each) for each in (atom.left, atom.right))
    return Chain(sides, (atom.op,), 0, end)  # type: ignore[arg-type]


def signed_chains(chain: Chain) -> list[Chain]:
    """A chain; of one with ± both that it stands for."""
    if not any(side.term is not None and _has_signs(side.term) for side in chain.sides):
        return [chain]
    return [
        chain._replace(sides=tuple(_signed(side, sign, other) for side in chain.sides))
        for sign, other in (("pm", "mp"), ("mp", "pm"))
    ]


def _has_signs(term: Term) -> bool:
    return any(is_op(part, "pm", "mp") for part in parts(term))


def _signed(side: Side, plus: str, minus: str) -> Side:
    def change(term: Term) -> Term:
        match term:
            case Op(op, (inner,)) if op in (plus, minus):
                return inner if op == plus else Op("neg", (inner,))
            case Op(op, (left, right)) if op in (plus, minus):
                return Op("+", (left, right if op == plus else Op("neg", (right,))))
        return term

    return side if side.term is None else side._replace(term=rebuilt(side.term, change))


def composed(links: Sequence[str]) -> str | None:
    """The relation between the ends of a chain; None where there is none."""
    kinds = set(links) - {"="}
    if not kinds:
        return "="
    if len(links) == 1 or len(kinds) == 1:
        (op,) = kinds if len(kinds) == 1 else (links[0],)
        return op if op != "!=" or links.count("!=") == 1 else None
    for strict, weak in (("<", "<="), (">", ">=")):
        if kinds == {strict, weak}:
            return strict
    return None


def is_worked_out(left: Side, link: str, right: Side, modulus: Side | None) -> bool:
    """Whether a relation is between numbers, and true."""
    is_number = all(side.term is not None and is_closed(side.term) for side in (left, right))
    truth = truth_of(left, link, right, modulus) if is_number else None  # type: ignore[arg-type]
    return truth in (RelationTruth.TRUE, RelationTruth.ROUNDED)


def is_congruence(atom: FormalRelation, left: Side, right: Side, modulus: Side) -> bool:
    def remainder(term: Term, of: Side) -> bool:
        if of.term is None or modulus.term is None:
            return False
        match term:
            case Op("mod", (inner, by)):
                return is_same_side(inner, of.term) and is_same_side(by, modulus.term)
        return is_same_side(term, of.term)

    has = any(is_op(each, "mod") for each in (atom.left, atom.right))
    straight = remainder(atom.left, left) and remainder(atom.right, right)
    return has and (straight or (remainder(atom.left, right) and remainder(atom.right, left)))


def is_rearranged(atom: FormalRelation, op: str, left: Side, right: Side) -> bool:
    """Whether two relations with variables are one, but for a factor: `x - 3 = 0` and `x = 3`."""
    if left.term is None or right.term is None or atom.op not in (op, FLIPPED.get(op)):
        return False
    try:
        unders = [quotient(each).under for each in (atom.left, atom.right, left.term, right.term)]
        first, second = difference_of(atom.left, atom.right), difference_of(left.term, right.term)
    except (NotRational, RecursionError):
        return False
    if any(map(variables, unders)) or not variables(first):
        return False
    factor = _factor(first, second)
    if factor is None:
        return False
    return op in ("=", "!=") or (factor > 0) == (atom.op == op)


def _factor(first: Polynomial, second: Polynomial) -> Fraction | None:
    """The number by which the second is multiplied in the first; None where there is none."""
    if first.keys() != second.keys():
        return None
    factors = {first[each] / second[each] for each in first}
    return factors.pop() if len(factors) == 1 else None


# --- sides ---------------------------------------------------------------------------------------


def is_same_side(one: Term, other: Term) -> bool:
    """Whether two expressions are the same: with variables as polynomials, without as calculations."""
    one, other = _bare(one), _bare(other)
    if same_terms(one, other):
        return True
    try:
        if is_closed(one) and is_closed(other):
            if value(one) != value(other):
                return False
            plain = [_is_plain(each) for each in (one, other)]
            return all(plain) or (not any(plain) and _digits(one) == _digits(other))
        return free_names(one) == free_names(other) and not difference_of(one, other)
    except (NotExact, NotRational, RecursionError):
        return False


_OF_ANGLES: Final = words("sin cos tan cot sec csc")
_ANGLE: Final = re.compile(r"^angle_?(?=[A-Z])")


def _bare(term: Term) -> Term:
    """A term without units, whose degrees in functions are radians, and with one spelling of its names."""
    return rebuilt(rebuilt(term, _with_radians), _plainly)


def _with_radians(term: Term) -> Term:
    match term:
        case Op(op, (angle,)) if op in _OF_ANGLES:
            return Op(op, (rebuilt(angle, _radians),))
    return term


def _radians(term: Term) -> Term:
    match term:
        case Op("unit:degree", (inner,)):
            return Op("/", (Op("*", (inner, Variable("pi"))), Num(Fraction(180))))
    return term


def _plainly(term: Term) -> Term:
    match term:
        case Op(op, (inner,)) if op.startswith("unit:"):
            return inner
        case Quantity(said):
            return Variable("_".join(said))
        case Variable(name) if name.islower() and len(name) > 2:
            return Variable("_".join(sorted(map(stem, name.split("_")))))
        case Variable(name):
            return Variable(_ANGLE.sub("", name))
    return term


def _is_plain(term: Term) -> bool:
    """Whether it is a number, a fraction of two or a percentage, and no calculation."""
    match term:
        case Op("neg" | "%", (inner,)):
            return _is_plain(inner)
        case Op("/", (Num(), Num())):
            return True
    return isinstance(term, Num)


def _digits(term: Term) -> frozenset[Fraction]:
    """The numbers of a calculation without powers of ten: 20 %, 0.2 and 20/100 are written alike."""
    return frozenset(_without_tens(number) for number in numbers_of(term) if number) - {Fraction(1)}


def _without_tens(number: Fraction) -> Fraction:
    while number.denominator != 1 and (number * 10).denominator < number.denominator:
        number *= 10
    while number.denominator == 1 and not number.numerator % 10:
        number /= 10
    return number


def numbers_of(term: Term) -> list[Fraction]:
    return [abs(part.value) for part in parts(term) if isinstance(part, Num)]
