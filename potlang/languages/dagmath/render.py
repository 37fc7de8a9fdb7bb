"""Reports on solutions as text, and the rows of their tables."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag.wording import counted, shown, visible
from potlang.languages.dagmath.check.metrics import Class
from potlang.languages.dagmath.check.reasons import PHRASES
from potlang.languages.dagmath.results import AnswerResult, SolutionResult, StepEntry, StepVerdict
from potlang.report.base import Row
from potlang.report.table import aligned
from potlang.report.text import LONGEST_TABLE, listed, some_of, verdict_line
from potlang.utils.style import PLAIN, Style

_SAYS = 72
_REASON = 200
_ANSWER = 100
_QUIET = (StepVerdict.GIVEN, StepVerdict.PROVED)
"""Verdicts whose reasons go without saying."""
_WRONG = (StepVerdict.REFUTED, StepVerdict.NOT_ENTAILED)


def says(step: StepEntry, longest: int = _SAYS) -> str:
    """The beginning of a step's conclusion, on one line."""
    return _cut(" ".join(step.node[: 4 * longest].split()), longest)


def verdict_word(step: StepEntry) -> str:
    """The verdict on a step; nothing where steps were not checked."""
    return "" if step.result is None else str(step.result.verdict)


def remarks(step: StepEntry) -> Iterator[str]:
    """The remarks on a step beside its verdict, each on a line."""
    result = step.result
    if result is None:
        return
    if result.reason and result.verdict not in _QUIET:
        yield _cut(result.reason)
    if result.missing is not None:
        yield f"it follows if step {result.missing} is added to its parents: a missing premise"
    if result.assuming:
        yield f"taken for granted: {_cut(listed(result.assuming))}"


def render_solution(report: SolutionResult, *, color: bool = False) -> str:
    """The report as lines of text, diagnostics excluded: those are rendered with their source."""
    style = Style(color)
    parts = [_steps(report, style), detail_lines(report, style)]
    lines = [line for part in map(list, parts) if part for line in (*part, "")]
    lines.append(verdict_line([str(report.verdict)], report.time_ms, style, extent(report)))
    return "\n".join(lines)


def extent(report: SolutionResult) -> str:
    """How much of a solution was looked at, and what came out: `accepted` may rest on few steps."""
    if report.graph is None:
        return ""
    if not report.has_checked_steps:
        steps = "steps not checked"
    elif not report.derived:
        steps = "no step is derived"
    else:
        refuted = report.count(StepVerdict.REFUTED) or "none"
        proved = report.count(StepVerdict.PROVED)
        steps = f"{proved:,} of {counted(report.derived, 'derived step')} proved, {refuted} refuted"
    answer = report.answer
    if answer is None:
        return steps
    known = {
        True: "the answer is right",
        False: "the answer is wrong",
        None: "the answer is not known to be right",
    }
    return f"{steps}; {known[answer.correct]}"


def detail_lines(report: SolutionResult, style: Style) -> Iterator[str]:
    """The lines below the steps: unclosed ones, contradictions, answer, counts, class, notes."""
    yield from _unclosed(report, style)
    if report.contradiction:
        yield f"these given steps contradict each other: {listed(report.contradiction)}"
    if report.answer is not None:
        yield _answer(report.answer, style)
    yield from _counts(report)
    if report.sample_class is not None and report.graph is not None:
        yield f"class {report.sample_class}: {_CLASSES[report.sample_class]}"
    yield from (f"note: {visible(note)}" for note in report.notes)


_CLASSES = {
    Class.MALFORMED: "there is no graph of steps, or no parser reads the answer",
    Class.WRONG: "the last step does not give the expected answer",
    Class.IMPERFECT: "the right answer, and steps that no later one uses",
    Class.PERFECT: "the right answer, and each step is used; nothing is said of whether steps are proved",
}
"""The meaning of the paper's classes ([DAG-CLASS]): none asks for a proof."""


# --- steps ---------------------------------------------------------------------------------------

_HEAD = ("step", "parents", "verdict", "trust", "says")


def _steps(report: SolutionResult, style: Style) -> Iterator[str]:
    if report.graph is None:
        return
    chosen = _chosen(report)
    columns = [at for at in range(len(_HEAD)) if at in (0, 1, 4) or report.has_checked_steps]
    head, *rows = aligned([[row[at] for at in columns] for row in (_HEAD, *map(_cells, chosen))])
    yield style.dim("  ".join(head))
    for step, words in zip(chosen, rows, strict=True):
        if report.has_checked_steps:
            is_quiet = words[2].rstrip() in _UNCOLOURED
            words[2:4] = [words[2] if is_quiet else style.verdict(words[2]), style.dim(words[3])]
        yield "  ".join(words).rstrip()
        mark = style.verdict("!") if _is_wrong(step) else "-"
        yield from (f"    {mark} {line}" for line in remarks(step))
    if len(chosen) < len(report.steps):
        yield style.dim(f"… {len(report.steps) - len(chosen):,} more steps")


_UNCOLOURED = (StepVerdict.GIVEN, StepVerdict.NOT_CHECKABLE)


def _cells(step: StepEntry) -> tuple[str, ...]:
    trust = "" if step.result is None else step.result.trust or ""
    return str(step.id), parents_word(step), verdict_word(step), trust, says(step)


def _chosen(report: SolutionResult) -> list[StepEntry]:
    return some_of(report.steps, _is_wrong)


def step_rows(report: SolutionResult) -> Iterator[Row]:
    """Id, parents, verdict and conclusion of the steps that are shown, and remarks on them."""
    for step in _chosen(report):
        id_, parents, verdict, _, said = _cells(step)
        yield id_, parents, verdict, said, "; ".join(remarks(step))


def lines_below(report: SolutionResult) -> Iterator[str]:
    """The lines below the table of steps."""
    if more := len(report.steps) - len(_chosen(report)):
        yield f"… {more:,} more steps"
    yield from detail_lines(report, PLAIN)


def parents_word(step: StepEntry) -> str:
    """The ids of a step's parents; in prose with how sure they are."""
    if step.links:
        return listed(f"{each.parent} ({each.confidence})" for each in step.links)
    return listed(step.parents or ())


def _is_wrong(step: StepEntry) -> bool:
    result = step.result
    return result is not None and (result.verdict in _WRONG or result.missing is not None)


# --- below the steps -----------------------------------------------------------------------------


def _unclosed(report: SolutionResult, style: Style) -> Iterator[str]:
    if report.unclosed:
        yield style.dim("no later step uses")
    for each in report.unclosed[:LONGEST_TABLE]:
        more = f", with {listed(each.branch[:-1])}" if len(each.branch) > 1 else ""
        yield f"  {each.id}: likely {PHRASES[each.reason]}{more}"
    if len(report.unclosed) > LONGEST_TABLE:
        yield f"  … {len(report.unclosed) - LONGEST_TABLE:,} more"


def _answer(answer: AnswerResult, style: Style) -> str:
    word = {True: "right", False: "wrong", None: "unknown"}[answer.correct]
    given = "none" if answer.given is None else shown(answer.given, _ANSWER)
    if answer.by == "input":
        said = "the input says so"
    elif answer.correct and answer.by == "text":
        said = "it is the expected text"
    else:
        said = f"expected {shown(answer.expected or '', _ANSWER)}"
    note = f"; {visible(answer.note)}" if answer.note else ""
    return f"answer {given}: {style.verdict(word)} ({said}{note})"


def _counts(report: SolutionResult) -> Iterator[str]:
    graph = report.graph
    if graph is None:
        return
    closed = "closed" if graph.closed else f"{len(report.unclosed):,} not closed"
    yield f"{counted(graph.nodes, 'step')}, {counted(graph.edges, 'edge')}, {closed}{_settled(report)}"


def _settled(report: SolutionResult) -> str:
    if not report.has_checked_steps:
        return ""
    counts = {verdict: report.count(verdict) for verdict in StepVerdict if verdict is not StepVerdict.GIVEN}
    words = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items() if count)
    resting = (
        f"; {report.formal_share:.0%} of the settled ones rest on `formal`" if report.formal_share else ""
    )
    return (
        f"; of {counted(report.derived, 'derived step')} {words}{resting}"
        if words
        else "; no step is derived"
    )


def _cut(text: str, longest: int = _REASON) -> str:
    return visible(text if len(text) <= longest else f"{text[: longest - 1]}…")
