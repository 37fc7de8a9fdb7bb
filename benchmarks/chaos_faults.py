"""The faults of `chaos.py`: each disturbs a batch or a service, has it end, and tells what it did."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from chaos_proxy import Proxy
from chaos_scene import Ended, Missing, Role, Scene, Told, ended
from chaos_service import service_connections_dropped, service_drained, service_processes_killed
from postgres_server import PostgresServer, programs

_FAKETIME: Final = "/usr/lib/*/faketime/libfaketimeMT.so.1"
_JUMPS: Final = ("+0", "-3d", "+400d", "-40y", "+7", "-2", "+1h")
_ROOM: Final = 8 << 20
"""Bytes that a process under pressure may take on top."""
_CUT: Final = 0.6
_CRASHES: Final = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM)


def _expected(done: Ended, code: int = 0, said: str = "") -> tuple[str, ...]:
    if done.code == code and said in done.errors:
        return ()
    return (f"ended with {done.code}, not {code}: {done.errors[-400:]}",)


# --- processes ----------------------------------------------------------------------------------


def _struck(
    scene: Scene, role: Role, signals: tuple[int, ...], every: tuple[float, float], most: int
) -> Told:
    out = scene.place("struck")

    def strike() -> bool:
        members = scene.processes(role)
        return bool(members) and scene.chance.choice(members).signal(scene.chance.choice(signals))

    done, times = scene.disturbed(scene.start(out), strike, every, most)
    return Told(((out, None),), {"struck": times}, _expected(done))


def workers_killed(scene: Scene) -> Told:
    """Processes that answer jobs."""
    return _struck(scene, "worker", (signal.SIGKILL,), (1.5, 4.0), 12)


def solvers_crashed(scene: Scene) -> Told:
    """Processes that these have started."""
    return _struck(scene, "solver", _CRASHES, (0.05, 0.4), 60)


def memory_pressure(scene: Scene) -> Told:
    """A process gets hardly any more memory than it has."""
    out = scene.place("pressed")

    def press() -> bool:
        members = scene.processes("worker", "solver")
        return bool(members) and _pressed(scene.chance.choice(members).pid)

    done, times = scene.disturbed(scene.start(out), press, (0.2, 0.8), 30)
    return Told(((out, None),), {"pressed": times}, _expected(done))


def _pressed(pid: int) -> bool:
    with suppress(OSError):
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + _ROOM
        resource.prlimit(pid, resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
        return True
    return False


def runs_killed(scene: Scene) -> Told:
    """The run itself, and it goes on with the same command."""
    out = scene.place("killed")
    codes = []
    for _ in range(5):
        process = scene.start(out)
        number = scene.chance.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))

        def kill(number: int = number, process: Any = process) -> bool:
            process.send_signal(number)
            return True

        done, _ = scene.disturbed(process, kill, (0.3, 3.0), 1)
        codes.append(done.code)
        if not done.code:
            break
    return Told(((out, None),), {"ended with": codes}, _expected(scene.run(out)))


def _killed(process: subprocess.Popen[str]) -> bool:
    process.kill()
    return True


# --- the clock ----------------------------------------------------------------------------------


def clock_jumps(scene: Scene) -> Told:
    """The time of day is set to seconds, days, years away; the clock that durations are taken by goes on."""
    found = sorted(Path("/").glob(_FAKETIME.lstrip("/")))
    if not found:
        raise Missing("libfaketime: apt-get install libfaketime")
    out, file = scene.place("jumped"), scene.folder / "clock"
    file.write_text("+0\n")
    cache = scene.place("cache")
    environment = {
        "LD_PRELOAD": str(found[0]),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        # The library's own memory of its clock, which it shares by a file, is not what is tested.
        "FAKETIME_DISABLE_SHM": "1",
    }

    def jump() -> bool:
        file.write_text(scene.chance.choice(_JUMPS) + "\n")
        return True

    process = scene.start(out, "--cache-dir", str(cache), environment=environment)
    done, times = scene.disturbed(process, jump, (0.1, 0.6), 100)
    shutil.rmtree(cache, ignore_errors=True)
    return Told(((out, None),), {"jumps": times}, _expected(done))


# --- inputs -------------------------------------------------------------------------------------


def input_cut(scene: Scene) -> Told:
    """The jobs end in the middle of a line: that one is rejected, the others are answered."""
    out, path = scene.place("cut"), scene.folder / "cut.jsonl"
    data = scene.jobs.read_bytes()
    at = int(len(data) * _CUT)
    while data[at - 1 : at] == b"\n" or data[at : at + 1] == b"\n":
        at += 1
    whole = data.count(b"\n", 0, at)
    path.write_bytes(data[:at])
    done = scene.run(out, jobs=path)
    last = _without_last(out)
    wrong = () if last == "rejected" else (f"the line that is cut is {last}",)
    _rename(out, path.name, scene.jobs.name)
    return Told(((out, whole),), {"jobs": whole + 1}, (*_expected(done), *wrong))


def _without_last(out: Path) -> str:
    """Take the last row away; its verdict."""
    path = sorted((out / "rows").glob("*.jsonl"))[-1]
    *lines, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines))
    return str(json.loads(last)["verdict"])


def _rename(out: Path, old: str, new: str) -> None:
    """The input's name in rows."""
    for path in (out / "rows").glob("*.jsonl"):
        path.write_bytes(path.read_bytes().replace(f"/{old}".encode(), f"/{new}".encode()))


def input_changes_between_runs(scene: Scene) -> Told:
    """An input that has grown or shrunk is another batch; with the old one the run goes on."""
    out = scene.place("changed")
    data = scene.jobs.read_bytes()
    process = scene.start(out)
    first, _ = scene.disturbed(process, lambda: _killed(process), (1.0, 3.0), 1)
    wrong: list[str] = []
    try:
        for other in (data + data[: len(data) // 3], data[: int(len(data) * _CUT)]):
            scene.jobs.write_bytes(other)
            wrong += _expected(scene.run(out), 2, "inputs differ")
    finally:
        scene.jobs.write_bytes(data)
    return Told(((out, None),), {"first ended with": first.code}, (*wrong, *_expected(scene.run(out))))


def input_shrinks_during_a_run(scene: Scene) -> Told:
    """The rest of the jobs is gone while they are answered: the run says so, and can go on with them back."""
    out = scene.place("shrunk")
    data = scene.jobs.read_bytes()
    process = scene.start(out)

    def shrink() -> bool:
        scene.jobs.write_bytes(data[: len(data) // 10])
        return True

    try:
        done, times = scene.disturbed(process, shrink, (1.0, 2.0), 1)
    finally:
        scene.jobs.write_bytes(data)
    wrong = _expected(done, 2, "POT0014") if done.code else ()
    return Told(
        ((out, None),), {"shrunk": times, "ended with": done.code}, (*wrong, *_expected(scene.run(out)))
    )


# --- the disk -----------------------------------------------------------------------------------


def disk_full(scene: Scene) -> Told:
    """Results fill a disk, which is made larger then; or files may not grow, where there can be none."""
    out = scene.place("full")
    size = sum(path.stat().st_size for path in scene.place("calm0").rglob("*") if path.is_file())
    with _small_disk(out, size // 2) as grow:
        small = scene.run(out) if grow is not None else _with_small_files(scene, out)
        wrong = _expected(small, 2, "POT0014")
        if grow is not None:
            grow(size * 4)
        done = scene.run(out)
        kept = scene.place("kept")
        shutil.copytree(out, kept)
    shutil.rmtree(out, ignore_errors=True)
    figures = {"disk": "tmpfs" if grow is not None else "limit on files", "bytes": size // 2}
    return Told(((kept, None),), figures, (*wrong, *_expected(done)))


@contextmanager
def _small_disk(out: Path, size: int) -> Iterator[Callable[[int], object] | None]:
    """A disk of so many bytes at a directory, and what makes it larger; None where it cannot be mounted."""
    out.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(out))
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield lambda more: subprocess.run(("mount", "-o", f"remount,size={more}", str(out)), check=True)
    finally:
        subprocess.run(("umount", str(out)), check=True)


def _with_small_files(scene: Scene, out: Path) -> Ended:
    process = scene.start(out)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
    return ended(process)


# --- the cache ----------------------------------------------------------------------------------


@contextmanager
def _postgres() -> Iterator[PostgresServer]:
    if programs() is None or find_spec("psycopg") is None:
        raise Missing("PostgreSQL and psycopg: apt-get install postgresql; pip install 'potlang[postgres]'")
    with PostgresServer() as server:
        yield server


def cache_server(scene: Scene) -> Told:
    """The server of the cache stops and starts while it is filled, and while it is used."""
    filled, used = scene.place("filled"), scene.place("used")
    wrong: tuple[str, ...] = ()
    figures: dict[str, Any] = {}
    with _postgres() as server:
        is_on = True

        def turn() -> bool:
            nonlocal is_on
            if is_on:
                server.stop(at_once=scene.chance.random() < 0.5)
            else:
                server.start()
            is_on = not is_on
            return True

        for out in (filled, used):
            done, times = scene.disturbed(scene.start(out, "--cache-dir", server.url), turn, (1.0, 4.0), 40)
            if not is_on:
                turn()
            wrong += _expected(done)
            figures[f"turns while {out.name}"] = times
            figures[f"warnings while {out.name}"] = done.errors.count("POT6011")
            figures |= _cached(server.url, out.name)
    return Told(((filled, None), (used, None)), figures, wrong)


def connections_dropped(scene: Scene) -> Told:
    """A proxy between batch and server resets all connections, again and again."""
    filled, used = scene.place("filled"), scene.place("used")
    wrong: tuple[str, ...] = ()
    figures: dict[str, Any] = {}
    with _postgres() as server, Proxy(server.port) as proxy:
        url = server.url_at(proxy.port)
        for out in (filled, used):
            process = scene.start(out, "--cache-dir", url)
            done, _ = scene.disturbed(process, lambda: bool(proxy.reset()), (0.1, 1.0), 100)
            wrong += _expected(done)
            figures |= _cached(server.url, out.name)
        figures |= {"connections": proxy.connections, "reset": proxy.resets}
    return Told(((filled, None), (used, None)), figures, wrong)


def _cached(url: str, name: str) -> dict[str, int]:
    command = (sys.executable, "-m", "potlang", "cache", "stats", "--cache-dir", url, "--format", "json")
    stats = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {f"entries when {name}": stats["entries"], f"hits when {name}": stats["hits"]}


FAULTS: Final[Mapping[str, Callable[[Scene], Told]]] = {
    "workers-killed": workers_killed,
    "solvers-crashed": solvers_crashed,
    "memory-pressure": memory_pressure,
    "runs-killed": runs_killed,
    "clock-jumps": clock_jumps,
    "input-cut": input_cut,
    "input-changes-between-runs": input_changes_between_runs,
    "input-shrinks-during-a-run": input_shrinks_during_a_run,
    "disk-full": disk_full,
    "cache-server": cache_server,
    "connections-dropped": connections_dropped,
    "service-processes-killed": service_processes_killed,
    "service-connections-dropped": service_connections_dropped,
    "service-drained": service_drained,
}
