"""From a formula that is true or false of an event down to the rules that make it so ([GUARD-REASON])."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from potlang.ir import operators as op
from potlang.ir.module import Assertion
from potlang.ir.nodes import App, Node, Quant, Symbol, Var
from potlang.ir.sorts import BOOL
from potlang.policy.guard.session_facts import SessionFacts
from potlang.policy.guard.terms import TermCompiler, needed

MOST_RULES: Final = 20
"""Rules that a decision names."""
_MOST_PARTS: Final = 500
_CONNECTIVES: Final = (op.AND, op.OR, op.IMPLIES, op.NOT)

Values = dict[Var, object]


class RuleWalk:
    """From a formula that is true or false down to the rules of the closed predicates that make it so."""

    def __init__(self, compiler: TermCompiler, facts: SessionFacts, *, only_true: bool) -> None:
        self._compiler = compiler
        self._facts = facts
        self._only_true = only_true
        self._seen: set[tuple[object, ...]] = set()

    def value(self, node: Node, values: Values) -> object:
        """The value of a node by the facts; `NO_VALUE` where they do not say it."""
        return self._compiler.value(node, self._facts, values)

    def behind(self, root: Node, values: Values) -> list[Assertion]:
        """The rules, those nearer to the formula first."""
        found: list[Assertion] = []
        queue = [(root, values)]
        for node, env in queue:
            if len(found) >= MOST_RULES or len(queue) > _MOST_PARTS:
                break
            value = self.value(node, env)
            if not isinstance(value, bool):
                continue
            if isinstance(node, Quant):
                queue += self._witness(node, env, value)
            elif isinstance(node, App) and node.op in _CONNECTIVES:
                queue += self._deciding(node, env, value)
            elif isinstance(node, App) and isinstance(node.op, Symbol):
                queue += self._called(node.op, node.args, env, value, found)
            elif isinstance(node, App):
                queue += [(arg, env) for arg in node.args if arg.sort is BOOL]
        return found

    def _deciding(self, node: App, env: Values, value: bool) -> Iterator[tuple[Node, Values]]:
        """The parts that decide a connective: all where all count, else the first."""
        signs = [(arg, True) for arg in node.args]
        if node.op is op.IMPLIES:
            signs[0] = node.args[0], False
        # A conjunction that is false, or a disjunction that is true, has a part that decides.
        one = node.op is not op.NOT and value is (node.op is not op.AND)
        for arg, sign in signs:
            if not one:
                yield arg, env
            elif self._compiler.value(arg, self._facts, env) is (sign if node.op is not op.AND else False):
                yield arg, env
                return

    def _witness(self, node: Quant, env: Values, value: bool) -> Iterator[tuple[Node, Values]]:
        """The body for values that decide the quantifier, if there are any."""
        if value is not (node.kind == "exists"):
            return
        found = dict(env)
        pool = self._compiler.module.pool
        for at, var in enumerate(node.binders):
            rest = node.binders[at + 1 :]
            body = pool.quant(node.kind, rest, node.body) if rest else node.body
            listed = self._compiler.tried(
                pool.quant(node.kind, node.binders[at:], node.body), self._facts, found
            )
            chosen = next((each for each in listed if self.value(body, {**found, var: each}) is value), None)
            if chosen is None:
                return
            found[var] = chosen
        yield node.body, found

    def _called(
        self, symbol: Symbol, args: Sequence[Node], env: Values, value: bool, found: list[Assertion]
    ) -> Iterator[tuple[Node, Values]]:
        arguments = [self._compiler.value(arg, self._facts, env) for arg in args]
        key = (symbol, *arguments)
        if key in self._seen:
            return
        self._seen.add(key)
        definition = self._compiler.definition(symbol)
        if definition is not None:
            yield definition.body, dict(zip(definition.params, arguments, strict=True))
            return
        for way in self._compiler.ways.get(symbol, ()):
            inner = dict(zip(way.params, arguments, strict=True))
            holds = self._compiler.value(way.formula, self._facts, inner)
            # Rules for other tools say nothing of why this one is not permitted.
            if (value and holds is True) or (
                not value and not self._only_true and self.is_near(way.formula, inner)
            ):
                found.append(way.assertion)
                yield way.formula, inner
                if value:
                    return

    def is_near(self, formula: Node, env: Values) -> bool:
        """Whether a formula is not about another tool than the event's."""
        tool = self._compiler.roles.tool
        for part in needed(formula, wanted=True):
            if not isinstance(part, App) or part.op is not op.EQ:
                continue
            is_tool = any(applies(arg, tool) for arg in part.args)
            if is_tool and self._compiler.value(part, self._facts, env) is False:
                return False
        return True


def applies(node: Node, symbol: Symbol) -> bool:
    """Whether a node is a call of this function."""
    return isinstance(node, App) and node.op is symbol
