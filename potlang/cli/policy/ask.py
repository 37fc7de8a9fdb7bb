"""`potc policy ask` and `describe`: what a policy says, and what it says of a case."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from potlang import policy
from potlang.cli.answer import print_diagnostics
from potlang.cli.common import (
    color_option,
    exit_code,
    format_option,
    print_json,
    tell,
    use_color,
    waiting,
)
from potlang.cli.policy.common import (
    Seconds,
    case_option,
    certificates_option,
    given_case,
    limited,
    side,
    stored,
)
from potlang.diag.wording import visible
from potlang.prove.options import Trust
from potlang.report.base import to_plain
from potlang.source import Document

_ANSWERS: Final = {"true": "if so", "false": "if not"}

if TYPE_CHECKING:
    from potlang.policy import CaseChange, MissingFact, Store, SufficientFacts
    from potlang.policy.describing import DescribedFunction
    from potlang.policy.records import Certificates


@click.command()
@click.argument("id")
@click.argument("claims", nargs=-1, metavar="[CLAIM]…")
@case_option
@click.option("--explain/--no-explain", default=True, help="Say what would change the answer.")
@click.option(
    "--trust",
    type=click.Choice(["best", "solver"]),
    default="best",
    help="`best` checks each answer independently, `solver` takes the solver's word.",
)
@click.option("--record", metavar="FILE", help="Add the answers to a chain of records.")
@certificates_option
@format_option("text", "json")
@color_option
@limited
@stored
def ask(
    id: str,
    claims: tuple[str, ...],
    given: str | None,
    explain: bool,
    trust: Trust,
    record: str | None,
    certificates: Certificates,
    style: str,
    color: str,
    seconds: Seconds,
    store: Store,
) -> None:
    """Ask a policy about a case: does a CLAIM hold, and why?

    A CLAIM is a formula in the policy's words; without one the policy's own verifications are asked. A case
    has new things, values and facts: '{"item": {"kind": "electronics", "days": 20}, "member": true}'. ID may
    be a file with a program.

    Exit code: 0 all claims are entailed; 1 one is not; 2 the case does not fit the policy, contradicts it,
    or a claim is no formula: then nothing is decided; 3 one is unknown.
    """
    program, _ = side(store, id)
    case = given_case(given)
    with waiting("asking the policy"):
        found = policy.ask(program, claims, case, limits=seconds.limits, trust=trust, explain=explain)
    if record is not None:
        policy.replay.record_answer(
            policy.records.Records(Path(record)),
            program,
            claims,
            None if case is None else case.value,
            found,
            policy=id,
            certificates=certificates,
            limits=seconds.limits,
        )
    if found.report.verdict == "rejected":
        print_diagnostics(
            Document.from_value({"claims": claims}, "<claims>"), found.report.diagnostics, color
        )
    if style == "json":
        print_json(found.to_dict())
    else:
        click.echo(found.report.render(color=use_color(color)).rstrip("\n"), color=True)
        for line in (
            *_change_lines(found.changes),
            *_missing_lines(found.missing),
            *_sufficient_lines(found.sufficient),
        ):
            click.echo(visible(line))
        if not found.explained:
            tell(
                "note: the time was over before all was looked for that would change an answer or decide it;"
                " --total-timeout gives more, --no-explain looks for nothing"
            )
    sys.exit(exit_code(found.report))


@click.command()
@click.argument("id")
@format_option("text", "json")
@stored
def describe(id: str, style: str, store: Store) -> None:
    """Say what a policy says: its words, and its rules in plain sentences. ID may be a file."""
    found = policy.describe(side(store, id)[0])
    if style == "json":
        print_json(to_plain(found._asdict()))
        return
    for line in (found.description, *map(_function_line, found.functions)):
        if line:
            click.echo(visible(line))
    # The first line of the vocabulary has the functions once more.
    for line in found.vocabulary[bool(found.functions) :]:
        click.echo(visible(line))
    if found.left_to_cases:
        click.echo(visible(f"false unless a case says otherwise: {', '.join(found.left_to_cases)}"))
    for rule in found.rules:
        click.echo(visible(f"- {rule.name}: {rule.sentence}" if rule.name else f"- {rule.sentence}"))


def _function_line(function: DescribedFunction) -> str:
    """A function with its description, whose holes are for sentences."""
    words = function.description.replace("{", "").replace("}", "")
    return f"{function.signature}  {words}".rstrip()


def _change_lines(changes: Iterable[CaseChange]) -> Iterator[str]:
    for claim, found in groupby(changes, key=lambda each: each.claim):
        yield f"the answer to {claim} would be another"
        for each in found:
            yield f"  if {each.words}: {each.verdict} ({each.fact}: {_shown(each.old)} → {_shown(each.new)})"


def _missing_lines(missing: Iterable[MissingFact]) -> Iterator[str]:
    for claim, found in groupby(missing, key=lambda each: each.claim):
        yield f"to decide {claim} it would help to know"
        for each in found:
            verdicts = ", ".join(
                f"{_ANSWERS.get(key, key)}: {verdict}" for key, verdict in each.verdicts.items()
            )
            yield f"  {each.words}" + (f" ({verdicts})" if verdicts else "")


def _sufficient_lines(sufficient: Iterable[SufficientFacts]) -> Iterator[str]:
    for claim, found in groupby(sufficient, key=lambda each: each.claim):
        yield f"to decide {claim} it would be enough to know that"
        for each in found:
            yield f"  {', and '.join(each.words)}: then it is {each.verdict}"


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
