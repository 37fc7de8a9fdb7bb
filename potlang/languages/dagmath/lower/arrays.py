"""Points, vectors and matrices worked out to their components ([REL-ARRAYS]).

The components stay formulas: what is true of them is for whoever compares them, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from typing import Final

from potlang.languages.dagmath.lower.exact import NotExact
from potlang.languages.dagmath.lower.regions import count, is_region, region
from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Term,
    Unreadable,
    Variable,
    free_names,
    is_object,
    is_op,
    joined,
    measured,
    number,
)

_MOST_COMPONENTS: Final = 64
_LARGEST_DETERMINANT: Final = 4
_LARGEST_INVERSE: Final = 3
_LARGEST_POWER: Final = 12
_TRANSPOSED: Final = Variable("T")


class NotArray(ValueError):
    """A term is no array that is worked out, nor a number made of arrays; the message says why."""


@dataclass(frozen=True, slots=True)
class Array:
    """A matrix as its rows; a vector and a point are matrices with one column."""

    rows: tuple[tuple[Term, ...], ...]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.rows), len(self.rows[0])

    @property
    def components(self) -> tuple[Term, ...]:
        """The components, row by row."""
        return tuple(each for row in self.rows for each in row)


def worked_out(term: Term) -> Term | Array:
    """The components of an array, or the number that a formula with arrays or sets is. Raises NotArray.

    A letter beside an array is a number if it is a small one; `A` may be a matrix.
    """
    if not is_object(term):
        return term
    match term:
        case Op("matrix", rows):
            found = Array(tuple(_scalars(row.args) for row in rows if isinstance(row, Op)))
        case Op("tuple", items):
            found = Array(tuple((each,) for each in _scalars(items)))
        case Op("abs", (inner,)) if is_region(inner):
            return _count(inner)
        case Op(op, args) if op in _OPERATIONS:
            return _checked(_OPERATIONS[op](*map(worked_out, args)))
        case Op(op, args) if args and not op.startswith(("set", "where:", "[", "(", "cup", "cap")):
            return Op(op, _scalars(args))
        case _:
            raise NotArray("it is no array")
    return _checked(found)


def _count(term: Term) -> Term:
    try:
        # A sum, as it was worked out: `4 = 5` of two bare numbers would be absurd, and not wrong.
        return Op("+", (number(count(region(term))),))
    except NotExact as error:
        raise NotArray(str(error)) from None


def _scalars(terms: Sequence[Term]) -> tuple[Term, ...]:
    return tuple(map(_scalar, map(worked_out, terms)))


def _scalar(found: Term | Array) -> Term:
    if isinstance(found, Array):
        raise NotArray("an array stands where a number is expected")
    return found


def _checked(found: Term | Array) -> Term | Array:
    if isinstance(found, Array) and len(found.components) > _MOST_COMPONENTS:
        raise NotArray(f"an array has more than {_MOST_COMPONENTS} components")
    try:
        for each in found.components if isinstance(found, Array) else (found,):
            measured(each)
    except Unreadable as error:
        raise NotArray(str(error)) from None
    return found


# --- operations ----------------------------------------------------------------------------------


def _sum(*terms: Term | Array) -> Term | Array:
    arrays = [each for each in terms if isinstance(each, Array)]
    if not arrays:
        return joined("+", tuple(map(_scalar, terms)))
    if len(arrays) < len(terms) or len({each.shape for each in arrays}) > 1:
        raise NotArray("what is added differs in shape")
    return Array(
        tuple(
            tuple(joined("+", column) for column in zip(*rows, strict=True))
            for rows in zip(*(each.rows for each in arrays), strict=True)
        )
    )


def _negative(term: Term | Array) -> Term | Array:
    return _scaled(number(-1), term) if isinstance(term, Array) else Op("neg", (term,))


def _scaled(factor: Term, array: Array) -> Array:
    if any(not name[0].islower() for name in free_names(factor)):
        raise NotArray("a capital beside an array may be a matrix")
    return Array(tuple(tuple(Op("*", (factor, each)) for each in row) for row in array.rows))


def _product(*factors: Term | Array) -> Term | Array:
    return reduce(_times, factors)


def _times(left: Term | Array, right: Term | Array) -> Term | Array:
    match left, right:
        case Array(), Array():
            if left.shape[1] == 1 == right.shape[1] and left.shape == right.shape:
                return _dot(left.components, right.components)
            if left.shape[1] != right.shape[0]:
                raise NotArray("what is multiplied differs in shape")
            columns = tuple(zip(*right.rows, strict=True))
            rows = tuple(tuple(_dot(row, column) for column in columns) for row in left.rows)
            return rows[0][0] if len(rows) == len(columns) == 1 else Array(rows)
        case Array(), _:
            return _scaled(_scalar(right), left)
        case _, Array():
            return _scaled(_scalar(left), right)
    return Op("*", (_scalar(left), _scalar(right)))


def _dot(left: Sequence[Term], right: Sequence[Term]) -> Term:
    return joined("+", tuple(Op("*", pair) for pair in zip(left, right, strict=True)))


def _quotient(over: Term | Array, under: Term | Array) -> Term | Array:
    divisor = _scalar(under)
    if isinstance(over, Array):
        return _scaled(Op("/", (number(1), divisor)), over)
    return Op("/", (over, divisor))


def _power(base: Term | Array, exponent: Term | Array) -> Term | Array:
    power = _scalar(exponent)
    if not isinstance(base, Array):
        return Op("^", (base, power))
    if power == _TRANSPOSED:
        return Array(tuple(zip(*base.rows, strict=True)))
    if is_op(power, "neg") and isinstance(power.args[0], Num):
        base, power = _inverse(base), power.args[0]
    if not isinstance(power, Num) or power.value not in range(1, _LARGEST_POWER + 1):
        raise NotArray("a power of an array is not worked out")
    if base.shape[0] != base.shape[1]:
        raise NotArray("a power of what is not square")
    factors: list[Term | Array] = [base] * int(power.value)
    return reduce(_times, factors)


def _determinant(array: Term | Array) -> Term:
    if not isinstance(array, Array) or array.shape[0] != array.shape[1]:
        raise NotArray("a determinant of what is not square")
    return _leibniz(array.rows)


def _leibniz(rows: Sequence[Sequence[Term]]) -> Term:
    """The determinant of a square, by the sum over all permutations of its columns."""
    size = len(rows)
    if size > _LARGEST_DETERMINANT:
        raise NotArray("a determinant is too large")
    summands: list[Term] = []
    for order in permutations(range(size)):
        product = joined("*", tuple(rows[at][column] for at, column in enumerate(order)))
        inversions = sum(one > other for at, one in enumerate(order) for other in order[at + 1 :])
        summands.append(Op("neg", (product,)) if inversions % 2 else product)
    return joined("+", tuple(summands))


def _inverse(array: Array) -> Array:
    determinant = _determinant(array)
    size = len(array.rows)
    if size > _LARGEST_INVERSE:
        raise NotArray("an inverse is too large")
    if size == 1:
        return Array(((Op("/", (number(1), array.rows[0][0])),),))
    return Array(
        tuple(
            tuple(Op("/", (_cofactor(array.rows, column, row), determinant)) for column in range(size))
            for row in range(size)
        )
    )


def _cofactor(rows: Sequence[Sequence[Term]], row: int, column: int) -> Term:
    minor = [
        [each for place, each in enumerate(line) if place != column]
        for at, line in enumerate(rows)
        if at != row
    ]
    found = _leibniz(minor)
    return Op("neg", (found,)) if (row + column) % 2 else found


def _absolute(term: Term | Array) -> Term:
    """The length of a vector; of a matrix it is open if its determinant is meant."""
    if not isinstance(term, Array):
        return Op("abs", (term,))
    if 1 not in term.shape:
        raise NotArray("it is open what bars around a matrix mean")
    return Op("sqrt", (_dot(term.components, term.components),))


def _cross(left: Term | Array, right: Term | Array) -> Array:
    if not (isinstance(left, Array) and isinstance(right, Array) and left.shape == right.shape == (3, 1)):
        raise NotArray("a cross product of what are no vectors in space")
    (a, b, c), (x, y, z) = left.components, right.components
    return Array(
        tuple((_leibniz(((p, q), (r, s))),) for p, q, r, s in ((b, c, y, z), (c, a, z, x), (a, b, x, y)))
    )


_OPERATIONS: Final[dict[str, Callable[..., Term | Array]]] = {
    "+": _sum, "neg": _negative, "*": _product, "/": _quotient, "^": _power, "det": _determinant,
    "abs": _absolute, "cross": _cross,
}  # fmt: skip
