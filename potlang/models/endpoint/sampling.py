"""Settings of requests to models."""

from __future__ import annotations

from typing import NamedTuple


class Sampling(NamedTuple):
    """Settings of requests. `tries` bounds those for one accepted reply; None leaves a setting to the model.

    `seed`: that of the first try; each further one has the next.
    """

    tries: int = 5
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    seed: int | None = None
