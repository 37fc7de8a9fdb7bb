"""The child's side of judging answers: LaTeX in, equal or not out, with a library made for it ([DAG-EQUAL]).

The library hands numerals to SymPy as text, and SymPy evaluates such text as Python. Here it cannot:
what is no plain numeral is refused, so that nothing of an answer is ever run.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.syntax import Op, Unreadable, free_names, parts
from potlang.languages.dagmath.lower.to_sympy import to_sympy
from potlang.languages.dagmath.solve.child import SympyService
from potlang.languages.dagmath.solve.identity_worker import are_equal
from potlang.processes.frames import Message

_POINTS = (0.37, 1.21, 2.9)
_PRECISION = 25
_NOTHING = 1e-12
_TRIGONOMETRIC = frozenset(("sin", "cos", "tan", "cot", "sec", "csc"))
_OPERATIONS = _TRIGONOMETRIC | {"+", "*", "/", "neg", "^"}
_DOLLAR = re.compile(r"(?<!\\)\$")
_NUMERAL = re.compile(r"\s*(Integer|Float) \('?([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?)'? ?\)\s*")


def judge() -> SympyService:
    """The service that compares answers."""
    logging.disable(logging.CRITICAL)
    compare = _comparison()
    # The library makes its tables when they are needed: no answer's time is to be spent on them.
    compare(r"\frac{1}{2}", "0.5")
    return SympyService(lambda message: compare(message["given"], message["expected"]))


def _comparison() -> Callable[[str, str], Message]:
    """The comparison of two answers; the library is imported and made safe."""
    import sympy.parsing.sympy_parser as sympy_parser
    from math_verify import LatexExtractionConfig, parse, verify

    sympy_parser.eval_expr = _numeral
    config = [LatexExtractionConfig()]

    def read(text: str) -> list[Any]:
        plain = _DOLLAR.sub("", text).strip().rstrip(".")
        return list(
            parse(
                f"${plain}$", config, fallback_mode="no_fallback", parsing_timeout=None, raise_on_error=True
            )
        )

    def compare(given: str, expected: str) -> Message:
        wanted = read(expected)
        if not wanted:
            return {"failed": "no parser reads the expected answer"}
        found = read(given)
        if not found:
            return {"failed": "no parser reads the answer"}
        if verify(wanted, found, timeout_seconds=None, raise_on_error=True):
            return {"equal": True}
        return {"equal": _is_identity(given, expected)}

    return compare


def _is_identity(given: str, expected: str) -> bool:
    """Whether two expressions with trigonometric functions are equal wherever both are defined."""
    import sympy

    try:
        left, right = (read_formula(_DOLLAR.sub("", each).strip().rstrip(".")) for each in (given, expected))
        used = {part.op for side in (left, right) for part in parts(side) if isinstance(part, Op)}
        if not used & _TRIGONOMETRIC or not used <= _OPERATIONS or free_names(left) != free_names(right):
            return False
        difference = to_sympy(left) - to_sympy(right)
        return _vanishes(difference) and are_equal(sympy, left, right, frozenset())
    except Unreadable:
        return False


def _vanishes(difference: Any) -> bool:
    """Whether an expression is 0 at some points, for all that 15 digits tell; quick where it is not."""
    names = sorted(difference.free_symbols, key=str)
    values = [
        abs(difference.evalf(_PRECISION, {name: at + index / 7 for index, name in enumerate(names)}))
        for at in _POINTS
    ]
    return all(each.is_number and each.is_finite and each < _NOTHING for each in values)


def _numeral(code: str, _local: object, _global: object) -> Any:
    """A numeral in SymPy's own words, read and not evaluated; ValueError for anything else."""
    from sympy import Float, Integer

    found = _NUMERAL.fullmatch(code)
    if found is None:
        raise ValueError("not a numeral")
    return Integer(int(found[2])) if found[1] == "Integer" else Float(found[2])
