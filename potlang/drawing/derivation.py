"""Derivations of claims as trees that open and close."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import NamedTuple

from potlang.convert.deductions import Deduction, deduction
from potlang.drawing.page import code_text, cut
from potlang.drawing.program_source import source_link
from potlang.ir.module import Assertion
from potlang.languages.pot.program import Program
from potlang.report.html import Html, element
from potlang.report.results import ProgramResult, Result, Verdict
from potlang.sema.emit import ExpansionTooLarge, Writer

_DEEPEST = 8
"""Levels of one tree; what is deeper begins another one."""
_OPEN = 3
_MOST = 500
"""Steps of a derivation that is shown."""
_SECONDS = 4.0
"""For the derivations of one page."""


class _ShownStep(NamedTuple):
    """A step: its formula, its rule, the steps before it, and the assumptions that it rests on."""

    says: str
    by: Assertion | None
    premises: tuple[int, ...]
    assumptions: tuple[Assertion, ...]


def derivations(program: Program, report: ProgramResult, ids: Mapping[str, str]) -> dict[str, Html]:
    """The trees of the claims that are derived by rules, by the pointers of these.

    `ids` are those of marks in the listing of the program. Claims are left out which the closure does not
    derive, and the last ones if time runs out.
    """
    if program.tables is not None:
        return {}
    found: dict[str, Html] = {}
    end = monotonic() + _SECONDS
    with program.borrowed():
        claims = {claim.origin.pointer: claim for claim in program.module.claims}
        for number, result in enumerate(report.results, 1):
            claim = claims.get(result.pointer)
            if claim is None or not _is_derived(result) or monotonic() > end:
                continue
            deduced = deduction(program.module, claim, result)
            if deduced.lemmas is not None and 0 < len(deduced.lemmas.found) <= _MOST:
                tree = _DerivationTree(deduced, ids, f"step-{number}")
                found[result.pointer] = tree.html(result)
    return found


def _is_derived(result: Result) -> bool:
    return result.verdict in (Verdict.ENTAILED, Verdict.REFUTED) and bool(result.evidence.core)


class _DerivationTree:
    """The tree of one derivation: a step that is used twice is shown once, and linked to."""

    def __init__(self, deduced: Deduction, ids: Mapping[str, str], prefix: str) -> None:
        self._ids = ids
        self._prefix = prefix
        self._shown: set[int] = set()
        self._later: list[int] = []
        lemmas = deduced.lemmas
        assert lemmas is not None
        writer = Writer(deduced.module)
        self._assertions = {each.key: each for each in deduced.module.assertions}
        self._steps = [
            _ShownStep(
                _said(writer, lemma.formula),
                self._assertions.get(lemma.key or ""),
                lemma.premises,
                self._found(lemma.assumptions),
            )
            for lemma in lemmas.found
        ]
        self._last = lemmas.last
        self._rest = self._found(lemmas.assumptions)

    def _found(self, keys: tuple[str, ...]) -> tuple[Assertion, ...]:
        return tuple(self._assertions[key] for key in keys if key in self._assertions)

    def html(self, result: Result) -> Html:
        """The claim over what it follows from, then the parts that are too deep for it."""
        word = "follows" if result.verdict is Verdict.ENTAILED else "is contradicted"
        head = element("summary", element("span", f"“{cut(result.name)}” {word}"))
        first = self._level(self._last, self._rest, 1)
        trees = [element("details", head, first, open=True)]
        while self._later:
            step = self._later.pop(0)
            if step not in self._shown:
                trees.append(element("ul", self._item(step, 0)))
        return element("div", *trees, class_="tree")

    def _level(self, premises: tuple[int, ...], assumptions: tuple[Assertion, ...], depth: int) -> Html:
        # As deep as `_DEEPEST`.
        items = [self._item(step, depth) for step in premises]
        items += [element("li", code_text(each.origin.text), self._by(each)) for each in assumptions]
        return element("ul", *items)

    def _item(self, number: int, depth: int) -> Html:
        step, id_ = self._steps[number], f"{self._prefix}-{number}"
        says = element("code", cut(step.says))
        if number in self._shown:
            return element("li", says, " ", element("a", "derived above", href=f"#{id_}"))
        if depth >= _DEEPEST and step.premises:
            self._later.append(number)
            return element("li", says, " ", element("a", "derived below", href=f"#{id_}"))
        self._shown.add(number)
        if step.by is not None and not step.premises and step.assumptions == (step.by,):
            return element("li", says, self._by(step.by), id=id_)
        # What opens and closes can have no link in it: the rule is linked below.
        name = "equality" if step.by is None else _name(step.by)
        head = element("summary", says, element("span", f" by {name}", class_="by"))
        inner = self._level(step.premises, step.assumptions, depth + 1)
        return element("li", element("details", head, inner, open=depth < _OPEN), id=id_)

    def _by(self, assertion: Assertion) -> Html:
        link = source_link(self._ids, assertion.origin.pointer, _name(assertion))
        return element("span", " by ", link, class_="by")


def _name(assertion: Assertion) -> str:
    return assertion.name or str(assertion.kind)


def _said(writer: Writer, formula: object) -> str:
    try:
        return writer.term(formula)  # type: ignore[arg-type]
    except ExpansionTooLarge:
        return "a formula that is too long to show"
