"""The diagnostics of a text, the changes that its fixes make, and its canonical layout."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from potlang import api
from potlang.diag import Applicability, Diagnostic, Fix, Place, Severity, Sink
from potlang.diag.fixes import difference, raw_edits
from potlang.editor.answers import TextChange, TextSpan
from potlang.editor.mending import value_meant
from potlang.languages.kind import Kind, is_foreign, is_prose, kind_of
from potlang.languages.pot.format import laid_out
from potlang.languages.pot.program import Checked
from potlang.languages.pot.read.reader import SECTIONS
from potlang.linter.linter import lint
from potlang.source import Document
from potlang.utils.deadline import OutOfFuel, within

LARGEST: Final = 8 << 20
"""Characters of a text that is looked at ([EDIT-LIMITS])."""
CHECK_MS: Final = 4_000
LANGUAGES: Final[dict[str, Kind]] = {"potlang-trace": "dot", "potlang-solution": "dagmath", "potlang": "pot"}
"""The languages by the identifiers that editors have for them."""


class Diagnosed(NamedTuple):
    """The diagnostics of a text, with the document that their places are in.

    `shift` is what the document leaves out in front of the text: a byte order mark. `is_unfinished`: there
    was no time to say more.
    """

    kind: Kind
    document: Document
    diagnostics: tuple[Diagnostic, ...]
    shift: int = 0
    is_unfinished: bool = False
    checked: Any = None

    def span(self, place: Place) -> TextSpan:
        """Where a place is in the text."""
        start, end = self.document.raw_span(place) or (0, 0)
        return start + self.shift, end + self.shift

    def changes(self, fix: Fix) -> list[TextChange]:
        """The changes that a fix makes to the text; none where it does not apply."""
        edits = raw_edits(self.document, fix.edits)
        return [TextChange(edit.start + self.shift, edit.end + self.shift, edit.text) for edit in edits]


class OfferedFix(NamedTuple):
    """A fix of a diagnostic, and the changes that it makes."""

    diagnostic: Diagnostic
    fix: Fix
    changes: list[TextChange]

    @property
    def is_safe(self) -> bool:
        """Whether it keeps the meaning."""
        return self.fix.applicability is Applicability.SAFE


def kind_of_text(text: str, language: str = "") -> Kind:
    """The language of a text: what its content says, where the editor does not name one of ours."""
    return LANGUAGES.get(language) or kind_of(text.encode("utf-8", "surrogatepass"))


def may_become_program(value: object) -> bool:
    """Whether a JSON value may be the beginning of a program: its first key is being written."""
    if not isinstance(value, dict) or len(value) > 1:
        return value is None
    return all(any(section.startswith(key) for section in SECTIONS) for key in value)


def _is_ours(text: str, kind: Kind, language: str) -> bool:
    """Whether anything is said of a text: other JSON, and notes with an equation in them, are not for us."""
    if language in LANGUAGES:
        return True
    if kind == "dagmath":
        return not is_prose(text.encode("utf-8", "surrogatepass"))
    return bool(text.strip()) and (kind != "pot" or not is_foreign(value_meant(text)))


def diagnose(text: str, language: str = "") -> Diagnosed:
    """The diagnostics of `potc check` without the linter's findings; it ends within its time."""
    kind = kind_of_text(text, language)
    document = Document.from_str(text, "<editor>")
    if len(text) > LARGEST:
        return Diagnosed(kind, document, _too_large())
    if not _is_ours(text, kind, language):
        return Diagnosed(kind, document, ())
    shift = len(text) - len(document.text or "")
    with within(CHECK_MS):
        try:
            checked: Any = api.check(text, language=kind)
        except OutOfFuel:
            return Diagnosed(kind, document, (), is_unfinished=True)
    return Diagnosed(kind, checked.document, checked.diagnostics, shift, checked=checked)


def linted(found: Diagnosed) -> Diagnosed:
    """The same with what the quick rules of the linter find in a program without errors."""
    if not isinstance(found.checked, Checked):
        return found
    with within(CHECK_MS):
        try:
            checked = lint(found.checked, budget_ms=0)
        except OutOfFuel:
            return found
    return found._replace(diagnostics=checked.diagnostics)


def _too_large() -> tuple[Diagnostic, ...]:
    sink = Sink()
    sink.report("POT0002", Place("", (0, 1)), limit=LARGEST)
    return tuple(sink.diagnostics())


def fixes_within(found: Diagnosed, start: int, end: int) -> list[OfferedFix]:
    """The fixes of the diagnostics that a part of the text touches, those that keep the meaning first."""
    offered: list[OfferedFix] = []
    for diagnostic in found.diagnostics:
        low, high = found.span(diagnostic.place)
        if low > end or high < start:
            continue
        for fix in diagnostic.fixes:
            changes = found.changes(fix)
            if changes:
                offered.append(OfferedFix(diagnostic, fix, changes))
    return sorted(offered, key=lambda each: not each.is_safe)


def all_safe(text: str, language: str = "") -> list[TextChange]:
    """The change that all safe fixes make together; none where there are none."""
    with within(CHECK_MS):
        try:
            fixed = api.fix(text, language=kind_of_text(text, language))
        except (OutOfFuel, ValueError):
            return []
    return _changes(text, fixed.text) if fixed.applied else []


def formatted(text: str, language: str = "") -> list[TextChange]:
    """The change that lays a program out as `potc fmt` does; none for a text that has errors or is none."""
    kind = kind_of_text(text, language)
    if kind != "pot" or not _is_ours(text, kind, language):
        return []
    with within(CHECK_MS):
        try:
            after = laid_out(api.check(text, language="pot"))
        except OutOfFuel:
            return []
    return [] if after is None else _changes(text, after)


def is_worse(before: str, after: str, language: str) -> Diagnostic | None:
    """The first error of a changed text, where there was none before."""
    kind = kind_of_text(before, language)
    if _errors(before, kind):
        return None
    return next(iter(_errors(after, kind)), None)


def _errors(text: str, kind: Kind) -> list[Diagnostic]:
    checked: Any = api.check(text, language=kind)
    return [each for each in checked.diagnostics if each.severity is Severity.ERROR]


def _changes(before: str, after: str) -> list[TextChange]:
    return [TextChange(edit.start, edit.end, edit.text) for edit in difference(before, after)]
