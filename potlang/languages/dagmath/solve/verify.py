"""One solution verified: its form, its graph, its answer, its steps, and one verdict ([DAGR-VERDICT])."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from potlang.diag import Diagnostic, Sink
from potlang.languages.dagmath.check.form import CheckedSolution, check
from potlang.languages.dagmath.check.formals import MOST_STEPS
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.check.metrics import Class, Shape, classify, shape_of, surplus
from potlang.languages.dagmath.read.boxed import last_box
from potlang.languages.dagmath.read.reader import ReadSolution, Source
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import (
    AnswerResult,
    GraphResult,
    SolutionVerdict,
    StepEntry,
    StepLink,
    StepsReport,
    StepVerdict,
    UnclosedStep,
)
from potlang.languages.dagmath.solve.answers import AnswerJudge, given_judge
from potlang.languages.dagmath.solve.checking import check_steps
from potlang.languages.dagmath.solve.identities import MISSING, Identities
from potlang.languages.dagmath.write import solution_value
from potlang.report.results import Interrupted, Limits
from potlang.utils.deadline import Deadline
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.processes.pool import Workers
    from potlang.prove.options import Trust

_SHOWN = 80
_MOST_JUDGE_SECONDS = 5.0


def verify(
    source: Source | Solution,
    *,
    name: str | None = None,
    answer: str | None = None,
    steps: bool = True,
    trust: Trust = "best",
    limits: Limits = Limits(),
    workers: Workers | None = None,
    judge: AnswerJudge | None = None,
) -> SolutionReport:
    """The report on a solution: form, closeness, answer and steps.

    `answer` is the expected one, in the place of what the input says. `steps=False`: the steps are not
    checked. `trust`, `limits` and `workers` are those of `potlang.verify`, the limits for all steps
    together; `judge` compares the answers, one that is made for this call by default. Never raises for
    what the solution contains. Raises TypeError for a source of another type, and `potlang.Interrupted`
    with the report on what is known where the checking of steps is interrupted.
    """
    deadline = Deadline(limits.total_ms)
    checked = check(solution_value(source) if isinstance(source, Solution) else source, name=name)
    if checked.solution is None or checked.graph is None:
        asked = _Asked()
        report = _rejected(checked)
    else:
        answered = _answered(checked.read, checked.solution, answer, judge, limits)
        left = limits._replace(total_ms=deadline.left_ms())
        asked = _checked_steps(checked.solution, left, trust, workers) if steps else _Asked()
        report = _report(checked, checked.graph, answered, asked)
    document = checked.read.document
    report = report._replace(
        limits=limits, time_ms=deadline.spent_ms(), version=__version__, document=document
    )
    if asked.interruption is not None:
        raise Interrupted(report) from asked.interruption
    return report


# --- the answer ----------------------------------------------------------------------------------


class _Answered(NamedTuple):
    """The answer as judged, and what is to be reported of one that cannot be read."""

    result: AnswerResult | None = None
    problem: Diagnostic | None = None


def _answered(
    read: ReadSolution, solution: Solution, answer: str | None, judge: AnswerJudge | None, limits: Limits
) -> _Answered:
    """The last step's answer beside the expected one ([DAGR-ANSWER])."""
    last = len(solution.steps) - 1
    box = last_box(solution.steps[last].node)
    given = None if box is None else box.content
    if answer is None and solution.correct is not None:
        return _Answered(AnswerResult(given, solution.answer, solution.correct, "input"))
    expected = solution.answer if answer is None else answer
    if expected is None:
        return _Answered()
    seconds = min(_MOST_JUDGE_SECONDS, limits.check_ms / 1000)
    with given_judge(judge, seconds) as comparing:
        judged = comparing.judge(given, expected)
    undecided = bool(given and judged.note) and not judged.correct
    result = AnswerResult(given, expected, None if undecided else judged.correct, judged.by, judged.note)
    if not judged.is_unreadable or box is None or given is None:
        return _Answered(result)
    sink = Sink(read.document)
    place = read.places.part(last, "node", (box.start, box.end))
    sink.report("POT7011", place, answer=given[:_SHOWN])
    return _Answered(result, sink.diagnostics()[0])


# --- the steps -----------------------------------------------------------------------------------


class _Asked(NamedTuple):
    """The findings on the steps, and why there are none or fewer than usual."""

    report: StepsReport | None = None
    notes: tuple[str, ...] = ()
    interruption: KeyboardInterrupt | None = None


def _checked_steps(solution: Solution, limits: Limits, trust: Trust, workers: Workers | None) -> _Asked:
    if len(solution.steps) > MOST_STEPS:
        return _Asked(None, (f"the steps are not checked: there are more than {MOST_STEPS:,}",))
    identities = Identities()
    notes = (f"{MISSING}: identities are not looked for",) if identities.note == MISSING else ()
    try:
        found = check_steps(solution, limits=limits, trust=trust, workers=workers, identities=identities)
    except Interrupted as error:
        return _Asked(
            error.known, (*notes, "it was interrupted: what is unknown was not settled by then"), error
        )
    return _Asked(found, notes)


# --- the report ----------------------------------------------------------------------------------


def _rejected(checked: CheckedSolution) -> SolutionReport:
    """The report on what is no graph of steps; the steps that could be read are in it."""
    return SolutionReport(
        SolutionVerdict.REJECTED,
        Class.MALFORMED,
        steps=_entries(checked, None),
        diagnostics=checked.diagnostics,
        located=checked.located(),
    )


def _report(checked: CheckedSolution, graph: Graph, answered: _Answered, asked: _Asked) -> SolutionReport:
    shape = shape_of(checked.read.steps)
    if answered.problem is not None:
        checked = replace(checked, diagnostics=(*checked.diagnostics, answered.problem))
    report = SolutionReport(
        SolutionVerdict.ACCEPTED,
        _class(shape, answered),
        _graph(checked, graph, shape),
        answered.result,
        _unclosed(checked),
        _entries(checked, asked.report),
        () if asked.report is None else asked.report.contradiction,
        has_checked_steps=asked.report is not None,
        diagnostics=checked.diagnostics,
        located=checked.located(),
        notes=asked.notes,
    )
    return report._replace(verdict=_verdict(report, answered))


def _class(shape: Shape, answered: _Answered) -> Class | None:
    """The class that scoring gives; None where no answer is expected, or it could not be told."""
    if answered.problem is not None:
        return Class.MALFORMED
    if answered.result is None or answered.result.correct is None:
        return None
    return classify(shape, answered.result.correct)


def _verdict(report: SolutionReport, answered: _Answered) -> SolutionVerdict:
    """The first of the verdicts that fits ([DAGR-VERDICT])."""
    correct = None if report.answer is None else report.answer.correct
    results = [step.result for step in report.steps if step.result is not None]
    tests = (
        (SolutionVerdict.REJECTED, answered.problem is not None),
        (SolutionVerdict.REFUTED, report.count(StepVerdict.REFUTED) > 0),
        (SolutionVerdict.INCONSISTENT, bool(report.contradiction)),
        (SolutionVerdict.WRONG, correct is False),
        (SolutionVerdict.OPEN, bool(report.unclosed)),
        (SolutionVerdict.UNKNOWN, report.answer is not None and correct is None),
        (SolutionVerdict.UNKNOWN, any(result.limited for result in results)),
    )
    return next((verdict for verdict, fits in tests if fits), SolutionVerdict.ACCEPTED)


def _graph(checked: CheckedSolution, graph: Graph, shape: Shape) -> GraphResult:
    numbers = graph.statistics()
    return GraphResult(*numbers, shape.is_closed, float(shape.share), _ids(checked, surplus(graph)))


def _unclosed(checked: CheckedSolution) -> tuple[UnclosedStep, ...]:
    steps = checked.read.steps
    return tuple(
        UnclosedStep(steps[each.step].id, each.reason, _ids(checked, each.branch))
        for each in checked.unclosed
    )


def _ids(checked: CheckedSolution, positions: Sequence[int]) -> tuple[int, ...]:
    return tuple(checked.read.steps[each].id for each in positions)


def _entries(checked: CheckedSolution, found: StepsReport | None) -> tuple[StepEntry, ...]:
    read = checked.read
    results = [None] * len(read.steps) if found is None else found.steps
    entries = []
    for at, (step, result) in enumerate(zip(read.steps, results, strict=True)):
        where = read.document.locate(read.places.step(at))
        links = tuple(
            StepLink(each.parent, str(each.confidence), each.why)
            for each in read.links or ()
            if each.step == step.id
        )
        entries.append(StepEntry(step.id, step.parents, step.node, where and where.line, result, links))
    return tuple(entries)
