"""Errors of the border to solvers."""

from __future__ import annotations


class Unsupported(Exception):
    """A module cannot be written in the dialect asked for; the message says what stands in the way."""
