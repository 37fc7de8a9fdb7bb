"""The finding on a text as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.diag.wording import counted, visible
from potlang.models.loop.results import cost_line
from potlang.policy.texts.readings import TextReading
from potlang.policy.texts.translation import TranslatedFormula

if TYPE_CHECKING:
    from potlang.policy.texts.check import TextCheck


def lines_of(found: TextCheck, *, color: bool = False) -> Iterator[str]:
    """The finding, what it rests on, and what it does not cover."""
    yield f"{found.finding}{f': {visible(found.reason)}' if found.reason else ''}"
    if found.report is not None and found.reading is not None:
        yield f"{_agreeing(found, found.reading)} as"
        yield from _translation(found.reading)
        yield ""
        yield found.report.render(color=color).rstrip("\n")
    else:
        for number, reading in enumerate(found.readings.classes, 1):
            yield f"reading {number}, {_agreeing(found, reading)}"
            yield from _translation(reading)
        yield from _refused(found)
    yield from _separating(found)
    if found.untranslated:
        yield "not translated, and covered by no verdict:"
        yield from (f"  {_quoted(each.text)}" for each in found.untranslated)
    if found.attempts:
        yield cost_line(found.totals, found.model)


def _refused(found: TextCheck) -> Iterator[str]:
    """The mistakes of replies that are no translations; a single reason stands above already."""
    problems = [(at, each.problem) for at, each in enumerate(found.samples, 1) if each.translation is None]
    if len(found.samples) > 1:
        yield from (f"reply {at} cannot be used: {visible(problem)}" for at, problem in problems)


def _agreeing(found: TextCheck, reading: TextReading) -> str:
    agree = f"{len(reading.members)} of {counted(len(found.samples), 'translation')}"
    asked = {each.model for each in found.samples if each.model}
    if len(asked) < 2:
        return agree
    whose = sorted({found.samples[at].model for at in reading.members})
    return f"{agree}, by {len(whose)} of {len(asked)} models"


def _translation(reading: TextReading) -> Iterator[str]:
    translation = reading.translation
    for name, sort in translation.individuals.items():
        yield f"  individual {visible(name)}: {visible(sort)}"
    yield from (f"  premise {_formula(each)}" for each in translation.premises)
    yield from (f"  claim {_formula(each)}" for each in translation.claims)
    if not translation.formulas:
        yield "  nothing"


def _formula(part: TranslatedFormula) -> str:
    return f"{visible(part.formula)}  {', '.join(map(_quoted, part.words))}"


def _quoted(text: str) -> str:
    return f"“{visible(' '.join(text.split()))}”"


def _separating(found: TextCheck) -> Iterator[str]:
    case = found.separating
    if case is None:
        return
    holding, other = ("1", "2") if case.holds == 0 else ("2", "1")
    checked = "checked by evaluation" if case.confirmed else "on a solver's word"
    yield (
        f"a case that separates them, in which the {case.part} of reading {holding} hold and those of "
        f"reading {other} do not ({checked}):"
    )
    yield from (f"  {visible(term)} = {visible(value)}" for term, value in case.values.items())
