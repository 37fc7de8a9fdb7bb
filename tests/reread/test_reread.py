"""The second reader against the compiler: one theory, or not covered; and that it notices what is changed."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from core_programs import core_program
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.certify import read_theory
from potlang.languages.pot.check import check
from potlang.reread import Confirmation, NotCovered, confirm, reread
from potlang.reread.compare import difference
from potlang.testing import damaged, programs

ROOT = Path(__file__).parents[2]
SEED = sorted((ROOT / "tests" / "seed").glob("[0-9]*.json"))
EXAMPLES = sorted((ROOT / "examples").glob("*.json"))
BEYOND = {
    "04_hse_forklift_pallet": "knowledgebase",
    "24_impossible_optimization": "'x'",
    "pack": "imports",
    "records": "a sort with fields",
    "registers": "BitVecSort",
}
CONDITIONS = ["p({0})", "r({0}, a)", "n({0}) > 3", "not p({0})", "r({0}, {0}) and p(b)"]
CONCLUSIONS = [
    *["n({0}) == 5", "n({0}) == 0", "7 == n({0})", "p({0})", "not p({0})", "c({0}) == red", "r({0}, {0})"],
    *["c({0}) == blue and p({0})", "not r({0}, b)", "n({0}) == n(a)", "n({0}) < 4", "p({0}) or p(a)"],
]
DEV = os.environ.get("POTLANG_CASES")


def compared(source: bytes) -> Confirmation | None:
    """The second reader's word on what the compiler makes of a source; None if that rejects it."""
    program = check(source).program
    return None if program is None else confirm(source, program.emit("ir", passes=""))


# --- agreement -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*SEED, *EXAMPLES], ids=lambda path: path.stem)
def test_seed_programs_and_examples_are_read_alike(path: Path) -> None:
    """[CERT-REREAD] [CERT-CORE] [CERT-SAME] All but those with what is known to be beyond the core."""
    found = compared(path.read_bytes())
    if found is not None:
        expected = "not covered" if path.stem in BEYOND else "confirmed"
        assert found.status == expected, found
        assert BEYOND.get(path.stem, "") in found.detail


def statuses(seeds: range) -> Counter[str]:
    """How many random programs of the core are rejected, confirmed, not covered."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        found = compared(json.dumps(core_program(seed)).encode())
        assert found is None or found.status != "differs", (seed, found)
        counts["rejected" if found is None else found.status] += 1
    return counts


def test_random_programs_of_the_core_are_read_alike() -> None:
    """[CERT-REREAD] [CERT-SAME] [CERT-FORMS]"""
    counts = statuses(range(50))
    assert counts["confirmed"] > 30
    assert counts["not covered"] < 6


@pytest.mark.slow
def test_many_random_programs_of_the_core_are_read_alike() -> None:
    counts = statuses(range(1_000, 6_000))
    assert counts["confirmed"] > 3_000
    assert counts["not covered"] < 150


def prioritized(seed: int) -> dict[str, Any]:
    """A program of a few rules, some of them defaults, that override one another; it need not be one."""
    rng = random.Random(seed)
    rules: list[dict[str, Any]] = []
    for number in range(rng.randint(2, 4)):
        name = rng.choice("xyab")
        said = rng.choice(CONCLUSIONS).format(name)
        if rng.random() < 0.6:
            said = f"{rng.choice(CONDITIONS).format(name)} -> {said}"
        rule: dict[str, Any] = {"name": f"n{number}", "default": rng.random() < 0.4}
        rule["constraint"] = f"ForAll([{name}], {said})" if name in "xy" else said
        if number and not rule["default"] and rng.random() < 0.4:
            rule["overrides"] = [f"n{rng.randrange(number)}"]
        if rng.random() < 0.2:
            rule["unless"] = "p(b)"
        rules.append(rule)
    facts = [rng.choice(CONCLUSIONS).format(rng.choice("ab")) for _ in range(rng.randint(0, 2))]
    return {**DECLARED, "rules": rules, "knowledge_base": facts}


def of_priorities(seeds: range) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in seeds:
        found = compared(json.dumps(prioritized(seed)).encode())
        assert found is None or found.status != "differs", (seed, found)
        counts["rejected" if found is None else found.status] += 1
    return counts


def test_rules_that_override_are_read_alike() -> None:
    """[CERT-REREAD] [CERT-CORE] [EXC-DEFAULT] [EXC-MATCH]"""
    assert of_priorities(range(60))["confirmed"] > 15


@pytest.mark.slow
def test_many_rules_that_override_are_read_alike() -> None:
    assert of_priorities(range(1_000, 6_000))["confirmed"] > 1_500


@given(programs(most=1))
@settings(max_examples=20)
def test_programs_of_the_whole_language_are_read_alike_or_not_covered(program: dict[str, Any]) -> None:
    """[CERT-REREAD]"""
    found = compared(json.dumps(program).encode())
    assert found is None or found.status != "differs"


@pytest.mark.slow
@pytest.mark.skipif(not DEV, reason="licences keep the cases outside: POTLANG_CASES says where")
def test_cases_are_read_alike() -> None:
    """[CERT-REREAD] At least nine in ten of those that compile are covered."""
    counts: Counter[str] = Counter()
    for path in sorted(Path(DEV or "").rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            program = json.loads(line).get("program")
            found = compared(json.dumps(program).encode()) if isinstance(program, dict) else None
            counts["rejected" if found is None else found.status] += 1
    assert counts["differs"] == 0
    assert counts["confirmed"] >= 9 * counts["not covered"]


# --- what is noticed -------------------------------------------------------------------------------

DECLARED: dict[str, Any] = {
    "sorts": [
        {"name": "P", "type": "DeclareSort"},
        {"name": "C", "type": "EnumSort", "values": ["red", "blue"]},
    ],
    "functions": [
        {"name": "p", "domain": ["P"], "range": "Bool"},
        {"name": "r", "domain": ["P", "P"], "range": "Bool"},
        {"name": "n", "domain": ["P"], "range": "Int"},
        {"name": "c", "domain": ["P"], "range": "C"},
    ],
    "constants": {
        "people": {"sort": "P", "members": ["a", "b"]},
        "reals": {"sort": "Real", "members": ["t"]},
    },
    "variables": [{"name": "x", "sort": "P"}, {"name": "y", "sort": "P"}],
}


def stated(formula: str) -> dict[str, Any]:
    return {**DECLARED, "knowledge_base": [formula], "verifications": [{"constraint": "p(a)"}]}


def differing(first: dict[str, Any], second: dict[str, Any]) -> Confirmation:
    """The reader's word where `first` was compiled to what `second` means."""
    program = check(json.dumps(second).encode()).program
    assert program is not None
    return confirm(json.dumps(first).encode(), program.emit("ir", passes=""))


@pytest.mark.parametrize(
    ("meant", "compiled"),
    [
        ("p(a) -> p(b)", "p(b) -> p(a)"),
        ("p(a) -> p(b) -> p(a)", "(p(a) -> p(b)) -> p(a)"),
        ("p(a) <-> p(b) <-> p(a)", "p(a) <-> (p(b) <-> p(a))"),
        ("p(a) or p(b) and p(a)", "(p(a) or p(b)) and p(a)"),
        ("not p(a) and p(b)", "not (p(a) and p(b))"),
        ("n(a) < n(b)", "n(a) <= n(b)"),
        ("n(a) < n(b)", "n(b) < n(a)"),
        ("n(a) < 3", "n(a) <= 3"),
        ("1 < n(a) < 3", "1 < n(a)"),
        ("p(a) == p(b) == p(a)", "(p(a) == p(b)) == p(a)"),
        ("a == b", "a != b"),
        ("p(a) != p(b)", "p(a) == p(b)"),
        ("a in [a, b]", "a in [b, b]"),
        ("a in [a, b]", "a not in [a, b]"),
        ("n(a) - n(b) - 1 == 0", "n(a) - (n(b) - 1) == 0"),
        ("n(a) * n(b) + 1 == 0", "n(a) * (n(b) + 1) == 0"),
        ("n(a) // 2 == 0", "n(a) % 2 == 0"),
        ("n(a) / 2 == t", "n(a) // 2 == t"),
        ("-n(a) ** 2 == 4", "(-n(a)) ** 2 == 4"),
        ("n(a) ** 2 == 4", "n(a) ** 3 == 4"),
        ("t == 0.1", "t == 0.10000001"),
        ("t == n(a) / n(b)", "t == n(b) / n(a)"),
        ("ForAll([x], p(x))", "Exists([x], p(x))"),
        ("ForAll([x], Exists([y], r(x, y)))", "Exists([y], ForAll([x], r(x, y)))"),
        ("ForAll([x], Exists([y], r(x, y)))", "ForAll([x], Exists([y], r(y, x)))"),
        ("ForAll([x, y], r(x, y))", "ForAll([y, x], r(x, y))"),
        ("ForAll([x], Exists([x: P], r(x, x)))", "ForAll([y], Exists([x: P], r(y, x)))"),
        ("ForAll([x], p(x))", "p(x)"),
        ("ForAll([x], p(a))", "ForAll([a], p(a))"),
        ("If(p(a), p(b), p(a))", "If(p(a), p(a), p(b))"),
        ("Distinct(a, b, x)", "Distinct(a, b)"),
        ("Sum([n(a), 1]) == 2", "Product([n(a), 1]) == 2"),
        ("Count([p(a), p(b)]) == 1", "Count([p(a), p(a)]) == 1"),
        ("c(a) == red", "c(a) == blue"),
        ("Xor(p(a), p(b))", "Iff(p(a), p(b))"),
        ("AtMost(1, [p(a), p(b)])", "AtLeast(1, [p(a), p(b)])"),
        ("AtMost(1, p(a), p(b))", "AtMostOne(p(a), p(a))"),
        ("Exactly(p(a), p(b), 2)", "Exactly(p(a), p(b), 1)"),
        ("AtMost(1, [x], p(x))", "AtMost(2, [x], p(x))"),
        ("AtMost(1, [x], p(x))", "AtMost(1, [p(a), p(b)])"),
        ("ExactlyOne([x], p(x))", "AtLeastOne([x], p(x))"),
        ("ExistsUnique([x, y], r(x, y))", "ExistsUnique([x], ExistsUnique([y], r(x, y)))"),
        ("Exactly(1, [k: C], c(a) == k)", "AtMost(1, [k: C], c(a) == k)"),
        ("Sum([x], n(x)) == 1", "Product([x], n(x)) == 1"),
        ("Sum([x, y], n(x)) == 1", "Sum([x], n(x)) == 1"),
        ("Min(n(a), n(b)) == 1", "Max(n(a), n(b)) == 1"),
        ("Max([x], n(x)) == 1", "Max([x], 0 - n(x)) == 1"),
        ("Between(n(a), 1, 2)", "Between(n(a), 2, 1)"),
        ("Abs(n(a)) == 1", "n(a) == 1"),
    ],
)
def test_another_meaning_is_noticed(meant: str, compiled: str) -> None:
    """[CERT-SAME] As if the compiler had taken one for the other."""
    assert confirm(json.dumps(stated(meant)).encode(), _compiled(meant)).status == "confirmed"
    found = differing(stated(meant), stated(compiled))
    assert found.status == "differs", found


def _compiled(formula: str) -> str:
    program = check(json.dumps(stated(formula)).encode()).program
    assert program is not None
    return program.emit("ir", passes="")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"knowledge_base": ["p(a)", "p(b)"]}, "f1"),
        ({"knowledge_base": []}, "f0"),
        ({"knowledge_base": [{"assertion": "p(a)", "value": False}]}, "f0"),
        ({"verifications": [{"constraint": "p(b)"}]}, "v0"),
        ({"verifications": [{"constraint": "p(a)"}, {"constraint": "p(a)"}]}, "v1"),
        ({"verifications": [{"forall": ["x"], "constraint": "p(a)"}]}, "v0"),
        ({"rules": [{"constraint": "p(b)"}]}, "r0"),
        ({"rules": [{"constraint": "p(b)", "role": "norm"}]}, "n0"),
        ({"semantics": {"unique_names": True}}, "s:unique names of P"),
        ({"semantics": {"closed_domain": ["P"]}}, "s:closed domain of P"),
        ({"actions": ["verify"]}, "the actions"),
        ({"sorts": [*DECLARED["sorts"], {"name": "Q", "type": "DeclareSort"}]}, "the sorts"),
        (
            {"constants": {**DECLARED["constants"], "more": {"sort": "P", "members": ["d"]}}},
            "the declared names",
        ),
    ],
)
def test_another_section_is_noticed(change: dict[str, Any], where: str) -> None:
    """[CERT-SAME] With the key of what differs."""
    base = stated("p(a)")
    for found in (differing(base, {**base, **change}), differing({**base, **change}, base)):
        assert (found.status, found.detail.partition(",")[0]) == ("differs", where)


def optimizing(**change: Any) -> dict[str, Any]:
    section: dict[str, Any] = {
        "variables": [{"name": "e", "sort": "Int"}],
        "constraints": ["e <= 3", "e < n(a)"],
        "objectives": [{"type": "maximize", "expression": "e"}, {"type": "minimize", "expression": "n(a)"}],
    }
    return {**DECLARED, "optimization": {**section, **change}}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"mode": "box"}, "the optimization"),
        ({"constraints": ["e <= 3", "e <= n(a)"]}, "c1"),
        ({"constraints": ["e <= 3"]}, "c1"),
        ({"objectives": [{"type": "maximize", "expression": "e"}]}, "the optimization"),
        (
            {
                "objectives": [
                    {"type": "maximize", "expression": "e"},
                    {"type": "maximize", "expression": "n(a)"},
                ]
            },
            "the optimization",
        ),
        (
            {
                "objectives": [
                    {"type": "maximize", "expression": "e"},
                    {"type": "minimize", "expression": "n(b)"},
                ]
            },
            "objective 1",
        ),
        ({"variables": [{"name": "e", "sort": "Real"}]}, "the declared names"),
    ],
)
def test_another_optimization_is_noticed(change: dict[str, Any], where: str) -> None:
    """[CERT-SAME]"""
    assert differing(optimizing(), optimizing()).status == "confirmed"
    found = differing(optimizing(), optimizing(**change))
    assert (found.status, found.detail.partition(",")[0]) == ("differs", where)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("p(a) and p(b) and r(a, b)", "And(p(a), And(p(b), r(a, b)))"),
        ("ForAll([x], p(x))", "ForAll([y: P], p(y))"),
        ("Not(Not(p(a)))", "p(a)"),
        ("n(a) + n(b) + 0.5 == t", "ToReal(n(a) + n(b)) + 0.5 == t"),
        ("n(a) <= 2", "n(a) < 3"),
        ("a == b", "b == a"),
    ],
)
def test_what_is_said_otherwise_is_the_same(first: str, second: str) -> None:
    """[CERT-SAME]"""
    assert differing(stated(first), stated(second)).status == "confirmed"


@pytest.mark.parametrize("name", ["Max", "Between", "AtMost", "ExistsUnique"])
def test_declared_names_win_over_words(name: str) -> None:
    """[CERT-REREAD] [POT-NAME-3] Max may be a person."""
    group = {"sort": "P", "members": [name]}
    program = {**stated(f"p({name})"), "constants": {**DECLARED["constants"], "more": group}}
    found = compared(json.dumps(program).encode())
    assert found is not None
    assert found.status == "confirmed", found


# --- what is beyond the core -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "detail"),
    [
        ("'a' == 'a'", "in an expression"),
        ("#b01 == #b01", "in an expression"),
        ("Sum(x, n(x)) == 1", "an aggregate"),
        ("Sum([i: Int], i) == 1", "an aggregate"),
        ("Average([n(a)]) == 1", "'Average'"),
        ("Distinct([x: P], n(x))", "','"),
        ("AtMost(n(a), [x: P], p(x))", "a bound"),
        ("AtMost(p(a), p(b))", "a bound"),
        ("Count([x: P, y: P, i: C, j: C, k: C, l: C, m: C, n: C, o: C, q: C, s: C], p(x)) == 1", "very many"),
        ("n(a) == n(b) in [1, 2]", "membership"),
        ("p(nobody)", "'nobody'"),
        ("n(a)(b) == 1", "application"),
        ("p(a) and", "in an expression"),
        ("p(a) p(b)", "after an expression"),
        ("p(a, b)", "2 arguments"),
        ("p(n(a))", "another sort"),
        ("n(a) ** n(b) == 1", "an exponent"),
        ("1e9999 == t", "a very long number"),
        ("(" * 70 + "p(a)" + ")" * 70, "levels"),
        ("p(\u2126)", "several spellings"),
    ],
)
def test_what_is_beyond_the_core_is_said(formula: str, detail: str) -> None:
    """[CERT-CORE]"""
    with pytest.raises(NotCovered) as caught:
        reread(json.dumps(stated(formula)).encode())
    assert detail in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        b'{"sorts": 3}',
        b'{"facts": []}',
        b'{"verifications": [], "verifications": []}',
        b'{"knowledge_base": [1]}',
        b'{"knowledge_base": [NaN]}',
        b'{"constants": {"g": []}}',
        b'{"sorts": [{"name": "S", "type": "T"}, {"name": "T", "type": "S"}]}',
        b'{"verifications": [{"constraint": "ForAll("}]}',
        b'{"verifications": [{}]}',
        b'{"functions": [{"name": "And", "domain": [], "range": "Bool"}]}',
    ],
)
def test_what_is_no_program_of_the_core_is_not_covered(text: bytes) -> None:
    """[CERT-CORE]"""
    with pytest.raises(NotCovered):
        reread(text)


@given(st.data())
@settings(max_examples=30)
def test_any_damage_is_not_covered_or_readable(data: st.DataObject) -> None:
    """[CERT-REREAD] No other exception; what is read is text of the IR."""
    program = core_program(data.draw(st.integers(0, 50)))
    text = data.draw(damaged(program)).encode("utf-8", "surrogatepass")
    try:
        found = reread(text)
    except NotCovered as error:
        assert "\n" not in str(error)
    else:
        assert difference(read_theory(found), read_theory(found)) is None
