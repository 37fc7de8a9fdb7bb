"""Strategies of programs, traces and solutions for property tests; needs the extra `testing` (hypothesis)."""

from __future__ import annotations

from potlang.utils.extra import missing

try:
    import hypothesis  # noqa: F401
except ImportError as error:
    raise missing("hypothesis", "testing") from error

from potlang.testing.damage import damaged
from potlang.testing.names import declared_names, identifiers, quoted, renamed
from potlang.testing.programs import finite_programs, programs
from potlang.testing.solutions import damaged_solutions, solutions
from potlang.testing.traces import damaged_propositions, damaged_traces, propositions, shuffles, traces

__all__ = [
    "damaged",
    "damaged_propositions",
    "damaged_solutions",
    "damaged_traces",
    "declared_names",
    "finite_programs",
    "identifiers",
    "programs",
    "propositions",
    "quoted",
    "renamed",
    "shuffles",
    "solutions",
    "traces",
]
