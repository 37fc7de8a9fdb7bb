"""Seeded problems whose answers are known by construction.

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.generate.solved import NotSampled as NotSampled
    from potlang.generate.solved import samples_of_program as samples_of_program

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"potlang.generate.solved": "NotSampled samples_of_program"}
)
