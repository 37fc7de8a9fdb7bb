"""Results and their evidence as lines of text, for the reports of all languages.

User text is shown with what is hidden in it as escapes; nothing but `Style` makes colours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TypeVar

from potlang.diag.wording import visible
from potlang.report.results import (
    Binding,
    Bindings,
    CoreItem,
    Evidence,
    Model,
    OptionElection,
    Quotation,
    Result,
    ResultWords,
    Scenario,
    ScenarioVariable,
    TableRows,
    TrustLevel,
    Verdict,
    Witness,
)
from potlang.utils.style import Style

RowT = TypeVar("RowT")

_NO_NAMES: Mapping[str, str] = MappingProxyType({})
LONGEST_LIST = 20
"""Items of a list; of more, the first ones are shown and the rest is counted."""
LONGEST_TABLE = 200
"""Rows of a table; of more, the first ones are shown, and those on which something is to be said."""


def listed(words: Iterable[object]) -> str:
    """Words between commas, the first of them where they are many."""
    every = list(map(str, words))
    more = [f"… {len(every) - LONGEST_LIST:,} more"] if len(every) > LONGEST_LIST else []
    return ", ".join([*every[:LONGEST_LIST], *more])


def some_of(rows: Sequence[RowT], needed: Callable[[RowT], bool]) -> list[RowT]:
    """The rows of a table that are shown: the first ones, and of the rest as many that are needed."""
    rest = filter(needed, rows[LONGEST_TABLE:])
    return [*rows[:LONGEST_TABLE], *islice(rest, LONGEST_TABLE)]


def verdict_line(words: Iterable[str], milliseconds: float, style: Style, lead: str = "") -> str:
    """The last line of a report: what comes before the verdict, it and what is said with it, and the time."""
    before = f"{lead}: " if lead else ""
    return f"{before}{', '.join(map(style.verdict, words))} {style.dim(time_words(milliseconds))}".rstrip()


def time_words(milliseconds: float) -> str:
    """`(12 ms)`; nothing below a millisecond."""
    return f"({milliseconds:.0f} ms)" if milliseconds >= 1 else ""


def place_words(pointer: str) -> str:
    return f"  {visible(pointer)}" if pointer else ""


_ASKED = {
    "must": "must be true",
    "could": "could be true",
    "cannot": "cannot be true",
    "need_not": "need not be true",
}


def answer_words(result: Result, style: Style) -> str:
    """The verdict; of a claim that asks otherwise than by default, its outcome before it ([ASK-TEXT])."""
    verdict = style.verdict(str(result.verdict))
    if not result.is_asked:
        return verdict
    return f"{style.verdict(str(result.outcome))} (asked: {_ASKED[result.ask]}), {verdict}"


def election_line(election: OptionElection, style: Style) -> str:
    """The answer to a question with options."""
    words = {
        "elected": f"the answer is {visible(election.elected or '')}",
        "none": "no option holds",
        "several": f"several options hold: {listed(map(visible, election.holding))}",
        "open": f"open: {_open_words(election)}",
    }[election.outcome]
    outcome = style.verdict(words) if election.outcome == "open" else style("bold", words)
    asked = f"(asked: which {_ASKED[election.ask]})"
    return f"{visible(election.name)}: {outcome} {asked}{style.dim(place_words(election.pointer))}"


def _open_words(election: OptionElection) -> str:
    said = [f"{visible(name)} holds" for name in election.holding]
    return ", ".join([*said, f"not decided {listed(map(visible, election.open))}"])


_WHY = {
    Verdict.ENTAILED: "it follows from",
    Verdict.REFUTED: "it contradicts",
    Verdict.INCONSISTENT: "the assumptions contradict each other:",
}


def evidence_lines(result: Result, style: Style) -> Iterator[str]:
    """The evidence of a verdict, indented by two: core, witness, bindings, models."""
    evidence = result.evidence
    if evidence.core is not None:
        if evidence.core:
            yield f"  {_WHY.get(result.verdict, 'from')}"
            yield from (f"  {line}" for line in core_lines(evidence.core, style))
        else:
            yield f"  it is {'valid' if result.verdict is Verdict.ENTAILED else 'contradictory'} by itself"
    yield from (f"  {line}" for line in other_core_lines(evidence, style))
    if evidence.witness is not None:
        yield f"  {_witness(evidence.witness, result)}"
    if evidence.rows is not None:
        yield from _rows(evidence.rows, result)
        return
    for title, found in (("violations", evidence.violations), ("bindings", evidence.bindings)):
        if found is not None:
            yield from _bindings(title, found)
    yield from _models(evidence, result.verdict, result.trust)
    if evidence.to_ask:
        yield f"  it would help to know: {listed(map(visible, evidence.to_ask))}"


def sentence_lines(words: ResultWords) -> Iterator[str]:
    """The lines of a result in plain words: the claim, the verdict with its assumptions, the evidence."""
    if words.claim is not None:
        yield visible(words.claim)
    for number, sentence in enumerate(words.answer):
        yield visible(sentence)
        if number == 0:
            yield from (f"- {visible(item)}" for item in words.because)


def other_core_lines(evidence: Evidence, style: Style) -> Iterator[str]:
    """The minimal cores beyond the one that is shown, where all were asked for."""
    if evidence.cores is None:
        return
    others = [core for core in evidence.cores if core != evidence.core]
    for core in others[:LONGEST_LIST]:
        yield "or"
        yield from core_lines(core, style)
    if len(others) > LONGEST_LIST:
        yield f"or {len(others) - LONGEST_LIST} more minimal sets"
    if not evidence.cores_complete:
        yield "there may be more minimal sets"


def core_lines(items: tuple[CoreItem, ...], style: Style) -> Iterator[str]:
    """A line for each assumption of a core, up to a number."""
    for item in items[:LONGEST_LIST]:
        named = f"{item.kind} [{visible(item.name)}]" if item.name else item.kind
        title = f"{visible(item.title)}:" if item.kind == "pack" else named
        yield f"  {title} {visible(item.text)}{style.dim(place_words(item.pointer))}"
        yield from (f"    {line}" for line in quotation_lines(item.quotes))
    if len(items) > LONGEST_LIST:
        yield f"  … {len(items) - LONGEST_LIST} more"


def quotation_lines(quotes: Iterable[Quotation]) -> Iterator[str]:
    """A line for each sentence that something rests on ([CITE-QUOTE])."""
    return (f"by {quotation_words(each)}" for each in quotes)


def quotation_words(quote: Quotation) -> str:
    """`sentence 3: “Items can be returned within 30 days.”`"""
    return f"sentence {quote.number}: “{visible(quote.text)}”"


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


def _rows(rows: TableRows, result: Result) -> Iterator[str]:
    word = {Verdict.REFUTED: "violations", Verdict.ENTAILED: "witnesses"}.get(result.verdict, "bindings")
    if rows.shown and not rows.shown[0].binding:
        yield f"  by {'; '.join(map(visible, rows.shown[0].places))}"
        return
    yield f"  {word} in the tables: {rows.total:,}"
    for row in rows.shown[:LONGEST_LIST]:
        places = f" ({'; '.join(map(visible, row.places))})" if row.places else ""
        yield f"    {_binding(row.binding)}{places}"
    if rows.total > LONGEST_LIST:
        yield f"    … {rows.total - LONGEST_LIST:,} more"


def legend_lines(results: Iterable[Result | None]) -> Iterator[str]:
    """One line on the stars in the evidence of results, if they have any."""
    if any(each is not None and _has_marks(each) for each in results):
        yield "*: different in the other example"


def _has_marks(result: Result) -> bool:
    evidence = result.evidence
    true, false = evidence.could_be_true, evidence.could_be_false
    scenarios = (evidence.true_scenario, evidence.false_scenario)
    return any(each is not None and each.differs for each in scenarios) or bool(
        true and false and true != false
    )


def _models(evidence: Evidence, verdict: Verdict, trust: TrustLevel) -> Iterator[str]:
    true, false = evidence.could_be_true, evidence.could_be_false
    for title, model, other in (("true", true, false), ("false", false, true)):
        scenario = evidence.true_scenario if title == "true" else evidence.false_scenario
        if scenario is not None:
            # Of a refuted claim there is no other side.
            said = f"could be {title}" if verdict is Verdict.UNDETERMINED else "it fails"
            # Which no checker has evaluated.
            word = " (not checked)" if trust == "solver" else ""
            yield f"  {said}, for example{word} for {scenario_words(scenario)}"
            # What is said of the witness need not be said of all members.
            heads = set(map(_head, scenario.values))
            rest = {term: value for term, value in (model or {}).items() if _head(term) not in heads}
            called = {each.value: each.name for each in reversed(scenario.witness) if not each.named}
            yield from model_lines(rest, other or {}, called)
        elif model:
            yield f"  could be {title}, for example with"
            yield from model_lines(model, other or {})
        elif model is not None:
            yield f"  could be {title}: a model exists{_apart(other or {})}"


def _apart(other: Model) -> str:
    """How a model without lines differs: constants have lines only where they are one element."""
    classes = [_names(each) for each in other.items()]
    if classes and all(names <= other.keys() for names in classes):
        return f" in which {listed(map(visible, other))} are different"
    return "; the claim has no term whose value could be shown"


def _names(line: tuple[str, str]) -> frozenset[str]:
    """The names of one element, of which each may have a line that calls it by the others."""
    term, value = line
    return frozenset((term, *value.split(" = ")))


def _head(term: str) -> str:
    return term.partition("(")[0]


def scenario_words(scenario: Scenario) -> str:
    """The variables and what is said of them; a star marks what differs from the other side's."""
    first: dict[str, str] = {}
    said = [_variable_words(each, first.setdefault(each.value, each.name)) for each in scenario.witness]
    variables = ", ".join(said)
    facts = [_fact_words(term, value, scenario.differs) for term, value in scenario.values.items()]
    return f"{variables} with {listed(facts)}" if facts else variables


def _variable_words(variable: ScenarioVariable, first: str) -> str:
    """A variable and its value; `first` is the first variable with that value."""
    name, sort = visible(variable.name), visible(variable.sort)
    if variable.named:
        return f"{name} = {visible(variable.value)}"
    if first != variable.name:
        return f"{name} = {visible(first)}"
    return f"some {sort} {name}"


def _fact_words(term: str, value: str, differs: Sequence[str]) -> str:
    said = {"True": visible(term), "False": f"not {visible(term)}"}
    mark = "*" if term in differs else ""
    return mark + said.get(value, f"{visible(term)} = {visible(value)}")


def model_lines(model: Model, other: Model, called: Mapping[str, str] = _NO_NAMES) -> Iterator[str]:
    """The lines of a model; a star marks what differs from the other one. `called`: other names of values."""
    lines: dict[frozenset[str], tuple[str, str]] = {}
    for line in model.items():
        lines.setdefault(_names(line), line)
    marked = {term for term, value in lines.values() if other and other.get(term) != value}
    every = list(lines.values())
    # Of a long model all that differs is shown before anything else: that is what to ask about.
    first = sorted(range(len(every)), key=lambda at: every[at][0] not in marked)[:LONGEST_LIST]
    for term, value in map(every.__getitem__, sorted(first)):
        mark = "*" if term in marked else " "
        yield f"   {mark} {visible(term)} = {visible(called.get(value, value))}"
    if len(every) > LONGEST_LIST:
        yield f"    … {len(every) - LONGEST_LIST} more"
