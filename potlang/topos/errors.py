"""Errors of the library: a law that does not hold, a size beyond a bound."""

from __future__ import annotations


class AxiomError(ValueError):
    """The data given do not satisfy the laws of what they should be."""


class BoundExceeded(ValueError):
    """A finite construction, or a search, would exceed its bound."""


def require(holds: bool, law: str) -> None:
    """Raise `AxiomError` with the `law` unless it holds."""
    if not holds:
        raise AxiomError(law)


def bounded(size: int, limit: int, what: str) -> None:
    """Raise `BoundExceeded` if `size` is beyond `limit`."""
    if size > limit:
        raise BoundExceeded(f"{what}: more than the limit of {limit:,}")
