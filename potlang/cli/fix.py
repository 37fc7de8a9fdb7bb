"""`potc fix FILE…`: applies the fixes that diagnostics offer."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import click

from potlang import api
from potlang.cli.common import ALL_ENTAILED, INVALID, files_argument, read_source
from potlang.diag import Applicability, Diagnostic, Fix

_ROUNDS = 10


@click.command()
@files_argument
@click.option(
    "--unsafe", is_flag=True, help="Apply fixes too that may change the meaning: the first of each."
)
@click.option("--diff", "show_diff", is_flag=True, help="Show what would change, write nothing.")
@click.option("--stdout", is_flag=True, help="Print the fixed program instead of writing it.")
def fix(files: tuple[str, ...], unsafe: bool, show_diff: bool, stdout: bool) -> None:
    """Apply safe fixes to programs, in place.

    Exit code: 0 no errors are left, 2 some are. Standard input (-) is fixed to standard output.
    """
    clean = [_fix_one(name, unsafe, show_diff, stdout or name == "-") for name in files]
    sys.exit(ALL_ENTAILED if all(clean) else INVALID)


def _fix_one(name: str, unsafe: bool, show_diff: bool, stdout: bool) -> bool:
    source, shown = read_source(name)
    checked = api.check(source, name=shown)
    before = checked.document.text
    if before is None:
        click.echo(f"{shown}: {checked.diagnostics[0].message}", err=True)
        return False
    after, count, checked = fix_text(before, shown, unsafe)
    if show_diff:
        lines = difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), shown, f"{shown} (fixed)"
        )
        click.echo("".join(lines), nl=False)
    elif stdout:
        click.echo(after, nl=False)
    elif after != before:
        Path(name).write_text(after, encoding=checked.document.encoding or "utf-8")
    errors = sum(each.severity == "error" for each in checked.diagnostics)
    left = f"{errors} error{'' if errors == 1 else 's'} left" if errors else "no errors left"
    click.echo(f"{shown}: {count} fix{'' if count == 1 else 'es'} applied, {left}", err=True)
    return errors == 0


def fix_text(text: str, name: str, unsafe: bool) -> tuple[str, int, api.Checked]:
    """The text after all fixes that apply, round by round, how many were applied, and its last check."""
    from potlang.diag.fixes import apply_fixes

    count = 0
    checked = api.check(text, name=name)
    for _ in range(_ROUNDS):
        fixes = [found for each in checked.diagnostics if (found := _chosen(each, unsafe))]
        fixed = apply_fixes(text, fixes)
        if fixed == text:
            break
        count += len(fixes)
        text = fixed
        checked = api.check(text, name=name)
    return text, count, checked


def _chosen(diagnostic: Diagnostic, unsafe: bool) -> Fix | None:
    allowed = (Applicability.SAFE, Applicability.UNSAFE) if unsafe else (Applicability.SAFE,)
    return next((each for each in diagnostic.fixes if each.applicability in allowed), None)
