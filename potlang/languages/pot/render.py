"""Reports on programs as text, and the rows of their tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from potlang.diag.wording import visible
from potlang.report.base import Row
from potlang.report.results import (
    Evidence,
    ExactValue,
    ObjectiveResult,
    OptimizationResult,
    OptimizationStatus,
    ProgramResult,
    Result,
    ResultWords,
    Verdict,
)
from potlang.report.text import (
    LONGEST_LIST,
    answer_words,
    core_lines,
    election_line,
    evidence_lines,
    legend_lines,
    model_lines,
    other_core_lines,
    place_words,
    quotation_lines,
    sentence_lines,
    verdict_line,
)
from potlang.utils.style import PLAIN, Style


def render_report(report: ProgramResult, *, color: bool = False) -> str:
    """The report as lines of text, diagnostics excluded: those are rendered with their source."""
    style = Style(color)
    lines: list[str] = []
    answered = {each.pointer: each for each in report.elections}
    said = {each.pointer: each for each in report.sentences or ()}
    for result in report.results:
        # Before its first option stands the answer to the question.
        election = answered.pop(result.question.pointer, None) if result.question is not None else None
        if election is not None:
            lines += [election_line(election, style), ""]
        lines += [*_result(result, style, said.get(result.pointer)), ""]
    if report.evidence is not None and report.evidence.core is not None:
        lines += [*_conflict(report.evidence, style), ""]
    if repairs := list(_corrections(report, style)):
        lines += [*repairs, ""]
    if report.optimization is not None:
        lines += [*_optimization(report.optimization, style), ""]
    for each in report.sentences or ():
        if each.name in ("assumptions", "optimization") and each.claim is None:
            lines += [f"{each.name}, in words", *(f"  {line}" for line in sentence_lines(each)), ""]
    lines += lines_below(report)
    lines.append(verdict_line(verdict_words(report), report.time_ms, style))
    return "\n".join(lines)


def verdict_words(report: ProgramResult) -> list[str]:
    """The verdict of a report; its outcome where claims are asked about otherwise than by default."""
    return [str(report.outcome if report.has_asks else report.verdict)]


def _result(result: Result, style: Style, said: ResultWords | None = None) -> Iterator[str]:
    kind = "norm " if result.kind == "norm" else "option " if result.question is not None else ""
    place = style.dim(place_words(result.pointer))
    yield f"{kind}{visible(result.name)}: {answer_words(result, style)}{place}"
    yield from (f"  {line}" for line in quotation_lines(result.quotes))
    if result.verdict is Verdict.UNKNOWN:
        yield from _unknown(result)
    if said is None:
        yield from evidence_lines(result, style)
        evidence = result.evidence
        has_models = evidence.could_be_true is not None and evidence.bindings is None
        if result.verdict is Verdict.UNDETERMINED and evidence.to_ask is None and has_models:
            yield "  what it depends on may be seen with `--models full`, which shows all symbols"
    else:
        yield from (f"  {line}" for line in sentence_lines(said))
    if result.trust != "solver":
        yield style.dim(f"  {result.trust} ({result.route})")


def _unknown(result: Result) -> Iterator[str]:
    if result.reason == "interrupted":
        yield "  interrupted"
    if result.possible:
        yield f"  still possible: {_either(str(verdict) for verdict in result.possible)}"
    for check in result.checks:
        if check.status == "unknown" or result.reason == "disagreement":
            why = f", {check.reason}" if check.reason else ""
            said = f": {visible(check.detail)}" if check.detail else ""
            yield f"  {check.solver} on {_QUERIES[check.query]}: {check.status}{why}{said}"


_QUERIES = {
    "assumptions": "the assumptions",
    "claim": "the assumptions with the claim",
    "negation": "the assumptions with its negation",
}


def _either(words: Iterable[str]) -> str:
    every = list(words)
    return " or ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


def _conflict(evidence: Evidence, style: Style) -> Iterator[str]:
    yield "the assumptions contradict each other:"
    yield from core_lines(evidence.core or (), style)
    yield from other_core_lines(evidence, style)


def _corrections(report: ProgramResult, style: Style) -> Iterator[str]:
    """The assumptions to remove from inconsistent ones; all results of a report share them."""
    every = [report.evidence, *(result.evidence for result in report.results)]
    evidence = next((each for each in every if each is not None and each.corrections is not None), None)
    if evidence is None or not evidence.corrections:
        return
    yield "the assumptions are consistent without"
    for number, correction in enumerate(evidence.corrections[:LONGEST_LIST]):
        yield from ([] if number == 0 else ["or without"])
        yield from core_lines(correction, style)
    if len(evidence.corrections) > LONGEST_LIST:
        yield f"or without one of {len(evidence.corrections) - LONGEST_LIST} more sets"
    if not evidence.corrections_complete:
        yield "there may be more such sets"


def _optimization(found: OptimizationResult, style: Style) -> Iterator[str]:
    yield f"optimization: {style.verdict(str(found.status))}{style.dim(place_words(found.pointer))}"
    if found.reason is not None:
        yield f"  {found.reason}" + (f": {visible(found.detail)}" if found.detail else "")
    for each in found.objectives:
        yield f"  {each.direction} {visible(each.name)}{_reached(each)}"
        if found.mode == "box" and each.model:
            yield from model_lines(each.model, {})
    for number, point in enumerate(found.points or ()):
        yield f"  point {number + 1}: " + ", ".join(map(_value, _as_written(point.values, point.written)))
    if found.points is not None and not found.complete:
        yield "  there may be more points"
    if found.model and found.mode != "box":
        yield "  with"
        yield from model_lines(found.model, {})
    if found.core is not None:
        yield "  these contradict each other:"
        yield from (f"  {line}" for line in core_lines(found.core, style))
    yield from (f"  note: {visible(note)}" for note in found.notes)
    if found.trust != "solver":
        yield style.dim(f"  {found.trust} ({found.route})")


def _reached(each: ObjectiveResult) -> str:
    """The value of an objective as far as it is known; nothing where another line has it."""
    if each.status is OptimizationStatus.UNDEFINED:
        return f": undefined, since {visible(each.detail)}"
    if each.value is None and each.lower is None and each.upper is None:
        return ""
    limit = ", approached and never reached" if each.status is OptimizationStatus.UNATTAINED else ""
    return f": {_value(each.written or each.value)}{_known(each.lower, each.upper)}{limit}"


def _as_written(
    values: Sequence[ExactValue | None], written: Sequence[str | None]
) -> Iterator[ExactValue | None]:
    for value, text in zip_longest(values, written):
        yield text or value


def _value(value: ExactValue | None) -> str:
    return "not known" if value is None else visible(str(value))


def _known(lower: ExactValue | None, upper: ExactValue | None) -> str:
    return "" if lower is None and upper is None else f" (between {_value(lower)} and {_value(upper)})"


def lines_below(report: ProgramResult) -> list[str]:
    """The lines below the results: on the stars in them, and the notes of the report."""
    said = {each.pointer for each in report.sentences or ()}
    marked = (result for result in report.results if result.pointer not in said)
    return [*legend_lines(marked), *(f"note: {visible(note)}" for note in report.notes)]


def report_rows(report: ProgramResult) -> Iterator[Row]:
    """Name, verdict and evidence: of each result, of the assumptions, of the optimization."""
    for election in report.elections:
        yield election.name, election.elected or election.outcome, [election_line(election, PLAIN)]
    for result in report.results:
        yield result.name, answer_words(result, PLAIN), list(_result(result, PLAIN))[1:]
    if report.evidence is not None and report.evidence.core is not None:
        yield "assumptions", "inconsistent", list(_conflict(report.evidence, PLAIN))[1:]
    if repairs := list(_corrections(report, PLAIN)):
        yield "corrections", "", repairs
    if report.optimization is not None:
        lines = list(_optimization(report.optimization, PLAIN))
        yield "optimization", str(report.optimization.status), lines[1:]
