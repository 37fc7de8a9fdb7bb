"""Grounding as a decision procedure: the route `ground`, and `auto` where a solver has given up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from potlang.engines.check import Check, CheckResult
from potlang.engines.context import ProgramContext
from potlang.report.results import CheckRecord
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.engines.ground.grounding import Grounder

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
        assumed = labelled = check.assumptions
        if not check.alone:
            assumed = (*self._context.module.assertions, *check.assumptions)
            labelled = (*self._context.lowered.assertions, *check.assumptions)
        if self._grounder is None:
            self._grounder = Grounder(self._context.module, self._context.workers, self._context.reading)
        deadline = Deadline(self._most_ms)
        own = len(assumed) <= len(self._context.module.assertions)
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


def _keys(lines: Iterable[str]) -> Iterable[str]:
    """The assertions that a refutation takes instances of."""
    found = (_INSTANCE.match(line) for line in lines)
    return (json.loads(each[1]) for each in found if each is not None)
