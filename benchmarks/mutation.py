"""Mutants of the code that verdicts rest on, drawn by a seed, and whether the tests notice them.

    python benchmarks/mutation.py --seed 1 --count 300 --jobs 2 --output mutants.jsonl

A mutant is one small change of one place: a comparison, a connective, a condition, a number, a statement
left out. First the tests run once over the unchanged tree with pytest-cov (of the extra `dev`), which writes
to the file of `--coverage` which test executes which line; that is used again for as long as the tree is the
same. Then each mutant is put to the tests that execute its line (`Reach` says which these are where nothing
is recorded): first those of its own folder that take the least time, then all others, up to the first that
fails with the change and passes without it (one of another folder has to fail twice, since some are about
time). A mutant survives if all pass that fit into `--seconds`; one whose line no test executes survives at
once. The tree is what git knows: add new files first.

What is in the output already is not run again, so a run may be ended at any time and goes on later.
`--tier deep --only OUTPUT --coverage OTHER` asks the deep tier about the survivors of another output, and
`--tests` names fewer tests. A neutral mutant changes nothing that can be seen: a person judges so, and
lists its name in the file of `--neutral`.

mutmut and cosmic-ray make all mutants, and draw none.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

ROOT = Path(__file__).parents[1]
AREAS: Mapping[str, tuple[str, ...]] = {
    "certify": ("certify/*.py",),
    "prove": ("prove/*.py",),
    "engines": ("engines/**/*.py",),
    "passes": ("passes/*.py",),
    "printer": (
        *("smt/encodings.py", "smt/names.py", "smt/numerals.py", "smt/printer.py", "smt/sharing.py"),
        *("smt/symbols.py", "smt/terms.py"),
    ),
    "model reader": (
        *("smt/algebraic.py", "smt/decision_list.py", "smt/model*.py", "smt/sexpr.py"),
        *("smt/sort_erasure.py", "smt/unmangling.py", "smt/value*.py"),
    ),
    "evaluator": ("ir/*.py",),
    "sort check": ("sema/*.py",),
    "steps": tuple(f"languages/dagmath/{folder}/*.py" for folder in ("lower", "relations", "solve")),
}
"""The folders of the report, and the files of the package that are theirs."""
TESTS: Mapping[str, tuple[str, ...]] = {
    "certify": ("kernel", "operators"),
    "prove": ("prove",),
    "engines": ("engines",),
    "passes": ("passes",),
    "printer": ("smt", "operators"),
    "model reader": ("smt", "operators"),
    "evaluator": ("ir", "operators"),
    "sort check": ("conformance", "ui", "languages"),
    "steps": ("dagmath",),
}
"""The folders of the tests that are theirs."""
UNCRITICAL = frozenset(
    {"cache.py", "cache_file.py", "options.py", "emit.py", "advice.py", "near.py", "digest.py", "repl.py"}
)
"""Files that no verdict rests on."""
IN_WORKERS = (
    *(
        f"potlang/engines/{name}.py"
        for name in ("cvc5", "messages", "pysmt_bridge", "repl", "sat", "worker", "z3")
    ),
    *(f"potlang/engines/saturation/{name}.py" for name in ("eprover", "proof", "superposition", "tptp")),
    *(f"potlang/languages/dagmath/solve/{name}.py" for name in ("answer_worker", "child", "identity_worker")),
)
"""Files that run in workers, which are other processes: nobody records what is executed there."""
MARKS: Mapping[str, str] = {"quick": "not slow", "deep": "slow"}
NEAREST: Final = 2.0
"""Seconds of tests that run first: most mutants end there, so that other tests need not be imported."""
NEAR: Final = 20.0
"""Seconds of tests of the own folder that run before others."""
PYTEST = (sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider")
LIMITED = ("/bin/sh", "-c", 'ulimit -t "$0"; exec "$@"')

COMPARED: Mapping[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
COMPUTED: Mapping[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "+"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
}


class Mutant(NamedTuple):
    """The text from `start` to `end` of a file replaced by `text`."""

    area: str
    path: str
    line: int
    start: int
    end: int
    text: str
    what: str
    statement: tuple[int, int]
    """The first and the last line of the smallest statement around it, without the body of that."""
    called: bool
    """Whether it is part of a function, so that it does not run when its module is imported."""

    @property
    def name(self) -> str:
        """Tells it from all others of the same sources."""
        return f"{self.path}:{self.line}: {self.what} @{self.start}"


class Fate(NamedTuple):
    """What became of a mutant, `killed`, `timeout` or `survived`, and by which test, or of how many."""

    name: str
    area: str
    fate: str
    by: str
    seconds: float


# --- mutants ----------------------------------------------------------------------------------------------


class _Sites(ast.NodeVisitor):
    """The places of a file that can be changed, each with its replacement."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line.encode("utf-8")))
        self.bytes = source.encode("utf-8")
        self.found: list[tuple[int, int, int, str, str, tuple[int, int], bool]] = []
        self.statement = (0, 0)
        self.called = False

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.bytes[start:end].decode("utf-8")

    def change(self, node: ast.expr | ast.stmt, text: str, what: str) -> None:
        self.add(node.lineno, *self.span(node), text, what)

    def add(self, line: int, start: int, end: int, text: str, what: str) -> None:
        self.found.append((line, start, end, text, what, self.statement, self.called))

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        """An operator between two parts; comments and brackets around it stay."""
        start, end = self.span(left)[1], self.span(right)[0]
        gap = self.bytes[start:end].decode("utf-8")
        place = gap.find(old)
        if place >= 0 and "#" not in gap:
            begin = start + len(gap[:place].encode("utf-8"))
            self.add(left.end_lineno or left.lineno, begin, begin + len(old), new, f"{old} -> {new}")

    def visit(self, node: ast.AST) -> None:
        around = self.statement
        if isinstance(node, ast.stmt):
            inner = getattr(node, "body", None) or getattr(node, "cases", None)
            last = node.end_lineno or node.lineno
            if inner:
                last = max(node.lineno, getattr(inner[0], "pattern", inner[0]).lineno - 1)
            self.statement = (node.lineno, last)
        super().visit(node)
        self.statement = around

    # Annotations, docstrings and what only checks or words are not changed.

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and not is_limit(node.target, node.value):
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for each in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(each)
        self.visit_called(node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit_called([node.body])

    def visit_called(self, body: Iterable[ast.AST]) -> None:
        around, self.called = self.called, True
        for each in body:
            self.visit(each)
        self.called = around

    def visit_Assert(self, node: ast.Assert) -> None:
        """Assertions are for readers."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Words of errors."""

    def visit_Assign(self, node: ast.Assign) -> None:
        if not is_limit(node.targets[0], node.value):
            self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self.between(left, right, *COMPARED[type(op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, right, old, new)
        for part in node.values:
            self.change(part, "True" if isinstance(node.op, ast.And) else "False", "a condition left out")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in COMPUTED and not isinstance(node.left, ast.Constant | ast.JoinedStr):
            self.between(node.left, node.right, *COMPUTED[type(node.op)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            self.change(node, f"({self.text(node.operand)})", "a sign left out")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.change(node, str(not node.value), f"{node.value} -> {not node.value}")
        elif isinstance(node.value, int):
            self.change(node, str(node.value + 1), f"{node.value} -> {node.value + 1}")

    def visit_If(self, node: ast.If) -> None:
        self.change(node.test, f"not ({self.text(node.test)})", "a condition turned round")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.change(node.test, f"(not ({self.text(node.test)}))", "a choice turned round")
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for each in node.ifs:
            self.change(each, "True", "a filter left out")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.change(node, "pass", "a call left out")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.change(node, "pass", "an update left out")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self.change(node, "break", "continue -> break")

    def visit_Break(self, node: ast.Break) -> None:
        self.change(node, "continue", "break -> continue")

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in ("any", "all", "min", "max"):
            other = {"any": "all", "all": "any", "min": "max", "max": "min"}[name]
            self.change(node.func, other, f"{name} -> {other}")
        elif len(node.args) == 2 and not node.keywords and name not in ("isinstance", "cast", "getattr"):
            first, second = map(self.text, node.args)
            if first != second and not any(isinstance(each, ast.Starred) for each in node.args):
                start, end = self.span(node.args[0])[0], self.span(node.args[1])[1]
                self.add(node.lineno, start, end, f"{second}, {first}", "arguments exchanged")
        self.generic_visit(node)


def is_limit(target: ast.expr, value: ast.expr) -> bool:
    """Whether a name in capitals is given a number: that may be another one, and a table may not."""
    names = [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
    numbers = (ast.Constant, ast.BinOp, ast.Tuple, ast.operator, ast.expr_context)
    known = all(isinstance(each, numbers) for each in ast.walk(value))
    return known and all(name.strip("_").isupper() for name in names)


def mutants_of(area: str, path: Path) -> Iterator[Mutant]:
    """The mutants of one file, those that are no Python left out."""
    source = path.read_text(encoding="utf-8")
    sites = _Sites(source)
    sites.visit(ast.parse(source))
    where = str(path.relative_to(ROOT))
    for found in sites.found:
        yield Mutant(area, where, *found)


def changed(mutant: Mutant, source: bytes) -> bytes:
    """The file with the change in it."""
    return source[: mutant.start] + mutant.text.encode("utf-8") + source[mutant.end :]


def draw(seed: int, count: int, areas: Iterable[str]) -> list[Mutant]:
    """As many mutants of each area, all different; areas take turns, so that part of a run is fair."""
    chance = random.Random(seed)
    drawn: list[deque[Mutant]] = []
    for area in areas:
        files = sorted({path for each in AREAS[area] for path in (ROOT / "potlang").glob(each)})
        found = [m for path in files if path.name not in UNCRITICAL for m in mutants_of(area, path)]
        chance.shuffle(found)
        drawn.append(deque(found))
    chosen: list[Mutant] = []
    while len(chosen) < count and any(drawn):
        for each in drawn:
            while each:
                mutant = each.popleft()
                if is_python(mutant):
                    chosen.append(mutant)
                    break
    return chosen[:count]


def is_python(mutant: Mutant) -> bool:
    """Whether the change leaves a program, and another one."""
    before = (ROOT / mutant.path).read_bytes()
    try:
        return ast.dump(ast.parse(changed(mutant, before))) != ast.dump(ast.parse(before))
    except SyntaxError:
        return False


# --- the tests of a mutant --------------------------------------------------------------------------------


class Copy:
    """A copy of the tree, in which tests run."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="mutants-"))
        for path in files():
            target = self.place / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, target)
        self._clock = 1_000_000_000

    def close(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.place, ignore_errors=True)

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        """The copy has the change in it for as long as this lasts."""
        target = self.place / mutant.path
        before = target.read_bytes()
        self._write(target, changed(mutant, before))
        try:
            yield
        finally:
            self._write(target, before)

    def _write(self, target: Path, content: bytes) -> None:
        target.write_bytes(content)
        # Compiled files are told from stale ones by whole seconds and size.
        self._clock += 10
        os.utime(target, (self._clock, self._clock))

    def pytest(self, *arguments: str, seconds: float | None = None, **env: str) -> tuple[int | None, str]:
        """The exit code and the output of pytest; no code if it took more than these of processor time.

        By the clock it may take four times as long, so that a busy machine kills no mutant.
        """
        limited = () if seconds is None else (*LIMITED, str(round(seconds)))
        process = subprocess.Popen(
            [*limited, *PYTEST, *arguments],
            cwd=self.place,
            env={**os.environ, "PYTHONPATH": str(self.place), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=seconds and 4 * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
        ended = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        return None if ended else process.returncode, said


def files() -> list[str]:
    """The files of the tree."""
    said = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return sorted(path for path in said.split("\0") if path and (ROOT / path).is_file())


def fingerprint(*more: str) -> str:
    """A digest of the code, the tests and all that these read."""
    digest = hashlib.sha256("\0".join(more).encode())
    for path in files():
        if path != "benchmarks/mutation.py":
            digest.update(path.encode() + b"\0" + hashlib.sha256((ROOT / path).read_bytes()).digest())
    return digest.hexdigest()


def measure(data: Path, tier: str, tests: Sequence[str], jobs: int) -> None:
    """Run the tests over an unchanged copy: lines by test in `data`, seconds by test in its `.json`.

    A tree that has been measured is not measured again. Tests that fail here, some for the time that
    recording takes, are named, and are not put to mutants.
    """
    times = data.with_suffix(".json")
    tree = fingerprint(tier, *tests)
    if data.exists() and times.exists() and json.loads(times.read_text(encoding="utf-8"))["tree"] == tree:
        return
    copy = Copy()
    try:
        contexts = ("--cov=potlang", "--cov-context=test", "--cov-report=")
        told = ("-vv", "--durations=0", "-n", str(jobs))
        _, said = copy.pytest(*told, "-m", MARKS[tier], *contexts, *tests, COVERAGE_FILE=str(data.resolve()))
    finally:
        copy.close()
    seconds: dict[str, float] = {}
    for took, test in re.findall(r"^([\d.]+)s (?:setup|call|teardown) +(.+)$", said, re.MULTILINE):
        seconds[test] = seconds.get(test, 0.0) + float(took)
    failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
    seconds = {test: taken for test, taken in seconds.items() if test not in failed}
    print(*failed, said.splitlines()[-1], sep="\n")
    times.write_text(json.dumps({"tree": tree, "seconds": seconds}), encoding="utf-8")


class Reach:
    """Which tests a mutant is put to.

    Those that execute its line; if none is recorded there, those that execute any line of its statement. For
    what runs at an import, those that execute any function of the file; for what the first test of a file
    sets up, all tests of that file; for files that run in workers, where nothing is recorded, all tests in
    the folders of the area as well, and so for what runs at the import of a file without functions. What is
    kept in a cache is known of the test alone that came first.
    """

    def __init__(self, data: Path) -> None:
        from coverage import CoverageData

        self._data = CoverageData(str(data))
        self._data.read()
        measured = self._data.measured_files()
        self._measured = {path[path.rindex("/potlang/") + 1 :]: path for path in measured}
        self.seconds: dict[str, float] = json.loads(data.with_suffix(".json").read_text("utf-8"))["seconds"]
        self._by_file: dict[str, set[str]] = {}
        for test in self.seconds:
            self._by_file.setdefault(test.partition("::")[0], set()).add(test)

    def parts(self, mutant: Mutant) -> list[list[str]]:
        """The tests, in the order in which they are to run, and in groups for one process each."""
        own = own_folders(mutant.area)
        chosen = self._executing(mutant)
        if mutant.path in IN_WORKERS or not (mutant.called or chosen):
            chosen |= {test for test in self.seconds if test.startswith(own)}
        near = sorted((test for test in chosen if test.startswith(own)), key=self.seconds.__getitem__)
        near = next(self._cut(near, NEAR), [])
        others = sorted(chosen - {*near}, key=self.seconds.__getitem__)
        return [*self._cut(near, NEAREST), *self._cut(others, NEAR)]

    def _cut(self, tests: Iterable[str], most: float) -> Iterator[list[str]]:
        """Groups of at most so many seconds, four times as many for each next one; no group is empty."""
        part: list[str] = []
        taken = 0.0
        for test in tests:
            if part and taken + self.seconds[test] > most:
                yield part
                part, taken, most = [], 0.0, 4 * most
            part.append(test)
            taken += self.seconds[test]
        if part:
            yield part

    def _executing(self, mutant: Mutant) -> set[str]:
        if mutant.path not in self._measured:
            return set()
        lines = self._data.contexts_by_lineno(self._measured[mutant.path])
        imported = True
        if mutant.called:
            first, last = mutant.statement
            for places in ([mutant.line], range(first, last + 1)):
                contexts = {each for line in places for each in lines.get(line, ())}
                if contexts - {""}:
                    return self._named(contexts)
                imported = "" in contexts
        return self._named(each for found in lines.values() for each in found) if imported else set()

    def _named(self, contexts: Iterable[str]) -> set[str]:
        found: set[str] = set()
        for context in contexts:
            test, _, phase = context.rpartition("|")
            found |= {test} if phase != "setup" else self._by_file.get(test.partition("::")[0], set())
        return found & self.seconds.keys()


def own_folders(area: str) -> tuple[str, ...]:
    """What the names of the tests of an area begin with."""
    return tuple(f"tests/{folder}/" for folder in TESTS[area])


# --- runs -------------------------------------------------------------------------------------------------


class Runner:
    """Runs tests over a copy of the sources, one mutant after the other."""

    def __init__(self, reach: Reach, tier: str, seconds: float) -> None:
        self._reach, self._tier, self._seconds = reach, tier, seconds
        self._copy = Copy()
        self._passing: dict[tuple[str, ...], bool] = {}

    def close(self) -> None:
        """Remove the copy."""
        self._copy.close()

    def run(self, mutant: Mutant, parts: Sequence[Sequence[str]]) -> Fate:
        """What becomes of one mutant under these tests, within the processor time of one."""
        began = time.monotonic()
        fate, by, asked, left = "survived", "", 0, self._seconds
        for part in parts:
            needed = sum(map(self._reach.seconds.__getitem__, part))
            if needed > left and asked:
                break
            fate, by = self._asked(part, mutant)
            asked, left = asked + len(part), left - needed
            if fate != "survived":
                break
        by = by or f"{asked} of {sum(map(len, parts))} tests"
        return Fate(mutant.name, mutant.area, fate, by, round(time.monotonic() - began, 1))

    def _asked(self, part: Sequence[str], mutant: Mutant) -> tuple[str, str]:
        """`killed` and the test, `timeout`, or `survived`."""
        while part:
            with self._copy.changed(mutant):
                code, said = self._run(part)
            if code is None:
                return ("timeout", "") if self._passes(tuple(part)) else ("survived", "")
            # 5: none is left that is not deselected.
            if code in (0, 5):
                return "survived", ""
            # A change of a table may change the names of tests: then all tests of their files run.
            missing = set(re.findall(r"^ERROR: not found: .*?/(tests/.*)$", said, re.MULTILINE))
            if missing:
                part = [test for test in part if test not in missing]
                part = list(dict.fromkeys([*part, *(name.partition("::")[0] for name in sorted(missing))]))
                continue
            failed = re.search(r"^(?:FAILED|ERROR) (tests/.*)$", said, re.MULTILINE)
            line = failed[1] if failed else ""
            file = line.split("::")[0].split(" ")[0]
            # Where the whole file fails, or nobody is named, all are to blame.
            to_blame = [test for test in part if line.startswith(test)]
            to_blame = to_blame or [test for test in part if test.startswith(file)]
            if self._passes(tuple(to_blame)) and self._fails(to_blame, mutant):
                return "killed", line[:200] or said[-200:]
            part = [test for test in part if test not in to_blame]
        return "survived", ""

    def _fails(self, tests: Sequence[str], mutant: Mutant) -> bool:
        """Whether what has failed does so again. Other folders have tests of limits, which may be flaky."""
        if all(test.startswith(own_folders(mutant.area)) for test in tests):
            return True
        with self._copy.changed(mutant):
            return self._run(tests)[0] != 0

    def _passes(self, tests: tuple[str, ...]) -> bool:
        """Whether these pass without a change."""
        if tests not in self._passing:
            self._passing[tests] = self._run(tests)[0] == 0
        return self._passing[tests]

    def _run(self, tests: Sequence[str]) -> tuple[int | None, str]:
        # Fixtures of a file are made once if its tests follow each other.
        turn: dict[str, int] = {}
        for test in tests:
            turn.setdefault(test.partition("::")[0], len(turn))
        names = self._copy.place / "mutant.tests"
        names.write_text("\n".join(sorted(tests, key=lambda test: turn[test.partition("::")[0]])), "utf-8")
        needed = sum(self._reach.seconds.get(test, 0.0) for test in tests)
        told = ("-x", "-q", "-n", "0", "--no-header", "-rfE", "-m", MARKS[self._tier])
        return self._copy.pytest(*told, f"@{names.name}", seconds=30 + 2 * needed)


def run_all(
    mutants: list[Mutant], reach: Reach, jobs: int, tier: str, output: Path, minutes: float, seconds: float
) -> None:
    """Run what the output has not, until the time is over."""
    known = {fate.name for fate in read(output)}
    left = deque((each, reach.parts(each)) for each in mutants if each.name not in known)
    until = time.monotonic() + 60 * minutes
    lock = threading.Lock()

    def work() -> None:
        runner = Runner(reach, tier, seconds)
        try:
            while time.monotonic() < until:
                with lock:
                    if not left:
                        return
                    mutant, parts = left.popleft()
                fate = runner.run(mutant, parts)
                with lock, output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(fate._asdict()) + "\n")
                    print(f"{fate.fate:9} {fate.seconds:6.1f} s  {fate.name}  ({fate.by[:60]})", flush=True)
        finally:
            runner.close()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def read(output: Path) -> list[Fate]:
    """The fates in an output, the last of each mutant."""
    if not output.exists():
        return []
    lines = output.read_text(encoding="utf-8").splitlines()
    return list({fate.name: fate for fate in (Fate(**json.loads(line)) for line in lines)}.values())


def table(fates: list[Fate], neutral: frozenset[str]) -> str:
    """Killed and survived by area, the neutral ones apart; then the survivors."""
    lines = [f"{'':14}{'run':>6}{'neutral':>9}{'killed':>8}{'survived':>10}{'share':>8}"]
    for area in [*dict.fromkeys(fate.area for fate in fates), "all"]:
        own = [fate for fate in fates if area in (fate.area, "all")]
        count = Counter(
            "neutral" if f.name in neutral else "killed" if f.fate != "survived" else "" for f in own
        )
        judged = count["killed"] + count[""]
        share = f"{100 * count['killed'] / judged:.0f} %" if judged else "-"
        lines.append(f"{area:14}{len(own):6}{count['neutral']:9}{count['killed']:8}{count['']:10}{share:>8}")
    survivors = [fate.name for fate in fates if fate.fate == "survived" and fate.name not in neutral]
    return "\n".join([*lines, "", *survivors])


def main() -> None:
    """Draws, runs and reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--area", action="append", choices=AREAS, help="one folder; several times for more")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--coverage", type=Path, default=Path("mutants.coverage"), help="what tests execute")
    parser.add_argument("--tests", nargs="+", default=[], help="these tests in place of all")
    parser.add_argument("--seconds", type=float, default=600.0, help="processor time for one mutant")
    parser.add_argument("--tier", choices=("quick", "deep"), default="quick")
    parser.add_argument("--minutes", type=float, default=24 * 60.0)
    parser.add_argument("--only", type=Path, help="an output whose survivors are to be run")
    parser.add_argument("--neutral", type=Path, help="names of mutants that change nothing, a line each")
    parser.add_argument("--output", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--list", action="store_true", help="the mutants drawn, and no run")
    options = parser.parse_args()
    mutants = draw(options.seed, options.count, options.area or list(AREAS))
    if options.only:
        alive = {fate.name for fate in read(options.only) if fate.fate == "survived"}
        mutants = [each for each in mutants if each.name in alive]
    if options.list:
        print("\n".join(each.name for each in mutants))
        return
    measure(options.coverage, options.tier, options.tests, options.jobs)
    reach = Reach(options.coverage)
    run_all(mutants, reach, options.jobs, options.tier, options.output, options.minutes, options.seconds)
    neutral = options.neutral.read_text(encoding="utf-8").splitlines() if options.neutral else []
    print("\n" + table(read(options.output), frozenset(neutral)))


if __name__ == "__main__":
    main()
