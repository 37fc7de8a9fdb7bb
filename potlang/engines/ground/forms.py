"""Formulas in clausal form, and the rules of several over one table of ground terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from potlang.engines.ground.size import GroundingSize, size_of
from potlang.engines.ground.table import GroundRule, TermTable
from potlang.ir import operators as op
from potlang.ir.clauses import Clause, Clauses, clauses_of, pairwise
from potlang.ir.module import Definition
from potlang.ir.nodes import App, Node, Symbol
from potlang.ir.pool import Pool
from potlang.ir.skolem import NotSkolemizable, SkolemForm, skolemize

MOST_DISTINCT = 200
"""More terms than this are not told apart, pair by pair."""


@dataclass(frozen=True, slots=True, eq=False)
class ClausalForm:
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
) -> ClausalForm:
    """The clauses of an assertion or of a side of the goal. Raises `NotSkolemizable`."""
    skolem = skolemize(formula, pool, definitions, root, negated)
    found = clauses_of(skolem.matrix, pool)
    top = [each for clause in found.top for each in _told_apart(clause, pool)]
    return ClausalForm(root, formula, skolem, Clauses(tuple(top), found.named))


def _told_apart(clause: Clause, pool: Pool) -> list[Clause]:
    """The clause; one that terms are distinct, pair by pair."""
    groups = [atom.args for atom, _ in clause if isinstance(atom, App) and atom.op is op.DISTINCT]
    if not groups:
        return [clause]
    if len(clause) > 1 or len(groups[0]) > MOST_DISTINCT:
        raise NotSkolemizable(f"{max(map(len, groups))} terms are distinct")
    return pairwise(groups[0], pool)


@dataclass(slots=True)
class Grounding:
    """The rules of some formulas over one table; instances are asked for."""

    forms: tuple[ClausalForm, ...]
    table: TermTable = field(default_factory=TermTable)
    facts: list[GroundRule] = field(default_factory=list)
    rules: list[GroundRule] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number, form in enumerate(self.forms):
            for top, clauses in ((True, form.clauses.top), (False, form.clauses.named)):
                for clause in clauses:
                    rule = self.table.rule(number, top, clause)
                    (self.rules if rule.variables else self.facts).append(rule)

    def size(self) -> GroundingSize:
        """How many terms and instances there are in all."""
        return size_of(clause for form in self.forms for part in form.clauses for clause in part)
