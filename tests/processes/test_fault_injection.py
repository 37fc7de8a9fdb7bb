"""Solver processes killed at random moments of real verifications: no wrong verdict, none lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="children are found in /proc"),
]
ROOT = Path(__file__).parents[2]
PEOPLE = [f"p{number}" for number in range(12)]
CLAIMS = {
    "chain": ("reaches(p0, p9)", "entailed"),
    "not": ("Not(reaches(p0, p9))", "refuted"),
    "unknown person": ("reaches(p9, p0)", "undetermined"),
    "some": ("Exists([x: Person], And(reaches(p0, x), old(x)))", "entailed"),
    "all": ("ForAll([x: Person], reaches(p0, x))", "undetermined"),
    "number": ("age(p0) + age(p1) > 100", "entailed"),
    "free number": ("age(p2) > 10", "undetermined"),
    "no number": ("age(p0) < 50", "refuted"),
}
PROGRAM: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [
        {"name": "reaches", "domain": ["Person", "Person"], "range": "Bool"},
        {"name": "old", "domain": ["Person"], "range": "Bool"},
        {"name": "age", "domain": ["Person"], "range": "Int"},
    ],
    "constants": {"people": {"sort": "Person", "members": PEOPLE}},
    "knowledge_base": [
        *(f"reaches({one}, {other})" for one, other in pairwise(PEOPLE[:10])),
        "ForAll([x: Person, y: Person, z: Person], "
        "Implies(And(reaches(x, y), reaches(y, z)), reaches(x, z)))",
        "old(p5)",
        "age(p0) == 60",
        "age(p1) == 70",
    ],
    "verifications": [{"name": name, "constraint": text} for name, (text, _) in CLAIMS.items()],
    "optimization": {
        "constraints": ["age(p2) > age(p1)"],
        "objectives": [{"type": "minimize", "expression": "age(p2) + age(p0)"}],
    },
    "actions": ["verify_conditions", "optimize"],
}
OPTIMUM = 131


def children(parent: int) -> Iterator[int]:
    """The processes that `parent` has started."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            state, above = stat.rsplit(")", 1)[1].split()[:2]
            if above == str(parent) and state != "Z":
                yield int(folder.name)


def struck(
    file: Path, chance: random.Random, pause: tuple[float, float], *options: str
) -> tuple[Any, str, int]:
    """`potc` with its solvers killed again and again: the report, standard error, the number of kills."""
    command = [sys.executable, "-m", "potlang", str(file), "--format", "json", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    over = threading.Event()
    kills = 0

    def strike() -> None:
        nonlocal kills
        while not over.wait(chance.uniform(*pause)):
            victims = sorted(children(process.pid))
            if victims:
                try:
                    os.kill(chance.choice(victims), signal.SIGKILL)
                    kills += 1
                except ProcessLookupError:
                    continue

    killer = threading.Thread(target=strike)
    killer.start()
    output, errors = process.communicate(timeout=120)
    over.set()
    killer.join()
    assert process.returncode in (1, 3), errors
    return json.loads(output), errors, kills


def check(report: Any) -> list[str]:
    """Every claim has its right verdict, or is unknown by a crash and says so; the words of the crashes.

    The optimum is right or unknown; without z3 it may be unsupported.
    """
    results = {each["name"]: each for each in report["results"]}
    assert list(results) == list(CLAIMS)
    crashes = []
    for name, (_, right) in CLAIMS.items():
        result = results[name]
        if result["verdict"] == right:
            continue
        assert (name, result["verdict"], result["reason"]) == (name, "unknown", "crash")
        assert right in result["possible"]
        crashes += [each["detail"] for each in result["checks"] if each["reason"] == "crash"]
    optimum = report["optimization"]
    if optimum["status"] != "unknown":
        assert (optimum["status"], optimum["value"]) == ("optimal", OPTIMUM)
    else:
        assert optimum["reason"] in ("crash", "unsupported")
    return crashes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "program.json"
    path.write_text(json.dumps(PROGRAM))
    return path


@pytest.mark.parametrize("options", [(), ("--route", "z3"), ("--route", "cvc5"), ("--route", "both")])
def test_a_worker_killed_now_and_then_costs_nothing_or_says_so(options: tuple[str, ...], file: Path) -> None:
    """A strike about every quarter of a second: a worker lives long enough to answer something."""
    chance = random.Random(3)
    total = 0
    for _ in range(8):
        report, errors, kills = struck(file, chance, (0.05, 0.4), *options)
        total += kills
        assert errors == ""
        check(report)
    assert total > 4


def test_workers_that_never_live_long_lose_no_claim(file: Path) -> None:
    """A strike every few milliseconds: no solver ever answers much, and the reason is named."""
    chance = random.Random(4)
    words: list[str] = []
    for _ in range(3):
        report, errors, kills = struck(file, chance, (0.005, 0.02), "--route", "z3")
        assert errors == ""
        assert kills > 1
        words += check(report)
    assert words
    assert all("SIGKILL" in each or "did not start" in each or "gone" in each for each in words)


def test_what_crashes_left_open_is_not_cached(file: Path, tmp_path: Path) -> None:
    """Struck runs on one cache, then one in peace: its report is whole."""
    chance = random.Random(5)
    where = ("--cache-dir", str(tmp_path / "cache"))
    for _ in range(3):
        struck(file, chance, (0.01, 0.1), "--route", "z3", *where)
    command = [sys.executable, "-m", "potlang", str(file), "--route", "z3", "--format", "json", *where]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    found = {each["name"]: each["verdict"] for each in report["results"]}
    assert found == {name: right for name, (_, right) in CLAIMS.items()}
    assert report["optimization"]["value"] == OPTIMUM
    assert time.monotonic() - began < 60
