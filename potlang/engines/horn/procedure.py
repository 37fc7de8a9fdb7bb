"""The closure as a decision procedure: the route `closure`, and first of all under `auto` ([ROUTE-NAMES])."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from potlang.engines.check import Check, CheckResult
from potlang.engines.context import ProgramContext
from potlang.ir import operators as op
from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import App, Node, Symbol, SymbolKind, reachable
from potlang.ir.sorts import BOOL
from potlang.report.results import CheckRecord
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.certify import Theory
    from potlang.engines.horn.instances import RuleInstances
    from potlang.engines.horn.recognition import KnownClauses
    from potlang.engines.horn.solver import HornAnswer, HornSolver
    from potlang.ir.structure import Structure

CLOSURE_MS = 2_000
"""How long the closure of a program may take under the router; forced, it has the time of a check."""
_REMEMBERED = 64
_LOGICAL = frozenset({op.NOT, op.AND, op.OR, op.IMPLIES, op.IFF, op.XOR, op.ITE, op.EQ, op.DISTINCT})
_LOOKED_AT = 1_000
"""Assumptions that are looked at before any is made clauses of."""


class HornProcedure:
    """Decides checks by the least model (`55-closure.md`). Models and refutations are made when asked for.

    `exact_only`: nothing is tried where the closure could conclude no more than what follows.
    """

    name = "closure"

    def __init__(
        self,
        context: ProgramContext,
        most_ms: int,
        *,
        exact_only: bool = False,
    ) -> None:
        self._context = context
        self._exact_only = exact_only
        self._most_ms = most_ms
        self._extra: tuple[Assertion, ...] | None = None
        self._closure: HornSolver | None = None
        self._closed: dict[int, tuple[Node, HornAnswer]] = {}
        self._clauses: KnownClauses = {}
        self._instances: tuple[tuple[Node, str], frozenset[str], RuleInstances | None] | None = None

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`; the closure of the program's own assumptions is made once."""
        if check.alone:
            # Parts of the assumptions are asked about to make a core minimal: a quick no is better than none.
            if self._exact_only and check.formula is not None and _is_foreign([check.formula]):
                return None
            instances = self._instances_of(check)
            if instances is not None:
                return self._by_instances(instances, check)
            return self._answer(self._closure_of_part(check), check, {})
        if self._extra is not check.assumptions:
            self._closure = self._recognised(self._context.module, check.assumptions, large=True)
            self._extra = check.assumptions
            self._closed.clear()
            self._instances = None
        return self._answer(self._closure, check, self._closed)

    def _instances_of(self, check: Check) -> RuleInstances | None:
        """Those of a claim's side and all assumptions that parts of were asked about, made at the first."""
        closure, formula = self._closure, check.formula
        if closure is None or formula is None or closure.horn.parts.remainder:
            return None
        keys = frozenset(each.key for each in check.assumptions)
        known = self._instances
        if known is None or known[0] != (formula, check.side) or not keys <= known[1]:
            own = {each.key for each in (*self._context.module.assertions, *(self._extra or ()))}
            found = closure.instances(formula, check.side, keys) if keys <= own else None
            known = self._instances = (formula, check.side), keys, found
        return known[2]

    def _by_instances(self, instances: RuleInstances, check: Check) -> CheckResult:
        began = Deadline(self._most_ms)
        used = instances.refutation({each.key for each in check.assumptions})
        status: Literal["sat", "unsat"] = "sat" if used is None else "unsat"
        record = CheckRecord(check.name, self.name, status, time_ms=began.spent_ms())
        result = CheckResult(status, None, (record,), self._context.encoding, by=self.name)
        if used is None:
            return result._replace(structure=functools.cache(lambda: self._model_of_part(check)))
        return result._replace(
            core=tuple(self._context.labels.name(each) for each in check.assumptions if each.key in used)
        )

    def _model_of_part(self, check: Check) -> Structure | None:
        closure = self._closure_of_part(check)
        deadline = Deadline(self._most_ms)
        return None if closure is None else closure.model(check.formula, check.side, deadline.passed)

    def _closure_of_part(self, check: Check) -> HornSolver | None:
        few = replace(self._context.module, assertions=check.assumptions)
        return self._recognised(few, (), large=False)

    def _recognised(self, module: Module, extra: Sequence[Assertion], *, large: bool) -> HornSolver | None:
        looked_at = [each.formula for each in (*module.assertions, *extra)[:_LOOKED_AT]]
        if self._exact_only and _is_foreign(looked_at):
            return None
        from potlang.engines.horn.recognition import recognise, recognise_exact

        horn = (recognise_exact if self._exact_only else recognise)(module, extra, self._clauses)
        if horn is None:
            return None
        from potlang.engines.horn.datalog import DuckDB, available
        from potlang.engines.horn.solver import HornSolver

        return HornSolver(horn, large=DuckDB if large and available() else None)

    def _answer(
        self, closure: HornSolver | None, check: Check, known: dict[int, tuple[Node, HornAnswer]]
    ) -> CheckResult | None:
        if closure is None:
            return None
        deadline = Deadline(self._most_ms)
        if check.formula is None:
            found = closure.assumptions(deadline.passed)
        else:
            found = getattr(self._decided(closure, check.formula, known, deadline.passed), check.side)
        if found.status is None:
            return None
        record = CheckRecord(check.name, self.name, found.status, time_ms=deadline.spent_ms())
        result = CheckResult(found.status, None, (record,), self._context.encoding, by=self.name)
        if found.status == "sat":
            return result._replace(
                structure=functools.cache(
                    lambda: closure.model(check.formula, check.side, Deadline(self._most_ms).passed)
                )
            )
        derivation = closure.derivation(check.formula, check.side, Deadline(self._most_ms).passed)
        if derivation is None:
            return result
        keys = frozenset(derivation.keys)
        core = tuple(
            self._context.labels.name(each)
            for each in (*self._context.module.assertions, *(self._extra or ()))
            if each.key in keys
        )

        def lines(theory: Theory, side: str, claim: Claim | None) -> tuple[str, ...] | None:
            from potlang.engines.horn.derivation_lines import derivation_lines

            return derivation_lines(closure.horn, derivation, side, claim, theory)

        return result._replace(core=core, refutation=lines)

    def _decided(
        self,
        closure: HornSolver,
        formula: Node,
        known: dict[int, tuple[Node, HornAnswer]],
        expired: Callable[[], bool],
    ) -> HornAnswer:
        """The conclusions on a claim: kept, since its two sides are asked one after the other."""
        if formula.id not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[formula.id] = formula, closure.decide(formula, expired)
        return known[formula.id][1]


def _is_foreign(formulas: Sequence[Node]) -> bool:
    """Whether one plainly is no rule: it has a function's value, or an operator of a theory."""
    for node in reachable(*formulas):
        if isinstance(node, App):
            head = node.op
            if isinstance(head, Symbol):
                if head.range is not BOOL and head.kind is SymbolKind.FUNCTION:
                    return True
            elif head not in _LOGICAL:
                return True
    return False
