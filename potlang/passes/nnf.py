"""The pass `nnf`: negation normal form ([PASS-NNF-1] to [PASS-NNF-4] of `spec/50-passes.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from potlang.ir.module import Module
from potlang.ir.nnf import NegationNormalForm
from potlang.passes.base import Keeps, Property, finish, is_formula


@dataclass(frozen=True, slots=True)
class Nnf:
    """Brings every formula of a module into negation normal form."""

    name: ClassVar[str] = "nnf"
    requires: ClassVar[frozenset[Property]] = frozenset()
    establishes: ClassVar[frozenset[Property]] = frozenset({Property.NNF})
    preserves: ClassVar[frozenset[Property]] = frozenset(Property)
    keeps: ClassVar[Keeps] = Keeps.EQUIVALENT

    def run(self, module: Module) -> Module:
        """The module with its formulas in negation normal form; terms are left alone."""
        normal = NegationNormalForm(module.pool)
        return finish(self, module, [normal.of(f) if is_formula(f) else f for f in module.formulas()])
