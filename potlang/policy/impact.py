"""Claims that two versions decide differently: tests, a log, drawn claims ([POLICY-DIFF-IMPACT])."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from potlang.expressions.names import with_names
from potlang.languages.pot.claims import Claim
from potlang.languages.pot.program import Program
from potlang.languages.pot.report import Report
from potlang.policy.renames import renames_between
from potlang.policy.statements import without_rows
from potlang.policy.tests import PolicyError, PolicyTest, own_claims, reports
from potlang.policy.wording import value_with_names
from potlang.report.results import Limits, Result, Verdict
from potlang.report.text import evidence_lines
from potlang.utils.style import PLAIN

MOST_LOGGED: Final = 100_000
"""Claims of a log ([LIMIT-POLICY-LOG])."""
Asked = Literal["verification", "norm", "test", "log", "sample"]


class PolicyQuestion(NamedTuple):
    """A claim that both versions are asked, perhaps in a case, and where it comes from."""

    origin: Asked
    name: str
    claim: Claim
    case: dict[str, Any] | None = None

    @property
    def key(self) -> str:
        """The claim and the case as one text."""
        return PolicyTest(self.claim, Verdict.UNKNOWN, "", self.case).key


class VerdictChange(NamedTuple):
    """A claim with another verdict, and the evidence for each as text."""

    origin: Asked
    name: str
    claim: Claim
    case: dict[str, Any] | None
    old: Verdict
    new: Verdict
    old_evidence: str
    new_evidence: str


def tested(tests: Sequence[PolicyTest]) -> list[PolicyQuestion]:
    """The tests as questions; of two with one claim and case the later counts."""
    return list(
        {each.key: PolicyQuestion("test", each.name, each.claim, each.case) for each in tests}.values()
    )


def own_questions(*programs: Program) -> list[PolicyQuestion]:
    """The verifications of some programs, each once."""
    every = [
        PolicyQuestion("verification", name, claim)
        for program in programs
        for name, claim in own_claims(program)
    ]
    return list({each.key: each for each in every}.values())


def read_log(data: bytes) -> tuple[PolicyQuestion, ...]:
    """The claims of a log: JSON Lines, an object in each with `claim`, and `case` if there was one.

    Raises PolicyError, which names the line, for anything else.
    """
    lines = data.splitlines()
    found = tuple(_logged(at, line) for at, line in enumerate(lines, 1) if line.strip())
    if len(found) > MOST_LOGGED:
        raise PolicyError(f"a log has at most {MOST_LOGGED:,} claims")
    return found


def _logged(at: int, line: bytes) -> PolicyQuestion:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"line {at} of the log is not JSON: {error}") from None
    if not isinstance(value, dict) or not isinstance(value.get("claim"), str | dict):
        raise PolicyError(f"line {at} of the log has no `claim`, which is an expression or a verification")
    if not isinstance(value.get("case"), dict | None):
        raise PolicyError(f"`case` in line {at} of the log is not an object")
    name = value.get("name")
    return PolicyQuestion(
        "log", name if isinstance(name, str) else f"line {at}", value["claim"], value.get("case")
    )


class TwoVersions(NamedTuple):
    """The two versions that are asked, and the words of the old one that have other names in the new one."""

    old: Program
    new: Program
    names: Mapping[str, str]

    def changes(
        self, asked: Sequence[PolicyQuestion], limits: Limits
    ) -> tuple[list[VerdictChange], list[str]]:
        """The questions that are decided differently, and the keys of those that are unknown in a version.

        Questions may be in the words of either. The total limit holds for each version.
        """
        both = [self._put(program, asked, limits) for program in (self.old, self.new)]
        changes, undecided = [], []
        for question, before, after in zip(asked, *both, strict=True):
            old, new = Verdict(before.verdict), Verdict(after.verdict)
            if Verdict.UNKNOWN in (old, new):
                undecided.append(question.key)
            elif old is not new:
                origin, name, claim, case = question
                said = evidence(before), evidence(after)
                changes.append(VerdictChange(origin, name, claim, case, old, new, *said))
        return changes, undecided

    def _put(self, program: Program, asked: Sequence[PolicyQuestion], limits: Limits) -> list[Report]:
        names = self.names
        if program is self.old:
            names = {new: old for old, new in names.items()}
        words = [(_claim_in(names, each.claim), value_with_names(each.case, names)) for each in asked]
        return list(reports(program, words, limits))


def _claim_in(names: Mapping[str, str], claim: Claim) -> Claim:
    """A claim with other names; the keys of a verification are no names of the program."""
    if isinstance(claim, str):
        return with_names(claim, names)
    return {key: value_with_names(each, names) for key, each in claim.items()}


def renamed_words(old: Program, new: Program) -> dict[str, str]:
    """The names of an old version that have others in the new one, with these."""
    return {before: after for _, before, after in renames_between(without_rows(old), without_rows(new))}


def renamed_test(test: PolicyTest, names: Mapping[str, str]) -> PolicyTest:
    """A test in the words of a later version."""
    claim, case = _claim_in(names, test.claim), value_with_names(test.case, names)
    return test._replace(claim=claim, case=case) if names else test


def result_changes(
    asked: Sequence[tuple[Asked, str, str]], old: Sequence[Result], new: Sequence[Result]
) -> tuple[list[VerdictChange], list[str]]:
    """The same of results that are known already; of each question the origin, the name and the text."""
    changes, undecided = [], []
    for (origin, name, text), before, after in zip(asked, old, new, strict=True):
        if Verdict.UNKNOWN in (before.verdict, after.verdict):
            undecided.append(text)
        elif before.verdict is not after.verdict:
            said = (_lines([_without_examples(each)]) for each in (before, after))
            changes.append(VerdictChange(origin, name, text, None, before.verdict, after.verdict, *said))
    return changes, undecided


def _without_examples(result: Result) -> Result:
    """The result without models of a settled claim, which say nothing about its verdict."""
    if result.verdict is Verdict.UNDETERMINED:
        return result
    return result._replace(evidence=result.evidence._replace(could_be_true=None, could_be_false=None))


def evidence(report: Report) -> str:
    """The evidence for the verdict on a claim, as lines of text."""
    return _lines(report.results) or "\n".join(each.message for each in report.diagnostics)


def _lines(results: Sequence[Result]) -> str:
    lines: Iterator[str] = (line for result in results for line in evidence_lines(result, PLAIN))
    return "\n".join(line.removeprefix("  ") for line in lines)
