"""From terms of dates, money and quantities to terms of the numbers that stand for them.

A module without such sorts is lowered already. Symbols and variables of the result keep beside them the
sorts that the program writes, by which reports show their values ([QTY-SHOWN]).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from potlang.ir import operators as op
from potlang.ir.measures import DATE, DATETIME, FIRST_DAY, LAST_DAY, SECONDS_OF_A_DAY
from potlang.ir.module import Assertion, AssertionKind, Claim, Definition, Module, Objective, Origin
from potlang.ir.nodes import (
    App,
    Lit,
    Node,
    Quant,
    Sym,
    Symbol,
    SymbolKind,
    Var,
    free_variable_sets,
    reachable,
)
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    ArraySort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    MeasureSort,
    SetSort,
    Sort,
    TupleSort,
    parts_of,
)
from potlang.sema.almanac import ADD_MONTHS, ADD_MONTHS_UP, DAY, MONTH, WEEKDAY, YEAR, Calendar
from potlang.sema.measures import measure_of, number_under

_CALENDAR = frozenset((YEAR, MONTH, DAY, WEEKDAY, ADD_MONTHS, ADD_MONTHS_UP))
_GUARD = "calendar of "


class Lowering:
    """Lowers the terms of one pool, each once; symbols and variables have one image each."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._sorts: dict[Sort, Sort] = {}
        self._symbols: dict[Symbol, Symbol] = {}
        self._variables: dict[Var, Var] = {}
        self._calendar = Calendar(pool)

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The functions of the calendar that have occurred so far, each after those that it uses."""
        return tuple(self._calendar.definitions)

    def forget(self) -> None:
        """Forgets the variables of the terms so far, which no later term has."""
        self._variables.clear()

    def module(self, module: Module) -> Module:
        """The module over numbers; its `typed` is the one given."""
        definitions = [self._definition(each) for each in module.definitions]
        assertions = [each._replace(formula=self.term(each.formula)) for each in module.assertions]
        claims = tuple(self.claim(each) for each in module.claims)
        norms = tuple(self.claim(each) for each in module.norms)
        optimization = module.optimization
        if optimization is not None:
            constraints = tuple(c._replace(formula=self.term(c.formula)) for c in optimization.constraints)
            objectives = tuple(self._objective(each) for each in optimization.objectives)
            optimization = optimization._replace(constraints=constraints, objectives=objectives)
        symbols = tuple(self.symbol(each) for each in module.symbols)
        known = self._known([*(each.formula for each in assertions), *(c.formula for c in claims)])
        sorts = tuple(self.sort(each) for each in module.sorts)
        return replace(
            module,
            sorts=tuple(sort for sort in sorts if isinstance(sort, DeclaredSort | EnumSort | TupleSort)),
            symbols=symbols,
            definitions=(*self.definitions, *definitions),
            assertions=(*self.guards(symbols), *known, *assertions),
            claims=claims,
            norms=norms,
            optimization=optimization,
            typed=module,
        )

    def claim(self, claim: Claim) -> Claim:
        """A claim over numbers."""
        find = tuple(self._variable(var) for var in claim.find)
        formula = self.term(claim.formula)
        guards = [guard for var in find if (guard := self._guard(var, var.shown)) is not None]
        formula = self._with_lemmas(formula, find)
        return claim._replace(formula=self._pool.conj((*guards, formula)), find=find)

    def _known(self, formulas: Iterable[Node]) -> list[Assertion]:
        """Facts of the calendar on the months of constants that occur in formulas."""
        formulas = list(formulas)
        free = free_variable_sets(*formulas)
        terms = [node for node in reachable(*formulas) if self._calendar.has(node) and not free[node.id]]
        origin = Origin("", "the calendar")
        lemmas = self._calendar.lemmas(terms)
        if lemmas is self._pool.true:
            return []
        return [Assertion("s:calendar", "calendar", AssertionKind.SEMANTICS, lemmas, origin)]

    def _with_lemmas(self, formula: Node, find: tuple[Var, ...]) -> Node:
        """A claim, with what holds of the months of its variables beside what is said of them.

        It stands below the first quantifiers, as a condition of universal ones, so that who refutes or proves
        the claim has it for the values that are asked for. It is valid, and the claim means what it meant.
        """
        layers: list[tuple[Quant | None, Node]] = []
        body = formula
        kind = "exists" if find else body.kind if isinstance(body, Quant) else ""
        while True:
            if isinstance(body, Quant) and body.kind == kind:
                layers.append((body, self._pool.true))
                body = body.body
            elif kind == "forall" and isinstance(body, App) and body.op is op.IMPLIES:
                layers.append((None, body.args[0]))
                body = body.args[1]
            else:
                break
        visible = {*find, *(var for quant, _ in layers if quant is not None for var in quant.binders)}
        if not visible or not self._calendar.definitions:
            return formula
        free = free_variable_sets(formula)
        terms = [n for n in reachable(formula) if self._calendar.has(n) and free[n.id] <= visible]
        lemmas = self._calendar.lemmas(terms)
        if lemmas is self._pool.true:
            return formula
        if kind == "exists":
            body = self._pool.conj((lemmas, body))
        else:
            if layers[-1][0] is None:
                lemmas = self._pool.conj((layers.pop()[1], lemmas))
            body = self._pool.implies(lemmas, body)
        for quant, condition in reversed(layers):
            if quant is None:
                body = self._pool.implies(condition, body)
            else:
                body = self._pool.quant(quant.kind, quant.binders, body)
        return body

    def guards(self, symbols: Iterable[Symbol]) -> list[Assertion]:
        """That the values of these symbols, as far as they are dates, are days of the calendar."""
        found: list[Assertion] = []
        for symbol in symbols:
            declared = symbol.declared
            if declared is None or symbol.kind in (
                SymbolKind.DEFINED,
                SymbolKind.CONSTRUCTOR,
                SymbolKind.SELECTOR,
            ):
                continue
            variables = tuple(self._pool.var(f"x{at}", sort) for at, sort in enumerate(symbol.domain))
            term: Node = self._pool.app(symbol, variables) if variables else self._pool.sym(symbol)
            guard = self._guard(term, declared.range)
            if guard is not None:
                formula = self._pool.quant("forall", variables, guard) if variables else guard
                name = f"{_GUARD}{symbol.name}"
                origin = Origin("", f"{symbol.name} is a {declared.range}")
                found.append(Assertion(f"s:{name}", name, AssertionKind.SEMANTICS, formula, origin))
        return found

    def _guard(self, term: Node, sort: Sort | None) -> Node | None:
        """That a term is a day, or a second, of the calendar; None for other sorts."""
        if sort == DATE:
            bounds = FIRST_DAY, LAST_DAY
        elif sort == DATETIME:
            bounds = FIRST_DAY * SECONDS_OF_A_DAY, (LAST_DAY + 1) * SECONDS_OF_A_DAY - 1
        else:
            return None
        low, high = (self._pool.integer(each) for each in bounds)
        return self._pool.conj((self._pool.app(op.LE, (low, term)), self._pool.app(op.LE, (term, high))))

    def _definition(self, definition: Definition) -> Definition:
        params = tuple(self._variable(param) for param in definition.params)
        body = self.term(definition.body)
        return definition._replace(symbol=self.symbol(definition.symbol), params=params, body=body)

    def _objective(self, objective: Objective) -> Objective:
        sort = objective.term.sort
        shown = sort if isinstance(sort, MeasureSort) else None
        return objective._replace(term=self.term(objective.term), shown=shown)

    # --- sorts and names ---

    def sort(self, sort: Sort) -> Sort:
        """The sort over numbers."""
        known = self._sorts.get(sort)
        if known is None:
            known = self._sorts[sort] = self._lowered(sort) if _has_measure(sort) else sort
        return known

    def _lowered(self, sort: Sort) -> Sort:
        # Recursion is bounded: sorts that are read nest no deeper than a limit.
        match sort:
            case MeasureSort(_, base):
                return base
            case SetSort(element):
                return SetSort(self.sort(element))
            case ArraySort(index, element):
                return ArraySort(self.sort(index), self.sort(element))
            case FunctionSort(domain, range_):
                return FunctionSort(tuple(map(self.sort, domain)), self.sort(range_))
            case TupleSort(name, fields):
                return TupleSort(name, tuple((field, self.sort(part)) for field, part in fields))
            case _:
                return sort

    def symbol(self, symbol: Symbol) -> Symbol:
        """The symbol over numbers: itself, or one that knows it."""
        known = self._symbols.get(symbol)
        if known is None:
            known = symbol
            if any(map(_has_measure, (*symbol.domain, symbol.range))):
                domain = tuple(map(self.sort, symbol.domain))
                known = Symbol(symbol.name, domain, self.sort(symbol.range), symbol.kind, symbol)
            self._symbols[symbol] = known
        return known

    def _variable(self, var: Var) -> Var:
        known = self._variables.get(var)
        if known is None:
            known = var
            if _has_measure(var.sort):
                known = self._pool.var(var.name, self.sort(var.sort))
                known.shown = var.sort
            self._variables[var] = known
        return known

    # --- terms ---

    def term(self, root: Node) -> Node:
        """The term over numbers; itself where it has nothing else."""
        done: dict[int, Node] = {}
        for node in reachable(root):
            done[node.id] = self._one(node, done)
        return done[root.id]

    def _one(self, node: Node, done: dict[int, Node]) -> Node:
        match node:
            case Lit(sort=sort, value=value):
                return self._pool.lit(value, self.sort(sort))
            case Sym(symbol=symbol):
                return self._pool.sym(self.symbol(symbol))
            case Var():
                return self._variable(node)
            case Quant():
                return self._quantifier(node, done[node.body.id])
            case App(op=head, args=args):
                return self._application(head, node, [done[arg.id] for arg in args])

    def _application(self, head: op.Operator | Symbol, node: App, args: list[Node]) -> Node:
        if isinstance(head, Symbol):
            if head in _CALENDAR:
                return self._calendar.applied(head, args)
            for sort in (node.sort, node.args[0].sort):
                if isinstance(sort, MeasureSort) and head in (number_under(sort), measure_of(sort)):
                    return args[0]
            head = self.symbol(head)
        if head is node.op and all(a is b for a, b in zip(args, node.args, strict=True)):
            return node
        return self._pool.app(head, tuple(args))

    def _quantifier(self, node: Quant, body: Node) -> Node:
        binders = tuple(self._variable(var) for var in node.binders)
        if binders == node.binders and body is node.body:
            return node
        guards = [guard for var in binders if (guard := self._guard(var, var.shown)) is not None]
        if guards and node.kind == "exists":
            body = self._pool.conj((*guards, body))
        elif guards and isinstance(body, App) and body.op is op.IMPLIES:
            # One implication, as rules have it: engines know their antecedents.
            body = self._pool.implies(self._pool.conj((*guards, body.args[0])), body.args[1])
        elif guards:
            body = self._pool.implies(self._pool.conj(guards), body)
        return self._pool.quant(node.kind, binders, body)


def _has_measure(sort: Sort) -> bool:
    return any(isinstance(part, MeasureSort) for part in parts_of((sort,)))
