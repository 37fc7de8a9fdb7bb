"""`potc fmt FILE…`: programs in their canonical layout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from potlang.cli.answer import print_diagnostics
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    color_option,
    files_argument,
    read_input,
    tell,
    worst_exit,
    write_bytes,
)
from potlang.cli.helping import Command
from potlang.cli.inputs import expanded
from potlang.cli.options import config_option, exclude_option, sources_option
from potlang.cli.patch import patch
from potlang.diag.wording import counted, visible
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.format import laid_out

Outcome = Literal["changed", "unchanged", "invalid", "other"]


@click.command(cls=Command)
@files_argument
@click.option("--check", is_flag=True, help="Write nothing, and list what would change: exit code 1.")
@click.option("--diff", "show_diff", is_flag=True, help="As --check, and show the changes.")
@click.option("--stdout", is_flag=True, help="Print the laid out programs instead of writing them.")
@exclude_option
@config_option
@sources_option
@color_option
def fmt(
    files: tuple[str, ...], check: bool, show_diff: bool, stdout: bool, exclude: tuple[str, ...], color: str
) -> None:
    """Lay out programs in the canonical way, in place; what they mean stays the same.

    FILE is a file, a directory, a pattern such as `"rules/**/*.json"`, or `-`, which is laid out to standard
    output. Traces and solutions are left as they are.

    Exit code: 0 all programs are laid out; 1 with --check or --diff, one is not; 2 one is not valid, and left
    as it is.
    """
    is_dry = check or show_diff
    codes = []
    count = 0
    for name in expanded(files, exclude):
        text, outcome = _formatted(name, show_diff, color)
        count += outcome == "changed"
        if text is not None and (stdout or name == "-") and not is_dry:
            click.echo(text, nl=False)
        elif outcome == "changed" and text is not None and not is_dry:
            write_bytes(Path(name), text.encode())
        if outcome == "changed" and check and not show_diff:
            click.echo(visible(name))
        elif outcome == "changed" and not (is_dry or stdout or name == "-"):
            tell(f"{name}: laid out anew")
        changed = OTHER_ANSWER if is_dry else ALL_ENTAILED
        codes.append({"changed": changed, "invalid": INVALID}.get(outcome, ALL_ENTAILED))
    if is_dry:
        tell(f"{counted(count, 'program')} of {len(codes):,} would be laid out anew")
    sys.exit(worst_exit(codes))


def _formatted(name: str, show_diff: bool, color: str) -> tuple[str | None, Outcome]:
    """A program in its canonical layout, None if there is none, and what that means for its file."""
    given = read_input(name)
    if given.kind != "pot":
        tell(f"note: {given.name} is no program, and left as it is")
        return None, "other"
    checked = check_program(given.source, name=given.name)
    before, after = checked.document.text, laid_out(checked)
    if before is None or after is None:
        print_diagnostics(checked.document, checked.diagnostics, color)
        return None, "invalid"
    if show_diff:
        click.echo(patch(before, after, given.name), nl=False)
    is_same = after == before and checked.document.encoding == "utf-8"
    return after, "unchanged" if is_same else "changed"
