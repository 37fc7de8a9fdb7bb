"""Formulas as SymPy objects that are not evaluated, so that nothing is merged ([STEP-SYMPY])."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    Variable,
    is_op,
    parts,
)
from potlang.utils.extra import needed

_LARGEST_POWER: Final = 200


def to_sympy(term: Term, symbol: Callable[[str], Any] | None = None) -> Any:
    """The SymPy object of a formula. Raises Unreadable for what has none, and MissingExtraError.

    `symbol` makes the variables; without it they are real.
    """
    check_sympy(term)
    sympy = needed("sympy")
    variable = symbol or (lambda name: sympy.Symbol(name, real=True))

    def written(term: Term) -> Any:
        match term:
            case Num(value):
                return sympy.Rational(*value.as_integer_ratio())
            case Variable("pi"):
                return sympy.pi
            case Variable(name):
                return variable(name)
            case Quantity(words):
                return variable(" ".join(words))
            case Op(op, args):
                return _operation(sympy, op, [written(arg) for arg in args])

    return written(term)


def check_sympy(term: Term) -> None:
    """Raises Unreadable for a formula that has no SymPy object; SymPy is not needed for that."""
    for part in parts(term):
        match part:
            case Op("^", (base, exponent)):
                _check_power(base, exponent)
            case Op("ratio", args) if len(args) != 2:
                raise Unreadable("SymPy is given no ratio of several numbers")
            case Op("mod", (_, divisor)) if not (isinstance(divisor, Num) and divisor.value > 0):
                # SymPy's remainders have the sign of the divisor, ours have none.
                raise Unreadable("a remainder by what may be negative")
            case Op(op) if op not in SYMPY_NAMES and op not in _MADE:
                raise Unreadable(f"SymPy is given no {op}")


def _operation(sympy: Any, op: str, args: list[Any]) -> Any:
    if op in BINDERS:
        return getattr(sympy, SYMPY_NAMES[op])(args[3], tuple(args[:3]))
    if op in SYMPY_NAMES:
        return getattr(sympy, SYMPY_NAMES[op])(*args, evaluate=False)
    return _MADE[op](sympy, *args)


def _check_power(base: Term, exponent: Term) -> None:
    # SymPy computes powers of numbers when asked to expand, whatever their size.
    if is_op(exponent, "^"):
        raise Unreadable("a power of a power is not computed")
    if isinstance(exponent, Num) and exponent.value > _LARGEST_POWER and not isinstance(base, Variable):
        raise Unreadable("a power is too large")


def _quotient(sympy: Any, over: Any, under: Any) -> Any:
    return sympy.Mul(over, sympy.Pow(under, -1, evaluate=False), evaluate=False)


SYMPY_NAMES: Final = {
    "=": "Eq", "!=": "Ne", "<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "and": "And", "or": "Or",
    "not": "Not", "=>": "Implies", "+": "Add", "*": "Mul", "^": "Pow", "sum": "Sum", "prod": "Product",
    "abs": "Abs", "floor": "floor", "ceil": "ceiling", "!": "factorial", "binom": "binomial", "mod": "Mod",
    "log": "log", "ln": "log", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot",
    "sec": "sec", "csc": "csc", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
}  # fmt: skip
"""The names that SymPy has for operations."""
_MADE: Final[dict[str, Callable[..., Any]]] = {
    "/": _quotient,
    "ratio": _quotient,
    "neg": lambda sympy, a: sympy.Mul(sympy.S.NegativeOne, a, evaluate=False),
    "%": lambda sympy, a: sympy.Mul(a, sympy.Rational(1, 100), evaluate=False),
    "root": lambda sympy, degree, a: sympy.Pow(a, sympy.Pow(degree, -1), evaluate=False),
    "sqrt": lambda sympy, a: sympy.Pow(a, sympy.S.Half, evaluate=False),
    "logbase": lambda sympy, base, a: sympy.log(a) / sympy.log(base),
}
