"""Dates against Python's calendar: ground sums and comparisons, and claims about all dates.

`python benchmarks/dates.py ground --count 1000000` reads and computes formulas of known dates;
`python benchmarks/dates.py claims --count 500 --timeout 5` asks for verdicts on claims with quantifiers and
compares them with an enumeration (`date_claims.py`).
"""

from __future__ import annotations

import argparse
import calendar
import random
import time
from collections import Counter
from datetime import date, timedelta

from date_claims import date_claims

import potlang
from potlang.diag import Sink
from potlang.expressions.expression import read_formula
from potlang.ir.evaluator import Evaluator
from potlang.ir.structure import Structure
from potlang.languages.pot.solve import verify
from potlang.report.results import Limits

FIRST, LAST = date(1900, 1, 1), date(2199, 12, 31)
SIZE = (LAST - FIRST).days + 1


def later(day: date, months: int) -> date:
    """The day of the same number some months later, or the last of that month."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def ground(rng: random.Random) -> tuple[str, bool]:
    """A formula of known dates, and whether it is true."""
    one = FIRST + timedelta(rng.randrange(SIZE))
    other = FIRST + timedelta(rng.randrange(SIZE))
    number, months = rng.randrange(-400, 400), rng.randrange(-30, 30)
    kind = rng.randrange(6)
    if kind == 0:
        return f"{one} < {other}", one < other
    if kind == 1:
        return f"{one} - {other} == {(one - other).days} * 1 day", True
    if kind == 2 and FIRST <= one + timedelta(number) <= LAST:
        return f"{one} + {number} * 1 day == {one + timedelta(number)}", True
    if kind == 3 and FIRST <= later(one, months) <= LAST:
        return f"AddMonths({one}, {months}) == {later(one, months)}", True
    if kind == 4:
        return f"Year({one}) == {one.year} and Month({one}) == {one.month}", True
    return f"Day({one}) + Weekday({one}) == {one.day + one.isoweekday()}", True


def run_ground(count: int, seed: int) -> None:
    """Reads and evaluates formulas; says how many differ."""
    rng = random.Random(seed)
    program = potlang.compile({"knowledge_base": ["2025-01-20 < 2025-01-21"]})
    wrong, start = 0, time.perf_counter()
    for _ in range(count):
        text, truth = ground(rng)
        with program.borrowed():
            sink = Sink()
            node = program.extension.formula(read_formula(text, "", sink), sink)
            found = None if node is None else Evaluator(Structure({}, {}, {})).value(node)
        if found is not truth:
            wrong += 1
            print("differs:", text, found, truth)
    print(f"{count} formulas, {wrong} differ, {time.perf_counter() - start:.0f} s")


def run_claims(count: int, seed: int, timeout: float) -> None:
    """Verdicts on claims, compared with what enumeration says."""
    found: Counter[str] = Counter()
    times = []
    for _, (program, truth) in zip(range(count), date_claims(random.Random(seed)), strict=False):
        start = time.perf_counter()
        report = verify(program, trust="solver", limits=Limits(int(timeout * 1000)))
        times.append(time.perf_counter() - start)
        verdict = str(report.results[0].verdict)
        found[verdict if verdict in (truth, "unknown") else "wrong"] += 1
        if verdict != truth:
            print(f"{verdict}, but {truth}: {program}", flush=True)
    times.sort()
    print(dict(found), f"median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["ground", "claims"])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=5.0)
    options = parser.parse_args()
    if options.what == "ground":
        run_ground(options.count, options.seed)
    else:
        run_claims(options.count, options.seed, options.timeout)


if __name__ == "__main__":
    main()
