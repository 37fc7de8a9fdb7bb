"""Tiers of verdicts, certificates put to the kernel, and the time that evidence takes."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cases import WARM_UP, Case, Outcome, judge, read_cases
from measure import median, percentile
from seed import read_index

import potlang

TOTAL: Final = "all"
TIERS: Final = ("checked", "cross-checked", "solver")
_WITH_CORE: Final = ("entailed", "refuted", "inconsistent")
_IN_TIME_MS: Final = 2_000.0
_CHUNK: Final = 10


@dataclass(frozen=True, slots=True)
class Item:
    """A program as text, and what it must get: a case of a file, or the verdict that an index expects."""

    id: str
    family: str
    source: str
    case: Case | None = None
    expected: str | None = None


@dataclass
class Evidence:
    """The answers to one program and their evidence.

    `tiers` and `unknown` count verdicts, an optimum among them; `late` are those of the first two tiers
    that took too long. `ms` is compiling and verifying with a certificate, `kernel_ms` checking that. `notes`
    count what kept a verdict's pieces from being checked.
    """

    id: str
    family: str
    rejected: bool = False
    verdicts: int = 0
    tiers: dict[str, int] = field(default_factory=dict)
    unknown: int = 0
    late: int = 0
    cores: int = 0
    minimal: int = 0
    certificate: str | None = None
    first_bad: str | None = None
    notes: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    ms: float = 0.0
    kernel_ms: float = 0.0


def items(cases: Path | None, seeds: Path | None, families: Sequence[str], every: int) -> Iterator[Item]:
    """The programs of a directory of cases, every so many of each file, and all of a directory of seeds."""
    if cases is not None:
        for case in read_cases(cases, families, every=every):
            source = json.dumps(case["program"], ensure_ascii=False)
            yield Item(str(case["id"]), str(case["family"]), source, case=case)
    if seeds is not None and (not families or "seed" in families):
        for entry in read_index(seeds):
            path = seeds / entry["file"]
            text = path.read_text(encoding="utf-8")
            yield Item(path.stem, "seed", text, expected=entry["expect"]["verdict"])


def run_items(found: Sequence[Item], timeout_ms: int, jobs: int) -> Iterator[Evidence]:
    """The evidence on each program, in order."""
    if jobs == 1:
        _warm_up(timeout_ms)
        for item in found:
            yield run_item(item, timeout_ms)
        return
    chunks = [found[start : start + _CHUNK] for start in range(0, len(found), _CHUNK)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_warm_up, initargs=(timeout_ms,)) as pool:
        for future in [pool.submit(_run_chunk, chunk, timeout_ms) for chunk in chunks]:
            yield from future.result()


def _warm_up(timeout_ms: int) -> None:
    for _ in range(3):
        run_item(Item("", "", json.dumps(WARM_UP)), timeout_ms)


def _run_chunk(found: Sequence[Item], timeout_ms: int) -> list[Evidence]:
    return [run_item(item, timeout_ms) for item in found]


def run_item(item: Item, timeout_ms: int) -> Evidence:
    """Verify one program with the default trust and a certificate, and check that. Never raises."""
    evidence = Evidence(item.id, item.family)
    limits = potlang.Limits(check_ms=timeout_ms, total_ms=100 * timeout_ms)
    try:
        began = time.perf_counter()
        program = potlang.compile(item.source)
        report = potlang.verify(program, limits=limits, certificate=True)
        evidence.ms = (time.perf_counter() - began) * 1000
    except potlang.CompileError as error:
        evidence.rejected = True
        _judge_rejection(item, error, evidence)
        return evidence
    except Exception as error:
        evidence.faults.append(f"raised {type(error).__name__}: {str(error)[:200]}")
        return evidence
    _note_verdicts(report, evidence)
    _note_cores(report, evidence)
    _check_certificate(program, report, evidence)
    _judge(item, report, evidence)
    return evidence


def _judge_rejection(item: Item, error: potlang.CompileError, evidence: Evidence) -> None:
    expected = item.case["z3_verdict"] if item.case is not None else item.expected
    if expected is not None and expected != "rejected":
        first = next((each for each in error.diagnostics if each.severity.value == "error"), None)
        evidence.faults.append("rejected" if first is None else f"rejected: {first.code} {first.message}")


def _judge(item: Item, report: potlang.Report, evidence: Evidence) -> None:
    """Unknown verdicts are counted elsewhere: an `Outcome` has no fault for them."""
    if item.case is not None:
        outcome = Outcome(item.id, item.family)
        judge(item.case, report, outcome)
        evidence.faults += outcome.faults
    elif item.expected is not None and str(report.verdict) not in (item.expected, "unknown"):
        evidence.faults.append(f"{report.verdict}, expected {item.expected}")


def _note_verdicts(report: potlang.Report, evidence: Evidence) -> None:
    found = [(str(each.verdict), each.trust, each.time_ms) for each in report.results]
    if report.optimization is not None:
        optimum = report.optimization
        found.append((str(optimum.status), optimum.trust, optimum.time_ms))
    evidence.verdicts = len(found)
    tiers: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    whole = evidence.ms > _IN_TIME_MS * len(found)
    for verdict, tier, spent in found:
        if verdict == "unknown":
            evidence.unknown += 1
            continue
        tiers[tier] += 1
        evidence.late += tier != "solver" and (whole or spent > _IN_TIME_MS)
    for result in report.results:
        for piece in result.assurances:
            if piece.tier != "checked":
                notes[f"{piece.status} is {piece.tier}: {piece.note or 'no note'}"] += 1
    evidence.tiers, evidence.notes = dict(tiers), dict(notes)


def _note_cores(report: potlang.Report, evidence: Evidence) -> None:
    for result in report.results:
        if str(result.verdict) not in _WITH_CORE:
            continue
        if result.evidence.core is None:
            evidence.faults.append(f"{result.name}: {result.verdict} without a core")
            continue
        evidence.cores += 1
        evidence.minimal += result.evidence.core_minimal


def _check_certificate(program: potlang.Program, report: potlang.Report, evidence: Evidence) -> None:
    from potlang import certify

    if report.certificate is None:
        evidence.faults.append("no certificate")
        return
    text = program.emit("ir", passes="")
    began = time.perf_counter()
    outcome = certify.check(report.certificate, text)
    evidence.kernel_ms = (time.perf_counter() - began) * 1000
    evidence.certificate = outcome.status
    if outcome.status == "INVALID":
        evidence.first_bad = f"line {outcome.line}: {outcome.message}"
        return
    said = Counter(str(each.verdict) for each in report.results)
    if report.optimization is not None:
        said += Counter(str(each.status) for each in report.optimization.objectives)
    if Counter(outcome.verdicts.values()) != said:
        evidence.faults.append(f"the certificate's verdicts are {dict(outcome.verdicts)}")
    if outcome.status == "VALID_WITH_HOLES" and all(each.trust == "checked" for each in report.results):
        evidence.notes["all verdicts checked, but the certificate has holes"] = 1


# --- by family ---


@dataclass(frozen=True, slots=True)
class Family:
    """The figures of one family, or of all. Shares are of all verdicts; times in milliseconds."""

    name: str
    programs: int
    rejected: int
    agree: int
    verdicts: int
    checked: float | None
    cross: float | None
    solver: float | None
    in_time: float | None
    unknown: int
    valid: int
    holes: int
    invalid: int
    cores: int
    minimal: int
    ms: float | None
    p99_ms: float | None
    max_ms: float | None
    kernel_ms: float | None
    kernel_max_ms: float | None


def summarize(found: Sequence[Evidence]) -> list[Family]:
    """One row a family, in order of appearance, and one for all together."""
    groups: dict[str, list[Evidence]] = {}
    for each in found:
        groups.setdefault(each.family, []).append(each)
    rows = [_family(name, group) for name, group in groups.items()]
    return [*rows, _family(TOTAL, found)]


def _family(name: str, found: Sequence[Evidence]) -> Family:
    verdicts = sum(each.verdicts for each in found)
    tiers = _added(each.tiers for each in found)
    checked, cross, solver = (tiers[tier] / verdicts if verdicts else None for tier in TIERS)
    in_time = tiers["checked"] + tiers["cross-checked"] - sum(each.late for each in found)
    certificates = Counter(each.certificate for each in found)
    compiled = [each for each in found if not each.rejected]
    times = [each.ms for each in compiled]
    kernel = [each.kernel_ms for each in compiled if each.certificate is not None]
    return Family(
        name=name,
        programs=len(found),
        rejected=len(found) - len(compiled),
        agree=sum(not each.faults for each in found),
        verdicts=verdicts,
        checked=checked,
        cross=cross,
        solver=solver,
        in_time=in_time / verdicts if verdicts else None,
        unknown=sum(each.unknown for each in found),
        valid=certificates["VALID"],
        holes=certificates["VALID_WITH_HOLES"],
        invalid=certificates["INVALID"],
        cores=sum(each.cores for each in found),
        minimal=sum(each.minimal for each in found),
        ms=median(times),
        p99_ms=percentile(times, 0.99),
        max_ms=max(times, default=None),
        kernel_ms=median(kernel),
        kernel_max_ms=max(kernel, default=None),
    )


@dataclass(frozen=True, slots=True)
class Bounds:
    """What `--check` insists on, as shares of all verdicts."""

    in_time: float = 0.95
    checked: float = 0.6
    unknown: float = 0.001


def failures(found: Sequence[Evidence], bounds: Bounds) -> list[str]:
    """Every bound that is not kept, in words."""
    total = _family(TOTAL, found)
    if not total.verdicts:
        return ["no verdicts"]
    failed = []
    if (total.in_time or 0.0) < bounds.in_time:
        failed.append(
            f"{total.in_time or 0.0:.2%} checked or cross-checked in 2 s, at least {bounds.in_time:.0%}"
        )
    if (total.checked or 0.0) < bounds.checked:
        failed.append(f"{total.checked or 0.0:.2%} checked, at least {bounds.checked:.0%}")
    if total.unknown > bounds.unknown * total.verdicts:
        failed.append(f"{total.unknown} of {total.verdicts} unknown, at most {bounds.unknown:.1%}")
    if total.invalid:
        failed.append(f"{total.invalid} certificates are INVALID")
    if total.minimal < total.cores:
        failed.append(f"{total.cores - total.minimal} of {total.cores} cores are not shown to be minimal")
    faulty = sum(bool(each.faults) for each in found)
    if faulty:
        failed.append(f"{faulty} programs are not as they must be")
    return failed


HEADINGS: Final = (
    "family",
    "programs",
    "agree",
    "verdicts",
    "checked %",
    "cross %",
    "solver %",
    "in 2 s %",
    "unknown",
    "VALID",
    "holes",
    "INVALID",
    "cores",
    "minimal",
    "ms",
    "p99",
    "max",
    "kernel",
    "kernel max",
)


def rows(families: Iterable[Family]) -> list[list[Any]]:
    """The families as rows of a table under `HEADINGS`."""
    return [
        [
            each.name,
            each.programs,
            each.agree,
            each.verdicts,
            *(_percent(share) for share in (each.checked, each.cross, each.solver, each.in_time)),
            each.unknown,
            each.valid,
            each.holes,
            each.invalid,
            each.cores,
            each.minimal,
            each.ms,
            each.p99_ms,
            each.max_ms,
            each.kernel_ms,
            each.kernel_max_ms,
        ]
        for each in families
    ]


def _added(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.1%}".removesuffix("%")


def lines(found: Sequence[Evidence], most: int) -> list[str]:
    """What is wrong or missing, program by program, and what kept pieces from being checked."""
    shown = [f"INVALID {each.id}: {each.first_bad}" for each in found if each.first_bad is not None]
    shown += [f"{each.id}: {fault}" for each in found for fault in each.faults]
    shown += [f"{each.id}: {each.unknown} unknown" for each in found if each.unknown]
    shown += [
        f"{each.id}: {each.cores - each.minimal} cores not minimal"
        for each in found
        if each.minimal < each.cores
    ]
    shown += [f"{each.id}: {each.late} verdicts late" for each in found if each.late]
    if len(shown) > most:
        shown = [*shown[:most], f"and {len(shown) - most} more (all of them with --json)"]
    notes = _added(each.notes for each in found)
    return shown + [f"{count} x {note}" for note, count in notes.most_common(12)]
