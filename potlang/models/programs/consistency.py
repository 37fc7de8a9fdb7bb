"""Compares an answer in prose with the verdict of a program for the same question ([LOOP-CONSISTENT])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from potlang.ir.module import Ask
from potlang.models.replies.stated_answers import StatedAnswer, stated_answer
from potlang.report.results import AskOutcome, Verdict, outcome_of

Agreement = Literal["agrees", "contradicts", "cannot tell"]


class ProseCheck(NamedTuple):
    """A prose answer against the verdicts. `stated` is the answer as it was read, "" for none."""

    status: Agreement
    stated: str
    why: str


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
    stated = stated_answer(prose, options)
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
    stated: StatedAnswer, claims: Mapping[str, Verdict], options: Sequence[str], word: str
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
