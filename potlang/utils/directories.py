"""Directories of the user's own, as each system has them."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_directory(variable: str, *, windows: str, macos: str, xdg: tuple[str, str], other: str) -> Path:
    """The directory that the environment variable names, or else the usual one of this system.

    `windows`, `macos` and `other` are paths below the local data directory, the library and the XDG base;
    `xdg` is the variable of that base, and where it is by default. Raises RuntimeError without a home.
    """
    chosen = os.environ.get(variable)
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / windows
    if sys.platform == "darwin":
        return Path.home() / "Library" / macos
    base = os.environ.get(xdg[0], "")
    return (Path(base) if base.startswith("/") else Path.home() / xdg[1]) / other


def flush_folder(path: Path) -> None:
    """Put the names in a folder onto the disk: one that is not can be gone after the machine went down."""
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
