"""What refused callers cost the others: their next refusals wait, and slow calls go on behind others."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import pytest

if any(find_spec(each) is None for each in ("mcp", "uvicorn", "prometheus_client")):
    pytest.skip("the extra `serve` is not installed", allow_module_level=True)

import anyio

from potlang.engines.commands import solver_command
from potlang.processes.process import Process
from potlang.server import gate
from potlang.server.gate import CallerState
from potlang.server.tokens import CallerLimits


def test_who_is_refused_again_too_soon_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """[SERVE-LIMITS]: the first refusal comes at once, the next ones are held, and not too many of them."""
    monkeypatch.setattr(gate, "_MOST_HELD", 3)
    now = 100.0
    monkeypatch.setattr(gate, "monotonic", lambda: now)

    async def main() -> None:
        caller, other = (CallerState(each, each, CallerLimits()) for each in "ab")
        async with anyio.create_task_group() as tasks:
            held = []
            for each in (caller, other, *[caller] * 5):
                tasks.start_soon(gate._held, each)
                await anyio.wait_all_tasks_blocked()
                held.append((caller.held, other.held))
            assert held == [(0, 0), (0, 0), (1, 0), (2, 0), (3, 0), (3, 0), (3, 0)]
            tasks.cancel_scope.cancel()
        assert caller.held == 0
        nonlocal now
        now += 2
        await gate._held(caller)
        assert caller.held == 0

    anyio.run(main)


@pytest.mark.skipif(sys.platform != "linux", reason="priorities are lowered on Linux alone")
def test_a_process_of_low_priority_has_all_its_threads_at_it() -> None:
    """[MCP-FAIR]"""
    process = Process(solver_command("z3"))
    try:
        process.handshake()
        usual = os.getpriority(os.PRIO_PROCESS, process.pid)
        assert not process.is_low
        process.lower_priority()
        assert process.is_low
        threads = [int(each) for each in os.listdir(f"/proc/{process.pid}/task")]  # noqa: PTH208
        assert all(os.getpriority(os.PRIO_PROCESS, each) >= max(10, usual) for each in threads)
    finally:
        process.kill()
