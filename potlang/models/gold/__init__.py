"""Gold-standard solutions from problems with known solutions, and runs over data sets of them.

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.models.gold.builder import Builder as Builder
    from potlang.models.gold.builder import Models as Models
    from potlang.models.gold.journal import GoldJournal as GoldJournal
    from potlang.models.gold.journal import run as run
    from potlang.models.gold.journal import success_by_difficulty as success_by_difficulty

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.models.gold.builder": "Builder Models",
        "potlang.models.gold.journal": "GoldJournal run success_by_difficulty",
    },
)
