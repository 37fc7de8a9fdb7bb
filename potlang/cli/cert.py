"""`potc cert check CERTIFICATE PROGRAM`: the kernel's word on a certificate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang.certify import check as kernel
from potlang.cli.answer import print_diagnostics
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    color_option,
    format_option,
    print_json,
    read_input,
    use_color,
)
from potlang.cli.helping import CommandGroup
from potlang.cli.options import sources_option
from potlang.diag import Sink
from potlang.diag.wording import visible
from potlang.languages.pot.check import check as check_program
from potlang.reading.json_text import open_document
from potlang.reread import confirm
from potlang.source import InputLimits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from potlang.certify import Outcome
    from potlang.diag import Diagnostic
    from potlang.reread import Confirmation
    from potlang.source import Document

NOTE = "the certificate is about the compiled IR; that the IR means what the JSON says rests on the compiler"
NOTES = {
    "confirmed": "a second reader, which shares no code with the compiler, finds the same program in it",
    "not covered": NOTE,
    "differs": "a second reader, which shares no code with the compiler, finds another one in it",
}
MOST_BYTES = 1 << 30
_COLORS = {"VALID": "green", "VALID_WITH_HOLES": "yellow", "INVALID": "red"}


@click.group(cls=CommandGroup)
def cert() -> None:
    """Check certificates.

    `potc verify --certificate FILE` writes one.
    """


@cert.command()
@click.argument("certificate")
@click.argument("program")
@format_option("text", "json")
@sources_option
@color_option
def check(certificate: str, program: str, style: str, color: str) -> None:
    """Check a certificate of a program.

    The program is compiled again, and the kernel, which trusts nothing, checks the certificate against
    the result. VALID_WITH_HOLES lists what a solver's word stands for, or what was not evaluated. A second
    reader confirms that the result is what the file means, as far as it covers the language.

    Exit code: 0 every answer is shown by what was checked (of a claim's verdict, but for a contradiction
    among the assumptions); 1 INVALID, an answer that is unknown or rests on a solver's word, or a program
    that the second reader reads otherwise; 2 the program or the certificate cannot be read.
    """
    source, shown, _ = read_input(program)
    checked = check_program(source, name=shown)
    document, problems = _read(certificate)
    if checked.program is None or document.text is None or problems:
        print_diagnostics(checked.document, checked.diagnostics, color)
        print_diagnostics(document, problems, color)
        sys.exit(INVALID)
    compiled = checked.program.emit("ir", passes="")
    outcome = kernel(document.text, compiled)
    reading = confirm(source if isinstance(source, bytes) else source.read_bytes(), compiled)
    if style == "json":
        print_json(_value(certificate, shown, outcome, reading))
    else:
        click.echo("\n".join(_lines(outcome, reading, use_color(color))), color=True)
    shown_all = outcome.status != "INVALID" and not outcome.open and reading.status != "differs"
    sys.exit(ALL_ENTAILED if shown_all else OTHER_ANSWER)


def _read(name: str) -> tuple[Document, tuple[Diagnostic, ...]]:
    """The certificate, which is no program: its size has a limit of its own."""
    sink = Sink()
    source = sys.stdin.buffer.read() if name == "-" else Path(name)
    document = open_document(source, sink, InputLimits(bytes=MOST_BYTES), "<stdin>" if name == "-" else name)
    return document, tuple(sink.diagnostics(document))


def _value(certificate: str, program: str, outcome: Outcome, reading: Confirmation) -> dict[str, object]:
    holes = [hole._asdict() for hole in outcome.holes]
    found = {**outcome._asdict(), "holes": holes, "verdicts": dict(outcome.verdicts)}
    beside = {"reading": reading._asdict(), "note": NOTES[reading.status]}
    return {"certificate": certificate, "program": program, **found, **beside}


def _lines(outcome: Outcome, reading: Confirmation, color: bool) -> Iterator[str]:
    yield click.style(outcome.status, fg=_COLORS[outcome.status], bold=True) if color else outcome.status
    if outcome.status == "INVALID":
        yield f"  {f'line {outcome.line}: ' if outcome.line is not None else ''}{visible(outcome.message)}"
    for key, verdict in outcome.verdicts.items():
        yield f"  {visible(key)}: {verdict}{' (open)' if key in outcome.open else ''}"
    for hole in outcome.holes:
        yield f"  hole in line {hole.line}: {visible(hole.text)}"
    beside = {"confirmed": "", "not covered": "; the second reader does not cover ", "differs": ": "}
    yield f"note: {NOTES[reading.status]}{beside[reading.status]}{visible(reading.detail)}"
