"""Where sentences end in a run of text ([BUILD-SENTENCES])."""

from __future__ import annotations

import re
from collections.abc import Iterator

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$)|[。！？]++[”’」』）]*+")
_NEXT = re.compile(r"\s*([\"'“‘«(\[]*)(\S+)")
_LAST_WORD = re.compile(r"[\"'“‘«(\[]*([^\s\"'“‘«(\[]*)$")
_ABBREVIATION = re.compile(
    r"e\.g|i\.e|cf|vs|viz|approx|ca|no|nos|art|arts|sec|secs|par|paras|fig|figs|ch|chap|app|vol|ed|"
    r"eds|p|pp|pt|mr|mrs|ms|dr|prof|st|sr|jr|messrs|rev|hon|gen|col|lt|capt|sgt|mt|dept|univ|assn|"
    r"bros|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|incl|excl|max|"
    r"min|avg|est|resp|temp|tel|ext|ref",
    re.IGNORECASE,
)
"""Words behind whose full stop a sentence goes on, whatever comes next."""
_WORD_TOO = re.compile(r"nos?|mar|sat|sun", re.IGNORECASE)
"""Of these, words that end sentences where no number follows."""
_MAY_END = re.compile(
    r"etc|a\.m|p\.m|inc|ltd|co|corp|u\.s|u\.k|e\.u|u\.n|al",
    re.IGNORECASE,
)
"""Words with a full stop of their own, behind which a sentence may end."""
_BEGINS_ONE = re.compile(
    r"a|an|the|this|that|these|those|if|when|where|while|unless|for|from|in|on|at|by|to|of|with|"
    r"without|after|before|during|until|as|it|they|you|we|he|she|who|whoever|what|whatever|each|every|"
    r"all|any|no|none|neither|both|either|some|many|most|such|there|here|please|your|our|their|its",
    re.IGNORECASE,
)
"""Words with which a sentence begins, where they have a capital letter."""
_INDENT = 10
_NUMBER = re.compile(r"\d+|[ivxlc]+|[a-z]", re.IGNORECASE)
_MONTH = re.compile(
    r"january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|"
    r"mar|apr|jun|jul|aug|sep|sept|oct|nov|dec",
    re.IGNORECASE,
)


def sentence_ends(text: str) -> Iterator[int]:
    """The offsets behind the sentences of a run of text; the last one is its end.

    A full stop ends no sentence behind an abbreviation, an initial or the number of a date or an item, within
    a number, or where a small letter comes next.
    """
    whole = len(text.rstrip())
    for found in _END.finditer(text):
        if found.end() < whole and _ends(text, found):
            yield found.end()
    yield len(text)


def _ends(text: str, found: re.Match[str]) -> bool:
    """Whether the sign that was found ends a sentence, though there is more text."""
    sign = found[0]
    if sign[0] in "。！？":
        return True
    after = _NEXT.match(text, found.end())
    assert after is not None, "there is more text"
    word = after[2]
    if word[:1].islower():
        return False
    if not sign.startswith(".") or sign.startswith(".."):
        return True
    before = _LAST_WORD.search(text, max(0, found.start() - 40), found.start())
    starts = before is not None and before.start() < _INDENT and not text[: before.start()].strip()
    return _full_stop_ends(before[1] if before else "", word, is_closed=len(sign) > 1, starts=starts)


def _full_stop_ends(word: str, following: str, *, is_closed: bool, starts: bool) -> bool:
    """Whether a full stop between two words ends a sentence.

    `is_closed`: a quote or bracket closes behind it; `starts`: the first word begins the text.
    """
    if is_closed:
        return True
    opening = following.rstrip(".,;:!?")
    if starts and _NUMBER.fullmatch(word):
        return False
    if _ABBREVIATION.fullmatch(word):
        # "No." is an abbreviation before a number alone.
        return _WORD_TOO.fullmatch(word) is not None and not following[:1].isdigit()
    if _MAY_END.fullmatch(word):
        return _BEGINS_ONE.fullmatch(opening) is not None
    if word.isdigit() and _MONTH.fullmatch(opening):
        return False
    # An initial; "I" ends a sentence as seldom.
    return not (len(word) == 1 and word.isupper() and not _BEGINS_ONE.fullmatch(opening))
