"""Starts a worker's process, and nothing else: `potc` does so before it imports the rest of itself."""

from __future__ import annotations

import json
import subprocess
import sys
from os.path import abspath, dirname
from typing import Any, Final

_BOOT: Final = (
    "import json,sys;sys.path[:]=json.loads(sys.argv.pop(1));"
    "from potlang.processes.worker import main;main(*sys.argv[1:])"
)


def launch(service: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A worker that serves `service`: a function as `module:name`, which is called with `arguments` there.

    It finds the modules that this process does, Ctrl-C is the parent's alone, and no descriptors are
    inherited.
    """
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _BOOT, json.dumps(_import_path()), service, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        close_fds=True,
        **options,
    )


def _import_path() -> list[str]:
    """Where the parent finds modules, made absolute; the first entry is where it found potlang."""
    package = dirname(dirname(dirname(abspath(__file__))))  # noqa: PTH100, PTH120 - pathlib costs start-up
    return [package, *(abspath(entry) for entry in sys.path)]  # noqa: PTH100
