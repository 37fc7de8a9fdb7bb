"""The solver's verdict on a proposition, in the words and records of a trace.

The rule is [WRITE-VERDICT].
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from potlang.languages.dot.read.records import Edge, FreeText, Mark, Node, Record, Status
from potlang.report.results import Verdict

SAID: Final[Mapping[Verdict, str]] = MappingProxyType(
    {
        Verdict.ENTAILED: "it follows from the problem",
        Verdict.REFUTED: "its negation follows from the problem",
        Verdict.UNDETERMINED: "neither it nor its negation follows from the problem",
        Verdict.INCONSISTENT: "the problem contradicts itself",
        Verdict.UNKNOWN: "the solvers came to no answer",
    }
)
"""The verdict on a proposition in words."""
MARKS: Final[Mapping[Verdict, Mark]] = MappingProxyType(
    {Verdict.ENTAILED: "validated", Verdict.REFUTED: "invalidated"}
)
"""The status that a verdict gives a proposition; others give none."""


def said_of(verdict: Verdict, block: int | None = None) -> FreeText:
    """The line of text that says the verdict."""
    return FreeText(f"Solver: {SAID[verdict]}.".encode(), block)


def critique(node: int, verdict: Verdict) -> list[Record]:
    """The block of a critic behind a proposition, who says its verdict and has its status."""
    critic = node + 1
    records: list[Record] = [Node(critic, "critic"), Edge(node, critic, "critique")]
    if mark := MARKS.get(verdict):
        records.append(Status(node, mark, critic, critic))
    return [*records, said_of(verdict, critic)]
