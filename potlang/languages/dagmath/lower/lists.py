"""Formulas between commas and words: statements that all hold, values, variables ([STEP-FORMULAS])."""

from __future__ import annotations

from collections.abc import Sequence

from potlang.languages.dagmath.lower.syntax import Op, Term, Unreadable, is_op, is_statement


def listed(items: list[Term]) -> Term:
    """`A, B`: all hold; `x, y > 0` says it of both variables. Raises Unreadable."""
    if any(is_op(item, "or") for item in items):
        raise Unreadable("it is not clear how `or` and the commas are grouped")
    *firsts, last = items
    if not any(map(is_statement, firsts)) and is_op(last, "<", "<=", ">", ">=", "!=", "in"):
        return Op("and", tuple(Op(last.op, (each, *last.args[1:])) for each in (*firsts, last.args[0])))
    return several("and", items, "it is not clear what the list says")


def several(op: str, items: list[Term], otherwise: str) -> Term:
    """Statements joined by `op`, or a list of numbers, or `x = 2 or 3`: two values of one variable.

    Raises Unreadable with the reason `otherwise` for anything else.
    """
    if all(map(is_statement, items)):
        return Op(op, tuple(items))
    if not any(map(is_statement, items)):
        return Op("list", tuple(items))
    return with_values(items[0], items[1:], otherwise)


def with_values(first: Term, others: Sequence[Term], otherwise: str) -> Term:
    """An equation and other values of its left side as alternatives. Raises Unreadable for anything else."""
    if not is_op(first, "=") or any(map(is_statement, others)):
        raise Unreadable(otherwise)
    return Op("or", (first, *(Op("=", (first.args[0], other)) for other in others)))
