"""`potc compile FILE --to ir|smt2|pot`: the lowered program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang import api
from potlang.cli.common import INVALID, checked_pipeline, color_option, read_source, use_color

if TYPE_CHECKING:
    from potlang.passes.pipeline import Pipeline


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
    pipeline = checked_pipeline(passes)
    source, shown = read_source(file)
    checked = api.check(source, name=shown)
    if checked.diagnostics:
        from potlang.diag.render_text import render_text

        text = render_text(checked.diagnostics, checked.document, color=use_color(color, sys.stderr))
        click.echo(text, err=True)
    if checked.program is None:
        sys.exit(INVALID)
    text = _lowered(checked.program, pipeline, target, print_after)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


class CannotWrite(click.ClickException):
    """The program has no text in the form asked for, or one that is too large."""

    exit_code = INVALID


def _lowered(program: api.Program, pipeline: Pipeline, target: api.Target, print_after: bool) -> str:
    """The text; what is too large to be written ends with a message and exit code 2."""
    from potlang.languages.pot.emit import TooLarge
    from potlang.passes.base import PassLimit
    from potlang.smt.errors import Unsupported

    try:
        module = pipeline.run(program.module, _printer() if print_after else None)
        return api.emit(module, target)
    except KeyError as error:
        raise click.BadParameter(f"there is no claim {error}", param_hint="--passes") from error
    except (PassLimit, TooLarge, Unsupported) as error:
        raise CannotWrite(f"cannot be written as {target}: {error}") from error


def _printer() -> api.Callback:
    from potlang.ir.module import Module
    from potlang.passes.base import Pass

    def show(step: Pass, module: Module, seconds: float) -> None:
        click.echo(f"; after {step.name} ({seconds * 1000:.1f} ms)", err=True)
        click.echo(api.emit(module, "ir"), err=True)

    return show
