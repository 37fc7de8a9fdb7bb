"""The reasons why nothing follows of an event: the rules that could allow it, what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from potlang.ir import operators as op
from potlang.ir.module import Assertion
from potlang.ir.nnf import Signed, signed_conjuncts
from potlang.ir.nodes import App, Node, Quant, Symbol, free_variables, reachable, symbols_in
from potlang.ir.sorts import BOOL
from potlang.ir.substitute import substitute
from potlang.policy.formula_text import formula_text
from potlang.policy.guard.compiled import CompiledPolicy
from potlang.policy.guard.rule_walk import MOST_RULES, RuleWalk, Values
from potlang.policy.guard.session_facts import NO_VALUE, SessionFacts
from potlang.sema.emit import Unwritable, Writer
from potlang.words.parts import Unsayable

MOST_MISSING: Final = 4
"""Missing facts that a reason names."""


class Undecided(NamedTuple):
    """The rules that could allow an event, those that keep them from it, and missing facts in words."""

    rules: tuple[Assertion, ...]
    missing: tuple[str, ...]


def undecided(policy: CompiledPolicy, facts: SessionFacts) -> Undecided:
    """The reasons why nothing follows of the last event."""
    search = _UndecidedRules(policy, facts)
    rules: list[Assertion] = []
    for statement, variable in policy.about_claim:
        rules += search.rules(statement.assertion, list(statement.signed), {variable: facts.count - 1})
    said = dict.fromkeys(filter(None, (_said(policy, each) for each in search.missing)))
    return Undecided(tuple(rules), tuple(said)[:MOST_MISSING])


class _UndecidedRules:
    """Looks through the conditions of rules for those that do not hold, and for what is not known."""

    def __init__(self, policy: CompiledPolicy, facts: SessionFacts) -> None:
        self._policy = policy
        self._true = RuleWalk(policy.compiler, facts, only_true=True)
        self._near = RuleWalk(policy.compiler, facts, only_true=False)
        self._last = facts.count - 1
        self.missing: list[Node] = []
        """Formulas and terms about the event alone whose value is not known."""
        self._seen: set[object] = set()

    def rules(self, rule: Assertion, clause: Sequence[Signed], values: Values) -> list[Assertion]:
        """A rule that could allow the event, given as a clause, and the rules that keep it from that."""
        conditions = [
            part
            for node, sign in clause
            if not self._is_claim(node)
            for part in signed_conjuncts(node, not sign)
        ]
        known = [(node, wanted, self._true.value(node, values)) for node, wanted in conditions]
        against = [node for node, wanted, value in known if value is not NO_VALUE and value is not wanted]
        if any(self._is_tool_alone(node) for node in against):
            return []
        found = [rule]
        if against:
            # What is true is a better reason than what nothing makes true.
            for walk in (self._true, self._near):
                behind = [each for node in against for each in walk.behind(node, values)]
                if behind:
                    return found + behind
            return found
        for node, _, value in known:
            if value is NO_VALUE:
                found += self._unknown(node, values)
        return found

    def _is_tool_alone(self, node: Node) -> bool:
        """Whether a formula asks for the tool and for nothing else: a rule with it is about other tools."""
        return {each for each in symbols_in(node) if each.domain} == {self._policy.compiler.roles.tool}

    def _is_claim(self, node: Node) -> bool:
        return isinstance(node, App) and node.op is self._policy.compiler.roles.allowed

    def _unknown(self, root: Node, values: Values) -> list[Assertion]:
        """The rules of closed predicates on the way to what is not known; that is added to `missing`."""
        found: list[Assertion] = []
        queue = [(root, values)]
        for node, env in queue:
            if len(found) >= MOST_RULES or len(self.missing) >= MOST_RULES:
                break
            key = node, *(env.get(var) for var in free_variables(node))
            if key in self._seen or self._true.value(node, env) is not NO_VALUE:
                continue
            self._seen.add(key)
            ways = self._policy.compiler.ways.get(node.op, ()) if isinstance(node, App) else ()  # type: ignore[arg-type]
            if ways:
                args = [self._true.value(arg, env) for arg in node.args]  # type: ignore[union-attr]
                for way in ways:
                    inner = dict(zip(way.params, args, strict=True))
                    if self._true.value(way.formula, inner) is NO_VALUE:
                        found.append(way.assertion)
                        queue.append((way.formula, inner))
            elif isinstance(node, App) and node.op in (op.AND, op.OR, op.NOT, op.IMPLIES):
                queue += [(arg, env) for arg in node.args]
            elif isinstance(node, Quant) or any(map(self._policy.compiler.folded, reachable(node))):
                self.missing += self._terms(node, env)
            elif self._is_of_event(node, env):
                self.missing.append(node)
        return found

    def _terms(self, formula: Node, env: Values) -> Iterator[Node]:
        """The terms of the event alone that have no value, in a formula about others too."""
        queue = [formula]
        for node in (each for root in queue for each in reachable(root)):
            folded = self._policy.compiler.folded(node)
            is_term = isinstance(node, App) and isinstance(node.op, Symbol) and len(node.args) == 1
            if folded is not None:
                queue.append(folded)
            elif is_term and self._is_of_event(node, env) and self._true.value(node, env) is NO_VALUE:
                yield node

    def _is_of_event(self, node: Node, env: Values) -> bool:
        """Whether all variables of a formula stand for the event that is decided."""
        sort = self._policy.compiler.roles.sort
        return all(var.sort == sort and env.get(var) == self._last for var in free_variables(node))


def _said(policy: CompiledPolicy, node: Node) -> str | None:
    """The question that would have to be answered, in words; None where there are none for it."""
    module = policy.compiler.module
    event = module.pool.sym(policy.compiler.roles.event)
    about = substitute(module.pool, node, dict.fromkeys(free_variables(node), event))
    with suppress(Unsayable, Unwritable):
        return policy.speaker.question(formula_text(Writer(module), about), is_formula=node.sort is BOOL)
    return None
