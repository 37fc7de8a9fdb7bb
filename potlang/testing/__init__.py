"""Strategies of random input for property tests; needs the extra `testing` (hypothesis)."""

from __future__ import annotations

from .formulas import Signature, formulas, meanings, modules, signatures, sorts, terms

__all__ = ["Signature", "formulas", "meanings", "modules", "signatures", "sorts", "terms"]
