"""What commands do with a DoT trace: read its theory, check its form, verify it."""

from __future__ import annotations

from typing import Any

from potlang import dot
from potlang.cli.answer import Answer, end_with
from potlang.cli.common import ALL_ENTAILED, INVALID, OTHER_ANSWER, UNDECIDED, Input, read_input
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import TraceVerdict
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.program import Program
from potlang.languages.pot.solve import rejected
from potlang.report.results import Limits

_CODES = {
    TraceVerdict.ACCEPTED: ALL_ENTAILED,
    TraceVerdict.REJECTED: INVALID,
    TraceVerdict.UNKNOWN: UNDECIDED,
}


def theory_program(name: str | None, style: str, color: str) -> Program | None:
    """The program that `--theory` names; one that does not compile ends the command ([FACE-THEORY])."""
    if name is None:
        return None
    given = read_input(name)
    checked = check_program(given.source, name=given.name)
    if checked.program is None:
        report = rejected(checked, Limits())
        answer = Answer(name, checked.document, checked.diagnostics, report.to_dict, None, INVALID)
        end_with(answer, style, color)
    return checked.program


def trace_answer(given: Input, settings: dict[str, Any]) -> Answer:
    """The report on a trace, ready to be printed; `settings` are those of `potlang.dot.verify`."""
    report = dot.verify(given.source, name=given.name, **settings)

    code = trace_exit_code(report)
    return Answer(given.name, report.document, report.diagnostics, report.to_dict, report.render, code)


def checked_trace(given: Input, settings: dict[str, Any]) -> Answer:
    """What is wrong with a trace's form and with the sorts of its propositions, without solving."""
    checked = dot.check(given.source, name=given.name, **settings)

    def to_dict() -> dict[str, Any]:
        return {"diagnostics": list(checked.located())}

    code = ALL_ENTAILED if checked.ok else INVALID
    return Answer(given.name, checked.trace.document, checked.diagnostics, to_dict, None, code)


def trace_exit_code(report: TraceReport) -> int:
    """The exit code of a trace ([FACE-EXIT])."""
    return _CODES.get(report.verdict, OTHER_ANSWER)
