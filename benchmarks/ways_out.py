"""Programs written for other tools, and these tools' answers: `python benchmarks/ways_out.py --help`.

For each family of programs: how many there are, and for each way how many could be written, and of these how
many the other tool decides as potlang does. What differs is printed.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent), str(HERE.parent / "tests"), str(HERE.parent / "tests" / "export")]

from other_tools import agrees, called_script, clingo_verdicts, eprover, szs_status  # noqa: E402
from strategies.stratified import stratified  # noqa: E402
from tables import table  # noqa: E402

from potlang import api  # noqa: E402
from potlang.export.problem import NoCounterpart  # noqa: E402
from potlang.export.ways import written  # noqa: E402
from potlang.generate.programs import ProgramDifficulty, generate_many  # noqa: E402
from potlang.report.results import Limits  # noqa: E402

_LIMITS = Limits(check_ms=5_000, total_ms=15_000)


def _cases(path: Path, share: int) -> Iterator[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in random.Random(0).sample(lines, min(share, len(lines))):
        yield json.loads(line)["program"]


def _judged(way: str, module: Any, verdicts: list[str]) -> str:
    """What the other tool says: `agrees`, `silent`, or how it differs."""
    claims = (*module.claims, *module.norms)
    if way == "python":
        found = called_script(written(module, "python", claims))
        wrong = [pair for pair in zip(found, verdicts, strict=True) if pair[0] not in (pair[1], "unknown")]
        return f"differs: {wrong}" if wrong else "silent" if "unknown" in found else "agrees"
    if way == "asp":
        found = clingo_verdicts(written(module, "asp", claims), len(verdicts))
        return "agrees" if found == verdicts else f"differs: {found} {verdicts}"
    if way == "tptp":
        said = [
            (szs_status(written(module, "tptp", (claim,)), 2), verdict)
            for claim, verdict in zip(claims, verdicts, strict=True)
        ]
        judged = [agrees(*pair) for pair in said]
        if False in judged:
            return f"differs: {said}"
        return "silent" if None in judged else "agrees"
    text = written(module, "lean", claims)
    # Of programs with several claims, whether all that are entailed have a proof.
    return "proved" if len(claims) - text.count(":= by sorry") >= verdicts.count("entailed") else "stated"


@click.command(help=__doc__)
@click.option("--cases", type=click.Path(path_type=Path), help="A folder of case files.")
@click.option("--share", default=10_000, help="Programs of each family, by chance.")
@click.option("--way", "ways", multiple=True, default=("python", "tptp", "asp", "lean"))
@click.option("--generated", default=0, help="Programs of each generator.")
def main(cases: Path | None, share: int, ways: tuple[str, ...], generated: int) -> None:
    """Runs and prints the counts; exits with 1 where a tool differs."""
    families: dict[str, Iterator[dict[str, Any]]] = {}
    for path in sorted(cases.glob("*.jsonl")) if cases else ():
        families[path.stem] = _cases(path, share)
    if generated:
        difficulty = ProgramDifficulty.of_level(4)
        families["generated"] = (each.program for each in generate_many(generated, 0, difficulty))
        families["stratified"] = (stratified(seed).program for seed in range(generated))
    if eprover() is None:
        ways = tuple(way for way in ways if way != "tptp")
    rows, differs = [], False
    for family, programs in families.items():
        began = time.perf_counter()
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        total = 0
        for number, program in enumerate(programs):
            checked = api.check(program, language="pot")
            if not checked.ok:
                continue
            compiled = checked.program
            assert compiled is not None
            verdicts = [
                str(each.verdict) for each in api.verify(compiled, trust="solver", limits=_LIMITS).results
            ]
            if "unknown" in verdicts or not verdicts or compiled.module.optimization is not None:
                continue
            total += 1
            for way in ways:
                try:
                    outcome = _judged(way, compiled.module, verdicts)
                except NoCounterpart as error:
                    outcome = "unwritten"
                    counts[f"{way} without"][error.what.split("`")[0]] += 1
                counts[way][outcome.partition(":")[0]] += 1
                if outcome.startswith("differs"):
                    differs = True
                    print(f"{family} {number} {way}: {outcome}", flush=True)
        row: list[Any] = [family, total]
        for way in ways:
            found = counts[way]
            row.append(
                f"{total - found['unwritten']} written, "
                + ", ".join(f"{n} {w}" for w, n in sorted(found.items()) if w != "unwritten")
            )
        rows.append((*row, f"{time.perf_counter() - began:.0f}"))
        print(rows[-1], {key: dict(each) for key, each in counts.items() if "without" in key}, flush=True)
    print("\n" + table(("family", "programs", *ways, "s"), rows))
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    main()
