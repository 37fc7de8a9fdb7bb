"""`potc verify FILE…`, which is what `potc FILE…` does: compile, verify, report."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from potlang import api
from potlang.cli.answer import Answer, print_answers, print_text
from potlang.cli.cache_option import cache_options, chosen_cache, print_problems
from potlang.cli.common import (
    Input,
    checked_pipeline,
    color_option,
    exit_code,
    files_argument,
    format_option,
    note_unused,
    read_input,
    worst_exit,
    write_text,
)
from potlang.cli.proof_archive import Archive
from potlang.cli.shared_options import (
    FOR_SOLUTIONS,
    FOR_TRACES,
    chosen_limits,
    solution_options,
    solving_options,
    trace_options,
)
from potlang.cli.solution import solution_answer
from potlang.engines.commands import solver_command
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.program import Checked, Program
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import rejected
from potlang.languages.pot.solve import verify as verify_program
from potlang.processes.pool import default_workers

if TYPE_CHECKING:
    from potlang.languages.dot.read.records import Profile

_FOR_PROGRAMS = (
    *("models", "cores", "certificate", "proofs", "proof_format", "proof_rules", "passes", "use_cache"),
    "cache_dir",
)
"""Options that mean something for a program alone."""


@click.command()
@files_argument
@format_option("text", "json", "sarif")
@solving_options
@trace_options
@solution_options
@click.option(
    "--models",
    type=click.Choice(["claim", "full"]),
    default="claim",
    show_default=True,
    help="Show what a claim touches, or everything.",
)
@click.option(
    "--cores",
    type=click.Choice(["one", "all"]),
    default="one",
    show_default=True,
    help="`all`: every minimal set of assumptions that a verdict follows from, and every minimal set whose "
    "removal ends a contradiction; at most 100 of each and 10 seconds a claim.",
)
@click.option(
    "--certificate",
    type=click.Path(),
    help="Write what the verdicts rest on to this file, for `potc cert check`; of several programs, into "
    "this directory.",
)
@click.option(
    "--proofs",
    type=click.Path(file_okay=False),
    help="Write cvc5's proof of each unsatisfiable side, with its problem, into this directory; if `ethos` "
    "or, for Alethe, `carcara` is on PATH, run it on each.",
)
@click.option(
    "--proof-format",
    type=click.Choice(get_args(api.ProofFormat)),
    default="cpc",
    show_default=True,
    help="What cvc5 cannot put in Alethe, such as enums, is written as CPC.",
)
@click.option(
    "--proof-rules",
    type=click.Path(exists=True, dir_okay=False),
    multiple=True,
    help="The rules of CPC for `ethos`: `Cpc.eo` of cvc5's sources. May be repeated.",
)
@click.option("--passes", default=api.DEFAULT_PASSES, show_default=True, help="The passes before solving.")
@cache_options
@color_option
def verify(
    files: tuple[str, ...],
    style: str,
    route: api.RouteName,
    trust: api.Trust,
    timeout: float,
    total_timeout: float,
    memory: int,
    rlimit: int | None,
    profile: Profile,
    theory: str | None,
    answer: str | None,
    no_steps: bool,
    models: api.Models,
    cores: api.Cores,
    certificate: str | None,
    proofs: str | None,
    proof_format: api.ProofFormat,
    proof_rules: tuple[str, ...],
    passes: str,
    use_cache: bool | None,
    cache_dir: str | None,
    color: str,
) -> None:
    """Verify PoT programs, DoT traces and DAG-MATH solutions; which of them a file is shows in its content.

    Exit code: 0 every verification entailed or the optimum found, a trace or a solution accepted; 1 another
    answer; 2 not a valid program, a trace or a solution that is not well formed; 3 a limit was hit or the
    solver gave up. Of several files, 2 before 3 before 1 before 0.
    """
    checked_pipeline(passes)
    if certificate is not None and len(files) > 1 and not Path(certificate).is_dir():
        raise click.BadParameter("of several programs, --certificate names an existing directory")
    _start(route, click.get_current_context().obj)
    limits = chosen_limits(timeout, total_timeout, memory, rlimit)
    cache = chosen_cache(use_cache, cache_dir)
    archive = None if proofs is None else Archive(proofs, proof_format, proof_rules, limits)
    common: dict[str, Any] = {"trust": trust, "limits": limits}
    shared = {**common, "route": route}
    asked = {"models": models, "cores": cores, "passes": passes, "certificate": certificate is not None}
    program_settings = {**shared, **asked, "cache": cache}
    trace_settings = {**shared, "profile": profile, "theory": _theory(theory, style, color)}
    solution_settings = {**common, "answer": answer, "steps": not no_steps}
    answers: list[Answer] = []
    codes: list[int] = []
    for name in _with_progress(files):
        given = read_input(name)
        if given.kind == "dot":
            found = _trace_answer(given, trace_settings)
        elif given.kind == "dagmath":
            found = _solution_answer(given, solution_settings)
        else:
            checked = check_program(given.source, name=given.name)
            report = _verified(checked, program_settings)
            found = _program_answer(checked, report)
            _write_files(given.name, report, certificate, len(files) > 1)
            note_unused(f"{given.name} is a program", (*FOR_TRACES, *FOR_SOLUTIONS))
        codes.append(found.code)
        if style == "text":
            print_text(found, len(files) > 1, color)
        else:
            answers.append(found)
        if archive is not None and given.kind == "pot" and checked.program is not None:
            archive.add(given.name, checked.program, report, color, to_stderr=style != "text")
    print_answers(answers, style)
    print_problems(cache, color)
    sys.exit(worst_exit(codes))


def _theory(name: str | None, style: str, color: str) -> Program | None:
    if name is None:
        return None
    from potlang.cli.trace import theory_program

    return theory_program(name, style, color)


def _trace_answer(given: Input, settings: dict[str, Any]) -> Answer:
    """The answer to a trace; what that takes is imported for traces alone."""
    from potlang.cli.trace import trace_answer

    note_unused(f"{given.name} is a trace", (*_FOR_PROGRAMS, *FOR_SOLUTIONS))
    return trace_answer(given, settings)


def _solution_answer(given: Input, settings: dict[str, Any]) -> Answer:
    """The answer to a solution."""
    note_unused(f"{given.name} is a solution", ("route", *_FOR_PROGRAMS, *FOR_TRACES))
    return solution_answer(given, settings)


def _verified(checked: Checked, settings: dict[str, Any]) -> Report:
    """The report on a program, or on what is none."""
    if checked.program is None:
        return rejected(checked, settings["limits"])
    try:
        return verify_program(checked.program, **settings)
    except api.OptionError as error:
        raise click.BadParameter(str(error)) from error


def _program_answer(checked: Checked, report: Report) -> Answer:
    shown = None if checked.program is None else report.render
    document, diagnostics = checked.document, checked.diagnostics
    return Answer(document.name, document, diagnostics, report.to_dict, shown, exit_code(report))


def _start(route: api.RouteName, started: subprocess.Popen[bytes] | None) -> None:
    """Starts the solvers, unless the usual one is on its way, so that they import while we compile."""
    if started is not None:
        default_workers().attach(solver_command("z3"), started)
        return
    for engine in {"both": ("z3", "cvc5"), "closure": (), "ground": (), "search": ()}.get(route, (route,)):
        default_workers().warm(solver_command("z3" if engine == "auto" else engine))


def _with_progress(files: tuple[str, ...]) -> Iterator[str]:
    """The files, with a bar on standard error where that is a terminal and there are several."""
    if len(files) == 1 or not sys.stderr.isatty() or sys.stdout.isatty():
        yield from files
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(files, description="verifying", console=console, transient=True)


def _write_files(name: str, report: Report, certificate: str | None, several: bool) -> None:
    """The certificate where it is wanted, and what reproduces a disagreement of solvers."""
    if certificate is not None and report.certificate is not None:
        path = Path(certificate)
        write_text(path / f"{Path(name).stem}.cert" if several or path.is_dir() else path, report.certificate)
    for number, result in enumerate(report.results):
        if result.reproducer is not None:
            path = Path(f"{Path(name).stem}-disagreement-{number}.smt2")
            write_text(path, result.reproducer)
            click.echo(f"note: two solvers disagree on {result.name!r}: {path} reproduces it", err=True)
