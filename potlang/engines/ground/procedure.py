"""Grounding as a decision procedure: the route `ground`, and `auto` where a solver has given up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from potlang.engines.check import Check, CheckResult
from potlang.engines.context import ProgramContext
from potlang.report.results import CheckRecord
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.engines.ground.grounding import Grounder
    from potlang.ir.module import Assertion

GROUND_MS = 500
"""How long grounding may take where a solver has given up on a check; forced, it has the time of a check."""
_INSTANCE = re.compile(r'\(instance [0-9]+ ("(?:[^"\\]|\\.)*")')


class GroundProcedure:
    """Decides checks by ground instances and a SAT solver (`56-grounding.md`)."""

    name = "ground"

    def __init__(
        self,
        context: ProgramContext,
        most_ms: int,
        *,
        finite_only: bool = False,
    ) -> None:
        self._context = context
        self._most_ms = most_ms
        self._finite_only = finite_only
        self._grounder: Grounder | None = None

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`."""
        from potlang.engines.ground.grounding import Grounder, GroundLimits

        # The kernel knows the claims of a program, not formulas beside them.
        if (check.formula is None) != (check.claim is None):
            return None
        if check.alone:
            labelled = check.assumptions
            assumed = tuple([self._compiled.get(each.key, each) for each in labelled])
            own = all(each.key in self._compiled for each in labelled)
        else:
            labelled = (*self._context.lowered.assertions, *check.assumptions)
            assumed = (*self._context.module.assertions, *check.assumptions)
            own = not check.assumptions
        # Of what a session adds the kernel's reading of the program knows nothing.
        own = own and self._context.has(check.claim)
        if self._grounder is None:
            self._grounder = Grounder(self._context.module, self._context.workers, self._context.reading)
        deadline = Deadline(self._most_ms)
        limits = GroundLimits(timeout_ms=self._most_ms, finite_only=self._finite_only)
        found = self._grounder.decide(assumed, check.side, check.claim, limits, lines=own)
        if found.status == "unknown":
            return None
        record = CheckRecord(check.name, self.name, found.status, time_ms=deadline.spent_ms())
        result = CheckResult(found.status, None, (record,), self._context.encoding, by=self.name)
        if found.status == "sat":
            return result._replace(structure=lambda: found.structure)
        keys = frozenset(_keys(found.lines))
        core = tuple(self._context.labels.name(each) for each in labelled if each.key in keys or not own)
        return result._replace(core=core, refutation=lambda theory, side, claim: found.lines or None)

    @cached_property
    def _compiled(self) -> dict[str, Assertion]:
        """The program's assumptions by key, as compiled."""
        return {each.key: each for each in self._context.module.assertions}


def _keys(lines: Iterable[str]) -> Iterable[str]:
    """The assertions that a refutation takes instances of."""
    found = (_INSTANCE.match(line) for line in lines)
    return (json.loads(each[1]) for each in found if each is not None)
