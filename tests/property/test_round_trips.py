"""What is printed is read back: PoT, the text of the IR, and single expressions."""

from __future__ import annotations

import json
from typing import Any

from property_support import both, compiled, reads_back

from potlang.diag import Sink
from potlang.expressions import surface
from potlang.expressions.expression import parse_expression
from potlang.ir.digest import digest
from potlang.ir.module import AssertionKind, Module
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Var
from potlang.ir.text import print_module, read_module
from potlang.sema.emit import Writer, module_to_pot
from potlang.source import Document
from potlang.testing import programs


def pot_reads_back(program: dict[str, Any]) -> None:
    """PoT printed from a module compiles, and printing settles what it rewrites.

    That is the names of binders that are in use or of a quantifier that occurs twice, labels, and the
    order of what has sections of its own: norms after axioms, free variables as they then occur.
    """
    reads_back(compiled(program))


def pot_keeps_formulas(program: dict[str, Any]) -> None:
    """The printed program's formulas are the same, in the same order, up to names of variables."""
    first = compiled(program).module
    second = compiled(module_to_pot(first)).module
    assert _texts(second) == _texts(first)


def _texts(module: Module) -> list[list[str]]:
    """The roots by section; rules come after facts in print."""

    def some(kind: AssertionKind) -> list[str]:
        return [tree(a.formula) for a in module.assertions if a.kind is kind]

    optimization = module.optimization
    return [
        *(some(kind) for kind in (AssertionKind.SEMANTICS, AssertionKind.FACT, AssertionKind.RULE)),
        [tree(claim.formula, claim.find) for claim in module.claims],
        [tree(claim.formula) for claim in module.norms],
        [] if optimization is None else [tree(each.formula) for each in optimization.constraints],
        [] if optimization is None else [tree(each.term) for each in optimization.objectives],
    ]


def tree(node: Node, bound: tuple[Var, ...] = ()) -> str:
    """A term without names of variables and without sharing."""
    match node:
        case Var():
            return f"?{bound.index(node)}"
        case Sym(symbol=symbol):
            return repr(symbol.name)
        case Lit(value=value, sort=sort):
            return f"{value!r}: {sort}"
        case App(op=head, args=args):
            return f"({head} {' '.join(tree(arg, bound) for arg in args)})"
        case Quant(kind=kind, binders=binders, body=body):
            return f"({kind} {[str(var.sort) for var in binders]} {tree(body, (*bound, *binders))})"


def ir_reads_back(program: dict[str, Any]) -> None:
    """The text of the IR is read back and prints the same; the digest is that of the text's module."""
    module = compiled(program).module
    text = print_module(module)
    again = read_module(text)
    assert print_module(again) == text
    assert digest(again) == digest(module)


def expressions_read_back(program: dict[str, Any]) -> None:
    """A formula, printed and read in the same scope, is the same formula."""
    found = compiled(program)
    writer = Writer(found.module)
    for claim in (*found.module.claims, *found.module.norms):
        if claim.find:
            continue
        text = writer.term(claim.formula)
        sink = Sink(Document.from_str(text))
        root = parse_expression(text, "", sink)
        node = found.extension.formula(surface.Formula("", text, root), sink)
        assert node is not None, (text, [d.message for d in sink.diagnostics()])
        assert tree(node) == tree(claim.formula)


def text_of_json_is_the_value(program: dict[str, Any]) -> None:
    """A program is the same as JSON value, as text and as bytes."""
    text = json.dumps(program, indent=2)
    value, as_text, as_bytes = (digest(compiled(s).module) for s in (program, text, text.encode()))
    assert value == as_text == as_bytes


test_pot, test_pot_deep = both(pot_reads_back, programs(), quick=100)
test_formulas, test_formulas_deep = both(pot_keeps_formulas, programs(), quick=100)
test_ir, test_ir_deep = both(ir_reads_back, programs(), quick=100)
test_expressions, test_expressions_deep = both(expressions_read_back, programs(), quick=60)
test_sources, test_sources_deep = both(text_of_json_is_the_value, programs(), quick=30)
