"""Data that ships with potlang: JSON schemas and the standard library of rule packs.

In a wheel they lie inside the package; in a source tree beside it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def folder(name: str) -> Path:
    """The folder of the data of this name, as `schemas` or `stdlib`."""
    # Not by importlib.resources, which takes longer to import than a program that imports a pack to verify.
    inside = Path(__file__).parents[1] / name
    return inside if inside.is_dir() else Path(__file__).parents[2] / name


def schema_text(name: str) -> str:
    """The text of a schema, `pot-1` for `schemas/pot-1.json`."""
    return folder("schemas").joinpath(f"{name}.json").read_text(encoding="utf-8")


def schema(name: str) -> dict[str, Any]:
    """A schema as JSON values, the caller's own."""
    found: dict[str, Any] = json.loads(schema_text(name))
    return found


def pack_names() -> list[str]:
    """All packs of the standard library, sorted: `std/order/partial_order`, …"""
    root = folder("stdlib")
    found = [
        f"std/{area.name}/{pack.name}"
        for area in root.iterdir()
        if area.is_dir()
        for pack in area.iterdir()
        if pack.is_dir() and pack.joinpath("pack.json").is_file()
    ]
    return sorted(found)


def pack_file(name: str, file: str) -> str | None:
    """The text of a pack's file (`pack.json`, `cases.json`, `README.md`), None where there is none."""
    parts = name.split("/")
    if len(parts) != 3 or parts[0] != "std" or not all(part.isidentifier() for part in parts[1:]):
        return None
    path = folder("stdlib").joinpath(parts[1]).joinpath(parts[2]).joinpath(file)
    return path.read_text(encoding="utf-8") if path.is_file() else None
