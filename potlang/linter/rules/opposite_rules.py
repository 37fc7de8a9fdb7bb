"""POT9019: two rules with opposite conclusions whose conditions do not rule each other out.

Found by form alone; `rules-disagree` (POT9030) asks a solver for the case.
"""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Label
from potlang.linter.clashes import Clash, clashes, exclude_each_other
from potlang.linter.disagreement import advice, is_decision
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    reported: set[frozenset[object]] = set()
    for clash in clashes(program):
        if not clash.is_certain or not is_decision(clash) or exclude_each_other(program, *clash.antecedents):
            continue
        if clash.pair not in reported:
            reported.add(clash.pair)
            yield _finding(program, clash)


def _finding(program: LintedProgram, clash: Clash) -> LintFinding:
    one, other = clash.one.statement, clash.other.statement
    first, second = (program.text(each, clash.variables) for each in clash.conclusions)
    helps, fixes = advice(program, clash)
    return LintFinding(
        other.place,
        {"one": one.title, "other": other.title},
        primary=f"`{second}`",
        labels=(Label(one.place, f"`{first}`"),),
        notes=("where both apply they cannot both hold, so the program says that there is no such case",),
        helps=helps,
        fixes=fixes,
    )


RULE = LintRule("POT9019", _find)
