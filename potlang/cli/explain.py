"""`potc explain CODE`: what a diagnostic means, with an example."""

from __future__ import annotations

import click

from potlang import api
from potlang.cli.common import color_option, fail, use_color
from potlang.cli.helping import Command
from potlang.diag import CODES, nearest
from potlang.diag.explain import codes


@click.command(cls=Command)
@click.argument("code", required=False)
@click.option("--list", "list_all", is_flag=True, help="List all codes.")
@color_option
def explain(code: str | None, list_all: bool, color: str) -> None:
    """Explain a diagnostic code, such as POT2001."""
    if list_all or code is None:
        _list()
        return
    page = api.explain(code)
    if page is None:
        near = nearest(code.upper(), codes(), 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        fail(f"there is no code `{code}`{hint or ';'} `potc explain --list` shows all")
    if use_color(color):
        from rich.console import Console
        from rich.markdown import Markdown

        Console(force_terminal=True).print(Markdown(page))
    else:
        click.echo(page.rstrip("\n"))


def _list() -> None:
    for row in CODES.values():
        click.echo(f"{row.code}  {row.severity:8} {row.slug}")
