"""Policies: stored programs, in versions, with the claims that they must keep deciding as they do.

store = open_store()
store.add("leave", text, tests)
store.ask("leave", ["may_leave(ann)"], {"ann": {"days_left": 3}}).report.verdict
"""

from potlang.policy.answers import CaseChange, MissingFact, PolicyAnswer, ask
from potlang.policy.cases import Case
from potlang.policy.comparing import Change, Difference, compare
from potlang.policy.describing import PolicyDescription, SpokenRule, describe
from potlang.policy.store import Store, Version, default_directory, open_store
from potlang.policy.tests import PolicyError, PolicyTest, PolicyTestResult, own_tests, read_tests, run_tests
from potlang.policy.texts.check import TextCheck, TextFinding, check_text, check_translations

__all__ = [
    "Case",
    "CaseChange",
    "Change",
    "Difference",
    "MissingFact",
    "PolicyAnswer",
    "PolicyDescription",
    "PolicyError",
    "PolicyTest",
    "PolicyTestResult",
    "SpokenRule",
    "Store",
    "TextCheck",
    "TextFinding",
    "Version",
    "ask",
    "check_text",
    "check_translations",
    "compare",
    "default_directory",
    "describe",
    "open_store",
    "own_tests",
    "read_tests",
    "run_tests",
]
