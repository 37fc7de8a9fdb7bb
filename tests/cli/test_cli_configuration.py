"""`potlang.toml` and `[tool.potlang]`: found, read, and mistakes in them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from potlang.cli.commands import CONFIGURED, command_of
from potlang.cli.configuration import SETTINGS, _parameter

CHAPTER = Path(__file__).parents[2] / "spec" / "06-commands.md"
WARNING = {"rules": [{"name": "r", "constraint": "And()"}], "verifications": [{"constraint": "1 < 2"}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.json").write_text(json.dumps(WARNING))
    return tmp_path


def potc(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)


def test_each_setting_is_an_option_and_is_written_down() -> None:
    """[CLI-CONFIG-TRUST]"""
    commands = [command_of(name) for name in CONFIGURED]
    assert [each for each in sorted(SETTINGS) if not any(_parameter(one, each) for one in commands)] == []
    listed = CHAPTER.read_text().split("Settings are ")[1].split(". Any other")[0]
    assert sorted(SETTINGS) == sorted(each.strip(" `\n") for each in listed.split(","))


def test_without_settings_warnings_are_no_errors(folder: Path) -> None:
    """[CLI-CONFIG]"""
    assert potc(folder / "sub", "check", "a.json").returncode == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("potlang.toml", "strict = true"),
        ("potlang.toml", "[check]\nstrict = true"),
        ("pyproject.toml", "[tool.other]\nx = 1\n[tool.potlang]\nstrict = true"),
        ("pyproject.toml", "[tool.potlang.check]\nstrict = true"),
    ],
)
def test_settings_are_defaults_of_options(name: str, text: str, folder: Path) -> None:
    """[CLI-CONFIG]"""
    (folder / name).write_text(text)
    checked = potc(folder / "sub", "check", "a.json")
    assert checked.returncode == 2 and "--strict takes for errors" in checked.stderr
    assert potc(folder / "sub", "a.json").returncode == (0 if "check]" in text else 2)


def test_the_nearest_file_counts_and_options_come_before_it(folder: Path) -> None:
    """[CLI-CONFIG]"""
    (folder / "potlang.toml").write_text("no such thing")
    (folder / "sub" / "pyproject.toml").write_text("[tool.potlang]\nformat = 'json'\njobs = 2\n")
    assert json.loads(potc(folder / "sub", "a.json").stdout)["verdict"] == "entailed"
    assert potc(folder / "sub", "a.json", "--format", "text").stdout.startswith("verification 1: entailed")
    assert len(json.loads(potc(folder / "sub", "a.json", "a.json").stdout)) == 2
    (folder / "sub" / "potlang.toml").write_text("[check]\nformat = 'sarif'")
    assert '"version": "2.1.0"' in potc(folder / "sub", "check", "a.json").stdout


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("strict = maybe", "POT0011", ":1:10"),
        ("strict true", "POT0011", "potlang.toml:1:"),
        ("a = " + "[" * 5_000, "POT0011", "potlang.toml:1:1"),
        ("\n\nstrikt = true", "POT0012", "did you mean `strict`?"),
        ("\n\nstrikt = true", "POT0012", "potlang.toml:3:1"),
        ("[chek]\nstrict = true", "POT0012", "did you mean `check`?"),
        ("[verify]\nstrict = true\n[check]\ntime = 1", "POT0012", "potlang.toml:4:1"),
        ("[check]\ntimeout = 1", "POT0012", "unknown setting `timeout`"),
        ("proofs = 'x'", "POT0012", "unknown setting `proofs`"),
        ("certificate = 'x'", "POT0012", "unknown setting `certificate`"),
        ("timeout = 'x'", "POT0013", "it is to be a number"),
        ("timeout = 0", "POT0013", "0.001<=x<=1000000"),
        ("jobs = 1.5", "POT0013", "a whole number"),
        ("strict = 1", "POT0013", "true or false"),
        ("exclude = 'x'", "POT0013", "a list of strings"),
        ("route = 'z4'", "POT0013", "'z4' is not one of"),
        ("check = true", "POT0013", "a table of its settings"),
    ],
)
def test_mistakes_are_diagnostics_with_a_place(text: str, code: str, words: str, folder: Path) -> None:
    """[CLI-CONFIG-TRUST]"""
    (folder / "potlang.toml").write_text(text)
    done = potc(folder, "check" if "[check]" in text else "verify", "sub/a.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error[{code}]" in done.stderr and words in done.stderr


def test_a_file_that_is_too_large_or_no_text(folder: Path) -> None:
    """[CLI-CONFIG-TRUST]"""
    path = folder / "potlang.toml"
    path.write_bytes(b"#" * (1 << 21))
    assert "error[POT0002]" in potc(folder, "sub/a.json").stderr
    path.write_bytes(b"strict = '\xff'")
    assert "error[POT0011]" in potc(folder, "sub/a.json").stderr


def test_other_commands_do_not_read_it(folder: Path) -> None:
    """[CLI-CONFIG]"""
    (folder / "potlang.toml").write_text("nonsense")
    assert potc(folder, "explain", "POT0012").returncode == 0
    assert potc(folder, "--help").returncode == 0


def test_a_file_of_settings_may_be_named(folder: Path) -> None:
    """[CLI-CONFIG] Instead of the nearest, which is not even read."""
    (folder / "potlang.toml").write_text("no such thing")
    (folder / "strict.toml").write_text("strict = true")
    assert potc(folder, "check", "sub/a.json").returncode == 2
    done = potc(folder, "check", "--config", "strict.toml", "sub/a.json")
    assert done.returncode == 2 and "--strict takes for errors" in done.stderr
    for named in ("--config=/dev/null", "--config=strict.toml"):
        assert potc(folder, "check", "--config", "strict.toml", named, "sub/a.json").returncode == (
            0 if "null" in named else 2
        )
    assert potc(folder, "--config", "/dev/null", "sub/a.json").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--config", "none.toml", "a.json"], "POT0006"),
        (["--config", "a.json", "a.json"], "POT0011"),
        (["--config", ".", "a.json"], "POT0006"),
        (["a.json", "--config"], "requires an argument"),
    ],
)
def test_a_file_of_settings_that_cannot_be_read_is_said(
    arguments: list[str], shown: str, folder: Path
) -> None:
    """[CLI-CONFIG]"""
    done = potc(folder / "sub", "check", *arguments)
    assert done.returncode == 2 and shown in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("fmt",), ("fix",), ("fmt", "--check"), ("fix", "--diff")])
def test_what_is_excluded_is_not_written(arguments: tuple[str, ...], folder: Path) -> None:
    """[CLI-CONFIG]"""
    (folder / "potlang.toml").write_text('exclude = ["drafts"]')
    (folder / "drafts").mkdir()
    draft = '{"functions": [],  "knowledge_base": ["1 = 1"]}'
    (folder / "drafts" / "a.json").write_text(draft)
    done = potc(folder, *arguments, ".")
    assert done.returncode in (0, 1) and "drafts" not in done.stdout + done.stderr
    assert (folder / "drafts" / "a.json").read_text() == draft
