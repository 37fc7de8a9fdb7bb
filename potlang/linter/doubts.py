"""Verdicts that rules of the linter speak of, found by form: where `potc lint` says more than a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, is_flat, symbols_in
from potlang.ir.sorts import DeclaredSort
from potlang.languages.pot.program import Program
from potlang.report.results import ProgramResult, Result, Verdict

_MOST = 2
"""Names of one kind, and the rest is `…`."""
_MOST_ASSUMPTIONS = 2_000


class _Halves(NamedTuple):
    condition: Node
    conclusion: Node


def doubts(program: Program, report: ProgramResult) -> str:
    """Doubts that the verdicts of the report are what was meant, on one line; empty if there are none.

    No solver is asked, and no rule of the linter is run ([LINT-DOUBT]).
    """
    module = program.untabled
    if program.tables is not None or len(module.assertions) > _MOST_ASSUMPTIONS:
        return ""
    assumed = {each.origin.pointer: each.formula for each in module.assertions}
    asked = {each.origin.pointer: each.formula for each in (*module.claims, *module.norms)}
    found: dict[str, dict[str, None]] = {}
    with program.borrowed():
        for result in report.results:
            claim, core = asked.get(result.pointer), result.evidence.core
            places = [each.pointer for each in core or () if each.pointer in assumed]
            seen = list(_opposed(program, assumed, places))
            if claim is not None and result.verdict is Verdict.UNDETERMINED:
                seen += _open(program, result, claim)
            if claim is not None and result.verdict is Verdict.ENTAILED and core is not None and assumed:
                seen += _idle(result, claim, [assumed[place] for place in places])
            for words, name in seen:
                found.setdefault(words, {})[name] = None
    return "; ".join(words.format(_listed(names)) for words, names in found.items())


def _listed(names: dict[str, None]) -> str:
    listed = list(names)
    return ", ".join([*listed[:_MOST], *(["…"] if len(listed) > _MOST else [])])


def _idle(result: Result, claim: Node, core: list[Node]) -> Iterator[tuple[str, str]]:
    """Of a claim that is entailed and says nothing."""
    halves = _halves(claim)
    if not core:
        if not isinstance(claim, Lit):
            yield "it holds whatever the program says: {}", f'"{result.name}"'
    elif halves is not None and not _functions(halves.conclusion) & _functions(halves.condition, *core):
        # Nothing that it follows from speaks of its conclusion: then its condition is never fulfilled.
        yield "it may be about nothing: {}", f'"{result.name}"'


def _opposed(program: Program, assumed: dict[str, Node], places: list[str]) -> Iterator[tuple[str, str]]:
    """Of a verdict that rests on rules with opposite conclusions."""
    if sum(_halves(assumed[place]) is not None for place in places) < 2:
        return
    from potlang.linter.clashes import clashes, exclude_each_other
    from potlang.linter.disagreement import is_decision
    from potlang.linter.linted import LintedProgram

    linted = LintedProgram(program)
    for clash in clashes(linted):
        one, other = clash.one.statement, clash.other.statement
        is_used = {one.pointer, other.pointer}.issubset(places)
        if not (is_used and clash.is_certain and is_decision(clash)):
            continue
        if not exclude_each_other(linted, *clash.antecedents):
            yield "opposite conclusions: {}", f"{one.title} and {other.title}"


def _open(program: Program, result: Result, claim: Node) -> Iterator[tuple[str, str]]:
    """Of a claim that an assumption would decide which people often have in mind."""
    atom, positive = claim, True
    while isinstance(atom, App) and atom.op is op.NOT:
        atom, positive = atom.args[0], not positive
    if not isinstance(atom, App):
        return
    if atom.op in (op.EQ, op.DISTINCT) and all(isinstance(each, Sym) for each in atom.args):
        yield "two names may stand for one thing: {}", f'"{result.name}"'
    elif not positive and is_flat(atom) and isinstance(atom.op, Symbol):
        from potlang.linter.linted import LintedProgram
        from potlang.linter.rules.open_predicate import RULE, deniable

        if atom.op not in deniable(LintedProgram(program)):
            yield f"nothing says when it is false (`--select {RULE.name}`): {{}}", f"`{atom.op.name}`"


def _halves(formula: Node) -> _Halves | None:
    while isinstance(formula, Quant) and formula.kind == "forall":
        formula = formula.body
    if isinstance(formula, App) and formula.op is op.IMPLIES:
        return _Halves(formula.args[0], formula.args[1])
    return None


def _functions(*roots: Node) -> set[Symbol]:
    """The functions of formulas, those without arguments too; no members of declared sorts."""
    symbols = {symbol for root in roots for symbol in symbols_in(root)}
    return {each for each in symbols if each.domain or not isinstance(each.range, DeclaredSort)}
