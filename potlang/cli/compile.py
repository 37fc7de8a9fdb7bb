"""`potc compile FILE --to …`: the lowered program, a text for another tool, or a derivation written down."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from potlang import api, dot
from potlang.cli.answer import print_diagnostics, theory_program
from potlang.cli.common import (
    INVALID,
    OTHER_ANSWER,
    UNDECIDED,
    CommandFailure,
    Input,
    checked_pipeline,
    color_option,
    note_unused,
    output_option,
    read_input,
    tell,
    write_output,
)
from potlang.cli.helping import Command
from potlang.cli.options import TraceOptions, sources_option, trace_options
from potlang.convert.deductions import NotEntailed
from potlang.convert.derivation_to_solution import derivation_to_solution
from potlang.export import WAYS, Way
from potlang.export.ways import claims_of
from potlang.ir.module import Module
from potlang.languages.dagmath.write import write_json
from potlang.languages.pot.check import Source as ProgramSource
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.lower import DEFAULT_PASSES, PLAIN_PASSES, emit_after, passes_for
from potlang.languages.pot.program import CompileError, Program
from potlang.passes.base import Pass, PassLimit
from potlang.report.results import Verdict
from potlang.sema.emit import Unwritable
from potlang.smt.errors import Unsupported

if TYPE_CHECKING:
    from potlang.languages.dot.read.records import Profile
    from potlang.passes.pipeline import Callback, Pipeline


@click.command("compile", cls=Command)
@click.argument("file")
@click.option(
    "--to",
    "target",
    type=click.Choice(["ir", "smt2", "pot", "dot", "dagmath", *WAYS]),
    default="smt2",
    help="Typed IR, the SMT-LIB text that is solved, PoT again, a derivation as a trace or a solution; or for"
    " another tool: TPTP, Lean 4, Python with z3, clingo.",
)
@click.option(
    "--claim",
    help="With `--to dot|dagmath`: the claim whose derivation it is; for another tool: the only claim."
    " [default: the first; for lean, python and asp all]",
)
@click.option(
    "--passes",
    help=f"As `simplify{{rounds=3}},nnf`. [default: {DEFAULT_PASSES} for smt2, none for another tool, else"
    f" {PLAIN_PASSES}]",
)
@click.option("--print-after", is_flag=True, help="Print the IR after each pass, on standard error.")
@output_option
@trace_options
@sources_option
@color_option
def compile_(
    file: str,
    target: api.Target | Literal["dot", "dagmath"] | Way,
    claim: str | None,
    passes: str | None,
    print_after: bool,
    output: Path | None,
    trace: TraceOptions,
    color: str,
) -> None:
    """Print a program in a lowered form, or for another tool; of a trace, the program that it amounts to."""
    pipeline = checked_pipeline(passes_for(target) if passes is None else passes)
    given = read_input(file)
    if given.kind == "dagmath":
        raise CommandFailure(f"{given.name} is a solution: there is no program in it")
    if given.kind == "dot":
        note_unused(f"{given.name} is a trace", () if target in ("dagmath", *WAYS) else ("claim",))
        program = _of_trace(given, target, trace, color)
    else:
        note_unused(f"{given.name} is a program", ("theory",))
        program = _program(given.source, given.name, color)
    if target == "dot" or target == "dagmath":
        text = _derivation(program, target, claim, trace.profile)
    elif target == "tptp" or target == "lean" or target == "python" or target == "asp":
        text = _for_another_tool(program, pipeline, target, claim, print_after)
    else:
        text = _lowered(program, pipeline, target, print_after)
    write_output(output, text)


def _program(source: ProgramSource, name: str, color: str) -> Program:
    """The compiled program; diagnostics, and exit code 2, where it is none."""
    checked = check_program(source, name=name)
    print_diagnostics(checked.document, checked.diagnostics, color)
    if checked.program is None:
        sys.exit(INVALID)
    return checked.program


def _of_trace(given: Input, target: str, trace: TraceOptions, color: str) -> Program:
    """The program that a trace amounts to; diagnostics, and exit code 2, where it has errors."""
    if target == "dot":
        raise CommandFailure(f"{given.name} is a trace already")
    space = theory_program(trace.theory, "text", color)
    form: Any = trace.form(space)
    checked = dot.check(given.source, name=given.name, **form)
    print_diagnostics(checked.trace.document, checked.diagnostics, color)
    if not checked.ok:
        sys.exit(INVALID)
    try:
        return compile_program(dot.trace_to_pot(checked), name=given.name)
    except (Unwritable, CompileError) as error:
        raise CommandFailure(f"cannot be written as a program: {error}") from error


def _derivation(
    program: Program, target: Literal["dot", "dagmath"], claim: str | None, profile: Profile
) -> str:
    """The derivation of a claim; an answer but `entailed` ends with its exit code."""
    try:
        return _solution(program, claim) if target == "dagmath" else _trace(program, claim, profile)
    except LookupError as error:
        raise click.BadParameter(str(error), param_hint="--claim") from error
    except NotEntailed as error:
        tell(str(error))
        sys.exit(UNDECIDED if error.verdict is Verdict.UNKNOWN else OTHER_ANSWER)
    except Unwritable as error:
        raise CommandFailure(f"cannot be written as {target}: {error}") from error


def _solution(program: Program, claim: str | None) -> str:
    return write_json(derivation_to_solution(program, claim))


def _trace(program: Program, claim: str | None, profile: Profile) -> str:
    try:
        derived = dot.derivation_to_trace(program, claim, profile=profile)
    except dot.BuildError as error:
        raise CommandFailure(f"cannot be written as a trace: {error}") from error
    if derived.needs_theory:
        click.echo("note: the trace is read against the program: `--theory FILE`", err=True)
    return derived.text.decode("utf-8")


def _for_another_tool(
    program: Program, pipeline: Pipeline, way: Way, claim: str | None, print_after: bool
) -> str:
    """The text; a diagnostic, and exit code 2, where the tool has no words for something."""
    module = _after(program, pipeline, print_after)
    try:
        text = program.written_for(way, module, claim)
    except LookupError as error:
        raise click.BadParameter(str(error), param_hint="--claim") from error
    except CompileError as error:
        print_diagnostics(error.document, error.diagnostics, "auto")
        sys.exit(INVALID)
    _say_what_is_left_out(module, way, claim)
    return text


def _after(program: Program, pipeline: Pipeline, print_after: bool) -> Module:
    try:
        return pipeline.run(program.module, _printer() if print_after else None)
    except KeyError as error:
        raise click.BadParameter(f"there is no claim {error}", param_hint="--passes") from error
    except CompileError as error:
        print_diagnostics(error.document, error.diagnostics, "auto")
        sys.exit(INVALID)
    except PassLimit as error:
        raise CommandFailure(f"cannot be lowered: {error}") from error


def _say_what_is_left_out(module: Module, way: Way, claim: str | None) -> None:
    claims = len(module.claims) + len(module.norms)
    if claim is None and len(claims_of(module, way)) < claims:
        tell(f"note: the first of {claims} claims is written; `--claim NAME` writes another")
    if module.optimization is not None:
        tell("note: the optimization is left out")


def _lowered(program: Program, pipeline: Pipeline, target: api.Target, print_after: bool) -> str:
    """The text; what is too large to be written ends with a message and exit code 2."""
    try:
        callback = _printer() if print_after else None
        return emit_after(pipeline, program.module, target, callback, program.tree)
    except KeyError as error:
        raise click.BadParameter(f"there is no claim {error}", param_hint="--passes") from error
    except CompileError as error:
        print_diagnostics(error.document, error.diagnostics, "auto")
        sys.exit(INVALID)
    except (PassLimit, Unwritable, Unsupported) as error:
        raise CommandFailure(f"cannot be written as {target}: {error}") from error


def _printer() -> Callback:
    def show(step: Pass, module: Module, seconds: float) -> None:
        click.echo(f"; after {step.name} ({seconds * 1000:.1f} ms)", err=True)
        click.echo(api.emit(module, "ir"), err=True)

    return show
