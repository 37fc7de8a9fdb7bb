"""The runner of this machine: threads that have a process each go on with one shard after the other."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from potlang.batch import shards as working
from potlang.batch.manifest import Shard
from potlang.batch.shards import News, answer_shard
from potlang.processes.child import Child


def answered_locally(
    directory: Path, shards: Sequence[Shard], options: Mapping[str, Any], workers: int | None
) -> Generator[News, None, None]:
    """As `answer_shard`, of all shards, by processes side by side: one for each processor by default."""
    team = _Team(directory, shards, options)
    yield from team.work(min(workers or os.cpu_count() or 1, len(shards)))


class _Team:
    def __init__(self, directory: Path, shards: Sequence[Shard], options: Mapping[str, Any]) -> None:
        self._directory = directory
        self._options = options
        self._waiting = deque(shards)
        self._news: SimpleQueue[News | BaseException | None] = SimpleQueue()
        self._stopped = threading.Event()

    def work(self, count: int) -> Iterator[News]:
        """Raises what a thread raises."""
        children = [Child(working.SERVICE) for _ in range(count)]
        threads = [threading.Thread(target=self._go_on, args=(child,), daemon=True) for child in children]
        try:
            for thread in threads:
                thread.start()
            while count:
                news = self._news.get()
                if isinstance(news, BaseException):
                    raise news
                if news is None:
                    count -= 1
                else:
                    yield news
        finally:
            self._stopped.set()
            for child in children:
                child.kill_from_outside()

    def _go_on(self, child: Child) -> None:
        try:
            while self._waiting and not self._stopped.is_set():
                try:
                    shard = self._waiting.popleft()
                except IndexError:
                    break
                for news in answer_shard(child, self._directory, shard, self._options, self._stopped.is_set):
                    self._news.put(news)
            child.close()
            self._news.put(None)
        except BaseException as error:
            if not self._stopped.is_set():
                self._news.put(error)
