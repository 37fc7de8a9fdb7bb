"""A problem as an answer set program for clingo, whose answer sets are the models of the assumptions.

What is open is chosen, what is closed follows by rules, what is assumed is a constraint. A declared sort that
is not closed has its constants as members, and one more for each thing that is said to exist: that decides
the question where no rule goes on to say that another thing exists, and no function makes one (J. Herbrand;
M. Schönfinkel and P. Bernays, 1928). M. Gebser, R. Kaminski, B. Kaufmann, T. Schaub, "Answer set solving in
practice" (2012).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from potlang.export.asp_rules import Members, Predicates, RuleWriter, spelled
from potlang.export.first_order import defining_formula, first_order
from potlang.export.problem import NoCounterpart, ToolProblem, label, stated_at
from potlang.export.texts import Names
from potlang.ir import operators as op
from potlang.ir.module import COMPLETION, Assertion, AssertionKind
from potlang.ir.nnf import NegationNormalForm
from potlang.ir.nodes import (
    App,
    Node,
    Quant,
    Sym,
    Symbol,
    SymbolKind,
    Var,
    reachable,
    symbols_in,
)
from potlang.ir.sorts import BOOL, Sort
from potlang.ir.substitute import substitute, with_children
from potlang.sema.completion import ClosedPredicate, completed, defining_rules, dependence
from potlang.sema.known import DefiningRule

_HEAD: Final = """\
% A program of potlang as an answer set program: its answer sets are the models of what is assumed.
% `clingo FILE` says whether there is one. `clingo FILE -c claim=1` asks for one in which the first claim is
% true, with `-c side=0` for one in which it is not. Both found: the claim is undetermined; the first alone:
% it is entailed; the second alone: it is refuted; none: the assumptions are inconsistent.

#const claim = 0.
#const side = 1.
"""
_WORDS: Final = ("claim", "side", "not")


def asp_text(problem: ToolProblem) -> str:
    """The answer set program. Raises `NoCounterpart`."""
    return _AspWriter(problem).text()


class _AspWriter:
    """Chooses what is a rule and what is a constraint, and puts the parts in order."""

    def __init__(self, problem: ToolProblem) -> None:
        self._problem = problem
        self._pool = problem.pool
        self._normal = NegationNormalForm(self._pool)
        names = Names(spelled, _WORDS)
        self._members = Members(problem, names)
        self._predicates = Predicates(problem, self._members, names)
        self._writer = RuleWriter(self._members, self._predicates, names)
        self._least = self._rules_of_closed()
        """The rules of the predicates that are closed by rules; the others are chosen and constrained."""
        self._pure = {id(each) for each in problem.assertions if _says_rules_alone(each, self._least)}

    def text(self) -> str:
        """All of it: what is declared is known only after the formulas are written."""
        stated: list[str] = []
        for definition in self._problem.definitions:
            with stated_at(definition.origin):
                formula = defining_formula(self._pool, definition)
                stated.append(f"\n% {label('definition', definition.symbol.name, definition.origin)}")
                stated += self._assumed(formula)
        for assertion in self._problem.assertions:
            with stated_at(assertion.origin):
                stated += self._assertion(assertion)
        for number, (claim, formula) in enumerate(self._problem.asked, 1):
            with stated_at(claim.origin):
                stated.append(f"\n% {label(f'claim {number}:', claim.name, claim.origin)}")
                stated += self._asked(number, formula)
        open_ = [each for each in self._problem.symbols if each not in self._least]
        open_ += [each.symbol for each in self._problem.definitions]
        declared = [*self._members.facts(), *self._predicates.choices(open_)]
        laws = [*self._members.laws(), *self._predicates.congruence()]
        shown = ["", "% What is shown of a model.", *self._predicates.shown()]
        return "\n".join([_HEAD, *declared, *laws, *stated, *shown, ""])

    # --- closed predicates ---

    def _rules_of_closed(self) -> dict[Symbol, list[DefiningRule]]:
        """The rules of the closed predicates that speak of listed members alone."""
        problem = self._problem
        closed = completed(problem.assertions)
        if not closed:
            return {}
        found: dict[Symbol, list[DefiningRule]] = {}
        assertions = [each for each in problem.assertions if not each.key.startswith(COMPLETION)]
        for group in dependence(dict.fromkeys(closed, ""), assertions, problem.definitions):
            if all(map(self._is_listed, group)):
                found.update((each.symbol, each.rules) for each in group)
        return found

    def _is_listed(self, predicate: ClosedPredicate) -> bool:
        sorts = set(predicate.symbol.domain)
        for rule in predicate.rules:
            sorts.update(var.sort for var in rule.variables)
            if any(var.sort is BOOL for var in rule.variables):
                # A truth value would be a condition and an argument at once.
                return False
            for node in reachable(*rule.args, *rule.conditions):
                if isinstance(node, Quant):
                    sorts.update(var.sort for var in node.binders)
                elif node.sort is not BOOL:
                    sorts.add(node.sort)
            if any(
                isinstance(node, App) and isinstance(node.op, op.Operator) for node in reachable(*rule.args)
            ):
                return False
        return all(sort is BOOL or self._members.is_listed(sort) for sort in sorts)

    def _assertion(self, assertion: Assertion) -> Iterator[str]:
        if assertion.key.startswith(COMPLETION):
            if all(symbol in self._least for symbol in completed([assertion])):
                return
        elif assertion.kind is AssertionKind.SEMANTICS and self._is_of_listed_sorts(assertion.formula):
            return
        yield f"\n% {label(str(assertion.kind), assertion.name, assertion.origin)}"
        for symbol, rule in defining_rules(assertion, self._least):
            yield from self._rule(symbol, rule)
        if id(assertion) not in self._pure:
            yield from self._assumed(assertion.formula)

    def _is_of_listed_sorts(self, formula: Node) -> bool:
        """Whether names that differ, or are all, are so because they are written differently."""
        symbols = symbols_in(formula)
        return bool(symbols) and all(
            self._members.is_listed(symbol.range) and not symbol.domain for symbol in symbols
        )

    def _rule(self, symbol: Symbol, rule: DefiningRule) -> list[str]:
        conditions = [self._normal.of(first_order(self._pool, each)) for each in rule.conditions]
        return self._writer.rule(symbol, rule.args, rule.variables, conditions)

    # --- constraints ---

    def _assumed(self, formula: Node) -> list[str]:
        plain = self._normal.of(first_order(self._pool, formula))
        return self._writer.constraint(self._skolemized(plain))

    def _asked(self, number: int, formula: Node) -> Iterator[str]:
        plain = first_order(self._pool, formula)
        for side in (1, 0):
            normal = self._normal.of(plain, side == 1)
            yield from self._writer.constraint(
                self._skolemized(normal), (f"claim = {number}", f"side = {side}")
            )

    def _skolemized(self, normal: Node) -> Node:
        """The normal form, with a new member for each thing of an open sort that it says exists."""
        pool, done = self._pool, dict[int, Node]()
        for node in _not_below_forall(normal):
            if isinstance(node, App):
                parts = {arg.id: done.get(arg.id, arg) for arg in node.args}
                done[node.id] = with_children(pool, node, parts)
            elif isinstance(node, Quant) and node.kind == "exists":
                done[node.id] = self._with_new_members(node, done.get(node.body.id, node.body))
        whole = done.get(normal.id, normal)
        self._refuse_new_members(whole)
        return whole

    def _with_new_members(self, node: Quant, body: Node) -> Node:
        new: dict[Node, Node] = {
            var: self._new_member(var) for var in node.binders if self._members.is_open(var.sort)
        }
        rest = tuple(var for var in node.binders if var not in new)
        body = substitute(self._pool, body, new) if new else body
        return self._pool.quant("exists", rest, body) if rest else body

    def _new_member(self, var: Var) -> Node:
        symbol = Symbol(f"some {var.name}", (), var.sort, SymbolKind.FRESH)
        self._members.add(symbol)
        return self._pool.sym(symbol)

    def _refuse_new_members(self, normal: Node) -> None:
        for node in reachable(normal):
            if isinstance(node, Quant) and node.kind == "exists":
                for var in node.binders:
                    if self._members.is_open(var.sort):
                        raise NoCounterpart(
                            f"that for each value there is another of the sort {var.sort}, which is open",
                            _close(var.sort),
                        )


def _not_below_forall(normal: Node) -> list[Node]:
    """The connectives and quantifiers of a normal form that no `forall` is around, parts first."""
    found: dict[int, Node] = {}
    stack = [normal]
    while stack:
        node = stack.pop()
        if node.id in found:
            continue
        if isinstance(node, App) and node.op in (op.AND, op.OR):
            found[node.id] = node
            stack += node.args
        elif isinstance(node, Quant) and node.kind == "exists":
            found[node.id] = node
            stack.append(node.body)
    return [found[key] for key in sorted(found)]


def _close(sort: Sort) -> str:
    return f'close the sort: `"semantics": {{"unique_names": ["{sort}"], "closed_domain": ["{sort}"]}}`'


def _says_rules_alone(assertion: Assertion, least: dict[Symbol, list[DefiningRule]]) -> bool:
    """Whether an assertion says nothing besides rules of closed predicates."""
    stack = [assertion.formula]
    while stack:
        node = stack.pop()
        if isinstance(node, Quant) and node.kind == "forall":
            stack.append(node.body)
        elif isinstance(node, App) and node.op is op.IMPLIES:
            stack.append(node.args[1])
        elif isinstance(node, App) and node.op is op.AND:
            stack += node.args
        else:
            symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
            if symbol not in least:
                return False
    return True
