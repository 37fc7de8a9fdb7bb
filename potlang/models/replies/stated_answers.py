"""Reads the answer that a text in prose states, only where it is unmistakable ([LOOP-CONSISTENT]).

A phrase counts in a fixed place (behind a marker such as `Answer:`, else as the text's first words), where it
ends as an answer does, and where nothing before or behind it takes it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from potlang.report.results import Verdict

_LONGEST: Final = 20_000
_MOST_MARKERS: Final = 20
_SHOWN: Final = 60
_LOOKED_BACK: Final = 300
_LOOKED_AHEAD: Final = 2_000

_YES: Final = frozenset({Verdict.ENTAILED})
_NO: Final = frozenset({Verdict.REFUTED})
_OPEN: Final = frozenset({Verdict.UNDETERMINED})
_NOT_YES: Final = _NO | _OPEN

_CANNOT = r"can(?:not|['’]t|\s+not)"
_NOT_DOES = r"(?:does\s+not|doesn['’]t)"
_KNOWLEDGE = r"(?:information|info|data|evidence|facts|context)"
_FOUND_OUT = r"(?:determined|known|decided|inferred|concluded|told|answered)"
_FIND_OUT = r"(?:tell|say|know|determine|decide|conclude|answer)"
_LEFT_OPEN = r"(?:uncertain|undetermined|unknown|indeterminate|inconclusive|unclear|insufficient)"
_IT = r"(?:it|this|that)"

_WORDS: Final[dict[str, tuple[str, frozenset[Verdict]]]] = {
    "yes": (r"yes|true|correct|entailed", _YES),
    "no": (r"no|false|incorrect|refuted|not\s+(?:true|correct|entailed)", _NO),
    "open": (_LEFT_OPEN, _OPEN),
}
"""Words that are an answer by themselves."""
_PHRASES: Final[dict[str, tuple[str, frozenset[Verdict]]]] = {
    "denied": (rf"not\s+necessarily|(?:{_IT}\s+)?{_NOT_DOES}\s+(?:necessarily\s+)?follow", _NOT_YES),
    "left": (
        rf"(?:there\s+(?:is\s+not|isn['’]t)\s+|not\s+)enough\s+{_KNOWLEDGE}"
        rf"|(?:there\s+is\s+)?insufficient\s+{_KNOWLEDGE}"
        rf"|(?:the\s+)?(?:given\s+)?{_KNOWLEDGE}\s+(?:is|are)\s+(?:insufficient|not\s+(?:enough|sufficient))"
        rf"|(?:{_IT}\s+)?{_CANNOT}\s+be\s+{_FOUND_OUT}"
        rf"|(?:(?:we|one|you)\s+)?{_CANNOT}\s+{_FIND_OUT}"
        rf"|(?:{_IT}(?:\s+is|['’]s)\s+)?impossible\s+to\s+{_FIND_OUT}(?:\s+(?:this|that|it))?"
        rf"|{_IT}\s+is\s+(?:not\s+known|{_LEFT_OPEN})"
        rf"|(?:{_IT}\s+)?depends|neither\s+(?:true\s+nor\s+false|follows)|no\s+conclusion\s+can\s+be\s+drawn"
        r"|the\s+premises\s+(?:do\s+not|don['’]t)\s+say",
        _OPEN,
    ),
}
"""Phrases of several words, which a clause may follow: `it cannot be determined from the premises`."""
_PREDICATES: Final[dict[str, tuple[str, frozenset[Verdict]]]] = {
    "holds": (r"holds|(?:(?:necessarily|logically)\s+)?follows", _YES),
    "denial": (r"isn['’]t\s+(?:true|correct)", _NO),
}
"""Judgements on a statement, beside the phrases."""
_READINGS: Final = {
    name: verdicts for table in (_WORDS, _PHRASES, _PREDICATES) for name, (_, verdicts) in table.items()
}


def _groups(*tables: dict[str, tuple[str, frozenset[Verdict]]]) -> str:
    return "|".join(f"(?P<{name}>{pattern})" for table in tables for name, (pattern, _) in table.items())


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_QUOTES = r"\"“”'‘’"
_DECORATION = rf"(?:[\s*_`{_QUOTES}(\[{{$]|\\[(\[]|\\boxed\s*\{{|\\text(?:bf|it|rm)?\s*\{{)*+"
_ANSWER: Final = _compiled(rf"(?P<before>{_DECORATION})(?:{_groups(_PHRASES, _WORDS)})(?![\w-])")
_OF_STATEMENT: Final = _compiled(
    r"\b(?:answer|statement|claim|conclusion|hypothesis|truth\s+value)\s+"
    rf"(?:(?:is|are)\s+(?P<before>{_DECORATION})(?:{_groups(_WORDS)})"
    rf"|(?:(?:is|are)\s+)?(?:{_groups(_PREDICATES, _PHRASES)}))(?![\w-])"
)
_MARKER: Final = re.compile(
    r"\banswer(?:\s+to\s+(?:the|this|your)\s+question)?(?:\s+(?:is(?:\s+(?:therefore|thus|hence|clearly|indeed))?|[-–—])(?=\W)|\s*+[*_]*+[:=])++"
    r"|^\#+\s*(?:final\s+)?answer\s*$|\\boxed\s*\{",
    re.IGNORECASE | re.MULTILINE,
)

_CLOSING = rf"[\s*_`{_QUOTES})\]}}$\\]*+"
_BECAUSE = r"(?:because|since|as|given|by|due|so|therefore|based)\b"
_PRONOUN = (
    r"(?:it|he|she|they)\s+"
    r"(?:is|are|was|were|has|have|had|do|does|did|can|will|(?:is|does|has|wo|do|are)n['’]t)\b"
)
_ENDED: Final = _compiled(
    rf"{_CLOSING}(?:$|[!,;:\n–—(]|\.(?!\s*[0-9])|-\s|(?<=\s)(?:{_BECAUSE}|{_PRONOUN})|(?<=\n))"
)
_PHRASE_ENDED: Final = _compiled(
    rf"{_CLOSING}(?:$|[!,;:\n–—(]|\.(?!\s*[0-9])|-\s"
    rf"|(?<=\s)(?:{_BECAUSE}|(?:to(?!\s+(?:me|us)\b)|about|on|whether|if|from|with|without|how|what|which|who|in)\b))"
)
_LABEL_ENDED: Final = _compiled(rf"[*_]*[)\]]\s|{_ENDED.pattern}")
_QUOTE_ENDED: Final = re.compile(rf"[.,!]?[{_QUOTES}][\s*_`)\]}}$]*?(?:[.!;]|\n|$)")
_SEPARATORS = r"[\s*_`.,;:!–—)\]}$(-]*+"
_TAKEN_BACK_HERE: Final = _compiled(
    rf"{_SEPARATORS}(?:(?:but|if|unless|though|although|however|except|only|maybe|perhaps|probably|possibly"
    r"|likely|wait|actually|hmm+|hold\s+on|on\s+(?:second|the\s+other)|or|and\s+(?:yes|no|true|false)|then\s+again"
    r"|not\s+(?:sure|really|quite))\b|(?:yes|no|true|false)\s*(?:[.,!?;:]|$))"
)
_TAKEN_BACK_LATER: Final = _compiled(
    r"\bwait(?=\s*[,.!:;–—-]|\s+(?:no|yes|that|a\s)|\s*$)|\bon\s+second\s+thought|\bscratch\s+that|\bor\s+rather\b"
    r"|\blet\s+me\s+(?:reconsider|rethink|re-?check|think\s+again)|\btake\s+(?:that|it)\s+back|\bhmm+\b"
    r"|\bi\s+was\s+wrong|\bactually,?\s+(?:yes|no|the\s+answer)\b|^\s*correction\b"
)
_OPPOSITE: Final = {
    verdicts: _compiled(rf"\b(?:{words})(?=\s*(?:[.,;!?]|$))")
    for verdicts, words in ((_YES, "no"), (_NO, "yes"), (_OPEN, "yes|no"), (_NOT_YES, "yes"))
}
"""Another answer as the end of a clause behind the one that was read."""
_CONCEDED: Final = _compiled(r"^[^.!?\n]*\b(?:but|though|although|however|yet)\b")
_ASKED: Final = re.compile(r"^[^.!\n]{0,300}?\?")
_CONDITIONAL: Final = _compiled(
    r"\b(?:if|whether|unless|suppos\w+|assum(?:e|ing)|imagine|when)\b(?!.*\b(?:so|therefore|thus|hence)\b)"
)
_DISTANT: Final = _compiled(
    r"\b(?:not|cannot|never|nothing|nobody|none|no|doubt|unsure|might|may|could|says?|said|claims?|claimed"
    r"|asks?|asked|believes?|wrong|false|mistake\w*|lying|misread)\b|n['’]t\b|['’]s\s+$"
)
_SENTENCE_END: Final = re.compile(r"[.!?\n]")
_CLAUSE_END: Final = _compiled(r"[,;:]|\b(?:so|therefore|thus|hence)\b")


class StatedAnswer(NamedTuple):
    """An answer in prose: the verdicts that it can mean, or the label of an option."""

    text: str
    verdicts: frozenset[Verdict] = frozenset()
    label: str | None = None


def stated_answer(prose: str, options: Sequence[str] = ()) -> StatedAnswer | None:
    """The answer that the prose states, None where it states none, or not plainly.

    The last marker such as `Answer:` or `the answer is` decides. Without one it is what is said of the
    statement, the claim or the conclusion, or what stands in the first words; if these differ, it is neither.
    `options` are labels that may stand in the place of a phrase.
    """
    # Answers stand at the end of long prose; the bound keeps the search linear in what is read.
    end = prose[-_LONGEST:]
    marked = [each for each in _MARKER.finditer(end) if not _is_of_statement(end, each.start())]
    if marked:
        last = marked[-1]
        return _at(end, last.end(), options) if _is_said(end, last.start()) else None
    found = [*_of_statement(end), _at(prose[:_LONGEST], 0, options)]
    stated = [each for each in found if each is not None]
    alike = {(each.verdicts, each.label) for each in stated}
    return stated[0] if len(alike) == 1 else None


def _is_of_statement(text: str, at: int) -> bool:
    """Whether the answer is the subject of a phrase of its own, as in `the answer depends on`."""
    found = _OF_STATEMENT.match(text, at)
    return found is not None and found["before"] is None


def _of_statement(text: str) -> Iterator[StatedAnswer | None]:
    """The last judgements on the statement."""
    for found in [*_OF_STATEMENT.finditer(text)][-_MOST_MARKERS:]:
        if _is_said(text, found.start()) and _is_plain(text, found):
            yield _reading(found)


def _is_said(text: str, at: int) -> bool:
    """Whether what follows is said as such: not under a condition, denied, doubted, or somebody's words."""
    before = _SENTENCE_END.split(text[max(0, at - _LOOKED_BACK) : at])[-1]
    return not _CONDITIONAL.search(before) and not _DISTANT.search(_CLAUSE_END.split(before)[-1])


def _at(text: str, at: int, options: Sequence[str]) -> StatedAnswer | None:
    label = _label_at(text, at, options)
    if label is not None:
        return StatedAnswer(label, label=label)
    found = _ANSWER.match(text, at)
    return _reading(found) if found is not None and _is_plain(text, found) else None


def _reading(found: re.Match[str]) -> StatedAnswer:
    name = found.lastgroup or ""
    return StatedAnswer(" ".join(found[name].split())[:_SHOWN], _READINGS[name])


def _is_plain(text: str, found: re.Match[str]) -> bool:
    """Whether a phrase ends as an answer does, is no question, and is not taken back."""
    name, rest = found.lastgroup or "", text[found.end() : found.end() + _LOOKED_AHEAD]
    if re.search(f"[{_QUOTES}]", found["before"] or ""):
        # Whoever goes on behind a quotation speaks of the words.
        return _QUOTE_ENDED.match(rest) is not None
    ended = _ENDED if name in _WORDS else _PHRASE_ENDED
    is_conceded = found[name].lower() in ("true", "correct") or _READINGS[name] == _OPEN
    return (
        ended.match(rest) is not None
        and not _is_taken_back(rest)
        and not _OPPOSITE[_READINGS[name]].search(rest)
        and not (is_conceded and _CONCEDED.match(rest))
    )


def _is_taken_back(rest: str) -> bool:
    """Whether what stands behind an answer asks, limits or revokes it."""
    return bool(_ASKED.match(rest) or _TAKEN_BACK_HERE.match(rest) or _TAKEN_BACK_LATER.search(rest))


def _label_at(text: str, at: int, options: Sequence[str]) -> str | None:
    """The longest label that stands here, as written, if it stands alone."""
    begin = _compiled(_DECORATION + r"(?:option\s+|choice\s+)?" + _DECORATION).match(text, at)
    if begin is None:
        return None
    # The longest first: `A` is also the beginning of `A and B`.
    for label in sorted(options, key=len, reverse=True):
        end = begin.end() + len(label)
        if text[begin.end() : end] != label:
            continue
        rest = text[end : end + _LOOKED_AHEAD]
        others = "|".join(map(re.escape, options))
        is_list = re.match(rf"{_SEPARATORS}(?:(?:and|or)\s+\(?)?(?:{others})(?!\w)", rest) is not None
        if _LABEL_ENDED.match(rest) and not is_list and not _is_taken_back(rest):
            return label
        return None
    return None
