"""Guards: decisions, histories, states, and that whatever goes wrong is not allowed ([GUARD-CHECK] ff.)."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from reference.guarded_sessions import OPTIONS, Shop, events, policy

from potlang.languages.pot.program import CompileError
from potlang.policy import PolicyError
from potlang.policy.guard import Guard, GuardOptions, GuardState, Permission, StateError
from potlang.policy.guard.reasons import claim_of
from potlang.report.results import Verdict

Json = dict[str, Any]


def payments(*more: Json, **changes: Any) -> Json:
    """A policy of a few rules on reading and paying, with others."""
    event = [{"name": "e", "sort": "Event"}]
    identifying = "before(x, e) and tool(x) == identify and succeeded(x)"
    rules = [
        ("reading", "tool(e) == read -> allowed(e)"),
        ("small payments", "tool(e) == pay and amount(e) <= 100 and identified(e) -> allowed(e)"),
        ("strangers", "tool(e) == pay and not identified(e) -> not allowed(e)"),
        ("by identity", f"Exists([x: Event], {identifying}) -> identified(e)"),
        ("identifying", "tool(e) == identify -> allowed(e)"),
    ]  # fmt: skip
    program: Json = {
        "sorts": [
            {"name": "Event", "type": "DeclareSort"},
            {"name": "Tool", "type": "EnumSort", "values": ["read", "identify", "pay"]},
            {"name": "Answer", "type": "EnumSort", "values": ["allow", "deny", "ask"]},
        ],
        "functions": [
            {"name": "tool", "domain": ["Event"], "range": "Tool"},
            {"name": "decision", "domain": ["Event"], "range": "Answer"},
            {"name": "before", "domain": ["Event", "Event"], "range": "Bool"},
            {"name": "amount", "domain": ["Event"], "range": "Real"},
            {"name": "succeeded", "domain": ["Event"], "range": "Bool", "closed": True},
            {"name": "identified", "domain": ["Event"], "range": "Bool", "closed": True},
            {"name": "allowed", "domain": ["Event"], "range": "Bool"},
        ],
        "rules": [
            *({"name": name, "forall": event, "constraint": text} for name, text in rules),
            *({"forall": event, **each} for each in more),
        ],
    }
    return {**program, **changes}


EVEN: Json = {
    "name": "even amounts",
    "forall": [{"name": name, "sort": sort} for name, sort in (("e", "Event"), ("k", "Int"), ("m", "Int"))],
    "constraint": "tool(e) == pay and amount(e) == k + m and k == m and amount(e) > 100 -> allowed(e)",
}
"""A rule for which a solver is asked: two numbers without a list of values are compared with each other."""


def pay(amount: Any) -> Json:
    return {"tool": "pay", "arguments": {"amount": amount}}


IDENTIFY = {"tool": "identify"}


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(payments(), {"timeout": 60})


def identified(guard: Guard) -> GuardState:
    state = guard.check(IDENTIFY, guard.begin()).state
    return guard.outcome(state, {"succeeded": True})


def test_entailed_is_allowed_refuted_denied_and_what_is_open_asked(guard: Guard) -> None:
    """[GUARD-CHECK]"""
    state = guard.begin()
    stranger = guard.check(pay(50), state)
    assert (stranger.permission, stranger.verdict) == (Permission.DENY, Verdict.REFUTED)
    state = identified(guard)
    assert guard.check(pay(100), state).permission is Permission.ALLOW
    large = guard.check(pay("100.01"), state)
    assert (large.permission, large.verdict) == (Permission.ASK, Verdict.UNDETERMINED)
    strict = Guard(payments(), {"otherwise": "deny"})
    assert strict.check(pay(101), identified(strict)).permission is Permission.DENY


def test_an_event_that_contradicts_the_policy_is_denied_and_not_kept(guard: Guard) -> None:
    """[GUARD-CHECK]"""
    clash = Guard(payments({"name": "never", "constraint": "tool(e) == read -> not allowed(e)"}))
    state = clash.begin()
    decision = clash.check({"tool": "read"}, state)
    assert (decision.permission, decision.verdict) == (Permission.DENY, Verdict.INCONSISTENT)
    assert {"reading", "never"} == {each.name for each in decision.rules}
    assert decision.state is state
    assert clash.check(IDENTIFY, decision.state).allowed


def test_the_rules_that_decide_are_named_with_what_they_cite() -> None:
    """[GUARD-REASON]"""
    program = payments()
    program["document"] = {"name": "pay.md", "sentences": ["We pay nobody whom we do not know."]}
    program["rules"][2]["cites"] = [1]
    guard = Guard(program)
    decision = guard.check(pay(5), guard.begin())
    assert [each.name for each in decision.rules] == ["strangers", "by identity"]
    assert decision.rules[0].quotes[0].text == "We pay nobody whom we do not know."
    assert decision.reason == (
        "not allowed by the policy (rules `strangers`, `by identity`): “We pay nobody whom we do not know.”"
    )
    allowed = guard.check(pay(5), identified(guard))
    assert [each.name for each in allowed.rules] == ["small payments", "by identity"]


def test_a_verdict_by_facts_is_that_of_verify_with_a_certificate(guard: Guard) -> None:
    """[GUARD-FACTS]"""
    state = identified(guard)
    decision = guard.check(pay(7), state)
    assert decision.by == "facts"
    assert decision.before is not None
    report = guard.report(decision.before, decision.fields, certificate=True)
    assert claim_of(report).verdict is Verdict.ENTAILED
    assert report.certificate is not None


def test_a_rule_with_a_variable_of_any_value_needs_no_solver_where_its_value_does_not_matter() -> None:
    """[GUARD-FACTS]"""
    guard = Guard(payments(EVEN), {"timeout": 0.002})
    assert guard.slow_rules == ("even amounts",)
    state = identified(guard)
    assert guard.check({"tool": "read"}, state).by == "facts"
    small = guard.check(pay(50), state)
    assert (small.permission, small.by) == (Permission.ALLOW, "facts")
    assert [each.name for each in small.rules] == ["small payments", "by identity"]
    assert guard.check(pay(50), guard.begin()).permission is Permission.DENY
    assert "not found out in time" in guard.check(pay(102), state).reason


@pytest.mark.parametrize(
    "small",
    [
        "(allowed(e) <-> amount(e) <= 100)",
        "(amount(e) <= 100 -> allowed(e)) and (allowed(e) -> amount(e) <= 100)",
        "allowed(e) == If(amount(e) <= 100, True, False)",
    ],
)
def test_calls_of_unknown_amounts_may_be_allowed_and_not_without_a_solver(small: str) -> None:
    """[GUARD-FACTS]: whatever amount both calls have, one of them is allowed and the other is not."""
    rules = [
        {"name": "small", "constraint": f"tool(e) == read -> {small}"},
        {"name": "large", "constraint": "tool(e) == pay -> (allowed(e) <-> amount(e) > 100)"},
        {"name": "identifying", "constraint": "tool(e) == identify -> allowed(e)"},
    ]
    event = [{"name": "e", "sort": "Event"}]
    guard = Guard(payments(rules=[{"forall": event, **each} for each in rules]), {"timeout": 0.002})
    state = guard.begin()
    for event_of, permission in (({"tool": "read"}, "ask"), ({"tool": "pay"}, "ask"), (IDENTIFY, "allow")):
        decision = guard.check(event_of, state)
        assert (decision.permission, decision.by) == (permission, "facts")
        state = decision.state


@pytest.mark.slow
def test_what_facts_do_not_decide_a_solver_does() -> None:
    """[GUARD-FACTS]"""
    guard = Guard(payments(EVEN))
    assert guard.slow_rules == ("even amounts",)
    state = identified(guard)
    even = guard.check(pay(102), state)
    assert (even.permission, even.by) == (Permission.ALLOW, "solver")
    assert "even amounts" in {each.name for each in even.rules}
    assert guard.check(pay(103), state).permission is Permission.ASK


@pytest.mark.slow
@pytest.mark.parametrize("trust", ["solver", "best"])
def test_a_solver_decides_by_its_word_or_is_checked(trust: str) -> None:
    """[GUARD-OPTIONS]"""
    guard = Guard(payments(EVEN), {"trust": trust, "timeout": 30})
    decision = guard.check(pay(102), identified(guard))
    assert (decision.permission, decision.by) == (Permission.ALLOW, "solver")


def test_a_set_of_all_events_is_asked_of_a_solver() -> None:
    """[GUARD-FACTS]"""
    count = "Card(SetOf([x: Event], tool(x) == pay)) >= 2 and tool(e) == pay -> not allowed(e)"
    guard = Guard(payments({"name": "twice", "constraint": count}))
    assert guard.slow_rules == ("(all)",)
    state = identified(guard)
    first = guard.check(pay(500), state)
    assert (first.permission, first.by) == (Permission.ASK, "solver")
    assert guard.check(pay(500), first.state).permission is Permission.DENY


def test_what_is_not_given_of_an_event_is_unknown_or_false_by_the_policy(guard: Guard) -> None:
    """[GUARD-EVENT] [GUARD-ABSENT]"""
    bounded = Guard(payments({"name": "amounts", "constraint": "amount(e) >= 0"}))
    decision = bounded.check({"tool": "read"}, bounded.begin())
    assert (decision.permission, decision.by) == (Permission.ALLOW, "facts")
    assert bounded.check(pay(-1), decision.state).verdict is Verdict.INCONSISTENT
    # No amount can be both.
    both = Guard(
        payments(
            {"name": "low", "constraint": "tool(e) == read -> amount(e) < 0"},
            {"name": "high", "constraint": "tool(e) == read -> amount(e) > 0"},
        )
    )
    assert both.check({"tool": "read"}, both.begin()).verdict is Verdict.INCONSISTENT
    # Unknown amounts are neither small nor large.
    assert guard.check({"tool": "pay"}, identified(guard)).permission is Permission.ASK


def test_defaults_are_values_of_what_is_not_given() -> None:
    """[GUARD-OPTIONS]"""
    guard = Guard(payments(), {"defaults": {"amount": 1}})
    assert guard.check({"tool": "pay"}, identified(guard)).allowed


# --- events and options ---


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (None, "an event is an object"),
        ([], "an event is an object"),
        ({}, "an event has a `tool`"),
        ({"tool": 5}, "an event has a `tool`"),
        ({"tool": "fly"}, "does not know the tool `fly`"),
        ({"tool": "pay", "arguments": 5}, "`arguments` of an event is an object"),
        ({"tool": "pay", "arguments": {"sum": 5}}, "does not know the argument 'sum'"),
        ({"tool": "pay", "arguments": {"amount": "much"}}, "amount: expected a value of the sort Real"),
        ({"tool": "pay", "arguments": {"amount": [1]}}, "is no value"),
        ({"tool": "pay", "arguments": {"amount": float("nan")}}, "is no value"),
        ({"tool": "pay", "arguments": {"amount": True}}, "expected a value of the sort Real"),
        ({"tool": "pay", "arguments": {"allowed": True}}, "does not know the argument 'allowed'"),
        ({"tool": "pay", "arguments": {"identified": True}}, "does not know the argument 'identified'"),
        ({"tool": "pay", "arguments": {"succeeded": True}}, "does not know the argument 'succeeded'"),
        ({"tool": "pay", "arguments": {"decision": "allow"}}, "does not know the argument 'decision'"),
        ({"tool": "pay", "arguments": {"turn": 1}}, "does not know the argument 'turn'"),
        ({"tool": "pay", "context": {"amount": 5}}, "the context gives 'amount'"),
        ({"tool": "pay", "more": 5}, "an event has tool, arguments, context"),
        ({"tool": "pay", "arguments": {"amount": "1) or (true"}}, ""),
        ({"tool": "pay", "arguments": {"amount": "amount(event)"}}, "amount: expected a value"),
        ({"tool": "pay", "arguments": {"amount": "If(True, 1, 9000)"}}, "amount: expected a value"),
        ({"tool": "pay", "arguments": {"amount": "9000 - 8999"}}, "amount: expected a value"),
        ({"tool": "read) or (allowed(event", "arguments": {}}, "does not know the tool"),
    ],
)
def test_an_event_that_is_none_is_denied_with_the_reason(guard: Guard, event: Any, reason: str) -> None:
    """[GUARD-EVENT] [GUARD-CLOSED]"""
    state = identified(guard)
    decision = guard.check(event, state)
    assert decision.permission is Permission.DENY
    assert decision.verdict is None
    assert reason in decision.reason
    assert decision.state is state


def test_arguments_have_the_functions_that_options_give_them() -> None:
    """[GUARD-OPTIONS] [GUARD-EVENT]"""
    options = {
        "tools": {
            "create-payment": {"name": "pay", "arguments": {"sum": "amount", "note": None}},
            "see": "read",
        }
    }
    guard = Guard(payments(), options)
    state = identified(guard)
    call = {"tool": "create-payment", "arguments": {"sum": 12.5, "note": {"any": "thing"}}}
    decision = guard.check(call, state)
    assert decision.allowed
    assert decision.fields == {"tool": "pay", "amount": "12.5"}
    assert guard.check({"tool": "see"}, state).allowed
    assert not guard.check({"tool": "create-payment", "arguments": {"sum": 1, "amount": 2}}, state).allowed
    none = Guard(payments(), {"arguments": []})
    assert none.check(pay(5), identified(none)).reason.startswith("the policy does not know the argument")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"tools": []}, "`tools` is an object"),
        ({"otherwise": "allow"}, '"ask" or "deny"'),
        ({"timeout": 0}, "more than 0"),
        ({"trust": "none"}, "best or solver"),
        ({"rules": 1}, "have no 'rules'"),
        ({"outcome": "succeeded"}, "list of functions"),
        ({"outcome": ["paid"]}, "no function of an event named paid"),
        ({"context": ["who"]}, "no function of an event named who"),
        ({"arguments": {"a": "b"}}, "no function of an event named b"),
        ({"tool": "kind"}, "has a function kind(Event)"),
        ({"event": "Call"}, "has no sort Call"),
        ({"allowed": "amount"}, "has the range Bool"),
    ],
)
def test_a_guard_that_cannot_work_is_not_made(options: Json, problem: str) -> None:
    """[GUARD-OPTIONS] [GUARD-POLICY]"""
    with pytest.raises(PolicyError) as error:
        Guard(payments(), options)
    assert problem in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"rules": 5}', '{"sorts": [], "rules": ["x"]}'])
def test_a_policy_that_is_no_program_makes_no_guard(text: str) -> None:
    """[GUARD-POLICY] [GUARD-CLOSED]"""
    with pytest.raises((CompileError, PolicyError)):
        Guard(text)


def test_events_are_closed_different_and_in_order(guard: Guard) -> None:
    """[GUARD-POLICY]"""
    module = guard.program.module
    names = {str(sort) for sort in module.closed} & {str(sort) for sort in module.unique}
    assert "Event" in names
    bodies = {each.symbol.name: each.origin.text for each in module.definitions}
    assert bodies["before"] == "turn(a) < turn(b)"
    with pytest.raises(PolicyError, match="at most one constant"):
        Guard(payments(constants={"all": {"sort": "Event", "members": ["a", "b"]}}))
    named = Guard(payments(constants={"all": {"sort": "Event", "members": ["now"]}}))
    assert named.case(named.begin(), {"tool": "read"}) == {"now": {"tool": "read", "turn": 1}}


def test_a_policy_opened_by_its_options(tmp_path: Path) -> None:
    """[GUARD-OPTIONS]"""
    (tmp_path / "pay.json").write_text(json.dumps(payments()))
    (tmp_path / "guard.json").write_text('{"policy": "pay.json", "defaults": {"amount": 0.5}}')
    guard = Guard.open(tmp_path / "guard.json")
    assert guard.check({"tool": "pay"}, identified(guard)).allowed
    (tmp_path / "guard.json").write_text("{}")
    with pytest.raises(PolicyError, match="no `policy`"):
        Guard.open(tmp_path / "guard.json")
    with pytest.raises(PolicyError, match="cannot read"):
        GuardOptions.read(tmp_path / "none.json")
    (tmp_path / "guard.json").write_text("[" * 100_000)
    with pytest.raises(PolicyError, match="not JSON"):
        GuardOptions.read(tmp_path / "guard.json")


# --- states ---


def test_a_state_is_kept_as_json_and_gone_on_with(guard: Guard) -> None:
    """[GUARD-STATE]"""
    state = identified(guard)
    kept = json.loads(json.dumps(state.to_json()))
    again = guard.resume(kept)
    assert again == state
    assert guard.check(pay(5), kept).allowed
    assert Guard(payments()).check(pay(5), kept).allowed


@pytest.mark.parametrize("key", [b"", b"a key that nobody else has"])
def test_a_changed_or_foreign_state_is_refused(key: bytes) -> None:
    """[GUARD-STATE] [GUARD-CLOSED]"""
    guard = Guard(payments(), key=key)
    state = guard.check(IDENTIFY, guard.begin()).state
    kept = json.loads(json.dumps(state.to_json()))

    def refused(value: Any) -> bool:
        with pytest.raises(StateError):
            guard.resume(value)
        return not guard.check(pay(5), value).allowed

    assert refused({**kept, "log": []})
    assert refused({**kept, "log": [*kept["log"], {"of": 1, "fields": {"succeeded": True}}]})
    assert refused({**kept, "case": {"x": {}}})
    assert refused({**kept, "seal": "0" * 64})
    assert refused({**kept, "guard": "0" * 64})
    assert refused({key: value for key, value in kept.items() if key != "log"})
    assert refused([])
    other = Guard(payments(), {"otherwise": "deny"}, key=key)
    assert not other.check(pay(5), state).allowed
    with pytest.raises(StateError):
        other.resume(kept)


def test_without_the_key_no_state_can_be_made() -> None:
    """[GUARD-STATE]"""
    forged = identified(Guard(payments())).to_json()
    with pytest.raises(StateError):
        Guard(payments(), key=b"a key that nobody else has").resume(forged)


def test_outcomes_are_of_events_that_there_are_and_only_once(guard: Guard) -> None:
    """[GUARD-OUTCOME]"""
    state = guard.check(IDENTIFY, guard.begin()).state
    after = guard.outcome(state, {"succeeded": False})
    assert not guard.check(pay(5), after).allowed
    with pytest.raises(PolicyError, match="known already"):
        guard.outcome(after, {"succeeded": True})
    with pytest.raises(PolicyError, match="no event 2"):
        guard.outcome(after, {"succeeded": True}, of=2)
    with pytest.raises(PolicyError, match="gives 'amount'"):
        guard.outcome(after, {"amount": 5})
    with pytest.raises(PolicyError, match="nobody was asked"):
        guard.outcome(after, permission=Permission.ALLOW)


def test_the_answer_of_people_is_the_decision_on_an_event() -> None:
    """[GUARD-OUTCOME]"""
    once = "Exists([x: Event], before(x, e) and tool(x) == pay and decision(x) == allow) and tool(e) == pay"
    guard = Guard(payments({"name": "once", "constraint": f"{once} -> not allowed(e)"}))
    asked = guard.check(pay(500), identified(guard))
    assert asked.permission is Permission.ASK
    assert guard.check(pay(500), asked.state).permission is Permission.ASK
    answered = guard.outcome(asked.state, permission=Permission.ALLOW)
    assert guard.check(pay(500), answered).permission is Permission.DENY
    assert guard.resume(json.loads(json.dumps(answered.to_json()))) == answered


def test_what_is_known_of_a_session_is_a_case_of_the_policy() -> None:
    """[GUARD-STATE]"""
    program = payments({"name": "trusted", "constraint": "trusted and tool(e) == pay -> allowed(e)"})
    program["functions"].append({"name": "trusted", "domain": [], "range": "Bool"})
    program["rules"] = [each for each in program["rules"] if each["name"] != "strangers"]
    guard = Guard(program)
    state = guard.begin({"trusted": True})
    assert guard.check(pay(5000), state).allowed
    assert guard.check(pay(5000), json.loads(json.dumps(state.to_json()))).allowed
    assert guard.check(pay(5000), guard.begin({"trusted": False})).permission is Permission.ASK
    with pytest.raises(CompileError):
        guard.begin({"nobody": True})


# --- faults ---


class Broken:
    """Workers whose solvers crash."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("the solver has crashed")


def test_a_crashed_solver_denies() -> None:
    """[GUARD-CLOSED]"""
    guard = Guard(payments(EVEN), workers=Broken())  # type: ignore[arg-type]
    decision = guard.check(pay(102), guard.begin())
    assert decision.permission is Permission.DENY
    assert decision.reason == "the guard failed (RuntimeError)"


@pytest.mark.parametrize("otherwise", ["ask", "deny"])
def test_a_timeout_asks_or_denies(otherwise: str) -> None:
    """[GUARD-CLOSED]"""
    guard = Guard(payments(EVEN), {"timeout": 0.002, "otherwise": otherwise})
    began = time.perf_counter()
    decision = guard.check(pay(102), guard.begin())
    assert time.perf_counter() - began < 20
    assert (decision.permission, decision.verdict) == (Permission(otherwise), Verdict.UNKNOWN)
    assert "not found out in time" in decision.reason


@pytest.mark.parametrize("error", [ValueError, RecursionError, MemoryError, OSError, KeyError])
def test_any_error_of_ours_denies(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """[GUARD-CLOSED]"""
    guard = Guard(payments())
    state = identified(guard)

    def fails(*_: Any, **__: Any) -> None:
        raise error

    for name in ("_facts", "_add", "_decided", "_of_case"):
        with monkeypatch.context() as patched:
            patched.setattr(Guard, name, fails)
            assert guard.check(pay(5), state).permission is Permission.DENY
    assert guard.check(pay(5), state).allowed


# --- against a plain reading of the rules ---


def _compare(count: int, longest: int, seed: int) -> None:
    guard = Guard(policy(), OPTIONS)
    assert guard.slow_rules == ()
    random = Random(seed)
    decided = 0
    while decided < count:
        state, shop = guard.begin(), Shop()
        for event, succeeded in events(random, random.randint(1, longest)):
            decision = guard.check(event, state)
            assert (decision.by, decision.permission) == ("facts", shop.decide(event)), event
            state = decision.state
            decided += 1
            if succeeded is not None and decision.verdict is not Verdict.INCONSISTENT:
                state = guard.outcome(state, {"succeeded": succeeded})
                shop.end(succeeded)


def test_sessions_are_decided_as_a_plain_reading_of_the_rules_does() -> None:
    """[GUARD-FACTS]"""
    _compare(800, 80, seed=1)


@pytest.mark.slow
def test_many_sessions_are_decided_as_a_plain_reading_of_the_rules_does() -> None:
    """[GUARD-FACTS]"""
    _compare(100_000, 300, seed=2)


def test_threads_share_a_guard() -> None:
    """[GUARD-CHECK]"""
    guard = Guard(policy(), OPTIONS)

    def session(seed: int) -> list[str]:
        state, found = guard.begin(), []
        for event, _ in events(Random(seed), 40):
            decision = guard.check(event, state)
            state = decision.state
            found.append(f"{decision.permission} {decision.reason}")
        return found

    alone = [session(seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(session, range(6))) == alone


# --- what is said of a decision ---


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("wipe_disk", "the policy does not know the tool `wipe_disk`"),
        ("identfy", "the policy does not know the tool `identfy`: did you mean `identify`?"),
    ],
)
def test_a_tool_that_the_policy_does_not_know_is_told_before_its_arguments(tool: str, reason: str) -> None:
    """[GUARD-CLOSED]"""
    guard = Guard(payments(), {"tools": {"see-all": "read"}})
    decision = guard.check({"tool": tool, "arguments": {"nothing": 1}}, guard.begin())
    assert decision.permission is Permission.DENY
    assert decision.reason == reason


def test_the_name_that_the_agent_has_for_a_tool_is_suggested() -> None:
    """[GUARD-CLOSED]"""
    guard = Guard(payments(), {"tools": {"see-all": "read"}})
    assert guard.check({"tool": "see_all"}, guard.begin()).reason.endswith("did you mean `see-all`?")


def test_tools_may_be_members_of_a_declared_sort_and_of_the_case() -> None:
    """[GUARD-CLOSED]: a case may name further tools."""
    program = payments(constants={"tools": {"sort": "Tool", "members": ["read", "identify", "pay"]}})
    program["sorts"][1] = {"name": "Tool", "type": "DeclareSort"}
    guard = Guard(program)
    assert guard.check({"tool": "red"}, guard.begin()).reason.endswith("did you mean `read`?")
    state = guard.begin({"red": {"sort": "Tool"}})
    assert "does not know" not in guard.check({"tool": "red"}, state).reason


@pytest.mark.parametrize(
    ("amount", "reason"),
    [
        ("lots", "amount: expected a value of the sort Int"),
        (3.5, "amount: expected a value of the sort Int, found a number"),
    ],
)
def test_a_value_of_another_sort_is_told_with_its_field(amount: Any, reason: str) -> None:
    """[GUARD-CLOSED]"""
    program = payments()
    program["functions"][3]["range"] = "Int"
    guard = Guard(program)
    decision = guard.check(pay(amount), identified(guard))
    assert decision.permission is Permission.DENY
    assert decision.reason.startswith(reason)


def test_of_what_is_asked_the_rules_that_could_allow_it_are_named_with_what_is_not_known() -> None:
    """[GUARD-REASON]"""
    guard = Guard(payments())
    state = identified(guard)
    missing = guard.check({"tool": "pay"}, state)
    assert (missing.permission, missing.verdict) == (Permission.ASK, Verdict.UNDETERMINED)
    assert [each.name for each in missing.rules] == ["small payments"]
    assert missing.reason == (
        "the policy says neither that this is allowed nor that it is not (rule `small payments`);"
        " it would have to be known whether the amount of event is at most 100"
    )
    several = payments(
        {"name": "others", "constraint": "tool(e) == read or tool(e) == identify -> allowed(e)"}
    )
    either = Guard(several)
    assert [each.name for each in either.check(pay(500), identified(either)).rules] == ["small payments"]
    large = guard.check(pay(500), state)
    assert [each.name for each in large.rules] == ["small payments"]
    assert "known" not in large.reason


def test_what_a_closed_predicate_asks_for_is_named_through_its_rules() -> None:
    """[GUARD-REASON]"""
    more = {"name": "odd ones", "constraint": "tool(e) == identify and amount(e) > 7 -> odd(e)"}
    program = payments(more)
    program["functions"].append({"name": "odd", "domain": ["Event"], "range": "Bool", "closed": True})
    program["rules"][4]["constraint"] = "tool(e) == identify and not odd(e) -> allowed(e)"
    guard = Guard(program)
    decision = guard.check({"tool": "identify"}, guard.begin())
    assert [each.name for each in decision.rules] == ["identifying", "odd ones"]
    assert decision.reason.endswith("whether the amount of event is more than 7")
    decision = guard.check({"tool": "identify", "arguments": {"amount": 8}}, guard.begin())
    assert [each.name for each in decision.rules] == ["identifying", "odd ones"]


@pytest.mark.parametrize("such", ["Count([x: Event], {}) == 0", "not Exists([x: Event], {})"])
def test_what_a_history_asks_of_the_event_is_named_in_its_own_words(such: str) -> None:
    """[GUARD-REASON]"""
    before = such.format("before(x, e) and tool(x) == pay and amount(x) == amount(e)")
    program = payments()
    program["rules"][0]["constraint"] = f"tool(e) == read and {before} -> allowed(e)"
    guard = Guard(program)
    state = guard.check(pay(500), identified(guard)).state
    decision = guard.check({"tool": "read"}, state)
    assert (decision.permission, [each.name for each in decision.rules]) == (Permission.ASK, ["reading"])
    assert decision.reason.endswith("it would have to be known what the amount of event is")


def test_an_event_that_no_rule_is_about_is_said_to_be_so() -> None:
    """[GUARD-REASON]"""
    program = payments()
    program["sorts"][1]["values"].append("sing")
    guard = Guard(program)
    decision = guard.check({"tool": "sing"}, guard.begin())
    assert decision.permission is Permission.ASK
    assert decision.reason.endswith("nor that it is not: no rule that allows anything is about it")


@pytest.mark.slow
def test_what_solvers_leave_open_is_told_as_well() -> None:
    """[GUARD-REASON]"""
    guard = Guard(payments(EVEN), {"timeout": 60})
    decision = guard.check({"tool": "pay"}, identified(guard))
    assert decision.by == "solver"
    assert "small payments" in [each.name for each in decision.rules]
    assert "it would have to be known" in decision.reason
