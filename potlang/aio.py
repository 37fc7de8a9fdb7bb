"""The verbs for asyncio: each does its work in a thread, so that the event loop goes on meanwhile.

    report = await potlang.aio.verify(source)

A task that is cancelled is freed at once; the thread goes on until the limits of its call end it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from potlang import api

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


def _in_a_thread(verb: Callable[Parameters, Answer]) -> Callable[Parameters, Awaitable[Answer]]:
    @wraps(verb)
    async def twin(*args: Parameters.args, **options: Parameters.kwargs) -> Answer:
        return await asyncio.to_thread(verb, *args, **options)

    return twin


check = _in_a_thread(api.check)
compile = _in_a_thread(api.compile)
verify = _in_a_thread(api.verify)
view = _in_a_thread(api.view)
fix = _in_a_thread(api.fix)

__all__ = ["check", "compile", "fix", "verify", "view"]
