"""The versions of potlang and of the solvers, found without importing any of them."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from potlang.version import __version__

_DISTRIBUTIONS = {
    "z3-solver": "z3",
    "cvc5": "cvc5",
    "pysmt": "pysmt",
    "python-sat": "pysat",
    "duckdb": "duckdb",
}
"""Distributions whose code takes part in verdicts, with a module of each."""
_BEFORE = ("diag", "expressions", "generate", "reading", "repair", "sema", "source", "testing")
_AFTER = ("cli", "convert", "models", "policy", "score", "server", "tool", "drawing")
"""Folders that end before the typed program, and those that begin after the report."""
_SUFFIX = ".dist-info"


@functools.cache
def versions() -> tuple[tuple[str, str], ...]:
    """Names and versions of what answers, potlang first; `none` where something is not installed.

    `code` stands for potlang's own files between the typed program and the report, so that builds
    of one version number that differ are told apart.
    """
    listed = _listed()
    solvers = [(name, listed.get(_normal(name)) or _asked(name)) for name in _DISTRIBUTIONS]
    return ("potlang", __version__), ("code", _code()), *solvers


def _listed() -> dict[str, str]:
    """Versions by distribution, read off the names of `*.dist-info`: reading metadata takes far longer."""
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = sorted(os.listdir(folder or "."))  # noqa: PTH208 - a Path for each name costs more
        except OSError:
            continue
        for name in names:
            title, dash, version = name.removesuffix(_SUFFIX).rpartition("-")
            if dash and name.endswith(_SUFFIX):
                found.setdefault(_normal(title), version)
    return found


def _asked(name: str) -> str:
    """The version of what is installed in another form; `none` if it cannot be imported."""
    from importlib.util import find_spec

    if find_spec(_DISTRIBUTIONS[name]) is None:
        return "none"
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _code() -> str:
    package = Path(__file__).parents[1]
    state = hashlib.sha256()
    for path in _sources(package):
        data = path.read_bytes()
        state.update(f"{path.relative_to(package).as_posix()} {len(data)}\n".encode())
        state.update(data)
    return state.hexdigest()[:16]


def _sources(package: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(package):
        inside = [each for each in below if each != "__pycache__"]
        below[:] = sorted(set(inside) - {*_BEFORE, *_AFTER} if Path(folder) == package else inside)
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))
