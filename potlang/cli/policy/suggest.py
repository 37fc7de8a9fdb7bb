"""`potc policy suggest`, `judge`, `gaps`, `coverage`: tests made from a policy, and what they leave out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang import policy
from potlang.cli.common import (
    ALL_ENTAILED,
    OTHER_ANSWER,
    UNDECIDED,
    format_option,
    print_json,
    tell,
    waiting,
    with_progress,
)
from potlang.cli.policy.common import Seconds, limited, side, stored
from potlang.diag.wording import counted, visible
from potlang.report.table import to_csv, to_markdown, to_text
from potlang.report.text import quotation_lines

if TYPE_CHECKING:
    from potlang.languages.pot.program import Program
    from potlang.policy import (
        Gap,
        JudgedTest,
        PolicyCoverage,
        PolicyTest,
        RuleMap,
        RuleOverlap,
        Store,
        SuggestedTest,
    )
    from potlang.report.results import Limits


@click.command()
@click.argument("id")
@click.option("--rule", "rules", multiple=True, metavar="NAME", help="Of these rules alone.")
@format_option("text", "json", "csv", "markdown")
@limited
@stored
def suggest(id: str, rules: tuple[str, ...], style: str, seconds: Seconds, store: Store) -> None:
    """Make tests from a policy: cases at each boundary of its rules, and for each condition.

    A row has a case, a claim and the verdict now. Write `accept` or `reject` into the column `decision` of
    the JSON, CSV or Markdown, a note if you like, and give the file to `potc policy judge`. ID may be a file
    with a program.

    Exit code: 0 there is a test for all that rules say; 1 no case shows some of it, which is listed; 2 there
    is no such policy, or it contradicts itself; 3 there was no time for some verdicts, which is listed.
    """
    with waiting("looking for cases of each rule"):
        found = policy.suggest(side(store, id)[0], rules=rules, limits=seconds.limits)
    tests = found.tests
    title = f"Tests of {visible(id)}"
    if style == "json":
        left = {
            "unshown": [list(each) for each in found.unshown],
            "unsettled": [list(each) for each in found.unsettled],
        }
        print_json({"tests": policy.judging.to_json(tests), **left})
    elif style == "csv":
        click.echo(to_csv(policy.judging.to_table(tests, title)), nl=False)
    elif style == "markdown":
        click.echo(to_markdown(policy.judging.to_table(tests, title)), nl=False)
    else:
        click.echo(to_text(policy.judging.to_plain_table(tests, title)))
        for line in _cited_lines(tests):
            click.echo(visible(line))
    for name, what in found.unshown:
        tell(f"no case shows it: {visible(name)}: {visible(what)}")
    for name, what in found.unsettled:
        tell(f"no verdict on its case in time: {visible(name)}: {visible(what)}")
    if found.unsettled:
        tell(
            "note: --total-timeout gives more time for all verdicts, --rule makes the tests of one rule alone"
        )
    sys.exit(UNDECIDED if found.unsettled else OTHER_ANSWER if found.unshown else ALL_ENTAILED)


@click.command()
@click.argument("id")
@click.argument("file")
@format_option("text", "json")
@limited
@stored
def judge(id: str, file: str, style: str, seconds: Seconds, store: Store) -> None:
    """Take a judged table of `potc policy suggest`: what is accepted becomes a test of the policy.

    What is rejected is listed: there the policy says what it should not. FILE is JSON, CSV or Markdown.

    Exit code: 0 no row is rejected; 1 one is, or the policy does not say what was accepted, and then nothing
    is stored; 2 the file or the policy cannot be read.
    """
    judged = policy.read_judged(_bytes(file))
    version = store.version(id)
    rejected = [each for each in judged if each.decision == "reject"]
    open_ = sum(not each.decision for each in judged)
    tests = policy.judging.accepted(version.tests, judged)
    try:
        with waiting("verifying the tests"):
            added = store.add(version.name, version.text, tests, limits=seconds.limits)
    except policy.FailingTests as error:
        for each in error.failed:
            tell(f"{visible(each.test.name)}: {each.verdict}, accepted as {each.test.expected}")
        tell(f"error: {error}; nothing is stored")
        sys.exit(OTHER_ANSWER)
    count = len(tests) - len(version.tests)
    if style == "json":
        print_json(
            {
                "id": added.version.id,
                "added": count,
                "open": open_,
                "rejected": [
                    {"rule": each.rule, "shows": each.shows, **each.test.to_dict()} for each in rejected
                ],
            }
        )
    else:
        click.echo(f"{added.version.id}: {counted(count, 'test')} added, {open_} without a decision")
        for line in _rejected_lines(rejected):
            click.echo(visible(line))
    sys.exit(OTHER_ANSWER if rejected else ALL_ENTAILED)


@click.command()
@click.argument("id")
@click.option("--agreements", is_flag=True, help="List the pairs of rules that say the same in some case.")
@format_option("text", "json")
@limited
@stored
def gaps(id: str, agreements: bool, style: str, seconds: Seconds, store: Store) -> None:
    """Find cases in which no rule applies, and in which rules contradict each other or say the same.

    For each predicate and function that rules conclude about. Where there is no case, that is proved. ID may
    be a file with a program.

    Exit code: 0 there is no gap and no conflict; 1 there is one; 2 there is no such policy, or it contradicts
    itself; 3 it is not known of some.
    """
    with waiting("comparing the rules"):
        found = policy.rule_map(side(store, id)[0], limits=seconds.limits)
    if style == "json":
        print_json(found.to_dict())
    else:
        for line in _map_lines(found, agreements=agreements):
            click.echo(visible(line))
    states = {each.status for each in found.gaps}
    states |= {each.status for each in found.overlaps if each.kind == "conflict"}
    is_open = "unknown" in states or bool(found.not_asked)
    sys.exit(OTHER_ANSWER if "found" in states else UNDECIDED if is_open else ALL_ENTAILED)


@click.command()
@click.argument("id")
@click.option(
    "--most", type=click.IntRange(1, 10_000), default=200, show_default=True, help="Changes to try, at most."
)
@click.option("--seed", default=0, help="Seed of those that are tried, where there are more.")
@format_option("text", "json")
@limited
@stored
def coverage(id: str, most: int, seed: int, style: str, seconds: Seconds, store: Store) -> None:
    """Show what of each rule no test decides: changes of a policy that all its tests pass.

    Each change that means something else is shown with a test that would notice it. The tests of a file are
    the program's own verifications.

    Exit code: 0 the tests notice every change that means something else; 1 one is not noticed; 2 there is no
    such policy; 3 it is not known of some.
    """
    program, tests = side(store, id)
    with waiting("verifying the policy's own claims"):
        asked = tests or _own(program, seconds.limits)
    found = policy.coverage(
        program,
        asked,
        most=most,
        seed=seed,
        limits=seconds.limits,
        progress=lambda drawn: with_progress(drawn, "trying changes", len(drawn), prints=False),
    )
    if style == "json":
        print_json(found.to_dict())
    else:
        for line in _coverage_lines(found):
            click.echo(visible(line))
    sys.exit(OTHER_ANSWER if found.holes else UNDECIDED if found.unknown else ALL_ENTAILED)


# --- parts -----------------------------------------------------------------------------------------


def _bytes(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise policy.PolicyError(f"cannot read {name!r}: {error.strerror}") from None


def _own(program: Program, limits: Limits) -> Sequence[PolicyTest]:
    return policy.own_tests(program, limits)[0]


def _cited_lines(tests: Sequence[SuggestedTest]) -> Iterator[str]:
    """The sentences that the rules of the tests cite, once for each rule."""
    for rule, quotes in dict.fromkeys((each.rule, each.quotes) for each in tests):
        if quotes:
            yield f"{rule}:"
            yield from (f"  {line}" for line in quotation_lines(quotes))


def _rejected_lines(rejected: Sequence[JudgedTest]) -> Iterator[str]:
    for each in rejected:
        yield f"rejected: {each.test.name}"
        yield f"  {policy.judging.case_text(each.test.case)} -> {each.test.claim}: {each.test.expected}"
        if each.test.note:
            yield f"  {each.test.note}"


def _map_lines(found: RuleMap, *, agreements: bool) -> Iterator[str]:
    """Gaps and conflicts first; then a line each for all that is proved to be in order."""
    ranks = {"found": 0, "unknown": 1, "absent": 2}
    gaps = sorted(found.gaps, key=lambda each: ranks[each.status])
    conflicts = [each for each in found.overlaps if each.kind == "conflict" and each.status != "absent"]
    yield from (_gap_line(each) for each in gaps if each.status != "absent")
    yield from (_overlap_line(each) for each in sorted(conflicts, key=lambda each: ranks[each.status]))
    closed = [each.subject for each in gaps if each.status == "absent"]
    if closed:
        yield f"no gap: {', '.join(closed)}"
    alike = [each for each in found.overlaps if each.kind == "agreement" and each.status != "absent"]
    if agreements:
        yield from map(_overlap_line, alike)
    elif alike:
        said = f"{counted(len(alike), 'pair')} of rules {'say' if len(alike) > 1 else 'says'} the same"
        yield f"{said} in some case (--agreements shows them)"
    apart = sum(each.status == "absent" for each in found.overlaps)
    if apart:
        yield f"{counted(apart, 'pair')} of rules proved to be apart"
    if found.not_asked:
        yield f"{counted(found.not_asked, 'pair')} of rules not asked about: there are too many"


def _gap_line(gap: Gap) -> str:
    if gap.status == "found":
        return f"gap: no rule decides {gap.subject}, in the case {policy.judging.case_text(gap.case)}"
    return f"{gap.subject}: unknown whether there is a gap"


def _overlap_line(overlap: RuleOverlap) -> str:
    names, kind = " and ".join(overlap.rules), overlap.kind
    said = "contradict each other on" if kind == "conflict" else "say the same of"
    if overlap.status == "unknown":
        return f"unknown whether {names} {said} {overlap.subject} in some case"
    return f"{kind}: {names} {said} {overlap.subject}, in the case {policy.judging.case_text(overlap.case)}"


def _coverage_lines(found: PolicyCoverage) -> Iterator[str]:
    for rule in found.rules:
        tried = rule.noticed + len(rule.holes) + rule.unknown
        if not tried + rule.equivalent:
            continue
        more = f", {rule.equivalent} say the same" if rule.equivalent else ""
        yield f"{rule.name}: {rule.noticed} of {tried} changes are noticed{more}  {rule.pointer}"
        for hole in rule.holes:
            yield f"  not noticed: {hole.kind}, `{hole.before}` as `{hole.after}`  {hole.pointer}"
            case = policy.judging.case_text(hole.test.case)
            yield f"    test: {case} -> {hole.test.claim}: {hole.test.expected}"
    yield (
        f"{found.noticed} of {found.noticed + found.holes} changes that mean something else are noticed,"
        f" {found.unknown} unknown; {found.mutants} of {found.possible} tried"
    )
