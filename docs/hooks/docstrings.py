"""Docstrings as Markdown: examples become blocks of code, and rules that are cited links."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import griffe

SPEC = Path(__file__).resolve().parents[2] / "spec"
_CITED = re.compile(r"(?P<bold>\*\*)?\[(?P<rule>[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+)\](?![\[(])")


class DocstringsAsMarkdown(griffe.Extension):
    """Fences the examples of docstrings, which Markdown would read as quotations, and links their rules."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Is called for each object that is read."""
        if obj.docstring is not None:
            paragraphs = obj.docstring.value.split("\n\n")
            obj.docstring.value = "\n\n".join(
                f"```pycon\n{each}\n```" if each.lstrip().startswith(">>>") else linked_rules(each)
                for each in paragraphs
            )


def linked_rules(text: str) -> str:
    """Rules that are cited as links to where they are written, in bold, which get an anchor."""

    def linked(cited: re.Match[str]) -> str:
        rule = cited["rule"]
        if rule not in _rules():
            return cited[0]
        return f"[](){{#{rule}}}{cited[0]}" if cited["bold"] else f"[{rule}][{rule}]"

    return _CITED.sub(linked, text)


@cache
def _rules() -> frozenset[str]:
    """The ids of all rules."""
    chapters = (path.read_text(encoding="utf-8") for path in SPEC.glob("*.md"))
    return frozenset(rule for text in chapters for rule in re.findall(r"\*\*\[([A-Z0-9-]+)\]\*\*", text))
