"""SIGINT, SIGTERM and kill -9 at random moments of real commands: how soon they end, and what they leave.

    python benchmarks/stopping.py --count 200 --seed 1 --check

Every process that a command starts has a mark in its environment; after a second none with it may be left.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

HERE = Path(__file__).resolve().parent
ROOT: Final = HERE.parent
sys.path.append(str(ROOT))

from outcome import collected, finish  # noqa: E402
from scoring import lines as samples  # noqa: E402
from tables import table  # noqa: E402

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
MOST_SECONDS: Final = 0.3
_LEFT_AFTER: Final = 1.0
_LONGEST_DELAY: Final = 3.0
_ATTEMPTS: Final = 20
_ROUTES: Final = ("auto", "both", "z3", "cvc5", "cvc5-fmf", "closure", "ground", "search")


class Job(NamedTuple):
    """A command that takes long enough to be stopped; `has_input`: its standard input stays open."""

    arguments: tuple[str, ...]
    has_input: bool = False


class Stop(NamedTuple):
    """One command stopped: how, when, how soon it ended, with what, and what was left of it.

    `early`: the interpreter had not come to our code yet.
    """

    job: str
    signal: str
    delay: float
    early: bool
    seconds: float
    code: int
    left: int
    files: tuple[str, ...]
    said: str

    @property
    def faults(self) -> list[str]:
        """What is not as it must be."""
        number = signal.Signals[self.signal]
        # Before our first line the interpreter's own answer to a signal counts, or the system's.
        right = {-number} if number is signal.SIGKILL else {128 + number}
        right |= {-number, 1} if self.early else set()
        found = [f"ends after {self.seconds:.3f} s"] if self.seconds > MOST_SECONDS else []
        found += [f"exit code {self.code}"] if self.code not in right else []
        found += [f"{self.left} processes left"] if self.left else []
        found += [f"left {', '.join(self.files)}"] if self.files else []
        if not self.early and ("Traceback" in self.said or "Exception ignored" in self.said):
            found.append(f"says {self.said[-300:]!r}")
        return [f"{self.job}, {self.signal} after {self.delay:.3f} s: {each}" for each in found]


def jobs(folder: Path, model: str) -> dict[str, Job]:
    """The commands, by name; their inputs are written to `folder`, the endpoint `model` never answers."""
    hang = str(ROOT / "tests" / "limits" / "hang_in_claim.json")
    files = _Files(folder)
    cubes, undeclared = files.json("cubes", _cubes()), files.json("undeclared", _undeclared())
    easy = [str(ROOT / "examples" / f"{name}.json") for name in ("giraffe", "ladder", "seating", "find")]
    wide, graph, grid = (
        files.json("wide", _wide()),
        files.json("graph", _graph()),
        files.json("grid", _grid()),
    )
    trace, solution = files.text("hard.dot.txt", _trace()), files.json("steps", _solution())
    scored = files.text("samples.jsonl", b"".join(samples(30_000)).decode())
    questions = files.text("questions.jsonl", _questions())
    policies, policy = str(folder / "policies"), files.json("policy", _policy(8))
    other = files.json("other", _policy(9))
    many, steps = files.json("many", _many()), files.json("long", _long_solution())
    long = ("--timeout", "60", "--total-timeout", "120")
    asked = ("--base-url", model, "--model", "m")
    routes = {f"verify {each}": Job(("verify", hang, "--route", each, *long)) for each in _ROUTES}
    return {
        **routes,
        "verify cubes": Job((cubes, *long)),
        "verify json": Job((*easy, cubes, *easy, "--format", "json", *long)),
        "verify wide": Job((wide, *long)),
        "verify graph": Job((graph, "--route", "closure", *long)),
        "verify grid": Job((grid, "--route", "ground", *long)),
        "verify trace": Job((trace, *long)),
        "verify solution": Job((solution, *long)),
        "verify many facts": Job((many, *long)),
        "verify many steps": Job((steps, *long)),
        "check repair": Job(("check", undeclared)),
        "fix repair": Job(("fix", undeclared, "--unsafe", "--diff")),
        "compile": Job(("compile", wide, "--to", "smt2")),
        "view": Job(("view", cubes, "-o", str(folder / "page.html"))),
        "score": Job(("score", scored, "--format", "json")),
        "eval": Job(("eval", questions, "--jobs", "2", *long)),
        "eval alone": Job(("eval", questions, "--results", str(folder / "results.jsonl"), *long)),
        "eval model": Job(("eval", questions, *asked, "--jobs", "2", *long)),
        "reason": Job(("reason", "Is 1 < 2?", *asked, *long)),
        "policy add": Job(("policy", "add", policy, "--name", "p", "--store", policies, *long)),
        "policy diff": Job(
            ("policy", "diff", policy, other, "--samples", "5000", "--store", policies, *long)
        ),
        "generate": Job(("generate", "--count", "100000", "--out", str(folder / "generated.jsonl"))),
        "synthesize": Job(("synthesize", "--count", "100000")),
        "mcp": Job(("mcp",), has_input=True),
        "mcp http": Job(("mcp", "--http", f"127.0.0.1:{_free_port()}")),
    }


def stopped(name: str, job: Job, number: signal.Signals, delay: float, scratch: Path) -> Stop | None:
    """Starts a command and stops it after so many seconds; None where it had ended by then."""
    temporary = scratch / "temporary"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    mark = f"POTLANG_STOPPING_{os.getpid()}_{time.monotonic_ns()}"
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OPENAI_API_KEY": "none",
        "TMPDIR": str(temporary),
        mark: "1",
    }
    with (scratch / "output").open("w+b") as output, (scratch / "errors").open("w+b") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "potlang", *job.arguments],
            stdin=subprocess.PIPE if job.has_input else subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=scratch,
            env=environment,
            # A command of a shell's background ignores SIGINT; these must not.
            preexec_fn=_hear,
        )
        time.sleep(delay)
        if process.poll() is not None:
            return None
        early = not _hears(process.pid)
        began = time.monotonic()
        process.send_signal(number)
        code = process.wait()
        seconds = time.monotonic() - began
        left = _left(mark, began + _LEFT_AFTER)
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace")
    if process.stdin is not None:
        process.stdin.close()
    for each in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
    files = tuple(sorted(str(each.relative_to(temporary)) for each in temporary.rglob("*")))
    return Stop(name, number.name, delay, early, seconds, code, len(left), files, said)


def rounds(seed: int, count: int, only: str, scratch: Path) -> Iterator[Stop]:
    """So many commands stopped, drawn with this seed."""
    chance = random.Random(seed)
    with _silent_model() as model:
        known = {name: job for name, job in jobs(scratch, model).items() if only in name}
        for _ in range(count):
            for _ in range(_ATTEMPTS):
                name, number = chance.choice(sorted(known)), chance.choice(SIGNALS)
                # Half of them in the first second, where the most different things are done.
                longest = chance.choice((1.0, _LONGEST_DELAY))
                found = stopped(name, known[name], number, chance.uniform(0.0, longest), scratch)
                if found is not None:
                    yield found
                    break


def _hear() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _hears(pid: int) -> bool:
    """Whether a process has a handler for SIGTERM, which Python itself has none for."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    caught = next((line.split()[1] for line in lines if line.startswith("SigCgt:")), "0")
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def _left(mark: str, until: float) -> list[int]:
    """The processes with this mark that are left at that time; it is not waited for where there are none."""
    while True:
        found = [pid for pid in _processes() if _has(pid, mark)]
        if not found or time.monotonic() >= until:
            return found
        time.sleep(0.02)


def _processes() -> Iterator[int]:
    return (int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit())


def _has(pid: int, mark: str) -> bool:
    # What is dead, and waits for its parent to ask, has no environment any more.
    try:
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextlib.contextmanager
def _silent_model() -> Iterator[str]:
    """The address of an endpoint that takes requests and never answers."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            over.wait()

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        over.set()
        server.shutdown()


# --- inputs ------------------------------------------------------------------------------------------


class _Files:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def text(self, name: str, text: str) -> str:
        path = self._folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def json(self, name: str, value: Any) -> str:
        return self.text(f"{name}.json", json.dumps(value))


def _cube(number: int) -> str:
    return f"Exists([x: Int, y: Int, z: Int], x**3 + y**3 + z**3 == {number} and x*y*z > 10**9)"


def _cubes() -> Any:
    claims = ["1 < 2", *map(_cube, (33, 42, 74, 114))]
    return {"verifications": [{"name": f"claim {at}", "constraint": each} for at, each in enumerate(claims)]}


def _undeclared() -> Any:
    members = [f"known{n:03}name" for n in range(100)]
    return {
        "constants": {"all": {"sort": "Int", "members": members}},
        "knowledge_base": [f"known{n:03}nome + {n} > 3" for n in range(100)],
        "verifications": [{"constraint": f"{members[0]} > 2"}],
    }


def _wide() -> Any:
    names = [f"c{n}" for n in range(3_000)]
    return {
        "constants": {"all": {"sort": "Int", "members": names}},
        "knowledge_base": [f"{a} * {b} + {a} < {n}" for n, (a, b) in enumerate(pairwise(names))],
        "verifications": [{"constraint": f"{each} < {n}"} for n, each in enumerate(names[:300])],
    }


def _graph() -> Any:
    chance = random.Random(1)
    edges = [(chance.randrange(2_000), chance.randrange(2_000)) for _ in range(4_000)]
    return {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": "reach", "domain": ["T", "T"], "range": "Bool"}],
        "constants": {"all": {"sort": "T", "members": [f"c{n}" for n in range(2_000)]}},
        "knowledge_base": [
            *(f"reach(c{a}, c{b})" for a, b in edges),
            "ForAll([x: T, y: T, z: T], reach(x, y) and reach(y, z) -> reach(x, z))",
        ],
        "verifications": [{"constraint": "Exists([x: T, y: T], reach(x, y) and reach(y, x))"}],
    }


def _many() -> Any:
    """Nearly as much as an input may be."""
    return {"knowledge_base": ["1 < 2"] * 6_000_000, "verifications": ["1 < 2"]}


def _long_solution() -> Any:
    steps = [
        {
            "step_id": at,
            "edge": "So.",
            "direct_dependent_steps": [at - 1] if at > 1 else None,
            "node": "$x = 7$",
        }
        for at in range(1, 500_000)
    ]
    return {"problem_id": "long", "problem": "Solve.", "answer": "7", "steps": steps}


def _grid() -> Any:
    size = 9
    holes = [f"p{n}" for n in range(size)]
    return {
        "sorts": [{"name": "H", "type": "EnumSort", "values": [f"h{n}" for n in range(size - 1)]}],
        "constants": {"all": {"sort": "H", "members": holes}},
        "knowledge_base": [f"{a} != {b}" for n, a in enumerate(holes) for b in holes[:n]],
        "verifications": [{"constraint": "p0 == h0"}],
    }


def _trace() -> str:
    lines = ["@node id=1 role=problem", "Numbers with squares and cubes."]
    for at in range(2, 40):
        lines += [
            f"@node id={at} role=proposer",
            f"@edge src=1 dst={at} kind=use",
            f'@prop id={at} {{"pot": "Exists([x: Int, y: Int], x**3 + y**3 == {at} and x * y > 10**9)"}}',
            "A step.",
        ]
    return "\n".join(lines) + "\n"


def _solution() -> Any:
    steps = [{"step_id": 1, "edge": "Given.", "direct_dependent_steps": None, "node": "$x_1^3 + y^3 = 7$"}]
    for at in range(2, 60):
        node = f"$x_{{{at}}}^3 + y^3 x_{{{at - 1}}} = {at} + x_{{{at - 1}}}^5 \\\\sin(y)$"
        steps.append({"step_id": at, "edge": "So.", "direct_dependent_steps": [at - 1], "node": node})
    return {"problem_id": "hard", "problem": "Solve.", "answer": "7", "steps": steps}


def _questions() -> str:
    programs = [_cubes(), {"verifications": [{"constraint": "1 < 2"}]}]
    return "".join(
        json.dumps(
            {
                "id": f"q{n}",
                "question": "?",
                "answer": True,
                "family": "f",
                "attempts": [json.dumps(programs[n % 2])],
            }
        )
        + "\n"
        for n in range(40)
    )


def _policy(least: int) -> Any:
    return {
        "constants": {"ints": {"sort": "Int", "members": ["x", "y", "z"]}},
        "knowledge_base": [f"x * y > {least}", "y * z < x * x * x"],
        "verifications": [{"name": f"claim {n}", "constraint": _cube(n)} for n in (33, 42, 74)],
    }


# --- the command -------------------------------------------------------------------------------------


def summary(found: list[Stop]) -> list[list[Any]]:
    """A row for each signal, and for all."""
    rows = []
    for name in (*(each.name for each in SIGNALS), "all"):
        some = sorted((each for each in found if name in (each.signal, "all")), key=lambda each: each.seconds)
        if some:
            times = [1_000 * some[at].seconds for at in (len(some) // 2, int(0.95 * len(some)), -1)]
            left, files = sum(each.left > 0 for each in some), sum(bool(each.files) for each in some)
            rows.append([name, len(some), *times, left, files])
    return rows


@click.command()
@click.option("--count", default=200, show_default=True, help="Commands to stop.")
@click.option("--seed", default=1, show_default=True)
@click.option("--only", default="", help="Commands whose name has this in it.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures.")
@click.option("--check", is_flag=True, help="Exit code 1 if something is not as it must be.")
def main(count: int, seed: int, only: str, json_path: Path | None, check: bool) -> None:
    """Stop commands at random moments."""
    with tempfile.TemporaryDirectory() as folder:
        found = collected("stopping", rounds(seed, count, only, Path(folder)), count)
    headings = ("signal", "stops", "median ms", "p95 ms", "slowest ms", "left processes", "left files")
    click.echo(table(headings, summary(found)))
    slowest = sorted(found, key=lambda each: each.seconds)[-5:]
    click.echo(
        "\n" + table(("slowest", "after s", "ms"), [[e.job, e.delay, 1_000 * e.seconds] for e in slowest])
    )
    failed = [fault for each in found for fault in each.faults]
    finish("stopping", {"stops": [each._asdict() for each in found]}, failed, json_path, check)


if __name__ == "__main__":
    main()
