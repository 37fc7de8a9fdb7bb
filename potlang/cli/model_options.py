"""Options of the commands that have a model write programs: which model, where, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from potlang.cli.common import Command
from potlang.cli.helping import Command as HelpedCommand
from potlang.cli.options import grouped

if TYPE_CHECKING:
    from potlang.models.endpoint import Endpoint, Sampling
    from potlang.models.endpoint.client import JsonMode


class AskedModel(NamedTuple):
    """The values of the options: the model, its endpoint, and the sampling of replies.

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

    def endpoint(self, model: str | None = None) -> Endpoint:
        """The endpoint that the options and the environment name; a usage error if they name none.

        `model` is another model there.
        """
        from potlang.models.endpoint import Endpoint

        try:
            return Endpoint.from_environment(
                model or self.model,
                base_url=self.base_url,
                json_mode=self.json_mode,
                timeout=self.model_timeout,
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from error

    def sampling(self) -> Sampling:
        """The sampling of replies."""
        from potlang.models.endpoint import Sampling

        return Sampling(self.attempts, self.temperature, self.max_tokens, self.model_timeout, self.model_seed)


def model_options(attempts: int = 3, accepted: str = "one program") -> Callable[[Command], Command]:
    """Adds the options, which the command gets as one parameter, `asked`, an `AskedModel`.

    `attempts` is how many replies there are by default for what is `accepted`.
    """

    return grouped(
        "asked",
        AskedModel,
        "The model",
        click.option("--model", metavar="NAME", help="The model at the endpoint. [default: POTLANG_MODEL]"),
        click.option(
            "--base-url", help="The endpoint. [default: OPENAI_BASE_URL; the key is OPENAI_API_KEY]"
        ),
        click.option(
            "--json-mode",
            type=click.Choice(["schema", "object", "none"]),
            default="schema",
            help="How the endpoint is asked for JSON: by a schema, as any object, or not at all.",
        ),
        click.option(
            "--attempts",
            type=click.IntRange(1, 100),
            default=attempts,
            help=f"Replies of the model for {accepted}.",
        ),
        click.option("--temperature", type=click.FloatRange(0, 2), help="[default: the endpoint's]"),
        click.option(
            "--max-tokens", type=click.IntRange(1), help="Most tokens of a reply. [default: the endpoint's]"
        ),
        click.option(
            "--model-timeout", type=click.FloatRange(1, 3600), default=300.0, help="Seconds for one reply."
        ),
        click.option(
            "--model-seed",
            type=int,
            help="Seed of the first request; each further request has the next seed.",
        ),
    )


class Renamed(HelpedCommand):
    """A command some of whose options had other names: those still work, with a warning."""

    def __init__(self, *arguments: Any, renamed: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._renamed = renamed

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments with the options' present names."""
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*map(self._present, args[:end]), *args[end:]])

    def _present(self, arg: str) -> str:
        name, sign, value = arg.partition("=")
        if name not in self._renamed:
            return arg
        click.echo(f"warning: {name} is now called {self._renamed[name]}", err=True)
        return f"{self._renamed[name]}{sign}{value}"
