"""`potc help [COMMAND]`: the help of a command, or of `potc`."""

from __future__ import annotations

import click

from potlang.cli.helping import Command, no_command


@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="[COMMAND]…")
@click.pass_context
def help_(context: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of `potc`, or of a command, as `potc COMMAND --help` does."""
    found = context.find_root()
    for name in names:
        group = found.command
        if not isinstance(group, click.Group):
            found.fail(f"`{found.command_path}` has no commands")
        known = group.list_commands(found)
        command = group.get_command(found, name) if name in known else None
        if command is None:
            no_command(found, name, known)
        found = command.context_class(command, info_name=name, parent=found)
    click.echo(found.command.get_help(found))
