"""Reports on solutions for people: plain text, with colours only when asked for, and a fragment of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from potlang.diag.wording import shown, visible
from potlang.languages.dagmath.check.reasons import PHRASES
from potlang.languages.dagmath.report import AnswerResult, SolutionReport, StepEntry
from potlang.languages.dagmath.solve.results import StepResult, StepVerdict
from potlang.languages.pot.render import LONGEST_LIST, Paint, escaped, html_text, time_words

LONGEST_TABLE = 200
"""Rows of a table; of more, the first ones are shown, and those on which something is to be said."""
_SAYS = 72
_REASON = 200
_ANSWER = 100
_QUIET = (StepVerdict.GIVEN, StepVerdict.PROVED)
"""Verdicts whose reasons go without saying."""
_WRONG = (StepVerdict.REFUTED, StepVerdict.NOT_ENTAILED)


def says(step: StepEntry, longest: int = _SAYS) -> str:
    """The beginning of a step's conclusion, on one line."""
    text = " ".join(step.node[: 4 * longest].split())
    return visible(text if len(text) <= longest else f"{text[: longest - 1]}…")


def verdict_word(step: StepEntry) -> str:
    """The verdict on a step; nothing where steps were not checked."""
    return "" if step.result is None else str(step.result.verdict)


def remarks(step: StepEntry) -> Iterator[str]:
    """What is to be said of a step beside its verdict, each on a line."""
    result = step.result
    if result is None:
        return
    if result.reason and result.verdict not in _QUIET:
        yield _cut(result.reason)
    if result.missing is not None:
        yield f"it follows if step {result.missing} is added to its parents: a missing premise"
    if result.assuming:
        yield f"taken for granted: {_cut(_listed(result.assuming))}"


def render_solution(report: SolutionReport, color: bool = False) -> str:
    """The report as lines of text, diagnostics excluded: those are rendered with their source."""
    paint = Paint(color)
    parts = [list(_steps(report, paint)), list(detail_lines(report, paint))]
    lines = [line for part in parts if part for line in (*part, "")]
    lines.append(f"{verdict_line(report, paint)} {paint.dim(time_words(report.time_ms))}".rstrip())
    return "\n".join(lines)


def verdict_line(report: SolutionReport, paint: Paint) -> str:
    """The verdict, and the class in the paper's taxonomy if there is one that says more."""
    words = [str(report.verdict)]
    if report.sample_class is not None and str(report.sample_class) not in words:
        words.append(str(report.sample_class))
    return ", ".join(map(paint.verdict, words))


def detail_lines(report: SolutionReport, paint: Paint) -> Iterator[str]:
    """What is said below the steps: unclosed ones, contradictions, the answer, the counts, the notes."""
    yield from _unclosed(report, paint)
    if report.contradiction:
        yield f"these given steps contradict each other: {_ids(report.contradiction)}"
    if report.answer is not None:
        yield _answer(report.answer, paint)
    yield from _counts(report, paint)
    yield from (f"note: {visible(note)}" for note in report.notes)


# --- steps ---------------------------------------------------------------------------------------

_HEAD = ("step", "parents", "verdict", "trust", "says")


def _steps(report: SolutionReport, paint: Paint) -> Iterator[str]:
    if report.graph is None:
        return
    chosen = chosen_steps(report)
    rows = [
        (str(step.id), parents_word(step), verdict_word(step), _trust(step), says(step)) for step in chosen
    ]
    columns = [at for at in range(len(_HEAD)) if at in (0, 1, 4) or report.has_checked_steps]
    widths = {at: max(len(row[at]) for row in (*rows, _HEAD)) for at in columns[:-1]}
    yield paint.dim("  ".join(_HEAD[at].ljust(widths.get(at, 0)) for at in columns))
    for step, row in zip(chosen, rows, strict=True):
        words = [row[at].ljust(widths.get(at, 0)) for at in columns]
        if report.has_checked_steps:
            words[2], words[3] = _colored(words[2], step.result, paint), paint.dim(words[3])
        yield "  ".join(words).rstrip()
        mark = paint.verdict("!") if _is_wrong(step) else "-"
        yield from (f"    {mark} {line}" for line in remarks(step))
    if len(chosen) < len(report.steps):
        yield paint.dim(f"… {len(report.steps) - len(chosen):,} more steps")


def chosen_steps(report: SolutionReport) -> list[StepEntry]:
    """The steps that are shown of many."""
    first = report.steps[:LONGEST_TABLE]
    rest = (each for each in report.steps[LONGEST_TABLE:] if _is_wrong(each))
    return [*first, *(each for each, _ in zip(rest, range(LONGEST_TABLE), strict=False))]


def parents_word(step: StepEntry) -> str:
    """The ids of a step's parents."""
    return _ids(step.parents or ())


def _is_wrong(step: StepEntry) -> bool:
    result = step.result
    return result is not None and (result.verdict in _WRONG or result.missing is not None)


def _trust(step: StepEntry) -> str:
    return "" if step.result is None else step.result.trust or ""


def _colored(word: str, result: StepResult | None, paint: Paint) -> str:
    if result is None or result.verdict in (StepVerdict.GIVEN, StepVerdict.NOT_CHECKABLE):
        return word
    name = word.rstrip()
    return paint.verdict(name) + word[len(name) :]


# --- below the steps -----------------------------------------------------------------------------


def _unclosed(report: SolutionReport, paint: Paint) -> Iterator[str]:
    if report.unclosed:
        yield paint.dim("no later step uses")
    for each in report.unclosed[:LONGEST_TABLE]:
        more = f", with {_ids(each.branch[:-1])}" if len(each.branch) > 1 else ""
        yield f"  {each.id}: likely {PHRASES[each.reason]}{more}"
    if len(report.unclosed) > LONGEST_TABLE:
        yield f"  … {len(report.unclosed) - LONGEST_TABLE:,} more"


def _answer(answer: AnswerResult, paint: Paint) -> str:
    word = {True: "right", False: "wrong", None: "unknown"}[answer.correct]
    given = "none" if answer.given is None else shown(answer.given, _ANSWER)
    if answer.by == "input":
        said = "the input says so"
    elif answer.correct and answer.by == "text":
        said = "it is the expected text"
    else:
        said = f"expected {shown(answer.expected or '', _ANSWER)}"
    note = f"; {visible(answer.note)}" if answer.note else ""
    return f"answer {given}: {paint.verdict(word)} ({said}{note})"


def _counts(report: SolutionReport, paint: Paint) -> Iterator[str]:
    graph = report.graph
    if graph is None:
        return
    closed = "closed" if graph.closed else f"{len(report.unclosed):,} not closed"
    yield f"{graph.nodes:,} steps, {graph.edges:,} edges, {closed}{_settled(report)}"


def _settled(report: SolutionReport) -> str:
    if not report.has_checked_steps:
        return ""
    counts = {verdict: report.count(verdict) for verdict in StepVerdict if verdict is not StepVerdict.GIVEN}
    words = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items() if count)
    return f"; of {report.derived:,} derived steps {words}" if words else "; no step is derived"


def _ids(ids: Iterable[int]) -> str:
    return _listed(map(str, ids))


def _listed(words: Iterable[str]) -> str:
    every = list(words)
    more = [f"… {len(every) - LONGEST_LIST:,} more"] if len(every) > LONGEST_LIST else []
    return ", ".join([*every[:LONGEST_LIST], *more])


def _cut(text: str) -> str:
    return visible(text if len(text) <= _REASON else f"{text[: _REASON - 1]}…")


# --- HTML ----------------------------------------------------------------------------------------


def render_solution_html(report: SolutionReport) -> str:
    """A fragment of HTML without scripts, for notebooks: a row for each step, and the rest as text."""
    chosen = chosen_steps(report)
    rows = "".join(_row(step) for step in chosen)
    more = len(report.steps) - len(chosen)
    paint = Paint(False)
    rest = "\n".join(detail_lines(report, paint))
    return (
        f'<div class="potlang-solution"><p><strong>{html_text(verdict_line(report, paint))}</strong></p>'
        f"<table><tbody>{rows}</tbody></table>{f'<p>… {more:,} more steps</p>' if more else ''}"
        f"<pre>{escaped(rest)}</pre></div>"
    )


def _row(step: StepEntry) -> str:
    cells: Sequence[str] = (
        str(step.id), parents_word(step), verdict_word(step), says(step), "; ".join(remarks(step))
    )  # fmt: skip
    shown_cells = "".join(f'<td style="text-align:left">{html_text(cell)}</td>' for cell in cells)
    return f"<tr>{shown_cells}</tr>"
