"""Questions of the linter to a solver: whether formulas have a model, within a budget of time."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from potlang.ir.module import Module
from potlang.ir.nodes import Node
from potlang.languages.pot.lower import DEFAULT_PASSES, divided, lower
from potlang.linter.small_models import NotWrittenOut, SmallModels
from potlang.processes.pool import Workers, default_workers
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import Limits
from potlang.utils.closing import Closing
from potlang.utils.deadline import Deadline, OutOfFuel

_STEPS = 1_000_000
"""A solver's steps for one question, so that the answer does not depend on what else the machine does."""
Status = Literal["sat", "unsat", "unknown"]


def bare_prover(small: SmallModels, budget_ms: int, workers: Workers) -> Prover:
    """A prover that asks z3 alone, with the declarations and definitions of a program and no assumption."""
    bare = replace(small.module, assertions=(), claims=(), norms=(), optimization=None, actions=("verify",))
    plain, sent = divided(DEFAULT_PASSES)
    options = ProverOptions("z3", "solver", minimize_cores=False, sent=sent)
    return Prover(lower(bare, plain), options, Limits(budget_ms, budget_ms, rlimit=_STEPS), workers, bare)


class OutOfBudget(Exception):
    """The linter's time is used up."""


class Questions(Closing):
    """A solver that holds a program's declarations and definitions, and none of its assumptions.

    Questions are many and small, and each has other assumptions, which go with it. One solver's word is
    enough: findings are warnings, not verdicts.
    """

    def __init__(self, module: Module, budget_ms: int, workers: Workers | None = None) -> None:
        self._pool = module.pool
        self._budget = Deadline(budget_ms)
        self._small = SmallModels(module)
        self._prover = bare_prover(self._small, budget_ms, workers or default_workers())
        self._known: dict[frozenset[Node], Status] = {}

    def close(self) -> None:
        """Gives the solver back."""
        with suppress(OutOfFuel):
            self._prover.close()

    def possible(self, *formulas: Node) -> bool:
        """Whether closed formulas surely have a model together. Raises OutOfBudget where no time is left."""
        return self._status(formulas) == "sat"

    def impossible(self, *formulas: Node) -> bool:
        """Whether they surely have none. Raises as `possible` does."""
        return self._status(formulas) == "unsat"

    def _status(self, formulas: Iterable[Node]) -> Status:
        key = frozenset(formulas)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._answer(sorted(key, key=lambda each: each.id))
        return known

    def _answer(self, formulas: list[Node]) -> Status:
        # Solvers are slow to find models of quantified formulas, and quick if these are written out.
        for write, definite in ((self._small.written_out, "sat"), (self._small.instances, "unsat")):
            with suppress(NotWrittenOut):
                if self._asked(write(formulas)) == definite:
                    return "sat" if definite == "sat" else "unsat"
        return self._asked(self._pool.conj(formulas))

    def _asked(self, formula: Node) -> Status:
        left = int(self._budget.left_ms())
        if left <= 0:
            raise OutOfBudget
        return self._prover.probe(formula, within_ms=left).status
