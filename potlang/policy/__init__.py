"""Policies: stored programs, in versions, with the claims that they must keep deciding as they do.

store = open_store()
store.add("leave", text, tests)
store.ask("leave", ["may_leave(ann)"], {"ann": {"days_left": 3}}).report.verdict

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.policy import guard as guard
    from potlang.policy import impact as impact
    from potlang.policy import judging as judging
    from potlang.policy import records as records
    from potlang.policy import replay as replay
    from potlang.policy.answers import CaseChange as CaseChange
    from potlang.policy.answers import MissingFact as MissingFact
    from potlang.policy.answers import PolicyAnswer as PolicyAnswer
    from potlang.policy.answers import SufficientFacts as SufficientFacts
    from potlang.policy.answers import ask as ask
    from potlang.policy.cases import Case as Case
    from potlang.policy.comparing import compare as compare
    from potlang.policy.describing import PolicyDescription as PolicyDescription
    from potlang.policy.describing import SpokenRule as SpokenRule
    from potlang.policy.describing import describe as describe
    from potlang.policy.difference import Difference as Difference
    from potlang.policy.difference import StatementChange as StatementChange
    from potlang.policy.directions import PolicyCertificate as PolicyCertificate
    from potlang.policy.gaps import Gap as Gap
    from potlang.policy.gaps import RuleMap as RuleMap
    from potlang.policy.gaps import RuleOverlap as RuleOverlap
    from potlang.policy.gaps import rule_map as rule_map
    from potlang.policy.impact import PolicyQuestion as PolicyQuestion
    from potlang.policy.impact import VerdictChange as VerdictChange
    from potlang.policy.impact import read_log as read_log
    from potlang.policy.judging import JudgedTest as JudgedTest
    from potlang.policy.judging import read_judged as read_judged
    from potlang.policy.mutation_coverage import CoverageHole as CoverageHole
    from potlang.policy.mutation_coverage import PolicyCoverage as PolicyCoverage
    from potlang.policy.mutation_coverage import RuleCoverage as RuleCoverage
    from potlang.policy.mutation_coverage import coverage as coverage
    from potlang.policy.mutations import Mutant as Mutant
    from potlang.policy.mutations import mutants as mutants
    from potlang.policy.scenes import DifferenceCase as DifferenceCase
    from potlang.policy.store import FailingTests as FailingTests
    from potlang.policy.store import Store as Store
    from potlang.policy.store import Version as Version
    from potlang.policy.store import default_directory as default_directory
    from potlang.policy.store import open_store as open_store
    from potlang.policy.suggestions import SuggestedTest as SuggestedTest
    from potlang.policy.suggestions import Suggestions as Suggestions
    from potlang.policy.suggestions import suggest as suggest
    from potlang.policy.tests import PolicyError as PolicyError
    from potlang.policy.tests import PolicyTest as PolicyTest
    from potlang.policy.tests import PolicyTestResult as PolicyTestResult
    from potlang.policy.tests import own_tests as own_tests
    from potlang.policy.tests import read_tests as read_tests
    from potlang.policy.tests import run_tests as run_tests
    from potlang.policy.texts.check import TextCheck as TextCheck
    from potlang.policy.texts.check import TextFinding as TextFinding
    from potlang.policy.texts.check import check_text as check_text
    from potlang.policy.texts.check import check_translations as check_translations

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.policy.answers": "CaseChange MissingFact PolicyAnswer SufficientFacts ask",
        "potlang.policy.cases": "Case",
        "potlang.policy.comparing": "compare",
        "potlang.policy.describing": "PolicyDescription SpokenRule describe",
        "potlang.policy.difference": "Difference StatementChange",
        "potlang.policy.directions": "PolicyCertificate",
        "potlang.policy.gaps": "Gap RuleMap RuleOverlap rule_map",
        "potlang.policy.impact": "PolicyQuestion VerdictChange read_log",
        "potlang.policy.judging": "JudgedTest read_judged",
        "potlang.policy.mutation_coverage": "CoverageHole PolicyCoverage RuleCoverage coverage",
        "potlang.policy.mutations": "Mutant mutants",
        "potlang.policy.scenes": "DifferenceCase",
        "potlang.policy.store": "FailingTests Store Version default_directory open_store",
        "potlang.policy.suggestions": "SuggestedTest Suggestions suggest",
        "potlang.policy.tests": "PolicyError PolicyTest PolicyTestResult own_tests read_tests run_tests",
        "potlang.policy.texts.check": "TextCheck TextFinding check_text check_translations",
    },
    modules="guard impact judging records replay",
)
