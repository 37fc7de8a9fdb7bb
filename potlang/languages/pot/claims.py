"""Claims against a compiled program: a report on each, and one report on all ([POLICY-CLAIMS])."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from potlang.diag import Diagnostic
from potlang.diag.render_json import diagnostic_to_json
from potlang.languages.pot.program import Checked, CompileError, Program, Session
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import rejected
from potlang.prove.options import Trust
from potlang.report.results import Limits, Result, Verdict, worst
from potlang.source import Document
from potlang.version import __version__

Claim = str | dict[str, Any]
"""An expression, or a verification as a program would write it."""

NO_OTHER_WORDS: Final = "there are no words but those that the policy declares"
"""The help for a name that nobody who asks can declare."""
_OUT_OF_TIME: Final = Result(
    "verification",
    "",
    Verdict.UNKNOWN,
    reason="timeout",
    possible=(Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED, Verdict.INCONSISTENT),
)


def verified(session: Session, claims: Iterable[Claim], limits: Limits) -> Iterator[Report]:
    """A report on each claim; that of a claim which is no formula is `rejected`, with diagnostics.

    The total limit is that of all claims together: those that are not begun by then are unknown.
    """
    began = time.perf_counter()
    for claim in claims:
        # Looked at between claims: what is begun has its own limit.
        if 1000 * (time.perf_counter() - began) > limits.total_ms:
            yield Report(Verdict.UNKNOWN, (_OUT_OF_TIME,), limits=limits, version=__version__)
            continue
        try:
            yield session.verify(claim)
        except CompileError as error:
            yield rejected(Checked(error.document, error.diagnostics, None), limits)


def verify_claims(program: Program, claims: Sequence[Claim], limits: Limits, trust: Trust = "best") -> Report:
    """One report on all claims against a stored program; the total limit is that of all together."""
    # Who asks cannot declare anything: undeclared names are no reason to.
    program.extension = program.extension.advising(lambda name, uses, sections: (NO_OTHER_WORDS, []))
    with program.session(limits=limits, trust=trust) as session:
        return _joined(claims, list(verified(session, claims, limits)), limits)


def _joined(claims: Sequence[Claim], reports: Sequence[Report], limits: Limits) -> Report:
    """One report on several claims: all results, named by them, and diagnostics placed in the list."""
    document = Document.from_value({"claims": list(claims)}, "<claims>")
    diagnostics = [
        _placed(each, at, claim)
        for at, (claim, report) in enumerate(zip(claims, reports, strict=True))
        for each in report.diagnostics
    ]
    results = tuple(
        result._replace(
            name=result.name if result.question is not None else _name(claim, at),
            pointer=f"/claims/{at}{result.pointer}" if result.question is not None else f"/claims/{at}",
            question=result.question
            and result.question._replace(name=_name(claim, at), pointer=f"/claims/{at}"),
        )
        for at, (claim, report) in enumerate(zip(claims, reports, strict=True))
        for result in report.results
    )
    return Report(
        worst(Verdict(each.verdict) for each in reports),
        results,
        diagnostics=tuple(diagnostics),
        located=tuple(diagnostic_to_json(each, document) for each in diagnostics),
        limits=limits,
        time_ms=sum(each.time_ms for each in reports),
        version=__version__,
    )


def _name(claim: Claim, at: int) -> str:
    return claim if isinstance(claim, str) else str(claim.get("name", f"claim {at + 1}"))


def _placed(diagnostic: Diagnostic, at: int, claim: Claim) -> Diagnostic:
    """The diagnostic with its places in the list of claims; fixes, which edit the claim alone, left out."""

    def moved(pointer: str) -> str:
        inside = "" if isinstance(claim, str) else pointer
        return f"/claims/{at}{inside}"

    labels = tuple(
        each._replace(place=each.place._replace(pointer=moved(each.place.pointer)))
        for each in diagnostic.labels
    )
    return diagnostic._replace(labels=labels, fixes=())
