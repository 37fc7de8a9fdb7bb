"""The findings of solvers on a policy that is built: contradictions, rules that disagree or never apply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from potlang.diag import Diagnostic, Severity
from potlang.languages.pot.check import check
from potlang.languages.pot.program import Checked
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import verify
from potlang.linter.linter import lint
from potlang.policy.building.draft import Item, PolicyDraft, cited, title_of
from potlang.policy.building.reading import SourceDocument
from potlang.report.results import Consistency, CoreItem, Limits, Quotation

RESOLVED: Final = frozenset({"POT9030", "POT9033", "POT9035"})
"""Findings that a model is shown: rules that disagree, that never apply, that are always true or false."""
_HELPED: Final = frozenset({"POT2030"})
"""Findings that say with their help alone what to write instead."""


class PolicyFinding(NamedTuple):
    """A finding of a solver on the rules, such as one that never applies, or two that clash."""

    code: str
    severity: Severity
    text: str
    items: tuple[str, ...]
    sentences: tuple[Quotation, ...]


class ExaminedPolicy(NamedTuple):
    """A draft, compiled, verified and linted. `report` is None where it does not compile."""

    checked: Checked
    report: Report | None
    findings: tuple[PolicyFinding, ...]

    @property
    def consistency(self) -> Consistency | None:
        """Whether the rules contradict each other; None where they do not compile."""
        return None if self.report is None else self.report.consistency

    @property
    def conflict(self) -> tuple[CoreItem, ...]:
        """The assumptions that contradict each other."""
        evidence = None if self.report is None else self.report.evidence
        return (evidence and evidence.core) or ()

    @property
    def to_resolve(self) -> tuple[PolicyFinding, ...]:
        """The findings that a model is shown."""
        return tuple(each for each in self.findings if each.code in RESOLVED)

    @property
    def weight(self) -> tuple[bool, bool, int]:
        """Of two policies that with the smaller one is better."""
        inconsistent = self.consistency is Consistency.INCONSISTENT
        return self.consistency is None, inconsistent, len(self.to_resolve)

    def faults(self) -> Iterator[str]:
        """The findings to resolve, with their sentences."""
        if self.conflict:
            core = "; ".join(f"{each.kind} {each.title}: {each.text}" for each in self.conflict)
            quotes = dict.fromkeys(quote for each in self.conflict for quote in each.quotes)
            yield _quoting(f"these contradict each other: {core}", quotes)
        for found in self.to_resolve:
            yield _quoting(f"{', '.join(found.items)}: {found.text}", found.sentences)

    def sentences(self) -> set[int]:
        """The numbers of the sentences that these faults are about."""
        quoted = {quote.number for each in self.conflict for quote in each.quotes}
        return quoted | {quote.number for each in self.to_resolve for quote in each.sentences}


def examined(draft: PolicyDraft, source: SourceDocument, limits: Limits) -> ExaminedPolicy:
    """A draft with what compiler, solvers and linter say of it."""
    checked = check(draft.program(source))
    report = None if checked.program is None else verify(checked.program, limits=limits)
    linted = lint(checked, budget_ms=limits.total_ms)
    return ExaminedPolicy(checked, report, tuple(_findings(linted, draft, source)))


def _findings(linted: Checked, draft: PolicyDraft, source: SourceDocument) -> Iterator[PolicyFinding]:
    """The findings of the linter, with the items that it is about and the sentences that these cite."""
    places: dict[str, tuple[str, int, Item]] = {
        f"/{key}/{at}": (key, at, item) for key, at, item in draft.items()
    }
    texts = {each.number: each.text for each in source.sentences}
    for each in linted.diagnostics:
        if each.severity is Severity.ERROR:
            # What does not compile is no finding: it was given up, and the problems say so.
            continue
        about = [place for pointer in _pointers(each) if (place := places.get(pointer)) is not None]
        numbers = sorted({number for _, _, item in about for number in cited(item)})
        quotes = tuple(Quotation(number, texts[number]) for number in numbers)
        titles = tuple(dict.fromkeys(title_of(*place) for place in about))
        helps = each.helps[:1] if each.code in _HELPED else ()
        said = "; ".join([each.message, *each.notes[:1], *helps])
        yield PolicyFinding(each.code, each.severity, said, titles, quotes)


def _pointers(found: Diagnostic) -> Iterator[str]:
    """The pointers of the items that a diagnostic speaks of."""
    for place in (found.place, *(label.place for label in found.labels)):
        yield "/".join(place.pointer.split("/")[:3])


def _quoting(text: str, quotes: Iterable[Quotation]) -> str:
    said = "; ".join(f"sentence {each.number}: “{each.text}”" for each in quotes)
    return f"{text} ({said})" if said else text
