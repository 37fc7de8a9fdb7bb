"""Limits on what is read; each has a diagnostic code of its own."""

from __future__ import annotations

from typing import NamedTuple


class InputLimits(NamedTuple):
    """Bounds of a document: its bytes, its nested JSON containers, the digits of one number."""

    bytes: int = 64 * 1024 * 1024
    nesting: int = 512
    digits: int = 10_000


DEFAULT_LIMITS = InputLimits()
