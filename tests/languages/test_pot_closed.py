"""Closed predicates: what makes them true, recursion, and that clingo says the same of random programs."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from strategies.stratified import stratified, verdicts_of_clingo

from potlang.api import check, verify
from potlang.certify import check as check_certificate
from potlang.engines.founded import candidate
from potlang.ir.evaluator import evaluate
from potlang.languages.pot.check import compile
from potlang.reread import confirm

X = [{"name": "x", "sort": "N"}]
XY = [*X, {"name": "y", "sort": "N"}]
SAFE = {"name": "safe", "domain": ["N"], "range": "Bool", "params": ["x"], "body": "not at(x)"}
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
    claims = ("far(b)", "at(b)", "far(a)")
    assert verdicts("at far way", *claims, facts=facts, rules=rules) == ["entailed", "refuted", "refuted"]
    no_others = "ForAll([x: N, y: N], way(x, y) -> Or(x == a, y == a) -> y == b)"
    no_loop = "not way(b, b) and not way(c, c) and not way(a, a) and not way(b, a) and not way(c, a)"
    opened = (*facts, no_others, no_loop, "not way(a, c)")
    assert verdicts("at far", *claims, facts=opened, rules=rules) == ["entailed", "refuted", "refuted"]
    text = compile(program("at far", facts=facts, rules=rules)).emit("ir", passes="")
    assert '"closed at, far"' in text and '"at before far"' in text


def completion_of(name: str, made: dict[str, Any]) -> str:
    text = compile(made).emit("ir", passes="")
    return next(line for line in text.splitlines() if f'"closed {name}"' in line)


def test_what_is_known_is_computed() -> None:
    """[CLOSED-KNOWN]"""
    facts = ("at(a)", "way(a, b)", "way(c, b)", "ForAll([x: N], not at(x) -> far(x))")
    known = program("at way far", "far(c)", "at(c)", facts=facts, rules=(STEP,))
    assert '"at before at"' not in compile(known).emit("ir", passes="")
    assert completion_of("at", known).endswith("(not (at c)))")
    assert completion_of("far", known).endswith("(and (not (far a)) (not (far b))))")
    report = verify(known)
    assert [str(each.verdict) for each in report.results] == ["entailed", "refuted"]
    assert {each.trust for each in report.results} == {"checked"}


@pytest.mark.parametrize(
    ("closed", "parts"),
    [
        ("at", {"rules": (STEP,)}),
        (
            "at way",
            {"facts": ("f(a) -> at(a)",), "functions": ({"name": "f", "domain": ["N"], "range": "Bool"},)},
        ),
        ("at", {"facts": ("1 < k -> at(a)",), "functions": ({"name": "k", "domain": [], "range": "Int"},)}),
        ("at", {"facts": ("ForAll([i: Int], i == i) -> at(a)",)}),
        ("at", {"facts": ("at(a)",), "finite": False}),
        ("big", {"functions": ({"name": "big", "domain": ["N"] * 10, "range": "Bool", "closed": True},)}),
    ],
)
def test_what_is_open_is_not_known(closed: str, parts: dict[str, Any]) -> None:
    """[CLOSED-KNOWN] [CLOSED-COMPLETION] An open predicate, other terms, other sorts, or too much of all."""
    assert "(forall " in completion_of(closed.split()[0], program(closed, **parts))


def test_atoms_with_constants_and_repeated_variables_are_joined() -> None:
    """[CLOSED-KNOWN]"""
    facts = (
        "way(a, a)",
        "way(a, b)",
        "way(b, c)",
        "ForAll([x: N], way(x, x) -> at(x))",
        "ForAll([x: N, y: N], at(x) and way(x, y) and way(y, c) -> at(y))",
        "ForAll([x: N], at(a) and way(b, x) -> far(x))",
        "ForAll([x: N], far(c) and at(x) and way(x, x) -> far(x))",
    )
    made = program("at way far", facts=facts)
    assert completion_of("at", made).endswith("(not (at c)))")
    assert completion_of("far", made).endswith("(not (far b)))")


def test_conditions_of_any_form_are_computed() -> None:
    """[CLOSED-KNOWN] A game on a path, with a recursion below `ForAll`; who cannot move has lost."""
    size = 7
    names = [f"n{at}" for at in range(size)]
    rules = (
        "ForAll([x: N], lost(x) <-> ForAll([y: N], move(x, y) -> won(y)))",
        "ForAll([x: N], Exists([y: N], move(x, y) and lost(y)) -> won(x))",
        "ForAll([x: N, y: N], Xor(x == n0, lost(x)) and (won(y) or y == x) and x != y -> odd(x, y))",
    )
    made = program("", facts=rules)
    made["constants"]["n"]["members"] = names
    moves = [f"move(n{at}, n{at + step})" for at in range(size) for step in (1, 2) if at + step < size]
    made["knowledge_base"] += moves
    made["functions"] = [
        {"name": name, "domain": ["N"] * arity, "range": "Bool", "closed": True}
        for name, arity in (("move", 2), ("lost", 1), ("won", 1), ("odd", 2))
    ]
    # One or two steps to the last place: every third one from the end is lost.
    lost = [(size - 1 - at) % 3 == 0 for at in range(size)]
    expected = [f"{'' if is_lost else 'not '}lost({name})" for name, is_lost in zip(names, lost, strict=True)]
    odd = [
        f"{'' if ((x == 0) is not lost[x]) and not lost[y] and x != y else 'not '}odd(n{x}, n{y})"
        for x in range(size)
        for y in range(size)
    ]
    made["verifications"] = [{"constraint": claim} for claim in (*expected, " and ".join(odd))]
    assert {str(each.verdict) for each in verify(made).results} == {"entailed"}
    source = json.dumps(made).encode()
    assert confirm(source, compile(source).emit("ir", passes="")).status == "confirmed"


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
    for seed in range(40):
        source = json.dumps(stratified(seed).program).encode()
        found = confirm(source, compile(source).emit("ir", passes=""))
        assert found.status != "differs", (seed, found)
        counts[found.status] += 1
    assert counts["confirmed"] > 36


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


def graph(size: int, *claims: str, facts: tuple[str, ...] = ()) -> dict[str, Any]:
    """A path along an open relation, and what is reached along it."""
    further = {
        "forall": [*XY, {"name": "z", "sort": "N"}],
        "implies": {"antecedent": "path(x, y) and way(y, z)", "consequent": "path(x, z)"},
    }
    step = {"forall": XY, "implies": {"antecedent": "way(x, y)", "consequent": "path(x, y)"}}
    path = {"name": "path", "domain": ["N", "N"], "range": "Bool", "closed": True}
    made = program("", *claims, rules=(step, further), functions=(path,))
    names = [f"n{at}" for at in range(size)]
    made["constants"]["n"]["members"] = names
    made["knowledge_base"] = [*(f"way({a}, {b})" for a, b in pairwise(names)), *facts]
    return made


def test_models_with_least_predicates_are_tried_first() -> None:
    """[CLOSED-CANDIDATES] [ROUTE-AUTO]"""
    claims = ("path(n0, n9)", "path(n9, n0)", "ForAll([x: N], path(n0, x))")
    report = verify(graph(10, *claims))
    assert [str(each.verdict) for each in report.results] == ["entailed", "undetermined", "undetermined"]
    assert {each.trust for each in report.results} == {"checked"}
    asked = [check.solver for each in report.results[1:] for check in each.checks]
    assert set(asked) == {"founded"}


def test_candidates_that_are_no_models_decide_nothing() -> None:
    """[CLOSED-CANDIDATES] The first lacks a way, the second has all of them."""
    no_loop = "ForAll([x: N], not way(x, x))"
    made = graph(
        3, "path(n2, n0)", "way(n2, n0)", facts=(no_loop, "way(n2, n0) or way(n2, n1)", "not way(n1, n0)")
    )
    report = verify(made)
    assert [str(each.verdict) for each in report.results] == ["undetermined", "undetermined"]
    assert {each.trust for each in report.results} == {"checked"}
    module = compile(made).module
    assert module is not None
    for seed in range(8):
        structure = candidate(module, seed)
        assert structure is not None
        for each in module.assertions:
            # Whatever is tried, closed predicates are least in it.
            is_true = evaluate(each.formula, structure)
            assert is_true or each.name not in ("closed path", "fact 1")
    first = [candidate(module, 0), candidate(module, 1)]
    assert all(
        found is not None and not all(evaluate(each.formula, found) for each in module.assertions)
        for found in first
    )


def test_there_are_no_candidates_of_other_programs() -> None:
    """[CLOSED-CANDIDATES]"""
    number = {"name": "number", "domain": ["N"], "range": "Int"}
    made = graph(3, "path(n2, n0)", facts=("ForAll([x: N], number(x) > 1 -> way(x, x))",))
    made["functions"].append(number)
    module = compile(made).module
    assert module is not None and candidate(module, 0) is None
    defined = compile(program("at", facts=("safe(a) -> far(a)",), functions=(SAFE,))).module
    assert defined is not None and candidate(defined, 0) is None
    assert [str(each.verdict) for each in verify(made).results] == ["undetermined"]


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


def rule(name: str, then: str, when: str = "", **said: Any) -> dict[str, Any]:
    implies = {"implies": {"antecedent": when, "consequent": then}} if when else {"constraint": then}
    return {"name": name, "forall": X, **implies, **said}


@pytest.mark.parametrize(
    ("rules", "cycle", "labels"),
    [
        ((rule("a", "at(x)", unless="at(x)"),), "`at` -> not `at`", ["`at` by this, where not `at`"]),
        (
            (rule("a", "at(x)", unless="far(x)"), rule("b", "far(x)", unless="at(x)")),
            "`at` -> not `far` -> not `at`",
            ["`at` by this, where not `far`", "`far` by this, where not `at`"],
        ),
        (
            # By its override, `strong` is an exception of `usual`.
            (
                rule("usual", "at(x)", "on"),
                rule("strong", "not at(x)", "far(x)", overrides=["usual"]),
                rule("back", "far(x)", "at(x)"),
            ),
            "`at` -> not `far` -> `at`",
            ["`at` by this, where not `far`", "`far` by this, where `at`"],
        ),
        (
            (
                rule("usual", "at(x)", default=True),
                rule("strong", "not at(x)", "far(x)"),
                rule("back", "far(x)", "at(x)"),
            ),
            "`at` -> not `far` -> `at`",
            ["`at` by this, where not `far`", "`far` by this, where `at`"],
        ),
        (
            (rule("a", "far(x)", "safe(x)"), rule("b", "at(x)", "far(x)")),
            "`far` -> not `at` -> `far`",
            ["`far` by this, where not `at` (in `safe`)", "`at` by this, where `far`"],
        ),
        (
            (rule("a", "at(x)", "Count([y: N], at(y)) < 2"),),
            "`at` -> not `at`",
            ["`at` by this, where not `at`"],
        ),
    ],
)
@pytest.mark.parametrize("finite", [True, False])
def test_a_circle_through_a_negation_is_shown(
    rules: tuple[dict[str, Any], ...], cycle: str, labels: list[str], finite: bool
) -> None:
    """[CLOSED-MEANING] Over open sorts too, with the way of each step, and with what else is wrong."""
    made = program("at far", facts=("gone(a)",), rules=rules, functions=(SAFE,), finite=finite)
    found = {each.code: each for each in check(made).diagnostics if each.severity == "error"}
    assert sorted(found) == ["POT2001", "POT4022"]
    assert cycle in found["POT4022"].message
    assert [each.message for each in found["POT4022"].labels if each.message] == labels


def test_each_circle_is_reported() -> None:
    """[CLOSED-MEANING]"""
    rules = (
        rule("a", "at(x)", unless=["far(x)", "on"]),
        rule("b", "far(x)", unless="at(x)"),
        rule("c", "way(x, x)", unless="way(x, x)"),
    )
    assert codes("at far way", rules=rules) == ["POT4022", "POT4022"]


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
        compiled = compile(source)
        report = verify(compiled, certificate=certificates)
        assert [str(each.verdict) for each in report.results] == verdicts_of_clingo(made), seed
        counts[made.recursive] += 1
        text = compiled.emit("ir", passes="")
        assert confirm(source, text).status != "differs", seed
        if certificates:
            assert report.certificate is not None
            assert check_certificate(report.certificate, text).status == "VALID", seed
    return counts


def test_random_programs_have_the_verdicts_of_clingo() -> None:
    """[CLOSED-MEANING] [CLOSED-RECURSION] [EXC-OVERRIDES]"""
    assert agree(range(20_000, 20_010), certificates=False) == {True: 3, False: 7}


def test_certificates_of_random_programs_are_valid() -> None:
    """[CLOSED-COMPLETION]"""
    agree(range(20_050, 20_060), certificates=True)


@pytest.mark.slow
def test_many_random_programs_have_the_verdicts_of_clingo() -> None:
    agree(range(30_000, 31_000), certificates=True)
