"""Every literal `report("POTnnnn", …)` or `error(…)` names a code of the register and gives its fields."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import potlang.diag
from potlang.diag import CODES

PACKAGE = Path(potlang.diag.__file__).parents[1]
EMITTERS = {"report", "error"}
OWN = {"span", "primary", "labels", "notes", "helps", "fixes", "severity"}


@cache
def reports() -> list[tuple[str, str, ast.Call]]:
    return list(_reports())


def _reports() -> Iterator[tuple[str, str, ast.Call]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in EMITTERS
            ):
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant) and str(first.value).startswith("POT"):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", str(first.value), node


def test_reports_fit_the_register() -> None:
    wrong = []
    for where, code, call in reports():
        row = CODES.get(code)
        needed = {name for _, name, _, _ in string.Formatter().parse(row.headline) if name} if row else set()
        given = {keyword.arg for keyword in call.keywords}
        if row is None or (None not in given and given - OWN != needed):
            wrong.append(f"{where}: {code} needs {sorted(needed)}, has {sorted(given - OWN, key=str)}")
    assert wrong == []


def test_there_is_something_to_check() -> None:
    assert len(reports()) > 10
