"""A model that is asked in batches: what all conversations ask next is one batch ([EVAL-BATCH]).

Whoever asks before the reply is there gets `AwaitsBatch`, and starts again once it is: what was asked before
is answered as it was, so that each conversation comes one request further.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol, Unpack

from potlang.diag.wording import counted
from potlang.models.endpoint import Completion, Endpoint, EndpointError, MeteredModel, Model, Settings
from potlang.models.endpoint.batches import Batches, BatchRequest, BatchStatus
from potlang.models.endpoint.cached import CachedModel, CacheSlot
from potlang.models.endpoint.failures import RETRIED
from potlang.models.endpoint.metered import Held
from potlang.models.endpoint.model import Message, WrappedModel, every_setting

_TRIES: Final = 3
"""Of fetching the results of a batch."""


class AwaitsBatch(Exception):
    """The reply comes with the next batch."""


class BatchReply(NamedTuple):
    """The outcome of a request in a batch: the `completion`, None where it failed."""

    batch: str
    completion: Completion | None


class BatchRecord(Protocol):
    """Batches, and replies that came of them, by the names of their requests; kept for later runs.

    From several threads at once.
    """

    def batch_of(self, name: str) -> str | None:
        """The id of the last batch with this request."""

    def names_in(self, batch: str) -> Sequence[str]:
        """The names of a batch's requests, in order."""

    def reply(self, name: str) -> BatchReply | None:
        """The last outcome of a request."""

    def keep_batch(self, batch: str, names: Sequence[str]) -> None:
        """Adds a batch that was handed in."""

    def keep_reply(self, name: str, reply: BatchReply, failure: str = "") -> None:
        """Adds what came of a request."""


class _PendingRequest(NamedTuple):
    """A request without a reply. `slot` is its place in the cache, if there is one."""

    request: BatchRequest
    slot: CacheSlot | None = None


class BatchedModel(WrappedModel):
    """The batches of an endpoint, perhaps with a cache and a budget around it, for many conversations.

    `told` is called with a line on each batch when its state is asked for, at most `every` so many seconds;
    after `timeout` seconds a batch is no longer waited for. Raises ValueError for a model that is no
    endpoint, or that has no batches.
    """

    def __init__(
        self,
        model: Model,
        told: Callable[[str], object] = lambda line: None,
        *,
        every: float = 30.0,
        timeout: float = 90_000.0,
    ) -> None:
        super().__init__(model)
        self._cache = model if isinstance(model, CachedModel) else None
        inside = self._cache.inner if self._cache is not None else model
        self._meter = inside if isinstance(inside, MeteredModel) else None
        endpoint = self._meter.inner if self._meter is not None else inside
        if not isinstance(endpoint, Endpoint):
            raise ValueError("batches are those of an endpoint")
        self._endpoint = endpoint
        self._batches = Batches(endpoint)
        self._told = told
        self._every = every
        self._timeout = timeout
        self._record: BatchRecord | None = None
        self._lock = threading.Lock()
        self._pending: dict[str, _PendingRequest] = {}
        self._replies: dict[str, Completion | EndpointError] = {}
        self._held: dict[str, Held] = {}
        self._left_out: dict[str, frozenset[str]] = {}
        """The parameters left out of the requests of a batch of this run."""
        self._over: EndpointError | None = None

    def keep_in(self, record: BatchRecord) -> None:
        """Keeps batches and replies in this record, and goes on with those in it."""
        self._record = record

    def conversation(self, name: str) -> Model:
        """The model for the conversation of this name, from its beginning.

        Its requests are told apart by what they ask, and those that ask the same by their order.
        """
        return _Conversation(self, name)

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The reply to a request of the conversation without a name."""
        return self.conversation("").complete(messages, **settings)

    def reply(self, name: str, request: BatchRequest) -> Completion:
        """The reply to the request of this name. Raises AwaitsBatch, and EndpointError if it failed."""
        with self._lock:
            found = self._replies.get(name) or self._known(name, request) or self._over
            if found is None:
                raise AwaitsBatch
        if isinstance(found, EndpointError):
            raise EndpointError(found.reason, found.detail)
        return found

    def hand_in(self) -> None:
        """Gets replies to what was asked for: of batches that an earlier run handed in, else of new ones.

        What an endpoint does raises nothing: whoever asks again is told.
        """
        with self._lock:
            pending, self._pending = self._pending, {}
        open_ones, new = self._sorted(pending)
        if open_ones:
            # Who has those replies is perhaps as far as the others then.
            self._pending = {name: pending.pop(name) for name in new}
            new = []
        for part in self._batches.parts([pending[name].request for name in new]):
            batch = self._submit([new[at] for at in part], pending)
            if batch is not None:
                open_ones.append(batch)
        for batch in open_ones:
            try:
                self._fetch(batch, pending, self._end_of(batch))
            except EndpointError as error:
                # The batch goes on, and a later run with it: what it asks is not asked once more.
                self._over = self._over or error
        if self._over is not None:
            self._told(f"nothing more is asked: {self._over}")
            for name in pending:
                self._replies.setdefault(name, self._over)

    # --- what is there already -----------------------------------------------------------------------

    def _known(self, name: str, request: BatchRequest) -> Completion | None:
        """A reply that was kept; None where there is none, and the request is noted."""
        record = self._in_record()
        kept = record.reply(name)
        if kept is not None and kept.completion is not None:
            self._replies[name] = kept.completion
            return kept.completion
        if name in self._pending:
            return None
        slot = None
        if self._cache is not None and not self._is_open(name):
            slot = self._cache.take(request.messages, request.settings)
            found = self._cache.find(slot)
            if found is not None:
                self._replies[name] = found
                return found
        self._pending[name] = _PendingRequest(request, slot)
        return None

    def _in_record(self) -> BatchRecord:
        if self._record is None:
            raise ValueError("batches need a record in which they are kept")
        return self._record

    def _is_open(self, name: str) -> bool:
        """Whether the request is in a batch of which its result is not known."""
        record = self._in_record()
        batch, kept = record.batch_of(name), record.reply(name)
        return batch is not None and (kept is None or kept.batch != batch)

    def _sorted(self, pending: Mapping[str, _PendingRequest]) -> tuple[list[str], list[str]]:
        """The open batches with some of these requests, and the names of those in none."""
        record = self._in_record()
        batches = {record.batch_of(name): None for name in pending if self._is_open(name)}
        return [each for each in batches if each], [name for name in pending if not self._is_open(name)]

    # --- batches -------------------------------------------------------------------------------------

    def _submit(self, names: Sequence[str], pending: Mapping[str, _PendingRequest]) -> str | None:
        """Hands a batch in, of the requests that the budget has room for; None if there are none."""
        if self._over is not None:
            return None
        fitting = [name for name in names if self._is_paid_for(name, pending[name].request)]
        if not fitting:
            return None
        left_out = self._endpoint.left_out
        try:
            batch = self._batches.submit([pending[name].request for name in fitting])
        except (EndpointError, ValueError) as error:
            self._over = error if isinstance(error, EndpointError) else EndpointError("too large", str(error))
            return None
        self._left_out[batch] = left_out
        try:
            self._in_record().keep_batch(batch, fitting)
        finally:
            # On a full disk this is all that is known of it.
            self._told(f"batch {batch} has {counted(len(fitting), 'request')}; it goes on if this run ends")
        return batch

    def _is_paid_for(self, name: str, request: BatchRequest) -> bool:
        """Whether the budget has room for a request; then it is held until the result is there."""
        if self._meter is None:
            return True
        try:
            self._held[name] = self._meter.hold(request.messages, request.settings, waits=False)
        except EndpointError as error:
            self._replies[name] = error
            return False
        return True

    def _end_of(self, batch: str) -> BatchStatus | None:
        """The last state of a batch; None if the endpoint does not know it. Raises EndpointError."""
        whole = len(self._in_record().names_in(batch))

        def told(status: BatchStatus) -> None:
            self._told(f"batch {batch}: {status.state}, {status.done} of {counted(whole, 'request')} done")

        try:
            return self._batches.wait(batch, every=self._every, timeout=self._timeout, told=told)
        except EndpointError as error:
            if error.reason != "not found":
                raise
            return None

    def _fetch(self, batch: str, pending: Mapping[str, _PendingRequest], end: BatchStatus | None) -> None:
        """The results of a batch that has ended, as far as they are asked for and not there."""
        names = self._in_record().names_in(batch)
        for tries in range(1, _TRIES + 1):
            wanted = [
                pending[name].request if name in pending and self._is_open(name) else None for name in names
            ]
            try:
                for at, result in self._results(batch, wanted, end):
                    self._take(names[at], batch, result, pending[names[at]])
                return
            except EndpointError as error:
                if error.reason not in RETRIED or tries == _TRIES:
                    raise
                time.sleep(min(self._every, 2.0**tries))

    def _results(
        self, batch: str, wanted: Sequence[BatchRequest | None], end: BatchStatus | None
    ) -> Iterator[tuple[int, Completion | EndpointError]]:
        if end is None:
            gone = EndpointError("canceled", f"the endpoint has no batch {batch}")
            yield from ((at, gone) for at, request in enumerate(wanted) if request is not None)
            return
        for at, result in self._batches.results(batch, wanted):
            if end.state == "failed" and isinstance(result, EndpointError):
                # It is the batch that was not accepted, and no request of it.
                result = EndpointError("server", f"the batch {batch} failed: {result.detail}")
            yield at, result

    def _take(
        self, name: str, batch: str, result: Completion | EndpointError, asked: _PendingRequest
    ) -> None:
        """Keeps a result, for this run and for later ones.

        A request that was refused for a part that the endpoint names is asked again without it, and so in
        the next batch.
        """
        record = self._in_record()
        messages, settings = asked.request
        if self._meter is not None:
            if isinstance(result, Completion):
                result = self._meter.with_cost(result)
            held = self._held.pop(name, None) or self._meter.unheld(messages, settings)
            self._meter.settle(held, result)
        if isinstance(result, EndpointError):
            record.keep_reply(name, BatchReply(batch, None), str(result))
            left_out = self._left_out.get(batch, frozenset())
            if result.reason == "rejected" and self._endpoint.left_out != left_out:
                return
        else:
            record.keep_reply(name, BatchReply(batch, result))
            if self._cache is not None:
                self._cache.keep(asked.slot or self._cache.take(messages, settings), result)
        self._replies[name] = result


class _Conversation:
    """The model for one conversation, which counts what it asks."""

    def __init__(self, model: BatchedModel, name: str) -> None:
        self._model = model
        self._name = name
        self._counts = Counter[str]()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The reply, if it is there. Raises AwaitsBatch and EndpointError."""
        asked = {name: value for name, value in every_setting(settings).items() if name != "timeout"}
        parts = [self._name, [each.to_dict() for each in messages], asked]
        digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        number = self._counts[digest]
        self._counts[digest] += 1
        return self._model.reply(f"{digest} {number}", BatchRequest(tuple(messages), settings))


def asked_by(model: Model, name: str) -> Model:
    """The model for the conversation of this name; itself, if it is not asked in batches."""
    return model.conversation(name) if isinstance(model, BatchedModel) else model
