"""Guards: decisions against a plain reading of the rules, times, and a chain of records.

python benchmarks/guard.py --events 100000 --check
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest import mock

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

from reference.guarded_sessions import OPTIONS, Shop, events, policy  # noqa: E402
from reference.unlisted_rules import UNLISTED, LimitedShop, policy_with  # noqa: E402

from potlang.policy.guard import Guard  # noqa: E402
from potlang.policy.guard.compiled import CompiledPolicy  # noqa: E402
from potlang.policy.records import RecordFault, Records, read_records  # noqa: E402
from potlang.policy.replay import replay  # noqa: E402

_WARM: Final = 200
_MOST_P99_MS: Final = 10.0


@click.command()
@click.option("--events", "count", default=100_000, show_default=True, help="Events to decide.")
@click.option("--longest", default=300, show_default=True, help="Events of the longest sessions.")
@click.option("--records", default=10_000, show_default=True, help="Decisions of the chain of records.")
@click.option("--flips", default=300, show_default=True, help="Bytes of the chain that are changed.")
@click.option("--unlisted", default=500, show_default=True, help="Events for each rule on unlisted numbers.")
@click.option("--by-solvers", default=0, show_default=True, help="Events that solvers decide, not facts.")
@click.option("--seed", default=1, show_default=True)
@click.option("--check", is_flag=True, help="Exit with 1 if an answer or a bound is not what it must be.")
def main(
    count: int,
    longest: int,
    records: int,
    flips: int,
    unlisted: int,
    by_solvers: int,
    seed: int,
    check: bool,
) -> None:
    """Decide generated sessions under 52 rules, and compare with a plain reading of the rules."""
    guard = Guard(policy(), OPTIONS)
    failed = _decisions(guard, Shop, count, longest, seed)
    for name, rule in UNLISTED.items() if unlisted else ():
        click.echo(f"with a rule more, {name}:")
        own = Guard(policy_with(rule), OPTIONS)
        failed += _decisions(own, partial(LimitedShop, rule), unlisted, min(longest, 60), seed)
    if by_solvers:
        _decided_by_solvers(by_solvers, seed)
    with tempfile.TemporaryDirectory() as folder:
        failed += _records(guard, Path(folder) / "chain.jsonl", records, flips, seed)
    for line in failed:
        click.echo(f"FAILED: {line}")
    sys.exit(1 if check and failed else 0)


def _decisions(guard: Guard, reading: Callable[[], Shop], count: int, longest: int, seed: int) -> list[str]:
    random = Random(seed)
    answers: Counter[str] = Counter()
    wall: list[float] = []
    own: list[float] = []
    wrong: list[str] = []
    while len(wall) < count:
        state, shop = guard.begin(), reading()
        for event, succeeded in events(random, random.randint(1, longest)):
            began, began_own = time.perf_counter(), time.thread_time()
            decision = guard.check(event, state)
            own.append(time.thread_time() - began_own)
            wall.append(time.perf_counter() - began)
            wanted = shop.decide(event)
            answers[f"{decision.permission} by {decision.by}"] += 1
            if wanted != decision.permission:
                wrong.append(f"{event}: {decision.permission}, not {wanted} ({decision.reason})")
            state = decision.state
            if succeeded is not None and decision.verdict != "inconsistent":
                state = guard.outcome(state, {"succeeded": succeeded})
                shop.end(succeeded)
    click.echo(f"{len(wall):,} events, {len(wrong)} wrong: {dict(answers)}")
    for name, times in (("wall clock", wall[_WARM:]), ("processor", own[_WARM:])):
        middle, high, most = (1000 * _quantile(times, share) for share in (0.5, 0.99, 1.0))
        click.echo(f"{name}: median {middle:.2f} ms, p99 {high:.2f} ms, at most {most:.1f} ms")
    late = 1000 * _quantile(own[_WARM:], 0.99)
    slow = [f"p99 of processor time is {late:.1f} ms"] if late > _MOST_P99_MS else []
    return [*wrong[:20], *slow]


def _decided_by_solvers(count: int, seed: int) -> None:
    """Decisions of short sessions for each of which solvers are asked, and how long they take."""
    guard = Guard(policy(), OPTIONS)
    random = Random(seed)
    wall: list[float] = []
    wrong = unknown = 0
    with mock.patch.object(CompiledPolicy, "decide", lambda policy, facts: None):
        while len(wall) < count:
            state, shop = guard.begin(), Shop()
            for event, succeeded in events(random, random.randint(1, 12)):
                began = time.perf_counter()
                decision = guard.check(event, state)
                wall.append(time.perf_counter() - began)
                unknown += decision.verdict == "unknown"
                wrong += shop.decide(event) != decision.permission and decision.verdict != "unknown"
                state = decision.state
                if succeeded is not None and decision.verdict != "inconsistent":
                    state = guard.outcome(state, {"succeeded": succeeded})
                    shop.end(succeeded)
    middle, high, most = (1000 * _quantile(wall, share) for share in (0.5, 0.99, 1.0))
    click.echo(f"{len(wall)} events by solvers: {wrong} wrong, {unknown} unknown")
    click.echo(f"wall clock: median {middle:.0f} ms, p99 {high:.0f} ms, at most {most:.0f} ms")


def _quantile(times: list[float], share: float) -> float:
    listed = sorted(times)
    return listed[min(len(listed) - 1, int(share * len(listed)))] if listed else 0.0


def _records(guard: Guard, path: Path, count: int, flips: int, seed: int) -> list[str]:
    """A chain of so many decisions, decided again; and with single bytes changed."""
    own = guard.recorded(Records(path, sync=False))
    random = Random(seed)
    decided = 0
    while decided < count:
        state = own.begin()
        for event, succeeded in events(random, min(count - decided, random.randint(1, 60))):
            decision = own.check(event, state)
            decided += 1
            state = decision.state
            if succeeded is not None and decision.verdict != "inconsistent":
                state = own.outcome(state, {"succeeded": succeeded})
    began = time.perf_counter()
    found = replay(path)
    seconds = time.perf_counter() - began
    click.echo(
        f"{found.records:,} records, {found.decisions:,} decided again in {seconds:.1f} s:"
        f" {len(found.changed)} otherwise, {len(found.faults)} faults"
    )
    failed = [f"replay: {each}" for each in (*found.faults, *found.changed)][:20]
    return failed + _flips(path, random, flips)


def _flips(path: Path, random: Random, flips: int) -> list[str]:
    """Bytes that were changed and not found at their place."""
    text = path.read_bytes()
    missed = []
    for _ in range(flips):
        at = random.randrange(len(text))
        changed = bytearray(text)
        changed[at] ^= 1 << random.randrange(8)
        path.write_bytes(changed)
        place = text.count(b"\n", 0, at) + 1
        first: Any = next((each for each in read_records(path) if isinstance(each, RecordFault)), None)
        if first is None or first.place != place:
            missed.append(f"byte {at} of record {place} was found at {first and first.place}")
    path.write_bytes(text)
    click.echo(f"{flips - len(missed)} of {flips} changed bytes are found at their record")
    return missed[:20]


if __name__ == "__main__":
    main()
