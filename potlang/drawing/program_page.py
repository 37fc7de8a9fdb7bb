"""The page on a program: what was found for each claim, why, and the program itself with that marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from potlang.drawing.derivation import derivations
from potlang.drawing.page import (
    Lead,
    Section,
    chip,
    code_text,
    cut,
    diagnostics_section,
    document,
    folded,
    notes_section,
    version_words,
)
from potlang.drawing.program_source import NO_LISTING, Listing, listing, source_link
from potlang.languages.pot.program import Program
from potlang.languages.pot.render import report_rows, verdict_words
from potlang.languages.pot.report import Report
from potlang.report.html import Html, element, joined, preformatted, table, text_html
from potlang.report.results import CoreItem, Model, Result, ResultWords, Scenario, Verdict
from potlang.report.text import LONGEST_LIST, election_line, quotation_lines
from potlang.utils.style import PLAIN


def program_page(report: Report, name: str = "program", program: Program | None = None) -> str:
    """The page for a report on a program; `name` is what it is called. All its text is escaped.

    With the `program` it has its text and the derivations of its claims too.
    """
    source = NO_LISTING if program is None else listing(program.document, report)
    trees = {} if program is None else derivations(program, report, source.ids)
    results = _Results(report, source, trees, {} if program is None else _formulas(program))
    lead = Lead("Program", verdict_words(report), list(_lead_sentences(report)))
    sections = (
        Section("results", "Results", results.html()),
        *results.others(),
        notes_section(report.notes),
        diagnostics_section(report.located),
        Section(
            "program", "The program", joined((_SOURCE_NOTE if "<mark" in source.html else None, source.html))
        ),
    )
    return document(name, lead, sections, version_words(report.version))


_SOURCE_NOTE = element(
    "p", "Marked: what results rest on. The numbers behind lead to these results.", class_="note"
)


def _formulas(program: Program) -> dict[str, str]:
    """The claims in the words of the program, by pointer."""
    return {claim.origin.pointer: claim.origin.text for claim in program.untabled.claims}


def _lead_sentences(report: Report) -> Iterator[str]:
    """How many claims have each verdict; of one claim what is said of it."""
    if len(report.results) == 1 and report.sentences:
        said = report.sentences[0]
        yield f"Claim: {said.claim or said.name} {said.answer[0].removesuffix(':').removesuffix('.')}."
        return
    counts = {verdict: sum(each.verdict is verdict for each in report.results) for verdict in Verdict}
    words = [f"{count:,} {verdict}" for verdict, count in counts.items() if count]
    if words:
        yield f"Of {len(report.results):,} claims: {', '.join(words)}."
    elif report.sentences:
        yield report.sentences[0].answer[0].removesuffix(":") + "." * report.sentences[0].answer[0].endswith(
            ":"
        )


class _Results:
    """The parts of the page on results."""

    def __init__(
        self, report: Report, source: Listing, trees: Mapping[str, Html], formulas: Mapping[str, str]
    ) -> None:
        self._report = report
        self._source = source
        self._trees = trees
        self._formulas = formulas
        claims = {each.pointer for each in report.results}
        self._said = {each.pointer: each for each in report.sentences or () if each.pointer in claims}
        self._others = {each.name: each for each in report.sentences or () if each.pointer not in claims}
        self._rows = list(report_rows(report))[len(report.elections) :]

    def html(self) -> Html:
        """All claims, and the answers to questions with options."""
        elections = [
            element("p", election_line(each, PLAIN), class_="election") for each in self._report.elections
        ]
        articles = (self._article(number, each) for number, each in enumerate(self._report.results, 1))
        return joined([*elections, *articles])

    def others(self) -> Iterator[Section]:
        """The sections on the assumptions and on the optimum."""
        for name, verdict, lines in self._rows[len(self._report.results) :]:
            said = self._others.get(str(name))
            core = self._core_of(str(name))
            sentences = self._sentences(said, core) if said is not None else Html("")
            body = joined(
                (
                    element("p", chip(str(verdict))) if verdict else None,
                    sentences,
                    preformatted(lines) if not isinstance(lines, str) else None,
                )
            )
            yield Section(str(name), str(name).capitalize(), body)

    def _core_of(self, name: str) -> tuple[CoreItem, ...]:
        if name == "assumptions" and self._report.evidence is not None:
            return self._report.evidence.core or ()
        if name == "optimization" and self._report.optimization is not None:
            return self._report.optimization.core or ()
        return ()

    def _article(self, number: int, result: Result) -> Html:
        _, answer, lines = self._rows[number - 1]
        said = self._said.get(result.pointer)
        formula = self._formulas.get(result.pointer)
        title = element(
            "h3",
            source_link(self._source.ids, result.pointer, cut(result.name)),
            " ",
            chip(str(result.verdict), str(answer)),
        )
        exact = preformatted(() if isinstance(lines, str) else lines)
        return element(
            "article",
            title,
            element("p", "Claim: ", text_html(said.claim), class_="claim") if said and said.claim else None,
            element("p", code_text(formula)) if formula else None,
            *(element("p", line, class_="note") for line in quotation_lines(result.quotes)),
            self._why(result, said),
            scenarios(result),
            element("h4", "Derivation") if result.pointer in self._trees else None,
            self._trees.get(result.pointer),
            folded("In the words of the program", exact) if said else exact,
            element("p", f"{result.trust} ({result.route})", class_="note")
            if result.trust != "solver"
            else None,
            id=f"result-{number}",
            class_="result",
        )

    def _why(self, result: Result, said: ResultWords | None) -> Html:
        core = result.evidence.core or ()
        if said is None:
            return self._premises(core)
        return self._sentences(_without_examples(said, result) if scenarios(result) else said, core)

    def _sentences(self, said: ResultWords, core: tuple[CoreItem, ...]) -> Html:
        """The answer in words; below its first sentence the assumptions that it rests on, linked."""
        first, *others = said.answer or ("",)
        items = [
            element(
                "li",
                source_link(self._source.ids, core[at].pointer if at < len(core) else "", text_html(item)),
            )
            for at, item in enumerate(said.because)
        ]
        return joined(
            (
                element("p", text_html(first)),
                element("ul", *items, class_="premises") if items else None,
                *(element("p", text_html(each)) for each in others),
            )
        )

    def _premises(self, core: Iterable[CoreItem]) -> Html:
        """The assumptions as they are written, linked."""
        every = list(core)
        items = [
            element(
                "li",
                source_link(self._source.ids, each.pointer, f"{each.kind} {each.title}".rstrip()),
                " ",
                code_text(each.text),
                *(element("div", line, class_="note") for line in quotation_lines(each.quotes)),
            )
            for each in every[:LONGEST_LIST]
        ]
        if len(every) > LONGEST_LIST:
            items.append(element("li", f"… {len(every) - LONGEST_LIST} more"))
        return element("ul", *items, class_="premises") if items else Html("")


def _without_examples(said: ResultWords, result: Result) -> ResultWords:
    """The words of a result without its two scenarios, which stand beside each other below them."""
    has_more = result.ask != "must" or result.evidence.bindings is not None
    asked = said.answer[-1:] if result.evidence.to_ask else ()
    return said if has_more else said._replace(answer=(*said.answer[:1], *asked))


# --- scenarios -------------------------------------------------------------------------------------


def scenarios(result: Result) -> Html:
    """Two models of an undetermined claim side by side, what differs marked; nothing without one of them."""
    evidence = result.evidence
    true = _side(evidence.true_scenario, evidence.could_be_true)
    false = _side(evidence.false_scenario, evidence.could_be_false)
    if result.verdict is not Verdict.UNDETERMINED or not true or not false:
        return Html("")
    differing = {term for term in true.keys() & false.keys() if true[term] != false[term]}
    terms = sorted(dict.fromkeys([*true, *false]), key=lambda term: term not in differing)
    rows = [
        _scenario_row(term, (true.get(term), false.get(term)), term in differing)
        for term in terms[: 2 * LONGEST_LIST]
    ]
    if len(terms) > 2 * LONGEST_LIST:
        more = f"… {len(terms) - 2 * LONGEST_LIST:,} more"
        rows.append(element("tr", element("td", more, colspan="3")))
    caption = "Two scenarios that fit all that is assumed; ≠ marks where they differ."
    return table(("term", "it is so", "it is not so"), rows, caption=caption, class_="scenarios")


def _side(scenario: Scenario | None, model: Model | None) -> Model:
    """The values of one side: the variables of its scenario, then the terms."""
    if scenario is None:
        return model or {}
    variables = {each.name: each.value if each.named else f"some {each.sort}" for each in scenario.witness}
    return {**variables, **(model or {}), **scenario.values}


def _scenario_row(term: str, values: tuple[str | None, str | None], differs: bool) -> Html:
    sign = element("span", "≠ ", element("span", "differs: ", class_="hidden"), class_="sign")
    cells = (element("td", element("b", value) if differs else value or "–") for value in values)
    head = element("th", sign if differs else None, code_text(term), scope="row")
    return element("tr", head, *cells, class_="differs" if differs else None)
