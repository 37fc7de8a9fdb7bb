"""Large programs of ground facts: a check is decided by the few facts that the other formulas speak of.

All other facts can be given their values afterwards, one by one ([GROUND-FACTS]).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from potlang.engines.check import Check, CheckResult
from potlang.engines.context import ProgramContext
from potlang.engines.ground.procedure import GroundProcedure
from potlang.engines.kernel_reading import KernelReading
from potlang.ir import operators as op
from potlang.ir.fold import value_of
from potlang.ir.module import Assertion, Claim, Module, Origin
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var, reachable
from potlang.ir.sorts import DeclaredSort
from potlang.ir.structure import FunctionTable, Structure
from potlang.ir.values import Element

FACTS_MS = 100
"""The time for a check: where few formulas are no facts it takes some milliseconds, and others wait."""


class FactsProcedure:
    """Decides checks of programs without definitions in which every formula is as [GROUND-FACTS] says."""

    name = GroundProcedure.name

    def __init__(self, context: ProgramContext, most_ms: int, most_others: int) -> None:
        """`most_others` of the assumptions may be no facts."""
        self._context = context
        self._most_ms = most_ms
        self._most_others = most_others
        self._functions = [each for each in context.lowered.symbols if each.domain]
        self._assumptions: tuple[Sequence[Assertion], _Assumptions | None] | None = None

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`."""
        assumed = self._assumed(check)
        if assumed is None:
            return None
        formulas = [each.formula for each in assumed.others]
        if check.formula is not None:
            formulas.append(check.formula)
        nodes = reachable(*formulas)
        if not all(map(_is_plain, nodes)):
            return None
        facts = (assumed.facts.get(node.id) for node in nodes)
        kept = (*assumed.others, *(each for each in facts if each is not None))
        found = self._decided(kept, check)
        if found is None or found.structure is None:
            return found
        model = found.structure()
        if model is None or _merges_constants(model):
            return None
        return found._replace(structure=lambda: _extended(model, self._context.lowered, assumed))

    def _assumed(self, check: Check) -> _Assumptions | None:
        """The assumptions of a check, sorted out; None where there are other things among them."""
        if self._context.lowered.definitions:
            return None
        if check.alone:
            return _sorted_out(check.assumptions, self._most_others)
        # They are the same for many claims.
        if self._assumptions is None or self._assumptions[0] is not check.assumptions:
            every = (*self._context.lowered.assertions, *check.assumptions)
            self._assumptions = check.assumptions, _sorted_out(every, self._most_others)
        return self._assumptions[1]

    def _decided(self, kept: tuple[Assertion, ...], check: Check) -> CheckResult | None:
        """The check decided by grounding, in a program that has these assumptions alone."""
        formula, claim = check.formula, check.claim
        if formula is not None and claim is None:
            claim = Claim("claim", "claim", formula, Origin(""))
        claims = () if claim is None else (claim,)
        nodes = reachable(*(each.formula for each in (*kept, *claims)))
        constants = (node.symbol for node in nodes if isinstance(node, Sym))
        part = replace(
            self._context.lowered,
            # All functions, so that each has a default in the model.
            symbols=tuple(dict.fromkeys((*self._functions, *constants))),
            assertions=kept,
            claims=claims,
            norms=(),
            optimization=None,
        )
        context = self._context._replace(module=part, lowered=part, reading=KernelReading(part))
        procedure = GroundProcedure(context, self._most_ms, finite_only=True)
        return procedure.decide(check._replace(assumptions=(), alone=False, claim=claim))


class _Assumptions:
    """Facts by the id of the term that they give a value, and the other assumptions."""

    def __init__(self) -> None:
        self.facts: dict[int, Assertion] = {}
        self.others: list[Assertion] = []


def _sorted_out(assertions: Iterable[Assertion], most_others: int) -> _Assumptions | None:
    """The assumptions; None where two facts differ about a term, or too many are no facts."""
    found = _Assumptions()
    facts, others = found.facts, found.others
    for assertion in assertions:
        formula = assertion.formula
        fact = _fact(formula)
        if fact is None and _keeps_apart(formula):
            # So does every model that is accepted here.
            continue
        if fact is None:
            others.append(assertion)
            if len(others) > most_others or isinstance(formula, Quant):
                return None
        elif facts.setdefault(fact[0].id, assertion).formula is not formula:
            return None
    return found


def _fact(formula: Node) -> tuple[App, Node | bool] | None:
    """The term that a fact is about, and the value that it gives it; None for other formulas."""
    if type(formula) is not App:
        return None
    term: Node = formula
    value: Node | bool = True
    if formula.op is op.NOT:
        term, value = formula.args[0], False
    elif formula.op is op.EQ:
        term, value = formula.args
        if _is_name(term):
            term, value = value, term
        if not _is_name(value):
            return None
    return (term, value) if type(term) is App and _is_plain_term(term) else None


def _keeps_apart(formula: Node) -> bool:
    """Whether a formula says that constants of a declared sort are different ones, each named once."""
    if type(formula) is not App or formula.op is not op.DISTINCT:
        return False
    constants = {arg.id for arg in formula.args if type(arg) is Sym and type(arg.sort) is DeclaredSort}
    return len(constants) == len(formula.args)


def _is_name(node: Node) -> bool:
    """Whether a term is a literal, or a constant of a declared sort."""
    return type(node) is Lit or (type(node) is Sym and type(node.sort) is DeclaredSort)


def _is_plain_term(node: App) -> bool:
    """Whether it is a declared function at names."""
    head = node.op
    if type(head) is not Symbol or head.kind is not SymbolKind.FUNCTION:
        return False
    # `_is_name` of all, at a third of the price: large programs ask it of very many terms.
    for arg in node.args:
        if type(arg) is not Lit and (type(arg) is not Sym or type(arg.sort) is not DeclaredSort):
            return False
    return True


def _is_plain(node: Node) -> bool:
    """Whether it is no variable and no quantifier, and applies functions to names alone."""
    if isinstance(node, App):
        return not isinstance(node.op, Symbol) or _is_plain_term(node)
    return not isinstance(node, Quant | Var)


# --- models ------------------------------------------------------------------------------------------


def _merges_constants(model: Structure) -> bool:
    """Whether two constants of a declared sort are one element."""
    elements = [each for each in model.functions.values() if isinstance(each, Element)]
    return len(set(elements)) < len(elements)


def _extended(model: Structure, program: Module, assumed: _Assumptions) -> Structure:
    """The model with an element for each further constant, and with all facts."""
    universe, functions = dict(model.universe), dict(model.functions)
    for symbol in program.symbols:
        sort = symbol.range
        if not symbol.domain and isinstance(sort, DeclaredSort) and symbol not in functions:
            functions[symbol] = Element(sort.name, universe[sort])
            universe[sort] += 1

    values: dict[int, object] = {}

    def value(node: Node) -> object:
        assert isinstance(node, Sym | Lit)
        found = values[node.id] = functions[node.symbol] if isinstance(node, Sym) else value_of(node)
        return found

    tables: dict[Symbol, dict[tuple[object, ...], object]] = {}
    for assertion in assumed.facts.values():
        fact = _fact(assertion.formula)
        assert fact is not None and isinstance(fact[0].op, Symbol)
        term, given = fact
        args = tuple([values.get(arg.id) or value(arg) for arg in term.args])
        meant = given if isinstance(given, bool) else value(given)
        tables.setdefault(fact[0].op, {})[args] = meant
    for symbol, entries in tables.items():
        table = functions.get(symbol)
        known = table if isinstance(table, FunctionTable) else FunctionTable()
        functions[symbol] = FunctionTable({**known.entries, **entries}, known.default)
    return Structure(universe, functions, model.definitions)
