"""The cost of calls, and a budget that they keep to ([ENDPOINT-PRICE], [ENDPOINT-BUDGET])."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Unpack, get_args

from potlang.models.endpoint.model import (
    Completion,
    EndpointError,
    Failure,
    Message,
    Model,
    Settings,
    Usage,
    WrappedModel,
    every_setting,
)

_MILLION: Final = 1_000_000
_BYTES_A_TOKEN: Final = 3
"""Few enough that an estimate is rarely below what is counted; English has four or five."""
_TOKENS_OF_AN_IMAGE: Final = 1_600
_TOKENS_OF_A_MESSAGE: Final = 5
_LARGEST_FILE: Final = 1_000_000
_PARTS: Final = ("prompt", "completion", "cached")


class Price(NamedTuple):
    """Dollars for a million tokens; those `cached` of the prompt cost as others where they have no price."""

    prompt: float
    completion: float
    cached: float | None = None

    def of(self, usage: Usage) -> float | None:
        """The dollars for these tokens; None where they are not counted."""
        if usage.prompt is None or usage.completion is None:
            return None
        kept = min(usage.cached or 0, usage.prompt)
        at_once = self.prompt if self.cached is None else self.cached
        dollars = (usage.prompt - kept) * self.prompt + kept * at_once + usage.completion * self.completion
        return dollars / _MILLION


class Prices:
    """Prices by model; that of the longest name with which a model's begins, and `*` for any other."""

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices

    def of(self, model: str) -> Price | None:
        """The price of a model; None if there is none."""
        names = [each for each in self._prices if model.startswith(each)]
        return self._prices[max(names, key=len)] if names else self._prices.get("*")


def read_prices(given: str) -> Prices:
    """The prices of `IN,OUT` or `IN,OUT,CACHED` for any model, or of a JSON file by model.

    In the file each has a list of these numbers, or an object of `prompt`, `completion` and `cached`. Raises
    ValueError for what is neither, OSError for a file that cannot be read.
    """
    if Path(given).suffix != ".json":
        try:
            return Prices({"*": _price([float(each) for each in given.split(",")])})
        except ValueError:
            raise ValueError("a price is IN,OUT or IN,OUT,CACHED in dollars, or a file NAME.json") from None
    with Path(given).open("rb") as file:
        data = file.read(_LARGEST_FILE + 1)
    try:
        value = json.loads(data) if len(data) <= _LARGEST_FILE else None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{given} is no JSON") from error
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{given} is no JSON object of prices by model")
    try:
        return Prices({name: _price(each) for name, each in value.items()})
    except ValueError as error:
        raise ValueError(f"{given}: {error}") from None


def _price(value: Any) -> Price:
    if isinstance(value, dict) and value.keys() <= set(_PARTS):
        value = [value.get(name) for name in _PARTS if value.get(name) is not None or name != "cached"]
    if not isinstance(value, list) or len(value) not in (2, 3):
        raise ValueError("a price has two or three numbers")
    for each in value:
        is_number = isinstance(each, int | float) and not isinstance(each, bool)
        if not is_number or not 0 <= each < _MILLION:
            raise ValueError("a price is a number of dollars for a million tokens")
    return Price(*map(float, value))


class Spent(NamedTuple):
    """Tokens and dollars; `dollars` of the calls whose cost is known."""

    tokens: int = 0
    dollars: float = 0.0

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(self.tokens + other.tokens, self.dollars + other.dollars)

    def minus(self, other: Spent) -> Spent:
        """Less what the other is."""
        return Spent(self.tokens - other.tokens, self.dollars - other.dollars)


class ModelBudget:
    """The most tokens and dollars of a run, shared by its models and threads. Raises ValueError for none.

    A call takes the most that it may cost before it is made, and gives back what it did not. It waits for
    others while they may yet give back enough.
    """

    def __init__(self, *, tokens: int | None = None, dollars: float | None = None) -> None:
        if (tokens is not None and tokens < 1) or (dollars is not None and not dollars > 0):
            raise ValueError("a budget is positive")
        self.tokens = tokens
        self.dollars = dollars
        self.spent = Spent()
        self._taken = Spent()
        self._unknown = False
        self._changed = threading.Condition()

    def take(self, most: Spent, *, waits: bool = True) -> None:
        """Takes the most that a call may cost. Raises EndpointError "budget" where it is not left.

        It `waits` for other calls, which may give back enough.
        """
        with self._changed:
            while not self._fits(self.spent.plus(self._taken).plus(most)):
                if self._taken.tokens <= 0 or not waits:
                    raise EndpointError("budget", self._used_up(most))
                self._changed.wait()
            if self._unknown and self.dollars is not None:
                raise EndpointError("budget", "the cost of a call is not known: give the price of the model")
            self._taken = self._taken.plus(most)

    def settle(self, most: Spent, real: Spent, *, is_known: bool) -> None:
        """Gives back what `take` took, for what it really was; `is_known`: its dollars are."""
        with self._changed:
            self._taken = self._taken.minus(most)
            self.spent = self.spent.plus(real)
            self._unknown = self._unknown or not is_known
            self._changed.notify_all()

    def _fits(self, all_of_it: Spent) -> bool:
        return (self.tokens is None or all_of_it.tokens <= self.tokens) and (
            self.dollars is None or all_of_it.dollars <= self.dollars
        )

    def _used_up(self, most: Spent) -> str:
        gone = self.spent.plus(self._taken)
        if self.tokens is not None and gone.tokens + most.tokens > self.tokens:
            return (
                f"{gone.tokens:,} of {self.tokens:,} tokens are used up, "
                f"and the next call may take {most.tokens:,}"
            )
        return (
            f"${gone.dollars:.4f} of ${self.dollars:.4f} are used up, "
            f"and the next call may cost ${most.dollars:.4f}"
        )


class Held(NamedTuple):
    """The most that a request may cost, taken from the budget, and the tokens of its prompt."""

    most: Spent
    prompt: int


class MeteredModel(WrappedModel):
    """A model whose replies have their cost, and which keeps to a budget.

    The cost is the one that the endpoint states, else that of the prices; unknown without either.
    """

    def __init__(self, model: Model, prices: Prices | None = None, budget: ModelBudget | None = None) -> None:
        super().__init__(model)
        self._price = None if prices is None else prices.of(model.name)
        self._budget = budget or ModelBudget()

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The reply, with its cost. Raises EndpointError, "budget" if it may cost more than is left."""
        held = self.hold(messages, settings)
        found: Completion | EndpointError | None = None
        try:
            found = self._model.complete(messages, **settings)
            return self.with_cost(found)
        except EndpointError as error:
            found = error
            raise
        finally:
            self.settle(held, found)

    def hold(self, messages: Sequence[Message], settings: Settings, *, waits: bool = True) -> Held:
        """Takes the most that a request may cost from the budget. Raises EndpointError "budget"."""
        prompt = estimated_prompt(messages, every_setting(settings))
        most = self._at_most(prompt, settings.get("max_tokens"))
        self._budget.take(most, waits=waits)
        return Held(most, prompt)

    def unheld(self, messages: Sequence[Message], settings: Settings) -> Held:
        """The amount that settles a request for which an earlier run held something, and this one nothing."""
        return Held(Spent(), estimated_prompt(messages, every_setting(settings)))

    def settle(self, held: Held, found: Completion | EndpointError | None) -> None:
        """Gives back what was held for a request, but for what came of it; None: nothing."""
        parts = [] if found is None else [*found.broken]
        if isinstance(found, Completion):
            parts.append(found)
        elif found is not None and found.received is not None:
            parts.append(found.received)
        real, is_known = self._real(parts, held.prompt)
        self._budget.settle(held.most, real, is_known=is_known)

    def with_cost(self, done: Completion) -> Completion:
        """The reply with its cost: the one that the endpoint states, else that of the prices."""
        if done.cost is not None or self._price is None:
            return done
        return done._replace(cost=self._price.of(done.usage))

    def _at_most(self, prompt: int, max_tokens: int | None) -> Spent:
        usage = Usage(prompt, max_tokens or 0)
        return Spent(prompt + (max_tokens or 0), (self._price.of(usage) or 0.0) if self._price else 0.0)

    def _real(self, parts: Sequence[Completion], prompt: int) -> tuple[Spent, bool]:
        """The tokens and dollars of all that came, and whether the dollars are known.

        Tokens that nobody counted, as of an answer that broke off, are estimated.
        """
        whole, is_known = Spent(), True
        for each in parts:
            usage = _counted(each, prompt)
            cost = each.cost
            if cost is None and self._price is not None:
                cost = self._price.of(usage)
            is_known = is_known and cost is not None
            whole = whole.plus(Spent((usage.prompt or 0) + (usage.completion or 0), cost or 0.0))
        return whole, is_known


def _counted(done: Completion, prompt: int) -> Usage:
    """The tokens of an answer; what is not counted is estimated, `prompt` is that of its request."""
    written = _tokens(done.text + done.reasoning + done.arguments)
    counted = done.usage.completion
    # Of an answer that broke off, its beginning alone may be counted.
    if counted is None or (done.finish_reason in get_args(Failure) and counted < written):
        counted = written
    return done.usage._replace(
        prompt=prompt if done.usage.prompt is None else done.usage.prompt, completion=counted
    )


def estimated_prompt(messages: Sequence[Message], settings: Mapping[str, Any]) -> int:
    """The tokens of a request, rather more than fewer: of its texts, images and schema."""
    tokens = 0
    for each in messages:
        images = 0 if isinstance(each.content, str) else sum(not isinstance(p, str) for p in each.content)
        tokens += _tokens(each.text) + _TOKENS_OF_A_MESSAGE + images * _TOKENS_OF_AN_IMAGE
    schema = settings.get("schema")
    return tokens + (0 if schema is None else _tokens(json.dumps(schema)))


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)
