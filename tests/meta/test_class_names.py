"""Class names, each of which has one meaning in the package."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "potlang"
CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)
TWICE = {"Symbol": {"certify/terms.py", "ir/nodes.py"}}
"""What the kernel, which imports nothing, has again with the same meaning."""


def test_each_class_name_has_one_meaning() -> None:
    where: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        for name in CLASS.findall(path.read_text(encoding="utf-8")):
            where[name].add(path.relative_to(PACKAGE).as_posix())
    assert {name: files for name, files in where.items() if len(files) > 1} == TWICE
