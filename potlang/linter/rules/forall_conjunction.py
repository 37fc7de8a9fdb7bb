"""POT9017: `ForAll` over a conjunction that begins with a class: it says that everything belongs to it."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Applicability, Fix, Place, Replace
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import App, Node, Quant, Symbol, reachable
from potlang.ir.sorts import DeclaredSort
from potlang.linter.linted import LintedProgram, Statement, expressions
from potlang.linter.rule import LintFinding, LintRule

_HELPS = ('write `Implies` for "every A is B": `ForAll([x], Implies(A, B))`',)


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    if not any(map(_is_meant, program.used.quantifiers)):
        return
    for each in program.statements:
        if isinstance(each.formula, Quant | App) and any(map(_is_meant, reachable(each.formula))):
            yield from _placed(each)


def _is_meant(node: Node) -> bool:
    if not isinstance(node, Quant) or node.kind != "forall" or len(node.binders) != 1:
        return False
    body, var = node.body, node.binders[0]
    if not isinstance(body, App) or body.op is not op.AND or not isinstance(var.sort, DeclaredSort):
        return False
    first = body.args[0]
    # Ranges of numbers and relations to something named are said of everything on purpose.
    return isinstance(first, App) and isinstance(first.op, Symbol) and first.args == (var,)


def _placed(each: Statement) -> Iterator[LintFinding]:
    found = False
    for formula in each.formulas:
        for expr in expressions(formula.root) if formula.root is not None else ():
            match expr:
                case s.Call(head=s.Name(id="ForAll" | "Forall"), args=[_, *_, body]) if parts := _parts(body):
                    found = True
                    place = Place(formula.pointer, (expr.start, expr.end))
                    yield LintFinding(place, helps=_HELPS, fixes=_implied(formula, body, parts))
                case _:
                    pass
    if not found:
        yield LintFinding(each.place, helps=_HELPS)


def _parts(expr: s.Expr) -> list[s.Expr]:
    match expr:
        case s.Call(head=s.Name(id="And"), args=parts) | s.Infix(op="and", args=parts):
            return parts
        case _:
            return []


def _implied(formula: s.Formula, body: s.Expr, parts: list[s.Expr]) -> tuple[Fix, ...]:
    if len(parts) != 2:
        return ()
    one, other = (formula.text[part.start : part.end] for part in parts)
    text = f"Implies({one}, {other})"
    edit = Replace(formula.pointer, body.start, body.end, text)
    return (Fix(f"write `{text}`", Applicability.UNSAFE, (edit,)),)


RULE = LintRule("POT9017", _find)
