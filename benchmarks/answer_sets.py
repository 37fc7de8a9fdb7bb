"""Stratified programs with closed predicates against clingo: `python benchmarks/answer_sets.py --help`.

Verdicts are compared with what holds in all answer sets, in some, in none; with `--certificates` the kernel
and the second reader look at the certificate of each program. `--growth` compares times instead, of what a
graph's edges reach: with 5 to 80 constants, edges closed or open.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent), str(HERE.parent / "tests")]

from strategies.stratified import Stratified, stratified, verdicts_of_clingo  # noqa: E402
from tables import table  # noqa: E402

SIZES = (5, 10, 20, 40, 80)
SHAPES = ("chain", "random", "grid")
LIMIT_MS = 10_000
"""Of a growing program as a whole: where nothing is answered within it, larger ones are not tried."""


def compared(seed: int, certificates: bool) -> tuple[int, str, list[str], str]:
    """The seed, what came of it, the verdicts, and the words of the two checkers."""
    from potlang.certify import check
    from potlang.languages.pot.check import compile
    from potlang.languages.pot.solve import verify
    from potlang.reread import confirm

    made = stratified(seed)
    source = json.dumps(made.program).encode()
    # Without certificates verdicts alone are compared: what strengthens them takes most of the time.
    report = verify(source, certificate=certificates, trust="best" if certificates else "solver")
    found = [str(result.verdict) for result in report.results]
    expected = verdicts_of_clingo(made)
    if str(report.verdict) == "rejected":
        return seed, "rejected", [], ""
    words = ""
    if certificates:
        text = compile(source).emit("ir", passes="")
        outcome = "none" if report.certificate is None else str(check(report.certificate, text).status)
        words = f"{outcome}, {confirm(source, text).status}"
    if found == expected:
        return seed, "equal", expected, words
    unknown = all(mine in (theirs, "unknown") for mine, theirs in zip(found, expected, strict=True))
    return seed, "unknown" if unknown else f"different: {found} {expected}", expected, words


def _one(job: tuple[int, bool]) -> tuple[int, str, list[str], str]:
    return compared(*job)


# --- growth ----------------------------------------------------------------------------------------------


def edges_of(shape: str, size: int) -> list[tuple[int, int]]:
    """The edges of a graph: a path, two random ones for each place, or steps to the right and down."""
    if shape == "chain":
        return [(at, at + 1) for at in range(size - 1)]
    if shape == "random":
        rng = random.Random(size)
        return sorted({(rng.randrange(size), rng.randrange(size)) for _ in range(2 * size)})
    side = max(2, int(size**0.5))
    right = [(at, at + 1) for at in range(size - 1) if (at + 1) % side]
    return [*right, *((at, at + side) for at in range(size - side))]


def reaching(shape: str, size: int, *, known: bool) -> Stratified:
    """What a graph's edges reach: edges given, and others if not `known`."""
    names = [f"c{at}" for at in range(size)]
    edges = [f"edge({names[a]}, {names[b]})" for a, b in edges_of(shape, size)]
    binders = [{"name": name, "sort": "Place"} for name in "xyz"]
    step = {"antecedent": "edge(x, y)", "consequent": "reach(x, y)"}
    further = {"antecedent": "reach(x, y) and edge(y, z)", "consequent": "reach(x, z)"}
    ends = f"{names[0]}, {names[-1]}", f"{names[-1]}, {names[0]}"
    claims = [f"reach({ends[0]})", f"not reach({ends[1]})", "ForAll([x: Place], reach(c0, x))"]
    domain = ["Place", "Place"]
    program: dict[str, Any] = {
        "sorts": [{"name": "Place", "type": "DeclareSort"}],
        "functions": [
            {"name": "edge", "domain": domain, "range": "Bool", "closed": known},
            {"name": "reach", "domain": domain, "range": "Bool", "closed": True},
        ],
        "constants": {"places": {"sort": "Place", "members": names}},
        "knowledge_base": edges,
        "rules": [
            {"name": "step", "forall": binders[:2], "implies": step},
            {"name": "further", "forall": binders, "implies": further},
        ],
        "verifications": [{"name": claim, "constraint": claim} for claim in claims],
        "semantics": {"unique_names": True, "closed_domain": True},
    }
    asked = [f"reach({ends[0]})", f"not reach({ends[1]})", "all"]
    lines = [
        *(f"place({name})." for name in names),
        *(f"{edge}." for edge in edges),
        *(() if known else ("{edge(X,Y)} :- place(X), place(Y).",)),
        "reach(X,Y) :- edge(X,Y).",
        "reach(X,Z) :- reach(X,Y), edge(Y,Z).",
        "all :- reach(c0,X) : place(X).",
        *(f"#external ask({number},{side})." for number in range(len(asked)) for side in ("pos", "neg")),
        *(f":- ask({number},pos), not {claim}." for number, claim in enumerate(asked) if number != 1),
        *(f":- ask({number},neg), {claim}." for number, claim in enumerate(asked) if number != 1),
        f":- ask(1,pos), reach({ends[1]}).",
        f":- ask(1,neg), not reach({ends[1]}).",
    ]
    return Stratified(0, recursive=True, program=program, lines=lines, claims=claims)


def grown(shape: str, size: int, *, known: bool) -> tuple[float, float, str]:
    """Seconds for us and for clingo, and how many verdicts are checked, or which differ."""
    from potlang.languages.pot.solve import verify
    from potlang.report.results import Limits

    made = reaching(shape, size, known=known)
    source = json.dumps(made.program).encode()
    began = time.perf_counter()
    report = verify(source, limits=Limits(total_ms=LIMIT_MS))
    spent = time.perf_counter() - began
    began = time.perf_counter()
    expected = verdicts_of_clingo(made)
    theirs = time.perf_counter() - began
    found = [str(result.verdict) for result in report.results]
    wrong = [pair for pair in zip(found, expected, strict=True) if pair[0] not in (pair[1], "unknown")]
    checked = sum(result.trust == "checked" and result.verdict != "unknown" for result in report.results)
    unknown = found.count("unknown")
    return spent, theirs, str(wrong) if wrong else f"{checked} checked, {unknown} unknown"


def growth() -> bool:
    """Prints how times grow; whether no verdict differs."""
    rows: list[tuple[Any, ...]] = []
    grown("chain", SIZES[0], known=True)
    for known in (True, False):
        for shape in SHAPES:
            for size in SIZES:
                spent, theirs, outcome = grown(shape, size, known=known)
                name = f"{shape}, {size}, {'known' if known else 'open'}"
                rows.append((name, spent * 1000, theirs * 1000, spent / theirs, outcome))
                print(f"{name}: {spent:.2f} s, clingo {theirs:.3f} s, {outcome}", flush=True)
                if outcome.startswith("0 checked"):
                    break
    print("\n" + table(("graph, constants, edges", "ms", "clingo ms", "ratio", "verdicts"), rows))
    return not any(row[-1].startswith("[") for row in rows)


@click.command(help=__doc__)
@click.option("--first", default=0, help="The first seed.")
@click.option("--count", default=1_000, help="Programs.")
@click.option("--jobs", default=1, help="Processes.")
@click.option("--certificates", is_flag=True, help="Make and check certificates.")
@click.option("--growth", "grows", is_flag=True, help="How times grow with the number of constants.")
def main(first: int, count: int, jobs: int, certificates: bool, grows: bool) -> None:
    """Runs and prints the counts; exits with 1 where a verdict differs."""
    if grows:
        sys.exit(not growth())
    began = time.perf_counter()
    outcomes, verdicts, words = Counter[str](), Counter[str](), Counter[str]()
    with Pool(jobs) as pool:
        work = ((seed, certificates) for seed in range(first, first + count))
        for done, (seed, outcome, expected, said) in enumerate(pool.imap_unordered(_one, work), 1):
            outcomes[outcome.partition(":")[0]] += 1
            verdicts.update(expected)
            words[said] += 1
            if outcome != "equal" or (certificates and not said.startswith("VALID,")):
                print(f"{seed}: {outcome} {said}", flush=True)
            if not done % 100:
                print(f"{done} of {count}: {dict(outcomes)} {dict(words)}", flush=True)
    print(f"{dict(outcomes)}\n{dict(verdicts)}\n{dict(words)}\n{time.perf_counter() - began:.0f} s")
    sys.exit(1 if outcomes["different"] else 0)


if __name__ == "__main__":
    main()
