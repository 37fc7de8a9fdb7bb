"""Expressions with roots, powers, logarithms and sums as quotients of polynomials ([REL-IDENTITY]).

What cannot be taken apart is an atom; an atom whose power is known (the square of a root is its radicand)
has a rule, and equal expressions differ by what the rules make zero. Nothing here is approximated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import Final

from potlang.languages.dagmath.lower.angles import ANGULAR, Angles
from potlang.languages.dagmath.lower.exact import NotExact, common_part, prime_factors, value
from potlang.languages.dagmath.lower.numeric import may_agree
from potlang.languages.dagmath.lower.polynomials import (
    ONE,
    Monomial,
    NotRational,
    Polynomial,
    Quotient,
    added,
    constant,
    content_of,
    inverse,
    multiplied,
    plus,
    raised,
    scaled,
    times,
    variables,
)
from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Quantity,
    Term,
    Variable,
    is_object,
    is_op,
    number,
    parts,
    substituted,
    text,
)

_LARGEST_POWER: Final = 64
_LARGEST_SHIFT: Final = 20
_LARGEST_MULTIPLE: Final = 24
_MOST_TERMS: Final = 60
_MOST_WORK: Final = 30_000
"""Monomials that are made for one pair of expressions."""
_DECIMAL: Final = Op("*", (number(2), number(5)))
_PI: Final = Variable("pi")
_EULER: Final = Variable("e")
_IMAGINARY: Final = "i"


def compared(left: Term, right: Term, *, is_complex: bool = False) -> bool | None:
    """True: two expressions are equal wherever both are defined; False: they are numbers, and differ.

    None where neither is shown. `is_complex`: `i` is the imaginary unit.
    """
    used = {part.op for side in (left, right) for part in parts(side) if isinstance(part, Op)}
    found: bool | None = None
    for is_decimal in (False, True) if "log" in used else (False,):
        forms = NormalForms(is_complex=is_complex, is_decimal=is_decimal)
        try:
            forms.measure(left, right)
            difference = added((forms.of(left), _times(forms.of(right), Fraction(-1))))
            if forms.is_zero(difference):
                # Logarithms and roots have branches, of which normal forms know nothing.
                return True if may_agree(left, right, is_complex=is_complex) else None
            if forms.is_number(difference) and not may_agree(left, right, is_complex=is_complex):
                found = False
        except (NotRational, RecursionError):
            continue
    return found


class NormalForms:
    """Quotients of polynomials for the expressions of one relation. `is_complex`: `i` is the imaginary unit.

    Expressions are to be measured before: multiples of one angle or exponent are made of their greatest
    common part.
    """

    def __init__(self, *, is_complex: bool = False, is_decimal: bool = False) -> None:
        """`is_decimal`: the base of `log` is ten; else it is any number."""
        self.is_complex = is_complex
        self._work = 0
        self._rules: dict[str, tuple[int, Quotient]] = {}
        self._base = self._logarithm(_DECIMAL) if is_decimal else self.atom("ln base of log")
        self._units: dict[str, Fraction] = {}
        self._powers: dict[str, Quotient] = {}
        self._logs: dict[str, Quotient] = {}
        self._is_measured = False
        self._angles = Angles(self)

    def measure(self, *terms: Term) -> None:
        """Looks for the parts that angles and exponents are multiples of. Raises NotRational."""
        self._is_measured = False
        for term in terms:
            self.of(term)
        self._is_measured = True

    def of(self, term: Term) -> Quotient:
        """The normal form of an expression. Raises NotRational for what has none, or a large one."""
        found = self._of(term)
        self._work += len(found.over) + len(found.under)
        if self._work > _MOST_WORK:
            raise NotRational("the expression is too large")
        return found

    def is_zero(self, found: Quotient) -> bool:
        """Whether a normal form is zero by the rules. Raises NotRational where it divides by zero."""
        if not self._reduced(found.under).over:
            raise NotRational("it divides by zero")
        return not self._reduced(found.over).over

    def is_number(self, found: Quotient) -> bool:
        """Whether a normal form is a number of fractions, square roots of primes, and `i`.

        These are independent of each other: it is zero only if it is so as a polynomial.
        """
        names = variables(found.over) | variables(found.under)
        return all(name == _IMAGINARY or name.startswith("root2(") for name in names)

    # --- atoms ---

    def atom(self, name: str, power: int = 0, known: Quotient | None = None) -> Quotient:
        """An expression that is not taken apart; a power of it may be known."""
        if known is not None and name not in self._rules:
            self._rules[name] = power, known
        return Quotient({((name, 1),): Fraction(1)}, ONE)

    def unit(self, name: str, times_: Fraction) -> tuple[Fraction, int]:
        """The part that multiples of something are made of, and how often it is in this one."""
        if not self._is_measured:
            before = self._units.get(name, Fraction(0))
            self._units[name] = common_part(before, times_)
            return Fraction(1), 1
        unit = self._units.get(name, Fraction(0))
        count = times_ / unit if unit else Fraction(1, 2)
        if count.denominator != 1 or abs(count) > _LARGEST_MULTIPLE:
            raise NotRational("it is no small multiple")
        return unit, count.numerator

    def canonical(self, found: Quotient) -> str:
        """A normal form as text: equal ones have the same where nothing is to be cancelled."""
        over, under = self._reduced(found.over), self._reduced(found.under)
        both = multiplied(over, inverse(under))
        leading = both.under[min(both.under)]
        return "/".join(_shown(scaled(each, 1 / leading)) for each in (both.over, both.under))

    def _reduced(self, polynomial: Polynomial) -> Quotient:
        """A polynomial in which no atom has a power that is known."""
        found = Quotient(polynomial, ONE)
        # What an atom's power is made of was there before the atom.
        for name, (degree, known) in reversed(self._rules.items()):
            found = self._replaced(found, name, degree, known)
        return found

    def _replaced(self, found: Quotient, name: str, degree: int, known: Quotient) -> Quotient:
        parts: dict[int, Polynomial] = {}
        for monomial, coefficient in found.over.items():
            power = dict(monomial).get(name, 0)
            rest = tuple(each for each in monomial if each[0] != name)
            kept = tuple(sorted((*rest, (name, power % degree)))) if power % degree else rest
            part = parts.setdefault(power // degree, {})
            part[kept] = part.get(kept, Fraction(0)) + coefficient
        if set(parts) <= {0}:
            return found
        most = max(parts)
        over: Polynomial = {}
        for count, part in parts.items():
            factor = times(_raised(known.over, count), _raised(known.under, most - count))
            over = plus(over, times({key: each for key, each in part.items() if each}, factor))
        self._work += len(over)
        return Quotient(over, times(found.under, _raised(known.under, most)))

    # --- expressions ---

    def _of(self, term: Term) -> Quotient:
        match term:
            case Num(amount):
                return _number(amount)
            case Variable(name) if name == _IMAGINARY and self.is_complex:
                return self.imaginary()
            case Variable() | Quantity():
                return self.atom(text(term))
            case Op("+", args):
                return added(map(self.of, args))
            case Op("*", args):
                return reduce(multiplied, map(self.of, args))
            case Op("neg", (inner,)):
                return _times(self.of(inner), Fraction(-1))
            case Op("%", (inner,)):
                return _times(self.of(inner), Fraction(1, 100))
            case Op("/" | "ratio", (over, under)):
                return multiplied(self.of(over), inverse(self.of(under)))
            case Op("unit:degree", (inner,)):
                return _times(multiplied(self.of(inner), self.of(_PI)), Fraction(1, 180))
            case Op("pm" | "mp" as op, args):
                sign = _times(self.atom("±", 2, _number(Fraction(1))), Fraction(1 if op == "pm" else -1))
                signed = multiplied(sign, self.of(args[-1]))
                return signed if len(args) == 1 else added((self.of(args[0]), signed))
            case Op("^", (base, exponent)):
                return self._power(base, self.of(exponent))
            case Op("exp", (exponent,)):
                return self._power(_EULER, self.of(exponent))
            case Op("sqrt", (inner,)):
                return self.root(2, self.of(inner))
            case Op("root", (Num(degree), inner)) if degree in range(2, 17):
                return self.root(int(degree), self.of(inner))
            case Op("ln", (inner,)):
                return self._logarithm(inner)
            case Op("log", (inner,)):
                return multiplied(self._logarithm(inner), inverse(self._base))
            case Op("lg", (inner,)):
                return multiplied(self._logarithm(inner), inverse(self._logarithm(_DECIMAL)))
            case Op("logbase", (base, inner)):
                return multiplied(self._logarithm(inner), inverse(self._logarithm(base)))
            case Op("!", (inner,)):
                return self._factorial(self.of(inner))
            case Op("binom", (count, chosen)):
                return self._binomial(self.of(count), self.of(chosen))
            case Op("abs", (inner,)):
                return self._absolute(self.of(inner))
            case Op("conj", (inner,)) if self.is_complex:
                return self._conjugate(self.of(inner))
            case Op("sum" | "prod", (Variable(), *_)):
                return self._repeated(term)
            case Op(op, (inner,)) if op in ANGULAR:
                return self._angles.function(op, self.of(inner))
            case Op(op, (inner,)) if op.startswith("unit:"):
                return self.of(inner)
        return self._opaque(term)

    def _opaque(self, term: Op) -> Quotient:
        if is_object(term) or is_op(term, "infty"):
            raise NotRational("it is no number")
        try:
            return _number(value(term))
        except NotExact:
            shown = ", ".join(self.canonical(self.of(each)) for each in term.args)
            return self.atom(f"{term.op}({shown})")

    def imaginary(self) -> Quotient:
        """The imaginary unit, or whatever the root of -1 is."""
        name = _IMAGINARY if self.is_complex else "root of -1"
        return self.atom(name, 2, _number(Fraction(-1)))

    # --- roots and powers ---

    def root(self, degree: int, found: Quotient) -> Quotient:
        """A root. Of a quotient it is that of both its parts, wherever these are defined."""
        over, under = self._reduced(found.over), self._reduced(found.under)
        both = multiplied(over, inverse(under))
        return multiplied(self._root(degree, both.over), inverse(self._root(degree, both.under)))

    def _root(self, degree: int, polynomial: Polynomial) -> Quotient:
        if not polynomial:
            return Quotient({}, ONE)
        content = content_of(polynomial)
        sign = 1
        if degree % 2 and polynomial[min(polynomial)] < 0:
            sign, content = -1, -content
        rest = scaled(polynomial, 1 / content)
        found = _times(self._root_of_number(degree, abs(content)), Fraction(sign))
        if rest == ONE:
            return found
        if set(rest) == {()}:
            if degree != 2:
                raise NotRational("an even root of a negative number")
            return multiplied(found, self.imaginary())
        if degree % 2 and len(rest) == 1:
            (monomial,) = rest
            for name, power in monomial:
                inner = self.atom(name)
                atom = self.atom(f"root{degree}[{name}]", degree, inner)
                found = multiplied(found, raised(atom, power))
            return found
        atom = self.atom(f"root{degree}[{_shown(rest)}]", degree, Quotient(rest, ONE))
        return multiplied(found, atom)

    def _root_of_number(self, degree: int, amount: Fraction) -> Quotient:
        found = _number(Fraction(1))
        for prime, power in prime_factors(amount).items():
            whole, rest = divmod(power, degree)
            atom = self.atom(f"root{degree}({prime})", degree, _number(Fraction(prime)))
            found = multiplied(found, _times(raised(atom, rest), Fraction(prime) ** whole))
        return found

    def _power(self, base: Term, exponent: Quotient) -> Quotient:
        known = self._known_power(self.of(base), exponent)
        if known is not None:
            return known
        exponents = _linear(exponent)
        if exponents is None:
            return self.atom(f"({self.canonical(self.of(base))})^({self.canonical(exponent)})")
        found = self._known_power(self.of(base), _number(exponents.pop((), Fraction(0))))
        assert found is not None
        if base == _EULER and self.is_complex:
            turned = {}
            for monomial in list(exponents):
                if (_IMAGINARY, 1) in monomial:
                    rest = tuple(each for each in monomial if each[0] != _IMAGINARY)
                    turned[rest] = exponents.pop(monomial)
            if turned:
                cosine, sine = self._angles.pair(Quotient(turned, ONE))
                found = multiplied(found, added((cosine, multiplied(self.imaginary(), sine))))
        for monomial, count in exponents.items():
            for name, (factor, often) in self._bases(base).items():
                found = multiplied(found, self._symbolic(name, factor, monomial, count * often))
        return found

    def _known_power(self, base: Quotient, exponent: Quotient) -> Quotient | None:
        """The power with an exponent that is a number; None with another."""
        amount = _amount(exponent)
        if amount is None:
            return None
        if max(abs(amount.numerator), amount.denominator) > _LARGEST_POWER:
            raise NotRational("a power is too large")
        return self._raised(base, amount)

    def _raised(self, base: Quotient, amount: Fraction) -> Quotient:
        rooted = base if amount.denominator == 1 else self.root(amount.denominator, base)
        return raised(rooted, amount.numerator)

    def _bases(self, base: Term) -> Mapping[str, tuple[Quotient, int]]:
        """The factors of a base, each with its power."""
        found = self.of(base)
        amount = _amount(found)
        if amount is not None:
            if not amount:
                raise NotRational("a power of zero")
            sign = {"-1": (_number(Fraction(-1)), 1)} if amount < 0 else {}
            return {**_primes(abs(amount)), **sign}
        coefficients = (*found.over.values(), *found.under.values())
        if len(coefficients) == 2 and min(coefficients) > 0:
            (over,), (under,) = found.over, found.under
            powers = [*over, *((name, -power) for name, power in under)]
            named = {name: (self.atom(name), power) for name, power in powers}
            return {**_primes(found.over[over] / found.under[under]), **named}
        return {self.canonical(found): (found, 1)}

    def _symbolic(self, name: str, factor: Quotient, monomial: Monomial, count: Fraction) -> Quotient:
        """A base to the power of a multiple of a variable: `2^{3n}` is the third power of `2^n`."""
        shown = f"({name})^({_shown({monomial: Fraction(1)})})"
        if name == "e" and (argument := self._logs.get(_only(monomial))) is not None:
            return self._raised(argument, count)
        unit, often = self.unit(shown, count)
        if name != "-1":
            atom = self.atom(f"{shown}*{unit}")
            self._powers[f"{shown}*{unit}"] = multiplied(
                self._log_of(name, factor), Quotient({monomial: unit}, ONE)
            )
            return raised(atom, often)
        if unit.denominator != 1:
            raise NotRational("a fractional power of a negative number")
        # Exponents of -1 are whole numbers.
        return (
            _number(Fraction(1))
            if unit % 2 == 0
            else raised(self.atom(shown, 2, _number(Fraction(1))), often)
        )

    # --- logarithms ---

    def _log_of(self, name: str, factor: Quotient) -> Quotient:
        if name == "e":
            return _number(Fraction(1))
        return self.atom(f"ln({name})") if _amount(factor) else self._ln(factor)

    def _logarithm(self, term: Term) -> Quotient:
        """The natural logarithm, taken apart as far as its parts are positive."""
        match term:
            case Variable("e"):
                return _number(Fraction(1))
            case Op("*", args):
                return added(map(self._logarithm, args))
            case Op("/" | "ratio", (over, under)):
                return added((self._logarithm(over), _times(self._logarithm(under), Fraction(-1))))
            case Op("^", (base, exponent)):
                return multiplied(self.of(exponent), self._logarithm(base))
            case Op("exp", (exponent,)):
                return self.of(exponent)
            case Op("sqrt", (inner,)):
                return _times(self._logarithm(inner), Fraction(1, 2))
            case Op("root", (Num(degree), inner)) if degree in range(2, 17):
                return _times(self._logarithm(inner), 1 / degree)
        found = self.of(term)
        parts = [self._log_of_polynomial(each) for each in (found.over, found.under)]
        return added((parts[0], _times(parts[1], Fraction(-1))))

    def _log_of_polynomial(self, polynomial: Polynomial) -> Quotient:
        polynomial = self._reduced(polynomial).over
        if not polynomial:
            raise NotRational("a logarithm of zero")
        content = content_of(polynomial)
        rest = scaled(polynomial, 1 / content)
        found = added(
            _times(self.atom(f"ln({prime})"), Fraction(power))
            for prime, power in prime_factors(content).items()
        )
        if rest == ONE:
            return found
        if set(rest) == {()}:
            raise NotRational("a logarithm of a negative number")
        if len(rest) == 1 and next(iter(rest.values())) == 1:
            (monomial,) = rest
            logs = (_times(self._log_of_atom(name), Fraction(power)) for name, power in monomial)
            return added((found, *logs))
        return added((found, self._ln(Quotient(rest, ONE))))

    def _log_of_atom(self, name: str) -> Quotient:
        if name in self._powers:
            return self._powers[name]
        if name == "e":
            return _number(Fraction(1))
        return self._ln(self.atom(name))

    def _ln(self, found: Quotient) -> Quotient:
        name = f"ln[{self.canonical(found)}]"
        self._logs[name] = found
        return self.atom(name)

    # --- factorials, absolute values, sums ---

    def _factorial(self, found: Quotient) -> Quotient:
        exponents = _linear(found)
        if exponents is None:
            return self.atom(f"({self.canonical(found)})!")
        shift = exponents.pop((), Fraction(0))
        if shift.denominator != 1 or (abs(shift) > _LARGEST_SHIFT and exponents):
            raise NotRational("a factorial is not taken apart")
        if not exponents:
            if not 0 <= shift <= _LARGEST_POWER * 4:
                raise NotRational("a factorial is not computed")
            return _number(Fraction(math.factorial(int(shift))))
        rest = Quotient(exponents, ONE)
        result = self.atom(f"({self.canonical(rest)})!")
        for at in range(1, int(shift) + 1):
            result = multiplied(result, added((rest, _number(Fraction(at)))))
        for at in range(int(-shift)):
            result = multiplied(result, inverse(added((rest, _number(Fraction(-at))))))
        return result

    def _binomial(self, count: Quotient, chosen: Quotient) -> Quotient:
        few = _amount(chosen)
        if few is not None and few in range(_LARGEST_SHIFT):
            result = _number(Fraction(1, math.factorial(int(few))))
            for at in range(int(few)):
                result = multiplied(result, added((count, _number(Fraction(-at)))))
            return result
        others = added((count, _times(chosen, Fraction(-1))))
        under = multiplied(self._factorial(chosen), self._factorial(others))
        return multiplied(self._factorial(count), inverse(under))

    def _absolute(self, found: Quotient) -> Quotient:
        amount = _amount(found)
        if amount is not None:
            return _number(abs(amount))
        if self.is_complex and self.is_number(found):
            return self.root(2, multiplied(found, self._conjugate(found)))
        reduced = multiplied(self._reduced(found.over), inverse(self._reduced(found.under)))
        parts = []
        for polynomial in reduced:
            content = content_of(polynomial)
            rest = scaled(polynomial, 1 / content)
            if rest[min(rest)] < 0:
                rest = scaled(rest, Fraction(-1))
            square = None if self.is_complex else raised(Quotient(rest, ONE), 2)
            atom = _number(Fraction(1)) if rest == ONE else self.atom(f"abs[{_shown(rest)}]", 2, square)
            parts.append(_times(atom, content))
        return multiplied(parts[0], inverse(parts[1]))

    def _conjugate(self, found: Quotient) -> Quotient:
        if not self.is_number(found):
            return self.atom(f"conj({self.canonical(found)})")
        over, under = (
            {key: -each if dict(key).get(_IMAGINARY, 0) % 2 else each for key, each in part.items()}
            for part in (self._reduced(found.over).over, self._reduced(found.under).over)
        )
        return Quotient(over, under)

    def _repeated(self, term: Op) -> Quotient:
        index, first, last, body = term.args
        assert isinstance(index, Variable)
        low = _amount(self.of(first))
        if low is None or low.denominator != 1:
            raise NotRational("a sum begins with no number")
        if is_op(last, "infty"):
            return self._series(term, index, body, low)
        high = _amount(self.of(last))
        if high is None:
            if term.op == "sum":
                return self._sum_of_powers(index, body, low, self.of(last))
            raise NotRational("a product ends with no number")
        if high.denominator != 1 or high - low >= _MOST_TERMS:
            raise NotRational("a sum has too many terms")
        each = (self.of(substituted(body, {index: number(at)})) for at in range(int(low), int(high) + 1))
        return added(each) if term.op == "sum" else reduce(multiplied, each, _number(Fraction(1)))

    def _series(self, term: Op, index: Variable, body: Term, low: Fraction) -> Quotient:
        """An infinite geometric series, wherever it converges."""
        one, other = (self.of(substituted(body, {index: number(low + at)})) for at in range(2))
        if term.op != "sum" or not one.over or not other.over:
            raise NotRational("an infinite sum is not computed")
        general = self.of(body)
        following = self.of(substituted(body, {index: Op("+", (index, number(1)))}))
        ratio = multiplied(other, inverse(one))
        difference = added((following, _times(multiplied(ratio, general), Fraction(-1))))
        if not self.is_zero(difference):
            raise NotRational("an infinite sum is no geometric one")
        reduced = multiplied(self._reduced(ratio.over), inverse(self._reduced(ratio.under)))
        amount = _amount(reduced)
        if amount is not None and abs(amount) >= 1:
            raise NotRational("an infinite sum has no value")
        return multiplied(one, inverse(added((_number(Fraction(1)), _times(ratio, Fraction(-1))))))

    def _sum_of_powers(self, index: Variable, body: Term, low: Fraction, high: Quotient) -> Quotient:
        """The sum of a polynomial in its index up to a variable, by the sums of powers."""
        found = self.of(body)
        name = text(index)
        if any(name in key for key in variables(found.under) | variables(high.over) | variables(high.under)):
            raise NotRational("a sum is no polynomial one")
        parts: dict[int, Polynomial] = {}
        for monomial, coefficient in found.over.items():
            if any(name in key and key != name for key, _ in monomial):
                raise NotRational("a sum is no polynomial one")
            power = dict(monomial).get(name, 0)
            parts.setdefault(power, {})[tuple(each for each in monomial if each[0] != name)] = coefficient
        before = _number(low - 1)
        summands = []
        for power, part in parts.items():
            together = added((_power_sum(power, high), _times(_power_sum(power, before), Fraction(-1))))
            summands.append(multiplied(Quotient(part, found.under), together))
        return added(summands)


# --- numbers and polynomials ---------------------------------------------------------------------


def _number(amount: Fraction) -> Quotient:
    return Quotient(constant(amount), ONE)


def _times(found: Quotient, factor: Fraction) -> Quotient:
    return Quotient(scaled(found.over, factor), found.under)


def _raised(polynomial: Polynomial, power: int) -> Polynomial:
    return raised(Quotient(polynomial, ONE), power).over


def _amount(found: Quotient) -> Fraction | None:
    """The number that a quotient is; None for one with atoms."""
    if set(found.over) <= {()} and set(found.under) == {()}:
        return found.over.get((), Fraction(0)) / found.under[()]
    return None


def _linear(found: Quotient) -> dict[Monomial, Fraction] | None:
    """The monomials of a quotient with their coefficients; None where it divides by more than a number."""
    if set(found.under) != {()}:
        return None
    return {monomial: each / found.under[()] for monomial, each in found.over.items()}


def _shown(polynomial: Polynomial) -> str:
    parts = []
    for monomial, coefficient in sorted(polynomial.items()):
        parts.append("*".join([str(coefficient), *(f"{name}^{power}" for name, power in monomial)]))
    return " + ".join(parts) or "0"


def _only(monomial: Monomial) -> str:
    """The atom that a monomial is; "" for another."""
    return monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else ""


def _primes(amount: Fraction) -> dict[str, tuple[Quotient, int]]:
    return {str(prime): (_number(Fraction(prime)), power) for prime, power in prime_factors(amount).items()}


def _power_sum(power: int, last: Quotient) -> Quotient:
    """1 + 2^p + ... + n^p as a polynomial in n, from those of smaller powers."""
    if power > _LARGEST_SHIFT // 2:
        raise NotRational("a sum of large powers")
    one = _number(Fraction(1))
    # (n + 1)^(p + 1) - 1 is the sum of all binom(p + 1, k) k-th power sums, k up to p; from k = 0 with n.
    total = added((raised(added((last, one)), power + 1), _number(Fraction(-1))))
    for lower in range(power):
        smaller = _times(_power_sum(lower, last), Fraction(-math.comb(power + 1, lower)))
        total = added((total, smaller))
    return _times(total, Fraction(1, power + 1))
