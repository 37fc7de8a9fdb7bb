"""Formulas as SymPy objects that are not evaluated, so that nothing is merged ([STEP-SYMPY])."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    Name,
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    is_op,
    is_statement,
)
from potlang.utils.extra import needed

if TYPE_CHECKING:
    from fractions import Fraction

_LARGEST_POWER: Final = 200


def to_sympy(term: Term, symbol: Callable[[str], Any] | None = None) -> Any:
    """The SymPy object of a formula. Raises Unreadable for what has none, and MissingExtraError.

    `symbol` makes the variables; without it they are real.
    """
    sympy = needed("sympy")
    return _Writer(sympy, symbol or (lambda name: sympy.Symbol(name, real=True))).write(term)


class _Writer:
    def __init__(self, sympy: Any, symbol: Callable[[str], Any]) -> None:
        self.sympy = sympy
        self.symbol = symbol

    def write(self, term: Term) -> Any:
        match term:
            case Num(value):
                return self._number(value)
            case Name("pi"):
                return self.sympy.pi
            case Name(name):
                return self.symbol(name)
            case Quantity(words):
                return self.symbol(" ".join(words))
            case Op():
                return self._operation(term)

    def _number(self, value: Fraction) -> Any:
        return self.sympy.Rational(value.numerator, value.denominator)

    def _operation(self, term: Op) -> Any:
        sympy, op = self.sympy, term.op
        if op in BINDERS:
            index, first, last, body = map(self.write, term.args)
            return (sympy.Sum if op == "sum" else sympy.Product)(body, (index, first, last))
        args = [self.write(arg) for arg in term.args]
        if is_statement(term):
            if op not in _STATEMENTS:
                raise Unreadable(f"SymPy is given no {op}")
            return getattr(sympy, _STATEMENTS[op])(*args, evaluate=False)
        match op:
            case "+":
                return sympy.Add(*args, evaluate=False)
            case "*":
                return sympy.Mul(*args, evaluate=False)
            case "neg":
                return sympy.Mul(sympy.S.NegativeOne, args[0], evaluate=False)
            case "/" | "ratio" if len(args) == 2:
                return sympy.Mul(args[0], sympy.Pow(args[1], -1, evaluate=False), evaluate=False)
            case "^":
                return self._power(term, args)
            case "%":
                return sympy.Mul(args[0], sympy.Rational(1, 100), evaluate=False)
            case "root":
                return sympy.Pow(args[1], sympy.Pow(args[0], -1), evaluate=False)
            case "sqrt":
                return sympy.Pow(args[0], sympy.S.Half, evaluate=False)
            case "logbase":
                return sympy.log(args[1]) / sympy.log(args[0])
        if op not in _NAMES:
            raise Unreadable(f"SymPy is given no {op}")
        return getattr(sympy, _NAMES[op])(*args, evaluate=False)

    def _power(self, term: Op, args: list[Any]) -> Any:
        base, exponent = term.args
        if is_op(exponent, "^"):
            raise Unreadable("a power of a power is not computed")
        if isinstance(exponent, Num) and exponent.value > _LARGEST_POWER and not isinstance(base, Name):
            raise Unreadable("a power is too large")
        return self.sympy.Pow(*args, evaluate=False)


_STATEMENTS: Final = {
    "=": "Eq", "!=": "Ne", "<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "and": "And", "or": "Or",
    "not": "Not", "=>": "Implies",
}  # fmt: skip
_NAMES: Final = {
    "abs": "Abs", "floor": "floor", "ceil": "ceiling", "!": "factorial", "binom": "binomial", "gcd": "gcd",
    "lcm": "lcm", "mod": "Mod", "log": "log", "ln": "log", "exp": "exp", "sin": "sin", "cos": "cos",
    "tan": "tan",
    "cot": "cot", "sec": "sec", "csc": "csc", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
}  # fmt: skip
