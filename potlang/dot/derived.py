"""From a derivation to a trace: what an entailed claim of a PoT program follows from, step by step.

Each atom that the closure derives is a proposition, examined and validated by a critic; a claim that
was not derived so rests on the assumptions of its core alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from potlang.api import Program, verify
from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node, Quant, Sym, Symbol, SymbolKind, reachable
from potlang.ir.pool import Pool
from potlang.ir.sorts import ArraySort, DeclaredSort, EnumSort, FunctionSort, SetSort, Sort, TupleSort
from potlang.ir.substitute import Replacements, substitute
from potlang.languages.dot.from_ir import proposition_json
from potlang.languages.dot.json_line import json_line
from potlang.languages.dot.records import Profile
from potlang.languages.pot.emit import Writer, sort_text
from potlang.report import Evidence, Limits, Verdict

from .builder import TraceBuilder

if TYPE_CHECKING:
    from potlang.passes.closure import Derivation, Step
    from potlang.solve.pool import Workers

_CLOSURE_MS = 2_000
_MOST_STEPS = 2_000
"""Steps of a derivation that are written down; a longer one is left out."""


class NotEntailed(ValueError):
    """The claim is not entailed, so that nothing derives it. `verdict` says what it is."""

    def __init__(self, claim: str, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(f"only an entailed claim has a trace, and `{claim}` is {verdict}")


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
    claim, `NotEntailed`, and `BuildError` or `potlang.languages.pot.emit.TooLarge` for what has no text.
    """
    asked = _claim(program.module, claim)
    report = verify(program.asking([asked]), limits=limits, workers=workers)
    [result] = report.results
    if result.verdict is not Verdict.ENTAILED:
        raise NotEntailed(asked.name, result.verdict)
    module = replace(program.module, assertions=_core(program.module, result.evidence))
    pool = module.pool
    goal = pool.quant("exists", asked.find, asked.formula) if asked.find else asked.formula
    lemmas = _lemmas(module, goal)
    work = _Writer(module, profile)
    work.problem(asked, goal)
    if lemmas is None:
        work.assumptions()
    else:
        work.lemmas(lemmas)
    work.conclusion(asked, goal)
    return Derived(work.builder.text(), asked.name, work.needs_theory, lemmas is not None)


def _claim(module: Module, name: str | None) -> Claim:
    found = [each for each in module.claims if name in (None, each.name)]
    if not found:
        known = ", ".join(f"`{each.name}`" for each in module.claims[:10]) or "none"
        wanted = "has no claim" if name is None else f"has no claim `{name}`"
        raise LookupError(f"the program {wanted}; its claims: {known}")
    return found[0]


def _core(module: Module, evidence: Evidence) -> tuple[Assertion, ...]:
    """The assumptions that suffice; all of them where no core is known."""
    if evidence.core is None:
        return module.assertions
    names = {(item.name, item.pointer) for item in evidence.core}
    return tuple(each for each in module.assertions if (each.name, each.origin.pointer) in names)


# --- lemmas --------------------------------------------------------------------------------------


class Lemma(NamedTuple):
    """A formula that the assumptions entail; `premises` are numbers of earlier ones. `by` names the rule."""

    formula: Node
    premises: tuple[int, ...]
    by: str


class Lemmas(NamedTuple):
    """The steps of a derivation, and the numbers of those that the claim follows from."""

    found: tuple[Lemma, ...]
    last: tuple[int, ...]


def _lemmas(module: Module, goal: Node) -> Lemmas | None:
    """What the closure derives on its way to a claim; None where it does not derive it."""
    from potlang.passes.closure import Closure, recognise

    end = time.monotonic() + _CLOSURE_MS / 1000
    closure = Closure(recognise(module, ()))
    derivation = closure.derivation(goal, "negation", lambda: time.monotonic() > end)
    if derivation is None or sum(len(proof.steps) for proof in derivation.cases) > _MOST_STEPS:
        return None
    return _Collector(module, derivation, closure.horn.universe.dummies.values()).lemmas()


@dataclass(frozen=True, slots=True)
class _Known:
    """Of a step: what it supposes of the claim's denial, and the lemmas that it rests on."""

    supposed: tuple[Node, ...]
    lemmas: tuple[int, ...]


class _Collector:
    """Makes lemmas of steps.

    A step may rest on the denial of the claim, and be about the constants that stand for its variables.
    What it says by itself is then that, for all values of these, what it supposes implies its conclusion.
    """

    def __init__(self, module: Module, derivation: Derivation, dummies: Iterable[Symbol]) -> None:
        self._pool: Pool = module.pool
        self._derivation = derivation
        self._names = {each.key: each.name for each in module.assertions}
        self._any = {*derivation.choices, *dummies}
        """Constants of which nothing but what is supposed is used."""
        self._found: list[Lemma] = []
        self._numbers: dict[int, int] = {}

    def lemmas(self) -> Lemmas:
        last: dict[int, None] = {}
        for proof in self._derivation.cases:
            known: list[_Known] = []
            for step in proof.steps:
                known.append(self._known(step, proof.steps, known))
                if step.conclusion is self._pool.false:
                    last.update(dict.fromkeys(known[-1].lemmas))
        return Lemmas(tuple(self._found), tuple(last))

    def _known(self, step: Step, steps: Sequence[Step], known: Sequence[_Known]) -> _Known:
        before = [known[number - 1] for number in step.premises]
        supposed = tuple(dict.fromkeys(each for premise in before for each in premise.supposed))
        rests = tuple(dict.fromkeys(each for premise in before for each in premise.lemmas))
        if step.conclusion is self._pool.false:
            return _Known(supposed, rests)
        if step.kind == "assumed" or (step.kind == "instance" and step.key is None):
            reasons = [steps[number - 1].conclusion for number in step.premises]
            said = (
                self._pool.implies(self._pool.conj(reasons), step.conclusion) if reasons else step.conclusion
            )
            return _Known((*supposed, said), rests)
        if step.conclusion in supposed:
            return _Known(supposed, rests)
        pool = self._pool
        said = pool.implies(pool.conj(supposed), step.conclusion) if supposed else step.conclusion
        if said.id not in self._numbers:
            formula = self._general(said)
            if formula is None:
                return _Known(supposed, rests)
            self._numbers[said.id] = len(self._found)
            by = "equality" if step.key is None else self._names.get(step.key, step.key)
            self._found.append(Lemma(formula, rests, by))
        return _Known(supposed, (self._numbers[said.id],))

    def _general(self, formula: Node) -> Node | None:
        """The formula for all values; None if it is about something that an assumption says exists."""
        fresh = [
            node
            for node in reachable(formula)
            if isinstance(node, Sym) and node.symbol.kind is SymbolKind.FRESH
        ]
        if any(node.symbol not in self._any for node in fresh):
            return None
        if not fresh:
            return formula
        pool = self._pool
        variables = tuple(pool.var(self._variable(node.symbol), node.sort) for node in fresh)
        replacements: Replacements = dict(zip(fresh, variables, strict=True))
        return pool.quant("forall", variables, substitute(pool, formula, replacements))

    def _variable(self, symbol: Symbol) -> str:
        choice = self._derivation.choices.get(symbol)
        return "x" if choice is None else choice.variable.name


# --- writing -------------------------------------------------------------------------------------


class _Writer:
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
        """What is declared, assumed and asked."""
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
        for lemma in lemmas.found:
            nodes.append(
                self._state(lemma.formula, [nodes[each] for each in lemma.premises], f"By {lemma.by}.")
            )
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


def _signature(module: Module, formulas: Iterable[Node]) -> dict[str, Any] | None:
    """What `declare` says of the symbols in the formulas; None if it cannot say it."""
    nodes = reachable(*formulas)
    used = {s for node in nodes if (s := _symbol(node)) is not None}
    sorts = [node.sort for node in nodes]
    sorts += [var.sort for node in nodes if isinstance(node, Quant) for var in node.binders]
    if any(symbol.kind not in _PLAIN for symbol in used) or any(map(_is_named, dict.fromkeys(sorts))):
        return None
    return {symbol.name: _declared(symbol) for symbol in module.symbols if symbol in used}


def _symbol(node: Node) -> Symbol | None:
    if isinstance(node, Sym):
        return node.symbol
    head = getattr(node, "op", None)
    return head if isinstance(head, Symbol) else None


def _is_named(sort: Sort) -> bool:
    """Whether a sort has a name that a program declares, or a part that has."""
    stack: list[Sort] = [sort]
    while stack:
        match stack.pop():
            case DeclaredSort() | EnumSort() | TupleSort():
                return True
            case ArraySort(index, element):
                stack += [index, element]
            case SetSort(element):
                stack.append(element)
            case FunctionSort(domain, range_):
                stack += [*domain, range_]
    return False


def _declared(symbol: Symbol) -> Any:
    if not symbol.domain:
        return sort_text(symbol.range)
    return {"domain": [sort_text(sort) for sort in symbol.domain], "range": sort_text(symbol.range)}
