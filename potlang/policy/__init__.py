"""Policies: stored programs, in versions, with the claims that they must keep deciding as they do.

store = open_store()
store.add("leave", text, cases)
store.verify_claims("leave", ["may_leave(ann)"]).verdict
"""

from potlang.policy.cases import Case
from potlang.policy.comparing import Change, Difference, compare
from potlang.policy.store import Store, Version, default_directory, open_store
from potlang.policy.tests import PolicyError, PolicyTest, PolicyTestResult, own_tests, read_tests, run_tests

__all__ = [
    "Case",
    "PolicyTest",
    "PolicyTestResult",
    "Change",
    "Difference",
    "PolicyError",
    "Store",
    "Version",
    "compare",
    "default_directory",
    "open_store",
    "own_tests",
    "read_tests",
    "run_tests",
]
