"""Replies kept under the whole request, so that nobody pays for the same one twice ([ENDPOINT-CACHE])."""

from __future__ import annotations

import hashlib
import heapq
import json
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, Unpack

from potlang.models.endpoint.model import (
    Completion,
    Message,
    Model,
    Settings,
    WrappedModel,
    every_setting,
)
from potlang.prove.cache_file import CacheFile, number_between
from potlang.prove.cache_store import CacheRow, Damaged, Unusable
from potlang.utils.directories import user_directory
from potlang.utils.rest import Rest

_FORMAT: Final = 1
_FILE: Final = "replies.sqlite3"
_MOST_BYTES: Final = 4 << 30
_VARIABLE: Final = "POTLANG_MODEL_CACHE"
_FILTERED: Final = "content_filter"
# The time that is left for an answer does not change it.
_OUTSIDE: Final = frozenset({"timeout"})

T = TypeVar("T")


def usual_cache() -> Path:
    """The file for replies in the user's directory for caches. Raises RuntimeError without a home."""
    directory = user_directory(
        _VARIABLE,
        windows="potlang/Cache",
        macos="Caches/potlang",
        xdg=("XDG_CACHE_HOME", ".cache"),
        other="potlang",
    )
    return directory / _FILE


class CacheFigures(NamedTuple):
    """How many replies were found, how many asked for, and the tokens of those that were found."""

    found: int = 0
    asked: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class CacheSlot(NamedTuple):
    """The digest of a request, and how often it was made before in this run."""

    request: str
    number: int

    @property
    def key(self) -> str:
        """The key in the file."""
        return f"{self.request}-{self.number}"


class CachedModel(WrappedModel):
    """A model whose replies are kept in a file, for any number of threads and processes.

    The same request made again in one run is another one: its second reply is kept apart from its first, so
    that several samples stay several. Failures, and what a content filter says, are not kept. A file that
    cannot be used costs a note and no reply.
    """

    def __init__(self, model: Model, path: Path) -> None:
        super().__init__(model)
        self._store = _ReplyFile(path, _MOST_BYTES)
        self._lock = threading.Lock()
        self._occurrences = _Occurrences()
        self._rest = Rest()
        self._own_notes: tuple[str, ...] = ()
        self.figures = CacheFigures()

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the model, and of the file."""
        return (*super().notes, *self._own_notes)

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The reply that is kept, else the model's, which is kept. Raises EndpointError."""
        slot = self.take(messages, settings)
        try:
            found = self.find(slot)
            if found is None:
                found = self._model.complete(messages, **settings)
                self.keep(slot, found)
        except BaseException:
            # The next one who asks so is the first again.
            with self._lock:
                self._occurrences.give_back(*slot)
            raise
        return found

    def take(self, messages: Sequence[Message], settings: Settings) -> CacheSlot:
        """The place of a request's reply, which no other request of this run has."""
        request = self._digest(messages, every_setting(settings))
        with self._lock:
            return CacheSlot(request, self._occurrences.take(request))

    def find(self, slot: CacheSlot) -> Completion | None:
        """The reply that is kept there; None if there is none."""
        found = self._find(slot.key)
        if found is not None:
            self._count(found)
        return found

    def keep(self, slot: CacheSlot, done: Completion) -> None:
        """Keeps a reply that was asked for."""
        self._keep(slot.key, done)
        self._count(done)

    def _digest(self, messages: Sequence[Message], settings: dict[str, Any]) -> str:
        whole = {
            "format": _FORMAT,
            "place": self.place,
            "model": self.name,
            "messages": [each.to_dict() for each in messages],
            "settings": {name: value for name, value in settings.items() if name not in _OUTSIDE},
        }
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()

    def _find(self, key: str) -> Completion | None:
        row = self._guarded(lambda: self._store.find(key))
        if row is None:
            return None
        try:
            return _completion(row, key)
        except (ValueError, TypeError, KeyError, zlib.error):
            self._note("an entry of the model cache is damaged, and its reply asked for again")
            return None

    def _keep(self, key: str, done: Completion) -> None:
        if done.finish_reason != _FILTERED:
            row = _row(key, self.name, done)
            # Again in a new file if this one turns out to be damaged.
            for _ in range(2):
                if self._guarded(lambda: self._store.keep(row)) is not None:
                    break

    def _guarded(self, work: Callable[[], T]) -> T | None:
        """The result of `work`; None where the file does not do it, which is noted."""
        if self._rest.is_on:
            return None
        start = time.monotonic()
        try:
            return work()
        except Damaged as error:
            self._note(f"the model cache {error.place} is damaged, and set aside: {error}")
            if self._store.leave(error.place):
                return None
        except Unusable as error:
            self._note(f"the model cache {error.place} cannot be used: {error}")
        self._rest.begin(time.monotonic() - start)
        return None

    def _note(self, text: str) -> None:
        with self._lock:
            if text not in self._own_notes:
                self._own_notes += (text,)

    def _count(self, done: Completion) -> None:
        with self._lock:
            found, asked, prompt, completion = self.figures
            if done.from_cache:
                prompt += done.usage.prompt or 0
                completion += done.usage.completion or 0
            self.figures = CacheFigures(
                found + done.from_cache, asked + (not done.from_cache), prompt, completion
            )


class _Occurrences:
    """How often each request was made: the smallest number that is not taken."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._free: dict[str, list[int]] = defaultdict(list)

    def take(self, request: str) -> int:
        if self._free.get(request):
            return heapq.heappop(self._free[request])
        number = self._next.get(request, 0)
        self._next[request] = number + 1
        return number

    def give_back(self, request: str, number: int) -> None:
        heapq.heappush(self._free[request], number)


class _ReplyFile(CacheFile):
    """A file for replies; where one is damaged, the next has a number in its name."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        super().__init__(path.parent, most_bytes)
        self._first = path

    def _path(self, number: int) -> Path:
        first = self._first
        return first.with_name(f"{first.stem}.{number}{first.suffix}") if number else first

    def _number(self, name: str) -> int | None:
        if name == self._first.name:
            return 0
        return number_between(name, f"{self._first.stem}.", self._first.suffix)


def _row(key: str, model: str, done: Completion) -> CacheRow:
    packed = zlib.compress(json.dumps(done.to_dict()).encode())
    row = CacheRow(key, "reply", model, "", "", b"", b"", packed)
    return row._replace(sum=_sum(row))


def _sum(row: CacheRow) -> bytes:
    return hashlib.sha256(row.key.encode() + b"\0" + row.report).digest()


def _completion(row: CacheRow, key: str) -> Completion:
    """Raises ValueError, TypeError, KeyError or zlib.error if the row is not what was stored."""
    if row.key != key or row.sum != _sum(row):
        raise ValueError("the checksum does not fit")
    return Completion.from_dict(json.loads(zlib.decompress(row.report)))._replace(from_cache=True)
