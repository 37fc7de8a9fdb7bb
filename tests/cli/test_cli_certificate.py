"""`--certificate`: where it is written, and what it never does to a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from potlang.cli.common import CannotWriteFile, write_text

ROOT = Path(__file__).parents[2]
PROGRAM = {"verifications": [{"constraint": "1 < 2"}]}


def potc(*args: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, check=False)


def written(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(PROGRAM))
    return path


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    """[CERT-FILE] By its name, another name of it, or a name in the directory."""
    program = written(tmp_path / "program.json")
    link, hard = tmp_path / "link.json", tmp_path / "hard.json"
    link.symlink_to(program)
    hard.hardlink_to(program)
    odd = written(tmp_path / "odd.cert")
    calls = [(program, program), (program, link), (program, hard), (odd, tmp_path)]
    for given, place in calls:
        done = potc(given, "--certificate", place)
        assert done.returncode == 2
        assert "the certificate would overwrite the input" in done.stderr
        assert json.loads(given.read_text()) == PROGRAM


def test_programs_of_one_name_have_certificates_of_their_own(tmp_path: Path) -> None:
    """[CERT-FILE]"""
    programs = [written(tmp_path / folder / "same.json") for folder in ("one", "two")]
    done = potc(*programs, "--certificate", tmp_path)
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.glob("*.cert")) == ["same.2.cert", "same.cert"]


def test_what_was_there_stays_until_all_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[CERT-FILE] A full disk leaves neither an empty file nor one beside."""
    path = tmp_path / "out.cert"
    path.write_text("before")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CannotWriteFile, match="No space left"):
        write_text(path, "after")
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["out.cert"]


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    """[CERT-FILE]"""
    path, link = tmp_path / "out.cert", tmp_path / "link.cert"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "after")
    assert (path.read_text(), link.is_symlink(), path.stat().st_mode & 0o777) == ("after", True, 0o640)
    write_text(Path(os.devnull), "after")
    assert not Path(os.devnull).is_file()
