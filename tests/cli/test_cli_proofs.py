"""`potc verify --proofs` as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEED = ROOT / "tests" / "seed"
ENTAILED = SEED / "02_cherokee_delegation.json"
REFUTED = SEED / "01_sotomayor_giraffe.json"


def potc(*args: str | Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `potc verify` with nothing but `path` on PATH."""
    command = [sys.executable, "-m", "potlang", "verify", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "PATH": str(path or "")}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=environment, check=False
    )


def checker(place: Path, script: str) -> Path:
    """A directory with an `ethos` that runs this."""
    place.mkdir()
    path = place / "ethos"
    path.write_text(f"#!{sys.executable}\nimport sys, time\n{script}\n")
    path.chmod(0o755)
    return place


def test_a_line_tells_of_each_proof_and_the_exit_code_stays(tmp_path: Path) -> None:
    done = potc(REFUTED, "--proofs", tmp_path / "out")
    written = tmp_path / "out" / "01_sotomayor_giraffe-1.cpc"
    (line,) = [line for line in done.stdout.splitlines() if str(written) in line]
    assert "cpc proof, " in line and line.endswith("ethos: not available: not on PATH")
    assert written.is_file() and written.with_suffix(".smt2").is_file()
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("print('correct')", "ethos: checked"),
        ("print('no such rule'); sys.exit(1)", "ethos: rejected: no such rule"),
        ("time.sleep(600)", "ethos: timeout: not done within 2000 ms"),
    ],
)
def test_the_checker_on_the_path_is_asked(script: str, said: str, tmp_path: Path) -> None:
    place = checker(tmp_path / "bin", script)
    done = potc(ENTAILED, "--proofs", tmp_path / "out", "--timeout", "2", path=place)
    assert (done.returncode, done.stdout.splitlines()[-1].endswith(said)) == (0, True)


def test_machine_formats_keep_standard_output_to_themselves(tmp_path: Path) -> None:
    done = potc(ENTAILED, "--proofs", tmp_path, "--proof-format", "alethe", "--format", "json")
    assert json.loads(done.stdout)["verdict"] == "entailed"
    assert "alethe proof, " in done.stderr and (tmp_path / "02_cherokee_delegation-1.alethe").is_file()


def test_programs_of_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    """[CERT-ARCHIVE-FILES]"""
    other = tmp_path / "other" / ENTAILED.name
    other.parent.mkdir()
    other.write_bytes(ENTAILED.read_bytes())
    done = potc(ENTAILED, other, "--proofs", tmp_path / "out")
    assert done.returncode == 0
    names = [path.name for path in sorted((tmp_path / "out").glob("*.cpc"))]
    assert names == ["02_cherokee_delegation-1.cpc", "02_cherokee_delegation.2-1.cpc"]


def test_a_directory_that_cannot_be_written_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = potc(ENTAILED, "--proofs", tmp_path / "file" / "out")
    assert "error[POT0009]: cannot write" in done.stderr and "Traceback" not in done.stderr
    assert potc(ENTAILED, "--proofs", tmp_path / "file").returncode == 2
