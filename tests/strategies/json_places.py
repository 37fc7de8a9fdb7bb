"""Places in JSON values, at which strategies change them."""

from __future__ import annotations

from typing import Any


def places(value: object) -> list[tuple[Any, Any]]:
    """Every (container, key) in the value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    for one in waiting:
        inside = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, part in inside:
            found.append((one, key))
            waiting.append(part)
    return found
