"""The entry point of `potc`: commands loaded when called, and no traceback whatever happens."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import subprocess

_COMMANDS = {
    "verify": "verify:verify",
    "check": "check:check",
    "view": "view:view",
    "glue": "glue:glue",
    "compile": "compile:compile_",
    "score": "score:score",
    "synthesize": "synthesize:synthesize",
    "build-gold": "build_gold:build_gold",
    "explain": "explain:explain",
    "fix": "fix:fix",
    "cert": "cert:cert",
    "cache": "cache:cache",
    "schema": "schema:schema",
    "mcp": "mcp:mcp",
    "eval": "eval:eval_",
    "policy": "policy:policy",
    "generate": "generate:generate",
    "reason": "reason:reason",
}
_OTHER_WORDS = ("--help", "--version", "-h")
_READER_GONE, _INVALID = 1, 2
_REFUSED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""What the system says of a stream that cannot be written; other errors are no output's."""


def arguments(args: list[str]) -> list[str]:
    """`potc FILE…` is short for `potc verify FILE…`."""
    return ["verify", *args] if args and args[0] not in (*_COMMANDS, *_OTHER_WORDS) else args


def run() -> None:
    """Runs `potc`; an internal error is reported as POT0001, with `POTLANG_DEBUG=1` as a traceback."""
    # Starting up makes many objects and hardly any garbage.
    gc.set_threshold(50_000)
    _open_streams()
    args = arguments(sys.argv[1:])
    code = _INVALID
    try:
        _main(args, _started_solver(args))
    except SystemExit as ended:
        if not isinstance(ended.code, int):
            raise
        code = ended.code
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
    if isinstance(error, OSError) and error.filename is None and error.errno in _REFUSED:
        sys.stderr.write(f"error[POT0009]: cannot write `<stdout>`: {error.strerror or error}\n")
        return
    sys.stderr.write(f"error[POT0001]: internal error: {type(error).__name__}: {error}\n")
    sys.stderr.write("help: this is a bug in potlang; POTLANG_DEBUG=1 shows where\n")


def _leave(code: int) -> NoReturn:
    """Ends the process at once: to take all modules apart takes as long as to verify a small program."""
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
    if args[:1] != ["verify"] or any(arg.startswith(("--route", "--help", "-h")) for arg in args):
        return None
    from potlang.engines.commands import solver_command
    from potlang.processes.launch import launch

    return launch(*solver_command("z3"))


def _main(args: list[str], solver: subprocess.Popen[bytes] | None) -> None:
    from importlib import import_module

    import click

    from potlang.version import __version__

    class Commands(click.Group):
        """Loads a command's module when it is called."""

        def list_commands(self, ctx: click.Context) -> list[str]:
            return list(_COMMANDS)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            target = _COMMANDS.get(cmd_name)
            if target is None:
                return None
            module, name = target.split(":")
            command: click.Command = getattr(import_module(f"potlang.cli.{module}"), name)
            return command

    @click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
    @click.version_option(__version__, prog_name="potc")
    def main() -> None:
        """Compile the reasoning that language models write down, and verify it.

        `potc FILE…` verifies programs, traces and solutions; it is short for `potc verify FILE…`.
        """

    main.main(args, prog_name="potc", obj=solver)


if __name__ == "__main__":
    run()
