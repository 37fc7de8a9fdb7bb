"""`potc policy diff`: what two versions say differently, proved, with a case for each difference."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang import policy
from potlang.cli.common import (
    ALL_ENTAILED,
    OTHER_ANSWER,
    UNDECIDED,
    fail,
    format_option,
    print_json,
    waiting,
    write_text,
)
from potlang.cli.options import sources_option
from potlang.cli.policy.common import Seconds, claim_text, limited, side, stored
from potlang.diag.wording import counted, visible
from potlang.expressions.names import names_within
from potlang.report.results import Scenario
from potlang.report.text import listed, place_words, quotation_lines, scenario_words
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.policy import Difference, DifferenceCase, StatementChange, Store, VerdictChange
    from potlang.policy.difference import OpenStatement
    from potlang.policy.tabled import RowChange


@click.command()
@click.argument("old")
@click.argument("new")
@click.option(
    "--past-cases",
    "log",
    metavar="FILE",
    help="JSON Lines of past claims: objects with `claim`, and `case` if there was one.",
)
@click.option(
    "--certificates",
    metavar="DIRECTORY",
    help="Where to write, for versions that are equal, programs and certificates for `potc cert check`.",
)
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the difference as a page.",
)
@click.option(
    "--samples",
    type=click.IntRange(0, 10_000),
    default=50,
    help="Number of claims to draw where a proof is not found.",
)
@click.option("--seed", default=0, help="Seed of the drawn claims.")
@format_option("text", "json")
@sources_option
@limited
@stored
def diff(
    old: str,
    new: str,
    log: str | None,
    certificates: str | None,
    html: Path | None,
    samples: int,
    seed: int,
    style: str,
    seconds: Seconds,
    store: Store,
) -> None:
    """Find what two versions of a policy say differently.

    Each statement of one version is proved from the other, or a case is shown that one version allows and
    the other does not. Where they differ, their verifications, tests and past cases are decided by both.
    Words that are only renamed are told, and are no difference.

    OLD and NEW are ids, or files with programs. Exit code: 0 they are equal; 1 they differ; 2 one of
    them is not a valid program; 3 no difference is known, and not everything is proved.
    """
    first, second = side(store, old), side(store, new)
    past = () if log is None else policy.read_log(_read(log))
    with waiting("comparing the versions"):
        found = policy.compare(
            first[0],
            second[0],
            (*first[1], *second[1]),
            log=past,
            samples=samples,
            seed=seed,
            limits=seconds.limits,
            certificates=certificates is not None,
        )
    if certificates is not None:
        _write_certificates(found, Path(certificates))
    if html is not None:
        from potlang.drawing.difference_page import difference_page

        write_text(html, difference_page(old, new, found.to_dict(), __version__))
    if style == "json":
        print_json(found.to_dict())
    else:
        click.echo("\n".join(difference_lines(found)))
    sys.exit(OTHER_ANSWER if found.differs else ALL_ENTAILED if found.is_proved else UNDECIDED)


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        fail(f"error: cannot read {name!r}: {error.strerror}")


def _write_certificates(found: Difference, directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for each in found.certificates:
            (directory / f"{each.base}.json").write_text(each.program, "utf-8")
            (directory / f"{each.base}.cert").write_text(each.certificate, "utf-8")
    except OSError as error:
        fail(f"error: cannot write to {str(directory)!r}: {error.strerror}")


# --- text ------------------------------------------------------------------------------------------


def difference_lines(found: Difference) -> Iterator[str]:
    for each in found.contradictory:
        yield f"the statements of the {each} version contradict each other: all follows from it"
    # What was changed comes before what is another only since something else was changed.
    for change in sorted(found.changes, key=lambda each: not each.words):
        yield from _change_lines(change)
    for verdict in found.verdicts:
        yield from _verdict_lines(verdict)
    for word in found.vocabulary:
        yield visible(f"{word.kind} {word.name}: {word.old or 'none'} → {word.new or 'none'}")
    yield from (visible(line) for each in found.rows for line in _row_lines(each))
    for rename in found.renames:
        yield visible(f"renamed: {rename.kind} {rename.old} → {rename.new}")
    if found.optimization_differs:
        yield "the optimization sections differ, and are not compared"
    yield from _open_lines("not known to follow", found.open)
    yield from _open_lines("not checked", found.unchecked)
    for claim in found.open_claims:
        yield f"unknown: {visible(claim)}"
    yield _summary(found)


def _change_lines(change: StatementChange) -> Iterator[str]:
    said = change.new or change.old
    assert said is not None
    words = change.words or "its text is the same; other statements changed what it means"
    yield visible(f"{_titled(change.kind, said.name)}: {words}") + place_words(said.pointer)
    for each in (change.old, change.new):
        if each is not None and (change.old is None or change.new is None):
            yield f"  {visible(each.text)}"
    for case in change.cases:
        yield f"  {_case_words(case, change)}"
    yield from (f"  {line}" for line in _quotation_lines(change))


def _quotation_lines(change: StatementChange) -> Iterator[str]:
    """The sentences that a statement cites: those of both once, the others with their version."""
    old, new = (() if each is None else each.quotes for each in (change.old, change.new))
    both = [each for each in old if each in new]
    yield from quotation_lines(both)
    for version, quotes in (("old", old), ("new", new)):
        alone = "" if change.old is None or change.new is None else f"in the {version} version "
        yield from (f"{alone}{line}" for line in quotation_lines(each for each in quotes if each not in both))


def _row_lines(change: RowChange) -> Iterator[str]:
    for version, alone in (("old", change.old), ("new", change.new)):
        if alone.total:
            more = ", …" if alone.total > len(alone.first) else ""
            shown = ", ".join(f"({', '.join(row)})" for row in alone.first)
            rows = counted(alone.total, "row")
            yield f"{rows} of {change.name} in the {version} version alone: {shown}{more}"


def _titled(kind: str, name: str) -> str:
    """A statement by kind and name; those without a name of their own are called by their kind already."""
    return name if name.startswith(f"{kind} ") else f"{kind} {name}"


def _case_words(case: DifferenceCase, change: StatementChange) -> str:
    """A case; of long ones the values up to the last that the statement speaks of, which come first."""
    other = "old" if case.allowed_by == "new" else "new"
    spoken = {
        name for each in (change.old, change.new) if each is not None for name in names_within(each.text)
    }
    heads = [names_within(term)[:1] for term in case.values]
    last = max((at for at, head in enumerate(heads) if not spoken.isdisjoint(head)), default=None)
    left_out = 0 if last is None else len(case.values) - last - 1
    shown = Scenario(case.witness, dict([*case.values.items()][: len(case.values) - left_out]))
    words = scenario_words(shown) if case.witness else scenario_words(shown).removeprefix(" with ")
    sure = "" if case.confirmed else " (not checked)"
    more = f", … {left_out:,} more" if left_out else ""
    allowed = f"the {case.allowed_by} version allows and the {other} one does not"
    return f"{allowed}{sure}: {words or 'a case in which it is false'}{more}"


def _verdict_lines(change: VerdictChange) -> Iterator[str]:
    key = policy.PolicyQuestion(change.origin, change.name, change.claim, change.case).key
    yield f"{change.origin} {claim_text(key, change.name)}: {change.old} → {change.new}"
    for version, evidence in (("old", change.old_evidence), ("new", change.new_evidence)):
        lines = evidence.splitlines()
        if lines:
            yield f"  {version}:"
            yield from (f"    {line}" for line in lines)


def _open_lines(words: str, statements: tuple[OpenStatement, ...]) -> Iterator[str]:
    for each in statements:
        of = f"{_titled(each.kind, each.name)} of the {each.of} version"
        yield visible(f"{words}: {of} ({each.reason})") + place_words(each.pointer)


_RELATIONS = {
    "equal": "both allow the same",
    "weaker": "the new version allows more",
    "stronger": "the new version allows less",
    "different": "the new version allows more in some cases and less in others",
    "unknown": "no difference is known",
}
_ASKED = {"log": "logged claim", "sample": "drawn claim"}


def _summary(found: Difference) -> str:
    words = [
        counted(len(found.changes), "statement differs", "statements differ"),
        f"{found.same:,} the same",
        counted(found.proved, "follows from the other version", "follow from the other version"),
    ]
    asked = [counted(count, _ASKED.get(origin, origin)) for origin, count in found.asked]
    if asked:
        words.append(
            f"{counted(len(found.verdicts), 'verdict differs', 'verdicts differ')} of {listed(asked)}"
        )
    relation = "both say the same of other rows" if found.rows and found.relation == "equal" else ""
    return f"{'; '.join(words)}: {relation or _RELATIONS[found.relation]}"
