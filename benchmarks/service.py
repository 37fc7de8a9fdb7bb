"""`potc serve` at saturation beside a hostile caller, its drain, and its OpenAPI document under a fuzzer.

    python benchmarks/service.py load --seconds 600 --check
    python benchmarks/service.py fuzz --schemathesis PATH --check

`load`: eight callers with a token each on loopback. Seven ask for verdicts that are known, each two at once
and as fast as they are answered, first alone, then beside an eighth that sends huge bodies, bombs and nested
brackets, reads nothing, goes away, sends heads that never end, and floods. The eighth is a process of its
own: its work takes time from the machine, but not from those who measure. At the end the server is told to
end while all of them are at it. With `--check` the exit code is 1 where a bound does not hold. `fuzz` has
schemathesis (`pip install schemathesis`, perhaps elsewhere) try what the document says.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Final, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE)]

from serving import HARD, free_port, wait_for  # noqa: E402

from potlang.generate.programs import Generated, ProgramDifficulty, generate  # noqa: E402

_MODEST: Final = 7
_THREADS: Final = 2
_IN_FLIGHT: Final = 8
_WARMING_SECONDS: Final = 10.0
_DRAIN_LOAD_SECONDS: Final = 3.0
_MOST_SLOWER: Final = 2.0
_HUGE: Final = 256 * 1024 * 1024


class Client:
    """Requests of one caller over one connection."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}"}
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, path: str, body: bytes, *, keep: bool = True) -> tuple[int, bytes, str | None]:
        """The status, the answer and `Retry-After`. Raises OSError, HTTPException."""
        connection = self._connection or http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        self._connection = None
        try:
            connection.request("POST", path, body, self._headers)
            answer = connection.getresponse()
            found = answer.status, answer.read(), answer.headers["Retry-After"]
        except BaseException:
            connection.close()
            raise
        if keep and not answer.will_close:
            self._connection = connection
        else:
            connection.close()
        return found


class Tally:
    """What the callers saw; for threads."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {"alone": [], "beside": []}
        self.statuses: Counter[str] = Counter()
        self.faults: list[str] = []
        self.lost = 0
        self._lock = threading.Lock()

    def add(self, phase: str, seconds: float, status: str, fault: str | None = None) -> None:
        """One answer."""
        with self._lock:
            self.statuses[f"{phase} {status}"] += 1
            if fault is not None:
                self.faults.append(fault)
            elif status == "200":
                self.seconds.setdefault(phase, []).append(seconds)


class Run:
    """A server under load."""

    def __init__(self, port: int, tokens: list[str], level: int) -> None:
        self.port = port
        self.tokens = tokens
        self.tally = Tally()
        self.phase = "alone"
        self.told_at = float("inf")
        self.stopped = threading.Event()
        difficulty = ProgramDifficulty.of_level(level)
        self.programs = [generate(seed, difficulty) for seed in range(200)]

    def modest(self, token: str, seed: int) -> None:
        """One known program after the other."""
        chosen = random.Random(seed)
        client = Client(self.port, token)
        while not self.stopped.is_set():
            each = chosen.choice(self.programs)
            phase, began = self.phase, time.monotonic()
            try:
                found = client.ask("/v1/verify", json.dumps(each.program).encode(), keep=phase != "drain")
            except (OSError, http.client.HTTPException) as error:
                self._failed(phase, began, error)
                continue
            status, fault = _judged(found, each)
            self.tally.add(phase, time.monotonic() - began, status, fault)
            if status in ("429", "503"):
                time.sleep(0.2)

    def _failed(self, phase: str, began: float, error: Exception) -> None:
        if phase != "drain":
            self.tally.add(phase, 0.0, type(error).__name__, f"{phase}: {error!r}")
        elif began < self.told_at - 0.2:
            # Sent well before the server was told to end, and never answered.
            self.tally.lost += 1
            self.tally.add(phase, 0.0, "lost", f"lost: {error!r}")
        else:
            time.sleep(0.05)


Answer = tuple[int, bytes, str | None]


def _judged(found: Answer, asked: Generated) -> tuple[str, str | None]:
    status, body, retry = found
    if status == 200:
        verdict = json.loads(body)["verdict"]
        wrong = verdict != str(asked.verdict)
        return "200", f"program {asked.seed}: {verdict}, not {asked.verdict}" if wrong else None
    fine = status in (429, 503) and retry is not None
    return str(status), None if fine else f"{status} {body[:200]!r}"


# --- what a hostile caller does -----------------------------------------------------------------------


def _bomb(client: Client, port: int, token: str, chosen: random.Random) -> Answer:
    return client.ask("/v1/verify?total_timeout=10", json.dumps(HARD).encode())


def _flood(client: Client, port: int, token: str, chosen: random.Random) -> Answer:
    return client.ask("/v1/verify", b'{"verifications": [{"constraint": "1 < 2"}]}')


def _nested(client: Client, port: int, token: str, chosen: random.Random) -> Answer:
    text = chosen.choice(("[" * 900_000, '{"a":' * 300_000, "9" * 1_000_000, '{"steps": [' * 9_000))
    return client.ask(f"/v1/{chosen.choice(('verify', 'check', 'fix', 'compile'))}", text.encode())


def _opened(port: int, head: str, token: str) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), timeout=30)
    opened.sendall(
        f"POST {head} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n".encode()
    )
    return opened


def _huge(client: Client, port: int, token: str, chosen: random.Random) -> Answer:
    with _opened(port, "/v1/verify", token) as sending:
        sending.sendall(f"Content-Length: {_HUGE}\r\n\r\n".encode())
        for _ in range(_HUGE >> 16):
            sending.sendall(b" " * 65_536)
    return 0, b"", None


def _unread(client: Client, port: int, token: str, chosen: random.Random) -> Answer:
    line = b'{"verifications": [{"constraint": "1 < 2"}]}\n'
    with _opened(port, "/v1/batch", token) as sending:
        sending.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        sending.settimeout(5)
        with suppress(TimeoutError):
            while True:
                data = line * 1_000
                sending.sendall(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    return 0, b"", None


def _gone(client: Client, port: int, token: str, chosen: random.Random) -> Answer:
    data = json.dumps(HARD).encode()
    with _opened(port, "/v1/verify", token) as sending:
        sending.sendall(f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        time.sleep(chosen.random() * 0.1)
    return 0, b"", None


def _endless_head(client: Client, port: int, token: str, chosen: random.Random) -> Answer:
    held = [_opened(port, "/v1/verify", token) for _ in range(20)]
    time.sleep(3)
    for each in held:
        each.close()
    return 0, b"", None


_ATTACKS: Final[dict[str, Callable[[Client, int, str, random.Random], Answer]]] = {
    "bomb": _bomb,
    "flood": _flood,
    "nested": _nested,
    "huge": _huge,
    "unread": _unread,
    "gone": _gone,
    "endless head": _endless_head,
}


class Found(NamedTuple):
    """What the hostile caller has seen, and the seconds of processor time that it took."""

    statuses: Counter[str]
    faults: list[str]
    processor: float


def hostile(port: int, token: str, begin: Event, end: Event, result: Connection) -> None:
    """One nuisance after the other, two of each kind at once, from `begin` to `end`; sends a `Found`."""
    tally = Tally()
    begin.wait()
    before = time.process_time()
    threads = [
        threading.Thread(target=_hostile, args=(port, token, kind, seed, end, tally), daemon=True)
        for kind in _ATTACKS
        for seed in range(2)
    ]
    for each in threads:
        each.start()
    end.wait()
    # Whoever waits for an answer need not have it.
    result.send(Found(tally.statuses, tally.faults, time.process_time() - before))


def _hostile(port: int, token: str, kind: str, seed: int, end: Event, tally: Tally) -> None:
    attack, client, chosen = _ATTACKS[kind], Client(port, token), random.Random(seed)
    while not end.is_set():
        try:
            status, body, retry = attack(client, port, token, chosen)
        except (OSError, http.client.HTTPException) as error:
            tally.add("hostile", 0.0, f"{kind}: connection ended")
            if isinstance(error, ConnectionRefusedError):
                time.sleep(0.05)
            continue
        fault = None
        if status >= 500 and status != 503:
            fault = f"hostile {kind}: {status} {body[:200]!r}"
        elif status in (429, 503) and retry is None:
            fault = f"hostile {kind}: {status} without Retry-After"
        tally.add("hostile", 0.0, f"{kind}: {status or 'no answer'}", fault)


# --- the server ---------------------------------------------------------------------------------------


@contextmanager
def server(port: int, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server that listens."""
    command = [sys.executable, "-m", "potlang", "serve", f"127.0.0.1:{port}", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=HERE.parent, env=environment)
    try:
        wait_for(port)
        yield process
    finally:
        process.kill()
        process.wait(timeout=30)


def _megabytes(pid: int) -> float:
    """What a process has resident."""
    with suppress(OSError):
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    return 0.0


def _below(pid: int) -> list[int]:
    """The processes that this one has started, and those that they have."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *_below(child)]
    return found


def _p99(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=100)[-1] if len(seconds) > 1 else 0.0


@click.group()
def main() -> None:
    """Measure `potc serve`."""


@main.command()
@click.option("--seconds", default=600.0, help="Beside the hostile caller; a third as long without it.")
@click.option("--workers", default=2)
@click.option("--level", default=3, help="Difficulty of the programs.")
@click.option("--check", is_flag=True)
def load(seconds: float, workers: int, level: int, check: bool) -> None:
    """Saturation by eight callers, one of them hostile, then a drain."""
    port = free_port()
    tokens = [f"{'token' * 4}{number}" for number in range(_MODEST + 1)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tokens")
        file.write_text("".join(f"{each} name=c{at}\n" for at, each in enumerate(tokens)), encoding="ascii")
        arguments = ("--token-file", str(file), "--workers", str(workers), "--in-flight", str(_IN_FLIGHT))
        with server(port, *arguments) as process:
            run = Run(port, tokens, level)
            ended = _phases(run, process, seconds)
    found = _failures(run, ended)
    _print(run, ended)
    for each in found:
        click.echo(f"FAILED: {each}")
    click.echo("not within the bounds" if found else "within the bounds")
    sys.exit(bool(check and found))


class Ended(NamedTuple):
    """The server's end: its exit code and standard error, and what was counted before.

    `memory` are megabytes each second beside the hostile caller: of the server, and of the processes below.
    """

    code: int
    said: str
    memory: list[tuple[float, float]]
    hostile: Found


def _phases(run: Run, process: subprocess.Popen[bytes], seconds: float) -> Ended:
    """Alone, beside the hostile caller, and the drain."""
    threads = [
        threading.Thread(target=run.modest, args=(token, seed), daemon=True)
        for token in run.tokens[:_MODEST]
        for seed in range(_THREADS)
    ]
    spawn = multiprocessing.get_context("spawn")
    begin, end, (result, sender) = spawn.Event(), spawn.Event(), spawn.Pipe(duplex=False)
    other = spawn.Process(target=hostile, args=(run.port, run.tokens[-1], begin, end, sender), daemon=True)
    run.phase = "warming"
    other.start()
    for each in threads:
        each.start()
    time.sleep(_WARMING_SECONDS)
    run.phase = "alone"
    time.sleep(seconds / 3)
    run.phase = "beside"
    begin.set()
    memory: list[tuple[float, float]] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(1)
        memory.append((_megabytes(process.pid), sum(map(_megabytes, _below(process.pid)))))
    run.phase = "drain"
    time.sleep(_DRAIN_LOAD_SECONDS)
    run.told_at = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=180)
    run.stopped.set()
    end.set()
    for each in threads:
        each.join(timeout=130)
    found = result.recv()
    other.kill()
    return Ended(process.returncode, said.decode("utf-8", "replace"), memory, found)


def _failures(run: Run, ended: Ended) -> list[str]:
    tally = run.tally
    found = [*tally.faults[:10], *ended.hostile.faults[:10]]
    alone, beside = _p99(tally.seconds["alone"]), _p99(tally.seconds["beside"])
    if not alone or beside > _MOST_SLOWER * alone:
        found.append(f"p99 of the others {beside:.3f} s, more than twice {alone:.3f} s")
    # From the middle on: before, caches of bounded size fill.
    _, middle, last = _at_times(ended.memory)
    if last[0] > 1.05 * middle[0] + 5:
        found.append(f"memory of the server grew from {middle[0]:.0f} to {last[0]:.0f} MB in the second half")
    if tally.lost:
        found.append(f"the drain lost {tally.lost}")
    if ended.code != 0:
        found.append(f"exit code {ended.code}")
    if "error" in ended.said or "Traceback" in ended.said:
        found.append(f"standard error: {ended.said[-500:]}")
    return found


def _at_times(memory: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The median of each figure in the first, the middle and the last fifth."""
    fifth = max(1, len(memory) // 5)
    middle = (len(memory) - fifth) // 2
    parts = (memory[:fifth], memory[middle : middle + fifth], memory[-fifth:])
    pairs = (zip(*part, strict=True) for part in parts)
    return [(statistics.median(own), statistics.median(below)) for own, below in pairs]


def _print(run: Run, ended: Ended) -> None:
    for phase in ("alone", "beside"):
        times = run.tally.seconds[phase]
        if times:
            middle = statistics.median(times)
            click.echo(f"others {phase}: {len(times)} answers, p50 {middle:.3f} s, p99 {_p99(times):.3f} s")
    alone, beside = (run.tally.seconds[each] for each in ("alone", "beside"))
    if alone and beside:
        p50, p99 = (of(beside) / of(alone) for of in (statistics.median, _p99))
        click.echo(f"beside to alone: p50 {p50:.2f}, p99 {p99:.2f} (at most {_MOST_SLOWER:g})")
    for name, (own, below) in zip(("start", "middle", "end"), _at_times(ended.memory), strict=True):
        click.echo(f"memory, {name}: server {own:.0f} MB, processes below {below:.0f} MB")
    click.echo(f"lost on drain: {run.tally.lost}; exit code {ended.code}")
    click.echo(f"the hostile caller's own processor time: {ended.hostile.processor:.1f} s")
    click.echo("statuses:")
    for status, count in sorted((run.tally.statuses + ended.hostile.statuses).items()):
        click.echo(f"  {status}: {count}")


@main.command()
@click.option("--schemathesis", default="schemathesis", help="The command, perhaps of another place.")
@click.option("--examples", default=100)
@click.option("--check", is_flag=True)
def fuzz(schemathesis: str, examples: int, check: bool) -> None:
    """No 5xx, and all answers as the document says."""
    port = free_port()
    with server(port, "--workers", "2", "--total-timeout", "5"):
        command = [
            *(schemathesis, "run", f"http://127.0.0.1:{port}/openapi.json"),
            *("--max-examples", str(examples), "--phases", "examples,coverage,fuzzing", "--no-color"),
            # Whether a text is a list of passes, or there is a program in an input, no schema says.
            *("--exclude-checks", "positive_data_acceptance"),
        ]
        # It keeps notes where it is run.
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(command, check=False, cwd=folder)
    sys.exit(done.returncode if check else 0)


if __name__ == "__main__":
    main()
