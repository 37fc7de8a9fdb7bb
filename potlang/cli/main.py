"""The entry point of `potc`: commands loaded when called, and no traceback whatever happens."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from potlang.version import __version__

_COMMANDS = {
    "verify": "verify:verify",
    "check": "check:check",
    "compile": "compile:compile_",
    "explain": "explain:explain",
    "fix": "fix:fix",
}
_INTERNAL_ERROR = 2


class _Commands(click.Group):
    """Loads a command's module when it is called; `potc FILE` means `potc verify FILE`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = _COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, name = target.split(":")
        command: click.Command = getattr(import_module(f"potlang.cli.{module}"), name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        known = (*_COMMANDS, "--help", "--version", "-h")
        if args and args[0] not in known:
            args = ["verify", *args]
        return super().parse_args(ctx, args)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="potc")
def main() -> None:
    """Compile the reasoning that language models write down, and verify it.

    `potc FILE…` verifies programs; it is short for `potc verify FILE…`.
    """


def run() -> None:
    """Runs `potc`; an internal error is reported as POT0001, with `POTLANG_DEBUG=1` as a traceback."""
    try:
        main.main(prog_name="potc")
    except Exception as error:  # The last line of defence: whatever is a bug of ours still is a report.
        if os.environ.get("POTLANG_DEBUG"):
            raise
        click.echo(f"error[POT0001]: internal error: {type(error).__name__}: {error}", err=True)
        click.echo("help: this is a bug in potlang; POTLANG_DEBUG=1 shows where", err=True)
        sys.exit(_INTERNAL_ERROR)


if __name__ == "__main__":
    run()
