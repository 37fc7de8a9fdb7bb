"""Docstrings as Markdown: examples become blocks of code."""

from __future__ import annotations

from typing import Any

import griffe


class Doctests(griffe.Extension):
    """Fences the examples of docstrings, which Markdown would read as quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Is called for each object that is read."""
        if obj.docstring is not None and ">>>" in obj.docstring.value:
            obj.docstring.value = _fenced(obj.docstring.value)


def _fenced(text: str) -> str:
    """Paragraphs that begin with `>>>` as blocks."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        f"```pycon\n{each}\n```" if each.lstrip().startswith(">>>") else each for each in paragraphs
    )
