"""The pass `clauses`: assumptions as conjunctions of clauses ([PASS-CLAUSES-1] of `spec/50-passes.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from potlang.ir.clauses import NAMING, clauses_of
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Node, Quant, Symbol
from potlang.passes.base import Keeps, Property, rewrite_assumptions


@dataclass(frozen=True, slots=True)
class ClauseForm:
    """Brings what is assumed into clause form. Parts get names beyond `product` clauses of a disjunction."""

    product: int = NAMING.product

    name: ClassVar[str] = "clauses"
    requires: ClassVar[frozenset[Property]] = frozenset({Property.NNF, Property.SKOLEM})
    establishes: ClassVar[frozenset[Property]] = frozenset({Property.CLAUSES})
    preserves: ClassVar[frozenset[Property]] = frozenset({Property.NNF, Property.PRENEX, Property.SKOLEM})
    keeps: ClassVar[Keeps] = Keeps.EQUISATISFIABLE

    def run(self, module: Module) -> Module:
        """The module with its assumptions in clause form, and new predicates for named parts."""
        pool = module.pool
        limits = NAMING._replace(product=self.product)

        def clause_form(assertion: Assertion) -> tuple[Node, list[Symbol]]:
            matrix, binders = assertion.formula, []
            while isinstance(matrix, Quant):
                binders.append(matrix.binders)
                matrix = matrix.body
            found = clauses_of(matrix, pool, limits)
            literals = [
                [atom if positive else pool.negate(atom) for atom, positive in clause]
                for clause in (*found.top, *found.named)
            ]
            formula = pool.conj([pool.disj(clause) for clause in literals])
            for variables in reversed(binders):
                formula = pool.quant("forall", variables, formula)
            return formula, [_head(clause[0][0]) for clause in found.named]

        return rewrite_assumptions(self, module, clause_form)


def _head(name: Node) -> Symbol:
    return name.op if isinstance(name, App) else name.symbol  # type: ignore[return-value,union-attr]
