"""POT9019: two rules with opposite conclusions whose conditions do not rule each other out.

Found by form alone; `rules-disagree` (POT9030) asks a solver for the case.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from potlang.linter.clashes import clashes, exclude_each_other
from potlang.linter.disagreement import clash_finding, is_decision
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule

_NOTE: Final = "where both apply they cannot both hold, so the program says that there is no such case"


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    reported: set[frozenset[object]] = set()
    for clash in clashes(program):
        if not clash.is_certain or not is_decision(clash) or exclude_each_other(program, *clash.antecedents):
            continue
        if clash.pair not in reported:
            reported.add(clash.pair)
            yield clash_finding(program, clash, _NOTE)


RULE = LintRule("POT9019", _find)
