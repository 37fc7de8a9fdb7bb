"""Profiles of the property tests, and the end of the shared workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

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


@pytest.fixture(scope="session", autouse=True)
def _shared_workers() -> Iterator[None]:
    """The workers that `potlang` keeps warm are closed with the session."""
    yield
    from potlang.processes.pool import default_workers

    default_workers().close()
    default_workers.cache_clear()
