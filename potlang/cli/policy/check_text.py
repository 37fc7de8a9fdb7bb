"""`potc policy check-text`: a text is checked by several translations into a policy's words."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from potlang import policy
from potlang.cli.common import (
    ALL_ENTAILED,
    OTHER_ANSWER,
    UNDECIDED,
    color_option,
    format_option,
    use_color,
    waiting,
)
from potlang.cli.model_options import AskedModel, model_options
from potlang.cli.policy.common import Seconds, case_option, given_case, limited, side, stored
from potlang.cli.reason import given_text, tell_attempt
from potlang.diag.wording import counted

if TYPE_CHECKING:
    from potlang.languages.pot.program import Program
    from potlang.policy import Case, Store, TextCheck


@click.command("check-text")
@click.argument("id")
@click.argument("text")
@click.option(
    "--samples",
    type=click.IntRange(1, 100),
    help="Translations of the text. [default: 3, or one of each model if these are more; all --replies]",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="The share of the translations that must mean the same.",
)
@case_option
@click.option(
    "--replies",
    metavar="FILE",
    help="JSON or JSON Lines: replies of a model, each a translation. No model is asked.",
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Translations at a time.")
@model_options(accepted="one translation", several=True)
@format_option("text", "json")
@color_option
@limited
@stored
def check_text(
    id: str,
    text: str,
    samples: int | None,
    threshold: float,
    given: str | None,
    replies: str | None,
    jobs: int,
    asked: AskedModel,
    style: str,
    color: str,
    seconds: Seconds,
    store: Store,
) -> None:
    """Check a text against a policy, by several translations that must mean the same.

    ID is a policy, or a file with a program. TEXT is the text itself, the name of a file that has it, or `-`
    for standard input. A model says in the policy's words what the text takes as given and what it claims;
    solvers compare the translations and decide the claims.

    Exit code: 0 the text is valid; 1 it is invalid, satisfiable or impossible; 2 the policy, the case or the
    call is wrong; 3 it is ambiguous or too complex, or has no translation.
    """
    program, _ = side(store, id)
    case = given_case(given)
    said = given_text(text)
    try:
        with waiting("comparing the translations"):
            found = (
                _asked(program, said, case, asked, samples, threshold, jobs, seconds)
                if replies is None
                else _recorded(program, said, case, replies, samples, threshold, seconds)
            )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if style == "json":
        click.echo(found.to_json())
    else:
        click.echo(found.render(color=use_color(color)).rstrip("\n"), color=True)
    sys.exit(_exit_code(found))


def _asked(
    program: Program,
    text: str,
    case: Case | None,
    asked: AskedModel,
    samples: int | None,
    threshold: float,
    jobs: int,
    seconds: Seconds,
) -> TextCheck:
    budget = asked.budget()
    with ExitStack() as opened:
        names = asked.models or (None,)
        models = [opened.enter_context(asked.endpoint(name, budget=budget)) for name in names]
        return policy.check_text(
            program,
            text,
            models,
            case=case,
            samples=samples,
            threshold=threshold,
            attempts=asked.attempts,
            parallel=jobs,
            limits=seconds.limits,
            temperature=asked.temperature,
            max_tokens=asked.max_tokens,
            seed=asked.model_seed,
            progress=partial(tell_attempt, "a translation"),
        )


def _recorded(
    program: Program,
    text: str,
    case: Case | None,
    replies: str,
    samples: int | None,
    threshold: float,
    seconds: Seconds,
) -> TextCheck:
    recorded = _read_replies(replies)
    if not recorded:
        raise policy.PolicyError(f"{replies!r} has no replies")
    if samples is not None and samples > len(recorded):
        known = counted(len(recorded), "reply", "replies")
        raise policy.PolicyError(f"{replies!r} has {known}, and {samples} are asked for")
    return policy.check_translations(
        program, text, recorded[:samples], case=case, threshold=threshold, limits=seconds.limits
    )


def _read_replies(name: str) -> list[Any]:
    """The replies in a file: a list of texts or objects, or one of them on each line. Raises PolicyError."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
        try:
            found = json.loads(text)
        except ValueError:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except OSError as error:
        raise policy.PolicyError(f"cannot read {name!r}: {error.strerror}") from None
    except UnicodeError as error:
        raise policy.PolicyError(f"cannot read {name!r}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise policy.PolicyError(f"{name!r} is neither JSON nor JSON Lines: {error}") from None
    return found if isinstance(found, list) else [found]


def _exit_code(found: TextCheck) -> int:
    if found.finding is policy.TextFinding.VALID:
        return ALL_ENTAILED
    return OTHER_ANSWER if found.finding.is_decided else UNDECIDED
