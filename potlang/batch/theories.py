"""Theories that jobs share: each is compiled once, as long as it is in use ([BATCH-THEORY])."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any, Final

from potlang import api
from potlang.batch.jobs import Job
from potlang.languages.pot.program import Checked, CompileError
from potlang.prove.options import Models, RouteName, Trust
from potlang.report.results import Limits
from potlang.tables.access import NotedFiles, note, noting

_MOST_THEORIES: Final = 16
_MOST_JOBS: Final = 1_000
"""For so many jobs a theory is compiled once: the formulas of its claims stay in its memory."""


class Theories:
    """The theories that were used last, compiled."""

    def __init__(self) -> None:
        self._checked: OrderedDict[str, tuple[Checked, int, NotedFiles]] = OrderedDict()

    def report(
        self, job: Job, route: RouteName, trust: Trust, limits: Limits, models: Models
    ) -> api.AnyReport:
        """The report on a trace or a claim of a theory; of one that does not compile its diagnostics."""
        checked = self._of(job.theory)
        if checked.program is None:
            return api.rejected(checked, limits)
        given: Any = {"route": route, "trust": trust, "limits": limits}
        try:
            if job.language == "dot":
                theory = checked.program
                return api.verify(job.source, language="dot", name=job.name, theory=theory, **given)
            with checked.program.session(**given, models=models) as session:
                return session.verify(job.source)
        except CompileError as error:
            return api.rejected(Checked(error.document, tuple(error.diagnostics), None), limits)

    def _of(self, theory: Any) -> Checked:
        # Lines are read with exact decimals, which formulas have as text.
        key = theory if isinstance(theory, str) else json.dumps(theory, default=str)
        checked, jobs, noted = self._checked.pop(key, (None, 0, {}))
        if checked is None or jobs >= _MOST_JOBS:
            with noting() as noted:
                checked, jobs = api.check(key, language="pot", name="<theory>"), 0
        # The answers of all its jobs rest on the tables as it has read them.
        note(noted)
        self._checked[key] = (checked, jobs + 1, noted)
        if len(self._checked) > _MOST_THEORIES:
            self._checked.popitem(last=False)
        return checked
