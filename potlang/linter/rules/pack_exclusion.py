"""POT9041: packs that together leave a predicate nothing to be true of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from potlang.diag import Place
from potlang.ir.module import Assertion
from potlang.ir.nodes import Node, Symbol
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL
from potlang.linter.linted import LintedProgram
from potlang.linter.pack_axioms import (
    ImportedAxioms,
    imported_axioms,
    listed,
    other_places,
    parts_of,
    said_in_words,
    smallest_clash,
)
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    imports = imported_axioms(program)
    # What contradicts itself excludes everything, which is another rule's finding.
    if len(imports) < 2 or questions.impossible(*program.without_rules([])):
        return
    for symbol in _shared_predicates(program, imports):
        for words, case in _cases(program.module.pool, symbol):
            clash = _clash(questions, imports, case)
            if clash:
                yield _finding(program, symbol, words, clash)
                break


def _formulas(imported: ImportedAxioms) -> list[Node]:
    return [each.formula for each in imported.axioms]


def _shared_predicates(program: LintedProgram, imports: list[ImportedAxioms]) -> list[Symbol]:
    """Predicates with arguments of which several imports speak, in their order."""
    used = [program.mentioned(_formulas(each)).symbols for each in imports]
    return [
        each
        for each in program.module.symbols
        if each.domain and each.range is BOOL and sum(each in symbols for symbols in used) > 1
    ]


def _cases(pool: Pool, symbol: Symbol) -> Iterator[tuple[str, Node]]:
    """That the predicate is true of something, of different things first."""
    variables = [pool.var(f"x{at}", sort) for at, sort in enumerate(symbol.domain, 1)]
    atom = pool.app(symbol, tuple(variables))
    apart = [pool.negate(pool.eq(a, b)) for a, b in combinations(variables, 2) if a.sort == b.sort]
    yield "nothing", pool.quant("exists", tuple(variables), atom)
    if apart:
        yield "no two different things", pool.quant("exists", tuple(variables), pool.conj([atom, *apart]))


def _clash(questions: Questions, imports: list[ImportedAxioms], case: Node) -> list[Assertion]:
    """Axioms of several imports that exclude the case, which none of the imports excludes by itself."""
    axioms = [axiom for each in imports for axiom in each.axioms]
    if not questions.impossible(case, *(each.formula for each in axioms)):
        return []
    if any(questions.impossible(case, *_formulas(each)) for each in imports):
        return []
    return smallest_clash(questions, axioms, [case])


def _finding(program: LintedProgram, symbol: Symbol, words: str, clash: list[Assertion]) -> LintFinding:
    pointer = clash[-1].origin.pointer
    return LintFinding(
        Place(pointer),
        {"packs": listed(parts_of(program, clash)), "name": symbol.name, "nothing": words},
        labels=other_places(clash, pointer),
        notes=said_in_words(program, clash),
        helps=("import one of the packs only, or bind them to different symbols",),
    )


RULE = LintRule("POT9041", ask=_ask)
