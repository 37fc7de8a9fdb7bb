"""POT9018: a whole number is said to equal a fraction, which it never does."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from potlang.diag import Applicability, Fix, Label, Patch, Place
from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Symbol, is_flat, reachable
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    if all(
        not isinstance(each.value, Fraction) or each.value.denominator == 1 for each in program.used.literals
    ):
        return
    places = {each.name: f"{each.pointer}/range" for each in program.tree.functions}
    for each in program.statements:
        for node in () if is_flat(each.formula) else reachable(each.formula):
            sides = whole_number(node)
            if sides is not None:
                whole, fraction = sides
                symbol = getattr(whole, "symbol", None) or getattr(whole, "op", None)
                name = symbol.name if isinstance(symbol, Symbol) else ""
                text = f"{program.text(whole)} == {program.text(fraction)}"
                yield _finding(each.place, text, name, places.get(name))


def _finding(place: Place, text: str, name: str, declared: str | None) -> LintFinding:
    if declared is None:
        return LintFinding(place, {"text": text}, helps=("write a whole number, or declare a Real",))
    edit = Patch("replace", declared, "Real")
    return LintFinding(
        place,
        {"text": text},
        labels=(Label(Place(declared), f"the values of `{name}` are whole numbers"),),
        helps=(f"if `{name}` may be a fraction, give it the range Real; otherwise write a whole number",),
        fixes=(Fix(f"give `{name}` the range Real", Applicability.UNSAFE, (edit,)),),
    )


def whole_number(node: Node) -> tuple[Node, Lit] | None:
    """The Int term and the fraction of an equation between such."""
    if not isinstance(node, App) or node.op is not op.EQ:
        return None
    for one, other in (node.args, node.args[::-1]):
        if isinstance(one, App) and one.op is op.TO_REAL and isinstance(other, Lit):
            value = other.value
            if isinstance(value, Fraction) and value.denominator != 1:
                return one.args[0], other
    return None


RULE = LintRule("POT9018", _find)
