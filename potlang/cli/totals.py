"""InputTotals of several inputs: how many have which answer, and the time ([CLI-TOTALS])."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from potlang.cli.common import ALL_ENTAILED, INVALID, OTHER_ANSWER, UNDECIDED
from potlang.diag.wording import counted
from potlang.languages.pot.report import Report
from potlang.report.base import ReportBase

if TYPE_CHECKING:
    from potlang.api import AnyChecked, AnyReport
    from potlang.diag import Diagnostic

Counts = dict[str, dict[str, int]]
"""How often each word is said of each kind of thing."""

ANSWERED = {ALL_ENTAILED: "holds", OTHER_ANSWER: "fails", UNDECIDED: "open", INVALID: "invalid"}
CHECKED = {ALL_ENTAILED: "valid", INVALID: "invalid"}
_ORDER = ("claims", "optima", "traces", "solutions", "diagnostics")
_KINDS = {"pot": "programs", "dot": "traces", "dagmath": "solutions"}


def counts_of(found: AnyChecked | AnyReport, diagnostics: Iterable[Diagnostic]) -> Counts:
    """The counts of one input: its verdicts, and its diagnostics by severity."""
    counts: Counts = {}

    def count(kind: str, word: object) -> None:
        words = counts.setdefault(kind, {})
        words[str(word)] = words.get(str(word), 0) + 1

    if isinstance(found, Report):
        for result in found.results:
            count("claims", result.verdict)
        if found.optimization is not None:
            count("optima", found.optimization.status)
    elif isinstance(found, ReportBase):
        count(_KINDS[found.kind], found.verdict)
    for each in diagnostics:
        count("diagnostics", f"{each.severity}s")
    return counts


class InputTotals(NamedTuple):
    """Sums over inputs: how many there are and how long they took, their outcomes, and what is counted."""

    inputs: int
    seconds: float
    outcomes: dict[str, int]
    counts: Counts

    @classmethod
    def of(
        cls, codes: Iterable[int], found: Iterable[Counts], words: Mapping[int, str], seconds: float
    ) -> InputTotals:
        """`words` say what an exit code means."""
        given = list(codes)
        whole: Counts = {}
        for counts in found:
            for kind, said in counts.items():
                words_of_kind = whole.setdefault(kind, {})
                for word, number in said.items():
                    words_of_kind[word] = words_of_kind.get(word, 0) + number
        kinds = {kind: dict(sorted(whole[kind].items())) for kind in _ORDER if kind in whole}
        return cls(len(given), seconds, {word: given.count(code) for code, word in words.items()}, kinds)

    def text(self) -> str:
        """The lines at the end."""
        head = f"totals: {_listed(self.outcomes)}; {counted(self.inputs, 'input')} in {self.seconds:.2f} s"
        return "\n".join([head, *(f"  {kind}: {_listed(counts)}" for kind, counts in self.counts.items())])

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        head = {"inputs": self.inputs, "seconds": round(self.seconds, 3), "outcomes": self.outcomes}
        return {**head, **self.counts}


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {number:,}" for word, number in counts.items() if number) or "none"
