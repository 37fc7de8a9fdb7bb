"""Functions of angles as polynomials in sines and cosines ([REL-IDENTITY])."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from potlang.languages.dagmath.lower.polynomials import (
    ONE,
    Monomial,
    NotRational,
    Quotient,
    added,
    constant,
    inverse,
    multiplied,
    raised,
    scaled,
)
from potlang.languages.dagmath.lower.syntax import Variable, text

if TYPE_CHECKING:
    from potlang.languages.dagmath.lower.normal_forms import NormalForms

ANGULAR: Final = frozenset(("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan"))
_HALF_TURN: Final[Monomial] = ((text(Variable("pi")), 1),)
_TWELFTHS: Final = 12
_MOST_MULTIPLES: Final = 24


class _CosineAndSine(NamedTuple):
    """The cosine and the sine of an angle."""

    cosine: Quotient
    sine: Quotient


_NO_ANGLE: Final = _CosineAndSine(Quotient(ONE, ONE), Quotient({}, ONE))


class Angles:
    """Sines and cosines in the atoms of some normal forms."""

    def __init__(self, forms: NormalForms) -> None:
        self._forms = forms
        self._inverses: dict[str, tuple[str, Quotient]] = {}

    def function(self, op: str, argument: Quotient) -> Quotient:
        """A function of an angle, or the angle that an inverse function gives. Raises NotRational."""
        if op.startswith("arc"):
            name = f"{op}({self._forms.canonical(argument)})"
            self._inverses[name] = op, argument
            return self._forms.atom(name)
        return _OF_PAIR[op](self.pair(argument))

    def pair(self, angle: Quotient) -> _CosineAndSine:
        """The cosine and the sine of an angle, by those of its parts. Raises NotRational."""
        if set(angle.under) != {()}:
            return self._part((), self._forms.canonical(angle), Fraction(1))
        found = _NO_ANGLE
        for monomial, coefficient in angle.over.items():
            count = coefficient / angle.under[()]
            if monomial == _HALF_TURN and (_TWELFTHS * count).denominator == 1:
                part = self._known(int(_TWELFTHS * count))
            else:
                part = self._part(monomial, "*".join(f"{name}^{power}" for name, power in monomial), count)
            found = _sum(found, part)
        return found

    def _part(self, monomial: Monomial, shown: str, count: Fraction) -> _CosineAndSine:
        """The pair of a multiple of what is not taken apart."""
        base = self._inverse(monomial) if count.denominator == 1 else None
        often = int(count)
        if base is None:
            unit, often = self._forms.unit(f"angle {shown}", count)
            cosine = self._forms.atom(f"cos({unit}*{shown})")
            square = added((Quotient(ONE, ONE), _negative(raised(cosine, 2))))
            base = _CosineAndSine(cosine, self._forms.atom(f"sin({unit}*{shown})", 2, square))
        if often < 0:
            base, often = _CosineAndSine(base.cosine, _negative(base.sine)), -often
        if often > _MOST_MULTIPLES:
            raise NotRational("it is no small multiple")
        found = _NO_ANGLE
        for _ in range(often):
            found = _sum(found, base)
        return found

    def _inverse(self, monomial: Monomial) -> _CosineAndSine | None:
        """The pair of an angle that is given by its sine, cosine or tangent."""
        if len(monomial) != 1 or monomial[0][1] != 1 or monomial[0][0] not in self._inverses:
            return None
        op, given = self._inverses[monomial[0][0]]
        one = Quotient(ONE, ONE)
        if op == "arctan":
            length = self._forms.root(2, added((one, raised(given, 2))))
            return _CosineAndSine(inverse(length), multiplied(given, inverse(length)))
        other = self._forms.root(2, added((one, _negative(raised(given, 2)))))
        return _CosineAndSine(given, other) if op == "arccos" else _CosineAndSine(other, given)

    def _known(self, twelfths: int) -> _CosineAndSine:
        """The pair of a multiple of 15 degrees."""
        return _CosineAndSine(self._cosine(twelfths), self._cosine(twelfths - _TWELFTHS // 2))

    def _cosine(self, twelfths: int) -> Quotient:
        at = twelfths % (2 * _TWELFTHS)
        at = min(at, 2 * _TWELFTHS - at)
        if at > _TWELFTHS // 2:
            return _negative(self._cosine(_TWELFTHS - at))
        # Of 0, 15, ..., 90 degrees: half the root of 4, 2 + root 3, 3, 2, 1, 2 - root 3, 0.
        roots = {number: self._forms.root(2, _number(number)) for number in (2, 3, 6)}
        quarters = {
            0: _number(4), 1: added((roots[6], roots[2])), 2: _scaled(roots[3], 2), 3: _scaled(roots[2], 2),
            4: _number(2), 5: added((roots[6], _negative(roots[2]))), 6: Quotient({}, ONE),
        }  # fmt: skip
        return _scaled(quarters[at], Fraction(1, 4))


def _number(amount: int) -> Quotient:
    return Quotient(constant(Fraction(amount)), ONE)


def _scaled(found: Quotient, factor: int | Fraction) -> Quotient:
    return Quotient(scaled(found.over, Fraction(factor)), found.under)


def _negative(found: Quotient) -> Quotient:
    return _scaled(found, -1)


def _sum(one: _CosineAndSine, other: _CosineAndSine) -> _CosineAndSine:
    """The pair of the sum of two angles."""
    return _CosineAndSine(
        added((multiplied(one.cosine, other.cosine), _negative(multiplied(one.sine, other.sine)))),
        added((multiplied(one.sine, other.cosine), multiplied(one.cosine, other.sine))),
    )


_OF_PAIR: Final[dict[str, Callable[[_CosineAndSine], Quotient]]] = {
    "cos": lambda pair: pair.cosine,
    "sin": lambda pair: pair.sine,
    "tan": lambda pair: multiplied(pair.sine, inverse(pair.cosine)),
    "cot": lambda pair: multiplied(pair.cosine, inverse(pair.sine)),
    "sec": lambda pair: inverse(pair.cosine),
    "csc": lambda pair: inverse(pair.sine),
}
