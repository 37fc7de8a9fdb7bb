"""`potc verify --proofs`: cvc5's proofs into a directory, with a line on each ([CERT-ARCHIVE])."""

from __future__ import annotations

import sys
from collections.abc import Iterable
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
    """The directory that is written to."""

    def __init__(self, directory: str, program: ProgramOptions, limits: Limits) -> None:
        self._directory = Path(directory)
        self._form = program.proof_format
        self._rules = tuple(map(Path, program.proof_rules))
        self._limits = limits

    def add(
        self, stem: str | None, program: api.Program, report: Report, color: str, *, to_stderr: bool
    ) -> None:
        """Archive what a report rests on, in files of this name; what could not be had is a note."""
        found = api.archive_proofs(
            program,
            report,
            self._directory,
            name=stem or "",
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

    @staticmethod
    def stems(names: Iterable[str]) -> list[str]:
        """A name for the files of each input: those of one name get numbers."""
        from potlang.prove.proofs import file_stem

        found: dict[str, None] = {}
        for name in names:
            stem = chosen = file_stem(Path("<stdin>" if name == "-" else name).stem)[:_LONGEST_STEM]
            number = 1
            while chosen in found:
                number += 1
                chosen = f"{stem}.{number}"
            found[chosen] = None
        return list(found)


def _print_dim(line: str, color: str, to_stderr: bool) -> None:
    stream = sys.stderr if to_stderr else sys.stdout
    shown = click.style(line, dim=True) if use_color(color, stream) else line
    click.echo(shown, err=to_stderr, color=True)
