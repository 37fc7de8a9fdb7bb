"""`potc policy`: stored programs, in versions, with their tests, and questions to them."""

from __future__ import annotations

from importlib import import_module

import click

from potlang.cli.helping import CommandGroup

_COMMANDS = {
    "add": "versions:add",
    "ask": "ask:ask",
    "build": "build:build",
    "check-text": "check_text:check_text",
    "coverage": "suggest:coverage",
    "describe": "ask:describe",
    "diff": "diff:diff",
    "gaps": "suggest:gaps",
    "guard": "guard:guard",
    "judge": "suggest:judge",
    "list": "versions:list_",
    "proxy": "guard:proxy",
    "remove": "versions:remove",
    "replay": "guard:replay",
    "show": "versions:show",
    "suggest": "suggest:suggest",
    "test": "versions:test",
}
"""The module and the function of each command."""


class _Commands(CommandGroup):
    """Loads a command's module when it is called: others need much that this one does not."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, function = _COMMANDS[cmd_name].split(":")
        found: click.Command = getattr(import_module(f"{__name__}.{module}"), function)
        return found


@click.group(cls=_Commands)
def policy() -> None:
    """Store programs in versions, with tests, and ask them about cases.

    An ID is a name, which means its latest version, `name@3`, or `name@` and digits of a digest.
    """
