"""`potc serve` as a real process: one queue with MCP, requests that are cut off, the drain."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if any(find_spec(each) is None for each in ("mcp", "uvicorn", "prometheus_client")):
    pytest.skip("the extra `serve` is not installed", allow_module_level=True)

from free_ports import free_port

from potlang.server.caller import CallerService

ROOT = Path(__file__).parent.parent.parent
SMALL = b'{"verifications": [{"constraint": "1 < 2"}]}'
HARD = json.dumps(
    {"verifications": [{"constraint": "Exists([x: Int, y: Int, z: Int], x**3 + y**3 + z**3 == 114)"}]}
).encode()
"""A sum of three cubes, which no solver finds: the request takes as long as it may."""


@contextmanager
def server(*arguments: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The port of a server that is ready, and its process."""
    port = free_port()
    command = [sys.executable, "-m", "potlang", "serve", f"127.0.0.1:{port}", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=ROOT)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if ask(port, "GET", "/health/ready")[0] == 200:
                    break
            except OSError:
                time.sleep(0.05)
        yield port, process
    finally:
        process.kill()
        process.communicate(timeout=30)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def ask(port: int, method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
    """The status and the answer, read as JSON if it is."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        text = answer.read().decode()
        is_json = str(answer.getheader("content-type")).endswith("json")
    finally:
        connection.close()
    return answer.status, json.loads(text) if is_json else text


def test_a_drain_answers_what_is_at_work_and_ends_well() -> None:
    """[SERVE-DRAIN], [SERVE-QUEUE]: the first SIGTERM, with a request and a batch open."""
    with server("--workers", "1") as (port, process):
        found: dict[str, tuple[int, Any]] = {}
        paths = {"/v1/verify?total_timeout=4": HARD, "/v1/batch?total_timeout=1": HARD + b"\n" + SMALL}
        threads = [
            threading.Thread(
                target=lambda *each: found.update({each[0]: ask(port, "POST", *each)}), args=each
            )
            for each in paths.items()
        ]
        for each in threads:
            each.start()
        wait_for(lambda: "potlang_requests_open 2.0" in ask(port, "GET", "/metrics")[1])
        process.send_signal(signal.SIGTERM)
        wait_for(lambda: ask(port, "GET", "/health/ready")[0] == 503)
        status, refused = ask(port, "POST", "/v1/verify", SMALL)
        assert (status, refused["code"]) == (503, "draining")
        for each in threads:
            each.join(timeout=60)
        (one, report), (several, rows) = (found[each] for each in paths)
        assert (one, report["verdict"], several) == (200, "unknown", 200)
        # Each line has its row, but for those from the one on that a last line names.
        lines = [json.loads(row) for row in rows.splitlines()]
        answered = {each["line"] for each in lines if "verdict" in each}
        left = [each["line"] for each in lines if each.get("code") == "draining"]
        assert answered == set(range(1, left[0] if left else 3))
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        assert said.decode().splitlines() == [f"serving http://127.0.0.1:{port}"]


def test_programs_read_the_tables_that_the_server_allows(tmp_path: Path) -> None:
    """[SERVE-SOURCES]: below the directory, and nothing beside it."""
    pytest.importorskip("duckdb")
    shared = tmp_path / "shared"
    shared.mkdir()
    for folder in (shared, tmp_path):
        (folder / "people.csv").write_text("id,age\nann,30\nbob,17\n")
    with server("--workers", "1", "--sources-dir", str(shared)) as (port, _):
        status, report = ask(port, "POST", "/v1/verify", json.dumps(over("people.csv")).encode())
        assert (status, report["verdict"]) == (200, "refuted")
        _, report = ask(port, "POST", "/v1/verify", json.dumps(over("../people.csv")).encode())
        assert [each["code"] for each in report["diagnostics"]] == ["POT8010"]


def test_without_a_directory_calls_have_no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[SERVE-SOURCES]: nor a database, whatever the environment of the server names."""
    monkeypatch.setenv("POTLANG_POSTGRES", "host=/nowhere")
    (tmp_path / "people.csv").write_text("id,age\nann,30\n")
    monkeypatch.chdir(tmp_path)
    allowed, none = CallerService(str(tmp_path)), CallerService()

    def codes(service: CallerService, program: dict[str, Any]) -> list[str]:
        options = {"language": "pot", "deep": False, "edits": False}
        request = {"verb": "check", "input": b64encode(json.dumps(program).encode()).decode()}
        found = json.loads(service.answer({**request, "options": options})["text"])
        called = service.answer({"arguments": {"operation": "check", "program": program}, "budget": 1_500})
        listed = [each["code"] for each in called["answer"].get("diagnostics", [])]
        assert [each["code"] for each in found["diagnostics"]] == listed
        return listed

    assert codes(none, over("people.csv")) == ["POT8010"]
    assert codes(none, over(None)) == ["POT8010"]
    assert codes(allowed, over("people.csv")) == []
    for each in (allowed, none):
        each._judge.close()


def over(file: str | None) -> dict[str, Any]:
    """A program over a table of a file, or of a database, and a claim that is wrong of both tables."""
    source = {"file": file} if file else {"table": "people"}
    function = {"name": "age", "arguments": ["id"], "value": "age"}
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [{"name": "age", "domain": ["Person"], "range": "Int"}],
        "sources": [{**source, "members": [{"sort": "Person", "column": "id"}], "functions": [function]}],
        "verifications": [{"name": "old", "constraint": "ForAll([p: Person], age(p) >= 18 and age(p) < 20)"}],
    }


@pytest.mark.slow
def test_a_connection_that_is_closed_frees_its_place() -> None:
    """[SERVE-CANCEL]: the process at work is ended, as the figures say."""
    with server("--workers", "1") as (port, process):
        with socket.create_connection(("127.0.0.1", port)) as opened:
            head = f"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            opened.sendall(f"{head}Content-Length: {len(HARD)}\r\n\r\n".encode() + HARD)
            time.sleep(1.0)
        assert ask(port, "POST", "/v1/verify", SMALL)[0] == 200
        deadline = time.monotonic() + 30
        while (figures := ask(port, "GET", "/metrics")[1]) and time.monotonic() < deadline:
            if 'potlang_processes_lost_total{reason="cancelled"} 1.0' in figures:
                break
            time.sleep(0.1)
        assert "potlang_at_work 0.0" in figures
        assert 'operation="verify",status="499"' in figures
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


@pytest.mark.slow
def test_a_second_sigterm_ends_it_at_once() -> None:
    """[SERVE-DRAIN]"""
    with server("--workers", "1") as (port, process):
        statuses: list[int] = []
        thread = threading.Thread(target=_cut_off, args=(port, statuses), daemon=True)
        thread.start()
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 143
        thread.join(timeout=10)
        assert not thread.is_alive() and statuses in ([], [503])


def _cut_off(port: int, statuses: list[int]) -> None:
    """Ask what takes long; the status, if there is an answer before the connection ends."""
    with suppress(OSError, http.client.HTTPException):
        statuses.append(ask(port, "POST", "/v1/verify", HARD)[0])
