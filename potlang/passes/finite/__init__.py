"""Programs over finitely many unknown values, decided by search (`spec/57-search.md`)."""

from __future__ import annotations

from .problem import Constraint, Problem
from .search import OutOfSteps, Search, Steps
from .terms import NotFinite

__all__ = ["Constraint", "NotFinite", "OutOfSteps", "Problem", "Search", "Steps"]
