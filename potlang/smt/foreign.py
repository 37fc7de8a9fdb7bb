"""Values that solvers name and the IR has no value for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Anonymous:
    """An element of a declared sort; `raw` is the solver's name for it, the same throughout one model."""

    sort: str
    raw: str


@dataclass(frozen=True, slots=True)
class Algebraic:
    """An irrational real, as the solver writes it; `approximation` is close, not exact."""

    raw: str
    approximation: Fraction | None


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that only the solver's text tells."""

    raw: str
