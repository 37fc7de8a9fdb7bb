"""`potc fix FILE…`: applies the fixes that diagnostics offer."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import click

from potlang import api
from potlang.cli.common import ALL_ENTAILED, INVALID, files_argument, read_input
from potlang.diag import Applicability, Diagnostic, Fix
from potlang.languages.kind import Kind
from potlang.source import Document

_ROUNDS = 50


@click.command()
@files_argument
@click.option("--unsafe", is_flag=True, help="Apply fixes too that may change the meaning, one at a time.")
@click.option("--diff", "show_diff", is_flag=True, help="Show what would change, write nothing.")
@click.option("--stdout", is_flag=True, help="Print the fixed program instead of writing it.")
def fix(files: tuple[str, ...], unsafe: bool, show_diff: bool, stdout: bool) -> None:
    """Apply safe fixes to programs, traces and solutions, in place.

    Exit code: 0 no errors are left, 2 some are. Standard input (-) is fixed to standard output.
    """
    clean = [_fix_one(name, unsafe, show_diff, stdout or name == "-") for name in files]
    sys.exit(ALL_ENTAILED if all(clean) else INVALID)


def _fix_one(name: str, unsafe: bool, show_diff: bool, stdout: bool) -> bool:
    given = read_input(name)
    shown = given.name
    document, diagnostics = _found(given.source, shown, given.kind)
    before = document.text
    if before is None or (given.kind == "dot" and not _is_utf8(given.source)):
        click.echo(f"{shown}: {diagnostics[0].message}", err=True)
        return False
    after, count, diagnostics = fix_text(before, shown, unsafe, given.kind)
    if show_diff:
        lines = difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), shown, f"{shown} (fixed)"
        )
        click.echo("".join(lines), nl=False)
    elif stdout:
        click.echo(after, nl=False)
    elif after != before:
        Path(name).write_bytes(after.encode(document.encoding or "utf-8"))
    errors = sum(each.severity == "error" for each in diagnostics)
    left = f"{errors} error{'' if errors == 1 else 's'} left" if errors else "no errors left"
    click.echo(f"{shown}: {count} fix{'' if count == 1 else 'es'} applied, {left}", err=True)
    return errors == 0


def _is_utf8(source: bytes | Path) -> bool:
    """Whether a trace's text says all that its bytes do: else writing it back would lose some."""
    data = source if isinstance(source, bytes) else b""
    return data.decode("utf-8", "ignore").encode("utf-8") == data


def _found(source: str | bytes | Path, name: str, kind: Kind) -> tuple[Document, tuple[Diagnostic, ...]]:
    """What is wrong with an input."""
    if kind == "dot":
        from potlang import dot

        checked = dot.check(source, name=name)
        return checked.trace.document, checked.diagnostics
    if kind == "dagmath":
        from potlang.languages.dagmath.check import form as checking

        solution = checking.check(source, name=name)
        return solution.read.document, solution.diagnostics
    program = api.check(source, name=name)
    return program.document, program.diagnostics


def fix_text(
    text: str, name: str, unsafe: bool, kind: Kind = "pot"
) -> tuple[str, int, tuple[Diagnostic, ...]]:
    """The text after all fixes that apply, round by round, how many were applied, and what is left."""
    from potlang.diag.fixes import apply_fixes

    count = 0
    diagnostics = _found(text, name, kind)[1]
    for _ in range(_ROUNDS):
        fixes = [found for each in diagnostics if (found := _first(each, Applicability.SAFE))]
        if unsafe and not fixes:
            # One may be all that it takes: what others there are is to be seen afterwards.
            guesses = (_first(each, Applicability.UNSAFE) for each in diagnostics)
            fixes = [found for found in guesses if found is not None][:1]
        fixed = apply_fixes(text, fixes)
        if fixed == text:
            break
        count += len(fixes)
        text = fixed
        diagnostics = _found(text, name, kind)[1]
    return text, count, diagnostics


def _first(diagnostic: Diagnostic, applicability: Applicability) -> Fix | None:
    return next((each for each in diagnostic.fixes if each.applicability is applicability), None)
