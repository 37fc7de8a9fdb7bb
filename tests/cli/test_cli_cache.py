"""`potc verify --cache` and `potc cache` as real processes."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from potlang.languages.pot.report import Report
from potlang.prove.cache import Cache, make_key
from potlang.report.results import Limits, Result, Verdict

ROOT = Path(__file__).parents[2]
SEED = ROOT / "tests" / "seed"
ENTAILED = SEED / "02_cherokee_delegation.json"
REFUTED = SEED / "01_sotomayor_giraffe.json"


def potc(*args: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `potc` without a cache of the surroundings."""
    command = [sys.executable, "-m", "potlang", *map(str, args)]
    usual = {name: value for name, value in os.environ.items() if name != "POTLANG_CACHE"}
    everything = {**usual, "NO_COLOR": "1", **environment}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=everything, check=False
    )


def stats(directory: Path) -> Any:
    return json.loads(potc("cache", "stats", "--cache-dir", directory, "--format", "json").stdout)


def timeless(done: subprocess.CompletedProcess[str]) -> str:
    return "\n".join(line.partition(" (")[0] for line in done.stdout.splitlines())


def test_a_second_run_is_a_hit_and_says_the_same(tmp_path: Path) -> None:
    plain = potc(ENTAILED)
    first, again = (potc(ENTAILED, "--cache-dir", tmp_path) for _ in range(2))
    assert first.stdout == again.stdout
    assert timeless(first) == timeless(plain)
    assert (plain.returncode, first.returncode, again.returncode) == (0, 0, 0)
    assert again.stderr == plain.stderr
    found = stats(tmp_path)
    assert (found["entries"], found["hits"], found["verdicts"]) == (1, 1, {"entailed": 1})


def test_json_of_a_hit_is_the_same_to_the_last_digit(tmp_path: Path) -> None:
    first, again = (potc(ENTAILED, REFUTED, "--cache-dir", tmp_path, "--format", "json") for _ in range(2))
    assert json.loads(first.stdout) == json.loads(again.stdout)
    assert (first.returncode, again.returncode) == (1, 1)
    assert stats(tmp_path)["hits"] == 2


@pytest.mark.parametrize(
    ("switches", "variable", "used"),
    [
        ([], None, None),
        ([], "", None),
        ([], "named", "named"),
        (["--no-cache"], "named", None),
        (["--cache"], None, "home/.cache/potlang"),
        (["--cache"], "", "home/.cache/potlang"),
        (["--cache"], "named", "named"),
        (["--cache-dir", "other"], "named", "other"),
        (["--no-cache", "--cache-dir", "other"], None, None),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="the expected directory is the XDG one, of Linux alone")
def test_which_cache_is_used(
    switches: list[str], variable: str | None, used: str | None, tmp_path: Path
) -> None:
    """[CACHE-CHOICE] The switch before the directory given before the environment; by default none."""
    environment = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": ""}
    if variable is not None:
        environment["POTLANG_CACHE"] = str(tmp_path / variable) if variable else ""
    words = [str(tmp_path / word) if word == "other" else word for word in switches]
    assert potc(ENTAILED, "--trust", "solver", *words, **environment).returncode == 0
    made = [str(path.parent.relative_to(tmp_path)) for path in tmp_path.rglob("verdicts-*")]
    assert made == ([] if used is None else [used])


def test_a_damaged_cache_is_one_warning_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "verdicts-1-0.sqlite3").write_bytes(b"nothing of the kind")
    done = potc(ENTAILED, REFUTED, "--cache-dir", tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("warning[POT6010]: the cache") == 1
    assert "POT6010" not in done.stdout
    assert potc(ENTAILED, REFUTED, "--cache-dir", tmp_path).stderr == ""


def test_a_cache_that_cannot_be_used_costs_a_warning_and_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = potc(ENTAILED, "--cache-dir", tmp_path / "file", "--format", "json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"]) == (0, "entailed")
    assert [each["code"] for each in report["diagnostics"]][-1] == "POT6011"
    assert "warning[POT6011]" in done.stderr


def test_stats_of_nothing(tmp_path: Path) -> None:
    done = potc("cache", "stats", "--cache-dir", tmp_path / "none")
    assert done.returncode == 0
    assert "entries    0" in done.stdout
    assert not (tmp_path / "none").exists()


def test_stats_as_text(tmp_path: Path) -> None:
    potc(ENTAILED, REFUTED, "--cache-dir", tmp_path)
    lines = potc("cache", "stats", "--cache-dir", tmp_path).stdout.splitlines()
    assert [line.split()[:2] for line in lines[:6]] == [
        ["place", str(tmp_path)],
        ["entries", "2"],
        ["size", lines[2].split()[1]],
        ["hits", "0"],
        ["entailed", "1"],
        ["refuted", "1"],
    ]
    assert "z3-solver" in lines[6]


def test_clear(tmp_path: Path) -> None:
    potc(ENTAILED, REFUTED, "--cache-dir", tmp_path)
    assert (
        potc("cache", "clear", "--older-than", "1h", "--cache-dir", tmp_path).stdout == "0 entries removed\n"
    )
    done = potc("cache", "clear", "--format", "json", "--cache-dir", tmp_path)
    assert json.loads(done.stdout) == {"removed": 2}
    assert stats(tmp_path)["entries"] == 0


@pytest.mark.parametrize("age", ["", "1", "d", "1x", "-1d", "1.5d", "9" * 12 + "d"])
def test_an_age_that_is_none_is_a_usage_error(age: str, tmp_path: Path) -> None:
    done = potc("cache", "clear", "--older-than", age, "--cache-dir", tmp_path)
    assert done.returncode == 2
    assert "is no age such as" in done.stderr


# --- replay --------------------------------------------------------------------------------------


def replay(directory: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return potc("cache", "replay", "--cache-dir", directory, *more)


def kept(directory: Path, program: str, report: Report, **settings: Any) -> None:
    """Puts a report into the cache as if a run had given it."""
    usual = {"trust": "solver", "limits": Limits(check_ms=500, total_ms=1000)}
    assert Cache(directory).keep(make_key(program, {**usual, **settings}), report)


def report(verdict: Verdict) -> Report:
    return Report(verdict, (Result("v", "/verifications/0", verdict),))


TRUE = '(potlang-ir 1)\n(claim "v0" "v" () (origin "/verifications/0" "True") true)\n(actions "verify")\n'


def test_replay_of_sound_entries_agrees(tmp_path: Path) -> None:
    """[CACHE-REPLAY] Programs of many kinds: what is kept is enough to verify them again."""
    potc(*sorted(SEED.glob("[0-9]*.json")), "--cache-dir", tmp_path, "--trust", "solver")
    done = replay(tmp_path)
    entries = stats(tmp_path)["entries"]
    assert entries > 15
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{entries} entries replayed: {entries} agree, 0 differ\n"
    assert replay(tmp_path, "--most", "2").stdout == "2 entries replayed: 2 agree, 0 differ\n"


def test_replay_finds_a_verdict_that_differs(tmp_path: Path) -> None:
    """[CACHE-REPLAY]"""
    kept(tmp_path, TRUE, report(Verdict.REFUTED), limits=Limits())
    done = replay(tmp_path)
    assert done.returncode == 1
    assert "error[POT6012]: the verdict of entry " in done.stderr
    assert "was `refuted` and is now `entailed`" in done.stderr
    assert done.stdout == "1 entry replayed: 0 agree, 1 differ\n"
    found = json.loads(replay(tmp_path, "--format", "json").stdout)
    (each,) = found["list"]
    assert (found["entries"], found["agree"], found["differ"]) == (1, 0, 1)
    assert each["program"] == TRUE
    assert each["differences"][0] == {"what": "the verdict", "cached": "refuted", "now": "entailed"}


def test_replay_that_cannot_settle_is_no_difference(tmp_path: Path) -> None:
    """[CACHE-REPLAY]"""
    hanging = potc("compile", ROOT / "tests" / "limits" / "hang.json", "--to", "ir", "--passes", "").stdout
    kept(tmp_path, hanging, report(Verdict.ENTAILED))
    done = replay(tmp_path)
    assert done.returncode == 3
    assert "is not settled now" in done.stderr
    assert done.stdout == "1 entry replayed: 0 agree, 0 differ, 1 not settled\n"


def test_replay_of_an_entry_that_this_version_cannot_read(tmp_path: Path) -> None:
    """[CACHE-REPLAY]"""
    kept(tmp_path, "(potlang-ir 9)\n", report(Verdict.ENTAILED))
    kept(tmp_path, TRUE, report(Verdict.ENTAILED), faster=True)
    kept(tmp_path, TRUE, report(Verdict.ENTAILED), passes="no such pass")
    done = replay(tmp_path)
    assert done.returncode == 3
    assert "this version cannot read it" in done.stderr
    assert "this version has no option faster" in done.stderr
    assert "Traceback" not in done.stderr


def test_replay_skips_damaged_entries_with_a_warning(tmp_path: Path) -> None:
    potc(ENTAILED, REFUTED, "--cache-dir", tmp_path, "--trust", "solver")
    (file,) = tmp_path.glob("*.sqlite3")
    connection = sqlite3.connect(file)
    forged = zlib.compress(b"{}")
    connection.execute("UPDATE entries SET report = ? WHERE verdict = 'refuted'", (forged,))
    connection.commit()
    connection.close()
    done = replay(tmp_path)
    assert done.returncode == 0
    assert "warning[POT6010]" in done.stderr
    assert done.stdout == "1 entry replayed: 1 agree, 0 differ\n"


def test_replay_of_nothing(tmp_path: Path) -> None:
    assert replay(tmp_path).stdout == "0 entries replayed: 0 agree, 0 differ\n"
