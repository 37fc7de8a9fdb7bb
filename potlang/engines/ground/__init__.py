"""Grounding: formulas as clauses over ground terms, instance by instance (`spec/56-grounding.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from potlang.engines.ground.axioms import Axiom
from potlang.engines.ground.clauses import Clauses, clauses_of
from potlang.engines.ground.equality import Classes
from potlang.engines.ground.search import Budget, Search, SearchLimit, plan
from potlang.engines.ground.size import Size, size_of
from potlang.engines.ground.table import FALSE, TRUE, Rule, Table
from potlang.ir.module import Definition
from potlang.ir.nodes import Node, Symbol
from potlang.ir.pool import Pool
from potlang.ir.skolem import SkolemForm, skolemize

__all__ = [
    "FALSE", "TRUE", "Axiom", "Budget", "Classes", "Form", "Grounding", "Rule", "Search", "SearchLimit",
    "Size", "Table", "form_of", "plan", "size_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A formula as clauses. `root` is an assertion's key, or None for the goal."""

    root: str | None
    formula: Node
    skolem: SkolemForm
    clauses: Clauses


def form_of(
    root: str | None,
    formula: Node,
    pool: Pool,
    definitions: Mapping[Symbol, Definition],
    negated: bool = False,
) -> Form:
    """The clauses of an assertion or of a side of the goal. Raises `NotSkolemizable`."""
    skolem = skolemize(formula, pool, definitions, root, negated)
    return Form(root, formula, skolem, clauses_of(skolem.matrix, pool))


@dataclass(slots=True)
class Grounding:
    """The rules of some formulas over one table; instances are asked for."""

    forms: tuple[Form, ...]
    table: Table = field(default_factory=Table)
    facts: list[Rule] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number, form in enumerate(self.forms):
            for top, clauses in ((True, form.clauses.top), (False, form.clauses.named)):
                for clause in clauses:
                    rule = self.table.rule(number, top, clause)
                    (self.rules if rule.variables else self.facts).append(rule)

    def size(self) -> Size:
        """How many terms and instances there are in all."""
        return size_of(clause for form in self.forms for part in form.clauses for clause in part)
