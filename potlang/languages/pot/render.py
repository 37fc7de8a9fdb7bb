"""Reports for people: plain text, with ANSI colours only when asked for, and HTML with all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potlang.diag.wording import visible
from potlang.report.results import (
    Binding,
    Bindings,
    CoreItem,
    Evidence,
    ExactValue,
    Model,
    ObjectiveResult,
    OptimizationResult,
    OptimizationStatus,
    ProgramResult,
    Result,
    Verdict,
    Witness,
)

_COLOURS = {
    "accepted": "32",
    "entailed": "32",
    "faithful": "32",
    "consistent": "32",
    "optimal": "32",
    "proved": "32",
    "validated": "32",
    "perfect": "32",
    "closed": "32",
    "right": "32",
    "active": "36",
    "assumed": "33",
    "undetermined": "33",
    "not entailed": "33",
    "imperfect": "33",
    "open": "33",
    "unknown": "35",
    "unbounded": "33",
    "unattained": "33",
}
_BAD = "31"
LONGEST_LIST = 20


class Paint:
    """Colours words, or leaves them: a verdict by what it is, the rest by how much it matters."""

    def __init__(self, color: bool) -> None:
        self._color = color

    def verdict(self, word: str) -> str:
        """A verdict or a status, in the colour of its kind."""
        return self._wrap(word, "1;" + _COLOURS.get(word, _BAD))

    def dim(self, words: str) -> str:
        """What may be read over."""
        return self._wrap(words, "2")

    def _wrap(self, words: str, code: str) -> str:
        return f"\x1b[{code}m{words}\x1b[0m" if self._color and words else words


def render_report(report: ProgramResult, *, color: bool = False) -> str:
    """The report as lines of text, diagnostics excluded: those are rendered with their source."""
    paint = Paint(color)
    lines: list[str] = []
    for result in report.results:
        lines += [*_result(result, paint), ""]
    if report.evidence is not None and report.evidence.core is not None:
        lines += [*_conflict(report.evidence, paint), ""]
    if repairs := list(_corrections(report, paint)):
        lines += [*repairs, ""]
    if report.optimization is not None:
        lines += [*_optimization(report.optimization, paint), ""]
    lines += [f"note: {visible(note)}" for note in report.notes]
    lines.append(f"{paint.verdict(str(report.verdict))} {paint.dim(time_words(report.time_ms))}".rstrip())
    return "\n".join(lines)


def time_words(milliseconds: float) -> str:
    """`(12 ms)`; nothing below a millisecond."""
    return f"({milliseconds:.0f} ms)" if milliseconds >= 1 else ""


def _place(pointer: str) -> str:
    return f"  {visible(pointer)}" if pointer else ""


def _result(result: Result, paint: Paint) -> Iterator[str]:
    kind = "norm " if result.kind == "norm" else ""
    place = paint.dim(_place(result.pointer))
    yield f"{kind}{visible(result.name)}: {paint.verdict(str(result.verdict))}{place}"
    if result.verdict is Verdict.UNKNOWN:
        yield from _unknown(result)
    yield from evidence_lines(result, paint)
    if result.trust != "solver":
        yield paint.dim(f"  {result.trust} ({result.route})")


def _unknown(result: Result) -> Iterator[str]:
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


_WHY = {
    Verdict.ENTAILED: "it follows from",
    Verdict.REFUTED: "it contradicts",
    Verdict.INCONSISTENT: "the assumptions contradict each other:",
}


def evidence_lines(result: Result, paint: Paint) -> Iterator[str]:
    """What comes with a verdict, indented by two: core, witness, bindings, models."""
    evidence = result.evidence
    if evidence.core is not None:
        if evidence.core:
            yield f"  {_WHY.get(result.verdict, 'from')}"
            yield from (f"  {line}" for line in core_lines(evidence.core, paint))
        else:
            yield f"  it is {'valid' if result.verdict is Verdict.ENTAILED else 'contradictory'} by itself"
    yield from (f"  {line}" for line in _other_cores(evidence, paint))
    if evidence.witness is not None:
        yield f"  {_witness(evidence.witness, result)}"
    for title, found in (("violations", evidence.violations), ("bindings", evidence.bindings)):
        if found is not None:
            yield from _bindings(title, found)
    yield from _models(evidence)


def _conflict(evidence: Evidence, paint: Paint) -> Iterator[str]:
    yield "the assumptions contradict each other:"
    yield from core_lines(evidence.core or (), paint)
    yield from _other_cores(evidence, paint)


def _other_cores(evidence: Evidence, paint: Paint) -> Iterator[str]:
    """The minimal cores beyond the one that is shown, where all were asked for."""
    if evidence.cores is None:
        return
    others = [core for core in evidence.cores if core != evidence.core]
    for core in others[:LONGEST_LIST]:
        yield "or"
        yield from core_lines(core, paint)
    if len(others) > LONGEST_LIST:
        yield f"or {len(others) - LONGEST_LIST} more minimal sets"
    if not evidence.cores_complete:
        yield "there may be more minimal sets"


def _corrections(report: ProgramResult, paint: Paint) -> Iterator[str]:
    """What to remove from inconsistent assumptions; all results of a report share it."""
    every = [report.evidence, *(result.evidence for result in report.results)]
    evidence = next((each for each in every if each is not None and each.corrections is not None), None)
    if evidence is None or not evidence.corrections:
        return
    yield "the assumptions are consistent without"
    for number, correction in enumerate(evidence.corrections[:LONGEST_LIST]):
        yield from ([] if number == 0 else ["or without"])
        yield from core_lines(correction, paint)
    if len(evidence.corrections) > LONGEST_LIST:
        yield f"or without one of {len(evidence.corrections) - LONGEST_LIST} more sets"
    if not evidence.corrections_complete:
        yield "there may be more such sets"


def core_lines(items: tuple[CoreItem, ...], paint: Paint) -> Iterator[str]:
    """A line for each assumption of a core, up to a number."""
    for item in items[:LONGEST_LIST]:
        name = f" [{visible(item.name)}]" if item.name else ""
        yield f"  {item.kind}{name} {visible(item.text)}{paint.dim(_place(item.pointer))}"
    if len(items) > LONGEST_LIST:
        yield f"  … {len(items) - LONGEST_LIST} more"


def _binding(binding: Binding) -> str:
    return ", ".join(f"{visible(name)} = {visible(value)}" for name, value in binding.items())


def _witness(witness: Witness, result: Result) -> str:
    word = "witness" if result.verdict is Verdict.ENTAILED else "violated by"
    if witness.certain:
        return f"{word}: {_binding(witness.bindings[0])}"
    return f"{word} one of: " + "; ".join(_binding(each) for each in witness.bindings[:LONGEST_LIST])


def _bindings(title: str, found: Bindings) -> Iterator[str]:
    for word, group in (
        ("certain", found.certain),
        ("possible", found.possible),
        ("undecided", found.undecided),
    ):
        if group:
            yield f"  {word} {title}:"
            yield from (f"    {_binding(each)}" for each in group[:LONGEST_LIST])
            if len(group) > LONGEST_LIST:
                yield f"    … {len(group) - LONGEST_LIST} more"
    if found.cut:
        yield f"  {found.cut} more candidates were not looked at"


def _models(evidence: Evidence) -> Iterator[str]:
    true, false = evidence.could_be_true, evidence.could_be_false
    for title, model, other in (("true", true, false), ("false", false, true)):
        if model:
            yield f"  could be {title}, for example with"
            yield from model_lines(model, other or {})
        elif model is not None:
            yield f"  could be {title}: there is a model, and the claim names nothing to show of it"


def model_lines(model: Model, other: Model) -> Iterator[str]:
    """The lines of a model; a star marks what differs from the other one."""
    shown = list(model.items())
    for term, value in shown[:LONGEST_LIST]:
        mark = "*" if other and other.get(term) != value else " "
        yield f"   {mark} {visible(term)} = {visible(value)}"
    if len(shown) > LONGEST_LIST:
        yield f"    … {len(shown) - LONGEST_LIST} more"


def _optimization(found: OptimizationResult, paint: Paint) -> Iterator[str]:
    yield f"optimization: {paint.verdict(str(found.status))}{paint.dim(_place(found.pointer))}"
    if found.reason is not None:
        yield f"  {found.reason}" + (f": {visible(found.detail)}" if found.detail else "")
    for each in found.objectives:
        yield f"  {each.direction} {visible(each.name)}{_reached(each)}"
    for number, point in enumerate(found.points or ()):
        yield f"  point {number + 1}: " + ", ".join(_value(value) for value in point.values)
    if found.model:
        yield "  with"
        yield from model_lines(found.model, {})
    if found.core is not None:
        yield "  these contradict each other:"
        yield from (f"  {line}" for line in core_lines(found.core, paint))
    yield from (f"  note: {visible(note)}" for note in found.notes)


def _reached(each: ObjectiveResult) -> str:
    """What is known of an objective's value; nothing where another line says it."""
    if each.value is None and each.lower is None and each.upper is None:
        return ""
    limit = ", approached and never reached" if each.status is OptimizationStatus.UNATTAINED else ""
    return f": {_value(each.value)}{_known(each.lower, each.upper)}{limit}"


def _value(value: ExactValue | None) -> str:
    return "not known" if value is None else visible(str(value))


def _known(lower: ExactValue | None, upper: ExactValue | None) -> str:
    return "" if lower is None and upper is None else f" (between {_value(lower)} and {_value(upper)})"


# --- HTML ----------------------------------------------------------------------------------------


def render_html(report: ProgramResult) -> str:
    """A fragment of HTML without scripts: the verdict, a row for each result, the optimum."""
    rows = [_row(result) for result in report.results]
    if report.evidence is not None and report.evidence.core is not None:
        plain = "\n".join(list(_conflict(report.evidence, Paint(False)))[1:])
        rows.append(html_row("assumptions", "inconsistent", plain))
    if repairs := list(_corrections(report, Paint(False))):
        rows.append(html_row("corrections", "", "\n".join(repairs)))
    if report.optimization is not None:
        plain = "\n".join(list(_optimization(report.optimization, Paint(False)))[1:])
        rows.append(html_row("optimization", str(report.optimization.status), plain))
    notes = "".join(f"<p>{html_text(note)}</p>" for note in report.notes)
    return (
        f'<div class="potlang-report"><p><strong>{html_text(str(report.verdict))}</strong></p>'
        f"<table><tbody>{''.join(rows)}</tbody></table>{notes}</div>"
    )


def _row(result: Result) -> str:
    lines = list(_result(result, Paint(False)))[1:]
    return html_row(result.name, str(result.verdict), "\n".join(lines))


def html_row(name: str, verdict: str, text: str) -> str:
    """A row of three cells; the text, which may have lines, is made of visible characters already."""
    return (
        f'<tr><td style="text-align:left">{html_text(name)}</td>'
        f"<td><strong>{html_text(verdict)}</strong></td>"
        f'<td style="text-align:left"><pre>{escaped(text)}</pre></td></tr>'
    )


def html_text(text: str) -> str:
    """Any text as HTML on one line, with nothing hidden in it."""
    return escaped(visible(text))


def escaped(text: str) -> str:
    """Text as HTML."""
    from html import escape

    return escape(text)
