"""Common parts of the commands: inputs, colours, exit codes, output."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeVar

import click
from click.core import ParameterSource

from potlang import diag
from potlang.diag import Sink
from potlang.diag.register import CODES
from potlang.diag.wording import visible
from potlang.languages.kind import DEFAULT, Kind, kind_of
from potlang.passes.pipeline import PipelineError, read_pipeline
from potlang.reading.json_text import LINES, path_bytes
from potlang.report.results import AskOutcome, ProgramResult
from potlang.source import DEFAULT_LIMITS
from potlang.utils.gc_pause import begin_input
from potlang.utils.serialize import json_text

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from potlang.api import AnyReport
    from potlang.diag import Diagnostic
    from potlang.languages.pot.check import Source as ProgramSource
    from potlang.passes.pipeline import Pipeline
    from potlang.source import Document

Command = TypeVar("Command", bound=Callable[..., Any])

ALL_ENTAILED, OTHER_ANSWER, INVALID, UNDECIDED = 0, 1, 2, 3
_SEVERITY = (INVALID, UNDECIDED, OTHER_ANSWER, ALL_ENTAILED)


def _files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Has the shell complete names of files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=_files)
color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colours: on a terminal, always, or never.",
)


output_option = click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file."
)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """`--format`, text first."""
    return click.option(
        "--format",
        "style",
        type=click.Choice(formats),
        default=formats[0],
        help="Text for people, other formats for programs.",
    )


def read_source(name: str) -> tuple[ProgramSource, str]:
    """The source and the name to show; `-` is standard input."""
    if name == "-":
        return sys.stdin.buffer.read(), "<stdin>"
    return Path(name), name


class Input(NamedTuple):
    """An input: what to read, the name to show, and the language that it is in."""

    source: bytes | Path
    name: str
    kind: Kind


def read_input(name: str) -> Input:
    """The contents of a file, or of standard input for `-`; the path alone of what cannot be read."""
    begin_input()
    if name.endswith(LINES):
        _note_lines(name)
    if name == "-":
        data, shown = sys.stdin.buffer.read(), "<stdin>"
    else:
        shown = name
        _, found = path_bytes(Path(name), Sink(), DEFAULT_LIMITS, None)
        if found is None:
            return Input(Path(name), name, DEFAULT)
        data = found
    return Input(data, shown, kind_of(data))


def _note_lines(name: str) -> None:
    """Says which command answers each line of JSON Lines ([CLI-LINES])."""
    command = shlex.join(["potc", "batch", name, "--out", f"{Path(name).stem}-results"])
    tell(f"note: {name} has an input on each line, by its name: `{command}` answers them all")


def checked_pipeline(passes: str) -> Pipeline:
    """The pipeline that `--passes` names; a usage error if there is none."""
    try:
        return read_pipeline(passes)
    except PipelineError as error:
        raise click.BadParameter(str(error), param_hint="--passes") from error


def note_unused(what: str, names: Iterable[str]) -> None:
    """Says on standard error which of these parameters were given although `what` has no use for them."""
    context = click.get_current_context()
    options = {each.name: each.opts[0] for each in context.command.params}
    given = (name for name in names if context.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    found = [options[name] for name in given]
    if found:
        verb = "has" if len(found) == 1 else "have"
        tell(f"note: {what}: {', '.join(found)} {verb} no effect on it")


class CommandFailure(click.ClickException):
    """Why a command cannot go on."""

    exit_code = INVALID

    def format_message(self) -> str:
        """The message, nothing in it hidden."""
        return "\n".join(map(visible, self.message.split("\n")))


class CannotWriteFile(CommandFailure):
    """A file that the system does not let be written, POT0009."""

    def __init__(self, name: object, error: OSError) -> None:
        headline = CODES["POT0009"].headline
        super().__init__(headline.format(name=str(name), reason=error.strerror or str(error)))

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints the error to standard error."""
        click.echo(f"error[POT0009]: {self.format_message()}", file=file, err=True)


def write_output(path: Path | None, data: str | bytes) -> None:
    """Writes a file, or standard output for None."""
    if path is None:
        click.echo(data, nl=False)
    else:
        write_bytes(path, data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))


def write_text(path: Path, text: str) -> None:
    """Writes a file; what the system says against it ends the command."""
    write_bytes(path, text.encode("utf-8", "surrogatepass"))


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all: beside its place, then moved into it. Raises CannotWriteFile.

    Devices and pipes are written to, and files where nothing can be made beside them.
    """
    target = path.resolve()
    with _refused(path):
        if (path.exists() and not path.is_file()) or not os.access(target.parent, os.W_OK):
            path.write_bytes(data)
            return
        # What was there stays until all is written: a full disk would else take the program to be fixed.
        beside = target.with_name(f".{target.name[:200]}.{os.getpid()}")
        try:
            beside.write_bytes(data)
            if target.exists():
                beside.chmod(target.stat().st_mode)
            beside.replace(target)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotWriteFile(path, error) from error


def write_lines(path: Path | None, lines: Iterable[str]) -> None:
    """Writes lines in UTF-8, whatever the system's usual encoding and line ends are, as they are made."""
    encoded = (f"{line}\n".encode() for line in lines)
    if path is None:
        for line in encoded:
            click.echo(line, nl=False)
        return
    # In its place and not beside it: of a run that is interrupted the lines so far are wanted.
    with _refused(path), path.open("wb") as file:
        file.writelines(encoded)


def tell(message: str) -> None:
    """Prints a message on standard error; names in it may have characters that cannot be seen."""
    click.echo("\n".join(map(visible, message.split("\n"))), err=True)


def fail(message: str) -> NoReturn:
    """Ends the command with a message on standard error and exit code 2."""
    tell(message)
    sys.exit(INVALID)


Item = TypeVar("Item")
_MOMENT: Final = 1.0
"""Seconds after which it is said what a command is doing."""


def with_progress(
    items: Iterable[Item],
    doing: str,
    total: int | None = None,
    *,
    several: bool = True,
    prints: bool = True,
) -> Iterator[Item]:
    """The items, with a bar on standard error if that is a terminal and there are `several`.

    Where the caller `prints` between the items, on a terminal too, there is no bar.
    """
    if not several or not sys.stderr.isatty() or (prints and sys.stdout.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=doing, total=total, console=Console(stderr=True), transient=True)


@contextmanager
def waiting(doing: str) -> Iterator[None]:
    """Says on standard error what is being done, if that is a terminal and it takes longer than a moment."""
    if not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()

    def show() -> None:
        if ended.wait(_MOMENT):
            return
        from rich.console import Console

        with Console(stderr=True).status(f"{doing} …"):
            ended.wait()

    thread = threading.Thread(target=show, name="waiting", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def progress_bar(
    doing: str, total: int | None, *, in_bytes: bool = False
) -> Iterator[Callable[[int, str | None], None]]:
    """A bar on standard error; the function given advances it, and changes its words unless they are None."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    counts = [DownloadColumn()] if in_bytes else []
    columns = TextColumn("{task.description}"), BarColumn(), *counts, TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=total)
        yield lambda count, doing: bar.update(task, advance=count, description=doing)


def print_diagnostic(found: Diagnostic, document: Document, color: str) -> None:
    """One diagnostic on standard error."""
    click.echo(diag.render_one(found, document, color=use_color(color, sys.stderr)), err=True, color=True)


def use_color(choice: str, stream: Any = None) -> bool:
    """Whether to colour what goes to `stream` (standard output)."""
    if choice != "auto":
        return choice == "always"
    return "NO_COLOR" not in os.environ and (stream or sys.stdout).isatty()


def exit_code(report: AnyReport) -> int:
    """The exit code of one report ([FACE-EXIT], [DAGR-EXIT])."""
    if report.verdict == "rejected":
        return INVALID
    is_unknown = _is_unknown(report) if isinstance(report, ProgramResult) else report.verdict == "unknown"
    return UNDECIDED if is_unknown else ALL_ENTAILED if report.ok else OTHER_ANSWER


def _is_unknown(report: ProgramResult) -> bool:
    """Whether something is asked that an unknown answer leaves without its own ([ASK-EXIT])."""
    if report.optimization is not None and str(report.optimization.status) == "unknown":
        return True
    open_questions = {each.pointer for each in report.elections if each.outcome == "open"}
    unknown = [each for each in report.results if str(each.verdict) == "unknown"]
    alone = [each for each in unknown if each.question is None and each.outcome is not AskOutcome.HOLDS]
    options = [each for each in unknown if each.question and each.question.pointer in open_questions]
    return bool(alone or options) or (not report.results and str(report.verdict) == "unknown")


def worst_exit(codes: Iterable[int]) -> int:
    """Of several: an invalid input before an undecided one before another answer."""
    return min(codes, key=_SEVERITY.index, default=ALL_ENTAILED)


def print_json(value: Any) -> None:
    """Prints a JSON value; characters that cannot be seen are escapes."""
    click.echo(json_text(value))
