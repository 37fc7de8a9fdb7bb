"""The verdict on a step by its sentence, weighed with the relations that stand in it ([REL-VERDICT])."""

from __future__ import annotations

import re
from collections.abc import Sequence, Sized
from typing import Final, NamedTuple

from potlang.languages.dagmath.relations.claims import StatedRelation, is_closed_relation
from potlang.languages.dagmath.relations.formals import FormalReading
from potlang.languages.dagmath.relations.numbers import Numbers, left_out
from potlang.languages.dagmath.relations.roots import OF_ROOTS
from potlang.languages.dagmath.relations.standing import Standing
from potlang.languages.dagmath.relations.truth import RelationTruth
from potlang.languages.dagmath.results import StepRelation, StepResult, StepVerdict

_HOLDS = (RelationTruth.TRUE, RelationTruth.ROUNDED)
_MEANT = {
    Standing.SUPPOSED: "it is supposed, or holds under a supposition",
    Standing.DENIED: "it says that this does not hold",
    Standing.SOUGHT: "it states a goal",
    Standing.QUOTED: "it is a quotation",
}


class Fit(NamedTuple):
    """Whether the numbers of a step fit the problem, or why not; None where nothing is calculated."""

    fits: bool | None = None
    reason: str = ""


def fit(text: str, relations: Sequence[StatedRelation], numbers: Numbers, premises: Sequence[str]) -> Fit:
    """Whether the numbers that a step calculates with are given before, and none of a total left out.

    Its results are given to what it calculates next: they are added to `numbers`.
    """
    claimed = [each for each in relations if each.standing is Standing.CLAIMED and each.truth in _HOLDS]
    if not claimed or not numbers.is_asked:
        return Fit()
    unknown = []
    for each in claimed:
        unknown += numbers.unknown([each.left])
        numbers.add(each.right.source)
    if unknown:
        return Fit(False, f"nothing before gives {', '.join(map(str, unknown[:3]))}")
    missing = left_out(text, premises)
    return Fit(False, f"the total leaves out {', '.join(missing[:3])}") if missing else Fit(True)


_MOST_PARENTS: Final = 6
"""A step with more of them rests on what was said before rather than on premises that somebody chose."""
_ITEM: Final = re.compile(
    r"\W*(?:(?:first|second|third|fourth|fifth|sixth)\b\s*[,:]|\((?:[ivx]+|[a-f])\))", re.IGNORECASE
)
"""How an item of a list of cases begins."""


def is_broad(text: str, parents: Sized) -> bool:
    """Whether a step may be about one of several cases or values, and not all that it rests on be meant."""
    return len(parents) > _MOST_PARENTS or _ITEM.match(text) is not None


_OTHER_CASE = "its premises contradict it, and it may be about another case than some of them"
_UNITS = (
    "different units",
    "numbers in different",
    "numbers of different",
    "what is equated",
    "a number with a unit",
)
"""How reasons begin by which units do not agree: a calculation that is true without them says little."""


def weighed(
    result: StepResult,
    relations: Sequence[StatedRelation],
    found: Fit,
    *,
    is_misread: bool,
    is_scale: bool,
    is_broad: bool,
) -> StepResult:
    """The result on a step by its sentence, with what its relations say.

    `is_misread`: the sentence seems false, and may mean something else. `is_scale`: the step or its premises
    speak of a scale. `is_broad`: it rests on so many steps, or is one item of a list, that they need not all
    be meant.
    """
    claimed = [each for each in relations if each.standing is Standing.CLAIMED]
    # Alternatives are claimed together: the sentence as a whole may be refuted, none of them by itself.
    said = claimed or [each for each in relations if each.standing is Standing.ALTERNATIVE]
    false = next((each for each in claimed if each.truth is RelationTruth.FALSE), None)
    held = [each for each in claimed if each.truth in _HOLDS]
    open_ = [each for each in claimed if each.truth not in _HOLDS and not each.names]
    result = result._replace(
        relations=tuple(
            StepRelation(str(each), each.standing, each.truth, each.reason) for each in relations
        ),
        true=False if false is not None else True if held and not open_ else None,
        fits=found.fits,
    )
    if false is not None and result.verdict is not StepVerdict.PROVED:
        reason = f"{false}: {false.reason}"
        return _settled(result, StepVerdict.REFUTED, reason)._replace(follows=False)
    match result.verdict:
        case StepVerdict.PROVED:
            result = result._replace(true=True, follows=True)
            return result if found.fits is not False else _unfitting(result, found)
        case StepVerdict.REFUTED if relations and not said:
            return result._replace(verdict=StepVerdict.NOT_CHECKABLE, reason=_MEANT[relations[0].standing])
        case StepVerdict.REFUTED if (
            result.by == "arithmetic"
            and relations
            and (held or (open_ and is_scale) or any(map(_is_cut, open_)))
        ):
            # The sentence was read as a whole; its relations, one by one, are not false.
            result = result._replace(verdict=StepVerdict.NOT_CHECKABLE, reason="it may mean something else")
        case StepVerdict.REFUTED if is_broad and result.by == "solver":
            # A step that rests on everything before it may be about one of several cases or values.
            return result._replace(verdict=StepVerdict.UNKNOWN, reason=_OTHER_CASE)
        case StepVerdict.REFUTED:
            return result._replace(true=False, follows=False)
        case StepVerdict.GIVEN:
            return result
    works_out = all(is_closed_relation(each) for each in held)
    is_whole = works_out or (len(claimed) == len(relations) and not result.limited)
    units = result.reason.removeprefix("not read: ").startswith(_UNITS)
    # Of complex roots the sentence is misread as one of real numbers.
    is_misread = is_misread and not all(each.reason == OF_ROOTS for each in held)
    if not held or not is_whole or is_misread or units:
        return result
    if result.verdict is StepVerdict.NOT_ENTAILED and (open_ or not works_out):
        return result
    if open_ and result.limited:
        return result  # What nobody had the time to tell may follow.
    if open_:
        reason = f"{held[0]} is true; {open_[0]} does not follow from what was read"
        return _settled(result, StepVerdict.NOT_ENTAILED, reason)
    rounded = next((each for each in held if each.truth is RelationTruth.ROUNDED), None)
    if rounded is not None:
        reason = f"{rounded} is false, unless numbers are rounded"
        return _settled(result, StepVerdict.NOT_ENTAILED, reason)
    if found.fits is False:
        return _unfitting(result, found)
    return _settled(result, StepVerdict.PROVED, "")._replace(follows=True)


def _is_cut(relation: StatedRelation) -> bool:
    return relation.left.is_cut or relation.right.is_cut


def with_formal(result: StepResult, formal: FormalReading | None, reason: str) -> StepResult:
    """The result with the use of the step's `formal`: one that says something else proves nothing."""
    if formal is None:
        return result
    if formal.use == "disagrees" and result.verdict in (StepVerdict.PROVED, StepVerdict.NOT_ENTAILED):
        result = result._replace(verdict=StepVerdict.NOT_CHECKABLE, reason=reason, follows=None)
    return result._replace(formal=formal.use)


def _settled(result: StepResult, verdict: StepVerdict, reason: str) -> StepResult:
    """The result with a verdict that calculation gives."""
    return result._replace(
        verdict=verdict, reason=reason, by="arithmetic", limited=False, trust=None, missing=None
    )


def _unfitting(result: StepResult, found: Fit) -> StepResult:
    reason = f"what it calculates is true, and {found.reason}"
    return _settled(result, StepVerdict.NOT_ENTAILED, reason)._replace(follows=None)
