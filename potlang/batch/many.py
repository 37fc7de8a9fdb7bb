"""`verify_many`: reports on a stream of inputs, by processes, in order, with no more than a few under way."""

from __future__ import annotations

import itertools
import json
import os
from base64 import b64encode
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

from potlang.batch.notebook import answer_html
from potlang.batch.run import BatchOptions
from potlang.batch.shards import GRACE_SECONDS, TRIES, WORKER_MB
from potlang.languages.pot.solve import CacheChoice, chosen_cache
from potlang.processes.children import Children, NotStarted
from potlang.processes.frames import Message
from potlang.processes.process import Died

_SERVICE: Final = ("potlang.batch.worker:JobService",)
_AHEAD: Final = 3
"""Inputs that wait for each process, so that none waits for an input."""


class VerifiedOne(NamedTuple):
    """The verdict on an input and its report as JSON values; `fault` and no report where its process died."""

    verdict: str
    report: dict[str, Any] | None
    fault: str | None = None

    def _repr_html_(self) -> str:
        """A table for notebooks, as the report itself has it; all text is escaped."""
        return answer_html(self.verdict, self.report, self.fault)


def verify_many(
    sources: Iterable[Any],
    options: BatchOptions | None = None,
    *,
    workers: int | None = None,
    cache: CacheChoice = None,
) -> Generator[VerifiedOne, None, None]:
    """The answers to inputs, in their order, as `potlang.verify` gives them ([BATCH-MANY]).

    A source is text, bytes, a path, or a JSON value; anything else is rejected in its place. `sources` is
    read no further than a few inputs ahead of what was taken. `workers` processes work side by side, as many
    as there are processors by default; closing the iterator ends them. `cache` is as for `potlang.verify`.
    Raises OSError if there can be no process, and what `sources` raises, after the answers to what came
    before.

    >>> import potlang
    >>> claims = ({"verifications": [{"name": "c", "constraint": f"{n} < 2"}]} for n in (1, 2))
    >>> [each.verdict for each in potlang.verify_many(claims, workers=1)]
    ['entailed', 'refuted']
    """
    count = workers or os.cpu_count() or 1
    kept = chosen_cache(cache)
    asked = {
        **(options or BatchOptions()).to_dict(),
        "cache": None if kept is None else kept.settings,
    }
    waiting: deque[Future[VerifiedOne]] = deque()
    with Children(_SERVICE, most=count) as children, ThreadPoolExecutor(count) as threads:
        try:
            stopped: Exception | None = None
            given = iter(sources)
            for number in itertools.count(1):
                try:
                    source = next(given)
                except StopIteration:
                    break
                except Exception as error:  # Whatever it is, it is the caller's.
                    stopped = error
                    break
                request = {"source": _sent(source, number), "options": asked}
                waiting.append(threads.submit(_answered, children, request))
                if len(waiting) > count * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
            if stopped is not None:
                raise stopped
        finally:
            for each in waiting:
                each.cancel()
            # Threads that wait for an answer are freed by the end of its process, and try no other.
            children.end()


def _answered(children: Children, request: Message) -> VerifiedOne:
    seconds = request["options"]["limits"][1] / 1000 + GRACE_SECONDS
    tries = 0
    while True:
        try:
            answer = children.ask(request, seconds=seconds, megabytes=WORKER_MB)
        except NotStarted as error:
            raise OSError(f"no process can be kept: {error}") from error
        except Died as error:
            tries += 1
            if tries >= TRIES:
                return VerifiedOne("unknown", None, f"{error.reason}: {error}")
            continue
        return VerifiedOne(answer["report"]["verdict"], answer["report"])


def _sent(source: Any, number: int) -> Message:
    """A source as JSON values; of what has no such form it is said why."""
    match source:
        case bytes():
            return {"bytes": b64encode(source).decode("ascii")}
        case Path():
            return {"path": os.path.abspath(source)}  # noqa: PTH100 - links stay as they are
        case str() | dict() | list() | bool() | int() | float() | None:
            reason = _why_no_json(source)
        case _:
            reason = f"it is of the type {type(source).__name__}, not text, bytes, a path or a JSON value"
    return {"unread": reason, "name": f"source {number}"} if reason else {"value": source}


def _why_no_json(value: Any) -> str:
    """Why a value has no JSON form; nothing if it has one."""
    try:
        json.dumps(value)
    except RecursionError:
        return "it is nested too deeply"
    except Exception as error:  # Subclasses of the types of JSON values run code of their own.
        return f"it is no JSON value ({type(error).__name__})"
    return ""
