"""`potlang.topos` as a library: its README is true, and it imports the standard library alone."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import potlang.topos

FOLDER = Path(potlang.topos.__file__).parent


def test_what_the_readme_shows_is_true() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4
    exec("\n".join(blocks), {})  # noqa: S102 - our own text


def test_nothing_but_the_standard_library_is_imported() -> None:
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                own = str(node.module).startswith("potlang.topos.")
                assert own or node.module in sys.stdlib_module_names | {"collections.abc"}, path
            if isinstance(node, ast.Import):
                assert all(alias.name in sys.stdlib_module_names for alias in node.names), path


def test_names_that_are_exported_exist_in_order() -> None:
    assert sorted(potlang.topos.__all__) == potlang.topos.__all__
    assert all(hasattr(potlang.topos, name) for name in potlang.topos.__all__)
