"""A PostgreSQL server of one's own, in a temporary directory, on a free port of loopback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from free_ports import free_port

from potlang.utils.closing import Closing

_SECONDS = 30.0


def programs() -> Path | None:
    """The directory of the server's programs, None where it is not installed."""
    found = shutil.which("initdb")
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places = [Path(found).resolve().parent] if found else debian
    return next((place for place in places if (place / "postgres").exists()), None)


class PostgresServer(Closing):
    """Started at once; `stop` and `start` as often as wanted, its data stays until `close`."""

    def __init__(self) -> None:
        """Raises RuntimeError where PostgreSQL is not installed."""
        found = programs()
        if found is None:
            raise RuntimeError("PostgreSQL is not installed: on Debian, apt-get install postgresql")
        self._programs = found
        self._directory = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        # The server refuses to be run by root.
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._as = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(self._directory, "postgres", "postgres")
        try:
            command = (found / "initdb", "-N", "-A", "trust", "-U", "potlang", "-D", self._directory / "data")
            subprocess.run(command, check=True, capture_output=True, cwd=self._directory, **self._as)
            self.start()
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """The URL of its database, with a password that it does not ask for."""
        return self.url_at(self.port)

    def url_at(self, port: int) -> str:
        """As `url`, through another port."""
        return f"postgresql://potlang:s3cret-word@127.0.0.1:{port}/postgres"

    def start(self) -> None:
        """Have it accept connections. Raises RuntimeError if it does not."""
        options = {"listen_addresses": "127.0.0.1", "port": self.port, "fsync": "off", "max_connections": 40}
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        command = (self._programs / "postgres", "-D", self._directory / "data", "-k", self._directory)
        with (self._directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                (*command, *settings), stdout=log, stderr=log, cwd=self._directory, **self._as
            )
        until = time.monotonic() + _SECONDS
        while not self._answers():
            if time.monotonic() > until or self._process.poll() is not None:
                raise RuntimeError((self._directory / "log").read_text(errors="replace")[-2000:])
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            return "ready" in (self._directory / "data" / "postmaster.pid").read_text().split()
        except OSError:
            return False

    def stop(self, *, at_once: bool = False) -> None:
        """End it and all connections; `at_once` as a machine that fails does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT if at_once else signal.SIGINT)
            self._process.wait(_SECONDS)
            self._process = None

    def pause(self) -> None:
        """Have it answer nothing, its connections open, until `resume`."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Have it go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        assert self._process is not None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in (pid, *map(int, children)):
            os.kill(each, number)

    def close(self) -> None:
        """End it and remove its data."""
        try:
            self.stop(at_once=True)
        finally:
            shutil.rmtree(self._directory, ignore_errors=True)
