"""Real workers for the tests of the process layer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from potlang.processes.pool import Workers

LIMITS = Path(__file__).parents[1] / "limits"


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
