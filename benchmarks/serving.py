"""The MCP server under load: several clients at once over HTTP, known verdicts, cancellations."""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from potlang.generate.programs import Generated, ProgramDifficulty, generate

ROOT: Final = Path(__file__).resolve().parent.parent
HEADINGS: Final = (
    "clients",
    "workers",
    "claims",
    "a minute",
    "median ms",
    "p95 ms",
    "slowest ms",
    "lost",
    "wrong",
)
HARD: Final = {
    "verifications": [
        {"constraint": f"Exists([x: Int, y: Int, z: Int], x**3 + y**3 + z**3 == {k} and x*y*z > 10**9)"}
        for k in (33, 42, 74, 114)
    ]
}
_START_SECONDS: Final = 60.0
_AT_WORK_SECONDS: Final = 1.5


@dataclass
class Figures:
    """What the clients saw: seconds of each call, of each cancellation, and what was not as it must be."""

    clients: int
    workers: int
    level: int
    seconds: float = 0.0
    call_s: list[float] = field(default_factory=list)
    next_s: list[float] = field(default_factory=list)
    """From a cancellation to the answer to the next call, with the only worker's replacement."""
    asked: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Claims a minute, of all clients together."""
        return 60 * len(self.call_s) / self.seconds if self.seconds else 0.0

    @property
    def p95(self) -> float:
        """Seconds within which 95 % of the calls were answered."""
        return statistics.quantiles(self.call_s, n=20)[-1] if len(self.call_s) > 1 else 0.0

    @property
    def lost(self) -> int:
        """Calls without an answer."""
        return self.asked - len(self.call_s)


def row(found: Figures) -> list[Any]:
    """A line for the table."""
    times = [1_000 * each for each in (statistics.median(found.call_s), found.p95, max(found.call_s))]
    return [found.clients, found.workers, found.asked, found.rate, *times, found.lost, len(found.faults)]


def measure(clients: int, workers: int, claims: int, level: int, tick: Callable[[], None]) -> Figures:
    """Runs a server with so many workers, and the clients against it."""
    import anyio

    found = Figures(clients, workers, level)
    difficulty = ProgramDifficulty.of_level(level)
    programs = [generate(seed, difficulty) for seed in range(claims)]
    with _server(workers) as address:
        anyio.run(_load, address, found, programs, tick)
    with _server(1) as address:
        anyio.run(_cancel, address, found)
    return found


def failures(found: Figures, least: float) -> list[str]:
    """What is not as it must be."""
    failed = [f"{found.lost} calls are lost"] if found.lost else []
    if found.rate < least:
        failed.append(f"{found.rate:.0f} claims a minute, at least {least:.0f}")
    return failed + found.faults[:10]


async def _load(address: str, found: Figures, programs: list[Generated], tick: Callable[[], None]) -> None:
    import anyio
    from mcp import Client

    waiting = iter(programs)
    ready = anyio.Event()

    async def one(number: int, *, task_status: Any) -> None:
        async with Client(address) as client:
            await client.call_tool("potlang", {"program": programs[0].program})
            task_status.started()
            await ready.wait()
            for each in waiting:
                await _ask(client, each, found)
                tick()

    async with anyio.create_task_group() as tasks:
        for number in range(found.clients):
            await tasks.start(one, number)
        began = time.monotonic()
        ready.set()
    found.seconds = time.monotonic() - began


async def _ask(client: Any, each: Generated, found: Figures) -> None:
    found.asked += 1
    began = time.monotonic()
    result = await client.call_tool("potlang", {"program": each.program})
    found.call_s.append(time.monotonic() - began)
    verdict = result.structured_content.get("verdict")
    if verdict != str(each.verdict):
        found.faults.append(f"program {each.seed}: {verdict}, not {each.verdict}")


async def _cancel(address: str, found: Figures, rounds: int = 5) -> None:
    import anyio
    from mcp import Client

    easy = {"program": {"verifications": [{"constraint": "1 < 2"}]}}
    async with Client(address) as client:
        await client.call_tool("potlang", easy)
        for _ in range(rounds):
            with anyio.move_on_after(_AT_WORK_SECONDS) as scope:
                await client.call_tool("potlang", {"program": HARD})
            if not scope.cancelled_caught:
                found.faults.append("the long call was answered before it was cancelled")
            began = time.monotonic()
            await client.call_tool("potlang", easy)
            found.next_s.append(time.monotonic() - began)


@contextmanager
def _server(workers: int) -> Iterator[str]:
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "potlang",
        "mcp",
        "--http",
        f"127.0.0.1:{port}",
        "--workers",
        str(workers),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=ROOT, env=environment)
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(timeout=30)


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    """Wait until somebody listens at it. Raises RuntimeError after a minute."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server does not listen")
