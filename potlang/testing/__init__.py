"""Strategies of random input for property tests; needs the extra `testing` (hypothesis)."""

from __future__ import annotations

from .damage import damaged
from .formulas import Signature, formulas, meanings, modules, signatures, sorts, terms
from .names import declared_names, identifiers, quoted, renamed
from .programs import finite_programs, programs

__all__ = [
    "Signature",
    "damaged",
    "declared_names",
    "finite_programs",
    "formulas",
    "identifiers",
    "meanings",
    "modules",
    "programs",
    "quoted",
    "renamed",
    "signatures",
    "sorts",
    "terms",
]
