"""The sink: collects what the stages report and hands out an ordered, bounded list."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from potlang.diag.model import Diagnostic, Fix, Label, Place, Severity
from potlang.diag.register import CODES
from potlang.diag.wording import shown, visible
from potlang.source import Document

_KEPT = 10_000
_LONGEST_FIELD = 160


class TooManyErrors(Exception):
    """More errors were reported than the sink was to take."""


class Sink:
    """Collects diagnostics of one document; at most `limit` are handed out.

    Of each severity the first 10,000 reports are kept and the rest counted, so that a hopeless
    input costs no memory. `counted`: the reports are to be counted, not to be read, and by
    more than `most` different errors `report` raises TooManyErrors.
    """

    __slots__ = ("_counted", "_kept", "_most", "_total", "document", "limit")

    def __init__(
        self,
        document: Document | None = None,
        limit: int = 100,
        *,
        counted: bool = False,
        most: int | None = None,
    ) -> None:
        self.document = document
        self._counted = counted
        self._most = most
        self.limit = limit
        self._kept: dict[Severity, list[Diagnostic]] = {severity: [] for severity in Severity}
        self._total = dict.fromkeys(Severity, 0)

    @property
    def has_errors(self) -> bool:
        """Whether an error was reported."""
        return self._total[Severity.ERROR] > 0

    @property
    def is_full(self) -> bool:
        """Whether costly helps are not worth it: more errors were reported than anybody will read."""
        return self._counted or self._total[Severity.ERROR] > self.limit

    def __len__(self) -> int:
        """How many reports were made."""
        return sum(self._total.values())

    def report(
        self,
        code: str,
        place: Place | str,
        /,
        *,
        span: tuple[int, int] | None = None,
        primary: str = "",
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
        helps: Iterable[str] = (),
        fixes: Iterable[Fix] = (),
        severity: Severity | None = None,
        **fields: object,
    ) -> None:
        """Adds a diagnostic.

        `place` is a `Place` or a JSON pointer; `span` is used with a pointer. `primary` is the
        primary label's message, `labels` are the secondary ones. `fields` fill the headline of the
        register; they are user text and are shown escaped and shortened. `severity` overrides the
        register's. Raises `KeyError` for an unknown code or a missing field: both are bugs.
        """
        row = CODES[code]
        level = severity or row.severity
        where = Place(place, span) if isinstance(place, str) else place
        if self._counted:
            # What tells errors apart is their headline and their place.
            primary, labels, notes, helps, fixes = "", (), (), (), ()
        secondary = tuple(labels)
        if not self._has_room(level, (Label(where), *secondary)):
            return
        self._kept[level].append(
            Diagnostic(
                code=code,
                severity=level,
                message=row.headline.format_map(_shown(fields)),
                labels=(Label(where, visible(primary)), *map(_clean, secondary)),
                notes=tuple(visible(note) for note in notes),
                helps=tuple(visible(text) for text in helps),
                fixes=tuple(fixes),
            )
        )
        self._hold()

    def add(self, diagnostic: Diagnostic) -> None:
        """Adds a diagnostic that another sink made, its places being places of this document."""
        if self._has_room(diagnostic.severity, diagnostic.labels):
            self._kept[diagnostic.severity].append(diagnostic)
            self._hold()

    def _hold(self) -> None:
        errors = self._kept[Severity.ERROR]
        if self._most is not None and len(errors) > self._most and len(_unique(errors)) > self._most:
            raise TooManyErrors

    def _has_room(self, level: Severity, labels: tuple[Label, ...]) -> bool:
        """Counts a report; whether it is kept."""
        self._total[level] += 1
        return self._total[level] <= _KEPT

    def codes(self) -> frozenset[str]:
        """The codes of the reports that were kept, those of `diagnostics` and those that it leaves out."""
        return frozenset(each.code for each in chain.from_iterable(self._kept.values()))

    def diagnostics(self, document: Document | None = None) -> list[Diagnostic]:
        """The reported diagnostics in document order, without duplicates, at most `limit`.

        Where there are more, errors are kept before warnings and warnings before notes, and a note
        (POT0005) says how many are not shown.
        """
        source = document or self.document
        if len(self) <= 1:
            return list(chain.from_iterable(self._kept.values()))
        chosen: list[Diagnostic] = []
        hidden = 0
        for severity in Severity:
            found = _unique(self._kept[severity])
            room = self.limit - len(chosen)
            chosen += found if len(found) <= room else _in_order(found, source)[:room]
            hidden += max(0, len(found) - room) + max(0, self._total[severity] - _KEPT)
        ordered = _in_order(_unique(chosen), source)
        return [*ordered, _more(hidden)] if hidden else ordered


def _shown(fields: dict[str, object]) -> dict[str, str]:
    return {name: shown(value, _LONGEST_FIELD) for name, value in fields.items()}


def _clean(label: Label) -> Label:
    return label if label.message.isprintable() else Label(label.place, visible(label.message))


def _unique(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return list({(d.code, d.message, d.place): d for d in reversed(diagnostics)}.values())[::-1]


def _in_order(diagnostics: list[Diagnostic], document: Document | None) -> list[Diagnostic]:
    if document is None or len(diagnostics) < 2:
        return diagnostics
    order = {place: document.order(place) for place in {each.place for each in diagnostics}}
    return sorted(diagnostics, key=lambda each: order[each.place])


def _more(hidden: int) -> Diagnostic:
    row = CODES["POT0005"]
    return Diagnostic(row.code, row.severity, row.headline.format(more=hidden), (Label(Place()),))
