"""`potc compile FILE --to ir|smt2|pot`: the lowered program."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from potlang import api
from potlang.cli.common import INVALID, color_option, read_source, use_color


@click.command("compile")
@click.argument("file")
@click.option(
    "--to",
    "target",
    type=click.Choice(["ir", "smt2", "pot"]),
    default="smt2",
    show_default=True,
    help="Typed IR, the SMT-LIB text that is solved, or PoT again.",
)
@click.option(
    "--passes", default=api.DEFAULT_PASSES, show_default=True, help="As `simplify{rounds=3},nnf,prenex`."
)
@click.option("--print-after", is_flag=True, help="Print the IR after each pass, on standard error.")
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file.")
@color_option
def compile_(
    file: str, target: api.Target, passes: str, print_after: bool, output: Path | None, color: str
) -> None:
    """Print a program in a lowered form."""
    from potlang.passes.pipeline import PipelineError, read_pipeline

    try:
        pipeline = read_pipeline(passes)
    except PipelineError as error:
        raise click.BadParameter(str(error), param_hint="--passes") from error
    source, shown = read_source(file)
    checked = api.check(source, name=shown)
    if checked.diagnostics:
        from potlang.diag.render_text import render_text

        text = render_text(checked.diagnostics, checked.document, color=use_color(color, sys.stderr))
        click.echo(text, err=True)
    if checked.program is None:
        sys.exit(INVALID)
    module = pipeline.run(checked.program.module, _printer() if print_after else None)
    text = api.emit(module, target)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def _printer() -> api.Callback:
    from potlang.ir.module import Module
    from potlang.passes.base import Pass

    def show(step: Pass, module: Module, seconds: float) -> None:
        click.echo(f"; after {step.name} ({seconds * 1000:.1f} ms)", err=True)
        click.echo(api.emit(module, "ir"), err=True)

    return show
