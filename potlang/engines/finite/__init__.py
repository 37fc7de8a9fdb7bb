"""Programs over finitely many unknown values, decided by search (`spec/57-search.md`)."""

from __future__ import annotations

from potlang.engines.finite.problem import Constraint, Problem
from potlang.engines.finite.search import OutOfSteps, Search, Steps
from potlang.ir.compile import NotFinite

__all__ = ["Constraint", "NotFinite", "OutOfSteps", "Problem", "Search", "Steps"]
