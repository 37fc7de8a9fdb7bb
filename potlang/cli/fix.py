"""`potc fix FILE…`: applies the fixes that diagnostics offer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from potlang import api
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    files_argument,
    read_input,
    tell,
    write_bytes,
)
from potlang.cli.helping import Command
from potlang.cli.inputs import expanded
from potlang.cli.options import config_option, exclude_option
from potlang.cli.patch import patch
from potlang.diag.wording import counted


@click.command(cls=Command)
@files_argument
@click.option("--unsafe", is_flag=True, help="Also apply fixes that may change the meaning, one at a time.")
@click.option("--lint", is_flag=True, help="Also apply the safe fixes of what `potc lint` finds.")
@click.option("--diff", "show_diff", is_flag=True, help="Show the changes and write nothing.")
@exclude_option
@click.option("--stdout", is_flag=True, help="Print the fixed program instead of writing it.")
@config_option
def fix(
    files: tuple[str, ...],
    unsafe: bool,
    lint: bool,
    show_diff: bool,
    stdout: bool,
    exclude: tuple[str, ...],
) -> None:
    """Apply safe fixes to programs, traces and solutions, in place.

    FILE is a file, a directory, a pattern such as `"rules/**/*.json"`, or `-` for standard input.

    Exit code: 0 no errors are left, 2 some are. Standard input (-) is fixed to standard output.
    """
    fixing = partial(api.fix, unsafe=unsafe, lint=lint)
    clean = [_fix_one(name, fixing, show_diff, stdout or name == "-") for name in expanded(files, exclude)]
    sys.exit(ALL_ENTAILED if all(clean) else INVALID)


def _fix_one(name: str, fixing: Callable[..., api.Fixed], show_diff: bool, stdout: bool) -> bool:
    given = read_input(name)
    shown = given.name
    try:
        fixed = fixing(given.source, language=given.kind, name=shown)
    except ValueError as error:
        tell(f"{shown}: {error}")
        return False
    before = fixed.before.text or ""
    if show_diff:
        click.echo(patch(before, fixed.text, shown), nl=False)
    elif stdout:
        click.echo(fixed.text, nl=False)
    elif fixed.text != before:
        write_bytes(Path(name), fixed.text.encode(fixed.before.encoding or "utf-8"))
    errors = sum(each.severity == "error" for each in fixed.diagnostics)
    left = f"{counted(errors, 'error')} left" if errors else "no errors left"
    tell(f"{shown}: {counted(fixed.applied, 'fix', 'fixes')} applied, {left}")
    return errors == 0
