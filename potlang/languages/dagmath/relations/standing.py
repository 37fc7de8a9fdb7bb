"""How a relation stands in its text: claimed, supposed, denied, quoted, or a goal ([REL-STANDING])."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from potlang.languages.dagmath.lower.syntax import is_closed, is_op
from potlang.languages.dagmath.relations.model import Chain


class Standing(StrEnum):
    """How a relation is meant."""

    CLAIMED = "claimed"
    SUPPOSED = "supposed"
    """It, or what it follows from, is tried: `if n = 3, then 9 = 8`."""
    DENIED = "denied"
    """The text says that it does not hold."""
    ALTERNATIVE = "alternative"
    """One of several, of which one holds: `x = 2 or x = 3`."""
    SOUGHT = "sought"
    """A goal, a question."""
    QUOTED = "quoted"
    """It is somebody else's."""


_NEAR: Final = 160
_FAR: Final = 600
"""Characters before a relation whose words may say how it is meant."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])[\s)]+(?=[A-Z\\$(\[])|\n\s*\n|;")
_LEADS: Final = re.compile(r"[:,]\s*$")
_DENYING: Final = re.compile(
    r"""(?:\bnot|n['’]t)\ (?:(?:an?|the|be|even|quite)\ )?(?:true|possible|valid|equal|hold\w*
        |satisf\w*|correct|solutions?|integers?|whole|work\w*|case|allowed|consistent|match\w*
        |make\ sense|right|so)\b
    |\b(?:untrue|false|contradict\w*|impossible|invalid|incorrect\w*|wrong\w*|absurd|inconsistent|cannot|can['’]t
        |no\ (?:\w+\ )?solutions?|extraneous|fails?|reject\w*|discard\w*|mistake\w*|errors?|oops|wait|unless
        |instead|re-?(?:evaluate|check|consider|examine)\w*|nonsense
        |too\ (?:large|small|high|low|big|much|many|few)
        |violat\w*|exceed\w*|doesn['’]t|does\ not)\b
    |\\neq|\\ne\b|≠|✗|❌|\?|\\times\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words behind a relation, in its sentence, by which it does not hold."""
_DENYING_NEXT: Final = re.compile(
    r"""^\W*(?:(?:but|however|which|this|that|so|thus|hence|therefore|since|clearly|and|wait|oops|it)\b,?\ )*
        (?:is\ |are\ |does\ |do\ |was\ |seems\ )?
        (?:not|n['’]t|isn['’]t|doesn['’]t|untrue|false|(?:a\ )?contradict\w*|impossible|invalid|incorrect
        |wrong|absurd|no\ solutions?|an?\ (?:mistake|error)|(?:made|making)\ an?\ (?:mistake|error)|we\ made
        |there\ (?:is|seems|was|must\ be)\ an?\ (?:mistake|error|contradiction)|let['’]?s?\ (?:us\ )?re
        |re-?(?:evaluate|check|consider|examine))
    |\bmistake\b|\bincorrect\b|contradiction|not\ true""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words of the next sentence by which it does not hold."""
_DENIED_BEFORE: Final = re.compile(
    r"""\b(?:not|cannot|can['’]t|never|incorrect\w*|wrong\w*|mistake\w*|error|false\w*|contradict\w*|impossible
        |instead\ of|rather\ than|without|avoid|misread\w*|confus\w*|n['’]t|exceed\w*|violat\w*|fails?
        |conditions?\ that|constraint\w*\ that|exclud\w*)\b[^.;]{0,60}$""",
    re.IGNORECASE | re.VERBOSE,
)
_DENIED_CALCULATION: Final = re.compile(
    r"""\b(?:not|cannot|can['’]t|never|n['’]t)(?:\ (?:just|simply|equal(?:\ to)?|be|have|get|that
        |the\ same\ as))*[\s\\$(\[]*$
    |\b(?:incorrect\w*|wrong\w*|mistake\w*|error|false\w*|contradict\w*|impossible|instead\ of|rather\ than
        |misread\w*|confus\w*)\b[^.;]{0,60}$""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words before a calculation by which it does not hold; others say what it is of: `those who do not come`."""
_MENTIONED: Final = re.compile(r"[\s$)\]\\]*(?:satisf\w*|works?|holds? (?:if|when|for))\b", re.IGNORECASE)
"""A verb behind a relation: something is said of it."""
_SUPPOSING: Final = re.compile(
    r"""\b(?:if|suppose\w*|supposing|assum\w+|let(?!['’]s|\ us)|consider\w*|case\ (?:[\dIVX]|[\\$(]|where)
        |try|trying|tries|testing|whether|imagine|hypothe\w*|check(?:ing)?\ (?:if|whether|for)|guess\w*
        |pretend)\b
    |\b(?:for|at|when|test)\ (?=[\\$(]|[a-z]\ ?=)
    |\b(?:substitut\w*|set|setting|plug\w*|putting|letting)\b[^,.;:=]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_SEEKING: Final = re.compile(
    r"""(?:\b(?:want|wish|aim|try|need|have|asked|looking|trying|must|should)\ (?:to\ )?
        (?:find|know|show|prove|determine|check|verify|solve|ensure|make|see)
    |\bsuch\ that|\bsatisf\w+|\bto\ (?:find|solve|determine|prove|show)
    |(?:^|[.;:]\ ?)\s*(?:find|solve|determine|prove|show))\b[^.,;:]{0,80}$""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTING: Final = re.compile(
    r"""\b(?:says?|said|claim(?:s|ed)|thinks?|thought|believes?|believed|wrote|writes|according\ to|states
        |stated\ that)\b[^.;]{0,60}$
    |[\"“][^\"”]*$""",
    re.IGNORECASE | re.VERBOSE,
)


def standing(text: str, chain: Chain, preceding: str = "", following: str = "") -> Standing:
    """How a relation in a text is meant; `preceding` and `following` are what stands around the text."""
    before = lead(text[: chain.start], preceding)[-_FAR:]
    behind = text[chain.end : chain.end + _NEAR]
    end = _SENTENCE.search(behind)
    after = behind if end is None else behind[: end.start()]
    later = following[:_NEAR] if end is None else f"{behind[end.end() :]} {following[:_NEAR]}"
    denied = _DENIED_CALCULATION if _is_calculation(chain) else _DENIED_BEFORE
    if denied.search(before) or _DENYING.search(after) or _DENYING_NEXT.search(later):
        return Standing.DENIED
    if _MENTIONED.match(after):
        return Standing.SOUGHT
    if _QUOTING.search(before):
        return Standing.QUOTED
    if _SUPPOSING.search(before):
        return Standing.SUPPOSED
    if _SEEKING.search(before):
        return Standing.SOUGHT
    return Standing.CLAIMED


def _is_calculation(chain: Chain) -> bool:
    """Whether its first side is worked out from numbers alone."""
    term = chain.sides[0].term
    return is_op(term, "+", "*", "/") and is_closed(term)


def lead(text: str, preceding: str) -> str:
    """The sentence at the end of a text so far, with the one before where that leads up to it by a colon."""
    start = 0
    for end in _SENTENCE.finditer(text):
        start = end.end()
    if start or not _LEADS.search(preceding):
        return text[start:]
    return f"{lead(preceding.rstrip()[:-1], '')} {text}"
