"""`potc verify FILE…`, which is what `potc FILE…` does: compile, verify, report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from potlang import api
from potlang.cli.answer import Answer, finished, print_text, theory_program, verified_answer
from potlang.cli.common import (
    checked_pipeline,
    color_option,
    files_argument,
    format_option,
    read_input,
    tell,
    with_progress,
    worst_exit,
    write_text,
)
from potlang.cli.options import (
    CacheOptions,
    ProgramOptions,
    SolutionOptions,
    SolvingOptions,
    TraceOptions,
    cache_options,
    note_options,
    print_problems,
    program_options,
    solution_options,
    solving_options,
    trace_options,
    verify_options,
)
from potlang.cli.proof_archive import Archive
from potlang.engines.commands import solver_command
from potlang.languages.pot.report import Report
from potlang.processes.pool import default_workers
from potlang.prove.options import solvers_of


@click.command()
@files_argument
@format_option("text", "json", "sarif")
@solving_options
@trace_options
@solution_options
@program_options
@cache_options
@color_option
def verify(
    files: tuple[str, ...],
    style: str,
    solving: SolvingOptions,
    trace: TraceOptions,
    solution: SolutionOptions,
    program: ProgramOptions,
    cached: CacheOptions,
    color: str,
) -> None:
    """Verify PoT programs, DoT traces and DAG-MATH solutions; the content of a file tells which it is.

    Exit code: 0 all that is asked holds (each verification is entailed, without another `ask`) or the
    optimum found, a trace or a solution accepted; 1 another answer; 2 not a valid program, a trace or a
    solution that is not well formed; 3 a limit was hit or the solver gave up. Several files: 2 if one has 2,
    else 3 if one has 3, else 1 if one has 1, else 0. Ctrl-C prints what is known, with exit code 130; so
    does SIGTERM, with 143.
    """
    checked_pipeline(program.passes)
    several = len(files) > 1
    if program.certificate is not None and several and not Path(program.certificate).is_dir():
        raise click.BadParameter("of several programs, --certificate names an existing directory")
    certificates = _certificates(files, program.certificate)
    _start(solving.route, click.get_current_context().obj)
    cache = cached.open()
    archive = None if program.proofs is None else Archive(program.proofs, program, solving.limits)
    asked: api.VerifyOptions = {
        "models": program.models,
        "cores": program.cores,
        "passes": program.passes,
        "certificate": program.certificate is not None,
        "cache": cache,
    }
    theory = theory_program(trace.theory, style, color)
    answers: list[Answer] = []
    codes: list[int] = []

    def verify_one(name: str, certificate: Path | None) -> None:
        given = read_input(name)
        note_options(given)
        options = verify_options(given.kind, solving, trace, solution, theory)
        if given.kind == "pot":
            options |= asked
        try:
            found, compiled = verified_answer(given, options)
        except api.OptionError as error:
            raise click.BadParameter(str(error)) from error
        if isinstance(found.found, Report):
            _write_files(given.name, found.found, certificate)
        codes.append(found.code)
        if style == "text":
            print_text(found, several, color)
        else:
            answers.append(found)
        if not found.is_whole:
            raise KeyboardInterrupt
        if archive is not None and compiled is not None and isinstance(found.found, Report):
            archive.add(given.name, compiled, found.found, color, to_stderr=style != "text")

    with finished(answers, style):
        for name, certificate in with_progress(certificates, "verifying", several=several):
            verify_one(name, certificate)
    print_problems(cache, color)
    sys.exit(worst_exit(codes))


def _start(route: api.RouteName, started: subprocess.Popen[bytes] | None) -> None:
    """Starts the solvers, unless the usual one is on its way, so that they import while we compile."""
    if started is not None:
        default_workers().attach(solver_command("z3"), started)
        return
    for engine in solvers_of(route):
        default_workers().warm(solver_command(engine))


def _certificates(files: tuple[str, ...], place: str | None) -> list[tuple[str, Path | None]]:
    """The files, and where the certificate of each goes. Raises click.BadParameter if that is an input."""
    if place is None:
        return [(name, None) for name in files]
    path = Path(place)
    found: dict[Path, str] = {}
    for name in files:
        stem = "stdin" if name == "-" else Path(name).stem
        wanted = path / f"{stem}.cert" if path.is_dir() else path
        number = 2
        while wanted in found:
            wanted = path / f"{stem}.{number}.cert"
            number += 1
        found[wanted] = name
    inputs = [Path(name) for name in files if name != "-" and Path(name).exists()]
    for wanted in found:
        if wanted.exists() and any(wanted.samefile(each) for each in inputs):
            raise click.BadParameter(
                f"the certificate would overwrite the input {str(wanted)!r}", param_hint="--certificate"
            )
    return [(name, wanted) for wanted, name in found.items()]


def _write_files(name: str, report: Report, certificate: Path | None) -> None:
    """The certificate where it is wanted, and what reproduces a disagreement of solvers."""
    if certificate is not None and report.certificate is not None:
        write_text(certificate, report.certificate)
    for number, result in enumerate(report.results):
        if result.reproducer is not None:
            path = Path(f"{Path(name).stem}-disagreement-{number}.smt2")
            write_text(path, result.reproducer)
            tell(f"note: two solvers disagree on {result.name!r}: {path} reproduces it")
