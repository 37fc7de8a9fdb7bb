"""POT9037: a claim denies what no premise makes false."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.diag import Applicability, Fix, Patch
from potlang.ir.nodes import App, Symbol, is_flat
from potlang.linter.linted import LintedProgram, Statement, conjuncts, literal
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    premises = program.without_rules([])
    denied = None
    for claim in program.claims:
        atom, holds = literal(claim.formula)
        if holds or not is_flat(atom) or not isinstance(atom, App) or not isinstance(atom.op, Symbol):
            continue
        denied = deniable(program) if denied is None else denied
        # Of a claim that is refuted the program says enough.
        if atom.op not in denied and questions.possible(claim.formula, *premises):
            yield _finding(program, claim, atom.op.name)


def _finding(program: LintedProgram, claim: Statement, name: str) -> LintFinding:
    place = next((each.pointer for each in program.tree.functions if each.name == name), None)
    edits = () if place is None else (Patch("add", f"{place}/closed", True),)
    return LintFinding(
        claim.place,
        {"claim": claim.title},
        notes=(f"no fact and no rule says when `{name}` is false: what the program does not say is open",),
        helps=(
            f'if it is true only where the program makes it so, declare `{name}` with `"closed": true`',
            "or add the rule that says when it is false",
        ),
        fixes=(Fix(f"close `{name}`", Applicability.UNSAFE, edits),) if edits else (),
    )


def deniable(program: LintedProgram) -> frozenset[Symbol]:
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


RULE = LintRule("POT9037", ask=_ask, by_default=False)
