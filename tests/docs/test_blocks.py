"""Every code block of README.md and `docs` does what its page says; CONTRIBUTING.md says how to write them.

A page is run from its top to its end in a folder of its own: files are written, commands and Python are run,
and what they print is compared.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
QUICK = {"README.md", "docs/index.md", "docs/tutorials/pot.md", "docs/tutorials/dot.md"}
"""Pages that every run of the tests shows: who reads anything reads these."""
BLESS = os.environ.get("POTLANG_BLESS") == "1" and not os.environ.get("CI")
NOT_RUN = re.compile(r"<!-- not run: (.{10,}?) -->", re.DOTALL)
CHANGES = re.compile(
    r" \(\d[\d.]* m?s\)|\b\d[\d.]* m?s\b|\b[0-9a-f]{16,}\b"
    r"|\b(?:(?:cross-)?checked|solver)\b(?: \([\w, ]+\))?|(?<= ) +"
)
"""What differs from run to run: times, digests, who was first to check an answer, the width of columns."""


class Block(NamedTuple):
    """A code block: its language, the file that it is, its text, its line, and what stands before it."""

    language: str
    title: str
    text: str
    line: int
    after: str


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page. `after` is the comment before a block, or the language of a block before it."""
    found: list[Block] = []
    tokens = MarkdownIt("commonmark").parse(text)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type in ("fence", "code_block"):
            language, _, rest = token.info.partition(" ")
            title = re.search(r'title="([^"]+)"', rest)
            after = "" if before is None else before.info if before.type == "fence" else before.content
            line = token.map[0] + 1 if token.map else 0
            found.append(Block(language, title[1] if title else "", token.content, line, after))
    return found


def run_page(name: str, text: str, folder: Path) -> None:
    """Does what the blocks of a page say, in a folder; AssertionError where something else comes out."""
    code, printed, scope = 0, "", {"__name__": "__main__"}
    for block in blocks_of(text):
        where = f"{name}:{block.line}"
        if NOT_RUN.search(block.after):
            continue
        if block.title:
            assert not Path(block.title).is_absolute() and ".." not in block.title, where
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text, encoding="utf-8")
        match block.language:
            case "console":
                code = run_commands(block, where, code)
            case "python" if not block.title:
                printed = run_python(block, where, scope)
            case "text" if block.after == "python":
                compare(printed, block.text, where)
            case "json":
                json.loads(block.text)
            case "toml":
                tomllib.loads(block.text)
            case _:
                assert block.title, f"{where}: nothing says what this block is; see CONTRIBUTING.md"


def run_commands(block: Block, where: str, code: int) -> int:
    """Runs each `$ command`, and compares what it prints; `$ echo $?` has the exit code of the one before."""
    for command, expected in commands_of(block.text):
        code, printed = run_command(command, code)
        compare(printed, expected, f"{where}: {command}")
    return code


def run_command(command: str, code: int) -> tuple[int, str]:
    """The exit code of a command, and what it prints on both outputs; `code` is that of the one before."""
    done = subprocess.run(
        ["bash", "-c", f"(exit {code}); {command}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        text=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, and what it prints. A command whose line ends in a backslash goes on."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        last = next(at for at, line in enumerate(lines) if not line.endswith("\\\n"))
        yield "".join(lines[: last + 1]).strip(), "".join(lines[last + 1 :])


def run_python(block: Block, where: str, scope: dict[str, str]) -> str:
    """What the Python prints. The blocks of a page share their names."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, where, "exec"), scope)  # noqa: S102 - our own text
    return printed.getvalue()


def compare(found: str, expected: str, where: str) -> None:
    """AssertionError, which shows the difference, unless the two agree."""
    if not agree(found, expected):
        theirs, ours = (f"{text.strip()}".splitlines() for text in (expected, found))
        shown = "\n".join(difflib.unified_diff(theirs, ours, "the page", "what is printed", lineterm="", n=1))
        raise AssertionError(f"{where}\n{shown}")


def agree(found: str, expected: str) -> bool:
    """The same but for what differs from run to run; a line `...` stands for any lines, or none."""
    ours, theirs = (CHANGES.sub("", text).strip().splitlines() for text in (found, expected))
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + "\n" for line in theirs)
    return bool(re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in ours)))


def bless(path: Path) -> None:
    """Writes into the page what its commands and its Python print, where that is not what stands there."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    code, printed, scope, moved = 0, "", {"__name__": "__main__"}, 0
    for block in blocks_of(text):
        new = block.text
        if NOT_RUN.search(block.after):
            continue
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            printed = run_python(block, str(path), scope)
        elif block.language == "text":
            new = block.text if agree(printed, block.text) else printed
        elif block.language == "console":
            new = ""
            for command, expected in commands_of(block.text):
                code, printed = run_command(command, code)
                shown = expected if agree(printed, expected) else printed.strip("\n") + "\n"
                new += f"$ {command}\n{shown}"
        start, size = block.line + moved, block.text.count("\n")
        indent = re.match(" *", lines[start - 1])[0]  # type: ignore[index]
        lines[start : start + size] = [f"{indent}{line}" for line in new.splitlines(keepends=True)]
        moved += new.count("\n") - size
    path.write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder beside the examples, in which `potc` and `python` are those of this tree."""
    (tmp_path / "bin").mkdir()
    for name, words in (("potc", "-m potlang"), ("python", "")):
        script = tmp_path / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    for name in ("examples", "stdlib", "benchmarks"):
        (work / name).symlink_to(ROOT / name)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    before = dict(os.environ)
    yield work
    os.environ.clear()
    os.environ.update(before)


def _parameter(path: Path) -> object:
    name = str(path.relative_to(ROOT))
    return pytest.param(path, id=name, marks=[] if name in QUICK else [pytest.mark.slow])


@pytest.mark.parametrize("path", [_parameter(path) for path in PAGES])
def test_the_blocks_of_a_page_do_what_it_says(path: Path, folder: Path) -> None:
    if BLESS:
        bless(path)
    run_page(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"), folder)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```console\n$ echo a\nb\n```\n", "-b\n+a"),
        ("```console\n$ false\n$ echo $?\n0\n```\n", "-0\n+1"),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "-2\n+1"),
        ("```python\nassert 1 == 2, 'differs'\n```\n", "differs"),
        ("```json\n{,}\n```\n", "Expecting"),
        ("```yaml\na: 1\n```\n", "nothing says"),
        ("<!-- not run: short -->\n```yaml\na: 1\n```\n", "nothing says"),
    ],
)
def test_a_wrong_block_is_found(text: str, complaint: str, folder: Path) -> None:
    with pytest.raises((AssertionError, json.JSONDecodeError), match=re.escape(complaint)):
        run_page("page.md", text, folder)


def test_right_blocks_pass(folder: Path) -> None:
    text = (
        '```json title="a.json"\n[1]\n```\n'
        '```console\n$ cat \\\n  a.json\n[1]\n$ printf "x\\ny (12 ms)\\nz\\n"\n...\n'
        "y (7 ms)\n...\n```\n```python\nprint(2)\n```\n\n```text\n2\n```\n"
        "<!-- not run: it would take a day -->\n```sh\nfalse\n```\n"
    )
    assert [block.language for block in blocks_of(text)] == ["json", "console", "python", "text", "sh"]
    run_page("page.md", text, folder)
