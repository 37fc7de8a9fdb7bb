"""What is printed is read back: PoT, the text of the IR, and single expressions."""

from __future__ import annotations

import json
from typing import Any

from property_support import both, compiled, reads_back

from potlang.diag import Sink
from potlang.ir.digest import digest
from potlang.ir.text import print_module, read_module
from potlang.languages import surface
from potlang.languages.pot.emit import Writer, module_to_pot
from potlang.languages.pot.expression import parse_expression
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


def _texts(module: Any) -> list[list[str]]:
    """The roots by section, each as canonical text; rules come after facts in print."""
    from potlang.ir.module import Assertion, AssertionKind, Claim, Module

    def text(root: Any, free: tuple[Any, ...] = ()) -> str:
        closed = module.pool.quant("exists", free, root) if free else root
        lone = Module(module.pool, module.sorts, (), (), (), (Claim("c", "c", closed),))
        return print_module(lone, canonical=True).split("(claim", 1)[1]

    def same(term: Any) -> Any:
        return module.pool.eq(term, term)

    def some(kind: AssertionKind) -> list[str]:
        found: list[Assertion] = [a for a in module.assertions if a.kind is kind]
        return [text(a.formula) for a in found]

    optimization = module.optimization
    return [
        *(some(kind) for kind in (AssertionKind.SEMANTICS, AssertionKind.FACT, AssertionKind.RULE)),
        [text(claim.formula, claim.find) for claim in module.claims],
        [text(claim.formula) for claim in module.norms],
        [] if optimization is None else [text(c.formula) for c in optimization.constraints],
        []
        if optimization is None
        else [text(module.pool.eq(o.term, o.term)) for o in optimization.objectives],
    ]


def ir_reads_back(program: dict[str, Any]) -> None:
    """The text of the IR is read back and prints the same; the digest is that of the text's module."""
    module = compiled(program).module
    text = print_module(module)
    again = read_module(text)
    assert print_module(again) == text
    assert digest(again) == digest(module)


def expressions_read_back(program: dict[str, Any]) -> None:
    """A formula, printed and read in the same scope, prints as the same expression."""
    found = compiled(program)
    writer = Writer(found.module)
    for claim in (*found.module.claims, *found.module.norms):
        if claim.find:
            continue
        text = writer.term(claim.formula)
        sink = Sink(Document.from_str(text))
        root = parse_expression(text, "", sink)
        node = found._extension.formula(surface.Formula("", text, root), sink)
        assert node is not None, (text, [d.message for d in sink.diagnostics()])
        assert _plain(writer.term(node), node) == _plain(text, claim.formula)


def _plain(text: str, root: Any) -> str:
    """The expression with binders numbered in order of creation, whatever they are called."""
    from potlang.ir.nodes import Quant, Var, reachable

    count = sum(isinstance(node, Var | Quant) for node in reachable(root))
    import re

    names: dict[str, str] = {}
    for name in re.findall(r"(\w+): ", text):
        names.setdefault(name, f"?{len(names)}")
    return f"{count} " + re.sub(r"\w+", lambda m: names.get(m[0], m[0]), text)


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
