"""POT9012: a fact, a rule or a claim that is there twice."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Label
from potlang.ir.nodes import Node, Quant, is_flat
from potlang.ir.text import Printer, symbols_in
from potlang.linter.linted import LintedProgram, Statement, literal, removal
from potlang.linter.rule import Finding, LintRule


def _find(program: LintedProgram) -> Iterator[Finding]:
    for statements in ([*program.facts, *program.rules], program.claims):
        first: dict[object, Statement] = {}
        for each in statements:
            earlier = first.setdefault(said(each.formula), each)
            if earlier is not each:
                yield _finding(each, earlier)


def said(formula: Node) -> object:
    """What is equal for formulas that differ in the names of their variables alone."""
    if is_flat(literal(formula)[0]):
        return formula
    symbols = symbols_in(formula)
    # Formulas without variables are the same node of the pool.
    if not _has_variables(formula):
        return formula
    return Printer.of(symbols, canonical=True).root(formula)


def _has_variables(formula: Node) -> bool:
    from potlang.ir.nodes import reachable

    return any(isinstance(each, Quant) for each in reachable(formula))


def _finding(each: Statement, earlier: Statement) -> Finding:
    # Without a claim its result is missing, though what is asked stays the same.
    is_safe = each.kind != "claim"
    return Finding(
        each.place,
        {"one": each.title, "other": earlier.title},
        labels=(Label(earlier.place, "the first one"),),
        helps=("remove one of them, or write what was meant",),
        fixes=(removal(each.pointer, f"remove {each.title}", safe=is_safe),),
    )


RULE = LintRule("POT9012", _find)
