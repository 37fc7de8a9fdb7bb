"""`potc play` under hostile programs: each is answered, checks go on, memory stays.

    python benchmarks/playground.py --check

As many callers as there are hostile programs (50) do at once what the page does: they have a text checked
and then verified. The programs are bombs of `heavy.py`, nested brackets, texts of 10 MB, and problems that
no solver ends with. Beside them somebody types: a small program is checked four times a second, first alone.
With `--check` the exit code is 1 where a bound does not hold.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import select
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE)]

from heavy import programs  # noqa: E402
from serving import HARD, free_port, wait_for  # noqa: E402
from tables import table  # noqa: E402

_SMALL: Final = (HERE.parent / "examples" / "giraffe.json").read_bytes()
_PAUSE_SECONDS: Final = 0.25
_ALONE: Final = 20
_GRACE_SECONDS: Final = 10.0
"""After its limit a call is ended by force within this time."""
_MOST_CHECK_SECONDS: Final = 5.0
_MOST_GROWTH: Final = 1.2
_MEGABYTE: Final = 1024 * 1024
_PIECE: Final = 65_536
_ANSWERS: Final = frozenset({200, 413, 422})
_LATER: Final = frozenset({429, 503})


class Given(NamedTuple):
    """A hostile text, and what it is called."""

    name: str
    text: bytes


class Answered(NamedTuple):
    """The answer to an operation on a text: its status, what it said, and the seconds that it took."""

    operation: str
    name: str
    status: int
    said: str
    seconds: float


def hostile(count: int) -> list[Given]:
    """So many hostile texts: the largest of each family of bombs, and what is hostile as a text."""
    families = itertools.groupby(programs(), key=lambda each: each.family)
    bombs = [max(members, key=lambda each: each.size) for _, members in families]
    texts = [
        Given("no solver ends", json.dumps(HARD).encode()),
        Given("open brackets", b"[" * 900_000),
        Given("nested formulas", b'{"knowledge_base": ["' + b"Not(" * 200_000 + b'"]}'),
        Given("nested objects", b'{"a":' * 150_000),
        Given("10 MB", b'{"knowledge_base": [' + b'"p", ' * 2_000_000),
        Given("10 MB of brackets", b"[" * (10 * _MEGABYTE)),
        Given("a trace of 10 MB", b"@node id=1 role=problem\n" * 400_000),
        Given("a long line", b"@prop id=1 " + b'{"and": [' * 90_000),
        Given("steps", b"Step 1\nEdge: given.\nParents: none\nNode: $x = 2$\n\n" * 18_000),
        Given("no text", bytes(range(256)) * 3_000),
    ]
    found = [*texts, *(Given(each.name, each.text.encode()) for each in bombs)]
    return list(itertools.islice(itertools.cycle(found), count))


class Playground:
    """A playground that runs, and its two tokens."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self._port = port
        self.session: dict[str, Any] = json.loads(self._send("GET", "/play/session.json", b"", "")[2])

    def ask(self, operation: str, given: Given, caller: str, seconds: float) -> Answered:
        """The answer to a text; status 0 where there is none."""
        began = time.monotonic()
        try:
            token = self.session["tokens"][caller]
            status, retry, body = self._send("POST", f"/v1/{operation}", given.text, token, seconds)
            said = _said(status, retry, json.loads(body))
        except (OSError, http.client.HTTPException, ValueError) as error:
            status, said = 0, type(error).__name__
        return Answered(operation, given.name, status, said, time.monotonic() - began)

    def _send(
        self, method: str, path: str, body: bytes, token: str, seconds: float = 60.0
    ) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=seconds)
        try:
            connection.putrequest(method, path)
            connection.putheader("Authorization", f"Bearer {token}")
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            # As clients do: who is answered, or hung up on, before all is sent reads the answer.
            with suppress(ConnectionError):
                for at in range(0, len(body), _PIECE):
                    if select.select([connection.sock], [], [], 0)[0]:
                        break
                    connection.send(body[at : at + _PIECE])
            answer = connection.getresponse()
            return answer.status, answer.getheader("Retry-After") or "", answer.read()
        finally:
            connection.close()

    @property
    def resident(self) -> float:
        """Megabytes that the server's own process has."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _said(status: int, retry: str, answer: dict[str, Any]) -> str:
    """A verdict, the first code of diagnostics, or the code of a problem."""
    if status != 200:
        later = f", again in {retry} s" if retry else ""
        return f"{status} {answer['code']}{later}"
    if "verdict" in answer:
        return str(answer["verdict"])
    return str(answer["diagnostics"][0]["code"]) if answer["diagnostics"] else "no problems"


@contextmanager
def running(workers: int, total_timeout: float) -> Iterator[Playground]:
    """A playground, which is ended as by Ctrl-C."""
    port = free_port()
    options = ["--port", str(port), "--workers", str(workers), "--total-timeout", str(total_timeout)]
    command = [sys.executable, "-m", "potlang", "play", "--no-browser", *options]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        wait_for(port)
        yield Playground(process, port)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


def typing(playground: Playground, until: threading.Event, found: list[Answered]) -> None:
    """Has a small program checked, time and again, as somebody who types does."""
    while not until.is_set():
        found.append(playground.ask("check", Given("small", _SMALL), "editing", 60.0))
        time.sleep(_PAUSE_SECONDS)


def at_once(playground: Playground, given: list[Given], seconds: float, found: list[Answered]) -> None:
    """Does with all texts at once what the page does with each."""
    ready = threading.Barrier(len(given))

    def use(each: Given) -> None:
        ready.wait()
        found.append(playground.ask("check", each, "editing", seconds))
        found.append(playground.ask("verify", each, "verifying", seconds))

    threads = [threading.Thread(target=use, args=(each,)) for each in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _milliseconds(found: list[Answered]) -> list[float]:
    seconds = [each.seconds for each in found]
    p95 = statistics.quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
    return [1_000 * each for each in (statistics.median(seconds), p95, max(seconds))]


@click.command()
@click.option("--hostile", "count", default=50, help="Hostile programs at once.")
@click.option("--rounds", default=3, help="Times that they come.")
@click.option("--workers", default=2, help="As of `potc play`.")
@click.option("--total-timeout", default=20.0, help="As of `potc play`.")
@click.option("--check", "is_checked", is_flag=True, help="Exit with 1 where a bound does not hold.")
def main(count: int, rounds: int, workers: int, total_timeout: float, is_checked: bool) -> None:
    """Measure `potc play` under hostile programs."""
    given = hostile(count)
    answers, beside, resident = list[Answered](), list[Answered](), list[float]()
    # Of a call that waits for its turn behind as many as may be open.
    most = (total_timeout + _GRACE_SECONDS) * (count / workers + 1)
    with running(workers, total_timeout) as playground:
        # The first ones wait for the processes to start.
        for _ in range(2 * workers):
            playground.ask("check", Given("small", _SMALL), "editing", 60.0)
        alone = [playground.ask("check", Given("small", _SMALL), "editing", 60.0) for _ in range(_ALONE)]
        resident.append(playground.resident)
        for _ in range(rounds):
            is_over = threading.Event()
            typist = threading.Thread(target=typing, args=(playground, is_over, beside))
            typist.start()
            at_once(playground, given, most, answers)
            is_over.set()
            typist.join()
            resident.append(playground.resident)
        is_up = playground.process.poll() is None
    said = Counter((each.operation, each.said) for each in answers)
    slowest = {
        key: max(each.seconds for each in answers if (each.operation, each.said) == key) for key in said
    }
    rows = [[f"{verb}: {what}", number, slowest[verb, what]] for (verb, what), number in sorted(said.items())]
    click.echo(table(["answer", "times", "slowest s"], rows))
    checks = [["alone", len(alone), *_milliseconds(alone)], ["beside", len(beside), *_milliseconds(beside)]]
    click.echo(
        "\n" + table(["checks of a small program", "count", "median ms", "p95 ms", "slowest ms"], checks)
    )
    click.echo(f"\nserver's own process, MB: {', '.join(f'{each:.0f}' for each in resident)}")
    lost = [each for each in answers if each.status not in _ANSWERS | _LATER]
    refused = [each for each in beside if each.status != 200]
    problems = [
        *(f"no answer: {each}" for each in lost),
        *(f"a refusal that does not say when to come back: {each}" for each in _silent(answers)),
        *(f"a small program was not checked: {each}" for each in refused),
        *(["the server has ended"] if not is_up else []),
    ]
    if _milliseconds(beside)[1] > 1_000 * _MOST_CHECK_SECONDS:
        problems.append(f"checks took more than {_MOST_CHECK_SECONDS} s")
    if resident[-1] > _MOST_GROWTH * resident[1]:
        problems.append("the server's memory has grown")
    for each in problems:
        click.echo(each)
    sys.exit(1 if is_checked and problems else 0)


def _silent(answers: list[Answered]) -> list[Answered]:
    return [each for each in answers if each.status in _LATER and "again in" not in each.said]


if __name__ == "__main__":
    main()
