"""The error of the policy store."""

from __future__ import annotations


class PolicyError(ValueError):
    """Unknown policy, invalid name, or unusable store."""
