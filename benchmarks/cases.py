"""A directory of cases: does potlang agree with what is written there, and how long does it take?"""

from __future__ import annotations

import json
import multiprocessing
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from measure import Subject, collect, interleaved, median
from peers import Context, Default, Potlang, Public, RawZ3, Script, find_public, record

import potlang
from potlang.api import RouteName
from potlang.diag.render_json import diagnostic_to_json

Case = dict[str, Any]
WARM_UP: Case = {
    "sorts": [{"name": "E", "type": "DeclareSort"}],
    "functions": [{"name": "p", "domain": ["E"], "range": "BoolSort"}],
    "constants": {"es": {"sort": "E", "members": ["a"]}},
    "knowledge_base": ["p(a)"],
    "verifications": [{"name": "v", "constraint": "p(a)"}],
    "actions": ["verify_conditions"],
}
"""Something small, to be run before the clock starts."""

_CHUNK = 25


@dataclass(frozen=True, slots=True)
class Settings:
    """How cases are run. `rounds` 0: verdicts alone, nothing is timed twice and no peer runs."""

    route: RouteName = "auto"
    timeout_ms: int = 5_000
    rounds: int = 3
    peer: bool = True
    peer_path: Path | None = None
    peer_bare: bool = False
    raw: bool = True

    @property
    def limits(self) -> potlang.Limits:
        """Per check as asked for; for a whole program more than all its checks may take."""
        return potlang.Limits(check_ms=self.timeout_ms, total_ms=100 * self.timeout_ms)


@dataclass
class Outcome:
    """What came of one case. `faults` says in words what disagrees; times are medians in milliseconds."""

    id: str
    family: str
    rejected: bool = False
    claims: int = 0
    unknown: list[str] = field(default_factory=list)
    disagreements: int = 0
    faults: list[str] = field(default_factory=list)
    peer_error: str | None = None
    peer_differs: bool = False
    times: dict[str, float] = field(default_factory=dict)

    def ratio(self, of: str, to: str) -> float | None:
        """One contender's time over another's, if both have one."""
        if of not in self.times or not self.times.get(to):
            return None
        return self.times[of] / self.times[to]


def read_cases(
    directory: Path, families: Sequence[str] = (), limit: int | None = None, every: int = 1
) -> Iterator[Case]:
    """The cases of the `*.jsonl` files, by name of file: every so many, or `limit` a file, evenly spread."""
    for path in sorted(directory.glob("*.jsonl")):
        if families and path.stem not in families:
            continue
        with path.open(encoding="utf-8") as lines:
            texts = [line for line in lines if line.strip()]
        step = max(1, len(texts) // limit) if limit else every
        for text in islice(texts[::step], limit):
            case: Case = json.loads(text)
            case.setdefault("family", path.stem)
            yield case


def run_cases(cases: Iterable[Case], settings: Settings, jobs: int = 1) -> Iterator[Outcome]:
    """An outcome for each case, in order."""
    if jobs == 1:
        yield from _run_chunk(list(cases), settings)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = [pool.submit(_run_to_list, chunk, settings) for chunk in _chunks(cases)]
        for future in futures:
            yield from future.result()


def _chunks(cases: Iterable[Case]) -> Iterator[list[Case]]:
    left = iter(cases)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk


def _run_to_list(cases: list[Case], settings: Settings) -> list[Outcome]:
    return list(_run_chunk(cases, settings))


def _run_chunk(cases: list[Case], settings: Settings) -> Iterator[Outcome]:
    if settings.peer:
        find_public(settings.peer_path)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "program.json"
        warm_up(path, settings)
        for case in cases:
            write_program(path, case["program"])
            yield run_case(case, path, settings)


def warm_up(path: Path, settings: Settings) -> None:
    """Run every contender a few times on something small, written to `path`."""
    write_program(path, WARM_UP)
    for _ in range(3):
        time_case(path, Outcome("", ""), settings)


def write_program(path: Path, program: object) -> None:
    """The program as JSON text, non-ASCII characters as they are."""
    path.write_text(json.dumps(program, ensure_ascii=False), encoding="utf-8")


def run_case(case: Case, path: Path, settings: Settings) -> Outcome:
    """Check and time one case whose program is in the file `path`. Never raises for what potlang does."""
    outcome = Outcome(str(case["id"]), str(case["family"]))
    potlang_ = Potlang(path, settings.route, settings.limits)
    try:
        potlang_.run()
        if potlang_.rejection is not None:
            _judge_rejection(case, potlang_.rejection, outcome)
        elif potlang_.report is not None:
            judge(case, potlang_.report, outcome)
        if settings.rounds:
            time_case(path, outcome, settings, case.get("peer"))
    except Exception as error:
        outcome.faults.append(f"raised {type(error).__name__}: {str(error)[:200]}")
    return outcome


# --- agreement ---


def _judge_rejection(case: Case, error: potlang.CompileError, outcome: Outcome) -> None:
    outcome.rejected = True
    located = [diagnostic_to_json(each, error.document) for each in error.diagnostics]
    errors = [each for each in located if each["severity"] == "error"]
    first = f"{errors[0]['code']} {errors[0]['message']}" if errors else "no error is named"
    if case["z3_verdict"] != "rejected":
        outcome.faults.append(f"rejected: {first}")
    elif not errors or any(each["line"] is None or each["column"] is None for each in errors):
        outcome.faults.append(f"rejected without a position: {first}")


def judge(case: Case, report: potlang.Report, outcome: Outcome) -> None:
    """Compare a report with a case, and note in `outcome` what differs and what is unknown."""
    results = [each for each in report.results if each.kind == "verification"]
    outcome.claims = len(results)
    if case["z3_verdict"] == "rejected":
        outcome.faults.append("accepted, but must not compile")
        return
    expected = _expected(case, [each.name for each in results])
    verdicts = {each.name: str(each.verdict) for each in results}
    if set(expected) != set(verdicts):
        outcome.faults.append(f"verifications {sorted(verdicts)}, expected {sorted(expected)}")
    for each in results:
        _judge_result(each, expected.get(each.name), outcome)
    _judge_paper_answers(case, results, outcome)
    if case.get("options") and not outcome.unknown:
        chosen = [o["label"] for o in case["options"] if verdicts.get(o["verification"]) in o["accept"]]
        if sorted(chosen) != sorted(case["z3_choice"]):
            outcome.faults.append(f"chooses {chosen}, expected {case['z3_choice']}")


def _expected(case: Case, names: Sequence[str]) -> dict[str, str]:
    verdict = case["z3_verdict"]
    return dict(verdict) if isinstance(verdict, dict) else dict.fromkeys(names, str(verdict))


def _judge_result(result: Any, expected: str | None, outcome: Outcome) -> None:
    verdict = str(result.verdict)
    if result.reason == "disagreement":
        outcome.disagreements += 1
        outcome.faults.append(f"{result.name}: the solvers disagree")
    elif verdict == "unknown":
        outcome.unknown.append(result.reason or "?")
        if result.possible and expected not in [str(each) for each in result.possible]:
            possible = ", ".join(str(each) for each in result.possible)
            outcome.faults.append(f"{result.name}: unknown but one of {possible}, expected {expected}")
    elif verdict != expected:
        outcome.faults.append(f"{result.name}: {verdict}, expected {expected}")


def _judge_paper_answers(case: Case, results: Sequence[Any], outcome: Outcome) -> None:
    recorded = {each["name"]: each["pos"] for each in case.get("z3_checks") or ()}
    for each in results:
        known = recorded.get(each.name)
        if each.paper_answer is None or known not in ("sat", "unsat"):
            continue
        if each.paper_answer.lower() != known:
            outcome.faults.append(f"{each.name}: paper answer {each.paper_answer}, expected {known}")


# --- times ---


def time_case(path: Path, outcome: Outcome, settings: Settings, recorded: Any = None) -> None:
    """Time the contenders on one program; `recorded` is what the peer is known to answer."""
    subjects = _subjects(path, outcome, settings)
    collect()
    times = interleaved(subjects, settings.rounds)
    potlang_ = subjects["potlang"]
    assert isinstance(potlang_, Potlang)
    outcome.times = {name: value for name, each in times.items() if (value := median(each)) is not None}
    if (compile_ms := median(potlang_.compile_ms)) is not None:
        outcome.times["compile"] = compile_ms
    peer = subjects.get("peer")
    if isinstance(peer, Public):
        _note_peer(peer, recorded, outcome)


def _subjects(path: Path, outcome: Outcome, settings: Settings) -> dict[str, Subject]:
    subjects: dict[str, Subject] = {
        "potlang": Potlang(path, settings.route, settings.limits),
        "default": Default(path),
    }
    if settings.raw and not outcome.rejected:
        script: Script = record(path, settings.limits)
        if script.complete:
            subjects["raw"] = RawZ3(script, settings.timeout_ms)
            subjects["raw_cores"] = RawZ3(script, settings.timeout_ms, cores=True)
            subjects["context"] = Context()
    if settings.peer:
        subjects["peer"] = Public(path, settings.timeout_ms)
        if settings.peer_bare:
            subjects["peer_bare"] = Public(path, settings.timeout_ms, models=False)
    return subjects


def _note_peer(peer: Public, recorded: Any, outcome: Outcome) -> None:
    """The time of a run that ended in an error is no answer's time."""
    counts = peer.counts
    outcome.peer_error = counts.error
    if counts.error is not None:
        outcome.times.pop("peer", None)
        outcome.times.pop("peer_bare", None)
    if isinstance(recorded, dict) and "sat" in recorded and counts.error is None:
        outcome.peer_differs = (recorded["sat"], recorded["unsat"]) != (counts.sat, counts.unsat)
