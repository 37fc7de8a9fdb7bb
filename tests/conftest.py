"""Profiles of the property tests, workers to test with, and the end of the shared ones."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from potlang.languages.dagmath.solve.budget import Stopwatch
from potlang.processes.pool import Workers, default_workers

settings.register_profile(
    "potlang",
    deadline=None,
    derandomize=True,
    database=None,
    report_multiple_bugs=False,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("potlang")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: many tests wait, for a limit to strike or for another process."""
    return (os.cpu_count() or 1) + 1


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs its commands in the background has them ignore it, which some tests are about.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _own_models(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The tests' models are asked on this machine, without a key of its user, and keep nothing at home."""
    os.environ["POTLANG_MODEL_CACHE"] = str(tmp_path_factory.mktemp("replies"))
    # Where tests limit the size of files, Python would leave compiled files cut off in the tree.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        os.environ.pop(name, None)


@pytest.fixture(scope="session", autouse=True)
def _time_for_steps() -> Iterator[None]:
    """A step has a fifth of a second, or ten times that: here ten times, whatever else the machine is at."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Stopwatch, "stretch", lambda _: 10.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def _shared_workers() -> Iterator[None]:
    """The workers that `potlang` keeps warm are closed with the session."""
    yield
    default_workers().close()
    default_workers.cache_clear()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process has many times as long for all it does: what is found is what an idle machine finds."""
    monkeypatch.setattr("potlang.utils.deadline.monotonic", lambda: time.monotonic() / 20)


LIMITS = Path(__file__).parent / "limits"


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers() as found:
        yield found


@pytest.fixture(scope="module")
def shared() -> Iterator[Workers]:
    with Workers() as found:
        yield found


@pytest.fixture(scope="session")
def hang() -> str:
    return (LIMITS / "hang.smt2").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def bomb() -> str:
    return (LIMITS / "memory.smt2").read_text(encoding="utf-8")
