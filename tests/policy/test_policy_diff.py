"""The proved difference of two versions: statements, cases, certificates, renames, vocabularies."""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import Any

import pytest
from structures import structures

import potlang
from potlang.certify import check
from potlang.cli.policy.diff import difference_lines
from potlang.drawing.difference_page import difference_page
from potlang.generate.programs import ProgramDifficulty, generate
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.structure import Structure
from potlang.policy import Case, Difference, PolicyError, PolicyTest, compare, read_log
from potlang.policy.mutations import mutants
from potlang.report.results import Limits, Verdict

PERSON = {"name": "Person", "type": "DeclareSort"}
RENT: dict[str, Any] = {
    "sorts": [PERSON],
    "functions": [
        {"name": "age", "domain": ["Person"], "range": "Int"},
        {"name": "fee", "domain": ["Person"], "range": "Real"},
        {"name": "may_rent", "domain": ["Person"], "range": "Bool"},
        {"name": "licensed", "domain": ["Person"], "range": "Bool"},
        {"name": "banned", "domain": ["Person"], "range": "Bool"},
    ],
}


def rule(antecedent: str, consequent: str = "may_rent(x)", name: str = "rent") -> dict[str, Any]:
    return {
        "name": name,
        "forall": [{"name": "x", "sort": "Person"}],
        "implies": {"antecedent": antecedent, "consequent": consequent},
    }


def renting(*rules: dict[str, Any], **more: Any) -> potlang.Program:
    return potlang.compile({**RENT, "rules": list(rules), **more})


def shown(found: Difference) -> list[tuple[str, set[str]]]:
    """What changed, and the versions that allow a case of it."""
    return [(each.words, {case.allowed_by for case in each.cases}) for each in found.changes]


# --- statements and cases ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "term", "least", "most"),
    [
        ("age(x) >= 18", "age(x) >= 21", "age(x)", 18, 20),
        ("fee(x) <= 100", "fee(x) <= 99.5", "fee(x)", 99.5, 100),
    ],
)
def test_a_changed_number_is_one_line_with_a_case(
    old: str, new: str, term: str, least: float, most: float
) -> None:
    """[POLICY-DIFF] [POLICY-DIFF-CASE]"""
    first, second = renting(rule(f"licensed(x) and {old}")), renting(rule(f"licensed(x) and {new}"))
    found = compare(first, second)
    assert shown(found) == [(f"{old.split()[-1]} → {new.split()[-1]}", {"new"})]
    assert (found.relation, found.differs) == ("weaker", True)
    (case,) = found.changes[0].cases
    assert case.confirmed
    assert least <= float(case.values[term]) <= most
    assert case.values["licensed(x)"] == "True" and case.values["may_rent(x)"] == "False"
    back = compare(second, first)
    assert (shown(back)[0][1], back.relation) == ({"old"}, "stronger")
    # The case, put to both by itself: one version allows it.
    assert case.case is not None
    for program, verdict in ((first, Verdict.INCONSISTENT), (second, Verdict.ENTAILED)):
        with Case.of(case.case).applied(program).session() as session:
            assert session.verify("True").verdict is verdict


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        (rule("licensed(x) and age(x) >= 18"), rule("not (age(x) < 18) and licensed(x)"), "equal"),
        (rule("licensed(x)"), rule("licensed(x)", "may_rent(x) and not banned(x)"), "stronger"),
        (rule("licensed(x)"), rule("licensed(x) and not banned(x)"), "weaker"),
        (rule("licensed(x)"), rule("banned(x)"), "different"),
        (
            rule("licensed(x)"),
            {"constraint": "Exists([x: Person], licensed(x) and may_rent(x))"},
            "different",
        ),
    ],
)
def test_relations(old: dict[str, Any], new: dict[str, Any], relation: str) -> None:
    """[POLICY-DIFF]"""
    found = compare(renting(old), renting(new))
    assert found.relation == relation
    assert found.is_proved
    assert all(case.confirmed for each in found.changes for case in each.cases)
    assert found.differs is (relation != "equal")


def test_order_names_and_spelling_are_no_difference() -> None:
    """[POLICY-DIFF]: nothing is asked where statements are the same."""
    rules = [rule("licensed(x)"), rule("banned(x)", "not may_rent(x)", "ban")]
    other = {
        "name": "another name",
        "constraint": "ForAll([z: Person], Implies(banned(z), Not(may_rent(z))))",
    }
    found = compare(renting(*rules), renting(other, rules[0]))
    assert (found.same, found.proved, found.differs, found.is_proved) == (2, 0, False, True)


def test_statements_of_every_kind_are_compared() -> None:
    """[POLICY-DIFF]: definitions, closed predicates, unique names, closed domains, packs."""
    whole: dict[str, Any] = {
        "sorts": [PERSON],
        "functions": [
            {"name": "age", "domain": ["Person"], "range": "Int"},
            {"name": "older", "domain": ["Person", "Person"], "range": "Bool"},
            {"name": "member", "domain": ["Person"], "range": "Bool", "closed": True},
            {
                "name": "adult",
                "domain": ["Person"],
                "range": "Bool",
                "params": [{"name": "x", "sort": "Person"}],
                "body": "age(x) >= 18",
            },
        ],
        "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
        "imports": [{"pack": "std/order/partial_order", "with": {"T": "Person", "le": "older"}}],
        "semantics": {"unique_names": True, "closed_domain": True},
        "knowledge_base": ["member(ann)"],
    }
    old = potlang.compile(whole)
    assert not compare(old, potlang.compile(whole)).differs

    def without(section: str, at: int, key: str) -> dict[str, Any]:
        items = [dict(each) for each in whole[section]]
        items[at].pop(key)
        return {**whole, section: items}

    body = json.loads(json.dumps(whole))
    body["functions"][3]["body"] = "age(x) >= 21"
    versions = {
        "definition": body,
        "closed predicate": without("functions", 2, "closed"),
        "semantics": {**whole, "semantics": {"closed_domain": True}},
        "pack": {**whole, "imports": []},
        "fact": {**whole, "knowledge_base": ["member(bob)"]},
    }
    for kind, version in versions.items():
        found = compare(old, potlang.compile(version))
        assert kind in {each.kind for each in found.changes}, kind
        assert all(case.confirmed for each in found.changes for case in each.cases), kind
    (change,) = compare(old, potlang.compile(body)).changes
    assert change.words == "18 → 21"


def test_statements_that_contradict_each_other() -> None:
    """[POLICY-DIFF]"""
    sound = renting(rule("licensed(x)"))
    broken = renting(rule("licensed(x)"), {"constraint": "1 > 2"})
    found = compare(sound, broken)
    assert (found.relation, found.contradictory) == ("stronger", ("new",))
    found = compare(broken, renting({"constraint": "2 > 3"}))
    assert (found.relation, set(found.contradictory)) == ("equal", {"old", "new"})


@pytest.mark.parametrize("verdict", [Verdict.ENTAILED, Verdict.REFUTED, Verdict.INCONSISTENT])
def test_a_lost_part_changes_its_claim(verdict: Verdict) -> None:
    """[POLICY-DIFF-IMPACT]: any part that the verdict needs, and no other."""
    found = generate(11, ProgramDifficulty(depth=2, rules=2, facts=2), verdict)
    old = potlang.compile(found.program)
    for name in sorted(each["name"] for key in ("knowledge_base", "rules") for each in found.program[key]):
        less = {
            key: [each for each in found.program[key] if each["name"] != name]
            for key in ("knowledge_base", "rules")
        }
        difference = compare(old, potlang.compile({**found.program, **less}))
        changed = [(each.origin, each.old) for each in difference.verdicts]
        assert changed == ([("verification", verdict)] if name in found.support else []), name
        assert not difference.open_claims


# --- certificates --------------------------------------------------------------------------------


def test_equality_has_certificates() -> None:
    """[POLICY-DIFF-CERT]"""
    old = renting(rule("licensed(x) and age(x) >= 18"), rule("banned(x)", "not may_rent(x)", "ban"))
    new = renting(rule("age(x) > 17 and licensed(x)"), rule("may_rent(x)", "not banned(x)", "ban"))
    found = compare(old, new, certificates=True)
    assert (found.relation, found.proved, len(found.certificates)) == ("equal", 4, 2)
    for each in found.certificates:
        outcome = check(each.certificate, potlang.compile(each.program).emit("ir", passes=""))
        assert (outcome.status, outcome.open) == ("VALID", ())
        assert set(dict(outcome.verdicts).values()) == {"entailed"}
    assert compare(old, renting(rule("licensed(x)")), certificates=True).certificates == ()


def test_what_no_checker_proved_is_not_called_equal() -> None:
    """[POLICY-DIFF-CERT]: of products of real numbers the kernel knows no more than that they are numbers."""
    old = renting(rule("fee(x) >= 0 and fee(x) * fee(x) < 10000"))
    new = renting(rule("fee(x) >= 0 and fee(x) < 100"))
    found = compare(old, new)
    assert not found.differs
    assert {each.reason for each in found.unchecked} == {"cross-checked, not checked"}
    assert found.relation == "unknown"
    assert not found.is_proved


def test_limits_of_real_numbers_are_compared_with_certificates() -> None:
    """[POLICY-DIFF-CERT] [GROUND-ARITHMETIC]"""
    old, new = renting(rule("fee(x) < 100 or fee(x) < 99.5")), renting(rule("fee(x) < 100"))
    found = compare(old, new, certificates=True)
    assert (found.relation, found.is_proved, len(found.certificates)) == ("equal", True, 2)


def test_a_case_has_dates_and_amounts_as_cases_write_them() -> None:
    """[POLICY-DIFF-CASE]: it can be asked about, under either version."""
    paid = [
        {"name": "paid", "domain": ["Person"], "range": "Money(EUR)"},
        {"name": "born", "domain": ["Person"], "range": "Date"},
        *({"name": f"seen_{at}", "domain": ["Person"], "range": "Bool"} for at in range(30)),
    ]
    functions = [*RENT["functions"], *paid]
    more = [rule(" or ".join(f"seen_{at}(x)" for at in range(30)), "licensed(x)", "seen")]

    def version(date: str) -> potlang.Program:
        return renting(rule(f"paid(x) >= 30 EUR and born(x) < {date}"), *more, functions=functions)

    old, new = version("2007-05-01"), version("2008-05-01")
    found = compare(old, new)
    (case,) = found.changes[0].cases
    assert case.case is not None
    (person,) = (each for each in case.case.values() if isinstance(each, dict))
    assert "2007-05-01" <= person["born"] < "2008-05-01" and person["paid"].endswith(" EUR")
    for each, expected in ((old, Verdict.UNDETERMINED), (new, Verdict.ENTAILED)):
        stated = {**case.case, "x": {key: value for key, value in person.items() if key != "may_rent"}}
        with Case.of(stated).applied(each).session() as session:
            assert session.verify("may_rent(x)").verdict is expected
    line = next(each for each in difference_lines(found) if "version allows" in each)
    assert "may_rent(x)" in line and "seen_29" not in line


def test_a_case_is_of_names_that_are_no_words() -> None:
    """[POLICY-DIFF-CASE]"""

    def version(limit: int) -> potlang.Program:
        constants = {"limits": {"sort": "Int", "members": ["+", "a b"]}}
        return potlang.compile({"constants": constants, "knowledge_base": [f"`+` > `a b` + {limit}"]})

    lines = list(difference_lines(compare(version(1), version(2))))
    assert "`+` = " in next(each for each in lines if "version allows" in each)


# --- sentences -----------------------------------------------------------------------------------


def test_a_changed_statement_quotes_what_it_cites() -> None:
    """[POLICY-DIFF-CASE]: in text those of both versions once, and the others with their version."""
    sentences = ["Who has a licence may rent.", "They are 18 or older."]

    def version(age: int, text: str) -> potlang.Program:
        cited = {**rule(f"licensed(x) and age(x) >= {age}"), "cites": [1, 2]}
        return renting(
            cited, rule("banned(x)", "not may_rent(x)"), document={"sentences": [sentences[0], text]}
        )

    old, new = version(18, sentences[1]), version(21, "They are 21 or older.")
    found = compare(old, new)
    (change,) = found.changes
    assert change.old is not None and change.new is not None
    assert [each.text for each in change.old.quotes] == sentences
    lines = [each.strip() for each in difference_lines(found)]
    assert lines[2:5] == [
        "by sentence 1: “Who has a licence may rent.”",
        "in the old version by sentence 2: “They are 18 or older.”",
        "in the new version by sentence 2: “They are 21 or older.”",
    ]
    assert found.to_dict()["changes"][0]["new"]["quotes"][1] == {"number": 2, "text": "They are 21 or older."}
    # What has no citation has no key for them.
    (plain,) = compare(renting(rule("licensed(x)")), renting(rule("banned(x)"))).to_dict()["changes"]
    assert "quotes" not in plain["old"]


def test_the_page_on_a_difference() -> None:
    """[POLICY-DIFF-PAGE]: all that is told, escaped, and nothing that loads or runs anything else."""
    sentence = "Who has a <licence> may rent."
    document = {"sentences": [sentence]}
    old = renting({**rule("licensed(x) and age(x) >= 18"), "cites": [1]}, document=document, **NAMED)
    new = renting({**rule("licensed(x) and age(x) >= 21"), "cites": [1]}, document=document, **NAMED)
    found = compare(old, new).to_dict()
    page = difference_page("rent@1", "<b>@2", found, "0")
    assert "by sentence 1: “Who has a &lt;licence&gt; may rent.”" in page
    assert "The new version allows this, and the old one does not:" in page
    assert "18 → 21" in page and "<b>" not in page and "&lt;b&gt;@2" in page
    assert "entailed → undetermined" in page
    assert " src=" not in page and "<link" not in page
    assert "Not proved" not in page and "Words" not in page
    more = renting(rule("fee(x) >= 0 and fee(x) * fee(x) < 10000"), functions=[*RENT["functions"], PLAIN])
    page = difference_page(
        "a", "b", compare(renting(rule("fee(x) >= 0 and fee(x) < 100")), more).to_dict(), "0"
    )
    assert "constant plain" in page and "not checked: rule rent of the" in page


def test_the_page_has_a_text_of_both_versions_once() -> None:
    """[POLICY-DIFF-PAGE]"""
    closed = [{**each, "closed": each["name"] == "may_rent"} for each in RENT["functions"]]

    def version(age: int, fee: int) -> potlang.Program:
        rules = (
            rule(f"age(x) >= {age}"),
            rule(f"fee(x) >= {fee}", name="paid"),
            rule("banned(x)", "licensed(x)"),
        )
        return renting(*rules, functions=closed)

    page = difference_page("a", "b", compare(version(18, 10), version(21, 20)).to_dict(), "0")
    assert page.count("`may_rent` is true only where rule “rent” or rule “paid” says so (closed)") == 1
    assert "Its text is the same; other statements changed what it means." in page
    assert "1 statement is the same, 3 follow from the other version." in page


PLAIN = {"name": "plain", "domain": [], "range": "Bool"}
NAMED: dict[str, Any] = {
    "constants": {"people": {"sort": "Person", "members": ["ann"]}},
    "knowledge_base": ["licensed(ann)", "age(ann) == 20"],
    "verifications": [{"name": "ann may", "constraint": "may_rent(ann)"}],
}


# --- vocabularies --------------------------------------------------------------------------------


def renamed(program: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    text = json.dumps(program)
    for old, new in names.items():
        text = text.replace(old, new)
    changed: dict[str, Any] = json.loads(text)
    return changed


POLICY: dict[str, Any] = {
    **RENT,
    "sorts": [PERSON, {"name": "Car", "type": "EnumSort", "values": ["van", "truck"]}],
    "functions": [
        *RENT["functions"],
        {"name": "drives", "domain": ["Person", "Car"], "range": "Bool"},
    ],
    "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
    "knowledge_base": ["age(ann) == 30", "licensed(ann)", "not licensed(bob)"],
    "rules": [
        rule("licensed(x) and age(x) >= 18"),
        rule("banned(x)", "not may_rent(x)", "ban"),
        rule("drives(x, truck)", "age(x) >= 21", "trucks"),
    ],
    "verifications": [{"name": "ann", "constraint": "may_rent(ann)"}],
}
NAMES = {"Person": "Human", "licensed": "has_licence", "truck": "lorry", "bob": "robert", 'ban"': 'bar"'}


def test_a_rename_is_no_difference() -> None:
    """[POLICY-DIFF-RENAME]"""
    found = compare(potlang.compile(POLICY), potlang.compile(renamed(POLICY, NAMES)))
    assert not found.differs and found.is_proved
    assert {(each.kind, each.old, each.new) for each in found.renames} == {
        ("sort", "Person", "Human"),
        ("function", "licensed", "has_licence"),
        ("value", "truck", "lorry"),
        ("constant", "bob", "robert"),
    }


def test_a_rename_beside_a_change_leaves_the_change_alone() -> None:
    """[POLICY-DIFF-RENAME]"""
    new = renamed(POLICY, {**NAMES, ">= 18": ">= 19"})
    found = compare(potlang.compile(POLICY), potlang.compile(new))
    assert shown(found) == [("18 → 19", {"new"})]
    assert found.vocabulary == ()


def test_tests_and_logs_are_in_the_words_of_either_version() -> None:
    """[POLICY-DIFF-RENAME] [POLICY-DIFF-IMPACT]"""
    new = renamed(POLICY, {**NAMES, ">= 18": ">= 31"})
    case = {"cy": {"licensed": True, "age": 18}}
    tests = [
        PolicyTest("licensed(ann) and may_rent(ann)", Verdict.ENTAILED),
        PolicyTest("has_licence(robert)", Verdict.REFUTED),
        PolicyTest("may_rent(cy)", Verdict.ENTAILED, "young", case),
    ]
    found = compare(potlang.compile(POLICY), potlang.compile(new), tests)
    assert dict(found.asked) == {"claim": 1, "test": 3}
    assert {(each.name, each.old, each.new) for each in found.verdicts} == {
        ("ann", Verdict.ENTAILED, Verdict.UNDETERMINED),
        ("", Verdict.ENTAILED, Verdict.UNDETERMINED),
        ("young", Verdict.ENTAILED, Verdict.UNDETERMINED),
    }


def test_an_exchange_of_names_is_a_difference() -> None:
    """[POLICY-DIFF-RENAME]: a name that both have means the same in both."""
    first = renting(rule("licensed(x)"), rule("banned(x)", "not may_rent(x)", "ban"))
    second = renting(rule("banned(x)"), rule("licensed(x)", "not may_rent(x)", "ban"))
    found = compare(first, second)
    assert found.renames == () and found.relation == "different"


def test_a_wrong_guess_makes_nothing_equal() -> None:
    """[POLICY-DIFF-RENAME]: two names stand in the place of one another, and only one was renamed."""
    old = {**RENT, "rules": [rule("licensed(x)"), rule("banned(x)", name="other")]}
    new = renamed(old, {"licensed": "vetted"})
    new["rules"][1]["implies"]["antecedent"] = "vetted(x)"
    found = compare(potlang.compile(old), potlang.compile(new))
    assert found.differs
    assert found.relation in ("weaker", "different")


def test_renames_are_looked_for_among_few() -> None:
    """[LIMIT-POLICY-RENAMES]"""

    def flags(stem: str) -> potlang.Program:
        names = [f"{stem}{at}" for at in range(101)]
        functions = [{"name": name, "domain": [], "range": "Bool"} for name in names]
        return potlang.compile({"functions": functions, "knowledge_base": [f"{stem}7"]})

    found = compare(flags("a"), flags("b"))
    assert found.renames == () and len(found.vocabulary) == 202


def test_what_one_version_alone_declares() -> None:
    """[POLICY-DIFF-WORDS]"""
    more = [*RENT["functions"], {"name": "insured", "domain": ["Person"], "range": "Bool"}]
    old = renting(rule("licensed(x)"))
    new = renting(rule("licensed(x) and insured(x)"), functions=more)
    found = compare(old, new)
    assert [(each.kind, each.name, each.old, each.new) for each in found.vocabulary] == [
        ("function", "insured", None, "Person -> Bool")
    ]
    assert (found.relation, shown(found)) == ("weaker", [("added and insured(x)", {"new"})])
    # A name with which nothing is said differs in itself.
    found = compare(old, renting(rule("licensed(x)"), functions=more))
    assert found.differs and found.relation == "equal"


def test_a_function_that_is_defined_in_one_version_alone_means_its_definition() -> None:
    """[POLICY-DIFF-WORDS]"""
    adult = {
        "name": "adult",
        "domain": ["Person"],
        "range": "Bool",
        "params": [{"name": "p", "sort": "Person"}],
        "body": "age(p) >= 18",
    }
    old = renting(rule("licensed(x) and age(x) >= 18"))
    new = renting(rule("licensed(x) and adult(x)"), functions=[*RENT["functions"], adult])
    found = compare(old, new)
    assert found.relation == "equal" and not found.changes
    assert [each.name for each in found.vocabulary] == ["adult"]


def test_members_that_one_version_has_more() -> None:
    """[POLICY-DIFF-WORDS]"""
    more = json.loads(json.dumps(POLICY))
    more["sorts"][1]["values"].append("bus")
    more["constants"]["people"]["members"].append("cy")
    more["rules"].append(rule("drives(x, bus)", "age(x) >= 24", "buses"))
    found = compare(potlang.compile(POLICY), potlang.compile(more))
    assert {each.name for each in found.vocabulary} == {"Car", "cy"}
    assert [each.words for each in found.changes] == ["only in the new version"]
    assert found.changes[0].cases[0].confirmed


def claims_of(kinds: str, *rules: str, **more: Any) -> potlang.Program:
    """A policy over claims of kinds, with rules for each claim x."""
    claim = [{"name": "x", "sort": "Claim"}]
    return potlang.compile(
        {
            "sorts": [
                {"name": "Claim", "type": "DeclareSort"},
                {"name": "Kind", "type": "EnumSort", "values": kinds.split()},
            ],
            "functions": [
                {"name": "kind", "domain": ["Claim"], "range": "Kind"},
                *({"name": name, "domain": ["Claim"], "range": "Bool"} for name in ("paid", "late")),
            ],
            "rules": [{"forall": claim, "constraint": each} for each in rules],
            **more,
        }
    )


def test_values_that_one_version_has_more_are_values_for_both() -> None:
    """[POLICY-DIFF-WORDS]: and what a version's own claims say is asked of it as it is."""
    old = claims_of("theft fire", "kind(x) == theft or kind(x) == fire -> paid(x)")
    new = claims_of("hail theft fire", "paid(x)", "kind(x) == hail -> late(x)")
    found = compare(old, new)
    assert (found.relation, [each.name for each in found.vocabulary]) == ("stronger", ["Kind"])
    cases = [case for change in found.changes for case in change.cases]
    assert [case.values["kind(x)"] for case in cases] == ["hail", "hail"]
    assert all(case.confirmed for case in cases)
    assert compare(new, old).relation == "weaker"
    listed = {"name": "all", "constraint": "ForAll([x: Claim], kind(x) == theft or kind(x) == fire)"}
    found = compare(
        *(claims_of(each, "paid(x)", verifications=[listed]) for each in ("theft fire", "fire theft hail"))
    )
    assert [(each.old, each.new) for each in found.verdicts] == [("entailed", "undetermined")]


def test_a_value_that_is_another_name_of_the_other_version() -> None:
    """[POLICY-DIFF-WORDS]"""
    constants = {"k": {"sort": "Kind", "members": ["hail"]}}
    old = claims_of("theft fire", "late(x) -> not paid(x)", constants=constants)
    functions = [
        {"name": "kind", "domain": ["Claim"], "range": "Kind"},
        {"name": "paid", "domain": ["Claim"], "range": "Bool"},
    ]
    for value in ("late", "hail"):
        rule_text = f"kind(x) == {value} -> paid(x)"
        found = compare(old, claims_of(f"theft fire {value}", rule_text, functions=functions))
        assert found.differs and not found.open
        assert {each.name: each.new for each in found.vocabulary}["late"] is None


Atom = tuple[str, str, bool]
"""A predicate and a kind, or nothing, and the truth that is asked for."""


def _atom_text(atom: Atom) -> str:
    name, kind, wanted = atom
    text = f"{name}(x) == {kind}" if kind else f"{name}(x)"
    return text if wanted else f"not {text}"


def _allowed(both: bool, atoms: list[Atom], pays: bool, kinds: list[str]) -> set[tuple[str, bool, bool]]:
    """The kinds, latenesses and payments of one claim that a rule allows."""
    found = set()
    for kind, late, paid in product(kinds, (False, True), (False, True)):
        truths = [((kind == of) if of else late) is wanted for _, of, wanted in atoms]
        if paid is pays or not (all(truths) if both else any(truths)):
            found.add((kind, late, paid))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_versions_with_other_values_differ_as_all_cases_say(seed: int) -> None:
    """[POLICY-DIFF-WORDS]: against all cases of one claim, by a reading of the rules of our own."""
    random = Random(seed)
    kinds = ["theft fire hail", random.choice(["theft fire", "fire", "hail fire flood"])]
    random.shuffle(kinds)
    every = [each for each in ("theft", "fire", "hail", "flood") if each in " ".join(kinds)]
    allowed, programs = [], []
    for each in kinds:
        sides = [("kind", random.choice(each.split())), ("late", "")]
        atoms = [(*random.choice(sides), random.random() < 0.5) for _ in range(2)]
        both, pays = random.random() < 0.5, random.random() < 0.5
        condition = (" and " if both else " or ").join(map(_atom_text, atoms))
        programs.append(claims_of(each, f"{condition} -> {_atom_text(('paid', '', pays))}"))
        allowed.append(_allowed(both, atoms, pays, every))
    found = compare(programs[0], programs[1])
    more, less = allowed[1] - allowed[0], allowed[0] - allowed[1]
    names = {(False, False): "equal", (True, False): "weaker", (False, True): "stronger"}
    assert found.relation == names.get((bool(more), bool(less)), "different")


def test_a_name_with_other_sorts_is_another_name() -> None:
    """[POLICY-DIFF-WORDS]"""
    other = [{**each, "range": "Real"} if each["name"] == "age" else each for each in RENT["functions"]]
    found = compare(
        renting(rule("licensed(x) and age(x) >= 18")),
        renting(rule("licensed(x) and age(x) >= 18"), functions=other),
    )
    assert [(each.name, each.old, each.new) for each in found.vocabulary] == [
        ("age", "Person -> Int", "Person -> Real, called `age_new` here")
    ]
    assert found.relation == "different"
    assert [each.words for each in found.changes] == ["age → age_new"]
    assert all({"age(x)", "age_new(x)"} <= set(case.values) for case in found.changes[0].cases)


# --- what is not proved --------------------------------------------------------------------------

HARD: dict[str, Any] = {
    "functions": [{"name": name, "domain": [], "range": "Int"} for name in "xyz"],
    "knowledge_base": ["x ** 3 + y ** 3 + z ** 3 == 42"],
}


@pytest.mark.slow
def test_what_is_unknown_is_open_and_claims_are_drawn() -> None:
    """[POLICY-DIFF] [POLICY-SAMPLES]"""
    easy = {**HARD, "knowledge_base": ["z ** 3 + x ** 3 + y ** 3 == 42 or x ** 3 == 2 + y ** 3 * 7"]}
    limits = Limits(check_ms=100, total_ms=600)
    found = compare(potlang.compile(HARD), potlang.compile(easy), samples=3, limits=limits)
    assert found.open and not found.is_proved
    assert dict(found.asked)["sample"] == 3


def test_optimizations_are_compared_as_text() -> None:
    """[POLICY-DIFF-IMPACT]"""
    first = {
        "variables": [{"name": "x", "sort": "Int"}],
        "optimization": {"constraints": ["x >= 3"], "objectives": [{"type": "minimize", "expression": "x"}]},
    }
    second = json.loads(json.dumps(first).replace(">= 3", ">= 4"))
    assert compare(potlang.compile(first), potlang.compile(first)).is_proved
    found = compare(potlang.compile(first), potlang.compile(second))
    assert found.optimization_differs and not found.is_proved


def test_claims_that_one_version_cannot_say() -> None:
    """[POLICY-DIFF-IMPACT]"""

    def flag(name: str) -> potlang.Program:
        functions = [{"name": name, "domain": [], "range": "Bool"}]
        return potlang.compile({"functions": functions, "knowledge_base": [f"{name} or 1 > {len(name)}"]})

    tests = [PolicyTest("p", Verdict.ENTAILED), PolicyTest("qq", Verdict.ENTAILED)]
    found = compare(flag("p"), flag("qq"), tests)
    assert {(each.claim, each.old, each.new) for each in found.verdicts} <= {
        ("p", Verdict.ENTAILED, Verdict.REJECTED),
        ("qq", Verdict.REJECTED, Verdict.ENTAILED),
    }
    assert json.loads(json.dumps(found.to_dict()))["relation"] == found.relation


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"claim": "p"}\n[]', "line 2 of the log has no `claim`"),
        (b'\n{"claim": "p", "case": 3}', "`case` in line 2"),
        (b'{"claim": 7}', "line 1 of the log has no `claim`"),
        (b"\xff", "line 1 of the log is not JSON"),
        (b"[" * 100_000, "line 1 of the log is not JSON"),
        (b'{"claim": "p"}\n' * 100_001, "at most 100,000"),
    ],
)
def test_what_is_no_log(data: bytes, words: str) -> None:
    """[POLICY-DIFF-IMPACT] [LIMIT-POLICY-LOG]"""
    with pytest.raises(PolicyError, match=words):
        read_log(data)


# --- against brute force -------------------------------------------------------------------------


def drawn_policy(random: Random) -> dict[str, Any]:
    """A policy over a sort of two values, two predicates and a function to four values."""

    def atom() -> str:
        two, three = "BitVecVal(2, 2)", "BitVecVal(3, 2)"
        name = random.choice(["p(x)", "q(x)", "p(left)", "q(right)", f"n(x) == {two}", f"n(x) != {three}"])
        return f"not {name}" if random.random() < 0.3 else name

    def rule(at: int) -> dict[str, Any]:
        joined = random.choice([" and ", " or "])
        return {
            "name": f"r{at}",
            "forall": [{"name": "x", "sort": "Side"}],
            "implies": {"antecedent": joined.join([atom(), atom()]), "consequent": atom()},
        }

    return {
        "sorts": [
            {"name": "Side", "type": "EnumSort", "values": ["left", "right"]},
        ],
        "functions": [
            *({"name": name, "domain": ["Side"], "range": "Bool"} for name in "pq"),
            {"name": "n", "domain": ["Side"], "range": "BitVec(2)"},
        ],
        "knowledge_base": [f"Exists([x: Side], {atom()})"],
        "rules": [rule(at) for at in range(2)],
    }


def models(module: Module) -> list[bool]:
    """Of each structure, in order, whether all assumptions hold in it."""
    return [_holds(module, each) for each in structures(module, {})]


def _holds(module: Module, structure: Structure) -> bool:
    return all(evaluate(each.formula, structure) is True for each in module.assertions)


def check_mutants(seeds: range) -> int:
    """The difference is what all structures say: of how many mutants there was one."""
    different = 0
    for seed in seeds:
        random = Random(seed)
        program = drawn_policy(random)
        mutant = random.choice(list(mutants(program)))
        try:
            old, new = potlang.compile(program), potlang.compile(mutant.applied(program))
        except potlang.CompileError:
            continue
        before, after = models(old.module), models(new.module)
        found = compare(old, new)
        weaker = any(second and not first for first, second in zip(before, after, strict=True))
        stronger = any(first and not second for first, second in zip(before, after, strict=True))
        expected = {(False, False): "equal", (True, False): "weaker", (False, True): "stronger"}
        assert found.relation == expected.get((weaker, stronger), "different"), (seed, mutant)
        assert found.is_proved
        assert all(case.confirmed for each in found.changes for case in each.cases)
        different += weaker or stronger
    return different


def test_mutants_of_finite_policies() -> None:
    """[POLICY-DIFF] [POLICY-DIFF-CASE] [POLICY-MUTANTS]: judged by all structures."""
    assert 5 <= check_mutants(range(15)) < 15


@pytest.mark.slow
def test_many_mutants_of_finite_policies() -> None:
    """[POLICY-DIFF] [POLICY-DIFF-CASE] [POLICY-MUTANTS]: judged by all structures."""
    assert check_mutants(range(1_000, 1_500)) > 200
