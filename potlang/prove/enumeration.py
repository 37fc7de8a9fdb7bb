"""The other minimal cores of a verdict, and what to remove from assumptions that contradict each other.

[VERDICT-CORES], [VERDICT-CORRECTIONS].
"""

from __future__ import annotations

from collections.abc import Callable

from potlang.engines.check import Check
from potlang.engines.encoding import AssertionNames
from potlang.prove.cores import Core, Names, Oracle
from potlang.prove.evidence import core_items
from potlang.prove.marco import Bounds, MusResult, marco
from potlang.report.results import CoreItem, Evidence
from potlang.utils.deadline import Deadline

ALL = Bounds(cores=100, corrections=100)
"""Where a search for all ends ([LIMIT-CORES])."""
ALL_MS = 10_000
A_FEW = Bounds(cores=100, corrections=5, shrink=False)
"""The corrections that are given unasked ([LIMIT-CORRECTIONS])."""
A_FEW_MS = 300
MOST_ASSUMPTIONS = 2_000

Open = Callable[[Check, Deadline], tuple[Names, Oracle]]
"""All names, and an oracle over them with what a check adds to them, within a deadline."""


class MusEnumerator:
    """Adds to evidence. Searches once for each claim, over assumptions that stay as they are."""

    def __init__(self, labels: AssertionNames, open_oracle: Open, *, every_core: bool) -> None:
        self._labels = labels
        self._open = open_oracle
        self._every_core = every_core
        self._found: dict[Check, MusResult] = {}

    def add(self, evidence: Evidence, core: Core, check: Check) -> Evidence:
        """`evidence` with all cores if they were asked for, and for assumptions alone with corrections."""
        found = self._result(core, check)
        if self._every_core:
            evidence = evidence._replace(cores=self._items(found.cores), cores_complete=found.cores_complete)
        if check.formula is None:
            evidence = evidence._replace(
                corrections=self._items(found.corrections),
                corrections_complete=found.corrections_complete,
            )
        return evidence

    def _items(self, family: tuple[Names, ...]) -> tuple[tuple[CoreItem, ...], ...]:
        return tuple(core_items(names, self._labels) for names in family)

    def _result(self, core: Core, check: Check) -> MusResult:
        if check not in self._found:
            self._found[check] = self._search(core, check)
        return self._found[check]

    def _search(self, core: Core, check: Check) -> MusResult:
        deadline = Deadline(ALL_MS if self._every_core else A_FEW_MS)
        names, ask = self._open(check, deadline)
        if len(names) > MOST_ASSUMPTIONS:
            return MusResult((core.names,) if core.minimal else (), False, (), False)
        return marco(names, ask, deadline, ALL if self._every_core else A_FEW, [core])
