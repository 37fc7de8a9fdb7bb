"""The examination that `potc doctor` makes: of what is installed, of the system's limits, of answers.

`examine` raises nothing: a broken installation is what it is for.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from potlang import api
from potlang.certify import check as kernel
from potlang.diag.wording import shown
from potlang.engines.messages import Query
from potlang.engines.sat import solve_clauses
from potlang.engines.solver import SolverSession
from potlang.processes.pool import Workers
from potlang.utils.installation import RequiredLibrary, install_command, required_libraries
from potlang.version import __version__

State = Literal["ok", "absent", "warning", "error"]
"""`absent` is optional; after an `error` answers may be missing or wrong."""
Group = Literal["system", "solvers", "provers", "extras", "limits", "self-test"]

_PYTHON: Final = (3, 11)
_NO_EXTRAS: Final = ("test", "dev")
_PROVERS: Final = {
    "eprover": "finds proofs of first-order problems",
    "ethos": "checks proofs of cvc5",
    "carcara": "checks proofs in Alethe",
}
_SOLVERS: Final = {"z3": "z3-solver", "cvc5": "cvc5", "cvc5-pysmt": "pysmt", "sat": "python-sat"}
"""Engines, and the distribution of each."""
_MISBEHAVE: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "cvc5": (("1.2.0", "1.2.0", "it does not read assertions with names, so answers are not cross-checked"),),
    "z3-solver": (
        ("4.13.0", "4.13.4", "a model with a value that it cannot print is an error: answers are lost"),
    ),
}
"""Versions by distribution: the first and the last that misbehave, and how. The bounds leave them out."""
_CALL_SECONDS: Final = 10.0
_MEGABYTE: Final = 1024 * 1024


class Finding(NamedTuple):
    """One thing that was looked at; `value` is a version, an amount or a verdict, `says` is for people."""

    group: Group
    name: str
    state: State
    value: str = ""
    says: str = ""


def examine() -> Iterator[Finding]:
    """All findings, group by group, as they are made."""
    for group, part in _PARTS:
        try:
            yield from part()
        except Exception as error:  # A broken installation may fail anywhere; it shall be said where.
            yield Finding(group, group, "error", "", f"{type(error).__name__}: {shown(str(error))}")


def _system() -> Iterator[Finding]:
    yield Finding("system", "potlang", "ok", __version__)
    python = platform.python_version()
    if sys.version_info[:2] < _PYTHON:
        yield Finding("system", "python", "error", python, "3.11 or later is needed")
    else:
        yield Finding("system", "python", "ok", python)
    name = f"{platform.system()} {platform.machine()}".strip()
    if sys.platform == "linux":
        yield Finding("system", "platform", "ok", name)
    else:
        yield Finding(
            "system", "platform", "warning", name, "not tested; the memory of solvers is not limited"
        )
    for requirement in required_libraries():
        if requirement.extra is None and requirement.name not in _SOLVERS.values():
            yield _installed("system", requirement, "error")


# --- what is installed ---------------------------------------------------------------------------------


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _installed(group: Group, requirement: RequiredLibrary, missing: State) -> Finding:
    """The finding on one distribution."""
    version = _version(requirement.name)
    if version is None:
        return Finding(group, requirement.name, missing, "", "not installed")
    for first, last, how in _MISBEHAVE.get(requirement.name, ()):
        if _numbers(first) <= _numbers(version) <= _numbers(last):
            return Finding(group, requirement.name, "error", version, f"this version misbehaves: {how}")
    if not _within(version, requirement.bounds):
        return Finding(group, requirement.name, "warning", version, f"not tested: {requirement.bounds} is")
    return Finding(group, requirement.name, "ok", version)


def _numbers(version: str) -> list[int]:
    found = [int(each) for each in re.findall(r"[0-9]+", re.split(r"[a-z+]", version)[0])]
    while found and not found[-1]:
        found.pop()
    return found


def _within(version: str, bounds: str) -> bool:
    """Whether a version is within bounds such as `<2,>=1.2`."""
    holds: dict[str, Callable[[list[int], list[int]], bool]] = {
        ">=": lambda one, other: one >= other,
        "<": lambda one, other: one < other,
        "!=": lambda one, other: one != other,
    }
    parts = re.findall(r"(>=|<|!=)([\w.]+)", bounds)
    return all(holds[sign](_numbers(version), _numbers(bound)) for sign, bound in parts)


def _solvers() -> Iterator[Finding]:
    bounds = {each.name: each for each in required_libraries() if each.extra is None}
    with Workers() as workers:
        for engine, name in _SOLVERS.items():
            found = _installed("solvers", bounds.get(name, RequiredLibrary(name, "", None)), "error")
            if found.value:
                began = time.monotonic()
                if engine == "sat":
                    outcome = solve_clauses([(1, 2), (-1,), (-2,)], workers, int(_CALL_SECONDS * 1000))
                    status, detail = outcome.status, outcome.detail
                else:
                    with SolverSession(workers, engine) as session:
                        text = "(declare-const p Bool)(assert (and p (not p)))"
                        answer = session.ask(Query(text), int(_CALL_SECONDS * 1000))
                    status, detail = answer.status, answer.detail
                took = f"answers, after {(time.monotonic() - began) * 1000:.0f} ms with its start"
                if status != "unsat":
                    found = found._replace(
                        state="error", says=f"answers {status}: {shown(detail)}".rstrip(": ")
                    )
                elif found.state == "ok":
                    found = found._replace(says=took)
            yield found


def _provers() -> Iterator[Finding]:
    for name, purpose in _PROVERS.items():
        path = shutil.which(name)
        if path is None:
            yield Finding("provers", name, "absent", "", f"optional; {purpose}")
            continue
        try:
            done = subprocess.run(
                [path, "--version"], capture_output=True, timeout=_CALL_SECONDS, stdin=subprocess.DEVNULL
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            yield Finding("provers", name, "warning", "", f"does not start: {shown(str(error))}")
            continue
        lines = (done.stdout or done.stderr).decode("utf-8", "replace").splitlines()
        yield Finding("provers", name, "ok", shown(lines[0]) if lines else "", purpose)


def _extras() -> Iterator[Finding]:
    by_extra: dict[str, list[RequiredLibrary]] = {}
    for each in required_libraries():
        if each.extra is not None and each.extra not in _NO_EXTRAS:
            by_extra.setdefault(each.extra, []).append(each)
    if not by_extra:
        yield Finding("extras", "potlang", "warning", "", "runs without being installed: bounds are unknown")
    for extra, needed in by_extra.items():
        found = [_installed("extras", each, "absent") for each in needed]
        versions = ", ".join(f"{each.name} {each.value}" for each in found if each.value)
        missing = [each.name for each in found if not each.value]
        says = [f"{each.name}: {each.says}" for each in found if each.state in ("warning", "error")]
        if missing:
            says.append(f"{', '.join(missing)} not installed: {install_command(extra)}")
        states = {each.state for each in found}
        state = next(each for each in ("error", "absent", "warning", "ok") if each in states)
        yield Finding("extras", extra, state, versions, "; ".join(says))


# --- what the system allows ----------------------------------------------------------------------------


class _SystemLimit(NamedTuple):
    """`resource` is the system's name; `least` the amount below which something may fail, in units."""

    name: str
    resource: str
    unit: int
    least: int
    says: str


_LIMITS: Final = (
    _SystemLimit(
        "address space", "RLIMIT_AS", _MEGABYTE, 4_096, "solvers end before their own limit of memory"
    ),
    _SystemLimit("processes", "RLIMIT_NPROC", 1, 256, "solvers may not start"),
    _SystemLimit("file handles", "RLIMIT_NOFILE", 1, 64, "solvers may not start"),
    _SystemLimit("stack", "RLIMIT_STACK", 1024, 8_192, "solvers may end on deep formulas"),
)
_UNITS: Final = {1: "", 1024: "kB", _MEGABYTE: "MB"}
_LEAST_FREE_MB: Final = 1_024
_CGROUP: Final = Path("/sys/fs/cgroup")


def _limits() -> Iterator[Finding]:
    affinity = getattr(os, "sched_getaffinity", None)
    yield Finding("limits", "processors", "ok", str(len(affinity(0)) if affinity else os.cpu_count() or 1))
    free = _free_megabytes()
    if free is None:
        yield Finding("limits", "memory", "warning", "", "not known; the memory of solvers is not limited")
    else:
        low = free < _LEAST_FREE_MB
        says = "little is left: hard programs may end without an answer" if low else ""
        yield Finding("limits", "memory", "warning" if low else "ok", f"{free:,} MB free", says)
    try:
        import resource
    except ImportError:
        yield Finding("limits", "resources", "absent", "", "this system has no such limits")
        return
    for limit in _LIMITS:
        number = getattr(resource, limit.resource, None)
        if number is None:
            yield Finding("limits", limit.name, "absent", "", "this system has no such limit")
            continue
        soft, _ = resource.getrlimit(number)
        if soft == resource.RLIM_INFINITY:
            yield Finding("limits", limit.name, "ok", "unlimited")
            continue
        amount = soft // limit.unit
        value = f"{amount:,} {_UNITS[limit.unit]}".strip()
        if amount < limit.least:
            yield Finding("limits", limit.name, "warning", value, f"below {limit.least:,}: {limit.says}")
        else:
            yield Finding("limits", limit.name, "ok", value)


def _free_megabytes() -> int | None:
    """Memory that may still be taken, also in this container; None where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    found = re.search(r"^MemAvailable: +(\d+) kB", text, re.MULTILINE)
    if found is None:
        return None
    free = int(found[1]) // 1024
    try:
        most, used = ((_CGROUP / name).read_text().strip() for name in ("memory.max", "memory.current"))
        return free if most == "max" else min(free, (int(most) - int(used)) // _MEGABYTE)
    except (OSError, ValueError):
        return free


# --- whether answers are right -------------------------------------------------------------------------


def _self_test() -> Iterator[Finding]:
    text = files("potlang.cli").joinpath("self_test.json").read_text(encoding="utf-8")
    for case in json.loads(text):
        began = time.monotonic()
        try:
            report = api.verify(case["program"], language="pot", certificate=True)
        except Exception as error:  # As above: one program that fails shall not hide the others.
            yield Finding(
                "self-test", case["name"], "error", "", f"{type(error).__name__}: {shown(str(error))}"
            )
            continue
        yield _judged(case, report, (time.monotonic() - began) * 1000)


def _judged(case: dict[str, Any], report: Any, milliseconds: float) -> Finding:
    """The finding on one program: on its verdict, on who stands for it, and on its certificate."""
    name, verdict = case["name"], str(report.verdict)
    if verdict != case["verdict"]:
        reasons = [each.reason for each in report.results if each.reason]
        says = f"expected {case['verdict']}{f' ({shown(reasons[0])})' if reasons else ''}"
        return Finding("self-test", name, "error", verdict, says)
    if report.certificate is not None:
        outcome = kernel(
            report.certificate, api.compile(case["program"], language="pot").emit("ir", passes="")
        )
        if outcome.status == "INVALID":
            return Finding(
                "self-test", name, "error", verdict, f"its certificate is INVALID: {shown(outcome.message)}"
            )
    tiers = ["solver", "cross-checked", "checked"]
    worst = min((each.trust for each in report.results), key=tiers.index, default=case["tier"])
    if report.optimization is not None and not report.optimization.confirmed:
        worst = "solver"
    if tiers.index(worst) < tiers.index(case["tier"]):
        says = f"right, but the answer is only {worst}: {case['tier']} was expected"
        return Finding("self-test", name, "warning", verdict, says)
    return Finding("self-test", name, "ok", verdict, f"{worst}, {milliseconds:.0f} ms")


_PARTS: Final[tuple[tuple[Group, Callable[[], Iterator[Finding]]], ...]] = (
    ("system", _system),
    ("solvers", _solvers),
    ("provers", _provers),
    ("extras", _extras),
    ("limits", _limits),
    ("self-test", _self_test),
)
