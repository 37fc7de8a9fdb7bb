"""Libraries of the extras, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A library of an extra is not installed; the message says how to install it."""


def needed(module: str, extra: str = "dagmath") -> Any:
    """A module of an extra. Raises MissingExtraError."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(f"{package} is needed: pip install 'potlang[{extra}]'") from error
