"""Policies: stored programs, in versions, with the claims that they must keep deciding as they do.

store = open_store()
store.add("leave", text, cases)
store.verify_claims("leave", ["may_leave(ann)"]).verdict
"""

from potlang.policy.cases import Case, CaseResult, PolicyError, own_cases, read_cases, run_cases
from potlang.policy.comparing import Change, Difference, compare
from potlang.policy.store import Store, Version, default_directory, open_store

__all__ = [
    "Case",
    "CaseResult",
    "Change",
    "Difference",
    "PolicyError",
    "Store",
    "Version",
    "compare",
    "default_directory",
    "open_store",
    "own_cases",
    "read_cases",
    "run_cases",
]
