"""Places for calls, shared out fairly between callers ([MCP-FAIR])."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from time import monotonic
from typing import Final, NamedTuple

import anyio


class Caller(NamedTuple):
    """The sender of calls: a token's name or a network address, and below it a session or a client's name."""

    origin: str = ""
    session: str = ""


LOCAL: Final = Caller()
"""The one client over standard input."""


_MODEST_SECONDS: Final = 5.0
_AHEAD_SECONDS: Final = 1.0


class QueueFull(Exception):
    """Too many calls wait, and this one is of who has the most of them."""


class Ticket:
    """A call that waits, or is at work; it keeps its rank when it has to wait again."""

    def __init__(self, caller: Caller, rank: int) -> None:
        self.caller = caller
        self.rank = rank
        self.tried = False
        """Whether the quick place's moment was not enough: it then waits for a place without a time limit."""
        self.quick = False
        """Whether it is on the quick place."""
        self.admitted = False
        self.began = 0.0
        self.told = anyio.Event()


class Turns:
    """So many places for calls, and a quick one for what can be done in a moment.

    A free place goes to the origin that has the fewest calls at work, of several to the one that has had
    places for the least time (start-time fair queueing, Goyal et al. 1996), of its sessions to the one with
    the fewest, then to the call that came first. Nobody knows beforehand how long a call takes: where all
    places are taken, a call has the quick one for a moment, and begins again later if that was not enough
    (task assignment by guessing size, Harchol-Balter 2002). So what is easy seldom waits for what is hard.
    After a call of an origin for which the moment was not enough, its newest call is the next there.
    """

    def __init__(self, places: int, most_waiting: int, clock: Callable[[], float] = monotonic) -> None:
        self._places = places
        self._most_waiting = most_waiting
        self._clock = clock
        self._used: dict[str, float] = {}
        """Seconds that origins have had places for, from where the least of them was when they came."""
        self._hard: set[str] = set()
        """Origins for whose last call the quick place's moment was not enough."""
        self._ranks = count()
        self._waiting: list[Ticket] = []
        self._at_work: set[Ticket] = set()

    @property
    def waiting(self) -> int:
        """How many calls wait."""
        return len(self._waiting)

    @property
    def at_work(self) -> int:
        """How many calls have a place."""
        return len(self._at_work)

    def ticket(self, caller: Caller) -> Ticket:
        """A call's ticket, to be used until it is answered."""
        return Ticket(caller, next(self._ranks))

    @asynccontextmanager
    async def turn(self, ticket: Ticket) -> AsyncIterator[None]:
        """The time on a place. Raises QueueFull, now or while it waits."""
        # Who is on the quick place may have to wait again.
        waiting = len(self._waiting) + any(each.quick for each in self._at_work)
        if waiting >= self._most_waiting and not ticket.tried:
            self._make_room(ticket)
        ticket.admitted, ticket.quick, ticket.told = False, False, anyio.Event()
        self._enter(ticket.caller.origin)
        self._waiting.append(ticket)
        try:
            self._admit()
            await ticket.told.wait()
            if not ticket.admitted:
                raise QueueFull
            yield
        finally:
            if ticket in self._at_work:
                self.charge(ticket.caller, self._clock() - ticket.began)
                self._at_work.remove(ticket)
                if ticket.quick:
                    self._remember(ticket)
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            self._admit()

    def _remember(self, ticket: Ticket) -> None:
        if ticket.tried:
            self._hard.add(ticket.caller.origin)
        else:
            self._hard.discard(ticket.caller.origin)

    def charge(self, caller: Caller, seconds: float) -> None:
        """Count so much more time for who has sent a call."""
        self._used[caller.origin] = self._used.get(caller.origin, 0.0) + seconds

    def is_ahead(self, caller: Caller) -> bool:
        """Whether the origin has had a good deal more time than another one, of which a call waits."""
        if all(each.caller.origin == caller.origin for each in self._waiting):
            return False
        times = self._times()
        least = min(times[each.caller.origin] for each in self._waiting)
        return times.get(caller.origin, 0.0) > least + _AHEAD_SECONDS

    def _times(self) -> dict[str, float]:
        """The seconds of all origins that have calls, until now."""
        here = (*self._waiting, *self._at_work)
        found = {each.caller.origin: self._used[each.caller.origin] for each in here}
        now = self._clock()
        for each in self._at_work:
            found[each.caller.origin] += now - each.began
        return found

    def _enter(self, origin: str) -> None:
        """Who comes back has saved up nothing, and what it had more than others is remembered."""
        times = self._times()
        least = min(times.values(), default=0.0)
        self._used = {each: used for each, used in self._used.items() if each in times or used > least}
        self._hard &= self._used.keys()
        if origin not in times:
            self._used[origin] = max(self._used.get(origin, least), least)

    def _can_begin(self, ticket: Ticket, is_modest: bool) -> bool:
        quick = any(each.quick for each in self._at_work)
        if len(self._at_work) - quick < self._places:
            return True
        # Whose calls are hard has had more time than others: these have the quick place for themselves.
        return is_modest and not (quick or ticket.tried)

    def _admit(self) -> None:
        """Gives each free place to a call."""
        times = self._times()
        most = min(times.values(), default=0.0) + _MODEST_SECONDS
        while able := [
            each for each in self._waiting if self._can_begin(each, times[each.caller.origin] <= most)
        ]:
            by_origin = Counter(each.caller.origin for each in self._at_work)
            by_caller = Counter(each.caller for each in self._at_work)
            quick = sum(not each.quick for each in self._at_work) >= self._places
            # Where calls are hard the newest has the quick place first: else what is easy would wait until
            # all that came before it has had its moment. Where they are not, the oldest would wait for ever.
            chosen = min(
                able,
                key=lambda each: (
                    by_origin[each.caller.origin],
                    times[each.caller.origin],
                    by_caller[each.caller],
                    -each.rank if quick and each.caller.origin in self._hard else each.rank,
                ),
            )
            chosen.quick = quick
            self._waiting.remove(chosen)
            self._at_work.add(chosen)
            chosen.admitted, chosen.began = True, self._clock()
            chosen.told.set()

    def _make_room(self, newcomer: Ticket) -> None:
        """Turns away the last call of the origin that has the most waiting, which may be the newcomer."""
        by_origin = Counter(each.caller.origin for each in (*self._waiting, newcomer))
        most = max(by_origin.values())
        if by_origin[newcomer.caller.origin] == most:
            raise QueueFull
        last = max(
            (each for each in self._waiting if by_origin[each.caller.origin] == most),
            key=lambda each: each.rank,
        )
        self._waiting.remove(last)
        last.told.set()
