"""`potc --help`, and words that are neither a command nor a file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from potlang.cli.commands import COMMANDS, SECTIONS, command_of
from potlang.cli.main import near_command

CHAPTER = Path(__file__).parents[2] / "spec" / "06-commands.md"


def potc(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "potlang", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=60)


@pytest.mark.parametrize("width", [20, 33, 50, 80, 200])
def test_no_line_of_a_help_is_cut_at_any_width(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """[CLI-HELP]"""
    monkeypatch.setenv("COLUMNS", str(width))
    for name in COMMANDS:
        command = command_of(name)
        context = command.context_class(command, info_name=f"potc {name}", help_option_names=["-h", "--help"])
        text = command.get_help(context)
        assert max(map(len, text.splitlines())) <= max(min(width, 80), 40)
        assert "..." not in text.replace("[ARGS]...", "")
        # All that there is to say is there, in whatever lines.
        whole = "".join(text.split())
        for each in command.params:
            assert "".join((getattr(each, "help", "") or "").split()) in whole


def test_options_and_commands_stand_in_sections() -> None:
    """[CLI-HELP]"""
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(COMMANDS)
    text = potc("--help").stdout
    for title, names in SECTIONS.items():
        section = text.split(f"{title}:\n")[1].split("\n\n")[0]
        assert tuple(line.split()[0] for line in section.splitlines()) == names
        assert all(len(line) <= 80 for line in section.splitlines())
    headings = re.findall(r"(?m)^(\w+):$", potc("verify", "--help").stdout)
    assert headings == ["Options", "Inputs", "Solving", "Traces", "Solutions", "Programs", "Cache"]


def test_help_is_a_command() -> None:
    """[CLI-HELP]"""
    assert potc("help").stdout == potc("--help").stdout
    assert potc("help", "check").stdout == potc("check", "--help").stdout
    assert potc("help", "policy", "add").stdout == potc("policy", "add", "--help").stdout
    wrong = potc("help", "chek")
    assert wrong.returncode == 2 and "there is no command `chek`; did you mean `potc check`?" in wrong.stderr
    assert "has no commands" in potc("help", "check", "x").stderr
    assert "did you mean `potc policy list`?" in potc("policy", "lst").stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_options_and_files(shell: str, tmp_path: Path) -> None:
    """[CLI-COMPLETION]"""
    script = potc("completion", shell)
    assert script.returncode == 0 and "_POTC_COMPLETE" in script.stdout and not script.stderr

    def completed(words: str, last: str) -> str:
        variables = {"_POTC_COMPLETE": f"{shell}_complete", "COMP_WORDS": words}
        variables["COMP_CWORD"] = last if shell == "fish" else str(len(words.split()) - (last != ""))
        command = [sys.executable, "-c", "from potlang.cli.main import run; run()"]
        return subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **variables}, timeout=60, cwd=tmp_path
        ).stdout

    assert "verify" in completed("potc ver", "ver") and "explain" not in completed("potc ver", "ver")
    assert "--strict" in completed("potc check --str", "--str")
    assert "file" in completed("potc check x", "x")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("fmtt", "fmt"),
        ("validate", "check"),
        ("hlep", "help"),
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


def options_of(name: str, command: click.Command) -> Iterator[tuple[str, str, click.Option]]:
    """Each option of a command, and of the commands of a group, with the command's name."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            each = command.get_command(context, inner)
            assert each is not None
            yield from options_of(f"{name} {inner}", each)
    for each in [] if isinstance(command, click.Group) else command.params:
        if isinstance(each, click.Option):
            yield next(word for word in each.opts if word.startswith("--")), name, each


def test_an_option_of_several_commands_means_the_same_in_each() -> None:
    """[CLI-OPTIONS]"""
    found: dict[str, list[str]] = {}
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for name in COMMANDS:
        for option, command, parameter in options_of(name, command_of(name)):
            found.setdefault(option, []).append(command)
            # Each command has its own choices, as what it can draw or print differs.
            kind = {click.Choice: "choice", click.Path: "text"}.get(type(parameter.type), parameter.type.name)
            kind = kind.removesuffix(" range")
            kinds.setdefault(option, set()).add((kind, parameter.multiple))
    shared = {option: commands for option, commands in found.items() if len(commands) > 1}
    rows = re.findall(r"(?m)^\| `(--[a-z-]+)` \| (.*) \|$", CHAPTER.read_text(encoding="utf-8"))
    written = {option: sorted(re.findall("`([^`]+)`", row)) for option, row in rows}
    assert written == {option: sorted(commands) for option, commands in shared.items()}
    different = {option for option in shared if len(kinds[option]) > 1}
    # A switch in `score`, and the name of a file in `build-gold`; conditions in `score`, and files in `eval`;
    # one model, and in `policy check-text` several that share the samples.
    assert different <= {"--gold", "--compare", "--model"}


@pytest.mark.parametrize(
    ("old", "now"), [(("generate", "--out"), "--output"), (("schema", "--profile"), "--provider")]
)
def test_published_names_of_options_still_work(old: tuple[str, str], now: str, tmp_path: Path) -> None:
    """[CLI-OPTIONS]"""
    value = str(tmp_path / "x") if now == "--output" else "openai"
    done = potc(*old, value)
    assert done.returncode == 0 and f"warning: {old[1]} is now called {now}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--json", "a.json"], "there is no option `--json`; did you mean `--format json`?"),
        (["check", "--sarif", "a.json"], "there is no option `--sarif`; did you mean `--format sarif`?"),
        (["--formt", "json", "a.json"], "there is no option `--formt`; did you mean `--format`?"),
        (["--quite", "a.json"], "there is no option `--quite`; did you mean `--quiet`?"),
        (["-V"], "there is no option `-V`; did you mean `potc --version`?"),
        (["check", "--zzzzzzzzzz", "a.json"], "there is no option `--zzzzzzzzzz`"),
        (["--timeout", "soon", "a.json"], "Invalid value for '--timeout': `soon` is no number"),
        (["--jobs", "2.5", "a.json"], "`2.5` is no whole number"),
        (["--format", "yaml", "a.json"], "'yaml' is not one of 'text', 'json', 'sarif'."),
        (["policy", "lst"], "there is no command `lst`; did you mean `potc policy list`?"),
        (["lint", "--ignore", "unused-declarations", "a.json"], "; did you mean `unused-"),
        (
            ["lint", "--ignore", "zzzzzzzz", "a.json"],
            "there is no lint `zzzzzzzz`; `potc lint --rules` shows all",
        ),
        (["explain", "XYZ"], "there is no code `XYZ`; `potc explain --list` shows all"),
    ],
)
def test_a_mistake_is_one_clear_message(arguments: list[str], said: str, tmp_path: Path) -> None:
    """[CLI-MISTAKE]"""
    done = potc(*arguments, folder=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert (
        done.stderr.rstrip("\n").split("\n")[-1].removeprefix("Error: ").endswith(said) or said in done.stderr
    )
    assert "Traceback" not in done.stderr and "POT0001" not in done.stderr
