"""Applies fixes to a JSON value, or to the raw text with its formatting kept.

The `Replace` edits of a fix count characters of the original, so they are applied from the right;
its `Patch` edits follow one after the other, as RFC 6902 says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from potlang.diag.model import Applicability, Diagnostic, Edit, Fix, Patch, Replace
from potlang.diag.patching import FixError, patch_value, replace_in_value
from potlang.diag.raw_patching import patch_text, replace_span
from potlang.source import Document

_ROUNDS: Final = 50
"""Of looking for fixes in a text: each round applies at least one."""


class Examined(Protocol):
    """A text as it was found to be."""

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """Its mistakes."""


Finding = TypeVar("Finding", bound=Examined)


class Mended(NamedTuple, Generic[Finding]):
    """A text after its fixes, their number, and how it was found to be in the end."""

    text: str
    applied: int
    found: Finding


class RawEdit(NamedTuple):
    """Replace the characters `[start, end)` of the raw text by `text`."""

    start: int
    end: int
    text: str


def apply_fix(value: object, fix: Fix) -> object:
    """The value after the fix; `value` itself is left as it is, what did not change is shared.

    Raises `FixError` where an edit does not apply, as an edit of raw text does not.
    """
    for edit in _from_the_right(fix.edits):
        value = replace_in_value(value, edit)
    for patch in _patches(fix.edits):
        value = patch_value(value, patch)
    return value


def apply_fixes(text: str, fixes: Iterable[Fix]) -> str:
    """The raw text after the fixes; of overlapping ones the first wins, what does not apply is skipped."""
    document = Document.from_str(text)
    chosen: list[RawEdit] = []
    for fix in fixes:
        edits = raw_edits(document, fix.edits)
        if edits and not any(_overlap(new, old) for new in edits for old in chosen):
            chosen += edits
    return _apply(document.text or "", chosen)


def mend(
    text: str, found: Finding, examine: Callable[[str], Finding], *, unsafe: bool = False
) -> Mended[Finding]:
    """The text after all safe fixes of its diagnostics, in rounds: what one uncovers is mended in the next.

    `found`: how the text was found to be; `examine` finds it for a changed one. With `unsafe` those fixes
    too that may change the meaning, one at a time.
    """
    applied = 0
    for _ in range(_ROUNDS):
        fixes = _best_fixes(found.diagnostics, Applicability.SAFE)
        if unsafe and not fixes:
            # One may be all that it takes: the others are looked for again afterwards.
            fixes = _best_fixes(found.diagnostics, Applicability.UNSAFE)[:1]
        fixed = apply_fixes(text, fixes)
        if fixed == text:
            break
        applied += len(fixes)
        text, found = fixed, examine(fixed)
    return Mended(text, applied, found)


def _best_fixes(diagnostics: Iterable[Diagnostic], wanted: Applicability) -> list[Fix]:
    """Of each diagnostic the first fix that may be used so."""
    firsts = (next((fix for fix in each.fixes if fix.applicability is wanted), None) for each in diagnostics)
    return [each for each in firsts if each is not None]


def raw_edits(document: Document, edits: tuple[Edit, ...]) -> list[RawEdit]:
    """The raw edits that the edits amount to, in order; none without text or where they do not apply."""
    text = document.text
    if text is None:
        return []
    try:
        replaced = [RawEdit(*replace_span(document.layout, edit)) for edit in _from_the_right(edits)]
        patches = _patches(edits)
        if not patches:
            return sorted(replaced)
        if len(patches) == 1 and not replaced:
            return _narrowed(text, [RawEdit(*edit) for edit in patch_text(document.layout, patches[0])])
        return difference(text, _one_by_one(_apply(text, replaced), patches))
    except FixError:
        return []


def _narrowed(text: str, edits: list[RawEdit]) -> list[RawEdit]:
    """The edits, or where one rewrites the whole text the difference that it makes."""
    if len(edits) == 1 and edits[0].end - edits[0].start == len(text):
        return difference(text, edits[0].text)
    return edits


def _one_by_one(text: str, patches: list[Patch]) -> str:
    for patch in patches:
        document = Document.from_str(text)
        text = _apply(text, [RawEdit(*edit) for edit in patch_text(document.layout, patch)])
    return text


def _apply(text: str, edits: Iterable[RawEdit]) -> str:
    parts: list[str] = []
    at = 0
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def _overlap(a: RawEdit, b: RawEdit) -> bool:
    if a.start == b.start:
        return True
    first, second = (a, b) if a.start < b.start else (b, a)
    return first.end > second.start


def difference(old: str, new: str) -> list[RawEdit]:
    """The one edit that makes the new text of the old one; none where they are the same."""
    if old == new:
        return []
    limit = min(len(old), len(new))
    start = _most(limit, lambda size: old[:size] == new[:size])
    same = _most(limit - start, lambda size: old[len(old) - size :] == new[len(new) - size :])
    return [RawEdit(start, len(old) - same, new[start : len(new) - same])]


def _most(limit: int, holds: Callable[[int], bool]) -> int:
    """The largest size up to `limit` for which `holds`; what holds for a size holds for all below."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _from_the_right(edits: Iterable[Edit]) -> list[Replace]:
    found = [edit for edit in edits if isinstance(edit, Replace)]
    return sorted(found, key=lambda edit: edit.start, reverse=True)


def _patches(edits: Iterable[Edit]) -> list[Patch]:
    return [edit for edit in edits if isinstance(edit, Patch)]
