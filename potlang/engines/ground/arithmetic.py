"""The comparisons of numbers in a model of ground clauses: axioms that say why they cannot hold together.

What rational numbers exclude has a sum of comparisons that is false. Where they do not, an integer between
two whole numbers is split, terms that are said to differ are compared, and of arguments that come out the
same it is asked whether they are equal (L. de Moura and N. Bjørner, "Model-based Theory Combination", 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice
from typing import Final, NamedTuple

from potlang.engines.ground.axioms import Axiom
from potlang.engines.ground.diophantine import fractional_form
from potlang.engines.ground.equality import EqualityClasses
from potlang.engines.ground.simplex import BoundConflict, Simplex, Value
from potlang.engines.ground.table import TermTable
from potlang.ir import operators as op
from potlang.ir.nodes import Symbol
from potlang.ir.operators import Operator
from potlang.ir.sorts import INT, REAL

_SUMS: Final[frozenset[object]] = frozenset({op.ADD, op.SUB, op.NEG, op.MUL, op.DIV, op.TO_REAL})
_MOST_ASKED: Final = 20
"""Integers that are split, and pairs of terms that are asked about, of one model."""
_MOST_PRODUCTS: Final = 64
"""A product that is a longer sum is a term like others."""
_MOST_EQUATIONS: Final = 100
"""Equations that are solved over the integers: a tenth of a second."""
_MOST_BITS: Final = 256
"""Integers beyond so many bits are not split."""
_Polynomial = dict[tuple[int, ...], Fraction]
"""Products of terms, each a list of them in order, with their factors; that of `()` is the constant."""


class _Reason(NamedTuple):
    """A comparison, by its literal, or two terms of one class, and the factor of the variable in it."""

    literal: int
    equal: tuple[int, int] | None
    scale: Fraction


class Arithmetic:
    """The comparisons of one model. `step` is called often, and may raise where no time is left."""

    def __init__(self, table: TermTable, classes: EqualityClasses, step: Callable[[], None]) -> None:
        self._table = table
        self._classes = classes
        self._step = step
        self._simplex = Simplex()
        self._columns: dict[tuple[int, ...], int] = {}
        self._polynomials: dict[int, _Polynomial] = {}

    def axioms(self) -> list[Axiom]:
        """Axioms that the model violates. Where there are none, questions may be new atoms of the table.

        If nothing is new, the comparisons and equalities of the model have numbers that fit.
        """
        conflict = self._conflict()
        if conflict is not None:
            return self._explained(conflict)
        differing = list(islice(self._differing(), _MOST_ASKED))
        if not differing and not self._split():
            self._ask_whether_equal()
        return differing

    # --- comparisons ---

    def _conflict(self) -> BoundConflict | None:
        table, true = self._table, self._classes.true
        for number in range(1, len(table.atoms)):
            head, args = table.atoms[number]
            if not (head is op.LT or (head is op.EQ and number in true)) or not self._are_numbers(args):
                continue
            self._step()
            form, strict = self._compared(head, args, number in true)
            literal = number if number in true else -number
            found = self._take(form, literal, None, strict=strict, is_equality=head is op.EQ)
            if found is not None:
                return found
        return self._take_classes() or self._simplex.check(self._step)

    def _are_numbers(self, args: Sequence[int]) -> bool:
        return self._table.sorts[args[0]] in (INT, REAL)

    def _compared(self, head: object, args: Sequence[int], holds: bool) -> tuple[_Polynomial, bool]:
        """The form that a comparison says to be at most 0, or, if strict, below 0."""
        left, right = args if holds else reversed(args)
        form = dict(self._polynomial(left))
        for terms, factor in self._polynomial(right).items():
            _add(form, terms, -factor)
        is_below = head is op.LT and holds
        if is_below and self._table.sorts[left] is INT:
            _add(form, (), Fraction(1))
        return form, is_below and self._table.sorts[left] is REAL

    def _take_classes(self) -> BoundConflict | None:
        """Takes what is equal in the model besides: terms of one class, as far as comparisons have them."""
        first: dict[int, int] = {}
        for terms in list(self._columns):
            if len(terms) != 1:
                continue
            (term,) = terms
            literal = self._classes.literal(term)
            other = first.setdefault(self._classes.leader(term), term) if literal is None else literal
            if other != term:
                # In the order in which the table has them.
                pair = min(term, other), max(term, other)
                form, _ = self._compared(op.EQ, pair, True)
                found = self._take(form, 0, pair, strict=False, is_equality=True)
                if found is not None:
                    return found
        return None

    def _take(
        self,
        form: _Polynomial,
        literal: int,
        equal: tuple[int, int] | None,
        *,
        strict: bool,
        is_equality: bool,
    ) -> BoundConflict | None:
        """Takes that a form is at most 0, or below 0, or 0."""
        constant = form.pop((), Fraction(0))
        if not form:
            is_false = constant != 0 if is_equality else constant > 0 or (strict and constant == 0)
            reason = _Reason(literal, equal, Fraction(1))
            return [(reason, constant >= 0, Fraction(1))] if is_false else None
        variable, scale = self._variable(form)
        value: Value = -constant / scale, Fraction(-1 if strict else 0) / scale
        reason = _Reason(literal, equal, scale)
        for upper in (True, False) if is_equality else (scale > 0,):
            found = self._simplex.bound(variable, value, reason, upper=upper)
            if found is not None:
                return found
        return None

    def _variable(self, form: _Polynomial) -> tuple[int, Fraction]:
        """The variable of a form, and the factor by which the form is a multiple of it."""
        columns = {self._column(terms): factor for terms, factor in form.items()}
        first = min(columns)
        scale = columns[first]
        if len(columns) == 1:
            return first, scale
        return self._simplex.form({each: factor / scale for each, factor in columns.items()}), scale

    def _column(self, terms: tuple[int, ...]) -> int:
        if terms not in self._columns:
            self._columns[terms] = self._simplex.variable()
        return self._columns[terms]

    def _explained(self, conflict: BoundConflict) -> list[Axiom]:
        """That a sum of the comparisons is false, and why terms of one class are equal that are in it."""
        factors: dict[int, Fraction] = {}
        why: dict[Axiom, None] = {}
        for reason, upper, factor in conflict:
            assert isinstance(reason, _Reason)
            literal = reason.literal
            if reason.equal is not None:
                literal = self._table.atom(op.EQ, reason.equal)
                why.update(dict.fromkeys(self._classes.explained(*reason.equal)))
            signed = factor / reason.scale if upper else -factor / reason.scale
            factors[literal] = factors.get(literal, Fraction(0)) + signed
        whole = math.lcm(*(factor.denominator for factor in factors.values()))
        used = {literal: int(factor * whole) for literal, factor in factors.items() if factor}
        return [*why, Axiom("linear", None, tuple(used), tuple(used.values()))]

    # --- what the model leaves open ---

    def _differing(self) -> Iterator[Axiom]:
        """Terms that are said to differ, and do not."""
        table = self._table
        for number in range(1, len(table.atoms)):
            head, args = table.atoms[number]
            if head is op.EQ and number not in self._classes.true and self._are_numbers(args):
                self._step()
                if self._value(args[0]) == self._value(args[1]):
                    yield Axiom("compare", None, args)

    def _split(self) -> bool:
        """Asks of integers that come out between two whole numbers, or of a sum, on which side they are."""
        products = {at: terms for terms, at in self._columns.items() if self._are_integers(terms)}
        between = {
            terms: value
            for column, terms in products.items()
            if (value := self._simplex.value(column))[0].denominator > 1 or value[1]
        }
        if between and (cut := self._cut(products)) is not None:
            return self._ask_below(*cut)
        single = ((*terms, _above(value)) for terms, value in between.items() if len(terms) == 1)
        asked = [self._ask_below(*each) for each in islice(single, _MOST_ASKED)]
        return any(asked)

    def _are_integers(self, terms: Sequence[int]) -> bool:
        return all(self._table.sorts[term] is INT for term in terms)

    def _cut(self, products: Mapping[int, tuple[int, ...]]) -> tuple[int, int] | None:
        """A sum of integers to which bounds give a fraction, and the whole number above that.

        So equations without whole solutions are refuted, where splits of unbounded integers do not end
        (I. Dillig, T. Dillig and A. Aiken, "Cuts from Proofs", CAV 2009).
        """
        tight = [each for each in self._simplex.tight() if products.keys() >= each[0].keys()]
        found = fractional_form(tight[:_MOST_EQUATIONS], self._step)
        if found is None or max(map(int.bit_length, found[0].values())) > _MOST_BITS:
            return None
        form, number = found
        parts = [self._multiple(factor, products[column]) for column, factor in sorted(form.items())]
        total = parts[0] if len(parts) == 1 else self._table.term(op.ADD, tuple(parts), INT)
        return total, math.ceil(number)

    def _multiple(self, factor: int, terms: tuple[int, ...]) -> int:
        """The term that is a product of others, so many times."""
        table = self._table
        args = terms if factor == 1 else (table.literal(table.pool.integer(factor)), *terms)
        return args[0] if len(args) == 1 else table.term(op.MUL, args, INT)

    def _ask_below(self, term: int, number: int) -> bool:
        """Asks whether an integer is below a number; False if that is no new question, or a large one."""
        table = self._table
        before = len(table.atoms)
        if number.bit_length() <= _MOST_BITS:
            table.atom(op.LT, (term, table.literal(table.pool.integer(number))))
        return len(table.atoms) > before

    def _ask_whether_equal(self) -> None:
        """Asks of arguments at one place, of the same value, whether they are equal."""
        table = self._table
        before = len(table.atoms)
        by_place: dict[tuple[object, int], dict[int, None]] = {}
        calls = zip(table.heads, table.args, strict=True)
        for head, args in [*calls, *table.atoms[1:]]:
            if isinstance(head, Symbol):
                for at, arg in enumerate(args):
                    if table.sorts[arg] in (INT, REAL) and self._is_compared(arg):
                        by_place.setdefault((head, at), {})[arg] = None
        for terms in by_place.values():
            for one, other in combinations(terms, 2):
                self._step()
                same = self._value(one) == self._value(other)
                if same and self._classes.leader(one) != self._classes.leader(other):
                    table.atom(op.EQ, (one, other))
                if len(table.atoms) - before >= _MOST_ASKED:
                    return

    def _is_compared(self, term: int) -> bool:
        """Whether comparisons have all that a term is made of."""
        return all(terms in self._columns for terms in self._polynomial(term) if terms)

    def _value(self, term: int) -> Value:
        number, little = Fraction(0), Fraction(0)
        for terms, factor in self._polynomial(term).items():
            value = self._simplex.value(self._column(terms)) if terms else (Fraction(1), Fraction(0))
            number, little = number + factor * value[0], little + factor * value[1]
        return number, little

    # --- sums and products ---

    def _polynomial(self, term: int) -> _Polynomial:
        """A term as a sum of products of the terms below it that are not sums or products."""
        table, done = self._table, self._polynomials
        stack = [term]
        while stack:
            top = stack[-1]
            args = table.args[top] if table.heads[top] in _SUMS else ()
            missing = [arg for arg in args if arg not in done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if top not in done:
                done[top] = self._combined(top, [done[arg] for arg in args])
        return done[term]

    def _combined(self, term: int, parts: Sequence[_Polynomial]) -> _Polynomial:
        head = self._table.heads[term]
        literal = self._table.value(term)
        found: _Polynomial = {}
        if literal is not None:
            assert isinstance(literal.value, int | Fraction)
            _add(found, (), Fraction(literal.value))
        elif head in (op.ADD, op.SUB, op.NEG, op.TO_REAL):
            assert isinstance(head, Operator)
            for at, part in enumerate(parts):
                sign = -1 if head is op.NEG or (head is op.SUB and at) else 1
                for terms, factor in part.items():
                    _add(found, terms, sign * factor)
        elif head is op.MUL and math.prod(map(len, parts)) <= _MOST_PRODUCTS:
            found = {(): Fraction(1)}
            for part in parts:
                found = _product(found, part)
        elif head is op.DIV and [*parts[1]] == [()]:
            found = _product(parts[0], {(): 1 / parts[1][()]})
        else:
            found = {(term,): Fraction(1)}
        return found


def _above(value: Value) -> int:
    """The whole number above a value that is not whole; one as little below it as one likes is below it."""
    number, little = value
    return math.ceil(number) if number.denominator > 1 or little < 0 else int(number) + 1


def _product(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    found: _Polynomial = {}
    for terms, factor in one.items():
        for more, value in other.items():
            _add(found, tuple(sorted((*terms, *more))), factor * value)
    return found


def _add(total: _Polynomial, terms: tuple[int, ...], factor: Fraction) -> None:
    new = total.get(terms, Fraction(0)) + factor
    if new:
        total[terms] = new
    else:
        total.pop(terms, None)
