"""What commands say on a terminal while they work."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

SLOW = """
import time
from potlang.cli import common
common._MOMENT = 0.05
with common.waiting("comparing"):
    time.sleep({seconds})
print("done")
"""


def on_terminal(seconds: float) -> str:
    """What a command that waits so long shows on a terminal."""
    own, terminal = pty.openpty()
    command = [sys.executable, "-c", SLOW.format(seconds=seconds)]
    with subprocess.Popen(command, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        shown = b""
        while True:
            try:
                shown += os.read(own, 4096)
            except OSError:
                # The terminal is gone with the process.
                break
        assert process.wait(60) == 0
    os.close(own)
    return shown.decode()


@pytest.mark.parametrize(("seconds", "is_said"), [(1.0, True), (0.0, False)])
def test_a_terminal_is_told_what_takes_long(seconds: float, is_said: bool) -> None:
    shown = on_terminal(seconds)
    assert ("comparing …" in shown) == is_said
    assert "done" in shown


def test_nothing_of_it_is_in_a_file() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SLOW.format(seconds=0.3)], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("done\n", "")
