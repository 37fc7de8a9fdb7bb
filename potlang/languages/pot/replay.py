"""Cached verdicts computed again: whether what was kept is still what comes out ([CACHE-REPLAY])."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import NamedTuple

from potlang.ir.text import read_module
from potlang.languages.pot.check import compile
from potlang.languages.pot.program import Checked, Program
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import verify
from potlang.prove.cache import Cache, Entry
from potlang.report.results import ProgramResult
from potlang.source import Document

_UNKNOWN = "unknown"


class AnswerDifference(NamedTuple):
    """One answer that is not what it was: what is answered, and the two answers."""

    what: str
    cached: str
    now: str


class Replayed(NamedTuple):
    """An entry and what came of it.

    `report` is the new one, None if there is none: `problem` then says why. `unsettled` are the answers
    that are unknown this time, which contradict nothing.
    """

    entry: Entry
    report: Report | None
    differences: tuple[AnswerDifference, ...] = ()
    unsettled: tuple[AnswerDifference, ...] = ()
    problem: str = ""

    @property
    def agrees(self) -> bool:
        """Whether all answers are what they were."""
        return not (self.differences or self.unsettled or self.problem)


def replay(cache: Cache, most: int | None = None) -> Iterator[Replayed]:
    """Each entry of the cache, last used first and at most so many, verified again without it.

    Entries of other versions too: whether an update changed a verdict is what one wants to know.
    """
    for entry in cache.entries(most):
        yield _again(entry)


def _again(entry: Entry) -> Replayed:
    unknown = sorted(set(entry.settings) - set(inspect.signature(verify).parameters))
    if unknown:
        return Replayed(entry, None, problem=f"this version has no option {', '.join(unknown)}")
    try:
        program = _program(entry.program)
        report = verify(program, **entry.settings)
    except ValueError as error:  # TextError of the program, OptionError and PipelineError of the options.
        return Replayed(entry, None, problem=f"this version cannot read it: {error}")
    found = differences(entry.report, report)
    unsettled = tuple(each for each in found if each.now == _UNKNOWN)
    return Replayed(entry, report, tuple(each for each in found if each.now != _UNKNOWN), unsettled)


def _program(text: str) -> Program:
    """A program from IR text; claims in words cannot be added to it."""
    empty = compile({"knowledge_base": []}, name="<cache>")
    document = Document.from_value(None, "<cache>")
    return Program(read_module(text), empty.extension, empty.tree, Checked(document, (), None))


def differences(before: ProgramResult, now: ProgramResult) -> tuple[AnswerDifference, ...]:
    """The answers that differ: verdicts, the optimum and its values. Evidence is not compared."""
    old, new = _answers(before), _answers(now)
    every = dict.fromkeys((*old, *new))
    pairs = ((what, old.get(what, "nothing"), new.get(what, "nothing")) for what in every)
    return tuple(AnswerDifference(*pair) for pair in pairs if pair[1] != pair[2])


def _answers(report: ProgramResult) -> dict[str, str]:
    found = {"the verdict": str(report.verdict)}
    for result in report.results:
        found[f"the verdict of {result.kind} {result.name} at {result.pointer}"] = str(result.verdict)
    optimum = report.optimization
    if optimum is not None:
        found["the optimization"] = str(optimum.status)
        for each in optimum.objectives:
            found[f"the optimum of {each.name} at {each.pointer}"] = str(each.value)
    return found
