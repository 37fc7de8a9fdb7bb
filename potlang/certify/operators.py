"""Values, and the operators: what they take and what they compute, exactly, as SMT-LIB says.

Bool is `bool`, Int and bit vectors `int`, Real `Fraction`, String and enum values `str`, a member of a
declared sort its number, a record a tuple of values; arrays, sets and function values are `TotalMap`s. Int
and Real may be `Growing` too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from .growing import Growing
from .sorts import BOOL, INT, REAL, STRING, Sort, Sorts

MOST_BITS = 1 << 16
MOST_CHARACTERS = 1 << 20


class NoValue:
    """In place of a value that was not determined, and why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class TotalMap:
    """A total map from tuples: `default` but at the keys of `entries`, where it is something else."""

    __slots__ = ("_hash", "default", "entries")

    def __init__(self, default: object, entries: Mapping[Any, object]) -> None:
        self.default = default
        self.entries = {key: value for key, value in entries.items() if value != default}
        self._hash = hash((default, frozenset(self.entries.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TotalMap) and (self.default, self.entries) == (other.default, other.entries)

    def __hash__(self) -> int:
        return self._hash

    def get(self, key: object) -> object:
        """The value at `key`."""
        return self.entries.get(key, self.default)

    def put(self, key: object, value: object) -> TotalMap:
        """The same map with another value at `key`."""
        return TotalMap(self.default, {**self.entries, key: value})


def bits(value: object) -> int:
    """How many bits a number takes."""
    if isinstance(value, int):
        return value.bit_length()
    if isinstance(value, Growing):
        # What is done with two of these is done with all pairs of their parts.
        return sum(256 + bits(power) + bits(factor) for power, factor in value.parts)
    # `isinstance` takes long for this class, and for nearly nothing else.
    return value.numerator.bit_length() + value.denominator.bit_length() if isinstance(value, Fraction) else 0


def cost(values: Sequence[object]) -> int:
    """How many steps an operation on these takes besides."""
    steps = 0
    for value in values:
        words = bits(value) >> 6
        steps += words * (1 + (words >> 4))
        steps += len(value.entries) if isinstance(value, TotalMap) else 0
        steps += len(value) >> 2 if isinstance(value, str) else 0
    return steps


def result(op: str, args: tuple[Sort, ...], sorts: Sorts) -> Sort | None:
    """The sort of an operator's application, or None if the arguments do not fit."""
    match op, args:
        case "ite", (condition, then, other) if condition is BOOL and then is other:
            return then
        case "select", (array, index) if array.kind == "Array" and array.parts[0] is index:
            return array.parts[1]
        case "store", (array, *rest) if array.kind == "Array" and array.parts == tuple(rest):
            return array
        case "apply", (function, *rest) if function.kind == "Function" and function.parts[:-1] == tuple(rest):
            return function.parts[-1]
        case (("member" | "insert"), (element, whole)) if whole.kind == "Set" and whole.parts[0] is element:
            return BOOL if op == "member" else whole
        case "concat", (high, low) if high.kind == low.kind == "BitVec":
            return sorts.make("BitVec", (), high.width + low.width)
        case "str.substr", (whole, start, length) if whole is STRING and start is length is INT:
            return STRING
        case "int_to_bv", (number, like) if number is INT and like.kind == "BitVec":
            return like
    least, most, kinds, gives, _ = OPERATORS[op]
    fits = args and least <= len(args) <= most and all(sort is args[0] for sort in args)
    return (gives or args[0]) if fits and (kinds == "any" or args[0].kind in kinds.split()) else None


def compute(op: str, args: Sequence[Any], sorts: Sequence[Sort]) -> object:
    """The value of an operator other than the connectives and `ite`; `sorts` are those of `args`."""
    function = OPERATORS[op][4]
    if op.startswith("bv") or op in ("concat", "int_to_bv"):
        width = sorts[-1].width
        found = function(args[0], args[-1], width)
        return found if isinstance(found, bool) or op == "concat" else found % (1 << width)
    growing = op in ("*", "/") or (op in ("+", "-") and sorts[0] is REAL)
    if growing and sum(map(bits, args)) > MOST_BITS:
        return NoValue("a number is too large")
    if op == "str.++" and sum(map(len, args)) > MOST_CHARACTERS:
        return NoValue("a string is too long")
    try:
        return function(*args)
    except (ArithmeticError, ValueError) as error:
        return NoValue(str(error))


def _substring(whole: str, start: Any, length: Any) -> str:
    return whole[start:][: min(length, len(whole))] if 0 <= start < len(whole) and length > 0 else ""


_ZERO = NoValue("division by zero")


def _divided(a: int, b: int) -> object:
    return _ZERO if b == 0 else a // b if b > 0 else -(a // -b)


def _pointwise(decide: Callable[[bool, bool], bool]) -> Callable[[TotalMap, TotalMap], TotalMap]:
    def combine(a: TotalMap, b: TotalMap) -> TotalMap:
        keys = {**a.entries, **b.entries}
        values = {key: decide(bool(a.get(key)), bool(b.get(key))) for key in keys}
        return TotalMap(decide(bool(a.default), bool(b.default)), values)

    return combine


def _signed(a: int, width: int) -> int:
    return a - (1 << width) if a >> (width - 1) else a


def _signed_division(a: int, b: int, width: int) -> int:
    x, y = _signed(a, width), _signed(b, width)
    if y == 0:
        return 1 if x < 0 else -1
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _signed_remainder(a: int, b: int, width: int) -> int:
    x, y = _signed(a, width), _signed(b, width)
    return x if y == 0 else abs(x) % abs(y) * (-1 if x < 0 else 1)


_LOGIC = ("Bool", BOOL, operator.not_)
_MIXED = (9, 0, "", None)
_MOST = 1 << 30
_difference = _pointwise(lambda x, y: x and not y)
_PLAIN = {f"bv{n.strip('_')}": getattr(operator, n) for n in ("and_", "or_", "xor", "add", "sub", "mul")}
OPERATORS: Mapping[str, tuple[int, int, str, Sort | None, Callable[..., Any]]] = MappingProxyType(
    {
        "not": (1, 1, *_LOGIC),
        **dict.fromkeys(("and", "or"), (2, _MOST, *_LOGIC)),
        **dict.fromkeys(("=>", "iff", "xor"), (2, 2, *_LOGIC)),
        "=": (2, 2, "any", BOOL, operator.eq),
        "distinct": (2, _MOST, "any", BOOL, lambda *args: len(set(args)) == len(args)),
        **{sign: (2, 2, "Int Real", BOOL, less) for sign, less in (("<", operator.lt), ("<=", operator.le))},
        "+": (2, _MOST, "Int Real", None, lambda *args: sum(args[1:], args[0])),
        "-": (2, 2, "Int Real", None, operator.sub),
        "neg": (1, 1, "Int Real", None, operator.neg),
        "*": (2, _MOST, "Int Real", None, lambda *args: math.prod(args[1:], start=args[0])),
        "abs": (1, 1, "Int Real", None, abs),
        "/": (2, 2, "Real", None, lambda a, b: _ZERO if b == 0 else a / b),
        "div": (2, 2, "Int", None, _divided),
        "mod": (2, 2, "Int", None, lambda a, b: _ZERO if b == 0 else a % abs(b)),
        "to_real": (1, 1, "Int", REAL, lambda a: a if isinstance(a, Growing) else Fraction(a)),
        "to_int": (1, 1, "Real", INT, math.floor),
        "str.++": (2, _MOST, "String", STRING, lambda *args: "".join(args)),
        "str.len": (1, 1, "String", INT, len),
        "str.contains": (2, 2, "String", BOOL, lambda whole, part: part in whole),
        "str.prefixof": (2, 2, "String", BOOL, lambda part, whole: whole.startswith(part)),
        "str.to_int": (1, 1, "String", INT, lambda s: int(s) if s.isascii() and s.isdigit() else -1),
        "str.substr": (*_MIXED, _substring),
        "str.suffixof": (2, 2, "String", BOOL, lambda part, whole: whole.endswith(part)),
        "union": (2, 2, "Set", None, _pointwise(operator.or_)),
        "intersect": (2, 2, "Set", None, _pointwise(operator.and_)),
        "difference": (2, 2, "Set", None, _difference),
        "subset": (2, 2, "Set", BOOL, _difference),
        "ite": (*_MIXED, operator.not_),
        **dict.fromkeys(("select", "apply"), (*_MIXED, lambda table, *index: table.get(index))),
        "store": (*_MIXED, lambda array, index, element: array.put((index,), element)),
        "member": (*_MIXED, lambda element, whole: whole.get((element,))),
        "insert": (*_MIXED, lambda element, whole: whole.put((element,), True)),
        "concat": (*_MIXED, lambda a, b, w: a << w | b),
        "int_to_bv": (*_MIXED, lambda a, _, w: a),
        "ubv_to_int": (1, 1, "BitVec", INT, lambda a: a),
        "bvnot": (1, 1, "BitVec", None, lambda a, _, w: ~a),
        "bvneg": (1, 1, "BitVec", None, lambda a, _, w: -a),
        **{name: (2, 2, "BitVec", None, lambda a, b, w, on=on: on(a, b)) for name, on in _PLAIN.items()},
        "bvudiv": (2, 2, "BitVec", None, lambda a, b, w: a // b if b else -1),
        "bvurem": (2, 2, "BitVec", None, lambda a, b, w: a % b if b else a),
        "bvsdiv": (2, 2, "BitVec", None, _signed_division),
        "bvsrem": (2, 2, "BitVec", None, _signed_remainder),
        "bvshl": (2, 2, "BitVec", None, lambda a, b, w: a << b if b < w else 0),
        "bvlshr": (2, 2, "BitVec", None, lambda a, b, w: a >> b if b < w else 0),
        "bvashr": (2, 2, "BitVec", None, lambda a, b, w: _signed(a, w) >> min(b, w)),
        "bvult": (2, 2, "BitVec", BOOL, lambda a, b, w: a < b),
        "bvule": (2, 2, "BitVec", BOOL, lambda a, b, w: a <= b),
        "bvslt": (2, 2, "BitVec", BOOL, lambda a, b, w: _signed(a, w) < _signed(b, w)),
        "bvsle": (2, 2, "BitVec", BOOL, lambda a, b, w: _signed(a, w) <= _signed(b, w)),
    }
)
"""Least and most arguments, the kinds of their one sort, the result's sort (None: the same), the function.

The function of a connective or of `ite` is never called: the evaluator has its own (Kleene's). That of
`subset` gives the difference, which the evaluator finds empty or not. The `_MIXED` have arguments of
several sorts, which `result` knows.
"""
