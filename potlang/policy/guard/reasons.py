"""The rules that decide an event, and the decision in words ([GUARD-REASON])."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind
from potlang.ir.nodes import App, Node, Quant, Symbol, Var
from potlang.ir.sorts import BOOL
from potlang.languages.pot.citations import quotations
from potlang.languages.pot.program import Program
from potlang.languages.pot.report import Report
from potlang.policy.guard.compiled import CompiledPolicy
from potlang.policy.guard.completed import CLAIM
from potlang.policy.guard.deciding import Follows
from potlang.policy.guard.session_facts import SessionFacts, TooManySteps
from potlang.policy.guard.terms import TermCompiler, needed
from potlang.report.results import CoreItem, Result, Verdict

MOST_RULES: Final = 20
"""Rules that a decision names."""
_MOST_PARTS: Final = 500
_MOST_STEPS: Final = 100_000
_CONNECTIVES: Final = (op.AND, op.OR, op.IMPLIES, op.NOT)


def rules_of_follows(policy: CompiledPolicy, facts: SessionFacts, follows: Follows) -> tuple[CoreItem, ...]:
    """The rules behind a verdict by facts: of its clauses, and of the closed predicates in these."""
    # Of what is allowed, rules that do not apply are no reason.
    walk = _Walk(
        policy.compiler, facts, only_true=follows.verdict in (Verdict.ENTAILED, Verdict.UNDETERMINED)
    )
    found: list[Assertion] = []
    facts.steps = _MOST_STEPS
    # The decision stands, whether or not all of its reasons are found.
    with policy.turn, suppress(TooManySteps):
        for clause in follows.clauses:
            found.append(clause.statement.assertion)
            values = clause.statement.environment(clause.values)
            for condition in clause.statement.conditions:
                found += walk.behind(condition.node, values)
        if follows.verdict is Verdict.UNDETERMINED:
            found += _in_the_way(policy, facts, walk)
        elif not follows.clauses:
            found += walk.behind(*policy.claim_node(facts))
    return _cited(policy.program, (each for each in found if each.kind is not AssertionKind.SEMANTICS))


def _in_the_way(policy: CompiledPolicy, facts: SessionFacts, walk: _Walk) -> Iterator[Assertion]:
    """The rules by which no rule allows the event."""
    for statement, variable in policy.about_claim:
        values: Values = {variable: facts.count - 1}
        for condition in statement.conditions:
            if policy.compiler.value(condition.node, facts, values) is condition.sign:
                yield from walk.behind(condition.node, values)
                break


def _cited(program: Program, assertions: Iterable[Assertion]) -> tuple[CoreItem, ...]:
    """The rules as items of a core, each once, with the sentences that they cite."""
    found = dict.fromkeys(
        CoreItem(each.name, each.origin.pointer, each.origin.text, str(each.kind)) for each in assertions
    )
    rules = list(found)[:MOST_RULES]
    return tuple(
        each if each.kind == "pack" else each._replace(quotes=quotations(program.tree, each.pointer))
        for each in rules
    )


Values = dict[Var, object]


class _Walk:
    """From a formula that is true or false down to the rules of the closed predicates that make it so."""

    def __init__(self, compiler: TermCompiler, facts: SessionFacts, *, only_true: bool) -> None:
        self._compiler = compiler
        self._facts = facts
        self._only_true = only_true
        self._seen: set[tuple[object, ...]] = set()

    def behind(self, root: Node, values: Values) -> list[Assertion]:
        """The rules, those nearer to the formula first."""
        found: list[Assertion] = []
        queue = [(root, values)]
        for node, env in queue:
            if len(found) >= MOST_RULES or len(queue) > _MOST_PARTS:
                break
            value = self._compiler.value(node, self._facts, env)
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
        for var in node.binders:
            rest = node.binders[node.binders.index(var) + 1 :]
            body = self._compiler.module.pool.quant(node.kind, rest, node.body) if rest else node.body
            listed = self._compiler.domain(var.sort, self._facts)
            chosen = next(
                (
                    each
                    for each in listed
                    if self._compiler.value(body, self._facts, {**found, var: each}) is value
                ),
                None,
            )
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
                not value and not self._only_true and self._is_near(way.formula, inner)
            ):
                found.append(way.assertion)
                yield way.formula, inner
                if value:
                    return

    def _is_near(self, formula: Node, env: Values) -> bool:
        tool = self._compiler.roles.tool
        for part in needed(formula, wanted=True):
            if not isinstance(part, App) or part.op is not op.EQ:
                continue
            is_tool = any(_applies(arg, tool) for arg in part.args)
            if is_tool and self._compiler.value(part, self._facts, env) is False:
                return False
        return True


def _applies(node: Node, symbol: Symbol) -> bool:
    return isinstance(node, App) and node.op is symbol


def claim_of(report: Report) -> Result:
    """The result of the guard's claim."""
    return next(each for each in report.results if each.name == CLAIM)


def rules_of(result: Result) -> tuple[CoreItem, ...]:
    """The rules in the core of a solver's verdict."""
    evidence = result.evidence
    core = () if evidence is None or evidence.core is None else evidence.core
    return tuple(each for each in core if each.kind in ("rule", "pack"))


def sentence(verdict: Verdict, permission: str, rules: tuple[CoreItem, ...]) -> str:
    """A decision in one sentence."""
    named = ", ".join(f"`{each.name}`" for each in rules)
    by = f" ({'rules' if len(rules) > 1 else 'rule'} {named})" if rules else ""
    quoted = dict.fromkeys(quote.text for each in rules for quote in each.quotes)
    if quoted:
        by += ": " + " ".join(f"“{text}”" for text in quoted)
    match verdict:
        case Verdict.ENTAILED:
            return f"allowed by the policy{by}"
        case Verdict.REFUTED:
            return f"not allowed by the policy{by}"
        case Verdict.INCONSISTENT:
            return f"denied, since the event contradicts the policy{by}"
        case Verdict.UNDETERMINED:
            return f"the policy says neither that this is allowed nor that it is not{by}"
    return f"whether this is allowed was not found out in time; so it is {permission}"
