"""Options of the commands that have a model write programs: which model, where, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

import click

from potlang.cli.common import Command, tell
from potlang.cli.helping import Command as HelpedCommand
from potlang.cli.options import grouped
from potlang.models.endpoint import Endpoint, MeteredModel, ModelBudget, Sampling
from potlang.models.endpoint.cached import CachedModel, usual_cache
from potlang.models.endpoint.metered import read_prices
from potlang.models.endpoint.model import Completion, Message, Settings, WrappedModel
from potlang.models.loop.batched import BatchedModel

if TYPE_CHECKING:
    from potlang.models.endpoint import Prices
    from potlang.models.endpoint.metered import MeteredModel
    from potlang.models.endpoint.providers import Provider
    from potlang.models.endpoint.request import JsonMode


_OFF = "off"


class ReplyOptions(TypedDict):
    """The options of replies for `reason` of each language; their timeout is the endpoint's."""

    attempts: int
    temperature: float | None
    max_tokens: int | None
    seed: int | None


class AskedModel(NamedTuple):
    """The values of the options: the model, its endpoint, the sampling of replies, and what it may cost.

    None stands for what the environment says of `model`, `base_url` and `provider`, and else for the
    endpoint's own; of `model_cache` for the command's default. Several `models` are for commands that ask for
    them.
    """

    models: tuple[str, ...]
    base_url: str | None
    provider: Provider | None
    json_mode: JsonMode
    attempts: int
    temperature: float | None
    max_tokens: int | None
    model_timeout: float
    model_seed: int | None
    model_cache: str | None
    price: str | None
    budget_tokens: int | None
    budget_dollars: float | None

    @property
    def model(self) -> str | None:
        """The first of the models; None for that of the environment."""
        return self.models[0] if self.models else None

    def endpoint(
        self, model: str | None = None, *, budget: ModelBudget | None = None, cached: bool = False
    ) -> AskedEndpoint:
        """The model that the options and the environment name; a usage error if they name none.

        `model` is another one there, `budget` one that several share, `cached`: its replies are kept unless
        the options say otherwise.
        """
        try:
            found: Endpoint | MeteredModel | CachedModel = Endpoint.from_environment(
                model or self.model,
                base_url=self.base_url,
                provider=self.provider,
                json_mode=self.json_mode,
                timeout=self.model_timeout,
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        budget = budget or self.budget()
        if self.price is not None or budget is not None:
            found = MeteredModel(found, self._prices(), budget)
        if (path := self._cache_path(cached)) is not None:
            found = CachedModel(found, path)
        return AskedEndpoint(found, budget)

    def budget(self) -> ModelBudget | None:
        """The budget of the run; None if it has none."""
        if self.budget_tokens is None and self.budget_dollars is None:
            return None
        return ModelBudget(tokens=self.budget_tokens, dollars=self.budget_dollars)

    def sampling(self) -> Sampling:
        """The sampling of replies."""
        return Sampling(self.attempts, self.temperature, self.max_tokens, self.model_timeout, self.model_seed)

    def reply_options(self) -> ReplyOptions:
        """The sampling of replies, as the functions that answer questions take it."""
        return {
            "attempts": self.attempts,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.model_seed,
        }

    def _prices(self) -> Prices | None:
        try:
            return None if self.price is None else read_prices(self.price)
        except (ValueError, OSError) as error:
            raise click.BadParameter(str(error), param_hint="--price") from error

    def _cache_path(self, cached: bool) -> Path | None:
        if self.model_cache == _OFF or (self.model_cache is None and not cached):
            return None
        if self.model_cache is not None:
            return Path(self.model_cache)
        try:
            return usual_cache()
        except RuntimeError:
            # Without a home nothing is kept, which is no reason not to answer.
            return None


class AskedEndpoint(WrappedModel):
    """The model that a command asks. Its end is told on standard error: notes, replies kept, money spent."""

    def __init__(self, model: Endpoint | MeteredModel | CachedModel, budget: ModelBudget | None) -> None:
        super().__init__(model)
        self._budget = budget
        self._is_told = False

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The model's. Raises EndpointError."""
        return self._model.complete(messages, **settings)

    def batches(self) -> BatchedModel:
        """The model asked in batches, whose states are told; a usage error if there are none."""
        try:
            return BatchedModel(self._model, _told_once())
        except ValueError as error:
            raise click.UsageError(str(error)) from error

    def close(self) -> None:
        """Closes the model, and says once what there is to say of it."""
        super().close()
        if self._is_told:
            return
        self._is_told = True
        for each in self.notes:
            tell(f"note: {each}")
        figures = getattr(self._model, "figures", None)
        if figures is not None and figures.found:
            tell(
                f"note: {figures.found} of {figures.found + figures.asked} replies are from the model cache, "
                f"with {figures.prompt_tokens} + {figures.completion_tokens} tokens that cost nothing now"
            )
        if self._budget is not None:
            tokens, dollars = self._budget.spent
            money = f", ${dollars:.4f}" if dollars else ""
            tell(f"note: spent of the budget: {tokens} tokens{money}")


def _told_once() -> Callable[[str], object]:
    """Tells lines on standard error, the same one once."""
    told: set[str] = set()

    def tell_new(line: str) -> None:
        if line not in told:
            told.add(line)
            tell(f"note: {line}")

    return tell_new


def _as_tuple(
    ctx: click.Context, param: click.Parameter, value: str | tuple[str, ...] | None
) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else () if value is None else (value,)


def model_options(
    attempts: int = 3, accepted: str = "one program", *, cached: bool = False, several: bool = False
) -> Callable[[Command], Command]:
    """Adds the options, which the command gets as one parameter, `asked`, an `AskedModel`.

    `attempts` is how many replies there are by default for what is `accepted`, `cached` whether they are
    kept by default, `several` whether several models may be named.
    """
    more = " May be repeated: then they share the samples." if several else ""

    return grouped(
        "asked",
        AskedModel,
        "The model",
        click.option(
            "--model",
            "models",
            metavar="NAME",
            multiple=several,
            callback=_as_tuple,
            help=f"The model at the endpoint.{more} [default: POTLANG_MODEL]",
        ),
        click.option(
            "--base-url", help="The endpoint. [default: OPENAI_BASE_URL; the key is OPENAI_API_KEY]"
        ),
        click.option(
            "--provider",
            type=click.Choice(["openai", "azure", "anthropic"]),
            help="Whose interface the endpoint has. [default: as its address or the environment shows]",
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
        click.option(
            "--model-cache",
            metavar="FILE|off",
            help="Keep replies in this file, and ask for none that is in it. "
            f"[default: {'replies.sqlite3 in the cache directory' if cached else _OFF}]",
        ),
        click.option(
            "--price",
            metavar="IN,OUT[,CACHED]|FILE.json",
            help="Dollars for a million tokens, or a file that has them by model.",
        ),
        click.option(
            "--budget-tokens", type=click.IntRange(1), help="Ask no more once so many tokens may be spent."
        ),
        click.option(
            "--budget-dollars",
            type=click.FloatRange(0, min_open=True),
            help="Ask no more once so much money may be spent.",
        ),
    )


second_look_option = click.option(
    "--second-look/--no-second-look",
    default=True,
    show_default=True,
    help="Ask once more about what contradicts itself, is refuted, begs the question, or leaves it open.",
)
safe_fixes_option = click.option(
    "--safe-fixes/--no-safe-fixes",
    default=True,
    show_default=True,
    help="Mend what keeps its meaning without a call.",
)

strategy_option = click.option(
    "--strategy",
    type=click.Choice(["plain", "self-consistency", "self-refine", "decomposed", "least-to-most"]),
    default="plain",
    show_default=True,
    help="How the model comes to a program: at once; several times, at temperature 0.7, by vote; "
    "criticised and rewritten; from an outline in sentences; bit by bit.",
)
prompt_option = click.option(
    "--prompt",
    type=click.Choice(["full", "short"]),
    default="full",
    show_default=True,
    help="What is told of the language: all, or in 900 tokens what a small model has room for.",
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
