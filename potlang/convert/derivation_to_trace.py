"""From a derivation to a trace: what an entailed claim of a PoT program follows from, step by step.

Each atom that the closure derives is a proposition, examined and validated by a critic; a claim that
was not derived so rests on the assumptions of its core alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from potlang.convert.deductions import deduce
from potlang.ir.module import Claim, Module
from potlang.ir.nodes import Node, Quant, Symbol, SymbolKind, reachable, symbols_in
from potlang.ir.sorts import DeclaredSort, EnumSort, TupleSort, parts_of
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.write.builder import TraceBuilder
from potlang.languages.dot.write.from_ir import proposition_json
from potlang.languages.pot.program import Program
from potlang.report.results import Limits
from potlang.sema.emit import Writer, sort_text

if TYPE_CHECKING:
    from potlang.engines.horn.lemmas import Lemmas
    from potlang.processes.pool import Workers


class Derived(NamedTuple):
    """A trace of a derivation. `needs_theory`: it is read against the program, whose sorts it cannot declare.

    `is_derivation`: its steps are those of the closure.
    """

    text: bytes
    claim: str
    needs_theory: bool
    is_derivation: bool


def derivation_to_trace(
    program: Program,
    claim: str | None = None,
    *,
    profile: Profile = "paper",
    limits: Limits = Limits(),
    workers: Workers | None = None,
) -> Derived:
    """The trace that derives a claim of a program, by default its first one ([DOT-CONV-4] to [DOT-CONV-7]).

    The problem declares the symbols and assumes the core; each step is a proposition with `use` edges to
    its premises and a critic; the summarizer states the claim. Raises `LookupError` if there is no such
    claim, `NotEntailed`, and `BuildError` or `potlang.sema.emit.ExpansionTooLarge` for what has no text.
    """
    found = deduce(program, claim, limits=limits, workers=workers)
    work = _TraceWriter(found.module, profile)
    work.problem(found.claim, found.goal)
    if found.lemmas is None:
        work.assumptions()
    else:
        work.lemmas(found.lemmas)
    work.conclusion(found.claim, found.goal)
    return Derived(work.builder.text(), found.claim.name, work.needs_theory, found.lemmas is not None)


# --- writing -------------------------------------------------------------------------------------


class _TraceWriter:
    """Writes the trace of one claim."""

    def __init__(self, module: Module, profile: Profile) -> None:
        self.module = module
        self.builder = TraceBuilder(profile)
        self.needs_theory = False
        self._texts = Writer(module)
        self._problem: list[int] = []
        self._nodes: dict[str, int] = {}
        """The node that says something, by its JSON."""
        self._last: list[int] = []

    def problem(self, claim: Claim, goal: Node) -> None:
        """The block of the problem: declarations, assumptions, and the claim."""
        formulas = [*(each.formula for each in self.module.assertions), goal]
        declared = _signature(self.module, formulas)
        self.needs_theory = declared is None
        assumed = [self._json(each.formula) for each in self.module.assertions]
        text = f"Does it follow that {self._texts.term(goal)}? ({claim.name})"
        node = self.builder.problem(text, declare=declared or None, assume=assumed or None)
        if self.builder.profile == "paper":
            self._problem = [node]

    def assumptions(self) -> None:
        """Each assumption as a proposition of its own."""
        for each in self.module.assertions:
            self._last.append(self._state(each.formula, (), f"{each.name} says so."))

    def lemmas(self, lemmas: Lemmas) -> None:
        """Each lemma as a proposition that uses its premises."""
        nodes: list[int] = []
        names = {each.key: each.name for each in self.module.assertions}
        for lemma in lemmas.found:
            by = "equality" if lemma.key is None else names.get(lemma.key, lemma.key)
            nodes.append(self._state(lemma.formula, [nodes[each] for each in lemma.premises], f"By {by}."))
        self._last = [nodes[each] for each in lemmas.last]

    def conclusion(self, claim: Claim, goal: Node) -> None:
        """The claim as a proposition, and the summary."""
        node = self._state(goal, self._last, f"This is what was asked: {claim.name}.")
        text = f"It follows: {claim.name}."
        self.builder.summarizer(self._json(goal), uses=[node], text=text)
        self.builder.end()

    def _state(self, formula: Node, uses: Sequence[int], why: str) -> int:
        """A validated proposition that says `formula`; the one that is there already if there is one."""
        json = self._json(formula)
        key = json_line(json, canonical=True)
        if key in self._nodes:
            return self._nodes[key]
        builder = self.builder
        sources = tuple(dict.fromkeys(uses))
        text = self._texts.term(formula)
        node = builder.proposer(json, uses=sources or self._problem, text=f"{text}.")
        self._nodes[key] = node
        critic = builder.critic(node, text=why)
        builder.validate(node, just=critic)
        if len(sources) == 1:
            builder.entails(sources[0], node, witness=critic)
        return node

    def _json(self, formula: Node) -> Any:
        return proposition_json(formula, self._texts)


_PLAIN = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE)


def _signature(module: Module, formulas: Sequence[Node]) -> dict[str, Any] | None:
    """The `declare` of the symbols in the formulas; None if `@prop` cannot declare one of them."""
    nodes = reachable(*formulas)
    used = {symbol for formula in formulas for symbol in symbols_in(formula)}
    sorts = [node.sort for node in nodes]
    sorts += [var.sort for node in nodes if isinstance(node, Quant) for var in node.binders]
    # A named sort is declared by the program alone.
    named = any(isinstance(each, DeclaredSort | EnumSort | TupleSort) for each in parts_of(sorts))
    if named or any(symbol.kind not in _PLAIN for symbol in used):
        return None
    return {symbol.name: _declared(symbol) for symbol in module.symbols if symbol in used}


def _declared(symbol: Symbol) -> Any:
    if not symbol.domain:
        return sort_text(symbol.range)
    return {"domain": [sort_text(sort) for sort in symbol.domain], "range": sort_text(symbol.range)}
