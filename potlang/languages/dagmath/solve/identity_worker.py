"""The child's side of identities: two expressions in, equal or not by SymPy out ([STEP-SYMPY])."""

from __future__ import annotations

from typing import Any

from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.syntax import Op, Quantity, Term, Unreadable, free_names, is_op, parts
from potlang.languages.dagmath.lower.to_sympy import to_sympy
from potlang.languages.dagmath.solve.child import SympyService
from potlang.processes.frames import Message


def identities() -> SympyService:
    """The service that compares expressions."""
    import sympy

    return SympyService(lambda message: _answer(sympy, message))


def _answer(sympy: Any, message: Message) -> Message:
    names = frozenset(message["functions"]), frozenset(message["variables"])
    try:
        left, right = (read_formula(message[side], *names) for side in ("left", "right"))
        return {"equal": are_equal(sympy, left, right, frozenset(message["integers"]))}
    except Unreadable as error:
        return {"failed": str(error)}


def are_equal(sympy: Any, left: Term, right: Term, integers: frozenset[str]) -> bool:
    """Whether SymPy shows that two expressions are equal wherever they are defined."""
    used = {part.op for side in (left, right) for part in parts(side) if isinstance(part, Op)}
    if {"log", "ln"} <= used:
        return False  # The base of `log` is the reader's guess, and then it matters.
    positive = _positive(left) | _positive(right)

    def symbol(name: str) -> Any:
        whole = {"integer": True} if name in integers else {"real": True}
        return sympy.Symbol(name, positive=True if name in positive else None, **whole)

    difference = (to_sympy(left, symbol) - to_sympy(right, symbol)).doit()
    # From the cheapest to the dearest: most identities are found before `simplify` tries everything.
    for name in ("expand", "together", "powsimp", "expand_log", "trigsimp", "simplify"):
        difference = getattr(sympy, name)(difference)
        if difference == 0:
            return True
    return False


def _positive(term: Term) -> set[str]:
    """Variables that a logarithm is taken of: the term is defined only where they are positive."""
    found: set[str] = set()
    for part in parts(term):
        if is_op(part, "log", "ln", "logbase") and not isinstance(part.args[-1], Op):
            found |= free_names(part.args[-1])
            if isinstance(part.args[-1], Quantity):
                found.add(" ".join(part.args[-1].words))
    return found
