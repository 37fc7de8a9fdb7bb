"""The kernel is small and stands alone."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from pathlib import Path

import potlang.certify

PACKAGE = Path(potlang.certify.__file__).parent
FILES = sorted(PACKAGE.glob("*.py"))
MOST_LINES = 2_452
_NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def lines_of_code(text: str) -> int:
    """Lines that hold code: neither blank nor only comment nor docstring."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {n for t in tokens if t.type not in _NO_CODE for n in range(t.start[0], t.end[0] + 1)}
    strings = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    documentation = {n for node in strings for n in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return len(code - documentation)


def imported(path: Path) -> set[str]:
    """The modules that a file imports; its own package's as the empty name."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= 1
            names.add("" if node.level else str(node.module).split(".")[0])
    return names


def test_the_kernel_imports_the_standard_library_alone() -> None:
    """[CERT-KERNEL]"""
    names = set().union(*map(imported, FILES))
    assert names - {""} <= set(sys.stdlib_module_names)
    assert not names & {"importlib", "ctypes", "subprocess", "os"}


def test_the_kernel_runs_nothing_that_it_reads() -> None:
    """[CERT-KERNEL]"""
    called = {
        node.func.id
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"eval", "exec", "compile", "open", "__import__"}


def test_the_kernel_loads_nothing_else_of_potlang() -> None:
    """[CERT-KERNEL] In a process of its own; the rest is loaded by the package's `__init__`."""
    code = "import sys, potlang.certify; print(*sorted(n for n in sys.modules if n.startswith('potlang.')))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent.parent
    )
    found = [name for name in done.stdout.split() if not name.startswith("potlang.certify")]
    assert found == ["potlang.utils", "potlang.utils.lazy", "potlang.version"]


def test_the_kernel_is_small() -> None:
    """[CERT-KERNEL] And no file is long."""
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    total = sum(map(lines_of_code, texts))
    assert total <= MOST_LINES, (
        f"the kernel has {total} lines of code: save {total - MOST_LINES} elsewhere in it"
    )
    assert max(text.count("\n") for text in texts) < 400
