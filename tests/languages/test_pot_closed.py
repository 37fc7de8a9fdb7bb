"""Closed predicates: what makes them true, recursion, and that clingo says the same of random programs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from strategies.stratified import stratified, verdicts_of_clingo

from potlang.api import check, verify
from potlang.certify import check as check_certificate
from potlang.languages.pot.check import compile
from potlang.reread import confirm

X = [{"name": "x", "sort": "N"}]
XY = [*X, {"name": "y", "sort": "N"}]
STEP = {"name": "step", "forall": XY, "implies": {"antecedent": "at(x) and way(x, y)", "consequent": "at(y)"}}


def program(
    closed: str,
    *claims: str,
    facts: tuple[str, ...] = (),
    rules: tuple[dict[str, Any], ...] = (),
    functions: tuple[dict[str, Any], ...] = (),
    finite: bool = True,
) -> dict[str, Any]:
    domains = {"at": ["N"], "way": ["N", "N"], "far": ["N"], "on": []}
    return {
        "sorts": [{"name": "N", "type": "DeclareSort"}],
        "functions": [
            *(
                {"name": name, "domain": domain, "range": "Bool", "closed": name in closed.split()}
                for name, domain in domains.items()
            ),
            *functions,
        ],
        "constants": {"n": {"sort": "N", "members": ["a", "b", "c"]}},
        "knowledge_base": list(facts),
        "rules": list(rules),
        "verifications": [{"name": claim, "constraint": claim} for claim in claims],
        "semantics": {"unique_names": True, "closed_domain": True} if finite else None,
    }


def verdicts(closed: str, *claims: str, **parts: Any) -> list[str]:
    report = verify(program(closed, *claims, **parts))
    assert str(report.verdict) != "rejected", report.diagnostics
    return [str(result.verdict) for result in report.results]


def codes(closed: str, **parts: Any) -> list[str]:
    return [each.code for each in check(program(closed, **parts)).diagnostics]


def test_only_facts_and_rules_make_it_true() -> None:
    """[CLOSED-MEANING] [CLOSED-COMPLETION]"""
    assert verdicts("at", "at(a)", "at(b)", facts=("at(a)",)) == ["entailed", "refuted"]
    assert verdicts("", "at(a)", "at(b)", facts=("at(a)",)) == ["entailed", "undetermined"]
    assert verdicts("on", "on") == ["refuted"]


def test_an_open_sort_is_no_matter_without_recursion() -> None:
    """[CLOSED-COMPLETION] Another member may be meant by another name, but nothing else is `at`."""
    claims = ("at(b)", "ForAll([x: N], at(x) -> x == a)")
    assert verdicts("at", *claims, facts=("at(a)",), finite=False) == ["undetermined", "entailed"]


def test_forms_that_define() -> None:
    """[CLOSED-RULES]"""
    for fact in (
        "ForAll([x: N], way(x, a) -> at(x))",
        "ForAll([x: N], way(x, a) -> (on -> on) -> at(x))",
        "ForAll([x: N], at(x) <-> way(x, a))",
        "ForAll([x: N], way(x, a) == at(x))",
        "ForAll([x: N], way(x, a) -> at(x) and (at(x) or on))",
    ):
        assert verdicts("at", "at(b) -> way(b, a)", facts=(fact,)) == ["entailed"], fact


def test_forms_that_define_nothing() -> None:
    """[CLOSED-RULES]"""
    assert verdicts("at", "far(a)", "at(a)", facts=("at(a) or far(a)",)) == ["entailed", "refuted"]
    for fact in ("Exists([x: N], at(x))", "not (not at(a))", "Or(at(a), at(a))"):
        assert verdicts("at", "on", facts=(fact,)) == ["inconsistent"], fact
    norm = {"constraint": "at(a)", "role": "norm"}
    assert verdicts("at", rules=(norm,)) == ["refuted"]


def test_unless_is_negation_as_failure_with_a_closed_exception() -> None:
    """[EXC-UNLESS] [CLOSED-MEANING]"""
    rule = {"forall": X, "constraint": "at(x)", "unless": "far(x)"}
    assert verdicts("far", "at(a)", "at(b)", facts=("far(b)",), rules=(rule,)) == ["entailed", "undetermined"]
    assert verdicts("far at", "at(a)", "at(b)", facts=("far(b)",), rules=(rule,)) == ["entailed", "refuted"]


def test_a_circle_supports_nothing() -> None:
    """[CLOSED-RECURSION] `b` and `c` lead to each other, and nothing leads there."""
    facts = ("at(a)", "way(b, c)", "way(c, b)")
    claims = ("at(a)", "at(b)", "at(c)")
    assert verdicts("at way", *claims, facts=facts, rules=(STEP,)) == ["entailed", "refuted", "refuted"]
    found = verdicts("at", *claims, facts=facts, rules=(STEP,))
    assert found == ["entailed", "undetermined", "undetermined"]


def test_predicates_recur_through_one_another() -> None:
    """[CLOSED-RECURSION] [CLOSED-NAMES]"""
    rules = (
        {
            "name": "to",
            "forall": XY,
            "implies": {"antecedent": "at(x) and way(x, y)", "consequent": "far(y)"},
        },
        {
            "name": "fro",
            "forall": XY,
            "implies": {"antecedent": "far(x) and way(x, y)", "consequent": "at(y)"},
        },
    )
    facts = ("at(a)", "way(a, b)", "way(b, c)", "way(c, b)")
    found = verdicts("at far way", "far(b)", "at(b)", "far(a)", facts=facts, rules=rules)
    assert found == ["entailed", "refuted", "refuted"]
    text = compile(program("at far way", facts=facts, rules=rules)).emit("ir", passes="")
    assert '"closed at, far"' in text and '"at before far"' in text


def test_arguments_that_are_kept_are_arguments_of_the_order_once() -> None:
    """[CLOSED-RECURSION]"""
    rule = {
        "forall": [*XY, {"name": "z", "sort": "N"}],
        "implies": {"antecedent": "path(x, y) and way(y, z)", "consequent": "path(x, z)"},
    }
    path = {"name": "path", "domain": ["N", "N"], "range": "Bool", "closed": True}
    text = compile(program("", rules=(rule,), functions=(path,))).emit("ir", passes="")
    assert '(declare fresh "path before path" (N N N) Bool)' in text


def test_a_core_names_the_completion() -> None:
    """[CLOSED-NAMES]"""
    report = verify(program("at", "not at(b)", facts=("at(a)",)))
    evidence = report.results[0].evidence
    assert evidence is not None and evidence.core is not None
    assert [each.name for each in evidence.core if each.name.startswith("closed")] == ["closed at"]


def test_the_second_reader_finds_the_same_completions() -> None:
    """[CERT-REREAD] [CLOSED-COMPLETION] [CLOSED-RECURSION] It makes them by itself, from the text alone."""
    counts = {"confirmed": 0, "not covered": 0}
    for seed in range(200):
        source = json.dumps(stratified(seed).program).encode()
        found = confirm(source, compile(source).emit("ir", passes=""))
        assert found.status != "differs", (seed, found)
        counts[found.status] += 1
    assert counts["confirmed"] > 180


def test_the_second_reader_notices_another_completion() -> None:
    """[CERT-REREAD]"""
    facts = ("at(a)", "way(b, c)", "way(c, b)")
    source = program("at way", facts=facts, rules=(STEP,))
    text = compile(source).emit("ir", passes="")
    other = compile(source | {"knowledge_base": [*facts, "at(b)"]}).emit("ir", passes="")
    assert confirm(json.dumps(source).encode(), text).status == "confirmed"
    line = next(each for each in text.splitlines() if '"closed at"' in each)
    wrong = next(each for each in other.splitlines() if '"closed at"' in each)
    assert confirm(json.dumps(source).encode(), text.replace(line, wrong)).status == "differs"


def test_models_show_no_orders() -> None:
    """[CLOSED-NAMES]"""
    made = program("at", "at(b)", facts=("at(a)",), rules=(STEP,))
    assert "before" not in json.dumps(verify(made, models="full").to_json())


def test_programs_are_written_back() -> None:
    """[CLOSED-NAMES] As rules and predicates, with the same verdicts."""
    facts = ("at(a)", "way(b, c)", "way(c, b)")
    made = program("at way", "at(a)", "at(b)", facts=facts, rules=(STEP,))
    back = json.loads(compile(made).emit("pot"))
    assert [str(each.verdict) for each in verify(back).results] == ["entailed", "refuted"]


@pytest.mark.parametrize(
    ("closed", "parts", "code"),
    [
        ("at", {"facts": ("not at(b) -> at(a)",)}, "POT4022"),
        ("at", {"facts": ("(at(b) <-> on) -> at(a)",)}, "POT4022"),
        ("at far", {"facts": ("not at(b) -> far(a)", "far(a) -> at(b)")}, "POT4022"),
        ("at", {"rules": ({"forall": X, "constraint": "at(x)", "unless": "at(a)"},)}, "POT4022"),
        ("at", {"rules": (STEP,), "finite": False}, "POT4023"),
        ("", {"functions": ({"name": "f", "domain": ["N"], "range": "Int", "closed": True},)}, "POT4021"),
        (
            "",
            {
                "functions": (
                    {"name": "f", "domain": [], "range": "Bool", "params": [], "body": "on", "closed": True},
                )
            },
            "POT4021",
        ),
        ("", {"functions": ({"name": "f", "domain": [], "range": "Bool", "closed": "yes"},)}, "POT1010"),
    ],
)
def test_what_has_no_meaning_is_reported(closed: str, parts: dict[str, Any], code: str) -> None:
    """[CLOSED-WHAT] [CLOSED-MEANING] [CLOSED-RECURSION] Once, and the rest of the program is checked."""
    assert codes(closed, **parts) == [code]
    wrong = {**parts, "facts": (*parts.get("facts", ()), "gone(a)")}
    assert sorted(codes(closed, **wrong)) == sorted([code, "POT2001"])


def test_no_circle_where_a_denial_is_denied() -> None:
    """[CLOSED-MEANING]"""
    assert codes("at", facts=("not (not at(b)) -> at(a)",)) == []
    assert codes("at far", facts=("at(a) -> far(b)", "not far(b) -> on")) == []


# --- against clingo --------------------------------------------------------------------------------------


def agree(seeds: range, *, certificates: bool) -> dict[bool, int]:
    """Programs by whether they recur; each has clingo's verdicts, and what both checkers accept."""
    pytest.importorskip("clingo")
    counts = {True: 0, False: 0}
    for seed in seeds:
        made = stratified(seed)
        source = json.dumps(made.program).encode()
        report = verify(source, certificate=certificates)
        assert [str(each.verdict) for each in report.results] == verdicts_of_clingo(made), seed
        counts[made.recursive] += 1
        text = compile(source).emit("ir", passes="")
        assert confirm(source, text).status != "differs", seed
        if certificates:
            assert report.certificate is not None
            assert check_certificate(report.certificate, text).status == "VALID", seed
    return counts


def test_random_programs_have_the_verdicts_of_clingo() -> None:
    """[CLOSED-MEANING] [CLOSED-RECURSION] [EXC-OVERRIDES]"""
    assert agree(range(20_000, 20_050), certificates=False) == {True: 17, False: 33}


def test_certificates_of_random_programs_are_valid() -> None:
    """[CLOSED-COMPLETION]"""
    agree(range(20_050, 20_060), certificates=True)


@pytest.mark.slow
def test_many_random_programs_have_the_verdicts_of_clingo() -> None:
    agree(range(30_000, 31_000), certificates=True)
