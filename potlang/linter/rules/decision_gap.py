"""POT9032: rules that decide a value leave out a case that the program allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.diag import Label
from potlang.ir import operators as op
from potlang.ir.nodes import App, Node, Symbol, Var, free_variables
from potlang.ir.sorts import BOOL
from potlang.ir.substitute import substitute
from potlang.linter.clashes import Conclusion, conclusions
from potlang.linter.disagreement import is_normative, some
from potlang.linter.linted import LintedProgram, conjuncts, literal
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    premises = program.in_any_case()
    if not questions.possible(*premises):
        return
    for symbol, group in conclusions(program).items():
        if not _is_decision(symbol, group):
            continue
        term = group[0].term
        variables = tuple(arg for arg in term.args if isinstance(arg, Var))
        conditions = [_over(program, each, variables) for each in group]
        negated = [program.module.pool.negate(each) for each in conditions]
        if questions.possible(some(program.module.pool, variables, negated), *premises):
            case = _case(program, questions, variables, negated, premises)
            yield _finding(program, group, case, variables)


def _is_decision(symbol: Symbol, group: list[Conclusion]) -> bool:
    """Whether the rules say what the value is for any arguments, and not all the same."""
    plain = all(
        len(set(each.term.args)) == len(each.term.args)
        and set(each.term.args) == set(each.rule.binders)
        and not any(
            var in free_variables(each.rule.antecedent)
            for var in set(each.rule.binders) - set(each.term.args)
        )
        for each in group
    )
    if symbol.range is BOOL:
        return plain and is_normative(symbol.name) and len({literal(each.formula)[1] for each in group}) == 2
    equations = all(isinstance(each.formula, App) and each.formula.op is op.EQ for each in group)
    values = {other for each in group if isinstance(each.formula, App) for other in each.formula.args}
    return plain and equations and len(values) > len(group) and len(group) > 1


def _over(program: LintedProgram, each: Conclusion, variables: tuple[Var, ...]) -> Node:
    """The condition of a rule about the same variables."""
    own = [arg for arg in each.term.args if isinstance(arg, Var)]
    replaced: dict[Node, Node] = {old: new for old, new in zip(own, variables, strict=True) if old is not new}
    condition = each.rule.antecedent
    return substitute(program.module.pool, condition, replaced) if replaced else condition


def _case(
    program: LintedProgram,
    questions: Questions,
    variables: tuple[Var, ...],
    negated: list[Node],
    premises: list[Node],
) -> list[Node]:
    """Literals of the conditions that describe one case, none more than it needs."""
    pool = program.module.pool
    atoms = dict.fromkeys(literal(part)[0] for each in negated for part in conjuncts(literal(each)[0]))
    chosen: list[Node] = []
    for atom in atoms:
        for side in (pool.negate(atom), atom):
            if questions.possible(some(pool, variables, [*negated, *chosen, side]), *premises):
                chosen.append(side)
                break
    applies = pool.disj(map(pool.negate, negated))
    for part in tuple(chosen):
        fewer = [each for each in chosen if each is not part]
        if questions.impossible(some(pool, variables, [*fewer, applies])):
            chosen = fewer
    return chosen


def _finding(
    program: LintedProgram, group: list[Conclusion], case: list[Node], variables: tuple[Var, ...]
) -> LintFinding:
    first, *rest = group
    names = ", ".join(var.name for var in variables)
    listed = " and ".join(program.text(each, variables) for each in case)
    return LintFinding(
        first.rule.statement.place,
        {"term": program.text(first.term, variables), "case": f"{names} with {listed}"},
        labels=tuple(Label(each.rule.statement.place, "this rule says it for another") for each in rest[:4]),
        helps=("add a rule for this case, or make one of the rules a `default`",),
    )


RULE = LintRule("POT9032", ask=_ask, by_default=False)
