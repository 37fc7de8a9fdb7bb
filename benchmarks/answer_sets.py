"""Stratified programs with closed predicates against clingo: `python benchmarks/answer_sets.py --help`.

Verdicts are compared with what holds in all answer sets, in some, in none; with `--certificates` the kernel
and the second reader look at the certificate of each program.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent), str(HERE.parent / "tests")]

from strategies.stratified import stratified, verdicts_of_clingo  # noqa: E402


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


@click.command(help=__doc__)
@click.option("--first", default=0, help="The first seed.")
@click.option("--count", default=1_000, help="Programs.")
@click.option("--jobs", default=1, help="Processes.")
@click.option("--certificates", is_flag=True, help="Make and check certificates.")
def main(first: int, count: int, jobs: int, certificates: bool) -> None:
    """Runs and prints the counts; exits with 1 where a verdict differs."""
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
            if not done % 500:
                print(f"{done} of {count}: {dict(outcomes)} {dict(words)}", flush=True)
    print(f"{dict(outcomes)}\n{dict(verdicts)}\n{dict(words)}\n{time.perf_counter() - began:.0f} s")
    sys.exit(1 if outcomes["different"] else 0)


if __name__ == "__main__":
    main()
