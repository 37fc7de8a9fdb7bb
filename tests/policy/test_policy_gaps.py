"""Gaps and overlaps: those of written policies, and of random finite ones against all interpretations."""

from __future__ import annotations

from random import Random

import pytest
from finite_policies import FinitePolicy, finite_policy

import potlang
from potlang.policy import Case, PolicyError, gaps, rule_map
from potlang.policy.gaps import Gap, RuleMap


def agrees(policy: FinitePolicy) -> RuleMap | None:
    """The map of a random policy, if it is one with cases, after it was compared with brute force."""
    program = potlang.compile(policy.program())
    if not policy.models():
        with pytest.raises(PolicyError, match="contradicts itself"):
            rule_map(program)
        return None
    found = rule_map(program)
    for gap in found.gaps:
        name = gap.subject.partition("(")[0]
        assert gap.status == ("found" if policy.has_gap(name) else "absent"), (policy, gap)
        check_gap(program, gap)
    expected = {(kind, names) for kind, names, is_found in policy.overlaps() if is_found}
    assert all(each.status != "unknown" for each in found.overlaps), policy
    given = {(each.kind, frozenset(each.rules)) for each in found.overlaps if each.status == "found"}
    # A function that no rule with a condition concludes about is given, not decided.
    is_decided = any(each.condition and each.head[0] == policy.decided for each in policy.rules)
    assert given == (expected if is_decided else set()), policy
    return found


def check_gap(program: potlang.Program, gap: Gap) -> None:
    """That the claim is open in the case of a gap."""
    if gap.status == "found":
        asked = program if gap.case is None else Case.of(gap.case).applied(program)
        claim = gap.subject if gap.subject.startswith(("allowed", "a(")) else f"{gap.subject} == red"
        with asked.session(trust="solver") as session:
            assert session.verify(claim).verdict in ("undetermined", "refuted"), gap


POLICY = {
    "sorts": [{"name": "Item", "type": "DeclareSort"}],
    "functions": [
        {"name": "days", "domain": ["Item"], "range": "Int"},
        *({"name": name, "domain": ["Item"], "range": "Bool"} for name in ("receipt", "returnable")),
    ],
}


def written(*rules: tuple[str, str], **more: object) -> RuleMap:
    items = [
        {
            "name": f"rule {at}",
            "forall": [{"name": "x", "sort": "Item"}],
            "implies": {"antecedent": condition, "consequent": conclusion},
        }
        for at, (condition, conclusion) in enumerate(rules, 1)
    ]
    return rule_map(potlang.compile({**POLICY, **more, "rules": items}))


def test_a_gap_is_told_by_its_case() -> None:
    """[POLICY-GAP]"""
    found = written(("days(x) <= 30", "returnable(x)"), ("days(x) > 60", "not returnable(x)"))
    (gap,) = found.gaps
    assert (gap.subject, gap.rules, gap.status) == ("returnable(item)", ("rule 1", "rule 2"), "found")
    assert gap.case is not None and 30 < gap.case["item"]["days"] <= 60
    assert [(each.kind, each.status) for each in found.overlaps] == [("conflict", "absent")]


def test_rules_that_leave_nothing_out() -> None:
    """[POLICY-GAP]: by their conditions, since it follows from something else, or since it is closed."""
    whole = ("days(x) <= 30", "returnable(x)"), ("days(x) > 30", "not returnable(x)")
    assert [each.status for each in written(*whole).gaps] == ["absent"]
    fact = {"knowledge_base": ["ForAll([x: Item], days(x) > 30 -> not returnable(x))"]}
    assert [each.status for each in written(whole[0], **fact).gaps] == ["absent"]
    functions = [{**each, "closed": each["name"] == "returnable"} for each in POLICY["functions"]]
    assert [each.status for each in written(whole[0], functions=functions).gaps] == ["absent"]


def test_a_closed_predicate_of_many_rules_leaves_nothing_out() -> None:
    """[POLICY-GAP]: however many cases there are in which no rule applies."""
    names = [f"reason_{at}" for at in range(10)]
    reasons = [{"name": name, "domain": ["Item"], "range": "Bool"} for name in names]
    functions = [{**each, "closed": each["name"] == "returnable"} for each in POLICY["functions"]]
    rules = [(f"{name}(x) and days(x) <= {30 + at}", "returnable(x)") for at, name in enumerate(names)]
    assert [each.status for each in written(*rules, functions=[*functions, *reasons]).gaps] == ["absent"]


def test_rules_that_contradict_each_other_in_a_case() -> None:
    """[POLICY-OVERLAP]"""
    found = written(("days(x) <= 30", "returnable(x)"), ("not receipt(x)", "not returnable(x)"))
    (overlap,) = found.overlaps
    assert (overlap.kind, overlap.status, overlap.rules) == ("conflict", "found", ("rule 1", "rule 2"))
    assert overlap.case is not None
    assert overlap.case["item"]["days"] <= 30 and overlap.case["item"]["receipt"] is False


def test_rules_that_say_the_same_in_a_case() -> None:
    """[POLICY-OVERLAP]"""
    found = written(
        ("days(x) <= 30", "returnable(x)"),
        ("days(x) <= 60 and receipt(x)", "returnable(x)"),
        ("days(x) > 60", "returnable(x)"),
    )
    statuses = [(each.kind, each.rules, each.status) for each in found.overlaps]
    assert statuses == [
        ("agreement", ("rule 1", "rule 2"), "found"),
        ("agreement", ("rule 1", "rule 3"), "absent"),
        ("agreement", ("rule 2", "rule 3"), "absent"),
    ]


def test_pairs_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """[LIMIT-POLICY-PAIRS]"""
    monkeypatch.setattr(gaps, "MOST_PAIRS", 1)
    rules = [
        ("receipt(x)", "returnable(x)"),
        ("days(x) < 9", "returnable(x)"),
        ("days(x) < 3", "returnable(x)"),
    ]
    found = written(*rules)
    assert (len(found.overlaps), found.not_asked) == (1, 2)


def test_a_policy_that_contradicts_itself() -> None:
    """[POLICY-GAP]"""
    with pytest.raises(PolicyError, match="contradicts itself"):
        written(("receipt(x)", "returnable(x)"), knowledge_base=["False"])


def test_random_policies() -> None:
    """[POLICY-GAP] [POLICY-OVERLAP]: against all interpretations of finite policies."""
    for seed in range(12):
        agrees(finite_policy(Random(seed)))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 500, 50))
def test_many_random_policies(start: int) -> None:
    """[POLICY-GAP] [POLICY-OVERLAP]: 500 policies."""
    for seed in range(start, start + 50):
        agrees(finite_policy(Random(1_000 + seed)))
