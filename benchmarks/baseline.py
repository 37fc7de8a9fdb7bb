"""Ratios kept from an earlier run. Ratios, since milliseconds belong to the machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_TOLERATED = 1.25


def save(path: Path, command: str, ratios: dict[str, float], machine: dict[str, Any]) -> None:
    """Keep the ratios of one command; those of other commands stay as they are."""
    kept = _read(path)
    kept[command] = {
        "machine": machine,
        "ratios": {name: round(value, 3) for name, value in sorted(ratios.items())},
    }
    path.write_text(json.dumps(dict(sorted(kept.items())), indent=2) + "\n", encoding="utf-8")


def compare(path: Path, command: str, ratios: dict[str, float]) -> tuple[list[str], list[str]]:
    """A line for each ratio that is in both, and those that are worse by more than a quarter."""
    before: dict[str, float] = _read(path).get(command, {}).get("ratios", {})
    lines, worse = [], []
    for name, value in ratios.items():
        if name not in before:
            continue
        line = f"{name}: {before[name]:.2f} before, {value:.2f} now"
        lines.append("  " + line)
        if value > _TOLERATED * before[name]:
            worse.append(line)
    return lines or ["  nothing to compare with"], worse


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return kept
