"""The pass `skolem`: functions for what assumptions say exists ([PASS-SKOLEM-1] of `spec/50-passes.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import Node, Quant, Symbol, Var, reachable
from potlang.ir.pool import Pool
from potlang.ir.skolem import SkolemForm, skolemize
from potlang.ir.substitute import substitute
from potlang.passes.base import Keeps, Property, rewrite_assumptions


@dataclass(frozen=True, slots=True)
class Skolem:
    """Brings what is assumed into Skolem form. Claims and norms, which are asked both ways, stay."""

    name: ClassVar[str] = "skolem"
    requires: ClassVar[frozenset[Property]] = frozenset({Property.NNF})
    establishes: ClassVar[frozenset[Property]] = frozenset({Property.SKOLEM})
    preserves: ClassVar[frozenset[Property]] = frozenset({Property.SIMPLE, Property.NNF, Property.PRENEX})
    keeps: ClassVar[Keeps] = Keeps.EQUISATISFIABLE

    def run(self, module: Module) -> Module:
        """The module with new functions, and universal quantifiers in front of what is assumed."""
        pool = module.pool

        def skolem_form(assertion: Assertion) -> tuple[Node, list[Symbol]]:
            # Calls of defined functions stay: a definition's quantifiers are inside a term.
            form = skolemize(assertion.formula, pool, {}, assertion.key, inside_terms=True)
            return _closed(form, pool), list(form.choices)

        return rewrite_assumptions(self, module, skolem_form)


def _closed(form: SkolemForm, pool: Pool) -> Node:
    """The form with its variables bound in front."""
    if not form.universals:
        return form.matrix
    # A quantifier that occurs inside a term too binds there what has become free here.
    inside = {var for node in reachable(form.matrix) if isinstance(node, Quant) for var in node.binders}
    fresh: dict[Node, Node] = {var: pool.var(var.name, var.sort) for var in form.universals if var in inside}
    binders = tuple([cast(Var, fresh.get(var, var)) for var in form.universals])
    return pool.quant("forall", binders, substitute(pool, form.matrix, fresh) if fresh else form.matrix)
