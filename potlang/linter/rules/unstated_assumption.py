"""POT9036: a claim is open, and would not be if names stood for different things, or for all there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.diag import Applicability, Fix, Patch
from potlang.ir import operators as op
from potlang.ir.nodes import App, Node, Symbol, is_flat
from potlang.ir.sorts import DeclaredSort
from potlang.linter.linted import LintedProgram, Statement, conjuncts, literal
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions

_MOST_NAMES = 40
_UNIQUE = "different names stood for different things", "unique_names"
_CLOSED = "there were nothing but what has a name", "closed_domain"
_FALSE = "what does not follow counted as false"


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    premises = program.without_rules([])
    pool = program.module.pool
    unique, closed = _unique_names(program), _closed_domains(program)
    denied = None
    for claim in program.claims:
        formula, negation = claim.formula, pool.negate(claim.formula)
        if not (questions.possible(formula, *premises) and questions.possible(negation, *premises)):
            continue
        for assumptions, (words, key) in ((unique, _UNIQUE), (closed, _CLOSED)):
            if not assumptions or not questions.possible(*assumptions, *premises):
                continue
            if questions.impossible(negation, *assumptions, *premises):
                yield _finding(program, claim, "entailed", words, key)
                break
            if questions.impossible(formula, *assumptions, *premises):
                yield _finding(program, claim, "refuted", words, key)
                break
        else:
            atom, holds = literal(formula)
            if not holds and is_flat(atom) and isinstance(atom, App) and isinstance(atom.op, Symbol):
                denied = _denied(program) if denied is None else denied
                if atom.op not in denied:
                    yield _finding(program, claim, "entailed", _FALSE, "")


def _finding(program: LintedProgram, claim: Statement, verdict: str, words: str, key: str) -> LintFinding:
    fields = {"claim": claim.title, "verdict": verdict, "assumption": words}
    if not key:
        note = "no fact and no rule says when it is false: what the program does not say is open"
        atom, _ = literal(claim.formula)
        name = atom.op.name if isinstance(atom, App) and isinstance(atom.op, Symbol) else ""
        helps = (
            f'if it is true only where the program makes it so, declare `{name}` with `"closed": true`',
            "or add the rule that says when it is false",
        )
        place = next((each.pointer for each in program.tree.functions if each.name == name), None)
        edits = () if place is None else (Patch("add", f"{place}/closed", True),)
        fixes = (Fix(f"close `{name}`", Applicability.UNSAFE, edits),) if edits else ()
        return LintFinding(claim.place, fields, notes=(note,), helps=helps, fixes=fixes)
    semantics = program.tree.semantics
    exists = bool(semantics.unique_names or semantics.closed_domain)
    edit = Patch("add", f"/semantics/{key}", True) if exists else Patch("add", "/semantics", {key: True})
    return LintFinding(
        claim.place,
        fields,
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


def _closed_domains(program: LintedProgram) -> list[Node]:
    module, pool = program.module, program.module.pool
    found: list[Node] = []
    for sort in module.sorts:
        names = [pool.sym(each) for each in module.constants(sort)]
        if isinstance(sort, DeclaredSort) and sort not in module.closed and 0 < len(names) <= _MOST_NAMES:
            var = pool.var("x", sort)
            found.append(pool.quant("forall", (var,), pool.disj(pool.eq(var, name) for name in names)))
    return found


def _denied(program: LintedProgram) -> frozenset[Symbol]:
    """The predicates that a premise may make false, by its form."""
    closed = {each.name for each in program.tree.functions if each.closed}
    found = {each for each in program.module.symbols if each.name in closed}
    concluded = {each.statement.pointer: each.consequent for each in program.implications}
    for statement in (*program.facts, *program.rules):
        for part in conjuncts(concluded.get(statement.pointer, statement.formula)):
            atom, holds = literal(part)
            if holds and isinstance(atom, App) and isinstance(atom.op, Symbol):
                continue
            # Of other forms everything that occurs may be denied.
            seen = program.mentioned([part]).symbols
            found |= seen
    return frozenset(found)


RULE = LintRule("POT9036", ask=_ask)
