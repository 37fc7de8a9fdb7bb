"""Regression tests of a policy: claims with the verdicts that they must have ([POLICY-TESTS])."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from potlang.diag import Sink
from potlang.diag.patching import get
from potlang.languages.pot.claims import Claim, verified
from potlang.languages.pot.program import Program
from potlang.languages.pot.report import Report
from potlang.reading.json_text import read_json
from potlang.report.results import Limits, Verdict
from potlang.source import Document

MOST_CASES: Final = 10_000


class PolicyError(ValueError):
    """Unknown policy, invalid name, or unusable store."""


class Case(NamedTuple):
    """A claim, and the verdict that it must have; `rejected` is that of a claim that is no formula."""

    claim: Claim
    expected: Verdict
    name: str = ""

    @property
    def key(self) -> str:
        """The claim as one text, by which tests of two versions are matched."""
        if isinstance(self.claim, str):
            return self.claim
        claim = {key: value for key, value in self.claim.items() if key != "name"}
        if set(claim) == {"constraint"} and isinstance(claim["constraint"], str):
            return claim["constraint"]
        return json.dumps(claim, sort_keys=True, ensure_ascii=False)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, in the form that `read_cases` reads."""
        named = {"name": self.name} if self.name else {}
        return {**named, "claim": self.claim, "expected": str(self.expected)}


class CaseResult(NamedTuple):
    """The present verdict of a claim; `report` has the evidence."""

    case: Case
    verdict: Verdict
    report: Report

    @property
    def passed(self) -> bool:
        """True if the verdict is the expected one."""
        return self.verdict is self.case.expected


def read_cases(value: Any) -> tuple[Case, ...]:
    """Tests from a JSON value: a list of objects with `claim` and `expected`, or an object with such `tests`.

    Raises PolicyError.
    """
    given = value.get("tests") if isinstance(value, dict) else value
    if not isinstance(given, list) or len(given) > MOST_CASES:
        raise PolicyError(f"tests are a list of at most {MOST_CASES:,} objects with `claim` and `expected`")
    return tuple(_case(at, each) for at, each in enumerate(given, 1))


def _case(at: int, value: Any) -> Case:
    if not isinstance(value, dict) or not isinstance(value.get("claim"), str | dict):
        raise PolicyError(f"test {at} has no `claim`, which is an expression or a verification")
    try:
        expected = Verdict(value["expected"])
    except (KeyError, ValueError):
        raise PolicyError(f"`expected` of test {at} is not a verdict") from None
    if expected is Verdict.UNKNOWN:
        raise PolicyError(f"test {at} expects that nothing is known")
    name = value.get("name", "")
    if not isinstance(name, str):
        raise PolicyError(f"`name` of test {at} is not a string")
    return Case(value["claim"], expected, name)


def own_cases(program: Program, text: str, limits: Limits) -> tuple[tuple[Case, ...], tuple[str, ...]]:
    """The verifications of a program with this text and the verdicts that they have now.

    The names of those that are undecided come apart: nothing can be expected of them.
    """
    value = read_json(Document.from_str(text), Sink())
    claims: list[tuple[str, Any]] = [
        (each.name, get(value, each.origin.pointer)) for each in program.module.claims
    ]
    cases, undecided = [], []
    with program.session(limits=limits) as session:
        found = verified(session, [claim for _, claim in claims], limits)
        for (name, claim), report in zip(claims, found, strict=True):
            if report.verdict is Verdict.UNKNOWN:
                undecided.append(name)
            else:
                cases.append(Case(claim, Verdict(report.verdict), name))
    return tuple(cases), tuple(undecided)


def run_cases(program: Program, cases: Sequence[Case], limits: Limits) -> Iterator[CaseResult]:
    """Verifies the claim of each test anew, in one session."""
    with program.session(limits=limits) as session:
        found = verified(session, [each.claim for each in cases], limits)
        for case, report in zip(cases, found, strict=True):
            yield CaseResult(case, Verdict(report.verdict), report)
