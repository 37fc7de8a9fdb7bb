"""A text whose translations a caller of the tool has written: its finding in brief ([TOOL-TEXTS])."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from potlang import policy
from potlang.languages.pot.program import Program
from potlang.report.results import Limits
from potlang.tool.arguments import CallMistake

if TYPE_CHECKING:
    from potlang.policy import TextCheck

MOST_TRANSLATIONS = 20


def checked_text(program: Program, text: str, translations: Sequence[str], limits: Limits) -> TextCheck:
    """The finding on a text with these translations, each as JSON. Raises CallMistake."""
    # Comparing and deciding have one limit each, and the call has one for both.
    shared = limits._replace(total_ms=limits.total_ms // 2)
    try:
        return policy.check_translations(program, text, translations[:MOST_TRANSLATIONS], limits=shared)
    except ValueError as error:
        raise CallMistake("wrong_type", str(error), "send `text`, and its translations in `claims`") from None


def finding_parts(found: TextCheck) -> dict[str, Any]:
    """The finding, what no formula translates, a case that separates readings, and what is to be said."""
    parts: dict[str, Any] = {"finding": str(found.finding)}
    if found.untranslated:
        parts["untranslated"] = [each.text for each in found.untranslated]
    if found.separating is not None:
        case = found.separating
        parts["separating"] = {
            "readings": [list(each.members) for each in found.readings.classes[:2]],
            "part": case.part,
            "holds": case.holds,
            "values": dict(case.values),
            "confirmed": case.confirmed,
        }
    notes = list(_notes(found))
    return {**parts, "notes": notes} if notes else parts


def _notes(found: TextCheck) -> Iterator[str]:
    if found.reason:
        yield found.reason
    for number, sample in enumerate(found.samples):
        if sample.problem:
            yield f"translation {number} cannot be used: {sample.problem}"
