"""Libraries of the extras, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A library of an extra is not installed: `name`; the message says how to install it."""


def needed(module: str, extra: str = "dagmath") -> Any:
    """A module of an extra. Raises MissingExtraError."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing(module.partition(".")[0], extra) from error


def missing(library: str, extra: str) -> MissingExtraError:
    """The error for a library of an extra that is not installed."""
    # What it imports takes as long as a small program, and most runs lack nothing.
    from potlang.utils.installation import install_command

    return MissingExtraError(f"{library} is needed: {install_command(extra)}", name=library)


def not_installed(library: str | None) -> str:
    """The words of a report on a missing library: reports go to others, and name no place of this machine."""
    return f"{library} is not installed (`potc doctor` says how)"
