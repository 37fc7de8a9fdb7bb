"""Imports inside functions, each of which saves the import of something that is not always needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ROADS = {
    "the help of any command": "import potlang.cli.answer, potlang.cli.model_options",
    "a solver's process": "from potlang.engines.worker import make_engine; make_engine('z3')",
    **{
        " ".join(words): f"sys.argv = ['potc', *{words}]; from potlang.cli.main import run; run()"
        for words in (
            ["--version"],
            ["check", "examples/giraffe.json"],
            ["check", "examples/parcel.dot.txt"],
            ["check", "examples/logarithms.dagmath.txt"],
            ["examples/giraffe.json"],
            ["examples/derivation.json"],
            ["examples/undetermined.json"],
            ["examples/parcel.dot.txt"],
            ["examples/natascha.dagmath.json"],
        )
    },
}
"""What is started so often that it imports only what it uses."""
LISTED = "import atexit, sys; atexit.register(lambda: print('modules', *sys.modules, file=sys.stderr)); "
FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:    .*\n|\n)*", re.MULTILINE)
AT_TOP = re.compile(r"^(?:from [\w.]+ import (?:\([^)]*\)|.+)|import [\w.]+(?: as \w+)?)$", re.MULTILINE)
TEXTS = re.compile(r"(\"{3}|'{3})[\s\S]*?\1")
IN_BRANCH = re.compile(r"^(?:if|try|with)\b.*\n(?:(?: .*)?\n)*? +(?:from|import) ", re.MULTILINE)
INDENTED = re.compile(r"^ +(?:from|import) ", re.MULTILINE)
MANY = 50
"""So many modules take a twentieth of a second, which the help of a command can do without."""
LEFT = {
    ("potlang.cli.main", "potlang.cli.helping"): "the solver is started before click is imported",
    ("potlang.prove.versions", "importlib.metadata"): "it is slow, and asked for what is not installed alone",
    ("potlang.prove.versions", "importlib.util"): "it is slow, and asked for what is not installed alone",
    ("potlang.expressions.actions", "potlang.expressions.parser"): "the parser calls the actions",
    ("potlang.languages.pot.program", "potlang.languages.pot.check"): "a pickle is compiled again",
}
"""The reasons of those that no rule here explains."""


class InnerImport(NamedTuple):
    """An import inside a function; `guarded`: it may fail, and that is seen to."""

    module: str
    line: int
    targets: frozenset[str]
    guarded: bool


def name_of(path: Path) -> str:
    """The dotted name of a module's file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted((ROOT / "potlang").rglob("*.py"))}


@cache
def tree_of(module: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def lazy_homes(package: str) -> dict[str, str]:
    """The modules of the names that a package imports on first use, as it tells type checkers."""
    if package not in MODULES or "= lazy_names(" not in MODULES[package].read_text(encoding="utf-8"):
        return {}
    return {
        alias.name: str(each.module)
        for block in tree_of(package).body
        if is_for_types(block)
        for each in ast.walk(block)
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }


def targets_of(node: ast.Import | ast.ImportFrom, module: str) -> frozenset[str]:
    """The modules that a statement of a module imports."""
    if isinstance(node, ast.Import):
        return frozenset(each.name for each in node.names)
    package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    home = resolve_name("." * node.level + (node.module or ""), package)
    return frozenset(
        f"{home}.{each.name}" if f"{home}.{each.name}" in MODULES else lazy_homes(home).get(each.name, home)
        for each in node.names
    )


def statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """The statements directly in another, or in a branch of it."""
    return (
        each
        for each in ast.iter_child_nodes(node)
        if isinstance(each, ast.stmt | ast.excepthandler | ast.match_case)
    )


def is_for_types(node: ast.AST) -> bool:
    """Whether it is the block of what type checkers alone import."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def top_of(module: str) -> ast.Module:
    """The imports at the top of a module, or the whole of it where some are in branches."""
    text = FOR_TYPES.sub("", TEXTS.sub('""', MODULES[module].read_text(encoding="utf-8")))
    if IN_BRANCH.search(text):
        return tree_of(module)
    # To parse all of all modules takes ten seconds.
    return ast.parse("\n".join(AT_TOP.findall(text)))


@cache
def outer(module: str) -> frozenset[str]:
    """The modules that are imported with a module, by itself."""
    found: set[str] = set()
    left: list[ast.AST] = [top_of(module)]
    while left:
        node = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= targets_of(node, module)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_for_types(node):
            left += statements_in(node)
    return frozenset(found)


def with_parents(module: str) -> Iterator[str]:
    """A module and the packages that it is in."""
    while module:
        yield module
        module = module.rpartition(".")[0]


def brought(modules: Iterable[str], *, but: Iterable[str] = ()) -> set[str]:
    """All modules that are imported with these; `but` those that are there already."""
    found, left = set(but), list(modules)
    while left:
        for each in with_parents(left.pop()):
            if each not in found:
                found.add(each)
                left += outer(each) if each in MODULES else ()
    return found - set(but)


def may_fail(node: ast.AST) -> bool:
    """Whether a statement has an answer to an import that fails."""
    if isinstance(node, ast.Try):
        return any(
            each.type is not None and "ImportError" in ast.unparse(each.type) for each in node.handlers
        )
    return isinstance(node, ast.With) and "suppress(ImportError)" in ast.unparse(node.items[0])


@cache
def inner_imports() -> tuple[InnerImport, ...]:
    """The imports inside functions of all modules."""
    texts = {module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}
    # To parse all modules would take longer than all the rest.
    some = [module for module, text in texts.items() if INDENTED.search(FOR_TYPES.sub("", text))]
    return tuple(each for module in some for each in inner_imports_of(module))


def inner_imports_of(module: str) -> Iterator[InnerImport]:
    """The imports inside functions of a module."""
    left: list[tuple[ast.AST, bool, bool]] = [(tree_of(module), False, False)]
    while left:
        node, inside, guarded = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom) and inside:
            yield InnerImport(module, node.lineno, targets_of(node, module), guarded)
        if not is_for_types(node):
            inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            guarded = guarded or may_fail(node)
            left += ((each, inside, guarded) for each in statements_in(node))


def on_road(code: str) -> set[str]:
    """The modules that a process has imported in the end."""
    done = subprocess.run(
        [sys.executable, "-c", LISTED + code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    [listed] = [line for line in done.stderr.splitlines() if line.startswith("modules ")]
    return set(listed.split()[1:])


def is_foreign(module: str) -> bool:
    """Whether it is a module of a library, which may not be installed or takes long to import."""
    return module.partition(".")[0] not in {"potlang", *sys.stdlib_module_names}


def has_reason(found: InnerImport, roads: Iterable[set[str]]) -> bool:
    """Whether an import inside a function saves something."""
    if found.guarded or any((found.module, target) in LEFT for target in found.targets):
        return True
    by_itself = brought([found.module])
    more = brought(found.targets, but=by_itself)
    if any(map(is_foreign, more | found.targets)) or len(more) >= MANY:
        return True
    every = brought(found.targets) - {"os.path"}
    return any(found.module in road and not every <= road for road in roads)


def test_each_import_inside_a_function_saves_something() -> None:
    roads = [on_road(code) for code in ROADS.values()]
    assert all("potlang" in road for road in roads)
    assert len(inner_imports()) > 100
    needless = [
        f"{each.module}:{each.line} {sorted(each.targets)}"
        for each in inner_imports()
        if not has_reason(each, roads)
    ]
    assert not needless, "import these at the top of their modules, or see CONTRIBUTING"


def test_the_reasons_that_are_listed_are_needed() -> None:
    found = {(each.module, target) for each in inner_imports() for target in each.targets}
    assert {*LEFT} <= found
