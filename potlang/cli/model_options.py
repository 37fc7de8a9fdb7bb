"""Options of the commands that have a model write programs: which model, where, and how it is asked."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from potlang.cli.common import Command

if TYPE_CHECKING:
    from potlang.models.endpoint import Endpoint
    from potlang.models.endpoint.client import JsonMode

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


class AskedModel(NamedTuple):
    """What the options say: the model, its endpoint, and how replies are sampled.

    None stands for what the environment says of `model` and `base_url`, and else for the endpoint's own.
    """

    model: str | None
    base_url: str | None
    json_mode: JsonMode
    attempts: int
    temperature: float | None
    max_tokens: int | None
    model_timeout: float
    model_seed: int | None

    def endpoint(self) -> Endpoint:
        """The endpoint that the options and the environment name; a usage error if they name none."""
        from potlang.models.endpoint import Endpoint

        try:
            return Endpoint.from_environment(
                self.model, base_url=self.base_url, json_mode=self.json_mode, timeout=self.model_timeout
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from error


def model_options(command: Command) -> Command:
    """Adds the options, which the command gets as one parameter, `asked`, an `AskedModel`."""

    @wraps(command)
    def with_asked(*arguments: Any, **given: Any) -> Any:
        asked = AskedModel(*(given.pop(name) for name in AskedModel._fields))
        return command(*arguments, asked=asked, **given)

    found = cast(Command, with_asked)
    for option in reversed(_OPTIONS):
        found = option(found)
    return found
