"""Starts processes, and nothing else: `potc` does so before it imports the rest of itself.

Each ends with this process, even where this one is killed ([STOP-CHILD]).
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from os.path import abspath, dirname
from typing import IO, Any, Final

_PATH: Final = "import json,os,sys;sys.path[:]=json.loads(sys.argv.pop(1));"
_BOOT: Final = f"{_PATH}from potlang.processes.worker import main;main(int(sys.argv[1]),*sys.argv[2:])"
NOT_STARTED: Final = 127
"""The exit code of `launch_program` where the system does not start the program, whose output is then why."""
_BECOME: Final = (
    f"{_PATH}from potlang.processes.parent import die_with;die_with(int(sys.argv[1]));"
    "\ntry:os.execv(sys.argv[2],sys.argv[2:])"
    f"\nexcept OSError as error:print(error.strerror);sys.exit({NOT_STARTED})"
)


def launch(service: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A worker that serves `service`: a function as `module:name`, which is called with `arguments` there.

    It finds the modules that this process does, Ctrl-C is the parent's alone, and no descriptors are
    inherited. Raises OSError if there can be no process.
    """
    command = _python(_BOOT, service, *arguments)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return _started(command, {**pipes, "bufsize": 0})


def launch_program(
    command: list[str], output: IO[bytes], given: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    """A program that is not ours, with its absolute path first.

    It reads the file `given`, or nothing; `output` takes all that it prints. It leads a group of its own, for
    `end_program`. Raises OSError if there can be no process; see also `NOT_STARTED`.
    """
    if sys.platform == "linux":
        command = _python(_BECOME, *command)
    stdin = subprocess.DEVNULL if given is None else given
    return _started(command, {"stdin": stdin, "stdout": output, "stderr": subprocess.STDOUT})


def end_program(process: subprocess.Popen[bytes]) -> None:
    """End what `launch_program` has started, if it has not ended, with all that it had started."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _python(code: str, *arguments: str) -> list[str]:
    # `-I` passes over the environment, by which compiled files may be unwanted.
    flags = ["-I", "-S", *(["-B"] if sys.dont_write_bytecode else [])]
    return [sys.executable, *flags, "-c", code, json.dumps(_import_path()), str(os.getpid()), *arguments]


def _import_path() -> list[str]:
    """Where the parent finds modules, made absolute; the first entry is where it found potlang."""
    package = dirname(dirname(dirname(abspath(__file__))))  # noqa: PTH100, PTH120 - pathlib costs start-up
    return [package, *(abspath(entry) for entry in sys.path)]  # noqa: PTH100


def _started(command: list[str], options: dict[str, Any]) -> subprocess.Popen[bytes]:
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
    else:
        options["start_new_session"] = True

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, close_fds=True, **options)

    # Linux takes the end of the thread that has started a process for the end of its parent.
    if sys.platform == "linux" and threading.get_native_id() != os.getpid():
        return _by_lasting_thread(start)
    return start()


def _by_lasting_thread(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Call `start` in a thread that lives as long as this process; its result, or its exception raised."""
    from queue import SimpleQueue

    answers: SimpleQueue[subprocess.Popen[bytes] | Exception] = SimpleQueue()

    def answer() -> None:
        try:
            answers.put(start())
        except Exception as error:  # Whatever it is, it is the caller's.
            answers.put(error)

    _lasting_thread(os.getpid()).put(answer)
    found = answers.get()
    if isinstance(found, Exception):
        raise found
    return found


@functools.cache
def _lasting_thread(pid: int) -> Any:
    """The queue of jobs of a thread of the process `pid`, which is this one: a fork has no threads."""
    from queue import SimpleQueue

    jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def work() -> None:
        while True:
            jobs.get()()

    threading.Thread(target=work, name="potlang-launch", daemon=True).start()
    return jobs
