"""Equations between the roots of a polynomial, complex ones unless it is said otherwise ([REL-ROOTS])."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.marks import FormulaSpan
from potlang.languages.dagmath.lower.polynomials import (
    NotRational,
    Polynomial,
    difference_of,
    plus,
    quotient,
    scaled,
    times,
    variables,
)
from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import Op
from potlang.languages.dagmath.relations.formulas import formula_chains, formula_spans, read_side

OF_ROOTS: Final = "so it is with the roots of the polynomial"
_MOST_ROOTS: Final = 6
_LARGEST_POWER: Final = 12
_UNKNOWNS: Final = "xzyt"
_NAMES: Final = re.compile(r"\s*[a-zA-Z](?:_\{?\d\}?)?(?:\s*,\s*[a-zA-Z](?:_\{?\d\}?)?)*\s*,?\s*")
_NAME: Final = re.compile(r"([a-zA-Z])(?:_\{?(\d)\}?)?")
_JOINED: Final = re.compile(r"[\s,]*(?:and\s*)?")
_ARE_ROOTS: Final = re.compile(
    r"\s*(?:be|are|is|denote)\s+(?:(?:the|its|all|a|two|three|four|five|six|distinct|complex|real|not|necessarily"
    r"|positive|nonreal)\s+)*(?:roots?|zeros|zeroes|solutions)\s+(?:of|to)\s+"
    r"(?:(?:the|a|cubic|quadratic|quartic|monic|polynomial|equation|function)\s+)*",
    re.IGNORECASE,
)


class Roots(NamedTuple):
    """Names of all roots of a polynomial, or of one of them; `modules` are zero of them.

    They are the polynomial in the first root, and its divided differences: the n-th one is of the first n
    roots, and a power of the n-th root is its leading term. So any polynomial in roots has a normal form.
    """

    step: int
    names: tuple[str, ...]
    modules: tuple[Polynomial, ...]

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """The normal form: zero of what is zero of all roots. Raises NotRational."""
        degree = self.degree
        for place in reversed(range(len(self.names))):
            name, module, lead = self.names[place], self.modules[place], degree - place
            while high := [each for each in polynomial if dict(each).get(name, 0) >= lead]:
                monomial = max(high, key=lambda each: dict(each)[name])
                powers = dict(monomial)
                if powers[name] > _LARGEST_POWER:
                    raise NotRational("a power is too large")
                powers[name] -= lead
                rest = tuple(sorted((each, power) for each, power in powers.items() if power))
                polynomial = plus(polynomial, times(module, {rest: -polynomial[monomial]}))
        return polynomial

    @property
    def degree(self) -> int:
        """The degree of the polynomial."""
        return max(dict(each).get(self.names[0], 0) for each in self.modules[0])


def stated_roots(step: int, text: str, context: Context) -> Iterator[Roots]:
    """The roots that a text names: `Let r, s, t be the roots of x^3 - x = 1`. Never raises."""
    spans = formula_spans(text)
    for place in range(1, len(spans)):
        said = _ARE_ROOTS.fullmatch(text[spans[place - 1].end : spans[place].start])
        if said is None:
            continue
        names = _named(text, spans[:place])
        if len(set(names)) < len(names):
            continue
        try:
            found = _modules(names, _polynomial(spans[place], context))
        except (NotRational, RecursionError):
            continue
        if found:
            yield Roots(step, names, found)


def _named(text: str, spans: Sequence[FormulaSpan]) -> tuple[str, ...]:
    """The names at the end of some formulas, with commas between them."""
    names: list[str] = []
    for place in reversed(range(len(spans))):
        span = spans[place]
        if not _NAMES.fullmatch(span.source):
            break
        found = [f"{letter}_{{{index}}}" if index else letter for letter, index in _NAME.findall(span.source)]
        names = [*found, *names]
        if place and not _JOINED.fullmatch(text[spans[place - 1].end : span.start]):
            break
    return tuple(names)


def _polynomial(span: FormulaSpan, context: Context) -> Polynomial:
    """The polynomial that a formula is, or that it says to be zero. Raises NotRational."""
    chains = list(formula_chains(span, context))
    if not chains:
        side = read_side(span.source, context)
        found = None if side.term is None else quotient(side.term)
        if found is None or variables(found.under):
            raise NotRational("it is no polynomial")
        return found.over
    left, right = chains[0].sides[0].term, chains[0].sides[1].term
    if len(chains) > 1 or chains[0].links[0] != "=" or left is None or right is None:
        raise NotRational("it is no equation")
    if isinstance(left, Op) and left.op.startswith("call:"):
        return quotient(right).over
    return difference_of(left, right)


def _modules(names: tuple[str, ...], polynomial: Polynomial) -> tuple[Polynomial, ...]:
    """The modules of a polynomial for its roots; none where it has another number of roots."""
    unknown = next((each for each in _UNKNOWNS if each in variables(polynomial)), None)
    if unknown is None or not variables(polynomial).isdisjoint(names):
        return ()
    by_power: dict[int, Polynomial] = {}
    for monomial, coefficient in polynomial.items():
        power = dict(monomial).get(unknown, 0)
        rest = tuple(each for each in monomial if each[0] != unknown)
        by_power[power] = plus(by_power.get(power, {}), {rest: coefficient})
    degree = max(by_power)
    if by_power[degree].keys() != {()} or not (len(names) == 1 or len(names) == degree <= _MOST_ROOTS):
        return ()
    over = Fraction(1) / by_power[degree][()]
    found = []
    for last in range(len(names)):
        module: Polynomial = {}
        for power, factor in by_power.items():
            if power >= last:
                module = plus(module, times(_complete(names[: last + 1], power - last), factor))
        found.append(scaled(module, over))
    return tuple(found)


def _complete(names: Sequence[str], degree: int) -> Polynomial:
    """The sum of all monomials of a degree."""
    found: Polynomial = {}
    for chosen in combinations_with_replacement(names, degree):
        monomial = tuple(sorted((name, chosen.count(name)) for name in set(chosen)))
        found[monomial] = Fraction(1)
    return found
