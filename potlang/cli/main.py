"""The entry point of `potc`: commands loaded when called, and no traceback whatever happens."""

from __future__ import annotations

import atexit
import errno
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from potlang import diag
from potlang.cli import stopping
from potlang.cli.commands import COMMANDS, CONFIG, CONFIGURED, SECTIONS, Start, command_of
from potlang.utils.gc_pause import keep_collections_short
from potlang.version import __version__

if TYPE_CHECKING:
    import subprocess

    import click

_MEANT = {
    **dict.fromkeys(("draw", "graph", "show"), "view"),
    **dict.fromkeys(("format", "pretty"), "fmt"),
    "repair": "fix",
    **dict.fromkeys(("prove", "run", "solve"), "verify"),
    "validate": "check",
    "version": "--version",
}
"""Commands of other programs, and what does the same here."""
_LONGEST_COMMAND = 20
_OTHER_WORDS = ("--help", "--version", "-h")
_READER_GONE, _INVALID = 1, 2
_REFUSED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""Errors of writing to a stream that the system refuses; any other error is not about output."""
_SCARCE = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})
_SCARCE_WORDS = (*(os.strerror(each) for each in _SCARCE), "can't start new thread")


def arguments(args: list[str]) -> list[str]:
    """`potc FILE…` is short for `potc verify FILE…`; a word that means a command is no file."""
    is_file = args and args[0] not in (*COMMANDS, *_OTHER_WORDS) and near_command(args[0]) is None
    return ["verify", *args] if is_file else args


def near_command(word: str) -> str | None:
    """The command that somebody means who writes a word that is neither a command nor a file."""
    # `--format` is near to `format`, and an option.
    if word.startswith("-") or len(word) > _LONGEST_COMMAND or not word.replace("-", "").isalpha():
        return None
    if os.path.exists(word):  # noqa: PTH110 - pathlib costs start-up
        return None
    near = diag.nearest(word, [*COMMANDS, *_MEANT], 1)
    meant = word if word in _MEANT else near[0] if near else None
    return None if meant is None else _MEANT.get(meant, meant)


def run() -> None:
    """Runs `potc`; an internal error is reported as POT0001, with `POTLANG_DEBUG=1` as a traceback."""
    code = _INVALID
    try:
        stopping.listen()
        keep_collections_short()
        _open_streams()
        args = arguments(sys.argv[1:])
        _main(args, _started_solver(args))
    except SystemExit as ended:
        if not isinstance(ended.code, int):
            raise
        code = ended.code
    except KeyboardInterrupt:
        _stop()
    except Exception as error:  # The last line of defence: whatever is a bug of ours still is a report.
        if os.environ.get("POTLANG_DEBUG"):
            raise
        _report(error)
    _leave(code)


def _open_streams() -> None:
    """Lets a stream that the caller has closed take what is written to it."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - pathlib costs start-up
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _report(error: Exception) -> None:
    if isinstance(error, OSError) and error.errno in _REFUSED:
        name = error.filename or "<stdout>"
        sys.stderr.write(f"error[POT0009]: cannot write `{name}`: {error.strerror or error}\n")
        return
    scarce = _scarce(error)
    if scarce is not None:
        sys.stderr.write(f"error[POT0010]: the system refuses a resource: {scarce}\n")
        return
    sys.stderr.write(f"error[POT0001]: internal error: {type(error).__name__}: {error}\n")
    sys.stderr.write("help: this is a bug in potlang; POTLANG_DEBUG=1 shows where\n")


def _scarce(error: Exception) -> str | None:
    """The system's words where it has too few files, processes, threads or memory for us."""
    if isinstance(error, MemoryError):
        return os.strerror(errno.ENOMEM)
    # A library that cannot be loaded, or a thread that cannot be started, is told of in words alone.
    return next((each for each in _SCARCE_WORDS if each in str(error)), None)


def _stop() -> NoReturn:
    """Ends the process where it is interrupted; to be called while the exception is at hand.

    It has the objects of the input: the system frees them in less time than the interpreter.
    """
    _leave(stopping.end())


def _leave(code: int) -> NoReturn:
    """Ends the process at once: to take all modules apart takes as long as to verify a small program."""
    stopping.ignore()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or _READER_GONE
    except OSError as error:
        _report(error)
        code = _INVALID
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def _started_solver(args: list[str]) -> subprocess.Popen[bytes] | None:
    """The usual solver's process, started first of all: its import overlaps with everything else."""
    others = ("--route", "--help", "-h", "--jobs", "-j")
    if args[:1] != ["verify"] or any(arg.startswith(others) for arg in args):
        return None
    from potlang.engines.commands import solver_command
    from potlang.processes.launch import launch

    # Where there can be no process, the check that needs one says so.
    with suppress(OSError):
        return launch(*solver_command("z3"))
    return None


def _configuration(args: list[str]) -> str | None:
    """The file with settings that arguments name, the last of them.

    Otherwise the nearest, from the working directory upwards; `potlang.toml` before another.
    """
    for at in range(len(args) - 1, -1, -1):
        option, joined, named = args[at].partition("=")
        if option == CONFIG and (joined or args[at + 1 :]):
            return named if joined else args[at + 1]
    # pathlib and reading TOML cost start-up: where there is no such file, neither is done.
    folder = os.getcwd()  # noqa: PTH109
    while True:
        own = os.path.join(folder, "potlang.toml")  # noqa: PTH118
        if os.path.isfile(own):  # noqa: PTH113
            return own
        shared = os.path.join(folder, "pyproject.toml")  # noqa: PTH118
        with suppress(OSError), open(shared, "rb") as stream:  # noqa: PTH123
            if b"tool.potlang" in stream.read(1 << 20):
                return shared
        folder, last = os.path.dirname(folder), folder  # noqa: PTH120
        if folder == last:
            return None


def _main(args: list[str], solver: subprocess.Popen[bytes] | None) -> None:
    import click

    from potlang.cli.helping import CommandGroup

    class Commands(CommandGroup):
        """Loads a command's module when it is called."""

        def invoke(self, ctx: click.Context) -> Any:
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                # click's own answer to it is the exit code of any other failure.
                _stop()

        def list_commands(self, ctx: click.Context) -> list[str]:
            return list(COMMANDS)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            return command_of(cmd_name) if cmd_name in COMMANDS else None

        def resolve_command(
            self, ctx: click.Context, args: list[str]
        ) -> tuple[str | None, click.Command | None, list[str]]:
            name, *others = args
            if name not in COMMANDS and not ctx.resilient_parsing:
                near = near_command(name)
                ctx.fail(f"there is no command and no file `{name}`; did you mean `potc {near}`?")
            has_settings = name in CONFIGURED and not ctx.resilient_parsing
            path = _configuration(others) if has_settings and not {"-h", "--help"} & {*others} else None
            if path is not None:
                from potlang.cli.configuration import settings_for

                ctx.default_map = {name: settings_for(command_of(name), name, path)}
            return super().resolve_command(ctx, args)

        def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
            from click.shell_completion import CompletionItem

            # Not click's own: it imports every command. The first word may be a file, too.
            found = [
                CompletionItem(name, help=line)
                for name, (_, line) in COMMANDS.items()
                if name.startswith(incomplete)
            ]
            return [*found, CompletionItem(incomplete, type="file")]

        def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
            # Not the usual list: that imports every command for its text.
            for title, names in SECTIONS.items():
                with formatter.section(title):
                    formatter.write_dl([(name, COMMANDS[name][1]) for name in names])

    @click.command(
        cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
    )
    @click.version_option(__version__, prog_name="potc")
    def main() -> None:
        """Compile the reasoning that language models write down, and verify it.

        `potc FILE…` verifies programs, traces and solutions; it is short for `potc verify FILE…`.
        """

    main.main(args, prog_name="potc", obj=Start(args, solver))


if __name__ == "__main__":
    run()
