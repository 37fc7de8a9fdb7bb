"""A policy compiled for the sessions of a guard: its statements, and the facts of an event."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple

from potlang.diag import Sink
from potlang.expressions import surface
from potlang.expressions.expression import parse_expression
from potlang.ir import operators as op
from potlang.ir.fold import value_of
from potlang.ir.module import COMPLETION, Assertion, Module
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, Var, reachable
from potlang.ir.sorts import BOOL, INT, REAL, STRING, DeclaredSort, EnumSort
from potlang.languages.pot.program import CompileError, Program
from potlang.policy.cases import Case, CaseFact
from potlang.policy.guard.completed import CompletedPolicy
from potlang.policy.guard.deciding import Deciding, Follows, PolicyStatements
from potlang.policy.guard.ground import AbsentValues, EventStatement, GroundClause, NotGround, statements_of
from potlang.policy.guard.kleene import CompiledTerm
from potlang.policy.guard.options import GuardOptions
from potlang.policy.guard.roles import RoleSymbols
from potlang.policy.guard.session_facts import NO_VALUE, AtomKey, SessionFacts, TooManySteps
from potlang.policy.guard.terms import FramePlaces, TermCompiler
from potlang.sema import build_session
from potlang.sema.completion import dependence
from potlang.sema.kept_aggregates import KeptAggregate, KeptAggregates, WrittenOut
from potlang.sema.known import DefiningRule
from potlang.source import Document
from potlang.words.speaker import Speaker

_MOST_STEPS: Final = 2_000_000
_MOST_REMEMBERED: Final = 10_000
_MOST_TRIED: Final = 200
_MEANT: Final = ("s:closed domain of ", "s:unique names of ", COMPLETION)
"""Keys of assertions that say what facts are taken for: who has all of them needs no assertion."""


class EventFact(NamedTuple):
    """A value of a function, by number, at an event."""

    number: int
    value: object


class CompiledPolicy:
    """The statements of a policy as functions of a session's facts.

    Raises WrittenOut where the policy asks for all events in a way that only solvers are asked about.
    """

    def __init__(self, policy: CompletedPolicy, options: GuardOptions) -> None:
        self.program = policy.program
        self._event = policy.event
        self.turn = threading.Lock()
        """Held by who makes or reads formulas: their pool is not safe in threads."""
        kept = KeptAggregates([options.event])
        built = build_session(policy.program.tree, Sink(policy.program.document), kept=kept)
        if built is None:
            raise WrittenOut("a statement about all events")
        module, self._extension = built
        self._module = module
        self._roles = _roles(module, options, policy.event)
        aggregates = _lowered(kept, module)
        closed, recursive = _closed(policy.program, module)
        self.compiler = TermCompiler(module, self._roles, aggregates, closed, recursive)
        self._with_rules = {symbol for symbol, rules in closed.items() if rules}
        self._tables: list[dict[Any, object]] = [{} for _ in module.symbols]
        self._remembered: dict[tuple[str, str], EventFact] = {}
        statements = []
        for assertion in module.assertions:
            if not assertion.key.startswith(_MEANT) and not self._is_table_fact(assertion):
                statements += list(statements_of(assertion, self.compiler))
        self.statements = PolicyStatements(statements)
        self._tried = _tried(module, self.compiler)
        self._absent = AbsentValues(self._tried)
        var = module.pool.var("e", self._roles.sort)
        self._claim_formula = module.pool.app(self._roles.allowed, (var,))
        self._claim_term = self.compiler.term(self._claim_formula, FramePlaces((var,)))
        self._mark = len(module.pool)

    # --- facts ---

    def begun(self) -> SessionFacts:
        """The facts of a session in which nothing has happened."""
        facts = SessionFacts([table.copy() for table in self._tables])
        facts.steps = _MOST_STEPS
        facts.base = [clause for each in self.statements.eventless for clause in each.everywhere(facts)]
        return facts

    def event_facts(self, fields: Mapping[str, Any], earlier: Mapping[str, int]) -> list[EventFact]:
        """The facts about an event with these fields; `earlier` are the positions of events by name.

        Raises CompileError for unknown names, and values that are not of their sorts.
        """
        with self.turn:
            found, others = [], {}
            for name, value in fields.items():
                symbol = self._function(name)
                if symbol is not None and symbol.range == self._roles.sort and value in earlier:
                    found.append(EventFact(self.compiler.numbers[symbol], earlier[value]))
                else:
                    others[name] = value
            case = Case({self._event: others})
            for fact in case.content(self.program).facts:
                found.append(self._event_fact(fact, case.document))
            return found

    def _function(self, name: str) -> Symbol | None:
        return next((each for each in self._module.symbols if each.name == name and each.domain), None)

    def _event_fact(self, fact: CaseFact, document: Document) -> EventFact:
        key = fact.name, fact.text
        found = self._remembered.get(key)
        if found is None:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            found = self._remembered[key] = self._read_fact(fact, document)
        return found

    def _read_fact(self, fact: CaseFact, document: Document) -> EventFact:
        sink = Sink(document)
        root = parse_expression(fact.text, fact.pointer, sink)
        node = self._extension.formula(surface.Formula(fact.pointer, fact.text, root), sink)
        if node is None or sink.has_errors:
            raise CompileError(sink.diagnostics(), document)
        found = self._table_fact(node)
        self._module.pool.release(self._mark, literals=True)
        if found is None:
            raise NotGround
        return EventFact(found[0], found[2])

    def add(self, facts: SessionFacts, event: int, found: list[EventFact]) -> None:
        """Adds facts about an event, which is the next one or one that there is."""
        for number, value in found:
            facts.tables[number][event] = value
            symbol = self._module.symbols[number]
            if value is False and symbol in self._with_rules:
                facts.is_plain = False
            if symbol is self._roles.tool and event == facts.count:
                facts.by_tool.setdefault(value, []).append(event)
        if event == facts.count:
            facts.count += 1
            facts.clauses.append([])
        facts.stale = min(facts.stale, event)

    # --- deciding ---

    def decide(self, facts: SessionFacts) -> Follows | None:
        """The verdict on the last event by facts alone; None if that is not decided by them."""
        if not facts.is_plain:
            return None
        facts.steps = _MOST_STEPS
        facts.memo.clear()
        try:
            clauses = list(self._clauses(facts))
            return Deciding(facts, self._claim(facts), self._near(facts)).decide(clauses)
        except (TooManySteps, RecursionError):
            return None

    def _near(self, facts: SessionFacts) -> Callable[[int], Sequence[object]]:
        """For the number of a function the values that are tried where it has none: the last event's, too."""
        last = facts.count - 1
        given = [(self._module.symbols[at].range, table.get(last)) for at, table in enumerate(facts.tables)]

        def tried(number: int) -> Sequence[object]:
            sort = self._module.symbols[number].range
            own: list[Any] = [value for range_, value in given if range_ == sort and value is not None]
            steps = (0, 1, -1) if sort in (INT, REAL) else (0,)
            near = [value + step if step else value for value in own for step in steps]
            return list(dict.fromkeys([*near, *self._tried(number)]))

        return tried

    def _clauses(self, facts: SessionFacts) -> Iterator[GroundClause]:
        facts.assigned, facts.default = {}, NO_VALUE
        for event in range(facts.stale, facts.count):
            made = [clause for each in self.statements.by_event for clause in each.at(facts, event)]
            facts.clauses[event] = self._absent.without(made, facts, event) if made else made
        facts.stale = facts.count
        yield from facts.base
        for listed in facts.clauses:
            yield from listed
        for each in self.statements.volatile:
            yield from each.everywhere(facts)

    def _claim(self, facts: SessionFacts) -> AtomKey | CompiledTerm:
        allowed, event = self._roles.allowed, facts.count - 1
        if self.compiler.is_open(allowed):
            return self.compiler.numbers[allowed], event
        return self._claim_term

    def claim_node(self, facts: SessionFacts) -> tuple[Node, dict[Var, object]]:
        """The claim that an event is allowed, and the last event as the value of its variable."""
        return self._claim_formula, {self._claim_formula.args[0]: facts.count - 1}  # type: ignore[dict-item]

    @cached_property
    def speaker(self) -> Speaker:
        """Says the policy's formulas in words."""
        return Speaker(self.program.extension, self.program.tree)

    def forget_formulas(self) -> None:
        """Forgets the formulas that were made of the policy's to speak of one event."""
        self._module.pool.release(self._mark, literals=True)

    @cached_property
    def about_claim(self) -> list[tuple[EventStatement, Var]]:
        """The statements that say of one event that it is allowed, and its variable."""
        number = self.compiler.numbers[self._roles.allowed]
        found = []
        for each in self.statements.by_event:
            if each.concludes(number) and len(each.variables) == 1:
                found.append((each, each.variables[0]))
        return found

    # --- the policy's own facts ---

    def _is_table_fact(self, assertion: Assertion) -> bool:
        """Whether an assertion gives a function a value; then it is in its table."""
        found = self._table_fact(assertion.formula)
        if found is None:
            return False
        number, key, value = found
        if key is None or (isinstance(key, tuple) and None in key):
            return False
        if value is False and self._module.symbols[number] in self._with_rules:
            return False
        # Facts that contradict each other are statements.
        return self._tables[number].setdefault(key, value) == value

    def _table_fact(self, node: Node) -> tuple[int, Any, object] | None:
        """The function, by number, the arguments and the value that a fact is about."""
        if isinstance(node, App) and node.op is op.NOT:
            found = self._table_fact(node.args[0])
            return None if found is None or found[2] is not True else (found[0], found[1], False)
        if isinstance(node, App) and node.op in (op.EQ, op.IFF):
            for one, other in (node.args, node.args[::-1]):
                term, value = self._applied(one), self._constant(other)
                if term is not None and value is not NO_VALUE:
                    return *term, value
            return None
        term = self._applied(node)
        return None if term is None else (*term, True)

    def _applied(self, node: Node) -> tuple[int, Any] | None:
        """A function that is neither defined nor an individual, and its arguments."""
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        kinds = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE)
        if not isinstance(symbol, Symbol) or symbol.kind not in kinds or self.compiler.element(symbol):
            return None
        if self.compiler.definition(symbol) is not None or symbol is self._roles.event:
            return None
        args = node.args if isinstance(node, App) else ()
        values = [None if _is(arg, self._roles.event) else self._constant(arg) for arg in args]
        if any(value is NO_VALUE for value in values):
            return None
        return self.compiler.numbers[symbol], values[0] if len(values) == 1 else tuple(values)

    def _constant(self, node: Node) -> object:
        if isinstance(node, Lit):
            return value_of(node)
        if isinstance(node, Sym):
            element = self.compiler.element(node.symbol)
            return NO_VALUE if element is None else element
        if any(isinstance(each, Sym) or not isinstance(each, Lit | App) for each in reachable(node)):
            return NO_VALUE
        return self.compiler.term(node, FramePlaces()).compute([SessionFacts(self._tables)])


def _is(node: Node, symbol: Symbol) -> bool:
    return isinstance(node, Sym) and node.symbol is symbol


def _roles(module: Module, options: GuardOptions, event: str) -> RoleSymbols:
    by_name = {each.name: each for each in module.symbols}
    names = (event, options.tool, options.turn, options.allowed)
    constant, tool, turn, allowed = (by_name[name] for name in names)
    return RoleSymbols(constant.range, constant, tool, turn, allowed)


def _lowered(kept: KeptAggregates, module: Module) -> dict[Symbol, KeptAggregate]:
    """The aggregates by the symbols of the module, which numbers may stand in."""
    by_name = {each.name: aggregate for each, aggregate in kept.found.items()}
    terms = {each.symbol.name: each.symbol for each in module.definitions}
    found: dict[Symbol, KeptAggregate] = {}
    for node in reachable(*module.formulas()):
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        if isinstance(symbol, Symbol) and symbol.kind is SymbolKind.FRESH and symbol.name in by_name:
            aggregate = by_name[symbol.name]
            found[symbol] = aggregate._replace(term=terms[aggregate.term.name])
    return found


def _closed(program: Program, module: Module) -> tuple[dict[Symbol, list[DefiningRule]], frozenset[Symbol]]:
    """The closed predicates with their rules, and those of them that depend on themselves."""
    names = {each.name for each in program.tree.functions if each.closed}
    for assertion in module.assertions:
        if assertion.key.startswith(COMPLETION) and not names.issuperset(_completed_names(assertion)):
            raise WrittenOut("a pack closes predicates")
    closed = {each: "" for each in module.symbols if each.name in names}
    assertions = [each for each in module.assertions if not each.key.startswith(COMPLETION)]
    rules: dict[Symbol, list[DefiningRule]] = {}
    recursive: set[Symbol] = set()
    for group in dependence(closed, assertions, module.definitions):
        inside = {each.symbol for each in group}
        for each in group:
            # A fact is in the table of its predicate.
            rules[each.symbol] = [rule for rule in each.rules if rule.variables or rule.conditions]
            if any(symbol in inside for symbol, _ in each.needs):
                recursive |= inside
    return rules, frozenset(recursive)


def _completed_names(assertion: Assertion) -> list[str]:
    return assertion.name.removeprefix("closed ").split(", ")


def _tried(module: Module, compiler: TermCompiler) -> Callable[[int], Sequence[object]]:
    """For the number of a function the values that are tried where it has none: near those in the policy."""
    literals = [node for node in reachable(*module.formulas()) if isinstance(node, Lit)]
    numbers = {Fraction(node.value) for node in literals if isinstance(node.value, int | Fraction)}
    steps = (Fraction(-1), Fraction(0), Fraction(1))
    near = sorted({*steps, *(each + step for each in numbers for step in steps)}, key=abs)[:_MOST_TRIED]
    texts = ["", *sorted({str(node.value) for node in literals if node.sort is STRING})][:_MOST_TRIED]

    def tried(number: int) -> Sequence[object]:
        sort = module.symbols[number].range
        if sort is INT:
            return [int(each) for each in near if each == int(each)]
        if sort is REAL:
            return near
        if sort is STRING:
            return texts
        if isinstance(sort, EnumSort):
            return sort.values
        if sort is BOOL:
            return (False, True)
        return compiler.members(sort) if isinstance(sort, DeclaredSort) else ()

    return tried
