"""The digest of a module: one for all modules that differ in ids, names of variables and origins only."""

from __future__ import annotations

import hashlib

from potlang.ir.module import Module
from potlang.ir.text import print_module


def digest(module: Module) -> str:
    """SHA-256 of the canonical text, in hexadecimal."""
    return hashlib.sha256(print_module(module, canonical=True).encode()).hexdigest()
