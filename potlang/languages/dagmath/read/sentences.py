"""How many sentences a node is, with formulas taken as words ([DAG-NODE])."""

from __future__ import annotations

import re

_MATH = re.compile(
    r"\$\$(?:\\.|[^$\\])*+(?:\$\$|\$|\Z)|\$(?:\\.|[^$\\])*+(?:\$|\Z)"
    r"|\\\((?:(?!\\\)).)*+(?:\\\)|\Z)|\\\[(?:(?!\\\]).)*+(?:\\\]|\Z)",
    re.DOTALL,
)
_OPENING = re.compile(r"(?<!\\)\$\$?|\\\(|\\\[|\\begin\{(?P<name>[a-z]{1,20}\*?)\}")
_CLOSING = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
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


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text are, formulas and displays whole."""
    pieces, at = [], 0
    for start, end in formula_spans(text):
        pieces += [text[at:start], _hidden(text[start:end])]
        at = end
    masked = "".join([*pieces, text[at:]])
    ends = [found.end() for found in _STOP.finditer(masked) if not _is_abbreviation(masked, found.start())]
    spans = []
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        said = text[start:end]
        if said.strip():
            spans.append((start + len(said) - len(said.lstrip()), start + len(said.rstrip())))
    return spans


def formula_spans(text: str) -> list[tuple[int, int]]:
    """Where the formulas, displays and environments of a text are; one that never ends is none."""
    spans: list[tuple[int, int]] = []
    absent: set[str] = set()
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        at = opening.end()
        sign = opening[0]
        closing = rf"\end{{{opening['name']}}}" if opening["name"] else _CLOSING[sign]
        end = -1 if closing in absent else text.find(closing, at)
        while end > 0 and sign == "$" and text[end - 1] == "\\":
            end = text.find(closing, end + 1)
        if end < 0:
            absent.add(closing)
        else:
            at = end + len(closing)
            spans.append((opening.start(), at))
    return spans


def _hidden(formula: str) -> str:
    """A formula as a word of the same length; a full stop at its end stays."""
    length = len(formula)
    ends = length > 2 and re.search(r"\.\s*(?:\\end\{[a-z]+\*?\})?[$)\]\\\s]*$", formula) is not None
    return f"X{'x' * (length - 2)}." if ends else f"X{'x' * (length - 1)}"


def _word(formula: re.Match[str]) -> str:
    """A formula as a word that may begin a sentence; a full stop at its end stays."""
    return "Xx." if formula[0].rstrip("$)]\\ ").endswith(".") else "Xx"


def _is_abbreviation(words: str, at: int) -> bool:
    """Whether the full stop at `at` is that of an abbreviation, or of a number in front of the sentence."""
    if words[at] != ".":
        return False
    return words[:at].isdecimal() or _ABBREVIATION.search(words[max(0, at - 12) : at]) is not None
