"""Well-known problems: solvers alone, and the router: `python benchmarks/first_order.py --help`.

`z3` and `cvc5` are the routes of that name, with one solver's word; `eprover` is the program itself on
formulas in TPTP, its word believed; `cadical` is the direct encoding of finite problems.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

from tables import table  # noqa: E402
from well_known import WellKnown, finite, first_order  # noqa: E402

from potlang import api  # noqa: E402
from potlang.export.problem import NoCounterpart  # noqa: E402
from potlang.export.ways import written  # noqa: E402
from potlang.report.results import Limits  # noqa: E402

_ALONE: Final = ("z3", "cvc5", "eprover", "cadical")
_GRACE_SECONDS: Final = 2.0
_SAYS: Final = {
    "Theorem": "entailed",
    "CounterSatisfiable": "undetermined",
    "ContradictoryAxioms": "inconsistent",
}


class Outcome(NamedTuple):
    """One contender's answer to one problem; `tier` is the router's."""

    verdict: str
    seconds: float
    tier: str = ""


def _route(problem: WellKnown, seconds: float, route: Any, trust: Any) -> Outcome:
    began = time.perf_counter()
    limits = Limits(check_ms=int(seconds * 1000), total_ms=int(seconds * 1000))
    report = api.verify(problem.program, language="pot", route=route, trust=trust, limits=limits)
    spent = time.perf_counter() - began
    if report.verdict == "rejected":
        raise click.ClickException(f"{problem.name}: {report.diagnostics[0].message}")
    return Outcome(str(report.verdict), spent, report.results[0].trust)


def _eprover(problem: WellKnown, seconds: float) -> Outcome:
    path = shutil.which("eprover")
    began = time.perf_counter()
    if path is None:
        return Outcome("absent", 0.0)
    try:
        module = api.compile(problem.program, language="pot").module
        text = written(module, "tptp", module.claims[:1])
    except NoCounterpart:
        return Outcome("unknown", 0.0)
    with tempfile.NamedTemporaryFile("w", suffix=".p") as file:
        file.write(text)
        file.flush()
        command = [path, "--auto", "--tstp-format", "-s", f"--cpu-limit={int(seconds)}", file.name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return Outcome("unknown", seconds)
    status = re.search(r"SZS status (\w+)", done.stdout)
    says = _SAYS.get(status[1] if status else "", "unknown")
    # A prover says that a claim does not follow, where the program may say more: that it is refuted.
    if says == "undetermined" and problem.verdict == "refuted":
        says = "refuted"
    if says == "entailed" and problem.verdict == "inconsistent":
        says = "inconsistent"
    return Outcome(says, time.perf_counter() - began)


def _cadical(problem: WellKnown, seconds: float) -> Outcome:
    from potlang.engines.check import Check
    from potlang.engines.context import ProgramContext
    from potlang.engines.finite.direct_procedure import DirectProcedure
    from potlang.processes.pool import default_workers

    began = time.perf_counter()
    program = api.compile(problem.program, language="pot")
    module = program.module
    procedure = DirectProcedure(ProgramContext.of(module, default_workers()), int(seconds * 1000))
    claim = module.claims[0]
    said: list[str] = []
    for negated in (False, True):
        check = Check("negation" if negated else "claim", claim.formula, negated, claim=claim)
        found = procedure.decide(check)
        said.append((found and found.status) or "unknown")
    procedure.close()
    verdicts = {
        ("sat", "unsat"): "entailed",
        ("unsat", "sat"): "refuted",
        ("sat", "sat"): "undetermined",
        ("unsat", "unsat"): "inconsistent",
    }
    return Outcome(verdicts.get((said[0], said[1]), "unknown"), time.perf_counter() - began)


_RUNS: Final[dict[str, Callable[[WellKnown, float], Outcome]]] = {
    "z3": lambda problem, seconds: _route(problem, seconds, "z3", "solver"),
    "cvc5": lambda problem, seconds: _route(problem, seconds, "cvc5", "solver"),
    "eprover": _eprover,
    "cadical": _cadical,
    "router": lambda problem, seconds: _route(problem, seconds, "auto", "best"),
}


@click.command()
@click.option("--seconds", default=5.0, show_default=True, help="The time of each contender on a problem.")
@click.option("--only", default="", help="A regular expression that names must match.")
@click.option("--contender", multiple=True, type=click.Choice(tuple(_RUNS)), help="Default: all.")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Write all figures there.")
@click.option("--check", is_flag=True, help="Exit code 1 if a verdict is wrong, or the router falls behind.")
def main(seconds: float, only: str, contender: tuple[str, ...], target: Path | None, check: bool) -> None:
    """Run the contenders one after the other on each problem, and print what they decide."""
    chosen = contender or tuple(_RUNS)
    _route(next(finite()), seconds, "auto", "best")
    found: dict[str, dict[str, Outcome]] = {}
    expected: dict[str, str] = {}
    for problem in (*first_order(), *finite()):
        if not re.search(only, problem.name):
            continue
        expected[problem.name] = problem.verdict
        found[problem.name] = {name: _RUNS[name](problem, seconds) for name in chosen}
        print(_line(problem, found[problem.name]), file=sys.stderr, flush=True)
    wrong = [
        f"{name}: {who} says {said.verdict}, not {expected[name]}"
        for name, outcomes in found.items()
        for who, said in outcomes.items()
        if said.verdict not in ("unknown", "absent", expected[name])
    ]
    print(_summary(found, seconds))
    print("\n".join(wrong) or f"no wrong verdict among {len(found)} problems")
    if target is not None:
        rows = {name: {who: said._asdict() for who, said in each.items()} for name, each in found.items()}
        target.write_text(json.dumps(rows, indent=1))
    if check and (wrong or _share(found) < 0.98):
        raise SystemExit(1)


def _line(problem: WellKnown, outcomes: dict[str, Outcome]) -> str:
    said = ", ".join(f"{who} {each.verdict} {each.seconds:.2f}" for who, each in outcomes.items())
    return f"{problem.name}: {said} {outcomes['router'].tier if 'router' in outcomes else ''}"


def _decided(outcomes: dict[str, Outcome], who: str) -> bool:
    return who in outcomes and outcomes[who].verdict not in ("unknown", "absent")


def _share(found: dict[str, dict[str, Outcome]]) -> float:
    """The router's part of what anybody alone decides."""
    by_any = [each for each in found.values() if any(_decided(each, who) for who in _ALONE)]
    return sum(_decided(each, "router") for each in by_any) / max(1, len(by_any))


def _summary(found: dict[str, dict[str, Outcome]], seconds: float) -> str:
    rows = []
    for who in _RUNS:
        decided = [each[who] for each in found.values() if _decided(each, who)]
        tiers = Counter(each.tier for each in decided if who == "router")
        median = sorted(each.seconds for each in decided)[len(decided) // 2] if decided else None
        shown = ", ".join(f"{count} {tier}" for tier, count in tiers.most_common())
        rows.append([who, len(decided), median, shown or None])
    by_any = sum(any(_decided(each, who) for who in _ALONE) for each in found.values())
    head = table([f"within {seconds:g} s", "decided", "median s", "tiers"], rows)
    missed = [
        name
        for name, each in found.items()
        if any(_decided(each, who) for who in _ALONE) and not _decided(each, "router")
    ]
    share = f"{len(found)} problems; by any alone {by_any}, of these the router {_share(found):.1%}"
    return "\n".join([head, share, *(f"not by the router: {name}" for name in missed)])


if __name__ == "__main__":
    main()
