"""Commands that have models work on each item of a file, with a journal from which the next run goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import click

from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    UNDECIDED,
    CannotWriteFile,
    Command,
    CommandFailure,
    tell,
)
from potlang.models.loop.journal import BadJournal
from potlang.models.solutions.problems import BadProblem, read_problems

if TYPE_CHECKING:
    from potlang.models.solutions.problems import Problem

_WORST_FIRST = (INVALID, UNDECIDED, OTHER_ANSWER)


def problem_file(jobs_of: str, limit_help: str) -> Callable[[Command], Command]:
    """Adds the file of problems, the journal of the run, and how many problems, at how many at a time."""

    def added(command: Command) -> Command:
        found: Any = command
        for each in reversed(
            (
                click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path)),
                click.option(
                    "--output",
                    "-o",
                    required=True,
                    type=click.Path(dir_okay=False, path_type=Path),
                    help="The journal of the run; a run with an existing journal continues it.",
                ),
                click.option("--limit", type=click.IntRange(1), help=limit_help),
                click.option("--jobs", type=click.IntRange(1, 64), default=1, help=f"{jobs_of} at a time."),
            )
        ):
            found = each(found)
        return found  # type: ignore[no-any-return]

    return added


def problems_in(stream: BinaryIO, bad: list[str], needed: tuple[str, ...]) -> Iterator[Problem]:
    """The problems that have what is `needed`; what other lines lack is told, and added to `bad`."""
    for found in read_problems(stream, needed=needed):
        if isinstance(found, BadProblem):
            bad.append(found.reason)
            tell(f"line {found.line}: {found.reason}")
        else:
            yield found


@contextmanager
def journal_errors(journal: Path | None, option: str) -> Iterator[None]:
    """Ends the command where the journal, given by this option, or another file cannot be used."""
    try:
        yield
    except BadJournal as error:
        raise click.BadParameter(str(error), param_hint=option) from error
    except ImportError as error:
        raise CommandFailure(str(error)) from error
    except OSError as error:
        raise CannotWriteFile(error.filename or str(journal), error) from error


def end_run(ended: str, codes: Iterable[int]) -> NoReturn:
    """Tells why a run ended early, if it did, and ends the command with the gravest of the exit codes."""
    if ended:
        tell(f"ended early: {ended}")
    found = set(codes)
    sys.exit(next((code for code in _WORST_FIRST if code in found), ALL_ENTAILED))


def run_codes(bad: Sequence[str], outcomes: Iterable[str], *, is_complete: bool) -> Iterator[int]:
    """The exit codes of a run over problems: for bad lines, for its outcomes, for the whole journal."""
    if bad:
        yield INVALID
    if "failed" in outcomes:
        yield UNDECIDED
    if not is_complete:
        yield OTHER_ANSWER
