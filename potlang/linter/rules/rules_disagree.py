"""POT9030: two rules contradict each other for a case that the rest of the program allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from potlang.linter.disagreement import case_text, clash_finding, disagreements, is_decision
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions

_NOTE: Final = "they cannot both hold of it: with both, the program says that there is no such case"


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    for clash in disagreements(program, questions):
        if is_decision(clash):
            yield clash_finding(program, clash, _NOTE, case=case_text(program, clash))


RULE = LintRule("POT9030", ask=_ask, stands_for="POT9019")
