"""`potc lint FILE…`: what a program that compiles may say without being meant."""

from __future__ import annotations

import click

from potlang.cli.answer import Answer, linted_answer
from potlang.cli.common import (
    color_option,
    files_argument,
    format_option,
    read_input,
)
from potlang.cli.helping import Command
from potlang.cli.options import (
    RuleOptions,
    RunOptions,
    config_option,
    rule_options,
    run_options,
    sources_option,
)
from potlang.cli.run import run_checks
from potlang.linter.linter import BUDGET_MS
from potlang.linter.rules import LINT_RULES

_Names = tuple[str, ...]


def _print_rules(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    for rule in LINT_RULES:
        how = "asks a solver" if rule.is_deep else "also in `potc check`"
        shown = how if rule.by_default else f"{how}; not by default"
        click.echo(f"{rule.code}  {rule.name:<24}{shown}")
    context.exit()


@click.command(cls=Command)
@files_argument
@format_option("text", "json", "sarif")
@run_options
@click.option("--rule", "only", multiple=True, metavar="NAME", help="Run this rule alone. May be repeated.")
@rule_options
@click.option(
    "--budget-ms",
    type=click.IntRange(min=0),
    default=BUDGET_MS,
    help="Time for the rules that ask a solver, for each program; 0 leaves them out.",
)
@click.option(
    "--rules",
    "listed",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_rules,
    help="List the rules.",
)
@config_option
@sources_option
@color_option
def lint(
    files: _Names,
    style: str,
    running: RunOptions,
    only: _Names,
    rules: RuleOptions,
    budget_ms: int,
    color: str,
) -> None:
    """Warn of what programs say and hardly can mean: rules that disagree, claims about nothing, unused names.

    Exit code: 0 no errors, 2 errors.
    """
    choice = rules.choice(only)

    def linted(name: str) -> Answer:
        return linted_answer(read_input(name), choice, budget_ms)

    run_checks(files, linted, running, style, color)
