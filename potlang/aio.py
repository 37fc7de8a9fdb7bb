"""The verbs for asyncio: each does its work in a thread, so that the event loop goes on meanwhile.

    report = await potlang.aio.verify(source)

A task that is cancelled is freed at once, and its work is interrupted: its solvers end ([STOP-TASK]).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from potlang import api
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

__all__ = ["check", "compile", "fix", "lint", "verify", "view"]
