"""`potc policy`: stored programs, in versions, with their tests, and questions to them."""

from __future__ import annotations

import click

from potlang.cli.helping import CommandGroup
from potlang.cli.policy import ask, build, check_text, diff, guard, suggest, versions


@click.group(cls=CommandGroup)
def policy() -> None:
    """Store programs in versions, with tests, and ask them about cases.

    An ID is a name, which means its latest version, `name@3`, or `name@` and digits of a digest.
    """


for _command in (
    build.build,
    versions.add,
    versions.list_,
    versions.show,
    ask.describe,
    ask.ask,
    versions.test,
    suggest.suggest,
    suggest.judge,
    suggest.gaps,
    suggest.coverage,
    diff.diff,
    guard.guard,
    guard.proxy,
    guard.replay,
    check_text.check_text,
    versions.remove,
):
    policy.add_command(_command)
