"""What goes wrong with policies."""

from __future__ import annotations


class PolicyError(ValueError):
    """No such policy, a name that is none, a store that cannot be used: the message says what."""
