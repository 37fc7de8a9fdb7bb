"""The rules that decide an event, and the decision in words ([GUARD-REASON])."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from potlang.expressions.names import name_of
from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind
from potlang.ir.nodes import App, Node, Quant, Symbol
from potlang.ir.sorts import BOOL
from potlang.languages.pot.citations import quotations
from potlang.languages.pot.program import Program
from potlang.languages.pot.report import Report
from potlang.policy.guard.compiled import CompiledPolicy
from potlang.policy.guard.completed import CLAIM
from potlang.policy.guard.deciding import Follows
from potlang.policy.guard.rule_walk import MOST_RULES, RuleWalk
from potlang.policy.guard.session_facts import SessionFacts, TooManySteps
from potlang.policy.guard.undecided import MOST_MISSING, undecided
from potlang.report.results import CoreItem, Result, Verdict
from potlang.words.parts import Unsayable
from potlang.words.speaker import Speaker

_MOST_STEPS: Final = 100_000


class Reasons(NamedTuple):
    """The rules that a decision rests on; where nothing follows, what would have to be known, as clauses."""

    rules: tuple[CoreItem, ...] = ()
    missing: tuple[str, ...] = ()


def reasons_of_follows(policy: CompiledPolicy, facts: SessionFacts, follows: Follows) -> Reasons:
    """The reasons for a verdict by facts: the rules of its clauses, and of the closed predicates in these."""
    if follows.verdict is Verdict.UNDETERMINED:
        return reasons_of_undecided(policy, facts)
    # Of what is allowed, rules that do not apply are no reason.
    walk = RuleWalk(policy.compiler, facts, only_true=follows.verdict is Verdict.ENTAILED)
    found: list[Assertion] = []
    facts.steps = _MOST_STEPS
    # The decision stands, whether or not all of its reasons are found.
    with policy.turn, suppress(TooManySteps):
        for clause in follows.clauses:
            found.append(clause.statement.assertion)
            values = clause.statement.environment(clause.values)
            for condition in clause.statement.conditions:
                found += walk.behind(condition.node, values)
        if not follows.clauses:
            found += walk.behind(*policy.claim_node(facts))
    return Reasons(_cited(policy.program, found))


def reasons_of_undecided(policy: CompiledPolicy, facts: SessionFacts) -> Reasons:
    """The rules that could allow the last event, of which nothing follows, and what is not known of it."""
    facts.steps = _MOST_STEPS
    with policy.turn, suppress(TooManySteps):
        found = undecided(policy, facts)
        policy.forget_formulas()
        return Reasons(_cited(policy.program, found.rules), found.missing)
    return Reasons()


def _cited(program: Program, assertions: Iterable[Assertion]) -> tuple[CoreItem, ...]:
    """The rules as items of a core, each once, with the sentences that they cite."""
    found = dict.fromkeys(
        CoreItem(each.name, each.origin.pointer, each.origin.text, str(each.kind))
        for each in assertions
        if each.kind is not AssertionKind.SEMANTICS
    )
    rules = list(found)[:MOST_RULES]
    return tuple(
        each if each.kind == "pack" else each._replace(quotes=quotations(program.tree, each.pointer))
        for each in rules
    )


def claim_of(report: Report) -> Result:
    """The result of the guard's claim."""
    return next(each for each in report.results if each.name == CLAIM)


def reasons_of_result(program: Program, allowed: str, result: Result) -> Reasons:
    """The reasons for a solver's verdict: the rules of its core, or those that conclude `allowed`."""
    evidence = result.evidence
    if result.verdict not in (Verdict.UNDETERMINED, Verdict.UNKNOWN):
        return Reasons(tuple(each for each in evidence.core or () if each.kind in ("rule", "pack")))
    module = program.module
    truths = {each.name for each in module.symbols if each.range is BOOL}
    speaker = Speaker(program.extension, program.tree)
    missing = []
    for term in evidence.to_ask or ():
        with suppress(Unsayable):
            missing.append(speaker.question(term, is_formula=name_of(term.partition("(")[0]) in truths))
    rules = _cited(program, (each for each in module.assertions if _concludes(each.formula, allowed)))
    return Reasons(rules, tuple(missing[:MOST_MISSING]))


def _concludes(formula: Node, name: str) -> bool:
    """Whether a rule may make a predicate true, by its form."""
    stack = [formula]
    while stack:
        node = stack.pop()
        if isinstance(node, Quant):
            stack.append(node.body)
        elif isinstance(node, App) and node.op is op.IMPLIES:
            stack.append(node.args[1])
        elif isinstance(node, App) and node.op in (op.AND, op.OR, op.IFF):
            stack += node.args
        elif isinstance(node, App) and isinstance(node.op, Symbol) and node.op.name == name:
            return True
    return False


def sentence(verdict: Verdict, permission: str, reasons: Reasons) -> str:
    """A decision in one sentence."""
    rules = reasons.rules
    named = ", ".join(f"`{each.name}`" for each in rules)
    by = f" ({'rules' if len(rules) > 1 else 'rule'} {named})" if rules else ""
    if reasons.missing:
        by += f"; it would have to be known {', and '.join(reasons.missing)}"
    elif verdict is Verdict.UNDETERMINED and not rules:
        by = ": no rule that allows anything is about it"
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
    end = "a person is asked" if permission == "ask" else "it is denied"
    return f"whether this is allowed was not found out in time, so {end}{by}"
