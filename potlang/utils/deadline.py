"""The one notion of a limit on work: the moment by which a call is to end, and the nodes that it may make.

A call opens a scope with `within`; scopes nest. Everything below it obeys without being told: a `Deadline`
set inside ends no later than the scope, and whoever may be busy for long calls `look` now and then, which
raises where nothing is left ([LIMIT-WHOLE-CALL]). The pool of nodes does so for all that makes some.
(N. J. Smith, "Timeouts and cancellation for humans" (2018), calls this a cancel scope.)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic


class OutOfFuel(Exception):
    """Some work was given up: it has no steps left, or no time."""


class OutOfTime(OutOfFuel):
    """The time of the whole call is over."""


class _Scope:
    """The end of a call, the nodes that it may still make, and the scope around it."""

    __slots__ = ("end", "left", "outer")

    def __init__(self, end: float, left: float, outer: _Scope | None) -> None:
        self.end = end
        self.left = left
        self.outer = outer


_scope: ContextVar[_Scope | None] = ContextVar("scope", default=None)


class Deadline:
    """The end of the time that some work has: `after_ms` milliseconds from now, or that of the call around.

    `beyond_ms`: by so much it may be later than the call's, for who ends what does not end by itself.
    """

    __slots__ = ("_began", "_end")

    def __init__(self, after_ms: float, beyond_ms: float = 0) -> None:
        self._began = monotonic()
        self._end = self._began + after_ms / 1000
        scope = _scope.get()
        if scope is not None:
            self._end = min(self._end, scope.end + beyond_ms / 1000)

    def spent_ms(self) -> float:
        """Milliseconds since the deadline was set."""
        return (monotonic() - self._began) * 1000

    def left_ms(self) -> int:
        """Whole milliseconds left; 0 when it has passed."""
        return max(0, int((self._end - monotonic()) * 1000))

    def passed(self) -> bool:
        """Whether no time is left."""
        return monotonic() >= self._end


@contextmanager
def within(after_ms: float | None = None, nodes: float = float("inf")) -> Iterator[None]:
    """All that is done inside ends by then, and makes no more than so many nodes; `look` holds it to that.

    It counts for the scope around it too, whose limits hold inside.
    """
    outer = _scope.get()
    end = float("inf") if after_ms is None else monotonic() + after_ms / 1000
    scope = _Scope(end if outer is None else min(end, outer.end), nodes, outer)
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)


def look(nodes: int = 0) -> None:
    """Count nodes that were made, and raise OutOfFuel if that was too many, OutOfTime at the call's end."""
    scope = _scope.get()
    if scope is None:
        return
    if monotonic() >= scope.end:
        raise OutOfTime
    inner: _Scope | None = scope
    while nodes and inner is not None:
        inner.left -= nodes
        if inner.left < 0:
            raise OutOfFuel
        inner = inner.outer
