"""The verbs for asyncio: each does its work in a thread, so that the event loop goes on meanwhile.

    report = await potlang.aio.verify(source)

A task that is cancelled is freed at once, and its work is interrupted: its solvers end ([STOP-TASK]).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from potlang import api
from potlang.batch import many
from potlang.batch.run import BatchOptions
from potlang.utils.interruptible import Interruptible

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


def _in_a_thread(verb: Callable[Parameters, Answer]) -> Callable[Parameters, Awaitable[Answer]]:
    @wraps(verb)
    async def twin(*args: Parameters.args, **options: Parameters.kwargs) -> Answer:
        work = Interruptible(partial(verb, *args, **options))
        try:
            return await asyncio.to_thread(work)
        except asyncio.CancelledError:
            work.interrupt()
            raise

    return twin


check = _in_a_thread(api.check)
lint = _in_a_thread(api.lint)
compile = _in_a_thread(api.compile)
verify = _in_a_thread(api.verify)
view = _in_a_thread(api.view)
fix = _in_a_thread(api.fix)
_next = _in_a_thread(next)


async def verify_many(
    sources: Iterable[Any],
    options: BatchOptions | None = None,
    *,
    workers: int | None = None,
    cache: api.CacheChoice = None,
) -> AsyncIterator[many.VerifiedOne]:
    """The answers of `potlang.verify_many` as they come; `sources` is read in a thread ([BATCH-MANY])."""
    answers = many.verify_many(sources, options, workers=workers, cache=cache)
    try:
        while (found := await _next(answers, None)) is not None:
            yield found
    finally:
        # A task that is cancelled leaves it to its thread, where it is interrupted.
        with suppress(ValueError):
            answers.close()


__all__ = ["check", "compile", "fix", "lint", "verify", "verify_many", "view"]
