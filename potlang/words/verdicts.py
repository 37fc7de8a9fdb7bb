"""Verdicts and their evidence in sentences ([WORDS-REPORT])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from potlang.expressions import surface as s
from potlang.expressions.names import written
from potlang.ir.module import Module
from potlang.ir.nodes import Node
from potlang.ir.sorts import BOOL
from potlang.report.results import (
    Binding,
    CoreItem,
    Evidence,
    Model,
    ObjectiveResult,
    OptimizationResult,
    OptimizationStatus,
    ProgramResult,
    Result,
    ResultWords,
    Scenario,
    Verdict,
)
from potlang.sema.emit import ExpansionTooLarge, Writer
from potlang.utils.deadline import OutOfFuel
from potlang.words.parts import Unsayable
from potlang.words.speaker import Speaker
from potlang.words.table import filled

MOST_ITEMS = 20
"""Assumptions and bindings of one result that are said; of more, the rest is counted."""
MOST_VALUES = 8
"""Values of one model that are said."""


def report_words(
    report: ProgramResult,
    module: Module,
    speaker: Speaker,
    tree: s.ParsedProgram,
) -> tuple[ResultWords, ...]:
    """The words for each result of a report on a program, for its assumptions and for its optimum.

    The program is given as it was read (`tree`) and as it is typed. A formula that cannot be said stands as
    it is written, in backquotes. Results for which the limits of the call leave no time are left out.
    """
    found: list[ResultWords] = []
    with suppress(OutOfFuel):
        found.extend(_Reporter(module, speaker, tree).report(report))
    return tuple(found)


def with_pack_rules_said(
    report: ProgramResult, module: Module, speaker: Speaker, tree: s.ParsedProgram
) -> ProgramResult:
    """The report in which cores say the rules of packs in sentences, over the program's own words.

    A pack's formulas are over names that the program may not have.
    """
    reporter = _Reporter(module, speaker, tree)
    with suppress(OutOfFuel):
        return report.with_core_items(lambda each: reporter.pack_rule(each) if each.kind == "pack" else each)
    return report


def ranked_statement(speaker: Speaker, rule: s.StatementDecl) -> str:
    """A rule as a sentence, with the rules that it comes before. Raises Unsayable."""
    words: Mapping[str, str] = speaker.language.table["verdicts"]
    kind = speaker.language.table["kinds"]["rule"]
    sentence = speaker.say_statement(rule)
    if rule.overrides:
        names = [filled(words["named"], {"kind": kind, "name": name}) for name, _ in rule.overrides]
        items = speaker.language.listed(names)
        sentence = filled(words["overrides"], {"sentence": sentence, "items": items})
    return filled(words["default"], {"sentence": sentence}) if rule.default else sentence


class _Reporter:
    def __init__(self, module: Module, speaker: Speaker, tree: s.ParsedProgram) -> None:
        self._module = module
        self._speaker = speaker
        self._words: Mapping[str, str] = speaker.language.table["verdicts"]
        self._kinds: Mapping[str, str] = speaker.language.table["kinds"]
        self._statements: dict[str, s.FactDecl | s.StatementDecl] = {
            each.pointer: each for each in (*tree.rules, *tree.verifications)
        }
        self._statements |= {each.pointer: each for each in tree.facts}
        for question in tree.verifications:
            self._statements |= {each.pointer: each for each in question.options}
        section = tree.optimization
        self._constraints = {} if section is None else {each.pointer: each for each in section.constraints}
        self._objectives = {} if section is None else {each.pointer: each for each in section.objectives}
        self._writer = Writer(module)
        self._truths = {written(each.name) for each in module.symbols if each.range is BOOL}

    def report(self, report: ProgramResult) -> Iterator[ResultWords]:
        for result in report.results:
            claim, because = self._claim(result), self._items(result.evidence.core)
            answer = tuple(self._answer(result, claim or ""))
            yield ResultWords(result.name, result.pointer, claim, answer, because)
        evidence = report.evidence
        if evidence is not None and evidence.core is not None:
            answer = tuple(self._conflict(evidence))
            yield ResultWords("assumptions", "", None, answer, self._items(evidence.core))
        if report.optimization is not None:
            found = report.optimization
            answer = tuple(self._optimum(found))
            yield ResultWords("optimization", found.pointer, None, answer, self._items(found.core))

    # --- claims ----------------------------------------------------------------------------------

    def _claim(self, result: Result) -> str | None:
        statement = self._statements.get(result.pointer)
        with suppress(Unsayable):
            if isinstance(statement, s.StatementDecl):
                return self._speaker.say_claim(statement, self._words["question"])
        return None

    def _answer(self, result: Result, claim: str) -> Iterator[str]:
        yield self._verdict(result)
        if result.ask != "must":
            yield self._words[f"ask {result.ask} {result.outcome}"]
        evidence = result.evidence
        shown = evidence.true_scenario if result.verdict is Verdict.ENTAILED else evidence.false_scenario
        # A violation, and a scenario with the values of its variables, say as much and more.
        if evidence.witness is not None and evidence.violations is None and shown is None:
            key = "witness" if result.verdict is Verdict.ENTAILED else "counterexample"
            yield self._with(key, scenario=self._alternatives(evidence.witness.bindings))
        for found, certain, possible in (
            (evidence.violations, "violated", "possibly violated"),
            (evidence.bindings, "certain", "possible"),
        ):
            if found is not None:
                for key, bindings in ((certain, found.certain), (possible, found.possible)):
                    yield from self._each(key, bindings)
        true, false = evidence.could_be_true, evidence.could_be_false
        for key, model, other, shown in (
            ("could be true", true, false, evidence.true_scenario),
            ("could be false", false, true, evidence.false_scenario),
        ):
            if shown is not None and (shown.witness or shown.values):
                yield self._shown(key, shown)
                continue
            scenario = "" if model is None else self._scenario(model, other or {}, claim)
            if scenario:
                yield self._with(key, scenario=scenario)
        if evidence.to_ask:
            asked = list(map(self._question, evidence.to_ask))
            yield self._with("to ask", items=self._joined(asked, MOST_VALUES))

    def _question(self, term: str) -> str:
        """The question about a term, as a clause."""
        with suppress(Unsayable):
            return self._speaker.question(term, is_formula=term.partition("(")[0] in self._truths)
        return self._with("as written", text=term)

    def _verdict(self, result: Result) -> str:
        if result.verdict is not Verdict.UNKNOWN:
            return self._because(str(result.verdict), result.evidence.core)
        if result.reason:
            return self._with("unknown because", reason=result.reason)
        return self._words["unknown"]

    def _because(self, key: str, core: Sequence[CoreItem] | None) -> str:
        return self._words[f"{key} because" if core else key]

    def _conflict(self, evidence: Evidence) -> Iterator[str]:
        yield self._because("inconsistent", evidence.core)
        if evidence.corrections:
            names = [self._named(item) for item in evidence.corrections[0]]
            yield self._with("repairs", items=self._speaker.language.listed(names))

    # --- assumptions -----------------------------------------------------------------------------

    def _items(self, items: Sequence[CoreItem] | None) -> tuple[str, ...]:
        every = items or ()
        said = [self._item(item) for item in every[:MOST_ITEMS]]
        if len(every) > MOST_ITEMS:
            said.append(self._with("more", count=str(len(every) - MOST_ITEMS)))
        return tuple(said)

    def _item(self, item: CoreItem) -> str:
        quotes = ", ".join(
            self._with("quotation", number=str(each.number), text=each.text) for each in item.quotes
        )
        said = self._premise(item)
        return self._with("quoted", premise=said, quotations=quotes) if quotes else said

    def _premise(self, item: CoreItem) -> str:
        if item.kind == "pack":
            return self._with("item", item=item.title, sentence=item.text)
        if item.kind == "semantics":
            # Its text says what it means, and nobody wrote its formula.
            return self._with("convention", text=item.text)
        sentence = self._sentence(item) or self._with("as written", text=item.text)
        return self._with("item", item=self._named(item), sentence=sentence)

    def _named(self, item: CoreItem) -> str:
        """An assumption by its kind and name; names that were made for it have its kind in them."""
        if not item.name:
            return self._kinds.get(item.kind, item.kind)
        if item.kind == "pack" or item.name.startswith(f"{item.kind} "):
            return item.title
        return self._with("named", kind=self._kinds.get(item.kind, item.kind), name=item.name)

    def _sentence(self, item: CoreItem) -> str | None:
        statement = self._statements.get(item.pointer)
        with suppress(Unsayable):
            if isinstance(statement, s.FactDecl):
                return self._speaker.say_fact(statement)
            if statement is not None:
                return ranked_statement(self._speaker, statement)
            if item.pointer in self._constraints:
                return self._speaker.say(self._constraints[item.pointer].text)
        # What the program does not write in a formula of its own: conventions, rules of packs.
        found = next((each for each in self._module.assertions if _is_same(each, item)), None)
        return None if found is None else self._typed(found.formula)

    def pack_rule(self, item: CoreItem) -> CoreItem:
        """The rule of a pack with its sentence in the place of its formula."""
        return item._replace(text=self._sentence(item) or item.text)

    def _typed(self, formula: Node) -> str | None:
        with suppress(Unsayable, ExpansionTooLarge, ValueError):
            return self._speaker.say(self._writer.term(formula))
        return None

    # --- models and bindings ---------------------------------------------------------------------

    def _scenario(self, model: Model, other: Model, claim: str = "") -> str:
        """The values of a model, those first that it does not share with the other one.

        That the claim itself is so, or is not, is no example of it.
        """
        shown = sorted(model, key=lambda term: bool(other) and other.get(term) == model[term])
        differing = [term for term in shown if other.get(term) != model[term]]
        if other and all(_bare(self._equation(each, "True")) == _bare(claim) for each in differing):
            return ""
        said = (
            self._equation(term, model[term])
            for term in shown
            if _bare(self._equation(term, "True")) != _bare(claim)
        )
        return self._joined(list(said), MOST_VALUES)

    def _shown(self, key: str, scenario: Scenario) -> str:
        """A scenario: its variables, and what is so of them, first that which is not on the other side."""
        unnamed = [each for each in scenario.witness if not each.named]
        # Elements without a name are called by their variables; two of these may stand for one.
        called: dict[str, str] = {}
        clauses = [self._equation(each.name, each.value) for each in scenario.witness if each.named]
        for each in unnamed:
            if called.setdefault(each.value, each.name) != each.name:
                clauses.append(self._equation(each.name, called[each.value]))
        order = sorted(scenario.values, key=lambda term: term not in scenario.differs)
        for term in order:
            value = scenario.values[term]
            clauses.append(self._equation(term, called.get(value, value)))
        # An element of which nothing is said is itself, at least.
        clauses = clauses or [self._equation(unnamed[0].name, unnamed[0].name)]
        said = self._joined(clauses, MOST_VALUES)
        if not unnamed:
            return self._with(key, scenario=said)
        binders = self._speaker.binders([(each.name, each.sort) for each in unnamed])
        return self._with(f"{key} of", binders=binders, scenario=said)

    def _equation(self, term: str, value: str) -> str:
        with suppress(Unsayable):
            if value in ("True", "False"):
                return self._speaker.clause(term if value == "True" else f"Not({term})")
            return self._speaker.clause(f"({term}) == ({value})")
        return f"{term} = {value}"

    def _binding(self, binding: Binding) -> str:
        return self._joined([self._equation(name, value) for name, value in binding.items()], MOST_VALUES)

    def _alternatives(self, bindings: Sequence[Binding]) -> str:
        said = [self._binding(each) for each in bindings[:MOST_ITEMS]]
        words = said[0] if said else ""
        for each in said[1:]:
            words = self._with("one of", scenario=words, other=each)
        return words

    def _each(self, key: str, bindings: Sequence[Binding]) -> Iterator[str]:
        for each in bindings[:MOST_ITEMS]:
            yield self._with(key, scenario=self._binding(each))
        if len(bindings) > MOST_ITEMS:
            yield self._with("more", count=str(len(bindings) - MOST_ITEMS))

    def _joined(self, clauses: list[str], most: int) -> str:
        more = len(clauses) - most
        if more > 0:
            clauses = [*clauses[:most], self._with("more", count=str(more))]
            return self._speaker.language.comma.join(clauses)
        return self._speaker.language.listed(clauses)

    # --- optimization ----------------------------------------------------------------------------

    def _optimum(self, found: OptimizationResult) -> Iterator[str]:
        if found.status is OptimizationStatus.INFEASIBLE:
            yield self._because("infeasible", found.core)
            return
        for each in found.objectives:
            yield self._objective(each)
        if found.model:
            yield self._with("optimum", scenario=self._scenario(found.model, {}))

    def _objective(self, each: ObjectiveResult) -> str:
        term = self._term(each)
        status, direction = each.status, each.direction
        if status is OptimizationStatus.OPTIMAL and each.value is not None:
            return self._with(direction, term=term, value=each.written or str(each.value))
        if status is OptimizationStatus.UNATTAINED and each.value is not None:
            value = each.written or str(each.value)
            return self._with(f"{direction} unattained", term=term, value=value)
        if status is OptimizationStatus.UNBOUNDED:
            return self._with(f"{direction} unbounded", term=term)
        return self._with("optimum unknown", term=term)

    def _term(self, each: ObjectiveResult) -> str:
        declaration = self._objectives.get(each.pointer)
        with suppress(Unsayable):
            if declaration is not None:
                return self._speaker.phrase(declaration.expression.text)
        return each.name

    def _with(self, key: str, **parts: str | None) -> str:
        """A pattern of the table with its holes filled; what fills them is not read for holes."""
        return filled(self._words[key], {name: words or "" for name, words in parts.items()})


def _bare(sentence: str) -> str:
    """A sentence or a clause without what makes it one or the other."""
    return sentence.removesuffix(".").casefold()


def _is_same(assertion: object, item: CoreItem) -> bool:
    origin = getattr(assertion, "origin", None)
    name = getattr(assertion, "name", None)
    return origin is not None and (name, origin.pointer, origin.text) == (item.name, item.pointer, item.text)
