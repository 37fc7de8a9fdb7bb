"""Typed formulas as a person would write them in a program, for cases, claims and sentences."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node
from potlang.ir.sorts import REAL
from potlang.linter.linted import bare
from potlang.policy.boundaries import is_literal
from potlang.sema.emit import Writer

_SIGNS: Final[dict[object, tuple[str, str]]] = {op.LT: ("<", ">"), op.LE: ("<=", ">="), op.EQ: ("==", "==")}
"""Signs of comparisons, and the same seen from the other side."""


def formula_text(writer: Writer, formula: Node) -> str:
    """An atom as text: a comparison with its literal on the right, and literals as they were written.

    Raises Unwritable.
    """
    text = bare(writer.term(formula))
    signs = _SIGNS.get(formula.op) if isinstance(formula, App) else None
    if signs is None or not isinstance(formula, App):
        return text
    sides = text.split(f" {signs[0]} ")
    if len(sides) != 2:
        return text
    sign, mirrored = signs
    left, right = (_decimal_text(node, side) for node, side in zip(formula.args, sides, strict=True))
    if is_literal(formula.args[0]):
        return f"{right} {mirrored} {left}"
    return f"{left} {sign} {right}"


def decimal_number(value: Fraction) -> int | float | None:
    """A number whose shortest numeral says just this value; None where there is none."""
    if value.denominator == 1:
        return int(value)
    found = float(value)
    return found if Fraction(repr(found)) == value else None


def _decimal_text(node: Node, text: str) -> str:
    """A side of a comparison; a real literal as a decimal where it is one."""
    if not isinstance(node, Lit) or node.sort is not REAL:
        return text
    assert isinstance(node.value, int | Fraction)
    found = decimal_number(Fraction(node.value))
    return text if found is None or "e" in repr(found) else repr(found)
