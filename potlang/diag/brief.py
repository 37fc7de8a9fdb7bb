"""Diagnostics as models are shown them: in brief, the most useful first ([TOOL-ORDER])."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

Brief = dict[str, Any]

_SEVERITIES: Final = ("error", "warning", "note")
_APPLICABILITIES: Final = ("safe", "unsafe", "placeholder")


def in_brief(found: Iterable[dict[str, Any]]) -> list[Brief]:
    """Diagnostics in brief, the most useful first: errors, and of these what has a fix to apply."""
    return sorted(map(_brief, found), key=_usefulness)


def _usefulness(brief: Brief) -> tuple[int, int]:
    fix = brief.get("fix")
    return (
        _SEVERITIES.index(brief["severity"]),
        _APPLICABILITIES.index(fix["applicability"]) if fix else len(_APPLICABILITIES),
    )


def _brief(found: dict[str, Any]) -> Brief:
    """A diagnostic without what repeats: place, message, help, and the fix that is best to apply."""
    brief = {key: found[key] for key in ("code", "severity", "message", "pointer") if found.get(key)}
    if found.get("line"):
        brief["line"], brief["column"] = found["line"], found["column"]
    if found.get("helps"):
        brief["help"] = found["helps"][0]
    fixes = sorted(found.get("fixes", ()), key=lambda fix: _APPLICABILITIES.index(fix["applicability"]))
    if fixes:
        brief["fix"] = fixes[0]
    return brief
