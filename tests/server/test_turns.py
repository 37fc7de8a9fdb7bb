"""How places for calls are shared out between callers, without processes: a call is a task that waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

if find_spec("anyio") is None:
    pytest.skip("the extra `mcp` is not installed", allow_module_level=True)

import anyio

from potlang.server.turns import LOCAL, Caller, QueueFull, Ticket, Turns

A, B, C = (Caller(origin, "s") for origin in "abc")


class Bench:
    """Calls that are at work until they are ended by hand, by a clock that is set by hand."""

    def __init__(self, places: int, most_waiting: int = 1_000) -> None:
        self.now = 0.0
        self.turns = Turns(places, most_waiting, lambda: self.now)
        self.at_work: dict[str, Ticket] = {}
        self.refused: list[str] = []
        self.hard: set[str] = set()
        """Calls that a moment is not enough for."""
        self._ends: dict[str, anyio.Event] = {}
        self._scopes: dict[str, anyio.CancelScope] = {}

    async def call(self, name: str, caller: Caller = LOCAL) -> None:
        """A call as `Callers.call` makes it: one whose quick turn ends waits for another."""
        ticket = self.turns.ticket(caller)
        with anyio.CancelScope() as self._scopes[name]:
            answered = False
            while not answered:
                try:
                    async with self.turns.turn(ticket):
                        self.at_work[name], self._ends[name] = ticket, anyio.Event()
                        try:
                            await self._ends[name].wait()
                        finally:
                            del self.at_work[name]
                        answered = not ticket.quick or name not in self.hard
                        ticket.tried = not answered
                except QueueFull:
                    self.refused.append(name)
                    return

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await anyio.wait_all_tasks_blocked()

    async def cancel(self, name: str) -> None:
        self._scopes[name].cancel()
        await anyio.wait_all_tasks_blocked()

    def quick(self) -> list[str]:
        return [name for name, ticket in self.at_work.items() if ticket.quick]


def run(
    places: int, main: Callable[[Bench, Callable[..., Awaitable[None]]], Awaitable[None]], most: int = 1_000
) -> None:
    async def whole() -> None:
        bench = Bench(places, most)
        async with anyio.create_task_group() as tasks:

            async def begin(name: str, caller: Caller = LOCAL) -> None:
                tasks.start_soon(bench.call, name, caller)
                await anyio.wait_all_tasks_blocked()

            await main(bench, begin)
            tasks.cancel_scope.cancel()

    anyio.run(whole)


def test_a_free_place_goes_to_who_has_least_at_work() -> None:
    """[MCP-FAIR]: the origin first, then its session, then who came first."""

    async def main(bench: Bench, begin: Callable[..., Awaitable[None]]) -> None:
        for number in range(6):
            await begin(f"a{number}", A)
        assert list(bench.at_work) == ["a0", "a1", "a2"]
        for name, caller in (("x", Caller("a", "other")), ("b", B), ("c", C)):
            await begin(name, caller)
        for name in ("a0", "a1"):
            await bench.end(name)
        assert {"b", "c"} < set(bench.at_work)
        await bench.end("b")
        assert "x" in bench.at_work

    run(2, main)


@pytest.mark.slow
def test_of_several_that_wait_each_has_the_same_time() -> None:
    """[MCP-FAIR] Many calls, and long ones, get a caller no more than its share, and no quick place."""

    async def main(bench: Bench, begin: Callable[..., Awaitable[None]]) -> None:
        for number in range(20):
            bench.hard.add(f"a{number}")
            await begin(f"a{number}", A)
        for number in range(40):
            bench.hard |= {f"b{number}", f"c{number}"}
            await begin(f"b{number}", B)
            await begin(f"c{number}", C)
        had = dict.fromkeys("abc", 0.0)
        while bench.now < 240:
            (place,) = set(bench.at_work) - set(bench.quick())
            while quick := bench.quick():
                times = bench.turns._times()
                assert times[quick[0][0]] <= min(times.values()) + 5
                await bench.end(quick[0])
            seconds = 10.0 if place[0] == "a" else 2.0
            bench.now += seconds
            had[place[0]] += seconds
            await bench.end(place)
            assert len(bench.at_work) <= 2
        assert max(had.values()) - min(had.values()) <= 20

    run(1, main)


def test_who_comes_back_has_saved_up_nothing() -> None:
    """[MCP-FAIR]"""

    async def main(bench: Bench, begin: Callable[..., Awaitable[None]]) -> None:
        await begin("b0", B)
        await begin("b1", B)
        bench.now += 100
        await begin("a0", A)
        await bench.end("b0")
        await bench.end("b1")
        bench.now += 1
        for number in range(1, 6):
            await begin(f"a{number}", A)
            await begin(f"b{number + 1}", B)
        # A has not had less than B when it came: B's hundred seconds are no debt to it.
        times = bench.turns._times()
        assert abs(times["a"] - times["b"]) <= 2

    run(1, main)


@pytest.mark.slow
def test_what_is_easy_passes_what_is_hard_on_the_quick_place() -> None:
    """[MCP-FAIR]: one caller, and nobody knows which of its calls are hard."""

    async def main(bench: Bench, begin: Callable[..., Awaitable[None]]) -> None:
        for number in range(12):
            bench.hard.add(f"hard{number}")
            await begin(f"hard{number}")
        await begin("easy")
        assert set(bench.at_work) - set(bench.quick()) == {"hard0", "hard1"}
        # Each has its moment, and is put back; while that was not enough the newest is first.
        await bench.end("hard2")
        assert bench.quick() == ["easy"]
        await bench.end("easy")
        for number in (3, *range(11, 3, -1)):
            assert bench.quick() == [f"hard{number}"]
            await bench.end(f"hard{number}")
        # Nothing that was put back is tried again, and all of it is served in its order.
        assert bench.quick() == []
        for number in range(12):
            assert f"hard{number}" in bench.at_work
            await bench.end(f"hard{number}")
        assert not bench.at_work

    run(2, main)


@pytest.mark.slow
def test_what_came_first_does_not_wait_for_ever_behind_what_comes_later() -> None:
    """[MCP-FAIR]: of calls that a moment is enough for, the oldest has the quick place."""

    async def main(bench: Bench, begin: Callable[..., Awaitable[None]]) -> None:
        await begin("long", B)
        for number in range(30):
            await begin(f"a{number}", A)
            await begin(f"a{number} too", A)
            assert bench.quick() == [f"a{number}"]
            await bench.end(f"a{number}")
            await bench.end(f"a{number} too")

    run(1, main)


def test_who_has_had_more_time_is_ahead_of_those_who_wait() -> None:
    """[MCP-FAIR]: who waits itself, or has nobody waiting beside it, is not."""

    async def main(bench: Bench, begin: Callable[..., Awaitable[None]]) -> None:
        for number in range(3):
            await begin(f"a{number}", A)
        bench.now += 60
        assert not bench.turns.is_ahead(A)
        for number in range(3):
            await begin(f"b{number}", B)
        bench.now += 0.4
        assert not bench.turns.is_ahead(B)
        bench.now += 10
        assert bench.turns.is_ahead(A) and not bench.turns.is_ahead(B)

    run(1, main)


def test_a_full_queue_turns_away_who_has_most_in_it() -> None:
    """[MCP-FAIR], [MCP-LIMITS]"""

    async def main(bench: Bench, begin: Callable[..., Awaitable[None]]) -> None:
        for number in range(7):
            await begin(f"a{number}", A)
        # One at work, one on the quick place, three more: the others are too many.
        assert bench.refused == ["a5", "a6"]
        await begin("b", B)
        assert bench.refused == ["a5", "a6", "a4"]
        await bench.end("a0")
        assert "b" in bench.at_work

    run(1, main, most=4)


@pytest.mark.slow
@settings(max_examples=20)
@given(
    st.integers(1, 3),
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.integers(0, 9)), max_size=40),
)
def test_no_place_is_idle_or_taken_twice_and_no_call_is_lost(
    places: int, steps: list[tuple[int, str, int]]
) -> None:
    """[MCP-FAIR], [MCP-MANY]: whatever begins, ends and is cancelled."""

    async def main(bench: Bench, begin: Callable[..., Awaitable[None]]) -> None:
        known: list[str] = []
        for number, (kind, origin, which) in enumerate(steps):
            if kind == 0 or not known:
                known.append(f"{origin}{number}")
                bench.hard.update(known[-1:] if which % 2 else [])
                await begin(known[-1], Caller(origin, str(which)))
            elif kind == 1 and bench.at_work:
                await bench.end(sorted(bench.at_work)[which % len(bench.at_work)])
            else:
                await bench.cancel(known[which % len(known)])
            turns = bench.turns
            quick = bench.quick()
            assert turns._at_work == set(bench.at_work.values())
            assert len(quick) <= 1 and len(bench.at_work) - len(quick) <= places
            untried = [each for each in turns._waiting if not each.tried]
            if turns._waiting:
                assert len(bench.at_work) - len(quick) == places
            assert quick or not untried
        while bench.at_work:
            await bench.end(min(bench.at_work))
        assert not bench.turns._waiting and not bench.turns._at_work

    run(places, main)
