"""What a command found about one input, and how it is printed: as text, JSON or SARIF."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from potlang.cli.common import print_json, use_color
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.diag import Diagnostic
    from potlang.source import Document


class Answer(NamedTuple):
    """The answer to one input.

    `diagnostics` have their places in `document`. `to_dict` gives the report as JSON, `render` as text,
    with or without colours; it is None where there is nothing beside the diagnostics.
    """

    name: str
    document: Document
    diagnostics: tuple[Diagnostic, ...]
    to_dict: Callable[[], dict[str, Any]]
    render: Callable[..., str] | None
    code: int


def print_text(answer: Answer, several: bool, color: str) -> None:
    """The diagnostics on standard error, the report on standard output, with its name if there are more."""
    print_diagnostics(answer.document, answer.diagnostics, color)
    if answer.render is None:
        return
    if several:
        click.echo(f"{answer.name}:")
    click.echo(answer.render(color=use_color(color)).rstrip("\n"), color=True)


def print_diagnostics(document: Document, diagnostics: Sequence[Diagnostic], color: str) -> None:
    """Diagnostics with their source on standard error."""
    if not diagnostics:
        return
    from potlang.diag.render_text import render_text

    click.echo(render_text(diagnostics, document, color=use_color(color, sys.stderr)), err=True, color=True)


def print_answers(answers: Sequence[Answer], style: str) -> None:
    """All answers in a form for machines, `json` or `sarif`; for `text` they are printed one by one."""
    if style == "json":
        found = [each.to_dict() for each in answers]
        several = [{"file": each.name, **report} for each, report in zip(answers, found, strict=True)]
        print_json(several if len(several) != 1 else found[0])
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
