"""README.md and its examples; `tests/docs` runs what it shows, and follows its links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs() -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    scope: dict[str, object] = {}
    exec(code[1], scope)  # noqa: S102 - our own text
    assert str(scope["report"].verdict) == "entailed"  # type: ignore[attr-defined]


PROGRAMS = [path for path in sorted((ROOT / "examples").glob("*.json")) if ".dagmath." not in path.name]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_every_example_compiles_but_the_broken_one(path: Path) -> None:
    import potlang

    assert (potlang.check(path).program is None) == (path.name == "broken.json")


def test_classes_that_contributing_names_exist() -> None:
    """A name in backquotes with a capital letter is a class or a constant of the package."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "potlang").rglob("*.py")))
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") + (
        ROOT / "spec" / "00-overview.md"
    ).read_text(encoding="utf-8")
    named = set(re.findall(r"`([A-Z]\w*[a-z]\w*)(?:\.\w+)?`", text))
    assert len(named) > 20
    known = set(re.findall(r"^ *(?:class )?(\w+)", source, re.MULTILINE))
    assert not named - known, "neither class nor constant of the package"
