"""The frame of every `reason`: a question, a model, and samples, each written by itself ([LOOP-FAILURE])."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeVar, get_args

from potlang.models.endpoint import Endpoint, Model
from potlang.models.loop.asking import Attempt, is_given_up
from potlang.models.loop.journal import in_parallel
from potlang.prove.options import RouteName, Trust

MOST: Final = 100
"""Of attempts, of samples and of options."""
LONGEST_QUESTION: Final = 200_000


class Attempted(Protocol):
    """A sample: what a model was asked for it, and what came of that."""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The requests, in order."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""


SampleOf = TypeVar("SampleOf", bound=Attempted)


def check_question(
    question: str, attempts: int, k: int, *, parallel: int = 1, route: str = "auto", trust: str = "best"
) -> None:
    """Raises ValueError for a question that is not to be put, with these options of `reason`."""
    if not question.strip() or len(question) > LONGEST_QUESTION:
        raise ValueError(f"a question or a text has 1 to {LONGEST_QUESTION:,} characters")
    for name, count in (("attempts", attempts), ("k", k), ("parallel", parallel)):
        if not 1 <= count <= MOST:
            raise ValueError(f"`{name}` is from 1 to {MOST}")
    if route not in get_args(RouteName) or trust not in get_args(Trust):
        raise ValueError(f"no route {route!r} or trust {trust!r}")


@contextmanager
def opened_model(model: Model | str | None) -> Iterator[Model]:
    """A model that is handed in, which is the caller's to close, or one of the environment by its name."""
    if model is not None and not isinstance(model, str):
        yield model
        return
    endpoint = Endpoint.from_environment(model)
    try:
        yield endpoint
    finally:
        endpoint.close()


def samples_of(
    write: Callable[[int], SampleOf],
    k: int,
    *,
    parallel: int = 1,
    suffices: Callable[[SampleOf], bool] = lambda sample: False,
) -> list[SampleOf]:
    """Up to `k` samples in the order of their numbers, `parallel` at a time.

    After one that `suffices`, and after a failure of the endpoint that would come back, none is begun. What
    is there by then was paid for, and counts.
    """
    is_over = False

    def sample(number: int) -> tuple[int, SampleOf] | None:
        nonlocal is_over
        if is_over:
            return None
        found = write(number)
        is_over = is_over or suffices(found) or is_given_up(found.attempts)
        return number, found

    # In the order of their numbers: a vote must not depend on which was there first.
    found = dict(filter(None, in_parallel(sample, range(k), parallel)))
    return [found[number] for number in sorted(found)]
