"""Has models, or a script, say what the steps of a solution rest on, and what they say as formulas.

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.models.annotation.formal_journal import FormalJournal as FormalJournal
    from potlang.models.annotation.formal_journal import NotRead as NotRead
    from potlang.models.annotation.formal_journal import run as run
    from potlang.models.annotation.formal_journal import solutions_in as solutions_in

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"potlang.models.annotation.formal_journal": "FormalJournal NotRead run solutions_in"}
)
