"""`potc verify FILE…`, which is what `potc FILE…` does: compile, verify, report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang import api
from potlang.cli.answer import Answer, print_text, theory_program, verified_answer
from potlang.cli.commands import Start
from potlang.cli.common import (
    ALL_ENTAILED,
    checked_pipeline,
    color_option,
    files_argument,
    format_option,
    read_input,
    tell,
    write_text,
)
from potlang.cli.helping import Command
from potlang.cli.inputs import expanded
from potlang.cli.options import (
    CacheOptions,
    ProgramOptions,
    RunOptions,
    SolutionOptions,
    SolvingOptions,
    TraceOptions,
    cache_options,
    config_option,
    note_options,
    print_problems,
    program_options,
    require_option,
    run_options,
    solution_options,
    solving_options,
    sources_option,
    trace_options,
    verify_options,
)
from potlang.cli.proof_archive import Archive
from potlang.cli.run import Item, run, strictly
from potlang.engines.commands import solver_command
from potlang.languages.pot.report import Report
from potlang.linter.doubts import doubts
from potlang.processes.pool import default_workers
from potlang.prove.options import solvers_of

if TYPE_CHECKING:
    from potlang.languages.dot.results import Requirement


@click.command(cls=Command)
@files_argument
@format_option("text", "json", "sarif")
@run_options
@solving_options
@trace_options
@require_option
@solution_options
@program_options
@cache_options
@sources_option
@config_option
@color_option
def verify(
    files: tuple[str, ...],
    style: str,
    running: RunOptions,
    solving: SolvingOptions,
    trace: TraceOptions,
    required: tuple[Requirement, ...],
    solution: SolutionOptions,
    program: ProgramOptions,
    cached: CacheOptions,
    color: str,
) -> None:
    """Verify PoT programs, DoT traces and DAG-MATH solutions; the content of a file tells which it is.

    FILE is a file, a directory, a pattern such as `"rules/**/*.json"`, or `-` for standard input. A
    solution may be plain text, Markdown or a chat.

    Exit code: 0 all that is asked holds (each verification is entailed, without another `ask`) or the
    optimum found, a trace accepted and established, a solution accepted; 1 another answer; 2 not a valid
    program, a trace or a solution that is not well formed; 3 a limit was hit or the solver gave up.
    Several files: 2 if one has 2, else 3 if one has 3, else 1 if one has 1, else 0. Ctrl-C prints what is
    known, with exit code 130; so does SIGTERM, with 143.
    """
    checked_pipeline(program.passes)
    _start(solving.route, running.jobs)
    cache = cached.open()
    archive = None if program.proofs is None else Archive(program.proofs, program, solving.limits)
    asked: api.VerifyOptions = {
        "models": program.models,
        "cores": program.cores,
        "passes": program.passes,
        "certificate": program.certificate is not None,
        "cache": cache,
        "words": program.words,
    }
    theory = theory_program(trace.theory, style, color)

    def verified(item: Item, several: bool) -> Answer:
        name, certificate, stem = item
        given = read_input(str(name))
        note_options(given)
        options = verify_options(given.kind, solving, trace, solution, theory, required)
        if given.kind == "pot":
            options |= asked
        try:
            found, compiled = verified_answer(given, options)
        except api.OptionError as error:
            raise click.BadParameter(str(error)) from error
        if isinstance(found.found, Report):
            _write_files(given.name, found.found, None if certificate is None else Path(certificate))
        found = strictly(found, running.strict)
        if style == "text" and not (running.quiet and found.code == ALL_ENTAILED):
            print_text(found, several, color, words=program.words)
            if compiled is not None and isinstance(found.found, Report):
                doubtful = doubts(compiled, found.found)
                if doubtful:
                    tell(f"note: `potc lint` says more: {doubtful}")
        if (
            found.is_whole
            and archive is not None
            and compiled is not None
            and compiled.tables is None
            and isinstance(found.found, Report)
        ):
            archive.add(stem, compiled, found.found, color, to_stderr=style != "text")
        print_problems(cache, color)
        return found

    def listed() -> list[Item]:
        names = expanded(files, running.exclude)
        stems = [None] * len(names) if archive is None else archive.stems(names)
        return list(zip(names, _certificates(names, program.certificate), stems, strict=True))

    run(listed, verified, running, style)


def _start(route: api.RouteName, jobs: int) -> None:
    """Starts the solvers, unless the usual one is on its way, so that they import while we compile."""
    start = click.get_current_context().obj
    if isinstance(start, Start):
        if jobs > 1:
            return
        if start.solver is not None:
            default_workers().attach(solver_command("z3"), start.solver)
            return
    for engine in solvers_of(route):
        default_workers().warm(solver_command(engine))


def _certificates(names: Sequence[str], place: str | None) -> list[str | None]:
    """Where the certificate of each input goes. Raises click.BadParameter if that is an input."""
    if place is None:
        return [None] * len(names)
    path = Path(place)
    if len(names) > 1 and not path.is_dir():
        raise click.BadParameter("of several programs, --certificate names an existing directory")
    found: dict[Path, None] = {}
    for name in names:
        stem = "stdin" if name == "-" else Path(name).stem
        wanted = path / f"{stem}.cert" if path.is_dir() else path
        number = 2
        while wanted in found:
            wanted = path / f"{stem}.{number}.cert"
            number += 1
        found[wanted] = None
    inputs = [Path(name) for name in names if name != "-" and Path(name).exists()]
    for wanted in found:
        if wanted.exists() and any(wanted.samefile(each) for each in inputs):
            raise click.BadParameter(
                f"the certificate would overwrite the input {str(wanted)!r}", param_hint="--certificate"
            )
    return [str(wanted) for wanted in found]


def _write_files(name: str, report: Report, certificate: Path | None) -> None:
    """The certificate where it is wanted, and what reproduces a disagreement of solvers."""
    if certificate is not None and report.certificate is not None:
        write_text(certificate, report.certificate)
    for number, result in enumerate(report.results):
        if result.reproducer is not None:
            path = Path(f"{Path(name).stem}-disagreement-{number}.smt2")
            write_text(path, result.reproducer)
            tell(f"note: two solvers disagree on {result.name!r}: {path} reproduces it")
