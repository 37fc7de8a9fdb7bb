"""Replies that are kept as they come, and played back ([BUILD-JOURNAL]).

A line is a JSON object with `stage`, `sentences` (the numbers that were asked about) and `reply`, a text or a
JSON value; a journal has more beside these. Replies to one request are played in their order.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from potlang.languages.dagmath.read.samples import read_lines
from potlang.models.endpoint import Completion, EndpointError, Message, Model
from potlang.models.endpoint.model import Settings
from potlang.models.loop.asking import Attempt
from potlang.models.loop.journal import BadJournal, Journal, attempt_value
from potlang.policy.building.builder import RESOLVING
from potlang.source import InputLimits

Request = tuple[str, tuple[int, ...]]
"""A stage, and the numbers of the sentences that were asked about."""
_LIMITS = InputLimits(bytes=1 << 26)


class KeptReplies:
    """Replies by request, each of which is played once; then `model` is asked, if there is one."""

    def __init__(self, model: Model | None = None) -> None:
        self._model = model
        self._replies: dict[Request, deque[str]] = {}

    def add(self, path: Path) -> None:
        """Adds the replies of a file. Raises BadJournal and OSError."""
        with path.open("rb") as stream:
            for number, line in read_lines(stream, _LIMITS):
                try:
                    request, reply = _kept(json.loads(line))
                except (ValueError, TypeError, KeyError, RecursionError):
                    problem = f"line {number} of {path} has no `stage`, `sentences` and `reply`"
                    raise BadJournal(problem) from None
                if reply:
                    self._replies.setdefault(request, deque()).append(reply)

    def model_for(self, stage: str, numbers: Sequence[int]) -> Model | None:
        """The model to ask about these sentences in a stage; None where it can be left out, and no reply is
        kept.
        """
        request = stage, tuple(numbers)
        replies = self._replies.get(request, deque())
        if stage == RESOLVING and self._model is None and not replies:
            return None
        return _KeptModel(request, replies, self._model)


class _KeptModel:
    """Answers one request with the replies that are kept, and then as another model does."""

    def __init__(self, request: Request, replies: deque[str], model: Model | None) -> None:
        self.name = "recorded" if model is None else model.name
        self._request = request
        self._replies = replies
        self._model = model

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The next reply. Raises EndpointError where there is none."""
        if self._replies:
            return Completion(self._replies.popleft(), from_cache=True)
        if self._model is not None:
            return self._model.complete(messages, **settings)
        stage, numbers = self._request
        of = f" for sentences {numbers[0]} to {numbers[-1]}" if numbers else ""
        raise EndpointError("not found", f"no further reply is recorded of the stage `{stage}`{of}")


def _kept(value: Any) -> tuple[Request, str]:
    """The request and the reply of a line; a reply that failed is empty."""
    numbers, reply = value["sentences"], value["reply"]
    if not isinstance(value["stage"], str) or not all(type(each) is int for each in numbers):
        raise TypeError("no request")
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    return (value["stage"], tuple(numbers)), text


class BuildJournal(Journal[str]):
    """Every reply of a run, as soon as it is there. Raises BadJournal and OSError."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, lambda value: (str(_kept(value)[0]), _kept(value)[1]), begins=b'{"stage": ')

    def note(self, stage: str, numbers: Sequence[int], attempt: Attempt) -> None:
        """Writes an attempt down, unless its reply was played back."""
        if not attempt.from_cache:
            value = {**attempt_value(attempt), "sentences": list(numbers)}
            self.append(str((stage, tuple(numbers))), attempt.reply, value)
