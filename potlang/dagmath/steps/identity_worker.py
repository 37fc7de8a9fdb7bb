"""The child's side of identities: two expressions in, whether SymPy shows them equal out ([STEP-SYMPY])."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

from potlang.solve.frames import FrameError, Message
from potlang.solve.worker import Limits, Pipes, watch_parent

from .formulas import read_formula
from .syntax import Op, Quantity, Term, Unreadable, free_names, parts
from .to_sympy import to_sympy


def main() -> None:
    """Answers requests until the parent closes the pipe."""
    pipes = Pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import sympy

    limits = Limits()
    limits.deepen_stack()
    watch_parent(pipes.fileno())
    with contextlib.suppress(BrokenPipeError, FrameError):
        pipes.send({"kind": "hello"})
        while (message := pipes.receive()) is not None:
            limits.deadline(message["deadline"])
            limits.memory(message["memory"], slack=0)
            answer = _answer(sympy, message)
            limits.deadline(0.0)
            pipes.send({**answer, "tag": message["tag"], "peak": limits.peak()})
    os._exit(0)


def _answer(sympy: Any, message: Message) -> Message:
    try:
        names = frozenset(message["functions"]), frozenset(message["variables"])
        sides = [read_formula(message[side], *names) for side in ("left", "right")]
        return {"equal": are_equal(sympy, sides[0], sides[1], frozenset(message["integers"]))}
    except Unreadable as error:
        return {"failed": str(error)}
    except MemoryError:
        return {"failed": "out of memory"}
    except RecursionError:
        return {"failed": "nested too deeply"}
    except Exception as error:
        return {"failed": type(error).__name__}


def are_equal(sympy: Any, left: Term, right: Term, integers: frozenset[str]) -> bool:
    """Whether SymPy shows that two expressions are equal wherever they are defined."""
    if (
        len(
            {"log", "ln"}
            & {part.op for side in (left, right) for part in parts(side) if isinstance(part, Op)}
        )
        > 1
    ):
        return False  # The base of `log` is the reader's guess, and then it matters.
    positive = _positive(left) | _positive(right)

    def symbol(name: str) -> Any:
        whole = {"integer": True} if name in integers else {"real": True}
        return sympy.Symbol(name, positive=True if name in positive else None, **whole)

    difference = to_sympy(left, symbol) - to_sympy(right, symbol)
    difference = difference.doit()
    for simplify in (
        sympy.expand,
        sympy.together,
        sympy.powsimp,
        sympy.expand_log,
        sympy.trigsimp,
        sympy.simplify,
    ):
        difference = simplify(difference)
        if difference == 0:
            return True
    return False


def _positive(term: Term) -> set[str]:
    """Variables that a logarithm is taken of: the term is defined only where they are positive."""
    found: set[str] = set()
    for part in parts(term):
        if isinstance(part, Op) and part.op in ("log", "ln", "logbase") and not isinstance(part.args[-1], Op):
            found |= free_names(part.args[-1])
            if isinstance(part.args[-1], Quantity):
                found.add(" ".join(part.args[-1].words))
    return found
