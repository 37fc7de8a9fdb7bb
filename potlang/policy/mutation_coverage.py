"""Parts of a policy that its tests leave undecided: its mutants that pass them all ([POLICY-COVERAGE])."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Final, NamedTuple

from potlang.ir.module import Module
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.program import CompileError, Program
from potlang.policy.cases import program_value
from potlang.policy.comparing import same_meaning
from potlang.policy.mutations import Mutant, MutantKind, mutants
from potlang.policy.suggestions import BUDGET_MS, SuggestionKind, suggest
from potlang.policy.tests import PolicyError, PolicyTest, PolicyTestResult, run_tests
from potlang.processes.pool import Workers
from potlang.report.base import to_plain
from potlang.report.results import Limits, Verdict

MOST_MUTANTS: Final = 200
"""Mutants that are tried unless more are asked for ([LIMIT-POLICY-MUTANTS])."""

_KINDS: Final[tuple[SuggestionKind, ...]] = ("boundary", "condition", "conclusion")
"""The order in which suggested tests are tried: the shorter cases first."""


class CoverageHole(NamedTuple):
    """A change of a rule that no test notices, and a test that would."""

    kind: MutantKind
    pointer: str
    before: str
    after: str
    test: PolicyTest


class RuleCoverage(NamedTuple):
    """The share that tests decide of one fact, rule or definition: counts of its mutants, and the holes.

    `equivalent` mutants say the same as the policy, so that no test can tell them from it.
    """

    name: str
    pointer: str
    noticed: int = 0
    equivalent: int = 0
    unknown: int = 0
    holes: tuple[CoverageHole, ...] = ()


class PolicyCoverage(NamedTuple):
    """The coverage of all rules; `mutants` were tried of `possible` ones."""

    rules: tuple[RuleCoverage, ...]
    mutants: int
    possible: int

    @property
    def holes(self) -> int:
        """How many changes no test notices."""
        return sum(len(each.holes) for each in self.rules)

    @property
    def noticed(self) -> int:
        """How many changes a test notices."""
        return sum(each.noticed for each in self.rules)

    @property
    def unknown(self) -> int:
        """How many changes are neither noticed nor known to say the same or something else."""
        return sum(each.unknown for each in self.rules)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        counts = {"noticed": self.noticed, "holes": self.holes, "unknown": self.unknown}
        found: dict[str, Any] = to_plain(self)
        return {**counts, **found, "rules": [_plain(each) for each in self.rules]}


def _plain(rule: RuleCoverage) -> dict[str, Any]:
    holes = [{**hole._asdict(), "test": hole.test.to_dict()} for hole in rule.holes]
    return {**rule._asdict(), "holes": holes}


def coverage(
    program: Program,
    tests: Sequence[PolicyTest],
    *,
    most: int = MOST_MUTANTS,
    seed: int = 0,
    limits: Limits = Limits(),
    budget_ms: int = BUDGET_MS,
    workers: Workers | None = None,
    progress: Callable[[Sequence[Mutant]], Iterable[Mutant]] = iter,
) -> PolicyCoverage:
    """The share of each rule that tests decide, by at most `most` of the policy's mutants, drawn by a seed.

    `limits` are those of one mutant. A test that fails on the policy itself notices nothing. `progress` gives
    the mutants on, one after the other.
    """
    value = program_value(program)
    possible = list(mutants(value))
    drawn = sorted(Random(seed).sample(range(len(possible)), min(most, len(possible))))
    passing = [each for each in run_tests(program, tests, limits) if each.passed]
    trial = _Trial(program, passing, limits, budget_ms, workers)
    rules = {place: RuleCoverage(name, place) for place, name in _rules(program.module)}
    tried = 0
    for mutant in progress([possible[at] for at in drawn]):
        place = next((each for each in rules if f"{mutant.pointer}/".startswith(f"{each}/")), None)
        try:
            changed = compile_program(mutant.applied(value))
        except CompileError:
            continue
        if place is not None:
            tried += 1
            rules[place] = trial.added(rules[place], mutant, changed)
    return PolicyCoverage(tuple(rules.values()), tried, len(possible))


def _rules(module: Module) -> Iterator[tuple[str, str]]:
    """The places and names of facts, rules and definitions."""
    for each in module.assertions:
        if each.origin.pointer.count("/") == 2 and each.kind in ("fact", "rule"):
            yield each.origin.pointer, each.name
    for definition in module.definitions:
        if definition.origin.pointer:
            yield definition.origin.pointer.removesuffix("/body"), definition.symbol.name


class _Trial:
    """Tries mutants of one policy."""

    def __init__(
        self,
        program: Program,
        passing: Sequence[PolicyTestResult],
        limits: Limits,
        budget_ms: int,
        workers: Workers | None,
    ) -> None:
        self._program = program
        self._passing = passing
        self._limits = limits
        self._budget_ms = budget_ms
        self._workers = workers
        self._suggested: dict[str, list[PolicyTest]] = {}
        """The suggested tests of the policy by rule, and of all rules by the empty name."""

    def added(self, rule: RuleCoverage, mutant: Mutant, changed: Program) -> RuleCoverage:
        """The coverage of a rule with what the tests say of one more mutant."""
        # A test whose verdict rests on the rule is the likeliest to notice a change of it.
        likely = sorted(self._passing, key=lambda each: not _rests_on(each, rule.pointer))
        if self._noticing(changed, [each.test for each in likely]) is not None:
            return rule._replace(noticed=rule.noticed + 1)
        if same_meaning(self._program, changed, self._limits):
            return rule._replace(equivalent=rule.equivalent + 1)
        test = self._closing(rule, changed)
        if test is None:
            return rule._replace(unknown=rule.unknown + 1)
        hole = CoverageHole(mutant.kind, mutant.pointer, mutant.before, mutant.after, test)
        return rule._replace(holes=(*rule.holes, hole))

    def _noticing(self, changed: Program, tests: Sequence[PolicyTest]) -> PolicyTest | None:
        """The first test that fails on a changed policy, with an answer.

        A solver alone is asked first: few tests fail, and what it says of these is looked at again.
        """
        for result in run_tests(changed, tests, self._limits, "solver"):
            if _fails(result) and all(map(_fails, run_tests(changed, [result.test], self._limits))):
                return result.test
        return None

    def _closing(self, rule: RuleCoverage, changed: Program) -> PolicyTest | None:
        """A test that the policy passes and the changed one does not: of the rule, or else of another one."""
        if rule.name not in self._suggested:
            self._suggested[rule.name] = self._made(self._program, (rule.name,))
        found = self._noticing(changed, self._suggested[rule.name]) or self._changed(rule, changed)
        if found is not None:
            return found
        if "" not in self._suggested:
            self._suggested[""] = self._made(self._program, ())
        return self._noticing(changed, self._suggested[""])

    def _changed(self, rule: RuleCoverage, changed: Program) -> PolicyTest | None:
        """A test of the changed rule, which has boundaries of its own, with the verdict of the policy."""
        impossible = None
        for result in filter(
            _fails, run_tests(self._program, self._made(changed, (rule.name,)), self._limits)
        ):
            test = result.test._replace(expected=result.verdict)
            if result.verdict is not Verdict.INCONSISTENT:
                return test
            # A case that contradicts the policy shows the difference too, to whom nothing else does.
            impossible = impossible or test
        return impossible

    def _made(self, program: Program, rules: Collection[str]) -> list[PolicyTest]:
        """Suggested tests of some rules, or of all, the shorter first; a changed policy may have none."""
        with suppress(PolicyError):
            found = suggest(
                program, rules=rules, limits=self._limits, budget_ms=self._budget_ms, workers=self._workers
            )
            return [each.test for each in sorted(found.tests, key=lambda each: _KINDS.index(each.kind))]
        return []


def _rests_on(result: PolicyTestResult, pointer: str) -> bool:
    """Whether the core of a test's verdict has the item with this place."""
    cores = [each.evidence.core or () for each in result.report.results]
    return any(f"{item.pointer}/".startswith(f"{pointer}/") for core in cores for item in core)


def _fails(result: PolicyTestResult) -> bool:
    return not result.passed and result.verdict is not Verdict.UNKNOWN
