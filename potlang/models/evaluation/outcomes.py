"""Runs an evaluation: the attempt of each question that compiled, its verdicts, the cost ([EVAL-OUTCOME])."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from potlang.diag import Severity
from potlang.languages.dagmath.read.samples import LINE_LIMITS
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import verify as verify_program
from potlang.models.evaluation.questions import Question
from potlang.models.evaluation.reasoners import Attempts, Reasoner
from potlang.models.journal import Journal, in_parallel
from potlang.models.program_replies import program_in
from potlang.prove.options import RouteName, Trust
from potlang.prove.versions import versions
from potlang.report.results import AskOutcome, Interrupted, Limits, Verdict

PAPER: Final = ("SAT", "UNSAT")


class SolverSettings(NamedTuple):
    """Options of the verification of programs."""

    route: RouteName = "auto"
    trust: Trust = "solver"
    limits: Limits = Limits()


class ClaimOutcome(NamedTuple):
    """The verdict on a verification, and the paper's reading of it: `SAT`, `UNSAT`, or None.

    `outcome` is there where the program says in which mode the verification is asked about.
    """

    verdict: Verdict
    paper: str | None
    outcome: AskOutcome | None = None


class QuestionOutcome(NamedTuple):
    """The outcome of a question, without its right answer. `key` is a digest of all that it depends on.

    `used` is the number, from 1, of the first attempt that compiles, None if none does; `made` is how many
    attempts there were up to it. `claims` are its verifications in order. `errors` are the codes of the last
    attempt that does not compile. Times are in milliseconds.
    """

    id: str
    key: str
    made: int
    used: int | None
    claims: tuple[tuple[str, ClaimOutcome], ...]
    errors: tuple[str, ...] = ()
    calls: int = 0
    reasoning_ms: float = 0.0
    verifying_ms: float = 0.0
    failure: str = ""

    def claim(self, name: str) -> ClaimOutcome | None:
        """The verification of this name, or the first one for ""; None if there is none."""
        if not name:
            return self.claims[0][1] if self.claims else None
        return next((found for other, found in self.claims if other == name), None)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        claims = [
            [name, *(None if part is None else str(part) for part in each)] for name, each in self.claims
        ]
        return {**self._asdict(), "claims": claims, "errors": list(self.errors)}

    @classmethod
    def from_dict(cls, value: Any) -> QuestionOutcome:
        """From JSON values. Raises ValueError, TypeError, KeyError or OverflowError for anything else."""
        found = cls(
            str(value["id"]),
            str(value["key"]),
            int(value["made"]),
            value["used"],
            tuple((name, _claim_outcome(*parts)) for name, *parts in value["claims"]),
            tuple(map(str, value["errors"])),
            int(value["calls"]),
            float(value["reasoning_ms"]),
            float(value["verifying_ms"]),
            str(value["failure"]),
        )
        if any(not isinstance(name, str) or each.paper not in (None, *PAPER) for name, each in found.claims):
            raise ValueError("not a claim")
        times = found.reasoning_ms, found.verifying_ms
        if found.made < 0 or found.calls < 0 or not all(0 <= time_ < math.inf for time_ in times):
            raise ValueError("not a count or a time")
        if found.used is not None and not (isinstance(found.used, int) and 1 <= found.used <= found.made):
            raise ValueError("not an attempt that was made")
        return found


def _claim_outcome(verdict: str, paper: str | None, outcome: str | None = None) -> ClaimOutcome:
    return ClaimOutcome(Verdict(verdict), paper, None if outcome is None else AskOutcome(outcome))


def key_of(question: Question, reasoner: Reasoner, settings: SolverSettings) -> str:
    """A digest of the question as asked, the reasoner, the options of verification and the versions."""
    # The right answer is no part: correcting a data set must not cost the calls again.
    limits = settings.limits._asdict()
    parts = [question.id, question.text, reasoner.fingerprint(question), settings.route, settings.trust]
    text = json.dumps([parts, limits, versions()], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def find_outcome(question: Question, reasoner: Reasoner, settings: SolverSettings) -> QuestionOutcome:
    """Asks for attempts, compiles them up to the first that is a program, and verifies that one."""
    key = key_of(question, reasoner, settings)
    began = time.perf_counter()
    given = reasoner.attempts(question)
    asked = time.perf_counter()
    reasoning = given.seconds or asked - began
    used, report, errors = _first_verified(given, settings)
    made = used or len(given.programs)
    return QuestionOutcome(
        question.id,
        key,
        made,
        used,
        _claims(report),
        errors,
        made if given.calls is None else given.calls,
        round(1000 * reasoning, 3),
        round(1000 * (time.perf_counter() - asked), 3),
        given.failure if used is None else "",
    )


def _first_verified(
    given: Attempts, settings: SolverSettings
) -> tuple[int | None, Report | None, tuple[str, ...]]:
    errors: tuple[str, ...] = ()
    for number, attempt in enumerate(given.programs, 1):
        checked = check_program(program_in(attempt), name="attempt")
        if checked.program is not None:
            report = verify_program(
                checked.program, route=settings.route, trust=settings.trust, limits=settings.limits
            )
            return number, report, errors
        found = (each.code for each in checked.diagnostics if each.severity is Severity.ERROR)
        errors = tuple(sorted(set(found)))
    return None, None, errors


def _claims(report: Report | None) -> tuple[tuple[str, ClaimOutcome], ...]:
    results = () if report is None else report.results
    return tuple(
        (each.name, ClaimOutcome(each.verdict, each.paper_answer, each.outcome if each.is_asked else None))
        for each in results
        if each.kind == "verification"
    )


# --- runs -----------------------------------------------------------------------------------------

USUAL = SolverSettings()
Progress = Callable[[QuestionOutcome], object]


class Run(NamedTuple):
    """The outcomes in the order of the questions; `reused` of them were found in the results file.

    `unreadable` lines of that file were passed over.
    """

    outcomes: tuple[QuestionOutcome, ...]
    reused: int
    unreadable: int


def run(
    questions: Sequence[Question],
    reasoner: Reasoner,
    settings: SolverSettings = USUAL,
    *,
    results: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Run:
    """Outcomes for questions with different ids, `jobs` at a time.

    Each is appended to `results` as it comes; one that is there already, of the same question, attempts,
    settings and versions, is taken from there, unless a call failed. `progress` is called for each in
    the caller's thread. Raises OSError for the results file, and Interrupted with a run of the questions
    that are finished where it is interrupted.
    """
    found: dict[str, QuestionOutcome] = {}
    with Journal(results, _entry, limits=LINE_LIMITS) as file:
        waiting: list[Question] = []
        for question in questions:
            known = file.entries.get(key_of(question, reasoner, settings))
            if known is None or known.failure:
                waiting.append(question)
            else:
                found[question.id] = known
                if progress is not None:
                    progress(known)
        reused = len(found)

        def one(question: Question) -> QuestionOutcome:
            outcome = find_outcome(question, reasoner, settings)
            # In the worker: it is kept even if the run is interrupted before the result is taken.
            found[outcome.id] = outcome
            file.append(outcome.key, outcome, outcome.to_dict())
            return outcome

        def finished() -> Run:
            outcomes = tuple(found[each.id] for each in questions if each.id in found)
            return Run(outcomes, reused, file.unreadable)

        try:
            for outcome in in_parallel(one, waiting, jobs):
                if progress is not None:
                    progress(outcome)
        except KeyboardInterrupt as error:
            raise Interrupted(finished()) from error
    return finished()


def _entry(value: Any) -> tuple[str, QuestionOutcome]:
    outcome = QuestionOutcome.from_dict(value)
    return outcome.key, outcome
