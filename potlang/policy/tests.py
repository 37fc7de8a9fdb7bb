"""Regression tests of a policy: claims with the verdicts that they must have ([POLICY-TESTS])."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from potlang.diag.patching import get
from potlang.languages.pot.claims import Claim, verified
from potlang.languages.pot.program import Checked, CompileError, Program
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import rejected
from potlang.policy.cases import Case, program_value
from potlang.prove.options import Trust
from potlang.report.results import Limits, Verdict

MOST_TESTS: Final = 10_000


class PolicyError(ValueError):
    """Unknown policy, invalid name, or unusable store."""


class PolicyTest(NamedTuple):
    """A claim, perhaps in a case, and the verdict that it must have.

    `rejected` is that of a claim that is no formula, and of any in a case that does not fit the policy.
    `note` is for people.
    """

    claim: Claim
    expected: Verdict
    name: str = ""
    case: dict[str, Any] | None = None
    note: str = ""

    @property
    def key(self) -> str:
        """The claim and the case as one text, by which tests of two versions are matched."""
        if self.case is None:
            return self._claim_text
        return f"{self._claim_text} in {json.dumps(self.case, ensure_ascii=False, default=str)}"

    @property
    def _claim_text(self) -> str:
        if isinstance(self.claim, str):
            return self.claim
        claim = {key: value for key, value in self.claim.items() if key != "name"}
        if set(claim) == {"constraint"} and isinstance(claim["constraint"], str):
            return claim["constraint"]
        return json.dumps(claim, sort_keys=True, ensure_ascii=False)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, in the form that `read_tests` reads."""
        named = {"name": self.name} if self.name else {}
        case = {} if self.case is None else {"case": self.case}
        noted = {"note": self.note} if self.note else {}
        return {**named, **case, "claim": self.claim, "expected": str(self.expected), **noted}


class PolicyTestResult(NamedTuple):
    """The present verdict of a claim; `report` has the evidence."""

    test: PolicyTest
    verdict: Verdict
    report: Report

    @property
    def passed(self) -> bool:
        """True if the verdict is the expected one."""
        return self.verdict is self.test.expected


def read_tests(value: Any) -> tuple[PolicyTest, ...]:
    """Tests from a JSON value: a list of objects with `claim` and `expected`, or an object with such `tests`.

    Raises PolicyError.
    """
    given = value.get("tests") if isinstance(value, dict) else value
    if not isinstance(given, list) or len(given) > MOST_TESTS:
        raise PolicyError(f"tests are a list of at most {MOST_TESTS:,} objects with `claim` and `expected`")
    return tuple(_test(at, each) for at, each in enumerate(given, 1))


def _test(at: int, value: Any) -> PolicyTest:
    if not isinstance(value, dict) or not isinstance(value.get("claim"), str | dict):
        raise PolicyError(f"test {at} has no `claim`, which is an expression or a verification")
    try:
        expected = Verdict(value["expected"])
    except (KeyError, ValueError):
        raise PolicyError(f"`expected` of test {at} is not a verdict") from None
    if expected is Verdict.UNKNOWN:
        raise PolicyError(f"test {at} expects that nothing is known")
    name, case, note = value.get("name", ""), value.get("case"), value.get("note", "")
    if not isinstance(name, str) or not isinstance(note, str):
        raise PolicyError(f"`{'note' if isinstance(name, str) else 'name'}` of test {at} is not a string")
    if not isinstance(case, dict | None):
        raise PolicyError(f"`case` of test {at} is not an object")
    return PolicyTest(value["claim"], expected, name, case, note)


def own_claims(program: Program) -> list[tuple[str, Any]]:
    """The names and the JSON values of a program's verifications."""
    value = program_value(program)
    return [(each.name, get(value, each.origin.pointer)) for each in program.untabled.claims]


def own_tests(program: Program, limits: Limits) -> tuple[tuple[PolicyTest, ...], tuple[str, ...]]:
    """The verifications of a program as tests, with the verdicts that they have now.

    The names of those that are undecided come apart: nothing can be expected of them.
    """
    claims = own_claims(program)
    tests, undecided = [], []
    with program.session(limits=limits) as session:
        found = verified(session, [claim for _, claim in claims], limits)
        for (name, claim), report in zip(claims, found, strict=True):
            if report.verdict is Verdict.UNKNOWN:
                undecided.append(name)
            else:
                tests.append(PolicyTest(claim, Verdict(report.verdict), name))
    return tuple(tests), tuple(undecided)


def run_tests(
    program: Program, tests: Sequence[PolicyTest], limits: Limits, trust: Trust = "best"
) -> Iterator[PolicyTestResult]:
    """Verifies the claim of each test anew. The total limit is that of all tests together."""
    asked = [(each.claim, each.case) for each in tests]
    for test, report in zip(tests, reports(program, asked, limits, trust), strict=True):
        yield PolicyTestResult(test, Verdict(report.verdict), report)


def reports(
    program: Program,
    asked: Sequence[tuple[Claim, dict[str, Any] | None]],
    limits: Limits,
    trust: Trust = "best",
) -> Iterator[Report]:
    """A report on each claim in its case, if it has one; those of one case are asked in one session.

    That on a claim which is no formula, or in a case that does not fit the program, is `rejected`. The total
    limit is that of all claims together.
    """
    began = time.perf_counter()
    for case, group in groupby(asked, lambda each: each[1]):
        spent = 1000 * (time.perf_counter() - began)
        left = limits._replace(total_ms=max(1, round(limits.total_ms - spent)))
        yield from _in_case(program, case, [claim for claim, _ in group], left, trust)


def _in_case(
    program: Program, case: dict[str, Any] | None, claims: Sequence[Claim], limits: Limits, trust: Trust
) -> Iterator[Report]:
    try:
        asked = program if case is None else Case.of(case).applied(program)
    except CompileError as error:
        for _ in claims:
            yield rejected(Checked(error.document, error.diagnostics, None), limits)
        return
    with asked.session(limits=limits, trust=trust) as session:
        yield from verified(session, claims, limits)
