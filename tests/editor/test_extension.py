"""The extension for VS Code and the lines for other editors say what the server offers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from potlang.cli.commands import command_of
from potlang.editor.answers import TOKEN_KINDS, TOKEN_MODIFIERS
from potlang.editor.diagnosis import LANGUAGES
from potlang.languages.dot.read.records import ROLES
from potlang.languages.dot.read.shapes import SHAPES
from potlang.version import __version__

EDITORS = Path(__file__).parents[2] / "editors"
FOLDER = EDITORS / "vscode"
CODE = (FOLDER / "extension.js").read_text(encoding="utf-8")
PAGE = (EDITORS / "README.md").read_text(encoding="utf-8")


def package() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    return found


def block(language: str) -> str:
    """The code of a language on the page of editors."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_languages_are_those_that_the_server_knows() -> None:
    """[EDIT-KIND] By the same names; and their grammars are there."""
    contributed = package()["contributes"]
    names = {each["id"] for each in contributed["languages"]}
    assert names == set(LANGUAGES)
    assert names == {each["language"] for each in contributed["grammars"]}
    assert json.loads(re.search(r"OURS = (\[.*?\])", CODE)[1]) == [  # type: ignore[index]
        each["id"] for each in contributed["languages"]
    ]
    for grammar in contributed["grammars"]:
        found = json.loads((FOLDER / grammar["path"]).read_text(encoding="utf-8"))
        assert found["scopeName"] == grammar["scopeName"]
    trace = (FOLDER / "syntaxes" / "potlang-trace.tmLanguage.json").read_text(encoding="utf-8")
    assert f"@(?:{'|'.join(SHAPES)})" in trace
    assert f"<(?:{'|'.join(ROLES)}|summarizer:end)>" in trace


def test_commands_and_settings_are_those_of_the_code() -> None:
    """What is contributed is registered and read, and nothing else is."""
    contributed = package()["contributes"]
    commands = {each["command"] for each in contributed["commands"]}
    assert set(re.findall(r'registerCommand\("([\w.]+)"', CODE)) == commands
    used = {f"potlang.{each}" for each in re.findall(r'settings\(\)\.get\("(\w+)"\)', CODE)}
    # The library reads the one on tracing itself.
    assert used | {"potlang.trace.server"} == set(contributed["configuration"]["properties"])
    restricted = package()["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert restricted == ["potlang.path", "potlang.sourcesDirectories"]


def test_colours_are_those_of_the_server() -> None:
    """[EDIT-TOKENS] Each kind and modifier is one of the legend."""
    (scopes,) = package()["contributes"]["semanticTokenScopes"]
    for selector in scopes["scopes"]:
        kind, *modifiers = selector.split(".")
        assert kind in TOKEN_KINDS
        assert set(modifiers) <= set(TOKEN_MODIFIERS)


def test_files_and_version() -> None:
    """What the package names is there."""
    found = package()
    assert found["version"] == __version__
    for name in (found["icon"], found["main"], "LICENSE", "README.md", ".vscodeignore"):
        assert (FOLDER / name).is_file()
    assert (FOLDER / found["icon"]).read_bytes().startswith(b"\x89PNG")
    assert (FOLDER / "LICENSE").read_text(encoding="utf-8") == (EDITORS.parent / "LICENSE").read_text(
        encoding="utf-8"
    )


def test_commands_of_potc_are_as_the_extension_calls_them() -> None:
    """Each option that the extension gives is one of the command's."""
    for command, options in (
        ("lsp", ["--stdio", "--sources-dir"]),
        ("view", ["-o", "--sources-dir"]),
        ("verify", ["--sources-dir"]),
    ):
        known = {name for each in command_of(command).params for name in each.opts}
        assert set(options) <= known, command
    assert CliRunner().invoke(command_of("lsp"), ["--help"]).exit_code == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_code_is_javascript() -> None:
    """Node reads it."""
    subprocess.run(["node", "--check", str(FOLDER / "extension.js")], check=True, timeout=60)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_commands_run_potc_on_the_file_in_front(tmp_path: Path) -> None:
    """With a double of VS Code: arguments reach potc as they are, and the page is made by it."""
    file = tmp_path / "it's; echo $(x).json"
    shutil.copy(EDITORS.parent / "examples" / "natascha.dagmath.json", file)
    potc = tmp_path / "potc"
    potc.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m potlang "$@"\n', encoding="utf-8")
    potc.chmod(0o755)
    double = [str(Path(__file__).with_name("vscode_double.js")), str(FOLDER / "extension.js")]
    done = subprocess.run(
        ["node", *double, str(potc), str(file), str(tmp_path)],
        check=True,
        timeout=120,
        stdout=subprocess.PIPE,
    )
    server, task, page, told = json.loads(done.stdout)
    assert server["server"] == {
        "command": str(potc),
        "args": ["lsp", "--stdio", "--sources-dir", str(tmp_path)],
    }
    assert server["options"]["initializationOptions"] == {"inlayHints": False}
    languages = {each["language"] for each in server["options"]["documentSelector"]}
    assert languages == set(LANGUAGES)
    assert task["task"]["args"] == ["verify", "--sources-dir", str(tmp_path), "--", str(file)]
    assert page["page"].startswith("<!DOCTYPE html>")
    assert "Save the program" in told["told"]


def test_lines_for_other_editors() -> None:
    """Helix's are TOML, and each starts `potc lsp`."""
    helix = tomllib.loads(block("toml"))
    assert helix["language-server"]["potlang"] == {"command": "potc", "args": ["lsp"]}
    assert helix["language"][0]["language-servers"] == ["potlang"]
    assert len(block("toml").strip().splitlines()) == len(block("lua").strip().splitlines()) == 2
    assert '{ "potc", "lsp" }' in block("lua")
    assert '("potc" "lsp")' in block("elisp")
