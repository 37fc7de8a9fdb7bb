"""Programs written for other tools, and these tools' answers: `python benchmarks/ways_out.py --help`.

For each family of programs whose verdicts are known: how many could be written in each way, how many claims
the other tool decides as potlang does, and how many it leaves open. What differs is printed. Of Lean, which
is not run: how many of the entailed claims have a proof.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent), str(HERE.parent / "tests")]

from other_tools import agrees, called_script, clingo_verdicts, eprover, szs_status  # noqa: E402
from strategies.stratified import stratified  # noqa: E402
from tables import table  # noqa: E402

from potlang import api  # noqa: E402
from potlang.export import WAYS, Way  # noqa: E402
from potlang.export.problem import NoCounterpart  # noqa: E402
from potlang.export.ways import written  # noqa: E402
from potlang.generate.programs import ProgramDifficulty, generate_many  # noqa: E402
from potlang.ir.module import Claim, Module  # noqa: E402
from potlang.report.results import Limits  # noqa: E402

_LIMITS = Limits(check_ms=5_000, total_ms=15_000)
_PROVER_SECONDS = 2

Program = dict[str, Any]


def _families(cases: Path | None, share: int, generated: int) -> Iterator[tuple[str, list[Program]]]:
    for path in sorted(cases.rglob("*.jsonl")) if cases else ():
        lines = path.read_text(encoding="utf-8").splitlines()
        chosen = random.Random(0).sample(lines, min(share, len(lines)))
        yield path.stem, [json.loads(line)["program"] for line in chosen]
    if generated:
        for level in (4, 9):
            difficulty = ProgramDifficulty.of_level(level)
            yield f"generated {level}", [each.program for each in generate_many(generated, 0, difficulty)]
        yield "stratified", [stratified(seed).program for seed in range(generated)]


def _decided(program: Program) -> tuple[Module, list[str]] | None:
    """The module and the verdicts on its claims; None where one is unknown, or there is none to compare."""
    checked = api.check(program, language="pot")
    if not isinstance(checked.program, api.Program):
        return None
    report = api.verify(checked.program, trust="solver", limits=_LIMITS)
    verdicts = [str(each.verdict) for each in report.results]
    module = checked.program.module
    is_comparable = verdicts and "unknown" not in verdicts and module.optimization is None
    return (module, verdicts) if is_comparable else None


def _judged(way: Way, module: Module, claims: Sequence[Claim], verdicts: list[str]) -> list[str]:
    """What the other tool says of each claim: `agrees`, `open`, or how it differs."""
    if way == "tptp":
        said = [szs_status(written(module, way, (claim,)), _PROVER_SECONDS) for claim in claims]
        fits = [agrees(*pair) for pair in zip(said, verdicts, strict=True)]
    else:
        text = written(module, way, claims)
        said = called_script(text) if way == "python" else clingo_verdicts(text, len(claims))
        fits = [
            None if mine == "unknown" else mine == other for mine, other in zip(said, verdicts, strict=True)
        ]
    word = {True: "agree", None: "open"}
    return [
        word.get(fit) or f"differ: {mine}, {other}"
        for fit, mine, other in zip(fits, said, verdicts, strict=True)
    ]


def _proved(module: Module, claims: Sequence[Claim], verdicts: list[str]) -> list[str]:
    """Of each entailed claim whether Lean's text has a proof."""
    entailed = [claim for claim, verdict in zip(claims, verdicts, strict=True) if verdict == "entailed"]
    texts = [written(module, "lean", (claim,)) for claim in entailed] or [written(module, "lean", claims)]
    return ["stated" if text.count(":= by sorry") else "proved" for text in texts][: len(entailed)]


def _counted(
    programs: list[Program], ways: Sequence[Way], family: str
) -> tuple[int, dict[Way, Counter[str]]]:
    counts: dict[Way, Counter[str]] = {way: Counter() for way in ways}
    total = 0
    for number, program in enumerate(programs):
        found = _decided(program)
        if found is None:
            continue
        module, verdicts = found
        claims = (*module.claims, *module.norms)
        total += 1
        for way in ways:
            judge = _proved if way == "lean" else lambda *given, way=way: _judged(way, *given)
            try:
                outcomes = judge(module, claims, verdicts)
            except NoCounterpart as error:
                counts[way][f"without {error.what.partition('`')[0].strip()}"] += 1
                continue
            counts[way].update(["written", *(each.partition(":")[0] for each in outcomes)])
            for outcome in outcomes:
                if outcome.startswith("differ"):
                    print(f"{family} {number} {way} {outcome}", flush=True)
    return total, counts


def _cell(found: Counter[str]) -> str:
    words = ("agree", "open", "differ", "proved", "stated")
    return f"{found['written']}: " + ", ".join(f"{found[word]} {word}" for word in words if found[word])


@click.command(help=__doc__)
@click.option("--cases", type=click.Path(path_type=Path), help="A folder of case files.")
@click.option("--share", default=10_000, help="Programs of each file, by chance.")
@click.option("--way", "ways", type=click.Choice(WAYS), multiple=True, default=WAYS)
@click.option("--generated", default=0, help="Programs of each generator.")
def main(cases: Path | None, share: int, ways: tuple[Way, ...], generated: int) -> None:
    """Runs and prints the counts; exits with 1 where a tool differs."""
    if eprover() is None:
        ways = tuple(way for way in ways if way != "tptp")
    rows: list[tuple[Any, ...]] = []
    sums: dict[Way, Counter[str]] = {way: Counter() for way in ways}
    for family, programs in _families(cases, share, generated):
        began = time.perf_counter()
        total, counts = _counted(programs, ways, family)
        for way in ways:
            sums[way].update(counts[way])
        rows.append((family, total, *(_cell(counts[way]) for way in ways), time.perf_counter() - began))
        print(rows[-1], flush=True)
    rows.append(("all", sum(row[1] for row in rows), *(_cell(sums[way]) for way in ways), 0.0))
    print("\n" + table(("family", "programs", *(f"{way}: claims" for way in ways), "s"), rows))
    for way in ways:
        print(f"{way}: { ({key: count for key, count in sums[way].items() if key.startswith('without')}) }")
    sys.exit(1 if any(found["differ"] for found in sums.values()) else 0)


if __name__ == "__main__":
    main()
