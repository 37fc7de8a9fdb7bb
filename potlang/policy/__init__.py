"""Policies: stored programs, in versions, with the claims that they must keep deciding as they do.

store = open_store()
store.add("leave", text, tests)
store.ask("leave", ["may_leave(ann)"], {"ann": {"days_left": 3}}).report.verdict
"""

from potlang.policy.answers import CaseChange, MissingFact, PolicyAnswer, SufficientFacts, ask
from potlang.policy.cases import Case
from potlang.policy.comparing import compare
from potlang.policy.describing import PolicyDescription, SpokenRule, describe
from potlang.policy.difference import Difference, StatementChange
from potlang.policy.directions import PolicyCertificate
from potlang.policy.gaps import Gap, RuleMap, RuleOverlap, rule_map
from potlang.policy.impact import PolicyQuestion, VerdictChange, read_log
from potlang.policy.judging import JudgedTest, read_judged
from potlang.policy.mutants import Mutant, mutants
from potlang.policy.mutation_coverage import CoverageHole, PolicyCoverage, RuleCoverage, coverage
from potlang.policy.scenes import DifferenceCase
from potlang.policy.store import Store, Version, default_directory, open_store
from potlang.policy.suggestions import SuggestedTest, Suggestions, suggest
from potlang.policy.tests import PolicyError, PolicyTest, PolicyTestResult, own_tests, read_tests, run_tests
from potlang.policy.texts.check import TextCheck, TextFinding, check_text, check_translations

__all__ = [
    "Case",
    "CaseChange",
    "PolicyCoverage",
    "Difference",
    "Gap",
    "CoverageHole",
    "JudgedTest",
    "MissingFact",
    "Mutant",
    "RuleOverlap",
    "PolicyAnswer",
    "PolicyCertificate",
    "PolicyDescription",
    "PolicyError",
    "PolicyQuestion",
    "PolicyTest",
    "PolicyTestResult",
    "RuleCoverage",
    "RuleMap",
    "DifferenceCase",
    "SpokenRule",
    "StatementChange",
    "Store",
    "SuggestedTest",
    "Suggestions",
    "SufficientFacts",
    "TextCheck",
    "TextFinding",
    "VerdictChange",
    "Version",
    "ask",
    "check_text",
    "check_translations",
    "compare",
    "coverage",
    "default_directory",
    "describe",
    "mutants",
    "open_store",
    "own_tests",
    "read_judged",
    "read_log",
    "read_tests",
    "rule_map",
    "run_tests",
    "suggest",
]
