"""Faults of `potc serve`: requests are sent meanwhile, and each has to have the right answer."""

from __future__ import annotations

import http.client
import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Final

from chaos_proxy import Proxy
from chaos_scene import Member, Missing, Scene, Service, Told

_REQUESTS: Final = 400
_CLIENTS: Final = 6
_TRIES: Final = 20
_SECONDS: Final = 60.0
_AGAIN: Final = (429, 503)


class Clients:
    """Send programs of a scene to a port, again where they are told to or their connection is lost."""

    def __init__(self, scene: Scene, port: int) -> None:
        self.statuses: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.answered = 0
        self._port = port
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._left: SimpleQueue[tuple[bytes, str]] = SimpleQueue()
        rows = [row for row in scene.undisturbed() if row["language"] == "pot"]
        jobs = {job["id"]: job for job in map(json.loads, scene.jobs.read_bytes().splitlines())}
        for row in islice(rows, _REQUESTS):
            self._left.put((json.dumps(jobs[row["id"]]["program"]).encode(), row["verdict"]))
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(_CLIENTS)]
        for thread in self._threads:
            thread.start()

    @property
    def are_done(self) -> bool:
        """Whether all have their answers."""
        return not any(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """Send no more."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(_SECONDS)

    def _work(self) -> None:
        while not self._stopped.is_set():
            try:
                body, verdict = self._left.get_nowait()
            except Empty:
                return
            self._ask(body, verdict)

    def _ask(self, body: bytes, verdict: str) -> None:
        for _ in range(_TRIES):
            status, found = self._sent(body)
            with self._lock:
                self.statuses[status] += 1
                if status == "200":
                    self.answered += 1
                    if found != verdict:
                        self.wrong.append(f"answered {found}, not {verdict}")
                    return
                if status.isdecimal() and int(status) not in _AGAIN:
                    self.wrong.append(f"answered by {status}: {found}")
                    return
            if self._stopped.wait(0.2):
                return
        with self._lock:
            self.wrong.append(f"no answer after {_TRIES} requests")

    def _sent(self, body: bytes) -> tuple[str, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_SECONDS)
        try:
            connection.request("POST", "/v1/verify?trust=solver", body)
            answer = connection.getresponse()
            value = json.loads(answer.read())
            said = value["verdict"] if answer.status == 200 else value.get("detail", "")
            return str(answer.status), str(said)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return type(error).__name__, ""
        finally:
            connection.close()


@contextmanager
def _serving(scene: Scene) -> Iterator[Service]:
    try:
        service = scene.serve()
    except RuntimeError as error:
        raise Missing(str(error)) from error
    try:
        yield service
    finally:
        service.close()


def _disturbed(
    scene: Scene, clients: Clients, disturb: Callable[[], bool], every: tuple[float, float]
) -> int:
    times = 0
    while not clients.are_done:
        time.sleep(scene.chance.uniform(*every))
        times += disturb()
    return times


def _told(clients: Clients, service: Service, **figures: Any) -> Told:
    clients.stop()
    wrong = [f"{each}, {count} times" for each, count in Counter(clients.wrong).items()]
    if (code := service.drained()) != 0:
        wrong.append(f"the service has ended with {code}")
    counts = {"requests": clients.answered, "answers": dict(clients.statuses), **figures}
    return Told((), counts, tuple(wrong))


def service_processes_killed(scene: Scene) -> Told:
    """The processes of a service that do the work, and their solvers."""
    with _serving(scene) as service:
        clients = Clients(scene, service.port)

        def strike() -> bool:
            members: list[Member] = [each for each in scene.processes() if each.pid != service.pid]
            return bool(members) and scene.chance.choice(members).signal(signal.SIGKILL)

        times = _disturbed(scene, clients, strike, (0.5, 1.5))
        return _told(clients, service, struck=times)


def service_connections_dropped(scene: Scene) -> Told:
    """Connections of clients are reset, one at a time: they ask again.

    Each costs the service a process, which it ends with the request.
    """
    with _serving(scene) as service, Proxy(service.port) as proxy:
        clients = Clients(scene, proxy.port)
        _disturbed(scene, clients, lambda: bool(proxy.reset(1)), (0.5, 1.5))
        return _told(clients, service, connections=proxy.connections, reset=proxy.resets)


def service_drained(scene: Scene) -> Told:
    """SIGTERM while it is at work: what was let in is answered, and it ends."""
    with _serving(scene) as service:
        clients = Clients(scene, service.port)
        time.sleep(scene.chance.uniform(0.5, 2))
        code = service.drained()
        clients.stop()
        # What came later was refused.
        wrong = [each for each in clients.wrong if not each.startswith("no answer")]
        wrong += [f"the service has ended with {code}"] if code else []
        return Told((), {"requests": clients.answered, "answers": dict(clients.statuses)}, tuple(wrong))
