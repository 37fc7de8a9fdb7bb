"""Rules about what nothing lists, in a policy of fifty others, are decided by facts ([GUARD-NUMBERS])."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest
from reference.guarded_sessions import OPTIONS, events, policy
from reference.unlisted_rules import UNLISTED, LimitedShop, UnlistedRule, policy_with

from potlang.policy.guard import Guard, GuardState
from potlang.report.results import Verdict

Json = dict[str, Any]

_HURRIED: Final[Json] = {**OPTIONS, "timeout": 0.001}
"""No solver has an answer in this time."""


def _function(name: str, domain: str, range_: str) -> Json:
    return {"name": name, "domain": [domain], "range": range_}


_OPEN: Final = {
    "a risk of the customer": UnlistedRule(
        "risk(customer(e)) > 80", bool, functions=(_function("risk", "Customer", "Int"),)
    ),
    "a risk of the event": UnlistedRule(
        "risk(e) > 0.8", bool, functions=(_function("risk", "Event", "Real"),)
    ),
    "a limit of an open predicate": UnlistedRule(
        "limit(k) and amount(e) > k",
        bool,
        ("Int",),
        functions=(_function("limit", "Int", "Bool"),),
        facts=("limit(150)",),
    ),
    "a function with a least value": UnlistedRule(
        "fee(amount(e)) > 50",
        bool,
        functions=(_function("fee", "Int", "Int"),),
        facts=("ForAll([k: Int], fee(k) >= 0)",),
    ),
    "a function that grows": UnlistedRule(
        "fee(amount(e)) > 50",
        bool,
        functions=(_function("fee", "Int", "Int"),),
        facts=("ForAll([k: Int, m: Int], k < m -> fee(k) <= fee(m))",),
    ),
}
"""Rules that may forbid a refund, by what no fact says."""


def _event(tool: str, **arguments: object) -> Json:
    return {
        "tool": tool,
        "arguments": {"customer": "ann", **arguments},
        "context": {"role": "agent", "hour": 12},
    }


def _verified(guard: Guard) -> GuardState:
    """A session in which a customer is verified."""
    verified = guard.check(_event("verify"), guard.begin())
    assert (verified.by, verified.permission) == ("facts", "allow")
    return guard.outcome(verified.state, {"succeeded": True})


@pytest.mark.parametrize("rule", UNLISTED.values(), ids=UNLISTED)
def test_a_number_that_nothing_lists_needs_no_solver(rule: UnlistedRule) -> None:
    """[GUARD-NUMBERS] [GUARD-LIMITS]"""
    guard = Guard(policy_with(rule), _HURRIED)
    state = _verified(guard)
    small = guard.check(_event("refund", order=1, amount=100), state)
    assert (small.by, small.verdict) == ("facts", Verdict.ENTAILED)
    large = guard.check(_event("refund", order=2, amount=160), small.state)
    assert (large.by, large.verdict) == ("facts", Verdict.REFUTED)
    assert [each.name for each in large.rules] == ["what is forbidden", "the limit"]
    shop = LimitedShop(rule)
    state = guard.begin()
    for event, succeeded in events(Random(3), 40):
        decision = guard.check(event, state)
        assert (decision.by, decision.permission) == ("facts", shop.decide(event)), event
        state = decision.state
        if succeeded is not None and decision.verdict is not Verdict.INCONSISTENT:
            state = guard.outcome(state, {"succeeded": succeeded})
            shop.end(succeeded)


@pytest.mark.parametrize("closes", ["forbidden(e)", "not allowed(e) and not permitted(e)"])
@pytest.mark.parametrize("rule", _OPEN.values(), ids=_OPEN)
def test_what_no_fact_says_needs_no_solver(rule: UnlistedRule, closes: str) -> None:
    """[GUARD-FACTS]"""
    guard = Guard(policy_with(rule, closes), _HURRIED)
    state = _verified(guard)
    refund = guard.check(_event("refund", order=1, amount=100), state)
    # A rule that contradicts one that permits the refund says that the risk is small.
    wanted = Verdict.UNDETERMINED if closes == "forbidden(e)" else Verdict.ENTAILED
    assert (refund.by, refund.verdict) == ("facts", wanted)
    mail = guard.check(_event("email", channel="mail"), refund.state)
    assert (mail.by, mail.permission) == ("facts", "allow")


def _with_threshold(*facts: str, closes: str = "forbidden(e)") -> Guard:
    program = policy()
    program["constants"]["thresholds"] = {"sort": "Int", "members": ["threshold"]}
    program["knowledge_base"] += facts
    variables = [{"name": "e", "sort": "Event"}]
    constraint = f"tool(e) == refund and amount(e) > threshold -> {closes}"
    rule = {"name": "the limit", "forall": variables, "constraint": constraint}
    program["rules"].append(rule)
    return Guard(program, _HURRIED)


@pytest.mark.parametrize("closes", ["forbidden(e)", "not allowed(e)"])
@pytest.mark.parametrize(
    ("facts", "small", "large"),
    [
        (["threshold >= 160"], "allow", "allow"),
        (["threshold >= 120", "not (threshold > 159)"], "allow", "deny"),
        (["threshold > 99", "threshold < 101"], "allow", "deny"),
        (["threshold < 100"], "deny", "deny"),
    ],
)
def test_limits_of_a_threshold_decide(facts: list[str], small: str, large: str, closes: str) -> None:
    """[GUARD-LIMITS]"""
    guard = _with_threshold(*facts, closes=closes)
    state = _verified(guard)
    for amount, wanted in ((100, small), (160, large)):
        found = guard.check(_event("refund", order=1, amount=amount), state)
        assert (found.by, found.permission) == ("facts", wanted), found.reason


def test_within_the_limits_of_a_threshold_a_person_is_asked() -> None:
    """[GUARD-LIMITS]"""
    guard = _with_threshold("threshold >= 50", "threshold <= 150")
    found = guard.check(_event("refund", order=1, amount=100), _verified(guard))
    assert (found.by, found.permission) == ("facts", "ask")


def test_where_no_threshold_is_within_the_limits_nothing_is_allowed() -> None:
    """[GUARD-LIMITS]"""
    guard = _with_threshold("threshold >= 10", "threshold <= 9")
    found = guard.check(_event("verify"), guard.begin())
    assert (found.by, found.permission, found.verdict) == ("facts", "deny", Verdict.INCONSISTENT)
    assert len(found.rules) == 2
    # A product is not limited: facts do not say that there is no such number.
    guard = _with_threshold("threshold > 9", "2 * threshold < 20")
    found = guard.check(_event("verify"), guard.begin())
    assert (found.by, found.permission) == ("solver", "ask")


@pytest.mark.parametrize(
    ("amount", "permission"), [(100, "allow"), (139, "allow"), (140, "deny"), (200, "deny")]
)
def test_a_field_that_a_rule_computes_has_its_value(amount: int, permission: str) -> None:
    """[GUARD-LIMITS]"""
    program = policy()
    program["functions"].append({"name": "total", "domain": ["Event"], "range": "Int"})
    event = [{"name": "e", "sort": "Event"}]
    for name, rule in (
        ("the total", "tool(e) == refund -> total(e) == amount(e) + 10"),
        ("the limit", "tool(e) == refund and total(e) >= 150 -> forbidden(e)"),
    ):
        program["rules"].append({"name": name, "forall": event, "constraint": rule})
    guard = Guard(program, _HURRIED)
    found = guard.check(_event("refund", order=1, amount=amount), _verified(guard))
    assert (found.by, found.permission) == ("facts", permission)
    if permission == "deny":
        assert {rule.name for rule in found.rules} == {"what is forbidden", "the limit"}


@pytest.mark.parametrize("when", ["tool(e) == note", "tool(e) == note and not forbidden(e)", "allowed(e)"])
def test_a_value_that_follows_is_held_against_all_that_is_said_of_it(when: str) -> None:
    """[GUARD-LIMITS] [GUARD-ABSENT]: where the score is -1 it is not at least 0."""
    program = policy()
    program["functions"].append(_function("score", "Event", "Int"))
    event = [{"name": "e", "sort": "Event"}]
    counted = "score(e) == 0 - Count([x: Event], tool(x) == note)"
    for rule in ("tool(e) == note -> score(e) >= 0", f"{when} -> {counted}"):
        program["rules"].append({"forall": event, "constraint": rule})
    found = Guard(program, _HURRIED).check(_event("note", customer=None), None)
    assert found.permission != "allow"
    assert (found.by, found.verdict) in (("facts", Verdict.INCONSISTENT), ("solver", Verdict.UNKNOWN))
