"""`potc policy diff`: the claims that two versions decide differently."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from potlang.cli.common import ALL_ENTAILED, OTHER_ANSWER, UNDECIDED, format_option, print_json
from potlang.cli.policy.common import Seconds, limited, named, side, stored
from potlang.diag.wording import counted
from potlang.report.results import Verdict

if TYPE_CHECKING:
    from potlang.policy import Difference, Store


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--samples", type=click.IntRange(0, 10_000), default=50, help="Number of claims to draw.")
@click.option("--seed", default=0, help="Seed of the drawn claims.")
@format_option("text", "json")
@limited
@stored
def diff(
    old: str,
    new: str,
    samples: int,
    seed: int,
    style: str,
    seconds: Seconds,
    store: Store,
) -> None:
    """Find claims that two versions decide differently.

    The claims are the tests of both, the rules that only one of them has, and claims drawn at random.

    OLD and NEW are ids, or files with programs. Exit code: 0 no verdict changes; 1 one does; 2 one of
    them is not a valid program; 3 none does, as far as they are known.
    """
    from potlang.policy import compare

    first, second = side(store, old), side(store, new)
    found = compare(
        first[0],
        second[0],
        (*first[1], *second[1]),
        samples=samples,
        seed=seed,
        limits=seconds.limits,
    )
    if style == "json":
        print_json(found.to_dict())
    else:
        click.echo("\n".join(_difference_lines(found)))
    sys.exit(OTHER_ANSWER if found.changes else UNDECIDED if found.open else ALL_ENTAILED)


def _difference_lines(found: Difference) -> Iterator[str]:
    from potlang.policy import PolicyTest

    for each in found.changes:
        yield f"{each.origin} {named(PolicyTest(each.claim, each.old, each.name))}"
        for version, verdict, evidence in (
            ("old", each.old, each.old_evidence),
            ("new", each.new, each.new_evidence),
        ):
            yield f"  {version}: {verdict}"
            yield from (f"    {line}" for line in evidence.splitlines())
    for claim in found.open:
        yield f"unknown: {named(PolicyTest(claim, Verdict.UNKNOWN))}"
    changes = counted(len(found.changes), "changes its verdict", "change their verdicts")
    tests, drawn = counted(found.tests, "test"), counted(found.samples, "drawn claim")
    yield f"{changes}, of {tests}, {counted(found.rules, 'rule')} of one version and {drawn}"
