"""POT9016: `Exists` over an implication, which one thing without the antecedent makes true."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Applicability, Fix, Place, Replace
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import App, Node, Quant, reachable
from potlang.linter.linted import LintedProgram, Statement, expressions
from potlang.linter.rule import LintFinding, LintRule

_HELPS = (
    'write `And` for "some A is B": `Exists([x], And(A, B))`',
    'write `ForAll` for "every A is B"',
)


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    if not any(map(_is_meant, program.used.quantifiers)):
        return
    for each in program.statements:
        if not isinstance(each.formula, Quant | App) or not any(map(_is_meant, reachable(each.formula))):
            continue
        yield from _placed(each)


def _is_meant(node: Node) -> bool:
    if not isinstance(node, Quant) or node.kind != "exists":
        return False
    return isinstance(node.body, App) and node.body.op is op.IMPLIES


def _placed(each: Statement) -> Iterator[LintFinding]:
    found = False
    for formula in each.formulas:
        for expr in expressions(formula.root) if formula.root is not None else ():
            match expr:
                case s.Call(head=s.Name(id="Exists"), args=[_, *_, body]) if sides := halves(body):
                    found = True
                    place = Place(formula.pointer, (expr.start, expr.end))
                    yield LintFinding(place, helps=_HELPS, fixes=(_joined(formula, body, sides),))
                case _:
                    pass
    if not found:
        yield LintFinding(each.place, helps=_HELPS)


def halves(expr: s.Expr) -> tuple[s.Expr, s.Expr] | None:
    """Antecedent and consequent of an implication."""
    match expr:
        case s.Call(head=s.Name(id="Implies"), args=[one, other]) | s.Infix(op="->", args=[one, other]):
            return one, other
        case _:
            return None


def _joined(formula: s.Formula, body: s.Expr, sides: tuple[s.Expr, s.Expr]) -> Fix:
    one, other = (formula.text[side.start : side.end] for side in sides)
    text = f"And({one}, {other})"
    edit = Replace(formula.pointer, body.start, body.end, text)
    return Fix(f"write `{text}`", Applicability.UNSAFE, (edit,))


RULE = LintRule("POT9016", _find)
