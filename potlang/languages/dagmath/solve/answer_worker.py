"""The child's side of judging answers: LaTeX in, equal or not out, with a library made for it ([DAG-EQUAL]).

The library hands numerals to SymPy as text, and SymPy evaluates such text as Python. Here it cannot:
what is no plain numeral is refused, so that nothing of an answer is ever run.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from potlang.languages.dagmath.solve.child import SympyService
from potlang.processes.frames import Message

_DOLLAR = re.compile(r"(?<!\\)\$")
_NUMERAL = re.compile(r"\s*(Integer|Float) \('?([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?)'? ?\)\s*")


def judge() -> SympyService:
    """The service that compares answers."""
    logging.disable(logging.CRITICAL)
    compare = _comparison()
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
        return {"equal": bool(verify(wanted, found, timeout_seconds=None, raise_on_error=True))}

    return compare


def _numeral(code: str, _local: object, _global: object) -> Any:
    """A numeral in SymPy's own words, read and not evaluated; ValueError for anything else."""
    from sympy import Float, Integer

    found = _NUMERAL.fullmatch(code)
    if found is None:
        raise ValueError("not a numeral")
    return Integer(int(found[2])) if found[1] == "Integer" else Float(found[2])
