"""A reward for programs: one parses, its sorts are right, it is decided, it agrees ([GEN-REWARD])."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from potlang.diag import Severity
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.claims import verified
from potlang.languages.pot.program import Program
from potlang.languages.pot.solve import verify as verify_program
from potlang.models.program_replies import program_in
from potlang.report.results import Limits, Verdict

LIMITS: Final = Limits(check_ms=2_000, total_ms=5_000, memory_mb=2_048)
LONGEST: Final = 1_000_000
"""Characters of a program; a longer one gets nothing."""
_READING: Final = ("POT0", "POT1")
"""Codes of what is no program at all; those of others are about names, sorts and logic."""
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


def reward(program: str | dict[str, Any], expected: Expected | Mapping[str, Expected]) -> float:
    """The reward in [0, 1] with the usual weights and limits; see `assess`.

    >>> from potlang.models import reward
    >>> reward({"verifications": [{"constraint": "1 < 2"}]}, "entailed")
    1.0
    """
    return assess(program, expected).value


def assess(
    program: str | dict[str, Any],
    expected: Expected | Mapping[str, Expected],
    *,
    weights: Weights = WEIGHTS,
    limits: Limits = LIMITS,
) -> Reward:
    """The reward and its parts, for a program or a reply with one in it, in bounded time.

    `expected` is the verdict of the first verification, or the verdicts of claims by their expressions,
    which the program's own verifications cannot then be written to fit. All parts but the first are then
    shares of the claims; `typed` are those that are formulas over the program. A program without anything
    to decide has no part but the first. Raises ValueError for an expected verdict that is none, or no claims.
    """
    wanted: Verdict | dict[str, Verdict]
    if isinstance(expected, Mapping):
        wanted = {claim: _verdict(each) for claim, each in expected.items()}
        if not wanted:
            raise ValueError("no claims are expected")
    else:
        wanted = _verdict(expected)
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
    if isinstance(wanted, Mapping):
        pairs = _of_claims(checked.program, wanted, limits)
    else:
        pairs = [(_first_verdict(checked.program, limits), wanted)]
    typed = sum(found is not Verdict.REJECTED for found, _ in pairs)
    decided = sum(found not in (Verdict.REJECTED, Verdict.UNKNOWN) for found, _ in pairs)
    agreeing = sum(found is each for found, each in pairs)
    return _weighed(weights, 1, *(part / len(pairs) for part in (typed, decided, agreeing)))


def _weighed(weights: Weights, parses: float, typed: float, decided: float, agrees: float) -> Reward:
    parts = parses, typed, decided, agrees
    value = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    return Reward(parses, typed, decided, agrees, min(1.0, max(0.0, value)))


def _verdict(expected: Expected) -> Verdict:
    found = _TRUTHS[expected] if isinstance(expected, bool) else Verdict(expected)
    if found in (Verdict.REJECTED, Verdict.UNKNOWN):
        raise ValueError(f"{found} is no verdict to be rewarded")
    return found


def _first_verdict(program: Program, limits: Limits) -> Verdict:
    """The verdict of the first verification, `rejected` if there is none."""
    claims = program.module.claims[:1]
    if not claims:
        return Verdict.REJECTED
    return Verdict(verify_program(program.asking(claims), trust="solver", limits=limits).verdict)


def _of_claims(
    program: Program, wanted: Mapping[str, Verdict], limits: Limits
) -> list[tuple[Verdict, Verdict]]:
    with program.session(trust="solver", limits=limits) as session:
        reports = verified(session, list(wanted), limits)
        return [
            (Verdict(report.verdict), each) for report, each in zip(reports, wanted.values(), strict=True)
        ]
