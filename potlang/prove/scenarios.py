"""Scenarios: the elements by which a quantified claim holds or fails in a model, and what is said of them.

Finding them is evaluation alone, as a game: whoever wants a formula true picks elements for `exists`, whoever
wants it false for `forall` (Hintikka's semantic games). [VERDICT-SCENARIO].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import NamedTuple

from potlang.engines.check import CheckResult
from potlang.engines.encoding import Encoding
from potlang.engines.messages import Query
from potlang.ir import operators as op
from potlang.ir.evaluator import Evaluator
from potlang.ir.measures import shown_sort
from potlang.ir.module import Module
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var, reachable, symbols_in
from potlang.ir.sorts import INT, REAL, DeclaredSort, Sort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure, members
from potlang.ir.substitute import substitute
from potlang.ir.values import Element, Unspecified
from potlang.prove.bindings import opened
from potlang.prove.evidence import evaluated, read_model
from potlang.prove.terms import FreshNames, literal_label
from potlang.prove.verdicts import ClaimState, PartialModel, Verifier
from potlang.report.results import Evidence, Model, Scenario, ScenarioVariable, Verdict
from potlang.sema.emit import ExpansionTooLarge, Writer
from potlang.smt.models import UnreadableModel, complete, read_structure
from potlang.utils.deadline import Deadline

Env = dict[Var, object]

MOST_VALUES = 40
"""Values of one scenario ([LIMIT-SCENARIO])."""
_MOST_TRIED = 4_096
_MOST_CANDIDATES = 200
_MOST_COMPARED = 256
_MOST_RULES = 500
_MOST_INSTANCES = 8
_MOST_NODES = 2_000
_MOST_STEPS = 400_000
_MOST_MS = 400.0
_ASK_MS = 2_000
_MEET_MS = 50.0
_MOST_MEET = 500
_SHOWN = (SymbolKind.FUNCTION, SymbolKind.DEFINED, SymbolKind.SELECTOR)
_NEEDED_TOGETHER = {(op.AND, True), (op.OR, False), (op.IMPLIES, False)}


class GeneralRule(NamedTuple):
    """An assumption for all values of its binders."""

    symbols: frozenset[Symbol]
    binders: tuple[Var, ...]
    body: Node


class ScenarioDraft(NamedTuple):
    """A scenario before it has words: values of variables in one structure."""

    view: StructureView
    env: Env
    leading: bool
    """Whether the variables are those of the claim's first quantifiers."""
    encoding: Encoding | None = None
    """That of a model that was asked for, which is not the one of the claim's side."""


class StructureView:
    """One structure, its evaluator, and the values that quantified variables may take in it."""

    def __init__(self, structure: Structure, literals: Mapping[Sort, Sequence[object]]) -> None:
        self.structure = structure
        self._evaluator = Evaluator(structure, _MOST_STEPS, Deadline(_MOST_MS))
        self._literals = literals
        self._domains: dict[Sort, list[object]] = {}

    def value(self, node: Node, env: Env) -> object:
        """The value of a node; None where it has none."""
        try:
            return self._evaluator.value(node, env)
        except (NotEvaluable, Unspecified):
            return None

    def domain(self, sort: Sort) -> list[object]:
        """The members of a finite sort; of another one the values that the claim or the structure names."""
        found = self._domains.get(sort)
        if found is None:
            try:
                found = members(sort, self.structure)
            except NotEvaluable:
                named = (*self._literals.get(sort, ()), *self._mentioned(sort))
                found = list(islice(dict.fromkeys(named), _MOST_CANDIDATES))
            self._domains[sort] = found
        return found

    def _mentioned(self, sort: Sort) -> Iterator[object]:
        for symbol, meaning in self.structure.functions.items():
            if not symbol.domain and symbol.range == sort:
                yield meaning
            if not isinstance(meaning, FunctionTable):
                continue
            for args, value in meaning.entries.items():
                yield from (arg for arg, of in zip(args, symbol.domain, strict=False) if of == sort)
                if symbol.range == sort:
                    yield value

    def bindings(self, binders: Sequence[Var]) -> Iterator[Env]:
        """Values for the binders, in order, as many as are tried."""
        choices = [self.domain(var.sort) for var in binders]
        for values in islice(product(*choices), _MOST_TRIED):
            yield dict(zip(binders, values, strict=True))


def play(view: StructureView, formula: Node, wanted: bool, start: Env) -> Env:
    """The values of quantified variables by which `formula`, under `start`, is `wanted`.

    A quantifier whose every instance is wanted has none.
    """
    env: Env = dict(start)
    waiting = [(formula, wanted)]
    while waiting:
        node, goal = waiting.pop()
        if isinstance(node, Quant):
            if (node.kind == "exists") == goal:
                for found in view.bindings(node.binders):
                    if view.value(node.body, env | found) is goal:
                        env |= found
                        waiting.append((node.body, goal))
                        break
        elif isinstance(node, App):
            waiting += _moves(view, node, goal, env)
    return env


def _moves(view: StructureView, node: App, goal: bool, env: Env) -> list[tuple[Node, bool]]:
    """The parts that make a formula what it is, each with its value."""
    args = node.args
    if node.op is op.NOT:
        return [(args[0], not goal)]
    if node.op in (op.AND, op.OR, op.IMPLIES):
        last = len(args) - 1
        wants = [(each, goal != (node.op is op.IMPLIES and at < last)) for at, each in enumerate(args)]
        if (node.op, goal) in _NEEDED_TOGETHER:
            return wants[::-1]
        return next(([each] for each in wants if view.value(each[0], env) is each[1]), [])
    if node.op in (op.IFF, op.XOR, op.ITE) or (node.op is op.EQ and args[0].sort is node.sort):
        values = [(each, view.value(each, env)) for each in args if each.sort is node.sort]
        return [(each, value) for each, value in values if isinstance(value, bool)]
    return []


class ScenarioMaker:
    """Makes scenarios of one module's claims, in any structures for it."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._writer = Writer(module)

    @cached_property
    def _rules(self) -> list[GeneralRule]:
        found = []
        for assertion in self.module.assertions:
            formula = assertion.formula
            parts = opened(formula) if isinstance(formula, Quant) and formula.kind == "forall" else None
            # A rule as long as a program would be instances of that length.
            if parts is not None and len(reachable(parts[1])) <= _MOST_NODES:
                found.append(GeneralRule(frozenset(symbols_in(parts[1])), *parts))
            if len(found) == _MOST_RULES:
                break
        return found

    def view(self, structure: Structure, formula: Node) -> StructureView:
        """A structure for the module, in which values are tried that the claim and the rules name."""
        literals: dict[Sort, list[object]] = {INT: [0, 1, -1], REAL: [Fraction(0), Fraction(1), Fraction(-1)]}
        for root in (formula, *(rule.body for rule in self._rules)):
            for node in islice(reachable(root), _MOST_NODES):
                if not isinstance(node, Lit) or node.value is None:
                    continue
                known = literals.setdefault(node.sort, [])
                if len(known) < _MOST_CANDIDATES:
                    known += _near(node)
        return StructureView(structure, literals)

    def draft(self, view: StructureView, formula: Node, holds: bool) -> ScenarioDraft | None:
        """The elements by which the claim `holds`, or does not; None where it takes none."""
        env = play(view, formula, holds, {})
        parts = opened(formula)
        leading = parts is not None and all(var in env for var in parts[0])
        return ScenarioDraft(view, env, leading) if env else None

    def alike(self, view: StructureView, formula: Node, other: ScenarioDraft) -> ScenarioDraft | None:
        """The instance of the claim's first quantifiers that is most like one in another structure.

        What holds of all elements has no witness: shown is what differs from where it fails, and of an
        implication rather an instance that its antecedent is true of.
        """
        parts = opened(formula)
        if parts is None or not other.leading:
            return None
        binders, body = parts
        terms = self._terms(body, set(binders))
        before = [other.view.value(term, other.env) for term in terms]
        condition = antecedent(formula)
        best: tuple[tuple[bool, int], Env] | None = None
        # Numbers are the same in each structure.
        same = [{var: other.env[var] for var in binders if not isinstance(var.sort, DeclaredSort)}]
        for env in [
            *(same if len(same[0]) == len(binders) else ()),
            *islice(view.bindings(binders), _MOST_COMPARED),
        ]:
            same_values = sum(view.value(term, env) == old for term, old in zip(terms, before, strict=True))
            score = condition is None or view.value(condition, env) is True, same_values
            if best is None or score > best[0]:
                best = score, env
        return None if best is None else ScenarioDraft(view, best[1], True)

    def scenario(self, draft: ScenarioDraft, formula: Node) -> Scenario:
        """The draft in the program's words."""
        names = self._names(draft)
        elements = self._elements(draft, names)
        witness = tuple(self._variable(var, value, names[var], elements) for var, value in draft.env.items())
        # In the values, an element without a name is called by the variable that stands for it.
        called = {
            value: names[var]
            for var, value in reversed(draft.env.items())
            if isinstance(value, Element) and not elements[value][1]
        }
        shown: dict[str, str] = {}
        free = [Var(var.id, var.sort, name, var.shown) for var, name in names.items()]
        for term in self._spoken(formula, list(draft.env)):
            value = draft.view.value(term, draft.env)
            text = called.get(value) if isinstance(value, Element) else None
            text = text or self._text(value, term, elements)
            if text is None or (isinstance(term, Sym) and text == term.symbol.name):
                continue
            try:
                shown.setdefault(self._writer.term(term, free), text)
            except (ExpansionTooLarge, ValueError):
                continue
            if len(shown) == MOST_VALUES:
                break
        return Scenario(witness, shown)

    # --- words ---

    def _names(self, draft: ScenarioDraft) -> dict[Var, str]:
        names: dict[Var, str] = {}
        for var in draft.env:
            name, number = var.name, 2
            while name in names.values():
                name, number = f"{var.name}_{number}", number + 1
            names[var] = name
        return names

    def _elements(self, draft: ScenarioDraft, names: Mapping[Var, str]) -> dict[Element, tuple[str, bool]]:
        """A name for each element of declared sorts, and whether a constant gives it."""
        found: dict[Element, tuple[str, bool]] = {}
        for symbol in self.module.symbols:
            if symbol.domain or symbol.kind is not SymbolKind.CONSTANT:
                continue
            if isinstance(symbol.range, DeclaredSort):
                value = draft.view.structure.functions.get(symbol)
                if isinstance(value, Element):
                    found.setdefault(value, (symbol.name, True))
        fresh = FreshNames({symbol.name for symbol in self.module.symbols} | set(names.values()))
        for sort, size in draft.view.structure.universe.items():
            for index in range(min(size, _MOST_TRIED)):
                element = Element(sort.name, index)
                if element not in found:
                    found[element] = fresh.name(sort.name), False
        return found

    def unnamed(self, draft: ScenarioDraft) -> dict[Element, str]:
        """The names that a scenario gives to elements which no constant denotes."""
        elements = self._elements(draft, self._names(draft))
        return {element: name for element, (name, is_named) in elements.items() if not is_named}

    def _variable(
        self, var: Var, value: object, name: str, elements: Mapping[Element, tuple[str, bool]]
    ) -> ScenarioVariable:
        is_named = not isinstance(value, Element) or elements.get(value, ("", False))[1]
        text = self._text(value, var, elements) or "?"
        return ScenarioVariable(name, str(shown_sort(var)), text, is_named)

    def _text(self, value: object, term: Node, elements: Mapping[Element, tuple[str, bool]]) -> str | None:
        if isinstance(value, Element):
            return elements[value][0] if value in elements else None
        if isinstance(value, bool | int | Fraction | str):
            literal = self.module.pool.lit(value, term.sort)
            return literal_label(literal, shown_sort(term)) if isinstance(literal, Lit) else None
        return None

    # --- what the claim and the rules speak of ---

    def _spoken(self, formula: Node, variables: Sequence[Var]) -> list[Node]:
        known = set(variables)
        found = dict.fromkeys(self._terms(formula, known))
        about = set(symbols_in(formula))
        about |= {term.op for term in found if isinstance(term, App) and isinstance(term.op, Symbol)}
        for rule in self._rules:
            if rule.symbols & about:
                for body in self._instances(rule, variables):
                    found |= dict.fromkeys(self._terms(body, known))
        return list(found)

    def _instances(self, rule: GeneralRule, variables: Sequence[Var]) -> Iterator[Node]:
        choices = [[var for var in variables if var.sort == binder.sort] for binder in rule.binders]
        for chosen in islice(product(*choices), _MOST_INSTANCES):
            yield substitute(self.module.pool, rule.body, dict(zip(rule.binders, chosen, strict=True)))

    def _terms(self, root: Node, known: set[Var]) -> list[Node]:
        """Applications and constants in a formula whose variables are known; of a macro its inputs too."""
        definitions = {each.symbol: each for each in self.module.definitions}
        found: dict[Node, None] = {}
        waiting: list[Node] = [root]
        while waiting and len(found) < 2 * MOST_VALUES:
            for node in islice(reachable(waiting.pop()), _MOST_NODES):
                symbol = node.op if isinstance(node, App) else node.symbol if isinstance(node, Sym) else None
                if not isinstance(symbol, Symbol) or node in found or not _is_shown(symbol):
                    continue
                if not known.issuperset(each for each in reachable(node) if isinstance(each, Var)):
                    continue
                found[node] = None
                definition = definitions.get(symbol)
                if definition is not None:
                    args = node.args if isinstance(node, App) else ()
                    inputs: dict[Node, Node] = dict(zip(definition.params, args, strict=True))
                    waiting.append(substitute(self.module.pool, definition.body, inputs))
        return list(found)


def marked(scenario: Scenario | None, other: Scenario | None) -> Scenario | None:
    """The scenario with the terms whose values differ from another one's."""
    if scenario is None or other is None:
        return scenario
    differing = (term for term, value in scenario.values.items() if other.values.get(term, value) != value)
    return scenario._replace(differs=tuple(differing))


def _is_shown(symbol: Symbol) -> bool:
    return symbol.kind in _SHOWN if symbol.domain else symbol.kind is not SymbolKind.FRESH


def _near(literal: Lit) -> list[object]:
    """The literal's value, and of a number its neighbours: limits are where claims begin to fail."""
    value = literal.value
    if literal.sort is INT and isinstance(value, int):
        return [value, value - 1, value + 1]
    if literal.sort is REAL and isinstance(value, int | Fraction):
        return [Fraction(value), Fraction(value) - 1, Fraction(value) + 1]
    return [value]


def antecedent(formula: Node) -> Node | None:
    """The condition of a rule for all values of its variables; None if the formula is none."""
    parts = opened(formula) if isinstance(formula, Quant) and formula.kind == "forall" else None
    body = None if parts is None else parts[1]
    return body.args[0] if isinstance(body, App) and body.op is op.IMPLIES else None


class ModelReading(NamedTuple):
    """How the models of sat results are read: `is_model` tells of those that evaluation rules out."""

    structure: Callable[[CheckResult], Structure | None]
    is_model: Callable[[Structure], bool]


class _ClaimInstance(NamedTuple):
    """A claim's body over constants that stand for its first variables, as solvers are sent it."""

    binders: tuple[Var, ...]
    symbols: dict[Var, Symbol]
    formula: Node


class ScenarioStep:
    """Adds scenarios to results whose verdict rests on models ([VERDICT-SCENARIO])."""

    def __init__(self, module: Module, verifier: Verifier, reading: ModelReading) -> None:
        """`module` is the program as compiled."""
        self._module = module
        self._verifier = verifier
        self._reading = reading
        self._maker = ScenarioMaker(module)

    def added(self, state: ClaimState, formula: Node, evidence: Evidence) -> Evidence:
        """The evidence with the scenarios of an undetermined or refuted claim, `formula` as compiled."""
        drafts = {
            holds: self._draft(state, formula, holds)
            for holds in ((True, False) if state.verdict is Verdict.UNDETERMINED else (False,))
        }
        for holds, draft in drafts.items():
            other = drafts.get(not holds)
            if (draft is None or not draft.leading) and other is not None:
                drafts[holds] = self._alike(state, formula, holds, other) or draft
        true, false = (
            None if (draft := drafts.get(holds)) is None else self._maker.scenario(draft, formula)
            for holds in (True, False)
        )
        return evidence._replace(
            could_be_true=self._model(state, drafts.get(True), evidence.could_be_true),
            could_be_false=self._model(state, drafts.get(False), evidence.could_be_false),
            true_scenario=marked(true, false),
            false_scenario=marked(false, true),
        )

    def _draft(self, state: ClaimState, formula: Node, holds: bool) -> ScenarioDraft | None:
        view = self._view(state, formula, holds)
        found = None if view is None else self._maker.draft(view, formula, holds)
        seeks = isinstance(formula, Quant) and (formula.kind == "exists") == holds
        if not seeks or (found is not None and found.leading):
            return found
        return self._asked(state, formula, holds) or found

    def _alike(
        self, state: ClaimState, formula: Node, holds: bool, other: ScenarioDraft
    ) -> ScenarioDraft | None:
        view = self._view(state, formula, holds)
        found = None if view is None else self._maker.alike(view, formula, other)
        condition = antecedent(formula) if holds else None
        if found is None or condition is None or found.view.value(condition, found.env) is True:
            return found
        # True of nothing at all: a model says more in which the condition is met.
        return self._meeting(state, formula, condition, other) or found

    def _view(self, state: ClaimState, formula: Node, holds: bool) -> StructureView | None:
        """The model of a side, unless evaluation says that it is none."""
        model = state.true_model if holds else state.false_model
        structure = None if model is None else self._reading.structure(model.result)
        if structure is None or not self._reading.is_model(structure):
            return None
        return self._maker.view(complete(structure, self._module), formula)

    def _meeting(
        self, state: ClaimState, formula: Node, condition: Node, other: ScenarioDraft
    ) -> ScenarioDraft | None:
        """An instance that a claim's condition is true of, in a model of the claim.

        It is asked for only where that costs next to nothing.
        """
        spent_ms = sum(check.time_ms for check in state.checks)
        if spent_ms > 2 * _MEET_MS or len(self._module.assertions) > _MOST_MEET:
            return None
        instance = self._instance(state, formula)
        body = None if instance is None else instance.formula
        if instance is None or not isinstance(body, App) or body.op is not op.IMPLIES:
            return None
        goals = [state.formula, body.args[0]]
        found = self._ask(instance, lambda encoding: "".join(map(encoding.goal, goals)), _MEET_MS)
        if found is None:
            return None
        structure, encoding = found
        view = self._maker.view(complete(structure, self._module), formula)
        # Over infinite sorts evaluation may not tell, and then the solver's word is as good as before.
        draft = None if view.value(formula, {}) is False else self._maker.alike(view, formula, other)
        if draft is None or view.value(condition, draft.env) is not True:
            return None
        return draft._replace(encoding=encoding)

    def _asked(self, state: ClaimState, formula: Node, holds: bool) -> ScenarioDraft | None:
        """A model in which constants stand for the first quantifiers' variables.

        Over numbers a model may fail where no candidate lies.
        """
        parts, instance = opened(formula), self._instance(state, formula)
        if parts is None or instance is None:
            return None
        goal = instance.formula
        found = self._ask(instance, lambda encoding: encoding.goal(goal, negated=not holds), _ASK_MS)
        if found is None:
            return None
        structure, encoding = found
        view = self._maker.view(complete(structure, self._module), formula)
        env = {var: next(iter(view.domain(var.sort)), None) for var in instance.binders}
        env |= {var: structure.functions.get(symbol) for var, symbol in instance.symbols.items()}
        if view.value(parts[1], env) is not holds:
            return None
        return ScenarioDraft(view, play(view, parts[1], holds, env), True, encoding)

    def _instance(self, state: ClaimState, formula: Node) -> _ClaimInstance | None:
        pool = self._verifier.terms.module.pool
        parts, sent = opened(formula), opened(state.formula)
        if parts is None or sent is None:
            return None
        # Passes leave out binders that do not matter, and may rename the others.
        kept = {var: var for var in sent[0] if var in parts[0]}
        if len(kept) < len(sent[0]):
            if [var.sort for var in parts[0]] != [var.sort for var in sent[0]]:
                return None
            kept = dict(zip(parts[0], sent[0], strict=True))
        symbols = {
            var: Symbol(f"witness.{at}", (), var.sort, SymbolKind.FRESH) for at, var in enumerate(kept)
        }
        unknowns: dict[Node, Node] = {kept[var]: pool.sym(symbol) for var, symbol in symbols.items()}
        return _ClaimInstance(parts[0], symbols, substitute(pool, sent[1], unknowns))

    def _ask(
        self, instance: _ClaimInstance, goal: Callable[[Encoding], str], most_ms: float
    ) -> tuple[Structure, Encoding] | None:
        """A model of the assumptions, and of what is said of the instance's constants."""

        def build(encoding: Encoding) -> Query:
            text = "".join(encoding.declare(symbol) for symbol in instance.symbols.values())
            return self._verifier.query(encoding, text + goal(encoding))._replace(model=True)

        result = self._verifier.dispatcher.ask_first("claim", build, most_ms=most_ms)
        if result.model is None or result.encoding is None:
            return None
        lowered = self._verifier.terms.module
        module = replace(lowered, symbols=(*lowered.symbols, *instance.symbols.values()))
        try:
            structure = read_structure(result.model, module, result.encoding.dialect)
        except UnreadableModel:
            return None
        return (structure, result.encoding) if self._reading.is_model(structure) else None

    def _model(self, state: ClaimState, draft: ScenarioDraft | None, shown: Model | None) -> Model | None:
        """The values to show beside a scenario: those of its own model, with its names for elements."""
        names = {} if draft is None else self._maker.unnamed(draft)
        if draft is None or shown is None or not (names or draft.encoding):
            return shown
        own = state.true_model or state.false_model
        encoding = draft.encoding or (None if own is None else own.encoding)
        if encoding is None:
            return shown
        result = CheckResult("sat", None, (), structure=lambda: draft.view.structure)
        model = evaluated(self._module, PartialModel(encoding, {}, result), (*state.terms, *state.named))
        if model is None:
            return None
        return read_model(model, state.terms, state.named, names)
