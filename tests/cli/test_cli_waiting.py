"""What commands say on a terminal while they work."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys

import pytest

WORK = """
import sys
from potlang.cli import common
common._MOMENT = float(sys.argv[1])
with common.waiting("comparing"):
    sys.stdin.read()
print("done")
"""


def on_terminal(moment: str, until: bytes) -> str:
    """What a command shows on a terminal that works until it has shown this."""
    own, terminal = pty.openpty()
    command = [sys.executable, "-c", WORK, moment]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=terminal, stderr=terminal) as process:
        assert process.stdin is not None
        os.close(terminal)
        shown = b""
        while True:
            if until in shown:
                process.stdin.close()
            assert select.select([own], [], [], 60)[0], shown
            try:
                shown += os.read(own, 4096)
            except OSError:
                # The terminal is gone with the process.
                break
        assert process.wait(60) == 0
    os.close(own)
    return shown.decode()


@pytest.mark.parametrize(("moment", "is_said"), [("0.05", True), ("1000", False)])
def test_a_terminal_is_told_what_takes_long(moment: str, is_said: bool) -> None:
    shown = on_terminal(moment, "comparing …".encode() if is_said else b"")
    assert ("comparing …" in shown) == is_said
    assert "done" in shown


def test_nothing_of_it_is_in_a_file() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORK, "0"], input="", capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("done\n", "")
