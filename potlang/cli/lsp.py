"""`potc lsp`: the language server for editors."""

from __future__ import annotations

import click

from potlang.cli.common import CommandFailure
from potlang.cli.helping import Command
from potlang.cli.options import allowed_directories, sources_option
from potlang.utils.extra import MissingExtraError, needed
from potlang.utils.gc_pause import collect_as_usual


@click.command(cls=Command)
@click.option("--stdio", is_flag=True, help="Serve standard input and output, as is done in any case.")
@sources_option
def lsp(stdio: bool) -> None:
    """Serve an editor: diagnostics, hover, completion, renaming and more for all three languages.

    It speaks the Language Server Protocol on standard input and output, and is started by the editor. Needs
    the extra `lsp`.
    """
    try:
        needed("pygls", "lsp")
    except MissingExtraError as error:
        raise CommandFailure(str(error)) from error
    from potlang.editor.server import serve

    collect_as_usual()
    serve(allowed_directories())
