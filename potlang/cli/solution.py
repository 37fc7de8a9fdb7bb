"""What commands do with a DAG-MATH solution: check its form, verify it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from potlang.cli.answer import Answer
from potlang.cli.common import ALL_ENTAILED, INVALID, OTHER_ANSWER, UNDECIDED, Input

if TYPE_CHECKING:
    from potlang.languages.dagmath.report import SolutionReport


def solution_answer(given: Input, settings: dict[str, Any]) -> Answer:
    """The report on a solution, ready to be printed; `settings` are those of `potlang.dagmath.verify`."""
    from potlang.languages.dagmath.solve.verify import verify

    report = verify(given.source, name=given.name, **settings)

    code = solution_exit_code(report)
    return Answer(given.name, report.document, report.diagnostics, report.to_dict, report.render, code)


def checked_solution(given: Input) -> Answer:
    """What is wrong with the form of a solution, without checking its steps."""
    from potlang.languages.dagmath.check.form import check

    checked = check(given.source, name=given.name)

    def to_dict() -> dict[str, Any]:
        return {"diagnostics": list(checked.located())}

    code = ALL_ENTAILED if checked.ok else INVALID
    return Answer(given.name, checked.read.document, checked.diagnostics, to_dict, None, code)


def solution_exit_code(report: SolutionReport) -> int:
    """The exit code of a solution ([DAGR-EXIT])."""
    from potlang.languages.dagmath.results import SolutionVerdict

    codes = {
        SolutionVerdict.ACCEPTED: ALL_ENTAILED,
        SolutionVerdict.REJECTED: INVALID,
        SolutionVerdict.UNKNOWN: UNDECIDED,
    }
    return codes.get(report.verdict, OTHER_ANSWER)
