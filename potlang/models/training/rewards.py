"""A reward for programs: one parses, its sorts are right, it is decided, it agrees ([GEN-REWARD])."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from potlang.diag import Severity, Sink
from potlang.ir.module import Claim, Module
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.claims import verified
from potlang.languages.pot.program import Program
from potlang.languages.pot.read.reader import read_verification
from potlang.languages.pot.solve import verify as verify_program
from potlang.models.programs.replies import program_in
from potlang.models.training.claim_worth import ClaimJudge, Worth
from potlang.report.results import Limits, Verdict
from potlang.source import Document

LIMITS: Final = Limits(check_ms=2_000, total_ms=5_000, memory_mb=2_048)
LONGEST: Final = 1_000_000
"""Characters of a program; a longer one gets nothing."""
_READING: Final = ("POT0", "POT1")
"""Codes of what is no program at all; those of others are about names, sorts and logic."""
BEGGED: Final = 0.25
"""Of the part for the verdict, what a claim earns that is assumed."""
_JUDGING_MS: Final = 1_500
"""Of a solver, for whether claims are worth their reward."""
_TRUTHS: Final = {True: Verdict.ENTAILED, False: Verdict.REFUTED}

Expected = Verdict | str | bool
"""A verdict of a claim, or True for entailed and False for refuted."""


class Weights(NamedTuple):
    """The weight of each part; together 1 for the whole reward to be at most 1."""

    parses: float = 0.1
    typed: float = 0.2
    decided: float = 0.1
    agrees: float = 0.6


WEIGHTS: Final = Weights()


class Reward(NamedTuple):
    """The parts, each a share from 0 to 1, and their weighted sum. A part is 0 where the one before is."""

    parses: float
    typed: float
    decided: float
    agrees: float
    value: float


def reward(
    program: str | dict[str, Any],
    expected: Expected | Mapping[str, Expected],
    *,
    reference: str | dict[str, Any] | None = None,
) -> float:
    """The reward in [0, 1] with the usual weights and limits; see `assess`.

    >>> from potlang.models import reward
    >>> reward({"verifications": [{"constraint": "1 < 2"}]}, "entailed")
    0.3
    >>> reward({"verifications": [{"constraint": "2 < 3"}]}, {"1 < 2": "entailed"})
    1.0
    """
    return assess(program, expected, reference=reference).value


def assess(
    program: str | dict[str, Any],
    expected: Expected | Mapping[str, Expected],
    *,
    reference: str | dict[str, Any] | None = None,
    weights: Weights = WEIGHTS,
    limits: Limits = LIMITS,
) -> Reward:
    """The reward and its parts, for a program or a reply with one in it, in bounded time.

    `expected` is the verdict of the first verification, or the verdicts of claims by their expressions,
    which the program's own verifications cannot then be written to fit. All parts but the first are then
    shares of the claims; `typed` are those that are formulas over the program. A program without anything
    to decide has no part but the first.

    A claim that is not about the program, or decided without its facts and rules, has nothing of the last two
    parts, one that is assumed a quarter of the last: unless the `reference`, a program for the same question,
    has such a claim too. Raises ValueError for an expected verdict that is none, no claims, or a reference
    that does not compile or asks nothing.
    """
    wanted: Verdict | dict[str, Verdict]
    if isinstance(expected, Mapping):
        wanted = {claim: _verdict(each) for claim, each in expected.items()}
        if not wanted:
            raise ValueError("no claims are expected")
    else:
        wanted = _verdict(expected)
    usual = None if reference is None else _usual_worth(reference, wanted, limits)
    source = program_in(program)
    # A reward is asked for thousands of texts: none may cost more than its limits.
    if isinstance(source, str) and len(source) > LONGEST:
        return _weighed(weights, 0, 0, 0, 0)
    checked = check_program(source)
    codes = [each.code for each in checked.diagnostics if each.severity is Severity.ERROR]
    if any(code.startswith(_READING) for code in codes):
        return _weighed(weights, 0, 0, 0, 0)
    if checked.program is None:
        return _weighed(weights, 1, 0, 0, 0)
    judged = _judged(checked.program, wanted, limits)
    typed = sum(each.verdict is not Verdict.REJECTED for each in judged)
    usual = usual or [Worth.WHOLE] * len(judged)
    shares = [_share(each.worth, least) for each, least in zip(judged, usual, strict=True)]
    is_known = [each.verdict not in (Verdict.REJECTED, Verdict.UNKNOWN) for each in judged]
    decided = sum(share > 0 and known for share, known in zip(shares, is_known, strict=True))
    agreeing = sum(share * (each.verdict is each.wanted) for share, each in zip(shares, judged, strict=True))
    return _weighed(weights, 1, *(part / len(judged) for part in (typed, decided, agreeing)))


class _JudgedClaim(NamedTuple):
    wanted: Verdict
    verdict: Verdict
    worth: Worth


def _share(worth: Worth, usual: Worth) -> float:
    """The share of the reward for a verdict, where claims like this are `usual` for the question."""
    if worth >= usual:
        return 1.0
    return BEGGED if worth is Worth.BEGGED else 0.0


def _weighed(weights: Weights, parses: float, typed: float, decided: float, agrees: float) -> Reward:
    parts = parses, typed, decided, agrees
    value = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    # Rounded, so that parts which are all 1 are worth 1.
    return Reward(parses, typed, decided, agrees, min(1.0, max(0.0, round(value, 12))))


def _verdict(expected: Expected) -> Verdict:
    found = _TRUTHS[expected] if isinstance(expected, bool) else Verdict(expected)
    if found in (Verdict.REJECTED, Verdict.UNKNOWN):
        raise ValueError(f"{found} is no verdict to be rewarded")
    return found


def _usual_worth(
    reference: str | dict[str, Any], wanted: Verdict | Mapping[str, Verdict], limits: Limits
) -> list[Worth]:
    """The worth of the claims in a program that is known to be right. Raises ValueError if it is none."""
    checked = check_program(reference)
    if checked.program is None:
        raise ValueError("the reference does not compile")
    judged = _judged(checked.program, wanted, limits)
    if any(each.verdict is Verdict.REJECTED for each in judged):
        raise ValueError("the reference does not ask what is expected")
    return [each.worth for each in judged]


def _judged(program: Program, wanted: Verdict | Mapping[str, Verdict], limits: Limits) -> list[_JudgedClaim]:
    """The verdict on each claim that is expected, and what it is worth."""
    by_others = not isinstance(wanted, Verdict)
    if isinstance(wanted, Verdict):
        found = [(wanted, *_first_verdict(program, limits))]
    else:
        found = _of_claims(program, wanted, limits)
    with ClaimJudge(_extended(program), min(_JUDGING_MS, limits.total_ms)) as judge:
        return [
            _JudgedClaim(
                expected,
                verdict,
                Worth.NOTHING
                # What contradicts itself has no verdict, unless that was asked for.
                if claim is None or (verdict is Verdict.INCONSISTENT and verdict is not expected)
                else judge.worth(claim, verdict, by_others=by_others),
            )
            for expected, verdict, claim in found
        ]


def _extended(program: Program) -> Module:
    """The module, with what claims of others have used first."""
    module, extension = program.module, program.extension
    return replace(
        module,
        symbols=(*module.symbols, *(each for each in extension.free if each not in module.symbols)),
        definitions=extension.definitions(module.definitions),
    )


def _first_verdict(program: Program, limits: Limits) -> tuple[Verdict, Claim | None]:
    """The verdict of the first verification, `rejected` if there is none."""
    claims = program.module.claims[:1]
    if not claims:
        return Verdict.REJECTED, None
    verdict = verify_program(program.asking(claims), trust="solver", limits=limits).verdict
    return Verdict(verdict), claims[0]


def _of_claims(
    program: Program, wanted: Mapping[str, Verdict], limits: Limits
) -> list[tuple[Verdict, Verdict, Claim | None]]:
    with program.session(trust="solver", limits=limits) as session:
        verdicts = [Verdict(report.verdict) for report in verified(session, list(wanted), limits)]
    return [
        (expected, verdict, None if verdict is Verdict.REJECTED else _claim(program, text))
        for (text, expected), verdict in zip(wanted.items(), verdicts, strict=True)
    ]


def _claim(program: Program, text: str) -> Claim | None:
    """A claim of others as the program's own; None if it is no formula over it."""
    value = {"constraint": text}
    sink = Sink(Document.from_value(value, "<claim>"))
    statement = read_verification(value, sink)
    found = [] if statement is None else program.extension.claims(0, statement, sink)
    return found[0] if found else None
