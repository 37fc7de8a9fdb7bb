"""Comparisons in words: `is at least`, `is less than`, `does not equal` ([STEP-FORMAL-RELATION])."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_MORE: Final = r"(?:more|greater|larger|bigger|higher|longer|older|taller|heavier)"
_LESS: Final = r"(?:less|fewer|smaller|lower|shorter|younger|lighter)"
_COPULA: Final = r"(?:(?:is|are|was|were|be|has|have)\s+)?"
_ROWS: Final = (
    ("!=", r"≠|\\neq?\b|!=|" + _COPULA + r"not\s+equal(?:\s+to)?|does\s+not\s+equal|do\s+not\s+equal"
     r"|differs?\s+from|" + _COPULA + r"different\s+from|is\s+not(?=\s+(?:\$|-?\d|[a-zA-Z]\b))|cannot\s+be"),
    (">=", r"≥|\\geq?(?:slant)?\b|>=|" + _COPULA + r"at\s+least|" + _COPULA + rf"(?:no|not)\s+{_LESS}\s+than"
     r"|" + _COPULA + rf"{_MORE}\s+than\s+or\s+equal\s+to"),
    ("<=", r"≤|\\leq?(?:slant)?\b|<=|" + _COPULA + r"at\s+most|" + _COPULA + rf"(?:no|not)\s+{_MORE}\s+than"
     r"|" + _COPULA + rf"{_LESS}\s+than\s+or\s+equal\s+to|(?:cannot|does\s+not|do\s+not)\s+exceed"),
    (">", _COPULA + rf"{_MORE}\s+than|exceeds?|\\gt\b|>"),
    ("<", _COPULA + rf"{_LESS}\s+than|\\lt\b|<"),
)  # fmt: skip
_COMPARING: Final = re.compile(
    "|".join(f"(?P<r{at}>{pattern})" for at, (_, pattern) in enumerate(_ROWS)), re.IGNORECASE
)
_ADDING: Final = re.compile(r"(?:\d|\$|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|many|much))"
                            r"(?:\s+(?!is\b|are\b|was\b|were\b)[a-z]{2,})?\s*$", re.IGNORECASE)  # fmt: skip
"""The text before `more than` where that adds: `3 more than x`, `5 apples fewer than`."""
_EQUATING: Final = re.compile(
    r"(?<![<>!])=|\b(?:equals?|is|are|was|were|be|becomes?|gives?|makes?|gets?|has|have|had|leaves?|costs?|totals?"
    r"|earns?|takes?|needs?|obtains?|yields?|spends?|pays?|there|value|answer|needs?|sells?|sold|ate|eats?|so|thus|must)\b",
    re.IGNORECASE,
)
_SIGNED: Final = {
    ">": re.compile(r"\bpositive\b", re.IGNORECASE),
    "<": re.compile(r"\bnegative\b", re.IGNORECASE),
    ">=": re.compile(r"\bnon-?negative\b", re.IGNORECASE),
    "!=": re.compile(r"\bnon-?zero\b", re.IGNORECASE),
}
"""Words that compare with zero."""


class TextComparison(NamedTuple):
    """A comparison in a text, other than that two things are equal, and where it stands."""

    op: str
    start: int
    end: int


def comparisons(text: str) -> list[TextComparison]:
    """The comparisons in words or signs, in order: not `3 more than x`, which adds."""
    found = []
    for match in _COMPARING.finditer(text):
        op = _ROWS[int((match.lastgroup or "r0")[1:])][0]
        is_bare = match[0].lower().startswith(("more", "greater", "less", "fewer", "larger", "smaller"))
        if not (is_bare and _ADDING.search(text[: match.start()])):
            found.append(TextComparison(op, match.start(), match.end()))
    return found


def equates(text: str) -> bool:
    """Whether a text has a word or a sign by which something equals something."""
    return _EQUATING.search(_COMPARING.sub(" ", text)) is not None


def compares_with_zero(text: str, op: str) -> bool:
    """Whether a word says how something compares with zero: `positive`."""
    return op in _SIGNED and _SIGNED[op].search(text) is not None
