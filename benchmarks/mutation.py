"""Mutants of the code that verdicts rest on, drawn by a seed, and whether the tests notice them.

    python benchmarks/mutation.py --seed 1 --count 300 --jobs 2 --output mutants.jsonl

A mutant is one small change of one place: a comparison, a connective, a condition, a number, a statement
left out. The tests that reach its module by the fewest imports run first, and the run ends at the first that
fails. What is in the output already is not run again, so a run may be ended at any time and goes on later.
`--tier deep --only OUTPUT` asks the deep tier about the survivors of another output. A neutral mutant changes
nothing that can be seen: that is judged by a person, who lists its name in the file of `--neutral`.

mutmut and cosmic-ray make all mutants and run one test command for each: no drawing, no order of tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
COPIED = ("potlang", "tests", "spec", "schemas", "stdlib", "examples", "benchmarks", "changes")
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
}
"""The folders of the tests that are theirs."""
UNCRITICAL = frozenset(
    {"cache.py", "cache_file.py", "options.py", "emit.py", "advice.py", "near.py", "digest.py", "repl.py"}
)
"""Files that no verdict rests on."""
SECONDS: Mapping[str, int] = {"quick": 600, "deep": 7_200}
"""Of processor time, so that a busy machine kills no mutant; four times as long by the clock."""
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

    @property
    def name(self) -> str:
        """Tells it from all others of the same sources."""
        return f"{self.path}:{self.line}: {self.what} @{self.start}"


class Fate(NamedTuple):
    """What became of a mutant: `killed`, `timeout` or `survived`, and by which test."""

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
        self.found: list[tuple[int, int, int, str, str]] = []

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.bytes[start:end].decode("utf-8")

    def change(self, node: ast.expr | ast.stmt, text: str, what: str) -> None:
        start, end = self.span(node)
        self.found.append((node.lineno, start, end, text, what))

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        """An operator between two parts; comments and brackets around it stay."""
        start, end = self.span(left)[1], self.span(right)[0]
        gap = self.bytes[start:end].decode("utf-8")
        place = gap.find(old)
        if place >= 0 and "#" not in gap:
            begin = start + len(gap[:place].encode("utf-8"))
            self.found.append(
                (left.end_lineno or left.lineno, begin, begin + len(old), new, f"{old} -> {new}")
            )

    # Annotations, docstrings and what only checks or words are not changed.

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and not is_limit(node.target, node.value):
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for each in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            self.visit(each)

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
                self.found.append((node.lineno, start, end, f"{second}, {first}", "arguments exchanged"))
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
    for line, start, end, text, what in sites.found:
        yield Mutant(area, where, line, start, end, text, what)


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


# --- the order of tests -----------------------------------------------------------------------------------


def imports(path: Path) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = path.relative_to(ROOT).parts[: -node.level]
                base = ".".join((*package, base) if base else package)
            found.add(base)
            found.update(f"{base}.{each.name}" for each in node.names)
    return found


class Order:
    """Which test files reach a module, the nearest first."""

    def __init__(self) -> None:
        files = {self._module(path): path for path in (ROOT / "potlang").rglob("*.py")}
        files |= {path.stem: path for path in (ROOT / "tests").rglob("*.py")}
        self._uses = {name: imports(path) & files.keys() for name, path in files.items()}
        for used in self._uses.values():
            # Its names are looked up when they are used.
            used |= {"potlang.api"} if "potlang" in used else set()
        self._tests = {name: path for name, path in files.items() if name.startswith("test_")}

    @staticmethod
    def _module(path: Path) -> str:
        return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

    def tests(self, mutated: str, area: str) -> list[str]:
        """Test files: those that import the module, those of its folder, and all others by their distance."""
        module = self._module(ROOT / mutated)
        users: dict[str, set[str]] = {}
        for name, used in self._uses.items():
            for each in used:
                users.setdefault(each, set()).add(name)
        distance, queue = {module: 0}, deque([module])
        while queue:
            at = queue.popleft()
            for user in users.get(at, ()):
                if user not in distance:
                    distance[user] = distance[at] + 1
                    queue.append(user)
        far = len(self._uses)

        def rank(name: str) -> tuple[bool, bool, int, int, str]:
            away = distance.get(name, far)
            own = self._tests[name].parent.name in TESTS[area]
            return away > 1, not own, away, len(self._uses[name]), name

        return [str(self._tests[name].relative_to(ROOT)) for name in sorted(self._tests, key=rank)]


# --- runs -------------------------------------------------------------------------------------------------


class Runner:
    """Runs tests over a copy of the sources, one mutant after the other."""

    def __init__(self, order: Order, nearest: int, tier: str) -> None:
        self._order, self._nearest, self._tier = order, nearest, tier
        self._place = Path(tempfile.mkdtemp(prefix="mutants-"))
        for name in COPIED:
            if (ROOT / name).exists():
                ignored = shutil.ignore_patterns("__pycache__", ".*")
                shutil.copytree(ROOT / name, self._place / name, ignore=ignored)
        for file in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "LICENSE"):
            shutil.copy(ROOT / file, self._place / file)
        self._clock = 1_000_000_000

    def close(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self._place, ignore_errors=True)

    def run(self, mutant: Mutant) -> Fate:
        """What becomes of one mutant."""
        target = self._place / mutant.path
        before = target.read_bytes()
        began = time.monotonic()
        try:
            self._write(target, changed(mutant, before))
            fate, by = self._asked(self._order.tests(mutant.path, mutant.area))
        finally:
            self._write(target, before)
        return Fate(mutant.name, mutant.area, fate, by, round(time.monotonic() - began, 1))

    def _write(self, target: Path, content: bytes) -> None:
        target.write_bytes(content)
        # Compiled files are told from stale ones by whole seconds and size.
        self._clock += 10
        os.utime(target, (self._clock, self._clock))

    def _asked(self, tests: list[str]) -> tuple[str, str]:
        chosen = tests[: self._nearest] if self._nearest else tests
        marks = "not slow" if self._tier == "quick" else "slow"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            "-m",
            marks,
        ]
        seconds = SECONDS[self._tier]
        process = subprocess.Popen(
            [*LIMITED, str(seconds), *command, "--no-header", "-rf", *chosen],
            cwd=self._place,
            env={**os.environ, "PYTHONPATH": str(self._place)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=4 * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "timeout", ""
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return "timeout", ""
        # 5: no test was chosen.
        if process.returncode in (0, 5):
            return "survived", ""
        failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return "killed", failed[0][:200] if failed else said[-200:]


def run_all(mutants: list[Mutant], jobs: int, nearest: int, tier: str, output: Path, minutes: float) -> None:
    """Run what the output has not, until the time is over."""
    known = {fate.name for fate in read(output)}
    left = deque(each for each in mutants if each.name not in known)
    until = time.monotonic() + 60 * minutes
    order, lock = Order(), threading.Lock()

    def work() -> None:
        runner = Runner(order, nearest, tier)
        try:
            while time.monotonic() < until:
                with lock:
                    if not left:
                        return
                    mutant = left.popleft()
                fate = runner.run(mutant)
                with lock, output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(fate._asdict()) + "\n")
                    print(f"{fate.fate:9} {fate.seconds:6.1f} s  {fate.name}", flush=True)
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
    parser.add_argument(
        "--nearest", type=int, default=0, help="test files at most, the nearest first; 0: all"
    )
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
    run_all(mutants, options.jobs, options.nearest, options.tier, options.output, options.minutes)
    neutral = options.neutral.read_text(encoding="utf-8").splitlines() if options.neutral else []
    print("\n" + table(read(options.output), frozenset(neutral)))


if __name__ == "__main__":
    main()
