"""How the process ends: all that was printed arrives, whatever the streams are, and nothing is left behind.

Spec: [DIAG-OUT-3].
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
REFUTED = ROOT / "tests" / "seed" / "01_sotomayor_giraffe.json"
FULL = Path("/dev/full")


def command(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "potlang", *map(str, args)]


def shell(text: str, *args: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Runs a line of shell whose "$@" is the command."""
    return subprocess.run(["sh", "-c", text, "sh", *command(*args)], capture_output=True, timeout=60)


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("style", ["text", "json"])
def test_a_full_disk_is_reported_as_such(style: str) -> None:
    done = shell('"$@" > /dev/full', REFUTED, "--format", style)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[POT0009]: cannot write `<stdout>`: ")
    assert done.stderr.count(b"\n") == 1


def test_a_closed_standard_output_changes_no_exit_code() -> None:
    done = shell('"$@" >&-', REFUTED)
    assert done.returncode == 1 and not done.stderr


def test_a_closed_standard_error_changes_nothing() -> None:
    done = shell('"$@" 2>&-', REFUTED)
    assert done.returncode == 1 and b"refuted" in done.stdout


def test_a_reader_that_goes_away_is_no_error_of_ours() -> None:
    process = subprocess.Popen(command("explain", "POT3010"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert b"POT0001" not in process.stderr.read() and process.wait(60) == 1
    process.stderr.close()


def test_large_output_arrives_whole() -> None:
    names = [REFUTED] * 60
    whole = subprocess.run(command(*names, "--format", "json"), capture_output=True, timeout=120)
    assert whole.stdout.endswith(b"]\n") and whole.stdout.count(b'"potlang": ') == 60
    assert len(whole.stdout) > 1 << 16


@pytest.mark.parametrize("args", [["missing.json"], [REFUTED, "--certificate", "/dev/null/certificate"]])
def test_what_cannot_be_read_or_written_has_a_code(args: list[str]) -> None:
    done = subprocess.run(command(*args), capture_output=True, timeout=60)
    assert done.returncode == 2
    assert b"error[POT0006]" in done.stderr or b"error[POT0009]" in done.stderr


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are counted in /proc")
def test_no_solver_is_left_behind() -> None:
    mark = f"POTLANG_TEST_{os.getpid()}_{time.monotonic_ns()}"
    subprocess.run(command(REFUTED), capture_output=True, timeout=60, env={**os.environ, mark: "1"})
    deadline = time.monotonic() + 10
    while (left := list(_marked(mark))) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def _marked(mark: str) -> list[int]:
    """The live processes whose environment has a variable."""
    found = []
    for each in Path("/proc").iterdir():
        try:
            if each.name.isdigit() and mark.encode() in (each / "environ").read_bytes():
                found.append(int(each.name))
        except OSError:
            continue
    return found
