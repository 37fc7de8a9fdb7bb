"""Figures for Prometheus ([SERVE-METRICS]). Labels have few values: no address, no path that was made up."""

from __future__ import annotations

from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import choose_encoder

from potlang.server.callers import Callers, Loss, Watcher

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics(Watcher):
    """The figures of one server."""

    def __init__(self) -> None:
        # When a counter was begun is of no use to anybody, and half of the text.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = made = CollectorRegistry()
        ProcessCollector(registry=made)
        self.requests = Counter(
            "potlang_requests",
            "Requests, by what was asked.",
            ("operation", "status", "caller"),
            registry=made,
        )
        self.seconds = Histogram(
            "potlang_request_seconds",
            "From the head of a request to the end of its answer.",
            ("operation",),
            buckets=_SECONDS,
            registry=made,
        )
        self.refused = Counter(
            "potlang_refused",
            "Requests refused, by the code of the problem.",
            ("code", "caller"),
            registry=made,
        )
        self.verdicts = Counter(
            "potlang_verdicts", "Inputs verified.", ("language", "verdict"), registry=made
        )
        self.rows = Counter("potlang_batch_rows", "Lines of batches answered.", ("caller",), registry=made)
        self._queue_seconds = Histogram(
            "potlang_queue_seconds", "How long calls wait for a place.", buckets=_SECONDS, registry=made
        )
        self._lost = Counter(
            "potlang_processes_lost", "Processes that were ended, by why.", ("reason",), registry=made
        )
        self.open = Gauge("potlang_requests_open", "Requests that are being answered.", registry=made)
        self.draining = Gauge("potlang_draining", "1 while the server drains.", registry=made)
        self._waiting = Gauge("potlang_queue_length", "Calls that wait for a place.", registry=made)
        self._at_work = Gauge("potlang_at_work", "Calls that have a place.", registry=made)
        self._places = Gauge("potlang_places", "Places for calls, the quick one apart.", registry=made)

    def watch(self, callers: Callers) -> None:
        """Show the queue of these."""
        self._waiting.set_function(lambda: callers.turns.waiting)
        self._at_work.set_function(lambda: callers.turns.at_work)
        self._places.set(callers.count)

    def waited(self, seconds: float) -> None:
        """As `Watcher.waited`."""
        self._queue_seconds.observe(seconds)

    def lost(self, reason: Loss) -> None:
        """As `Watcher.lost`."""
        self._lost.labels(reason).inc()

    def text(self, accepted: str) -> tuple[bytes, str]:
        """All figures, and the type of the text, of those that `Accept` names."""
        encode, kind = choose_encoder(accepted)
        return encode(self._registry), kind
