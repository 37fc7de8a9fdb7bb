"""The results of SARIF that an answer has: diagnostics, and what is asked and does not hold ([CLI-SARIF])."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from potlang.diag import render_sarif
from potlang.diag.model import Label, Place
from potlang.diag.render_sarif import SarifFinding
from potlang.diag.wording import visible
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.pot.report import Report
from potlang.report.results import AskOutcome, OptimizationStatus, Verdict

if TYPE_CHECKING:
    from potlang.cli.answer import Answer
    from potlang.report.results import CoreItem, OptimizationResult, Result

_MOST_BINDINGS = 10


def sarif_results(answer: Answer) -> list[dict[str, Any]]:
    """The results of one answer, for `render_sarif.sarif_log`.

    What a trace says against its theory is among its diagnostics already.
    """
    found = [*render_sarif.sarif_results(answer.document, answer.diagnostics)]
    findings: Iterator[SarifFinding] = iter(())
    if isinstance(answer.found, Report):
        findings = _of_program(answer.found)
    elif isinstance(answer.found, SolutionReport):
        findings = _of_solution(answer)
    return found + [render_sarif.finding_result(each, answer.document) for each in findings]


def _of_program(report: Report) -> Iterator[SarifFinding]:
    chosen = {each.pointer for each in report.elections}
    for result in report.results:
        # Of options one is to hold: those that do not are no findings.
        is_option = result.question is not None and result.question.pointer in chosen
        if not is_option and result.outcome is not AskOutcome.HOLDS:
            yield _of_claim(result)
    for each in report.elections:
        if each.outcome in ("none", "several"):
            yield SarifFinding(
                "question", "error", f"of the options {each.outcome} hold", (_label(each.pointer),)
            )
        elif each.outcome == "open":
            yield SarifFinding("question", "none", "it is open which option holds", (_label(each.pointer),))
    if report.optimization is not None and report.optimization.status is not OptimizationStatus.OPTIMAL:
        yield _of_optimum(report.optimization)


def _premise(item: CoreItem) -> str:
    kind = "" if item.kind == "pack" else f"{item.kind} "
    return f"{kind}{item.title}: {item.text}"


def _of_claim(result: Result) -> SarifFinding:
    name, verdict, evidence = visible(result.name), result.verdict, result.evidence
    asked = f" ({result.ask.replace('_', ' ')})" if result.is_asked else ""
    core = tuple(_label(each.pointer, _premise(each)) for each in evidence.core or ())
    labels = (_label(result.pointer), *core)
    if verdict is Verdict.UNKNOWN:
        return SarifFinding(
            "unknown", "none", f"{name}{asked}: unknown, {result.reason or 'no answer'}", labels
        )
    level = "warning" if verdict is Verdict.UNDETERMINED else "error"
    violations = evidence.violations
    if result.kind == "norm" and violations is not None and verdict is Verdict.REFUTED:
        said = [", ".join(f"{key} = {value}" for key, value in each.items()) for each in violations.certain]
        listed = "; ".join(said[:_MOST_BINDINGS])
        more = f"; {len(said) - _MOST_BINDINGS} more" if len(said) > _MOST_BINDINGS else ""
        by = f" by {visible(listed)}{more}" if said else ""
        return SarifFinding("violated", level, f"the norm {name} is violated{by}", labels)
    return SarifFinding(str(verdict), level, f"{name}{asked}: {verdict}", labels)


def _of_optimum(found: OptimizationResult) -> SarifFinding:
    level = "none" if found.status is OptimizationStatus.UNKNOWN else "error"
    core = tuple(_label(each.pointer, _premise(each)) for each in found.core or ())
    return SarifFinding(
        "optimization", level, f"the optimization is {found.status}", (_label(found.pointer), *core)
    )


def _of_solution(answer: Answer) -> Iterator[SarifFinding]:
    report = answer.found
    assert isinstance(report, SolutionReport)
    text = answer.document.text or ""
    for step in report.steps:
        if step.result is None or step.result.verdict is not StepVerdict.REFUTED:
            continue
        place = Place()
        if step.line is not None and text:
            place = Place("", answer.document.line_span(step.line))
        said = f"step {step.id} is refuted{': ' if step.result.reason else ''}{step.result.reason}"
        yield SarifFinding("refuted", "error", visible(said), (Label(place),))
    if report.contradiction:
        ids = ", ".join(map(str, report.contradiction))
        yield SarifFinding("inconsistent", "error", f"steps {ids} contradict each other", (Label(Place()),))


def _core(items: tuple[CoreItem, ...] | None) -> tuple[Label, ...]:
    return tuple(_label(each.pointer, _premise(each)) for each in items or ())


def _label(pointer: str, message: str = "") -> Label:
    return Label(Place(pointer), visible(message))
