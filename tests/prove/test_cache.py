"""What the cache keeps, under what, and that a hit is the report that a run gives ([CACHE-KEY])."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cache_support import ROOT, SETTINGS, key, noise, report, said, start
from seed_programs import EACH_KIND

import potlang
from potlang.ir.text import print_module, read_module
from potlang.languages.pot import solve
from potlang.processes.pool import Workers
from potlang.prove import cache as module
from potlang.prove.cache import Cache, default_place, is_settled, make_key
from potlang.report.results import (
    Bindings,
    CheckRecord,
    Consistency,
    Evidence,
    Limits,
    ObjectiveResult,
    OptimizationResult,
    OptimizationStatus,
    ProgramResult,
    Result,
    Verdict,
)

PROGRAM: dict[str, Any] = {
    "sorts": [{"name": "S", "type": "DeclareSort"}],
    "functions": [{"name": "p", "domain": ["S"], "range": "Bool"}],
    "constants": {"c": {"sort": "S", "members": ["a", "b"]}},
    "knowledge_base": ["p(a)", "ForAll([x: S], p(x) -> p(b))"],
    "verifications": [
        {"name": "v", "constraint": "p(b)"},
        {"name": "w", "constraint": "Exists([x: S], p(x))"},
    ],
}
OTHER: dict[str, Any] = {
    "route": "both",
    "trust": "solver",
    "models": "full",
    "passes": "simplify,nnf",
    "cores": "all",
    "certificate": True,
    "limits": Limits(check_ms=9_000),
}
"""Another value than the default for every option of `verify` that a report depends on."""


SETTINGS_OF_VERIFY: dict[str, Any] = {
    "route": "auto",
    "trust": "best",
    "models": "claim",
    "passes": potlang.api.DEFAULT_PASSES,
    "cores": "one",
    "certificate": False,
    "limits": Limits(),
}


def timeless(found: ProgramResult) -> Any:
    """The JSON form without times."""
    return json.loads(json.dumps(found.to_dict()), object_hook=lambda part: {**part, "time_ms": 0})


def hits(directory: Path) -> int:
    return Cache(directory).stats().hits


# --- hits ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("path", EACH_KIND)
def test_a_hit_is_the_report_of_a_run(path: Path, tmp_path: Path) -> None:
    """[CACHE-VALUE] Three times: a run without, a run that fills, a hit; equal but for times, the hit to
    the last bit.
    """
    plain = potlang.verify(path)
    first = potlang.verify(path, cache=tmp_path)
    again = potlang.verify(path, cache=tmp_path)
    assert timeless(first) == timeless(plain)
    if plain.verdict not in (Verdict.REJECTED, Verdict.UNKNOWN):
        assert again.to_dict() == first.to_dict()
        assert again.located == first.located
        assert again.diagnostics == first.diagnostics
        assert hits(tmp_path) == 1


def test_a_hit_asks_no_solver(tmp_path: Path) -> None:
    potlang.verify(PROGRAM, cache=tmp_path)
    workers = Workers()
    workers.close()  # Asking these raises RuntimeError.
    assert potlang.verify(PROGRAM, cache=tmp_path, workers=workers).verdict is Verdict.ENTAILED
    with pytest.raises(RuntimeError, match="closed"):
        potlang.verify(PROGRAM, workers=workers)


def test_a_certificate_is_kept_with_its_report(tmp_path: Path) -> None:
    first = potlang.verify(PROGRAM, cache=tmp_path, certificate=True)
    again = potlang.verify(PROGRAM, cache=tmp_path, certificate=True)
    assert hits(tmp_path) == 1
    assert first.certificate is not None
    assert again.certificate == first.certificate
    assert potlang.verify(PROGRAM, cache=tmp_path).certificate is None


def test_layout_of_the_json_does_not_matter_but_to_the_diagnostics(tmp_path: Path) -> None:
    """Same program in other lines: a hit; the places of the warnings are those of the text at hand."""
    program = {**PROGRAM, "knowledge_base": ["p(a)", "Not(p(a))"]}
    narrow = potlang.verify(json.dumps(program), cache=tmp_path)
    wide = potlang.verify(json.dumps(program, indent=4), cache=tmp_path)
    assert hits(tmp_path) == 1
    assert narrow.to_dict()["results"] == wide.to_dict()["results"]
    assert [each["line"] for each in narrow.located] == [1]
    assert wide.located[0]["line"] > 5


CHANGES: dict[str, dict[str, Any]] = {
    "a claim's name": {"verifications": [{"name": "renamed", "constraint": "p(b)"}]},
    "a fact's words": {"knowledge_base": ["(p(a))", *PROGRAM["knowledge_base"][1:]]},
    "a fact's place": {"knowledge_base": PROGRAM["knowledge_base"][::-1]},
    "a variable's name": {"knowledge_base": ["p(a)", "ForAll([y: S], p(y) -> p(b))"]},
    "a fact": {"knowledge_base": PROGRAM["knowledge_base"][1:]},
}


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_a_report_shows_is_in_the_key(change: str, tmp_path: Path) -> None:
    changed = {**PROGRAM, **CHANGES[change]}
    potlang.verify(PROGRAM, cache=tmp_path)
    found = potlang.verify(changed, cache=tmp_path)
    assert hits(tmp_path) == 0
    assert timeless(found) == timeless(potlang.verify(changed))


def test_every_option_is_in_the_key(tmp_path: Path) -> None:
    """An option that is added to `verify` fails here until it has a value in OTHER.

    Words are made of a report that is found as of one that is new.
    """
    others = {"source", "name", "workers", "cache", "words"}
    options = set(inspect.signature(solve.verify).parameters) - others
    assert options == set(OTHER)
    potlang.verify(PROGRAM, cache=tmp_path)
    for name, value in OTHER.items():
        before = Cache(tmp_path).stats().entries
        potlang.verify(PROGRAM, cache=tmp_path, **{name: value})
        found = Cache(tmp_path).stats()
        assert (name, found.entries, found.hits) == (name, before + 1, 0)


@pytest.mark.parametrize("part", Limits._fields)
def test_every_limit_is_in_the_key(part: str) -> None:
    limits = Limits()._replace(**{part: 17})
    assert make_key("", SETTINGS).digest != make_key("", {**SETTINGS, "limits": limits}).digest


def test_every_version_is_in_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names and versions come from `versions`; each of them changed alone is another key."""
    listed = dict(module.versions())
    assert list(listed)[:2] == ["potlang", "code"]
    assert {"z3-solver", "cvc5", "pysmt", "python-sat", "duckdb"} <= set(listed)
    assert listed["potlang"] == potlang.__version__
    usual = make_key("", SETTINGS).digest
    for name in listed:
        changed = tuple({**listed, name: "0"}.items())
        monkeypatch.setattr(module, "versions", lambda changed=changed: changed)
        assert make_key("", SETTINGS).digest != usual


def test_the_key_does_not_depend_on_the_order_of_options() -> None:
    assert make_key("", dict(reversed(SETTINGS.items()))) == make_key("", SETTINGS)


def test_the_versions_are_those_of_the_metadata_and_import_no_solver() -> None:
    code = """
import sys
from potlang.prove.versions import versions
found = dict(versions())
names = ("z3", "cvc5", "pysmt", "pysat", "duckdb", "importlib.metadata")
heavy = [name for name in names if name in sys.modules]
from importlib.metadata import version
names = ["z3-solver", "cvc5", "pysmt"]
print(heavy, [name for name in names if found[name] != version(name)], len(found["code"]))
"""
    assert said(start(code)) == "[] [] 16\n"


# --- certificates checked again ------------------------------------------------------------------


def test_a_share_of_the_keys_is_checked() -> None:
    """[CACHE-CHECK] By the digest, so that each run and each machine checks the same ones."""
    keys = [key(number) for number in range(2000)]
    for share in (0.0, 0.05, 0.5, 1.0):
        kept = Cache("here", checked=share)
        drawn = [each for each in keys if kept.checks(each)]
        assert abs(len(drawn) / len(keys) - share) < 0.02
        assert drawn == [each for each in keys if Cache("elsewhere", checked=share).checks(each)]
    for wrong in (-0.1, 1.1):
        with pytest.raises(ValueError, match="a share is"):
            Cache("here", checked=wrong)


@pytest.mark.parametrize("path", EACH_KIND)
def test_certificates_of_sound_entries_hold(path: Path, tmp_path: Path) -> None:
    """[CACHE-CHECK] With all checked a hit is what it is without; it has no certificate unasked."""
    kept = Cache(tmp_path, checked=1)
    first, again = (potlang.verify(path, cache=kept) for _ in range(2))
    if first.verdict not in (Verdict.REJECTED, Verdict.UNKNOWN):
        assert again.to_dict() == first.to_dict()
        assert kept.stats().hits == 1
        assert again.certificate is None
        (entry,) = kept.entries()
        assert entry.report.certificate is not None
    assert kept.problems == ()


def test_an_entry_without_a_certificate_is_solved_anew_where_one_is_checked(tmp_path: Path) -> None:
    """[CACHE-CHECK] Kept by somebody who has fewer checked."""
    potlang.verify(PROGRAM, cache=Cache(tmp_path, checked=0))
    strict = Cache(tmp_path, checked=1)
    assert potlang.verify(PROGRAM, cache=strict).diagnostics == ()
    (entry,) = strict.entries()
    assert entry.report.certificate is not None
    assert strict.problems == ()


def other_verdict(found: ProgramResult) -> ProgramResult:
    result = found.results[0]._replace(verdict=Verdict.REFUTED)
    return found._replace(results=(result, *found.results[1:]))


FORGED: dict[str, Callable[[ProgramResult], ProgramResult]] = {
    "another verdict": other_verdict,
    "a certificate cut off": lambda each: each._replace(certificate=str(each.certificate)[:-20]),
    "one of another program": lambda each: each._replace(certificate="(potlang-certificate 1)\n(end)\n"),
    "another answer in it": lambda each: each._replace(
        certificate=str(each.certificate).replace(" entailed)", " inconsistent)")
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_an_entry_whose_certificate_does_not_hold_is_dropped(name: str, tmp_path: Path) -> None:
    """[CACHE-CHECK] A warning, and the program is solved anew; where none is checked the sum alone speaks."""
    program = potlang.compile(PROGRAM)
    kept = Cache(tmp_path, checked=1)
    right = potlang.verify(program, cache=kept)
    asked = make_key(print_module(program.module), SETTINGS_OF_VERIFY)
    found = kept.find(asked)
    assert found is not None
    assert kept.keep(asked, FORGED[name](found))
    assert Cache(tmp_path, checked=0).find(asked) is not None
    again = potlang.verify(program, cache=kept)
    assert again.verdict is right.verdict is Verdict.ENTAILED
    assert [each.code for each in again.diagnostics] == ["POT6010"]
    assert potlang.verify(program, cache=kept).diagnostics == ()
    assert kept.find(asked) is not None


# --- what is kept --------------------------------------------------------------------------------


def unsettled() -> dict[str, ProgramResult]:
    """Reports that leave something open, or on whose way something went wrong."""
    entailed = Result("v", "", Verdict.ENTAILED)
    undecided = Evidence(bindings=Bindings(undecided=({"x": "a"},)))
    crashed = (CheckRecord("claim", "z3", "unknown", "crash"),)
    unknown = OptimizationStatus.UNKNOWN
    optimal = OptimizationResult(OptimizationStatus.OPTIMAL)
    open_objective = optimal._replace(objectives=(ObjectiveResult("x", "minimize", status=unknown),))
    found: dict[str, ProgramResult] = {"rejected": ProgramResult(Verdict.REJECTED)}
    for reason in ("timeout", "memory", "crash", "incomplete", "disagreement", "error"):
        claim = Result("v", "", Verdict.UNKNOWN, reason=reason)
        found[f"unknown by {reason}"] = ProgramResult(Verdict.UNKNOWN, (claim, entailed))
        found[f"inconsistent, but for {reason}"] = ProgramResult(Verdict.INCONSISTENT, (claim,))
    found["a crash on the way"] = ProgramResult(Verdict.ENTAILED, (entailed._replace(checks=crashed),))
    found["undecided bindings"] = ProgramResult(Verdict.ENTAILED, (entailed._replace(evidence=undecided),))
    found["assumptions unknown"] = ProgramResult(Verdict.ENTAILED, (), consistency=Consistency.UNKNOWN)
    found["optimum unknown"] = ProgramResult(unknown, (), OptimizationResult(unknown))
    found["objective unknown"] = ProgramResult(OptimizationStatus.OPTIMAL, (), open_objective)
    found["closed optimum unknown"] = ProgramResult(
        OptimizationStatus.UNBOUNDED,
        (),
        OptimizationResult(OptimizationStatus.UNBOUNDED, closed=OptimizationResult(unknown)),
    )
    return found


@pytest.mark.parametrize("name", unsettled())
def test_unsettled_reports_are_not_kept(name: str, tmp_path: Path) -> None:
    """[CACHE-SETTLED]"""
    found = unsettled()[name]
    kept = Cache(tmp_path)
    assert not is_settled(found)
    assert not kept.keep(key(0), found)
    assert (kept.find(key(0)), kept.problems, list(tmp_path.iterdir())) == (None, (), [])


def test_a_timeout_is_not_remembered(tmp_path: Path) -> None:
    """[CACHE-SETTLED] After an unknown under a limit the same call asks again."""
    hanging = ROOT / "tests" / "limits" / "hang.json"
    for _ in range(2):
        found = potlang.verify(hanging, cache=tmp_path, limits=Limits(check_ms=300, total_ms=600))
        assert found.results[0].reason == "timeout"
    assert Cache(tmp_path).stats().entries == 0


def test_a_number_too_long_for_json_is_not_kept(tmp_path: Path) -> None:
    optimum = OptimizationResult(OptimizationStatus.OPTIMAL, value=10**5000)
    kept = Cache(tmp_path)
    assert not kept.keep(key(0), ProgramResult(OptimizationStatus.OPTIMAL, (), optimum))
    assert kept.problems == ()


def test_a_rejected_source_leaves_no_trace(tmp_path: Path) -> None:
    """[CACHE-SETTLED]"""
    assert potlang.verify("{", cache=tmp_path / "c").verdict is Verdict.REJECTED
    assert not (tmp_path / "c").exists()


# --- size ----------------------------------------------------------------------------------------


def test_the_size_is_bounded_and_what_was_used_last_stays(tmp_path: Path) -> None:
    """[CACHE-SIZE] Forty entries of 20 kB in 400 kB, the first one used again and again: it outlives later
    ones.
    """
    kept = Cache(tmp_path, most_bytes=400_000)
    for number in range(40):
        assert kept.keep(key(number), report(number, 40_000))
        assert kept.find(key(0)) is not None
    stats = kept.stats()
    assert stats.bytes <= 500_000
    assert 0 < stats.entries < 25
    assert kept.find(key(39)) == report(39, 40_000)
    assert kept.find(key(1)) is None


def test_an_entry_that_would_take_the_cache_for_itself_is_not_kept(tmp_path: Path) -> None:
    """[CACHE-SIZE]"""
    kept = Cache(tmp_path, most_bytes=400_000)
    assert not kept.keep(key(0), report(0, 200_000))
    assert len(noise(0, 200_000)) == 200_000
    assert kept.problems == ()


def test_clearing(tmp_path: Path) -> None:
    kept = Cache(tmp_path)
    for number in range(3):
        kept.keep(key(number), report(number))
    assert kept.clear(unused_for=3600) == 0
    assert kept.clear(unused_for=-1) == 3
    assert kept.find(key(0)) is None
    kept.keep(key(0), report(0))
    assert kept.clear() == 1
    assert kept.stats().entries == 0
    assert kept.keep(key(0), report(0))
    assert kept.find(key(0)) == report(0)
    assert len(list(tmp_path.iterdir())) == 1


def test_clearing_or_counting_what_is_not_there_makes_nothing(tmp_path: Path) -> None:
    kept = Cache(tmp_path / "none")
    assert (kept.clear(), kept.clear(5), list(kept.entries()), kept.stats().entries) == (0, 0, [], 0)
    assert kept.find(key(0)) is None
    assert kept.problems == ()
    assert not (tmp_path / "none").exists()


# --- entries and replay --------------------------------------------------------------------------


def test_entries_hold_the_program_and_how_it_was_asked(tmp_path: Path) -> None:
    """[CACHE-VALUE]"""
    program = potlang.compile(PROGRAM)
    found = potlang.verify(program, cache=tmp_path, trust="solver")
    (entry,) = Cache(tmp_path).entries()
    assert entry.program == print_module(program.module)
    assert print_module(read_module(entry.program)) == entry.program
    assert entry.settings["trust"] == "solver"
    assert entry.settings["limits"] == Limits()
    assert entry.versions == dict(module.versions())
    assert entry.report.results == json_rounded(found).results


def json_rounded(found: ProgramResult) -> ProgramResult:
    from potlang.report.from_json import report_from_dict

    return report_from_dict(found.to_dict())


# --- where ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "/home/u/.cache/potlang"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/potlang"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/u/.cache/potlang"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "/home/u/Library/Caches/potlang"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/potlang/Cache"),
        ("win32", {}, "/home/u/AppData/Local/potlang/Cache"),
        ("linux", {"POTLANG_CACHE": "/c"}, "/c"),
        ("linux", {"POTLANG_CACHE": ""}, "/home/u/.cache/potlang"),
    ],
)
def test_the_usual_directory(
    platform: str, environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[CACHE-CHOICE]"""
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "POTLANG_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.setattr("sys.platform", platform)
    assert default_place() == str(Path(expected))


def test_the_cache_is_off_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[CACHE-CHOICE]"""
    monkeypatch.setenv("POTLANG_CACHE", str(tmp_path / "c"))
    potlang.verify(PROGRAM)
    potlang.verify(PROGRAM, cache=False)
    assert not (tmp_path / "c").exists()
    potlang.verify(PROGRAM, cache=True)
    assert Cache(tmp_path / "c").stats().entries == 1


def test_without_the_cache_sqlite_is_not_imported() -> None:
    code = """
import sys, potlang
potlang.verify({"knowledge_base": [], "verifications": [{"name": "v", "constraint": "1 == 1"}]})
print([name for name in ("sqlite3", "potlang.prove.cache", "potlang.report.from_json")
       if name in sys.modules])
"""
    assert said(start(code)) == "[]\n"
