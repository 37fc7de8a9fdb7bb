"""PoT programs: read, check, lower, solve, report, render; each stage is a module of that name.

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.languages.pot import library as library

__getattr__, __dir__, __all__ = lazy_names(__name__, {}, modules="library")
