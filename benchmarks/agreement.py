"""Programs of two generators over all routes: do all answers agree, with each other and with the truth?

    python benchmarks/agreement.py --seed 1 --count 1000 --jobs 2 --output agreement.jsonl --check

One generator is the package's (`potlang.testing`, `potlang.generate`), the other (`plain_programs.py`) was
written from the specification without looking at it, and knows what verdicts may be. Of the default route
the certificate is put to the kernel, the reading to the second reader, and the report to its schema.
Programs run in batches, each in a process of its own, which may leave no process behind. What is in the
output already is not run again, so a run may be ended at any time and goes on later.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

from tables import table  # noqa: E402

from potlang.prove.options import RouteName  # noqa: E402

ROUTES: Final[tuple[str, ...]] = get_args(RouteName)
GENERATORS: Final = ("package", "plain")
_BATCH: Final = 50
_SLACK_MS: Final = 500
"""Beyond the limit of a call."""
_TRIES: Final = 200
"""Smaller programs looked at when one is made minimal."""


class Case(NamedTuple):
    """A program, with the verdicts, best values and bindings that it must have, as far as these are known."""

    generator: str
    number: int
    program: dict[str, Any]
    allowed: dict[str, frozenset[str]]
    best: tuple[Any, ...] | None = None
    bindings: dict[str, tuple[frozenset[str], frozenset[str]]] | None = None
    exact: bool = False


class Answer(NamedTuple):
    """One route's answer: verdicts and tiers by result, objectives' statuses and values, milliseconds."""

    verdicts: dict[str, str]
    tiers: dict[str, str]
    objectives: list[tuple[str, str | None]]
    bindings: dict[str, tuple[list[str], list[str]]]
    ms: float
    own_ms: float
    """Processor time of this process, without solvers."""


class Limits(NamedTuple):
    """Milliseconds of one check and of a call."""

    check_ms: int
    total_ms: int


# --- the programs -----------------------------------------------------------------------------------------


def cases(generator: str, seed: int, batch: int) -> Iterator[Case]:
    """The programs of a batch, the same for the same arguments."""
    first = batch * _BATCH
    if generator == "plain":
        from plain_programs import draw

        for number in range(first, first + _BATCH):
            drawn = draw(random.Random(f"{seed}/{number}"))
            yield Case(generator, number, *drawn)
        return
    from potlang.generate.programs import ProgramDifficulty, generate

    for at, program in enumerate(_strategy_programs(seed * 1_000_003 + batch)):
        if at % 5 == 0:
            made = generate(first + at, ProgramDifficulty.of_level(1 + at % 8))
            known = frozenset({str(made.verdict)})
            name = made.program["verifications"][0].get("name", "verification 1")
            yield Case(generator, first + at, made.program, {name: known})
        else:
            yield Case(generator, first + at, program, {})


def _strategy_programs(seed: int) -> list[dict[str, Any]]:
    """Programs of the package's strategies, half of them with finite sorts alone."""
    import hypothesis
    from hypothesis import strategies as st

    from potlang.testing import finite_programs, programs

    found: list[dict[str, Any]] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=_BATCH,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(st.one_of(programs(depth=3), finite_programs(depth=3)))
    def collect(program: dict[str, Any]) -> None:
        found.append(program)

    collect()
    return found[:_BATCH]


# --- one program ------------------------------------------------------------------------------------------


def answer(program: dict[str, Any], route: str, limits: Limits, **options: Any) -> tuple[Answer, Any]:
    """What a route says of a program, and its report."""
    import potlang

    began, own = time.perf_counter(), time.process_time()
    given = potlang.Limits(check_ms=limits.check_ms, total_ms=limits.total_ms)
    verify: Any = potlang.verify
    report = verify(program, language="pot", route=route, limits=given, **options)
    ms, own_ms = (time.perf_counter() - began) * 1000, (time.process_time() - own) * 1000
    if report.verdict == "rejected":
        raise AssertionError(f"rejected: {report.diagnostics[0].code} {report.diagnostics[0].message}")
    value = report.to_dict()
    optimization = value["optimization"] or {"objectives": []}
    found = Answer(
        {each["name"]: each["verdict"] for each in value["results"]},
        {each["name"]: each["trust"] for each in value["results"] if each["verdict"] != "unknown"},
        [(each["status"], each["value"]) for each in optimization["objectives"]],
        dict(_bindings(value["results"])),
        ms,
        own_ms,
    )
    return found, report


def _is_idle() -> bool:
    return os.getloadavg()[0] < (os.cpu_count() or 1)


def _bindings(results: list[dict[str, Any]]) -> Iterator[tuple[str, tuple[list[str], list[str]]]]:
    for each in results:
        shown = each["evidence"]["bindings"]
        if shown is not None and not shown["undecided"] and not shown["cut"] and each["verdict"] != "unknown":
            texts = [[" ".join(one.values()) for one in shown[key]] for key in ("certain", "possible")]
            yield each["name"], (texts[0], texts[1])


def examine(case: Case, limits: Limits) -> tuple[dict[str, Answer], list[str]]:
    """The answers by route, and what is wrong with them."""
    answers: dict[str, Answer] = {}
    wrong: list[str] = []
    for route in ROUTES:
        options: dict[str, Any] = {"certificate": True} if route == "auto" else {"trust": "solver"}
        try:
            answers[route], report = answer(case.program, route, limits, **options)
            # On a machine that is busy with other work only what is late by its own work is.
            found = answers[route]
            if (found.ms if _is_idle() else found.own_ms) > limits.total_ms + _SLACK_MS:
                wrong.append(f"late: {route} {found.ms:.0f} ms, {found.own_ms:.0f} of its own")
            if route == "auto":
                wrong += _evidence(case.program, report)
        except Exception:
            wrong.append(f"exception: {route} {traceback.format_exc()}")
    wrong += _disagreements(answers)
    wrong += _untrue(case, answers)
    return answers, wrong


def _evidence(program: dict[str, Any], report: Any) -> Iterator[str]:
    import potlang
    from potlang.certify import check as kernel
    from potlang.reread import confirm

    mistake = next(_schema().iter_errors(json.loads(report.to_json())), None)
    if mistake is not None:
        yield f"schema: {mistake.json_path} {mistake.message}"
    str(report)
    if report.certificate is None:
        # The time ended before the program was read.
        return
    compiled: Any = potlang.compile(program, language="pot")
    text = compiled.emit("ir", passes="")
    outcome = kernel(report.certificate, text)
    if outcome.status == "INVALID":
        yield f"certificate: line {outcome.line} {outcome.message}"
    else:
        for key, verdict in outcome.verdicts.items():
            place = next((each for each in report.results if each.pointer == key), None)
            if place is not None and str(place.verdict) not in (verdict, "unknown"):
                yield f"certificate: {key} is {place.verdict} in the report, {verdict} in the certificate"
    reading = confirm(json.dumps(program).encode(), text)
    if reading.status == "differs":
        yield f"reading: {reading.detail}"


_SCHEMAS: list[Any] = []


def _schema() -> Any:
    if not _SCHEMAS:
        import jsonschema

        value = json.loads((HERE.parent / "schemas" / "report-1.json").read_text(encoding="utf-8"))
        _SCHEMAS.append(jsonschema.Draft202012Validator(value))
    return _SCHEMAS[0]


def _disagreements(answers: dict[str, Answer]) -> Iterator[str]:
    names = {name for each in answers.values() for name in each.verdicts}
    for name in sorted(names):
        said = {route: each.verdicts.get(name, "missing") for route, each in answers.items() if each.verdicts}
        if len(set(said.values()) - {"unknown"}) > 1:
            yield f"disagreement: {name} {said}"
        bound = {route: each.bindings[name] for route, each in answers.items() if name in each.bindings}
        if len({str([sorted(part) for part in each]) for each in bound.values()}) > 1:
            yield f"disagreement: bindings of {name} {bound}"
    for at in range(max((len(each.objectives) for each in answers.values()), default=0)):
        found = {route: each.objectives[at] for route, each in answers.items() if len(each.objectives) > at}
        if len({str(each) for each in found.values() if each[0] != "unknown"}) > 1:
            yield f"disagreement: objective {at} {found}"


def _untrue(case: Case, answers: dict[str, Answer]) -> Iterator[str]:
    for route, each in answers.items():
        for name, verdict in each.verdicts.items():
            allowed = case.allowed.get(name)
            if allowed is not None and verdict not in {*allowed, "unknown"}:
                yield f"wrong: {route} {name} is {verdict}, not {sorted(allowed)}"
        for name, (certain, possible) in each.bindings.items():
            fits = (case.bindings or {}).get(name)
            if fits is not None and [set(map(_plain, certain)), set(map(_plain, possible))] != [
                *map(set, fits)
            ]:
                yield f"wrong: {route} bindings of {name} {certain} {possible}, not {[*map(sorted, fits)]}"
        if case.best is not None:
            for status, _ in each.objectives:
                if status not in (("optimal", "unknown") if case.best else ("infeasible", "unknown")):
                    yield f"wrong: {route} the optimum is {status}, not {case.best}"
            for objective, best in zip(each.objectives, case.best, strict=False):
                status, value = objective
                if status == "optimal" and _number(value) != str(best):
                    yield f"wrong: {route} the optimum is {value}, not {best}"


def _plain(shown: str) -> str:
    return (
        shown[1:-1].replace("``", "`")
        if shown.startswith("`")
        else shown.replace("True", "true").replace("False", "false")
    )


def _number(value: Any) -> str:
    from fractions import Fraction

    return str(Fraction(value.replace(" ", "") if isinstance(value, str) else value))


# --- a smaller one ----------------------------------------------------------------------------------------


def minimal(case: Case, limits: Limits, wrong: list[str]) -> dict[str, Any]:
    """A smaller program of which the same kind of thing is wrong; parts are left out while it is."""
    kinds = {each.split(":")[0] for each in wrong}
    program = deepcopy(case.program)
    tries = 0
    smaller = True
    while smaller and tries < _TRIES:
        smaller = False
        for path in _parts(program):
            tries += 1
            less = _without(program, path)
            try:
                if tries < _TRIES and kinds & _kinds(case._replace(program=less), limits):
                    program, smaller = less, True
                    break
            except Exception:
                continue
    return program


def _kinds(case: Case, limits: Limits) -> set[str]:
    import potlang

    if not potlang.check(case.program, language="pot").ok:
        return set()
    # What is known of the whole program is not known of a part.
    _, wrong = examine(case._replace(allowed={}, best=None, bindings=None), limits)
    return {each.split(":")[0] for each in wrong}


def _parts(program: dict[str, Any]) -> list[tuple[Any, ...]]:
    lists = [(key, i) for key, each in program.items() if isinstance(each, list) for i in range(len(each))]
    groups = [
        ("constants", key)
        for key in (program.get("constants") if isinstance(program.get("constants"), dict) else {}) or {}
    ]
    return [*((key,) for key in program), *reversed(lists), *groups]


def _without(program: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    less = deepcopy(program)
    at: Any = less
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return less


# --- batches ----------------------------------------------------------------------------------------------


def _child(request: dict[str, Any]) -> None:
    """Runs a batch, and prints a line for each program."""
    limits = Limits(*request["limits"])
    for case in cases(request["generator"], request["seed"], request["batch"]):
        if case.number in request["done"] or case.number >= request["count"]:
            continue
        began = time.perf_counter()
        answers, wrong = examine(case, limits)
        line: dict[str, Any] = {
            "generator": case.generator,
            "number": case.number,
            "exact": case.exact or (case.generator == "package" and bool(case.allowed)),
            "verdicts": {route: list(each.verdicts.values()) for route, each in answers.items()},
            "objectives": {route: each.objectives for route, each in answers.items() if each.objectives},
            "tiers": list(answers["auto"].tiers.values()) if "auto" in answers else [],
            "ms": {route: round(each.ms) for route, each in answers.items()},
            "seconds": round(time.perf_counter() - began, 2),
            "wrong": wrong,
        }
        if wrong:
            line["program"] = case.program
            if not all(each.startswith(("wrong", "late")) for each in wrong):
                line["minimal"] = minimal(case, limits, wrong)
        print(json.dumps(line, default=str), flush=True)


def run_batch(request: dict[str, Any], keep: Callable[[dict[str, Any]], None]) -> None:
    """Runs a batch in a session of its own; each line is kept as soon as it is there."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child"]
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, start_new_session=True
        ) as child,
    ):
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps(request).encode() + b"\n")
        child.stdin.close()
        for line in child.stdout:
            keep(json.loads(line))
        code = child.wait()
        said.seek(0)
        words = said.read().decode(errors="replace")
    left = _left(child.pid)
    if left:
        time.sleep(1.0)
        left = _left(child.pid)
    wrong = [f"left: {len(left)} processes"] if left else []
    for each in left:
        os.kill(each, signal.SIGKILL)
    if code:
        wrong.append(f"exception: the process ended with {code}: {words[-2000:]}")
    if wrong:
        keep({"generator": request["generator"], "number": None, "wrong": wrong})


def _left(session: int) -> list[int]:
    """The processes of a session."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = each.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(each.parent.name))
    return found


# --- the table --------------------------------------------------------------------------------------------


def shown(lines: list[dict[str, Any]]) -> str:
    """Counts of all lines."""
    parts = []
    rows = []
    for generator in GENERATORS:
        mine = [each for each in lines if each["generator"] == generator and each["number"] is not None]
        verdicts = Counter(v for each in mine for v in each["verdicts"].get("auto", []))
        wrong = Counter(
            w.split(":")[0] for each in lines if each["generator"] == generator for w in each["wrong"]
        )
        tiers = Counter(tier for each in mine for tier in each["tiers"])
        columns = [*("entailed", "refuted", "undetermined", "inconsistent", "unknown")]
        rows.append(
            [generator, len(mine), sum(each["exact"] for each in mine), sum(verdicts.values())]
            + [verdicts[each] for each in columns]
            + [tiers[each] for each in ("checked", "cross-checked", "solver")]
            + [sum(wrong[each] for each in ("disagreement", "wrong")), wrong["exception"]]
            + [
                sum(wrong[each] for each in ("certificate", "reading", "schema")),
                wrong["late"],
                wrong["left"],
            ]
        )
    heads = [
        "generator",
        "programs",
        "truth known",
        "results",
        "entailed",
        "refuted",
        "undetermined",
        "inconsistent",
    ]
    heads += [
        "unknown",
        "checked",
        "cross-checked",
        "solver",
        "disagreements",
        "exceptions",
        "evidence",
        "late",
        "left",
    ]
    parts.append(table(heads, rows))
    rows = []
    for route in ROUTES:
        results = [v for each in lines for v in each.get("verdicts", {}).get(route, [])]
        found = [o[0] for each in lines for o in each.get("objectives", {}).get(route, [])]
        slowest = max((each["ms"].get(route, 0) for each in lines if each.get("ms")), default=0)
        unknown = results.count("unknown")
        rows.append([route, len(results), unknown, len(found), found.count("unknown"), slowest])
    parts.append(
        table(["route", "results", "unknown", "objectives", "unknown objectives", "slowest ms"], rows)
    )
    return "\n\n".join(parts)


@click.command(help=__doc__)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--count", type=click.IntRange(1), default=1_000, show_default=True, help="Programs of each generator."
)
@click.option("--generator", type=click.Choice(GENERATORS), help="Only programs of this one.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--check-ms", type=click.IntRange(1), default=1_000, show_default=True, help="Limit of a check."
)
@click.option("--total-ms", type=click.IntRange(1), default=3_000, show_default=True, help="Limit of a call.")
@click.option(
    "--output", type=click.Path(path_type=Path), help="A line of JSON for each program; is gone on with."
)
@click.option("--check", is_flag=True, help="Exit with 1 if anything is wrong.")
@click.option("--child", is_flag=True, hidden=True)
def main(
    seed: int,
    count: int,
    generator: str | None,
    jobs: int,
    check_ms: int,
    total_ms: int,
    output: Path | None,
    check: bool,
    child: bool,
) -> None:
    """Run what is missing, and print the table."""
    if child:
        _child(json.loads(sys.stdin.readline()))
        return
    lines: list[dict[str, Any]] = []
    if output is not None and output.exists():
        lines = [json.loads(each) for each in output.read_text(encoding="utf-8").splitlines()]
    requests = []
    for batch in range(-(-count // _BATCH)):
        for each in (generator,) if generator else GENERATORS:
            done = [
                line["number"] for line in lines if line["generator"] == each and line["number"] is not None
            ]
            mine = [at for at in done if at // _BATCH == batch]
            if len(mine) < min(_BATCH, count - batch * _BATCH):
                options = {"generator": each, "seed": seed, "batch": batch, "count": count, "done": mine}
                requests.append({**options, "limits": [check_ms, total_ms]})
    lock = threading.Lock()

    def keep(line: dict[str, Any]) -> None:
        with lock:
            lines.append(line)
            if output is not None:
                with output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            if line["wrong"]:
                click.echo(json.dumps(line, indent=1), err=True)

    with ThreadPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(run_batch, each, keep) for each in requests]):
            future.result()
    click.echo(shown(lines))
    if check and any(each["wrong"] for each in lines):
        sys.exit(1)


if __name__ == "__main__":
    main()
