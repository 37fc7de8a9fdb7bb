"""The linter: what a program that compiles may say without being meant, one module of `rules` a finding.

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.linter.choice import USUAL as USUAL
    from potlang.linter.choice import LintChoice as LintChoice
    from potlang.linter.choice import UnknownRule as UnknownRule
    from potlang.linter.linter import lint as lint

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.linter.choice": "USUAL LintChoice UnknownRule",
        "potlang.linter.linter": "lint",
    },
)
