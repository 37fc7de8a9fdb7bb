"""What README.md shows is what happens: its Python runs, its commands exist, its example is real."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = sorted(
    set(re.findall(r"potc [a-z./_0-9 -]*examples/\w+\.(?:(?:dagmath\.)?json|\w+\.txt)(?: --to \w+)?", README))
)


def test_the_first_example_prints_what_the_readme_says() -> None:
    shown = re.search(r"```\n(Sotomayor .*?)```", README, re.DOTALL)
    assert shown is not None
    done = subprocess.run(
        [sys.executable, "-m", "potlang", "examples/giraffe.json"], cwd=ROOT, capture_output=True, timeout=60
    )
    assert done.stdout.decode().startswith(shown[1])
    assert done.returncode == 1


def test_the_trace_prints_what_the_readme_says() -> None:
    shown = re.search(r"```\n(node .*?)```", README, re.DOTALL)
    assert shown is not None
    command = [sys.executable, "-m", "potlang", "examples/refinement.dot.txt"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60, env=environment)
    assert done.stdout.decode("utf-8").startswith(shown[1])
    assert done.returncode == 0


def test_the_solution_prints_what_the_readme_says() -> None:
    """But for the tiers, which name whoever answered first."""
    shown = re.search(r"```\n(step .*?)```", README, re.DOTALL)
    assert shown is not None
    command = [sys.executable, "-m", "potlang", "examples/natascha.dagmath.json"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60, env=environment)
    found, expected = (
        re.sub(r"(?:(?:cross-)?checked|solver) *", "", text)
        for text in (done.stdout.decode("utf-8"), shown[1])
    )
    assert found.startswith(expected)
    assert done.returncode == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_readme_end_with_an_answer(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "potlang", *command.split()[1:]], cwd=ROOT, capture_output=True, timeout=60
    )
    assert done.returncode in (0, 1, 2)
    assert b"POT0001" not in done.stderr


def test_the_python_of_the_readme_runs() -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    scope: dict[str, object] = {}
    exec(code[1], scope)  # noqa: S102 - our own text
    assert str(scope["report"].verdict) == "entailed"  # type: ignore[attr-defined]


def test_links_of_the_documents_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "spec").glob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            assert (document.parent / link).exists(), (document.name, link)


PROGRAMS = [path for path in sorted((ROOT / "examples").glob("*.json")) if ".dagmath." not in path.name]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_every_example_compiles_but_the_broken_one(path: Path) -> None:
    import potlang

    assert (potlang.check(path).program is None) == (path.name == "broken.json")


DOCUMENTS = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "spec").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_that_documents_name_exist(document: Path) -> None:
    folders = "potlang|tests|spec|schemas|stdlib|examples|benchmarks|changes"
    named = re.findall(rf"`((?:{folders})/[\w./-]*\w)/?`", document.read_text(encoding="utf-8"))
    missing = [path for path in named if not (ROOT / path).exists()]
    assert not missing, f"{document.name} names what is not there: {missing}"


def test_classes_that_contributing_names_exist() -> None:
    """A name in backquotes with a capital letter is a class or a constant of the package."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "potlang").rglob("*.py")))
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") + (
        ROOT / "spec" / "00-overview.md"
    ).read_text(encoding="utf-8")
    named = set(re.findall(r"`([A-Z]\w*[a-z]\w*)(?:\.\w+)?`", text))
    assert len(named) > 20
    unknown = [
        name for name in sorted(named) if not re.search(rf"^\s*(?:class )?{name}\b", source, re.MULTILINE)
    ]
    assert not unknown, f"neither class nor constant of the package: {unknown}"
