"""POT9036: a claim is open, and would not be if names stood for different things, or for all there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.diag import Applicability, Fix, Patch
from potlang.ir import operators as op
from potlang.ir.nodes import Node, Quant, SymbolKind
from potlang.ir.sorts import DeclaredSort, Sort
from potlang.linter.linted import LintedProgram, Statement, literal
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions

_MOST_NAMES = 40
_UNIQUE = "different names stood for different things", "unique_names"
_CLOSED = "there were nothing but what has a name", "closed_domain"


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    premises = program.without_rules([])
    pool = program.module.pool
    unique, closed = _unique_names(program), _closed_domains(program)
    for claim in program.claims:
        formula, negation = claim.formula, pool.negate(claim.formula)
        if not (questions.possible(formula, *premises) and questions.possible(negation, *premises)):
            continue
        of_all = [closed[sort] for sort in _universal(formula) if sort in closed]
        for assumptions, (words, key) in ((unique, _UNIQUE), (of_all, _CLOSED)):
            if not assumptions or not questions.possible(*assumptions, *premises):
                continue
            if questions.impossible(negation, *assumptions, *premises):
                yield _finding(program, claim, "entailed", words, key)
                break
            if key != _CLOSED[1] and questions.impossible(formula, *assumptions, *premises):
                yield _finding(program, claim, "refuted", words, key)
                break


def _universal(claim: Node) -> list[Sort]:
    """The sorts of all of whose members a claim speaks; of other claims the names decide nothing."""
    formula, holds = literal(claim)
    if not isinstance(formula, Quant) or (formula.kind == "forall") is not holds:
        return []
    return [var.sort for var in formula.binders]


def _finding(program: LintedProgram, claim: Statement, verdict: str, words: str, key: str) -> LintFinding:
    semantics = program.tree.semantics
    exists = bool(semantics.unique_names or semantics.closed_domain)
    edit = Patch("add", f"/semantics/{key}", True) if exists else Patch("add", "/semantics", {key: True})
    return LintFinding(
        claim.place,
        {"claim": claim.title, "verdict": verdict, "assumption": words},
        helps=(f'if that is meant, write `"semantics": {{"{key}": true}}`',),
        fixes=(Fix(f"assume `{key}`", Applicability.UNSAFE, (edit,)),),
    )


def _unique_names(program: LintedProgram) -> list[Node]:
    module = program.module
    found: list[Node] = []
    for sort in module.sorts:
        names = [module.pool.sym(each) for each in module.constants(sort)]
        if isinstance(sort, DeclaredSort) and sort not in module.unique and 1 < len(names) <= _MOST_NAMES:
            found.append(module.pool.app(op.DISTINCT, tuple(names)))
    return found


def _closed_domains(program: LintedProgram) -> dict[Sort, Node]:
    module, pool = program.module, program.module.pool
    # A variable outside of its binder has a name that is nobody's: what closes its sort is another mistake.
    free = {symbol.range for symbol in module.symbols if symbol.kind is SymbolKind.FREE}
    found: dict[Sort, Node] = {}
    for sort in module.sorts:
        names = [pool.sym(each) for each in module.constants(sort)]
        is_open = isinstance(sort, DeclaredSort) and sort not in module.closed and sort not in free
        if is_open and 0 < len(names) <= _MOST_NAMES:
            var = pool.var("x", sort)
            found[sort] = pool.quant("forall", (var,), pool.disj(pool.eq(var, name) for name in names))
    return found


RULE = LintRule("POT9036", ask=_ask)
