"""How the process ends: all that was printed arrives, whatever the streams are, and nothing is left behind.

Spec: [DIAG-OUT-3].
"""

from __future__ import annotations

import json
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


TRACE = ROOT / "examples" / "derivation.dot.txt"


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize(
    "args",
    [
        [REFUTED, "--certificate", FULL],
        [REFUTED, "--proofs", FULL],
        ["view", TRACE, "-o", FULL],
        ["compile", REFUTED, "-o", FULL],
        ["glue", TRACE, TRACE, "-o", FULL],
        ["synthesize", "--count", "1", "-o", FULL],
        ["generate", "--count", "1", "--output", FULL],
        ["eval", "QUESTIONS", "--results", FULL],
        ["score", ROOT / "examples" / "natascha.dagmath.json", "--plots", FULL],
    ],
    ids=lambda args: str(args[0]),
)
def test_whatever_is_to_be_written_may_not_fit(args: list[str | Path], tmp_path: Path) -> None:
    """[DIAG-OUT-3] [EVAL-RESUME] A device that gives zeros for ever is not read as results of before."""
    questions = tmp_path / "questions.jsonl"
    attempt = {"program": {"verifications": ["1 < 2"]}}
    questions.write_text(json.dumps({"id": "a", "question": "q", "answer": "true", "attempts": [attempt]}))
    args = [questions if each == "QUESTIONS" else each for each in args]
    done = subprocess.run(command(*args), capture_output=True, timeout=60)
    assert done.returncode == 2
    (error,) = [line for line in done.stderr.splitlines() if line.startswith(b"error")]
    assert error.startswith(b"error[POT0009]: cannot write `/dev/full`: ")


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
def test_a_device_is_no_journal_to_go_on_from() -> None:
    """[DAG-BUILD-6] Its records are read again, so that it is refused."""
    done = subprocess.run(
        command("build-gold", REFUTED, "-o", FULL, "--model", "m"), capture_output=True, timeout=60
    )
    assert done.returncode == 2 and b"no file that a run can go on from" in done.stderr


def test_a_full_disk_leaves_a_program_that_is_fixed_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[DIAG-OUT-3]"""
    from click.testing import CliRunner

    from potlang.cli.fix import fix

    path = tmp_path / "program.json"
    program = json.dumps({"constants": {"g": {"sort": "Int", "members": ["n"]}}, "knowledge_base": ["n = 3"]})
    path.write_text(program)
    write_bytes = Path.write_bytes

    def full(self: Path, data: bytes) -> int:
        write_bytes(self, data[:9])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    done = CliRunner().invoke(fix, [str(path)])
    assert (done.exit_code, "error[POT0009]: cannot write" in done.output) == (2, True)
    assert path.read_text() == program
    assert [each.name for each in tmp_path.iterdir()] == ["program.json"]


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
