"""Facts; rules and verifications: binders, then an implication or a constraint, as one closed formula."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from potlang.diag import Place
from potlang.expressions import surface as s
from potlang.ir.module import Assertion
from potlang.ir.nodes import Node, Var
from potlang.ir.pool import Pool
from potlang.sema.binders import warn_shadowing
from potlang.sema.declare import variable_entry
from potlang.sema.elaborate import Elaborator
from potlang.sema.scope import VariableEntry


def fact_formula(fact: s.FactDecl, e: Elaborator) -> tuple[Node, str] | None:
    """The fact and its text; None where it has an error, which is reported."""
    # Of very many facts, hardly one has variables of its own.
    if fact.variables:
        e.scope.local = local_variables(fact.variables, e)
    formula = e.formula(fact.formula)
    e.scope.local = {}
    if formula is None:
        return None
    text = fact.formula.text
    return (formula, text) if fact.value else (e.pool.negate(formula), f"Not({text})")


def local_variables(variables: Sequence[s.BinderDecl], e: Elaborator) -> dict[str, VariableEntry]:
    """The variables of one fact or section alone, by name."""
    entries = [variable_entry(variable, e.sorts) for variable in variables]
    return {entry.name: entry for entry in entries if entry is not None}


class StatementParts(NamedTuple):
    """A statement without its quantifier: the variables that it binds, its formula, and its exceptions."""

    quantifier: str | None
    variables: tuple[Var, ...]
    matrix: Node
    unless: tuple[Node, ...] = ()

    def closed(self, pool: Pool) -> Node:
        """The formula under its binders; the exceptions are not in it."""
        if self.quantifier and self.variables:
            return pool.quant(self.quantifier, self.variables, self.matrix)
        return self.matrix


def statement_formula(statement: s.StatementDecl, e: Elaborator) -> Node | None:
    """The statement under its binders; None where it has an error, which is reported."""
    parts = statement_parts(statement, e)
    return None if parts is None else parts.closed(e.pool)


def statement_parts(statement: s.StatementDecl, e: Elaborator) -> StatementParts | None:
    """The statement in parts; None where it has an error, which is reported."""
    binders = [(decl.name, binder(decl, e)) for decl in statement.binders]
    e.scope.push(binders)
    formula = _matrix(statement, e)
    # A list first: each error is reported, not the first alone.
    unless = [e.formula(each) for each in statement.unless]
    e.scope.pop(binders)
    variables = tuple(var for _, var in binders if var is not None)
    exceptions = tuple([each for each in unless if each is not None])
    if formula is None or len(variables) < len(binders) or len(exceptions) < len(unless):
        return None
    return StatementParts(statement.quantifier, variables, formula, exceptions)


def _matrix(statement: s.StatementDecl, e: Elaborator) -> Node | None:
    if statement.constraint is not None:
        return e.formula(statement.constraint)
    antecedent = e.formula(statement.antecedent)
    consequent = e.formula(statement.consequent)
    if antecedent is None or consequent is None:
        return None
    return e.pool.implies(antecedent, consequent)


def rule_formulas(
    rules: Sequence[s.StatementDecl],
    names: Sequence[str],
    e: Elaborator,
    facts: Iterable[Assertion],
    closed: Container[str],
) -> list[tuple[int, s.StatementDecl, Node]]:
    """Each rule with its index and its formula, exceptions among them taken in; without those in error.

    `facts` override defaults; `closed` are the names of closed predicates.
    """
    if not any(rule.unless or rule.overrides or rule.default for rule in rules):
        alone = ((index, rule, statement_formula(rule, e)) for index, rule in enumerate(rules))
        return [(index, rule, node) for index, rule, node in alone if node is not None]
    from potlang.sema.exceptions import Exceptions

    parts = ((index, rule, statement_parts(rule, e)) for index, rule in enumerate(rules))
    found = [(index, rule, each) for index, rule, each in parts if each is not None]
    named = [(names[index], rule, each) for index, rule, each in found]
    formulas = Exceptions(e.pool, e.sink, closed).formulas(named, facts)
    return [(index, rule, node) for (index, rule, _), node in zip(found, formulas, strict=True)]


def binder(declaration: s.BinderDecl, e: Elaborator) -> Var | None:
    """A fresh variable for a binder written in JSON; its sort may come from `variables`."""
    if declaration.sort is not None:
        sort = e.sorts.resolve(declaration.sort)
        if declaration.name in e.scope.entries:
            warn_shadowing(e, declaration.name, Place(f"{declaration.pointer}/name"))
    else:
        entry = e.scope.lookup(declaration.name)
        sort = entry.sort if isinstance(entry, VariableEntry) else None
        e.free_numbers.bound(declaration.name)
        if not isinstance(entry, VariableEntry):
            e.undeclared.binder(declaration.name, Place(declaration.pointer), None)
    return None if sort is None else e.pool.var(declaration.name, sort)


def statement_text(statement: s.StatementDecl) -> str:
    """The statement on one line in the program's own words."""
    if statement.constraint is not None:
        text = statement.constraint.text
    else:
        assert statement.antecedent is not None and statement.consequent is not None
        text = f"{statement.antecedent.text} -> {statement.consequent.text}"
    if statement.unless:
        text += f" unless {' or '.join(each.text for each in statement.unless)}"
    if not statement.binders:
        return text
    names = ", ".join(_binder_text(decl) for decl in statement.binders)
    return f"{statement.quantifier or 'forall'} {names}: {text}"


def _binder_text(declaration: s.BinderDecl) -> str:
    return declaration.name if declaration.sort is None else f"{declaration.name}: {declaration.sort.name}"
