"""Terms of the core: what signs and words mean, as text of the textual IR."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from .lexer import NotCovered

BASIC = ("Bool", "Int", "Real")
_MOST_DIGITS = 300
_MOST_CHOSEN = 8
"""Terms of a minimum, which are written twice for each behind them; members that quantifiers tell apart."""


class Typed(NamedTuple):
    """A term of the textual IR and its sort."""

    text: str
    sort: str


def sort_text(sort: str) -> str:
    """A sort as the IR writes it."""
    return sort if sort in BASIC else json.dumps(sort)


def numeral(text: str) -> Typed:
    """[POT-EXPR-7]"""
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > _MOST_DIGITS or len(exponent) > 4 or abs(int(exponent or "0")) > _MOST_DIGITS:
        raise NotCovered("a very long number")
    if text.isdigit():
        return Typed(str(int(text)), "Int")
    value = Fraction(mantissa) * Fraction(10) ** int(exponent or "0")
    return Typed(f"(lit Real {value.numerator}/{value.denominator})", "Real")


def truth(term: Typed) -> str:
    if term.sort != "Bool":
        raise NotCovered("a term where a formula is needed")
    return term.text


def number(term: Typed) -> str:
    if term.sort not in ("Int", "Real"):
        raise NotCovered("a term where a number is needed")
    return term.sort


def coerced(term: Typed, sort: str) -> Typed:
    """[SORT-CONV-1]"""
    if (term.sort, sort) == ("Int", "Real"):
        return Typed(f"(to_real {term.text})", "Real")
    return term


def fitting(term: Typed, sort: str) -> str:
    found = coerced(term, sort)
    if found.sort != sort:
        raise NotCovered("a term of another sort than is needed")
    return found.text


def together(terms: Sequence[Typed]) -> list[Typed]:
    """The terms in one sort."""
    sort = "Real" if any(term.sort == "Real" for term in terms) else terms[0].sort
    found = [coerced(term, sort) for term in terms]
    if any(term.sort != sort for term in found):
        raise NotCovered("terms of two sorts")
    return found


def negated(term: Typed) -> Typed:
    return Typed(f"(not {truth(term)})", "Bool")


def joined(word: str, terms: Sequence[Typed]) -> Typed:
    """[POT-EXPR-4]"""
    parts = [truth(term) for term in terms]
    if len(parts) < 2:
        return terms[0] if parts else Typed("true" if word == "and" else "false", "Bool")
    return Typed(f"({word} {' '.join(parts)})", "Bool")


def application(word: str, terms: Sequence[Typed]) -> Typed:
    """A sum or product of numbers."""
    for term in terms:
        number(term)
    if not terms:
        return Typed("0" if word == "+" else "1", "Int")
    found = together(terms)
    if len(found) == 1:
        return found[0]
    return Typed(f"({word} {' '.join(term.text for term in found)})", found[0].sort)


def comparison(sign: str, first: Typed, second: Typed) -> Typed:
    """[POT-EXPR-5], [SORT-LOGIC-2], [SORT-ARITH-6]"""
    a, b = together([first, second])
    if sign in ("==", "!="):
        if a.sort == "Bool":
            return Typed(f"({'iff' if sign == '==' else 'xor'} {a.text} {b.text})", "Bool")
        equal = Typed(f"(= {a.text} {b.text})", "Bool")
        return equal if sign == "==" else negated(equal)
    number(a)
    if sign.startswith(">"):
        a, b = b, a
    return Typed(f"({sign.replace('>', '<')} {a.text} {b.text})", "Bool")


def infix(sign: str, terms: Sequence[Typed]) -> Typed:
    """[SORT-LOGIC-1], [SORT-ARITH-1] to [SORT-ARITH-3]"""
    if sign in ("and", "or"):
        return joined(sign, terms)
    if sign in ("->", "<->"):
        word = "=>" if sign == "->" else "iff"
        return Typed(f"({word} {truth(terms[0])} {truth(terms[1])})", "Bool")
    if sign in ("+", "*"):
        return application(sign, terms)
    for term in terms:
        number(term)
    if sign == "/":
        terms = [coerced(term, "Real") for term in terms]
    a, b = together(terms)
    if sign in ("//", "%") and a.sort != "Int":
        raise NotCovered("division with remainder of reals")
    return Typed(f"({_WORDS[sign]} {a.text} {b.text})", a.sort)


def _exactly(many: int, made: Callable[[Sequence[Typed]], Typed]) -> Callable[[Sequence[Typed]], Typed]:
    def checked(terms: Sequence[Typed]) -> Typed:
        if len(terms) != many:
            raise NotCovered(f"{len(terms)} arguments")
        return made(terms)

    return checked


def _choice(terms: Sequence[Typed]) -> Typed:
    """[POT-EXPR-12]"""
    then, other = together(terms[1:])
    return Typed(f"(ite {truth(terms[0])} {then.text} {other.text})", then.sort)


def _distinct(terms: Sequence[Typed]) -> Typed:
    """[POT-EXPR-13]"""
    found = together(terms) if terms else []
    if len(found) < 2:
        return Typed("true", "Bool")
    return Typed(f"(distinct {' '.join(term.text for term in found)})", "Bool")


def _count(terms: Sequence[Typed]) -> Typed:
    """[SORT-AGG-1]"""
    return application("+", [Typed(f"(ite {truth(term)} 1 0)", "Int") for term in terms])


def _to_real(terms: Sequence[Typed]) -> Typed:
    if terms[0].sort != "Int":
        raise NotCovered("ToReal of what is no integer")
    return coerced(terms[0], "Real")


def extreme(sign: str) -> Callable[[Sequence[Typed]], Typed]:
    """`Min` or `Max` of terms, from the left: [CERT-FORMS]"""

    def made(terms: Sequence[Typed]) -> Typed:
        if not 0 < len(terms) <= _MOST_CHOSEN:
            raise NotCovered("the least of nothing, or of very many terms")
        found = together(terms)
        number(found[0])
        return reduce(chosen, found)

    def chosen(a: Typed, b: Typed) -> Typed:
        low, high = (a, b) if sign == "<=" else (b, a)
        return Typed(f"(ite (<= {low.text} {high.text}) {a.text} {b.text})", a.sort)

    return made


def counted(word: str, bound: Typed, terms: Sequence[Typed]) -> Typed:
    """How many of the formulas hold, compared with a bound: [SORT-CARD-1]"""
    if bound.sort != "Int":
        raise NotCovered("a bound that is no integer")
    many = _count(terms)
    if word == "Exactly":
        return comparison("==", many, bound)
    return comparison("<=", *((many, bound) if word == "AtMost" else (bound, many)))


class Copy(NamedTuple):
    """A formula about variables of its own."""

    variables: list[Typed]
    formula: str


def quantified(word: str, bound: str, copy: Callable[[], Copy]) -> str:
    """How many members a formula holds of, said by quantifiers: [CERT-FORMS]"""
    if not bound.isdigit() or int(bound) > _MOST_CHOSEN:
        raise NotCovered("a bound that is no small numeral")
    many = int(bound)
    if word == "AtLeast":
        return _different(many, copy)
    if word == "AtMost":
        return f"(not {_different(many + 1, copy)})"
    if many != 1:
        return f"(and {_different(many, copy)} (not {_different(many + 1, copy)}))"
    one, other = copy(), copy()
    inner = f"(forall ({_bound([other])}) (=> {other.formula} {_same(one, other)}))"
    return f"(exists ({_bound([one])}) (and {one.formula} {inner}))"


def _different(many: int, copy: Callable[[], Copy]) -> str:
    """There are so many different choices of which the formula holds."""
    copies = [copy() for _ in range(many)]
    if not copies:
        return "true"
    parts = [each.formula for each in copies]
    parts += [f"(not {_same(*pair)})" for pair in combinations(copies, 2)]
    body = parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"
    return f"(exists ({_bound(copies)}) {body})"


def _bound(copies: Sequence[Copy]) -> str:
    return " ".join(variable.text for each in copies for variable in each.variables)


def _same(one: Copy, other: Copy) -> str:
    return joined(
        "and", [comparison("==", *pair) for pair in zip(one.variables, other.variables, strict=True)]
    ).text


def _between(terms: Sequence[Typed]) -> Typed:
    """[SORT-ROUND-2]"""
    value, low, high = together(terms)
    return joined("and", [comparison("<=", low, value), comparison("<=", value, high)])


AGGREGATES = ("Sum", "Product", "Count", "Min", "Max")
COMPARISON = 6
COMPARED = ("==", "!=", "<", "<=", ">", ">=")
RUNS = ("and", "or", "+", "*")
_WORDS = MappingProxyType({"-": "-", "/": "/", "//": "div", "%": "mod"})
BUILT_IN: Mapping[str, Callable[[Sequence[Typed]], Typed]] = MappingProxyType(
    {
        "And": lambda terms: joined("and", terms),
        "Or": lambda terms: joined("or", terms),
        "Not": _exactly(1, lambda terms: negated(terms[0])),
        "Implies": _exactly(2, lambda terms: infix("->", terms)),
        "Iff": _exactly(2, lambda terms: infix("<->", terms)),
        "Xor": _exactly(2, lambda terms: Typed(f"(xor {truth(terms[0])} {truth(terms[1])})", "Bool")),
        "If": _exactly(3, _choice),
        "Distinct": _distinct,
        "AllDifferent": _distinct,
        "Abs": _exactly(1, lambda terms: Typed(f"(abs {terms[0].text})", number(terms[0]))),
        "ToReal": _exactly(1, _to_real),
        "Sum": lambda terms: application("+", terms),
        "Product": lambda terms: application("*", terms),
        "Count": _count,
        "Min": extreme("<="),
        "Max": extreme(">="),
        "Between": _exactly(3, _between),
    }
)
UNIQUE = "unique"
CARDINALITIES: Mapping[str, tuple[str, str | None]] = MappingProxyType(
    {
        "AtMost": ("AtMost", None),
        "AtLeast": ("AtLeast", None),
        "Exactly": ("Exactly", None),
        "ExactlyOne": ("Exactly", "1"),
        "AtMostOne": ("AtMost", "1"),
        "AtLeastOne": ("AtLeast", "1"),
        "NoneOf": ("Exactly", "0"),
        "ExistsUnique": (UNIQUE, None),
        "Unique": (UNIQUE, None),
    }
)
"""Words of cardinality: what they ask, and the bound that their name has."""
