"""The difference of two versions as a value: what changed, by which cases, and how far that is proved."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

from potlang.policy.directions import PolicyCertificate
from potlang.policy.impact import VerdictChange
from potlang.policy.scenes import DifferenceCase
from potlang.policy.tabled import RowChange
from potlang.policy.vocabulary import Rename, VocabularyChange
from potlang.report.base import to_plain
from potlang.report.results import Quotation

VersionName = Literal["old", "new"]
VERSIONS: Final[tuple[VersionName, VersionName]] = ("old", "new")
Relation = Literal["equal", "weaker", "stronger", "different", "unknown"]
"""Of the new version: its statements say what those of the old one do, less, more, or both."""


class Said(NamedTuple):
    """A statement where one version has it, with the sentences of its document that it cites."""

    name: str
    pointer: str
    text: str
    quotes: tuple[Quotation, ...] = ()


class StatementChange(NamedTuple):
    """A statement that the versions have differently, or that one of them has alone.

    `words` say what changed: `18 → 21`; nothing if its text is the same, and other statements changed what it
    means. Each of the `cases` is allowed by one version, and violates what the other says by this statement.
    """

    kind: str
    old: Said | None
    new: Said | None
    words: str
    cases: tuple[DifferenceCase, ...]


class OpenStatement(NamedTuple):
    """A statement of one version of which is not proved that it follows from the other, and why not."""

    of: VersionName
    kind: str
    name: str
    pointer: str
    reason: str


class Difference(NamedTuple):
    """How two versions of a policy differ.

    `changes` are the statements that do not follow from the other version, with cases. `same` counts the
    statements that both have, `proved` those that one has and that follow from the other. `open` are
    statements of which this is unknown, `unchecked` those of which it rests on a solver's word.
    `contradictory` names versions whose statements contradict each other. `verdicts` are claims that the
    versions decide differently, `open_claims` those that are unknown in one, and `asked` counts all by their
    origin. `rows` are those of large tables that one version has alone. `certificates` prove the statements
    of each version from the other, if they were wanted and the versions are equal.
    """

    changes: tuple[StatementChange, ...]
    renames: tuple[Rename, ...] = ()
    vocabulary: tuple[VocabularyChange, ...] = ()
    verdicts: tuple[VerdictChange, ...] = ()
    open: tuple[OpenStatement, ...] = ()
    unchecked: tuple[OpenStatement, ...] = ()
    open_claims: tuple[str, ...] = ()
    contradictory: tuple[VersionName, ...] = ()
    optimization_differs: bool = False
    rows: tuple[RowChange, ...] = ()
    same: int = 0
    proved: int = 0
    asked: tuple[tuple[str, int], ...] = ()
    certificates: tuple[PolicyCertificate, ...] = ()

    @property
    def computed(self) -> tuple[str, ...]:
        """Properties that are in JSON beside the fields."""
        return ("relation", "differs", "is_proved")

    @property
    def relation(self) -> Relation:
        """How much the statements of the new version say beside those of the old one."""
        allowed = {case.allowed_by for change in self.changes for case in change.cases}
        if len(allowed) == 2:
            return "different"
        if self.open:
            return "unknown"
        if allowed:
            return "weaker" if allowed == {"new"} else "stronger"
        return "unknown" if self.unchecked else "equal"

    @property
    def differs(self) -> bool:
        """Whether there is a difference in statements, vocabulary, rows or verdicts."""
        return bool(self.changes or self.vocabulary or self.rows or self.verdicts)

    @property
    def is_proved(self) -> bool:
        """Whether all is known and checked, so that what is no difference here is none."""
        return not (self.open or self.unchecked or self.open_claims or self.optimization_differs)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        found: dict[str, Any] = to_plain(self)
        return {**found, "asked": dict(self.asked)}
