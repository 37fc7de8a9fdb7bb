"""Parts that the commands of `potc policy` share: their store, limits, ids and lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from potlang import policy
from potlang.cli.answer import print_diagnostics
from potlang.cli.common import INVALID, Command, fail
from potlang.cli.options import SECONDS, grouped
from potlang.diag.wording import visible
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.program import CompileError, Program
from potlang.report.results import Limits

if TYPE_CHECKING:
    from potlang.policy import Case, PolicyTest, Store


class Seconds(NamedTuple):
    """The options of time of a command, in seconds."""

    timeout: float
    total_timeout: float

    @property
    def limits(self) -> Limits:
        """The limits of a call."""
        return Limits(int(self.timeout * 1000), int(self.total_timeout * 1000))


limited = grouped(
    "seconds",
    Seconds,
    "Solving",
    click.option("--timeout", type=SECONDS, default=10.0, help="Seconds for one check."),
    click.option(
        "--total-timeout", type=SECONDS, default=60.0, help="Seconds for all claims against one program."
    ),
)


def stored(command: Command) -> Command:
    """Adds `--store`, which comes as an open store; a PolicyError ends the command with exit code 2."""

    @wraps(command)
    def guarded(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, store=policy.open_store(options.pop("directory") or None), **options)
        except policy.PolicyError as error:
            fail(f"error: {error}")
        except CompileError as error:
            print_diagnostics(error.document, error.diagnostics, "auto")
            sys.exit(INVALID)

    option: Callable[[Any], Any] = click.option(
        "--store",
        "directory",
        metavar="DIRECTORY",
        help="The directory of policies. [default: POTLANG_POLICIES, or the user's data directory]",
    )
    found: Command = option(guarded)
    return found


def side(store: Store, name: str) -> tuple[Program, Sequence[PolicyTest]]:
    """The program that a name stands for, and its tests: a file's has none."""
    if Path(name).is_file():
        return compile_program(Path(name)), ()
    version = store.version(name)
    return version.compile(), version.tests


case_option = click.option(
    "--case",
    "given",
    metavar="FILE|JSON",
    help="What is known of this matter: JSON, or a file with it, or - for standard input.",
)


certificates_option: Callable[[Any], Any] = click.option(
    "--keep-certificates",
    "certificates",
    type=click.Choice(["none", "digest", "text"]),
    default="none",
    help="What records have of the certificates of verdicts.",
)


def given_case(given: str | None) -> Case | None:
    """The case that the option means. Raises CompileError."""
    if given is None:
        return None
    if given.lstrip().startswith("{"):
        return policy.Case.read(given, "--case")
    if given == "-":
        return policy.Case.read(sys.stdin.buffer.read(), "<stdin>")
    return policy.Case.read(Path(given), given)


def named(test: PolicyTest) -> str:
    """A test as one line, with its name if it has one."""
    return claim_text(test.key, test.name)


def claim_text(claim: str, name: str) -> str:
    """A claim as one line, with its name if it has one."""
    return visible(f"{name}: {claim}" if name else claim)
