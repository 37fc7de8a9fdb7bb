"""The answer of a command to one input, and its printing as text, JSON or SARIF."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from potlang import api
from potlang.cli.common import ALL_ENTAILED, INVALID, Input, exit_code, print_json, read_input, use_color
from potlang.languages.pot.report import Report
from potlang.report.base import ReportBase
from potlang.report.results import Limits
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.diag import Diagnostic
    from potlang.source import Document


class Answer(NamedTuple):
    """The answer to one input; `diagnostics` have their places in `document`."""

    name: str
    document: Document
    diagnostics: tuple[Diagnostic, ...]
    found: api.AnyChecked | api.AnyReport
    code: int

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


def verified_answer(given: Input, options: api.VerifyOptions) -> tuple[Answer, api.Program | None]:
    """The report on an input; of a program that compiles, the program too."""
    if given.kind != "pot":
        report: Any = api.verify(given.source, language=given.kind, name=given.name, **options)
        answer = Answer(given.name, report.document, report.diagnostics, report, exit_code(report))
        return answer, None
    # Checked apart: the diagnostics need their document, and proofs the program.
    checked = api.check(given.source, language="pot", name=given.name)
    return _program_answer(checked, options), checked.program


def _program_answer(checked: api.Checked, options: api.VerifyOptions) -> Answer:
    if checked.program is None:
        report = api.rejected(checked, options["limits"])
    else:
        report = api.verify(checked.program, **options)
    return Answer(checked.document.name, checked.document, checked.diagnostics, report, exit_code(report))


def theory_program(name: str | None, style: str, color: str) -> api.Program | None:
    """The program that `--theory` names; one that does not compile ends the command ([FACE-THEORY])."""
    if name is None:
        return None
    given = read_input(name)
    checked = api.check(given.source, language="pot", name=given.name)
    if checked.program is None:
        report = api.rejected(checked, Limits())
        end_with(Answer(name, checked.document, checked.diagnostics, report, INVALID), style, color)
    return checked.program


def print_text(answer: Answer, several: bool, color: str) -> None:
    """The diagnostics on standard error, the report on standard output, with its name if there are more."""
    print_diagnostics(answer.document, answer.diagnostics, color)
    found = answer.found
    if not isinstance(found, ReportBase) or (isinstance(found, Report) and answer.code == INVALID):
        return
    if several:
        click.echo(f"{answer.name}:")
    click.echo(found.render(color=use_color(color)).rstrip("\n"), color=True)


def print_diagnostics(
    document: Document, diagnostics: Sequence[Diagnostic], color: str, *, err: bool = True
) -> None:
    """Diagnostics with their source, on standard error if `err`."""
    if not diagnostics:
        return
    from potlang.diag.render_text import render_text

    is_colored = use_color(color, sys.stderr if err else sys.stdout)
    click.echo(render_text(diagnostics, document, color=is_colored), err=err, color=True)


def print_answers(answers: Sequence[Answer], style: str, *, named: bool = False) -> None:
    """All answers in a form for machines, `json` or `sarif`; for `text` they are printed one by one.

    In JSON each of several has its `file`, with `named` also a single one.
    """
    if style == "json":
        if len(answers) == 1 and not named:
            print_json(answers[0].to_dict())
            return
        listed = [{"file": each.name, **each.to_dict()} for each in answers]
        print_json(listed[0] if len(listed) == 1 else listed)
    elif style == "sarif":
        from potlang.diag.render_sarif import diagnostics_to_sarif

        runs = [(each.document, each.diagnostics) for each in answers]
        print_json(diagnostics_to_sarif(runs, __version__))


def end_with(answer: Answer, style: str, color: str) -> NoReturn:
    """Prints one answer, and ends the process with its code."""
    if style == "text":
        print_text(answer, False, color)
    print_answers([answer], style)
    sys.exit(answer.code)
