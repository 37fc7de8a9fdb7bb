"""The child's side of judging answers: LaTeX in, equal or not out, with a library made for it ([DAG-EQUAL]).

The library hands numerals to SymPy as text, and SymPy evaluates such text as Python. Here it cannot:
what is no plain numeral is refused, so that nothing of an answer is ever run.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
from typing import Any

from potlang.solve.frames import FrameError, Message
from potlang.solve.worker import Limits, Pipes, watch_parent

_DOLLAR = re.compile(r"(?<!\\)\$")
_NUMERAL = re.compile(r"\s*(Integer|Float) \('?([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?)'? ?\)\s*")


def main() -> None:
    """Answers requests until the parent closes the pipe."""
    pipes = Pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.disable(logging.CRITICAL)
    compare = _comparison()
    limits = Limits()
    limits.deepen_stack()
    watch_parent(pipes.fileno())
    with contextlib.suppress(BrokenPipeError, FrameError):
        pipes.send({"kind": "hello"})
        while (message := pipes.receive()) is not None:
            limits.deadline(message["deadline"])
            limits.memory(message["memory"], slack=0)
            answer = _answer(compare, message)
            limits.deadline(0.0)
            pipes.send({**answer, "tag": message["tag"], "peak": limits.peak()})
    os._exit(0)


def _answer(compare: Any, message: Message) -> Message:
    try:
        return dict(compare(message["given"], message["expected"]))
    except MemoryError:
        return {"failed": "out of memory"}
    except RecursionError:
        return {"failed": "nested too deeply"}
    except Exception as error:
        return {"failed": type(error).__name__}


def _comparison() -> Any:
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
