"""How many sentences a node is, with formulas taken as words ([DAG-NODE])."""

from __future__ import annotations

import re

_MATH = re.compile(
    r"\$\$(?:\\.|[^$\\])*+(?:\$\$|\$|\Z)|\$(?:\\.|[^$\\])*+(?:\$|\Z)"
    r"|\\\((?:(?!\\\)).)*+(?:\\\)|\Z)|\\\[(?:(?!\\\]).)*+(?:\\\]|\Z)",
    re.DOTALL,
)
_STOP = re.compile(r"[.!?]['\")\]*_”’]*+(?=\s+[\"'“‘(\[*_]*+[A-Z0-9\\])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:i\.e|e\.g|cf|vs|viz|resp|approx|etc|Eq|Eqs|Fig|Figs|No|Nos|Thm|Lem|Prop|Cor|Def|Sec|Ch|p|pp|ca"
    r"|Dr|Mr|Mrs|Ms|Prof|St|sq|ft|in|hr|hrs|min|sec)|\b[A-Z])$"
)


def count_sentences(text: str) -> int:
    """The number of sentences of a text; 0 if it is blank."""
    words = _MATH.sub(_word, text).strip()
    if not words:
        return 0
    stops = [found for found in _STOP.finditer(words) if not _is_abbreviation(words, found.start())]
    return len(stops) + 1


def _word(formula: re.Match[str]) -> str:
    """A formula as a word that may begin a sentence; a full stop at its end stays."""
    return "Xx." if formula[0].rstrip("$)]\\ ").endswith(".") else "Xx"


def _is_abbreviation(words: str, at: int) -> bool:
    """Whether the full stop at `at` is that of an abbreviation, or of a number in front of the sentence."""
    if words[at] != ".":
        return False
    return words[:at].isdecimal() or _ABBREVIATION.search(words[max(0, at - 12) : at]) is not None
