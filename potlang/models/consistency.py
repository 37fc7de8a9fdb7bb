"""Compares an answer in prose with the verdict of a program for the same question ([LOOP-CONSISTENT]).

The answer is read from fixed words in fixed places; where they are missing, nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from potlang.ir.module import Ask
from potlang.report.results import AskOutcome, Verdict, outcome_of

Agreement = Literal["agrees", "contradicts", "cannot tell"]
_LONGEST: Final = 20_000
_MOST_MARKERS: Final = 20
_SHOWN: Final = 60

_STATED: Final[dict[str, frozenset[Verdict]]] = {
    **dict.fromkeys(("yes", "true", "entailed", "correct"), frozenset({Verdict.ENTAILED})),
    **dict.fromkeys(("no", "false", "refuted", "incorrect"), frozenset({Verdict.REFUTED})),
    **dict.fromkeys(("uncertain", "undetermined", "unknown"), frozenset({Verdict.UNDETERMINED})),
    "not": frozenset({Verdict.REFUTED, Verdict.UNDETERMINED}),
}
_UNSURE = (
    r"(?:(?:it|this|that)\s+)?(?:can(?:not|['’]t|\s+not)\s+be\s+(?:determined|known|decided|inferred)"
    r"|(?:is|are)\s+(?:uncertain|undetermined|unknown))"
)
_DENIED = r"not\s+necessarily|(?:it\s+|this\s+)?does\s+not\s+follow|not\s+(?:true|correct)"
_WORD = rf"(?P<unsure>{_UNSURE})|(?P<denied>{_DENIED})|(?P<word>{'|'.join(_STATED)})(?![\w-])"
_DECORATION = r"[\s*_`\"'“”‘’(\[{$]*+(?:\\boxed\s*\{\s*|\\text\s*\{\s*)*"
_MARKER: Final = (
    r"(?:(?:final\s+|correct\s+|my\s+)?answer(?:\s+to\s+the\s+question)?(?:\s+is|\s*+[:=])++"
    r"|\\boxed\s*\{|(?:statement|claim|conclusion|option)\s+(?:is|holds)(?=\s))"
)
_MARKED = re.compile(_MARKER, re.IGNORECASE)
_HERE = re.compile(_DECORATION + rf"(?:{_WORD})", re.IGNORECASE)


class ProseCheck(NamedTuple):
    """A prose answer against the verdicts. `stated` is the answer as it was read, "" for none."""

    status: Agreement
    stated: str
    why: str


class _ReadAnswer(NamedTuple):
    """An answer in prose: the verdicts that it can mean, or the label of an option."""

    text: str
    verdicts: frozenset[Verdict] = frozenset()
    label: str | None = None


_ANSWERED: Final = {AskOutcome.HOLDS: Verdict.ENTAILED, AskOutcome.FAILS: Verdict.REFUTED}
"""The verdict of a claim that must be true and has the outcome of one that is asked about otherwise."""


def compare(
    prose: str,
    claims: Mapping[str, Verdict],
    options: Sequence[str] = (),
    asks: Mapping[str, Ask] = MappingProxyType({}),
) -> ProseCheck:
    """Compares the answer in `prose` with the verdicts on the `claims`, by name.

    `options`: labels of answers to choose from, which are names of claims. `asks`: the modes of those claims
    that are asked about otherwise than whether they must be true.
    """
    outcomes = {name: outcome_of(ask, claims[name]) for name, ask in asks.items() if name in claims}
    claims = {**claims, **{name: _ANSWERED.get(each, Verdict.UNKNOWN) for name, each in outcomes.items()}}
    stated = _read(prose, options)
    if stated is None:
        return ProseCheck("cannot tell", "", "the prose states no answer in words that are known")
    if stated.label is not None:
        return _of_label(stated, claims, options, "as asked" if outcomes else "entailed")
    if len(claims) != 1:
        why = "the prose does not say which of several claims it means" if claims else "there is no claim"
        return ProseCheck("cannot tell", stated.text, why)
    ((_, verdict),) = claims.items()
    if verdict in (Verdict.UNKNOWN, Verdict.INCONSISTENT):
        return ProseCheck("cannot tell", stated.text, f"the verdict is {verdict}")
    status: Agreement = "agrees" if verdict in stated.verdicts else "contradicts"
    said = f"what is asked {next(iter(outcomes.values()))}" if outcomes else f"the verdict is {verdict}"
    return ProseCheck(status, stated.text, f"the prose says {stated.text!r}, {said}")


def _of_label(
    stated: _ReadAnswer, claims: Mapping[str, Verdict], options: Sequence[str], word: str
) -> ProseCheck:
    """A choice agrees if its claim alone of all options is entailed, or as asked: `word` says which."""
    label = stated.label or ""
    if label not in claims:
        return ProseCheck("cannot tell", stated.text, f"no claim is named {label!r}")
    entailed = [each for each in options if claims.get(each) is Verdict.ENTAILED]
    verdict = claims[label]
    if entailed == [label]:
        return ProseCheck("agrees", stated.text, f"of the options {label!r} alone is {word}")
    if len(entailed) == 1:
        return ProseCheck("contradicts", stated.text, f"of the options {entailed[0]!r} alone is {word}")
    if verdict is Verdict.REFUTED:
        return ProseCheck(
            "contradicts", stated.text, f"{label!r} is {'refuted' if word == 'entailed' else f'not {word}'}"
        )
    many = "several options are" if entailed else "no option is"
    return ProseCheck("cannot tell", stated.text, f"{many} {word}; {label!r} is {verdict}")


def _read(prose: str, options: Sequence[str]) -> _ReadAnswer | None:
    """The answer in the prose: behind the last marker such as `Answer:`, else in its first words."""
    # Answers stand at the end of long prose; the bound keeps the search linear in what is read.
    end = prose[-_LONGEST:]
    for marker in [*_MARKED.finditer(end)][: -_MOST_MARKERS - 1 : -1]:
        found = _at(end, marker.end(), options)
        if found is not None:
            return found
    return _at(prose[:_LONGEST], 0, options)


def _at(text: str, at: int, options: Sequence[str]) -> _ReadAnswer | None:
    label = _label_at(text, at, options)
    if label is not None:
        return _ReadAnswer(label, label=label)
    found = _HERE.match(text, at)
    if found is None:
        return None
    shown = " ".join((found["unsure"] or found["denied"] or found["word"]).split())[:_SHOWN]
    if found["unsure"]:
        return _ReadAnswer(shown, _STATED["undetermined"])
    if found["denied"]:
        # "Not true" denies the claim; "not necessarily" leaves it open too.
        necessarily = "true" not in shown.lower() and "correct" not in shown.lower()
        return _ReadAnswer(shown, _STATED["not"] if necessarily else _STATED["no"])
    return _ReadAnswer(shown, _STATED[found["word"].lower()])


def _label_at(text: str, at: int, options: Sequence[str]) -> str | None:
    """The longest label that stands here, as written; a single letter only where no word goes on."""
    begin = re.compile(_DECORATION + r"(?:option\s+|choice\s+)?" + _DECORATION, re.IGNORECASE).match(text, at)
    if begin is None:
        return None
    # The longest first: `A` is also the beginning of `A and B`.
    for label in sorted(options, key=len, reverse=True):
        end = begin.end() + len(label)
        if text[begin.end() : end] == label and not re.match(r"\w|\s+[a-z]", text[end : end + 80]):
            return label
    return None
