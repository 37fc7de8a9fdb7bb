"""Ways out: a typed module as a text for another tool: TPTP, Lean, Python with z3, ASP."""

from __future__ import annotations

from typing import Final, Literal, get_args

Way = Literal["tptp", "lean", "python", "asp"]
WAYS: Final[tuple[Way, ...]] = get_args(Way)
