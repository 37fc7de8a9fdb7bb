"""`potc verify --proofs`: cvc5's proofs into a directory, with a line on each ([CERT-ARCHIVE])."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from potlang import api
from potlang.cli.common import (
    CannotWriteFile,
    tell,
    use_color,
)
from potlang.cli.options import ProgramOptions
from potlang.diag.wording import visible
from potlang.languages.pot.report import Report
from potlang.report.results import Limits

_LONGEST_STEM = 50


class Archive:
    """The directory that is written to, and the names in use there; for one run over several files."""

    def __init__(self, directory: str, program: ProgramOptions, limits: Limits) -> None:
        self._directory = Path(directory)
        self._form = program.proof_format
        self._rules = tuple(map(Path, program.proof_rules))
        self._limits = limits
        self._names: set[str] = set()

    def add(self, name: str, program: api.Program, report: Report, color: str, *, to_stderr: bool) -> None:
        """Archive what the report on this program rests on; what could not be had is a note."""
        found = api.archive_proofs(
            program,
            report,
            self._directory,
            name=self._unused(name),
            form=self._form,
            rules=self._rules,
            limits=self._limits,
        )
        try:
            for each in found:
                line = f"{each.name}: {each}"
                if each.proof is None:
                    tell(f"note: {line}")
                else:
                    _print_dim(f"  {visible(line)}", color, to_stderr)
        except OSError as error:
            where = str(error.filename or self._directory)
            raise CannotWriteFile(where, error) from error

    def _unused(self, name: str) -> str:
        """A name for the files of this program: programs of one name get numbers."""
        from potlang.prove.proofs import file_stem

        stem = chosen = file_stem(Path(name).stem)[:_LONGEST_STEM]
        number = 1
        while chosen in self._names:
            number += 1
            chosen = f"{stem}.{number}"
        self._names.add(chosen)
        return chosen


def _print_dim(line: str, color: str, to_stderr: bool) -> None:
    stream = sys.stderr if to_stderr else sys.stdout
    shown = click.style(line, dim=True) if use_color(color, stream) else line
    click.echo(shown, err=to_stderr, color=True)
