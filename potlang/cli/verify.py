"""`potc verify FILE…`, which is what `potc FILE…` does: compile, verify, report."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click

from potlang import api
from potlang.cli.cache_option import cache_options, chosen_cache, print_problems
from potlang.cli.common import (
    checked_pipeline,
    color_option,
    exit_code,
    files_argument,
    format_option,
    print_json,
    read_source,
    use_color,
    worst_exit,
)
from potlang.cli.proof_archive import Archive
from potlang.report import Limits, Report
from potlang.solve.pool import default_workers
from potlang.version import __version__

_SECONDS = click.FloatRange(min=0.001, max=1_000_000)


@click.command()
@files_argument
@format_option("text", "json", "sarif")
@click.option(
    "--route",
    type=click.Choice(get_args(api.RouteName)),
    default="auto",
    show_default=True,
    help="Who decides; `auto` chooses by what the program is made of. `both`: two solvers, compared.",
)
@click.option(
    "--trust",
    type=click.Choice(["best", "solver"]),
    default="best",
    show_default=True,
    help="`solver`: take its word, skip what only strengthens the evidence.",
)
@click.option("--timeout", type=_SECONDS, default=10.0, show_default=True, help="Seconds for one check.")
@click.option(
    "--total-timeout", type=_SECONDS, default=60.0, show_default=True, help="Seconds for one program."
)
@click.option(
    "--memory", type=click.IntRange(min=1), default=4096, show_default=True, help="Megabytes for the solver."
)
@click.option("--rlimit", type=click.IntRange(min=1), help="The solver's own deterministic limit per check.")
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
    """Compile and verify PoT programs.

    Exit code: 0 every verification entailed or the optimum found; 1 another answer; 2 not a valid
    program; 3 a limit was hit or the solver gave up. Of several files, 2 before 3 before 1 before 0.
    """
    checked_pipeline(passes)
    if certificate is not None and len(files) > 1 and not Path(certificate).is_dir():
        raise click.BadParameter("of several programs, --certificate names an existing directory")
    _start(route, click.get_current_context().obj)
    limits = Limits(int(timeout * 1000), int(total_timeout * 1000), memory, rlimit)
    cache = chosen_cache(use_cache, cache_dir)
    archive = None if proofs is None else Archive(proofs, proof_format, proof_rules, limits)
    seen: list[tuple[str, api.Checked, Report]] = []
    codes: list[int] = []
    for name in _with_progress(files):
        source, shown = read_source(name)
        checked = api.check(source, name=shown)
        if checked.program is None:
            report = api.rejected(checked, limits)
        else:
            try:
                report = api.verify(
                    checked.program,
                    route=route,
                    trust=trust,
                    limits=limits,
                    models=models,
                    cores=cores,
                    passes=passes,
                    certificate=certificate is not None,
                    cache=cache,
                )
            except api.OptionError as error:
                raise click.BadParameter(str(error)) from error
        codes.append(exit_code(report))
        _write_files(shown, report, certificate, len(files) > 1)
        if style == "text":
            _print_text(shown, checked, report, len(files) > 1, color)
        else:
            seen.append((shown, checked, report))
        if archive is not None and checked.program is not None:
            archive.add(shown, checked.program, report, color, to_stderr=style != "text")
    if style == "json":
        _print_reports(seen)
    elif style == "sarif":
        _print_sarif(seen)
    print_problems(cache, color)
    sys.exit(worst_exit(codes))


def _start(route: api.RouteName, started: subprocess.Popen[bytes] | None) -> None:
    """Starts the solvers, unless the usual one is on its way, so that they import while we compile."""
    if started is not None:
        default_workers().adopt("z3", started)
        return
    for engine in {"both": ("z3", "cvc5"), "closure": (), "ground": ()}.get(route, (route,)):
        default_workers().warm("z3" if engine == "auto" else engine)


def _with_progress(files: tuple[str, ...]) -> Iterator[str]:
    """The files, with a bar on standard error where that is a terminal and there are several."""
    if len(files) == 1 or not sys.stderr.isatty() or sys.stdout.isatty():
        yield from files
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(files, description="verifying", console=console, transient=True)


def _print_text(name: str, checked: api.Checked, report: Report, several: bool, color: str) -> None:
    from potlang.render import render_report

    if checked.diagnostics:
        from potlang.diag.render_text import render_text

        stream = sys.stderr
        click.echo(
            render_text(checked.diagnostics, checked.document, color=use_color(color, stream)), err=True
        )
    if checked.program is None:
        return
    if several:
        click.echo(f"{name}:")
    click.echo(render_report(report, color=use_color(color)).rstrip("\n"), color=True)


def _write_files(name: str, report: Report, certificate: str | None, several: bool) -> None:
    """The certificate where it is wanted, and what reproduces a disagreement of solvers."""
    if certificate is not None and report.certificate is not None:
        path = Path(certificate)
        _write(path / f"{Path(name).stem}.cert" if several or path.is_dir() else path, report.certificate)
    for number, result in enumerate(report.results):
        if result.reproducer is not None:
            path = Path(f"{Path(name).stem}-disagreement-{number}.smt2")
            _write(path, result.reproducer)
            click.echo(f"note: two solvers disagree on {result.name!r}: {path} reproduces it", err=True)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
    except OSError as error:
        raise click.FileError(str(path), error.strerror or str(error)) from error


def _print_reports(seen: list[tuple[str, api.Checked, Report]]) -> None:
    """One report as an object; several as a list, each with its file."""
    if len(seen) == 1:
        print_json(seen[0][2].to_dict())
    else:
        print_json([{"file": name, **report.to_dict()} for name, _, report in seen])


def _print_sarif(seen: list[tuple[str, api.Checked, Report]]) -> None:
    from potlang.diag.render_sarif import diagnostics_to_sarif

    runs = [(checked.document, checked.diagnostics) for _, checked, _ in seen]
    print_json(diagnostics_to_sarif(runs, __version__))
