"""`potc --help`, and words that are neither a command nor a file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from potlang.cli.commands import COMMANDS
from potlang.cli.main import near_command


def potc(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "potlang", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=60)


@pytest.mark.parametrize("group", [[], ["policy"], ["cache"], ["cert"]])
def test_no_description_is_cut(group: list[str]) -> None:
    """[CLI-HELP]"""
    done = potc(*group, "--help")
    _, listed = done.stdout.split("Commands:\n")
    assert done.returncode == 0 and listed.strip()
    assert "..." not in listed
    assert all(len(line) <= 80 for line in listed.splitlines())


def test_each_command_has_a_description_and_a_help_text() -> None:
    """[CLI-HELP]"""
    for name, (_, line) in COMMANDS.items():
        assert line.endswith(".") and name in potc("--help").stdout
    done = potc("verify", "--help")
    assert done.returncode == 0 and "Exit code: 0" in done.stdout


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("fmt", "fix"),
        ("validate", "check"),
        ("help", "--help"),
        ("versoin", "--version"),
        ("chek", "check"),
        ("polcy", "policy"),
    ],
)
def test_a_word_near_a_command_is_no_file(word: str, meant: str, tmp_path: Path) -> None:
    """[CLI-COMMAND]"""
    assert near_command(word) == meant
    done = potc(word, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"there is no command and no file `{word}`; did you mean `potc {meant}`?" in done.stderr


@pytest.mark.parametrize("word", ["lsp", "giraffe", "a.json", "x/fmt", "-", "f" * 5_000])
def test_other_words_are_files(word: str) -> None:
    """[CLI-COMMAND]"""
    assert near_command(word) is None


def test_a_file_may_have_the_name_of_a_command_elsewhere(tmp_path: Path) -> None:
    """[CLI-COMMAND]"""
    (tmp_path / "validate").write_text('{"verifications": [{"constraint": "True"}]}', encoding="utf-8")
    done = potc("validate", folder=tmp_path)
    assert done.returncode == 0 and "entailed" in done.stdout
