"""Options of the commands that have a model write programs: which model, where, and how it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from potlang.cli.common import Command

if TYPE_CHECKING:
    from potlang.endpoint import Endpoint
    from potlang.endpoint.client import JsonMode

_OPTIONS = (
    click.option("--model", metavar="NAME", help="The model at the endpoint. [default: POTLANG_MODEL]"),
    click.option("--base-url", help="The endpoint. [default: OPENAI_BASE_URL; the key is OPENAI_API_KEY]"),
    click.option(
        "--json-mode",
        type=click.Choice(["schema", "object", "none"]),
        default="schema",
        show_default=True,
        help="How the endpoint is asked for JSON.",
    ),
    click.option(
        "--attempts",
        type=click.IntRange(1, 100),
        default=3,
        show_default=True,
        help="Replies of the model for one program.",
    ),
    click.option("--temperature", type=click.FloatRange(0, 2), help="[default: the endpoint's]"),
    click.option("--max-tokens", type=click.IntRange(1), help="Of one reply. [default: the endpoint's]"),
    click.option(
        "--model-timeout",
        type=click.FloatRange(1, 3600),
        default=300.0,
        show_default=True,
        help="Seconds for one reply.",
    ),
    click.option("--model-seed", type=int, help="Of the first request; each further one has the next."),
)


def model_options(command: Command) -> Command:
    """Adds `model`, `base_url`, `json_mode`, `attempts` and how replies are sampled."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def chosen_endpoint(model: str | None, base_url: str | None, json_mode: JsonMode, timeout: float) -> Endpoint:
    """The endpoint that the options and the environment name; a usage error if they name none."""
    from potlang.endpoint import Endpoint

    try:
        return Endpoint.from_environment(model, base_url=base_url, json_mode=json_mode, timeout=timeout)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
