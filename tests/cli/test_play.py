"""`potc play`: where it listens, what it opens, how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

if any(find_spec(each) is None for each in ("mcp", "uvicorn", "prometheus_client")):
    pytest.skip("the extra `play` is not installed", allow_module_level=True)

from playing import ROOT, playing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and processes are those of Linux")
SMALL = b'{"verifications": [{"constraint": "1 < 2"}]}'
HARD = b'{"verifications": [{"constraint": "Exists([x: Int, y: Int, z: Int], x**3 + y**3 + z**3 == 114)"}]}'


def potc(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", "play", "--no-browser", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def children(pid: int) -> set[int]:
    """All processes below a process."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child, *children(child)}
    return found


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "127.0.0.2"])
def test_other_addresses_are_refused_unless_they_are_meant(host: str) -> None:
    """[PLAY-LOCAL]"""
    done = potc("--host", host, "--port", "0")
    assert done.returncode == 2
    assert "add --public" in done.stderr and "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_said_to_be() -> None:
    """[PLAY-LOCAL]"""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = potc("--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot listen at 127.0.0.1: Address already in use")


@pytest.mark.slow
def test_without_a_port_another_one_is_taken() -> None:
    """[PLAY-LOCAL], [PLAY-OPEN]"""
    with ExitStack() as stack:
        with suppress(OSError):
            # Whoever has it already does as well.
            stack.enter_context(socket.create_server(("127.0.0.1", 8800)))
        command = [sys.executable, "-m", "potlang", "play", "--no-browser", "--workers", "1"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
    assert line.startswith("the playground is at http://127.0.0.1:") and ":8800/" not in line


@pytest.mark.slow
def test_others_are_warned_of_and_served_where_they_are_meant() -> None:
    """[PLAY-LOCAL]"""
    with playing("--public", "--workers", "1") as found:
        host = {"host": "elsewhere.example"}
        assert found.ask("GET", "/", **host)[0] == 200
        assert found.ask("POST", "/v1/check", SMALL, **host)[0] == 401
        bearer = found.bearer("editing")
        assert found.ask("POST", "/v1/check", SMALL, authorization=bearer, **host)[0] == 200
        found.process.send_signal(signal.SIGTERM)
        assert "warning: other machines can reach the playground" in found.process.communicate(timeout=30)[1]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_it_with_all_its_processes(number: signal.Signals, code: int) -> None:
    """[PLAY-OPEN] With a verification at work: Ctrl-C at once, SIGTERM when it was answered or after 5 s."""
    with playing("--workers", "1") as found:
        bearer = found.bearer("verifying")
        request = f"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1:{found.port}\r\nAuthorization: {bearer}\r\n"
        with socket.create_connection(("127.0.0.1", found.port)) as opened:
            opened.sendall(f"{request}Content-Length: {len(HARD)}\r\n\r\n".encode() + HARD)
            time.sleep(2.0)
            below = children(found.process.pid)
            assert below
            began = time.monotonic()
            found.process.send_signal(number)
            error = found.process.communicate(timeout=30)[1]
        assert found.process.returncode == code
        assert "Traceback" not in error
        assert time.monotonic() - began < (3 if number == signal.SIGINT else 15)
        deadline = time.monotonic() + 10
        while any(map(alive, below)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not [each for each in below if alive(each)]


@pytest.mark.slow
def test_the_page_is_opened_in_the_browser_that_is_set(tmp_path: Path) -> None:
    """[PLAY-OPEN] One that would take over the terminal is not."""
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {told}\n')
    browser.chmod(0o755)
    for setting, is_opened in ((f"{browser} %s &", True), (f"{browser} %s", False)):
        told.unlink(missing_ok=True)
        command = [sys.executable, "-m", "potlang", "play", "--port", "0", "--workers", "1"]
        environment = {**os.environ, "BROWSER": setting}
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
        try:
            assert process.stderr is not None
            url = process.stderr.readline().split()[-1]
            deadline = time.monotonic() + (10 if is_opened else 2)
            while not (told.exists() and told.read_text()) and time.monotonic() < deadline:
                time.sleep(0.05)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
        assert told.exists() is is_opened
        assert not is_opened or told.read_text() == f"{url}\n"
