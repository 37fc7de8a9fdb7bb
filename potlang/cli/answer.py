"""The answer of a command to one input, and its printing as text, JSON or SARIF."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from potlang import api, diag
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    CommandFailure,
    Input,
    exit_code,
    print_json,
    read_input,
    use_color,
)
from potlang.languages.pot.report import Report
from potlang.report.base import ReportBase
from potlang.report.results import Interrupted, Limits
from potlang.report.text import verdict_line
from potlang.source import Document
from potlang.utils.deadline import Deadline, OutOfFuel, within
from potlang.utils.style import Style
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.diag import Diagnostic
    from potlang.linter.choice import LintChoice
    from potlang.source import Document


class Answer(NamedTuple):
    """The answer to one input; `diagnostics` have their places in `document`.

    `is_whole`: nothing has interrupted it.
    """

    name: str
    document: Document
    diagnostics: tuple[Diagnostic, ...]
    found: api.AnyChecked | api.AnyReport
    code: int
    is_whole: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values, or the diagnostics alone."""
        if isinstance(self.found, ReportBase):
            return self.found.to_dict()
        return {"diagnostics": list(self.found.located())}


def checked_answer(given: Input, **options: Any) -> Answer:
    """The diagnostics of an input, without solving; `options` are those of `api.check`."""
    checked = api.check(given.source, language=given.kind, name=given.name, **options)
    code = ALL_ENTAILED if checked.ok else INVALID
    return Answer(given.name, checked.document, checked.diagnostics, checked, code)


def linted_answer(given: Input, choice: LintChoice, budget_ms: int) -> Answer:
    """The diagnostics of an input with what the linter finds in a program; `budget_ms` 0 asks no solver."""
    checked = api.lint(given.source, language=given.kind, name=given.name, choice=choice, budget_ms=budget_ms)
    code = ALL_ENTAILED if checked.ok else INVALID
    return Answer(given.name, checked.document, checked.diagnostics, checked, code)


def verified_answer(given: Input, options: api.VerifyOptions) -> tuple[Answer, api.Program | None]:
    """The report on an input; of a program that compiles, the program too."""
    if given.kind != "pot":
        report: Any
        report, is_whole = _known(given.source, options | {"language": given.kind, "name": given.name})
        code = exit_code(report)
        return Answer(given.name, report.document, report.diagnostics, report, code, is_whole), None
    # Checked apart: the diagnostics need their document, and proofs the program.
    limits = options["limits"]
    began = Deadline(limits.total_ms)
    try:
        with within(limits.total_ms):
            checked = api.check(given.source, language="pot", name=given.name)
            return _program_answer(checked, options), checked.program
    except OutOfFuel:
        report = api.unread(limits, began.spent_ms())

        nothing = Document.from_value(None, given.name)
        return Answer(given.name, nothing, (), report, exit_code(report)), None


def _program_answer(checked: api.Checked, options: api.VerifyOptions) -> Answer:
    is_whole = True
    if checked.program is None:
        report = api.rejected(checked, options["limits"])
    else:
        report, is_whole = _known(checked.program, options)
    code = exit_code(report)
    return Answer(checked.document.name, checked.document, checked.diagnostics, report, code, is_whole)


def _known(source: Any, options: Mapping[str, Any]) -> tuple[Any, bool]:
    """The report on a source, as far as it is known, and whether that is all of it."""
    try:
        return api.verify(source, **options), True
    except Interrupted as error:
        return error.known, False


def theory_program(name: str | None, style: str, color: str) -> api.Program | None:
    """The program that `--theory` names; one that does not compile ends the command ([FACE-THEORY])."""
    if name is None:
        return None
    given = read_input(name)
    checked = api.check(given.source, language="pot", name=given.name)
    if checked.program is None:
        report = api.rejected(checked, Limits())
        end_with(Answer(name, checked.document, checked.diagnostics, report, INVALID), style, color)
    elif checked.program.tables is not None:
        raise CommandFailure(f"{name} is no theory of a trace: its tables are too large (POT8017)")
    return checked.program


def print_text(answer: Answer, several: bool, color: str, *, words: bool = False) -> None:
    """The diagnostics on standard error, the report on standard output, with its name if there are more.

    `words`: of traces and solutions, sentences stand in place of the tables.
    """
    print_diagnostics(answer.document, answer.diagnostics, color)
    found = answer.found
    if not isinstance(found, ReportBase) or (isinstance(found, Report) and answer.code == INVALID):
        return
    if several:
        click.echo(f"{answer.name}:")
    is_colored = use_color(color)
    if words and not isinstance(found, Report):
        last = verdict_line(found._words(), found.time_ms, Style(is_colored), found._lead())
        click.echo(f"{found.words()}\n\n{last}", color=True)
        return
    click.echo(found.render(color=is_colored).rstrip("\n"), color=True)


def print_diagnostics(
    document: Document, diagnostics: Sequence[Diagnostic], color: str, *, err: bool = True
) -> None:
    """Diagnostics with their source, on standard error if `err`."""
    if not diagnostics:
        return
    is_colored = use_color(color, sys.stderr if err else sys.stdout)
    click.echo(diag.render_all(diagnostics, document, color=is_colored), err=err, color=True)


def print_findings(answer: Answer, color: str) -> None:
    """The diagnostics on standard output, or that there are none."""
    if answer.diagnostics:
        print_diagnostics(answer.document, answer.diagnostics, color, err=False)
    else:
        click.echo(f"{answer.name}: no errors, no warnings")


def end_with(answer: Answer, style: str, color: str) -> NoReturn:
    """Prints one answer, and ends the process with its code."""
    if style == "text":
        print_text(answer, False, color)
    elif style == "json":
        print_json(answer.to_dict())
    else:
        print_json(diag.diagnostics_to_sarif([(answer.document, answer.diagnostics)], __version__))
    sys.exit(answer.code)
