"""`potc completion SHELL`: what makes a shell complete commands, options and files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from potlang.cli.helping import Command

_WHERE = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc, after compinit",
    "fish": "~/.config/fish/completions/potc.fish",
}


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(list(_WHERE)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that makes a shell complete commands, options and names of files.

    For bash put `eval "$(potc completion bash)"` into ~/.bashrc, for zsh `eval "$(potc completion zsh)"` into
    ~/.zshrc after compinit; for fish write it to ~/.config/fish/completions/potc.fish.
    """
    found = get_completion_class(shell)
    assert found is not None
    script = found(context.find_root().command, {}, "potc", "_POTC_COMPLETE")
    # Not `source`: for bash it runs the bash at hand, which need not be the one that reads it.
    click.echo(f"# for {_WHERE[shell]}\n{script.source_template % script.source_vars()}")
