"""`potc check FILE…`: diagnostics alone."""

from __future__ import annotations

import sys

import click

from potlang import api
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    color_option,
    files_argument,
    format_option,
    print_json,
    read_source,
    use_color,
)
from potlang.version import __version__


@click.command()
@files_argument
@format_option("text", "json", "sarif")
@color_option
def check(files: tuple[str, ...], style: str, color: str) -> None:
    """Report what is wrong or doubtful in programs, without solving.

    Exit code: 0 no errors, 2 errors.
    """
    found = []
    for name in files:
        source, shown = read_source(name)
        found.append((shown, api.check(source, name=shown)))
    if style == "text":
        for name, checked in found:
            _print_text(name, checked, color)
    elif style == "json":
        reports = [{"file": name, "diagnostics": list(checked.located())} for name, checked in found]
        print_json(reports[0] if len(reports) == 1 else reports)
    else:
        from potlang.diag.render_sarif import diagnostics_to_sarif

        runs = [(checked.document, checked.diagnostics) for _, checked in found]
        print_json(diagnostics_to_sarif(runs, __version__))
    sys.exit(ALL_ENTAILED if all(checked.program is not None for _, checked in found) else INVALID)


def _print_text(name: str, checked: api.Checked, color: str) -> None:
    from potlang.diag.render_text import render_text

    if checked.diagnostics:
        click.echo(render_text(checked.diagnostics, checked.document, color=use_color(color)), color=True)
    else:
        click.echo(f"{name}: no errors, no warnings")
