"""Repairs found by search ([DIAG-FIX-5]): of programs with one mistake, and of single ones by hand."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from strategies.mistakes import KINDS, with_mistake

import potlang
from potlang.diag import Applicability
from potlang.diag.fixes import apply_fix, apply_fixes
from potlang.repair.search import _RepairSearch

SEED = Path(__file__).parents[1] / "seed"
SOURCES = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SEED.glob("[0-9]*.json"))]
SOUND = [source for source in SOURCES if potlang.check(source).program is not None]
WORLD: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}, {"name": "Dog", "type": "DeclareSort"}],
    "functions": [
        {"name": "owns", "domain": ["Person", "Dog"], "range": "Bool"},
        {"name": "kind", "domain": ["Person"], "range": "Bool"},
    ],
    "constants": {
        "people": {"sort": "Person", "members": ["ann", "bob"]},
        "dogs": {"sort": "Dog", "members": ["rex"]},
    },
    "knowledge_base": ["owns(ann, rex)", "kind(ann)", "kind(bob)"],
    "rules": [
        {
            "name": "owners",
            "forall": [{"name": "p", "sort": "Person"}, {"name": "d", "sort": "Dog"}],
            "implies": {"antecedent": "And(owns(p, d), kind(p))", "consequent": "kind(p)"},
        }
    ],
    "verifications": [{"name": "v", "constraint": "kind(bob)"}],
}


def changed(path: str, value: object) -> dict[str, Any]:
    """The world with another value in one place."""
    found = json.loads(json.dumps(WORLD))
    *parents, last = path.split("/")
    target = found
    for part in parents:
        target = target[int(part) if part.isdigit() else part]
    target[int(last) if last.isdigit() else last] = value
    return found


def first_fix(source: str | dict[str, Any]) -> potlang.diag.Fix | None:
    """The first fix that needs nothing to be filled in."""
    errors = [each for each in potlang.check(source).diagnostics if each.severity == "error"]
    offered = (Applicability.SAFE, Applicability.UNSAFE)
    return next((fix for error in errors for fix in error.fixes if fix.applicability in offered), None)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("functions/0/domain", ["Person"]),
        ("functions/0/domain", ["Person", "Dog", "Dog"]),
        ("functions/0/domain/1", "Int"),
        ("functions/1/range", "Real"),
        ("constants/dogs/sort", "Person"),
        ("rules/0/forall/1/sort", "Person"),
        ("rules/0/implies/antecedent", "And(owns(p), kind(p))"),
        ("rules/0/implies/antecedent", "And(owns(p, d, d), kind(p))"),
        ("rules/0/implies/antecedent", "And(owns(p, d), kind(p)"),
        ("rules/0/implies/antecedent", "And(owns(p, d, kind(p))"),
        ("rules/0/implies/antecedent", "And(ownsp, d), kind(p))"),
        ("rules/0/implies/antecedent", "Andowns(p, d), kind(p))"),
        ("rules/0/implies/antecedent", "And(owns(p, dd), kind(p))"),
        ("rules/0/implies/consequent", "kimd(p)"),
    ],
)
def test_a_mistake_in_one_place_is_undone(path: str, value: object) -> None:
    """[DIAG-FIX-5] The first fix gives back the world itself, as a value and as text."""
    source = changed(path, value)
    fix = first_fix(source)
    assert fix is not None
    assert apply_fix(source, fix) == WORLD
    text = json.dumps(source, indent=2)
    in_text = first_fix(text)
    assert in_text is not None
    assert json.loads(apply_fixes(text, [in_text])) == WORLD


@pytest.mark.parametrize("place", range(len("{[(")))
def test_a_bracket_of_the_json_is_put_back(place: int) -> None:
    """[DIAG-FIX-5] Wherever the bracket was, the first fix gives the world back."""
    text = json.dumps(WORLD, indent=2)
    brackets = [index for index, char in enumerate(text) if char in "[]{}"]
    for index in brackets[place::3]:
        damaged = text[:index] + text[index + 1 :]
        fix = first_fix(damaged)
        assert fix is not None, damaged
        assert json.loads(apply_fixes(damaged, [fix])) == WORLD


def test_a_new_name_that_is_like_no_other_is_declared() -> None:
    """[DIAG-FIX-5] Only a name that is nearly another's gives way to it."""
    fix = first_fix(changed("knowledge_base/1", "generous(ann)"))
    assert fix is not None and fix.title == "declare the function `generous`"


@pytest.mark.parametrize(
    ("name", "uses", "title"),
    [
        ("kimd", 1, "write `kind` for `kimd`"),
        ("kimd", 2, "declare the function `kimd`"),
        ("Kind", 2, "write `kind` for `Kind`"),
    ],
)
def test_a_near_name_that_is_used_again_is_meant(name: str, uses: int, title: str) -> None:
    """[DIAG-FIX-5] A slip of the pen happens once; capitals are no slip of the pen."""
    facts = [f"{name}({person})" for person in ("ann", "bob")[:uses]]
    fix = first_fix(changed("knowledge_base", ["owns(ann, rex)", *facts]))
    assert fix is not None and fix.title == title


NAMES = {
    "sorts": [
        {"name": "P", "type": "DeclareSort"},
        {"name": "C", "type": "EnumSort", "values": ["red", "rose"]},
    ],
    "functions": [
        *(
            {"name": name, "domain": ["P"], "range": "Bool"}
            for name in ("wumpus", "tumpus", "zumpus", "impus", "big")
        ),
        *({"name": name, "domain": ["P", "P"], "range": "Bool"} for name in ("likes", "sees")),
        {"name": "hue", "domain": ["P"], "range": "C"},
    ],
    "constants": {"ps": {"sort": "P", "members": ["cow", "nodeA", "task1", "max"]}},
    "variables": [{"name": "x", "sort": "P"}],
    "knowledge_base": ["big(cow)", "wumpus(max)", "tumpus(max)", "tumpus(cow)"],
}


@pytest.mark.parametrize(
    ("fact", "title"),
    [
        # A name of a family is its own; of several as near the rarest is missing.
        ("numpus(cow)", "declare the function `numpus`"),
        ("umpus(cow)", "write `zumpus` for `umpus`"),
        ("big(task2)", "declare `task2` as a constant of P"),
        ("likes(task1, task2)", "declare `task2` as a constant of P"),
        ("big(task11)", "write `task1` for `task11`"),
        ("wmpus(cow)", "write `wumpus` for `wmpus`"),
        ("hue(cow) == roose", "write `rose` for `roose`"),
        ("big(nodeB) and wumpus(nodeB)", "declare `nodeB` as a constant of P"),
        # A slip in a short name, or a name of its own: a letter has to be left.
        ("likes(cow, cw)", "write `cow` for `cw`"),
        ("likes(cow, mx)", "write `max` for `mx`"),
        ("hue(cow) == rd", "write `red` for `rd`"),
        ("likes(max, qd)", "bind `qd`: write `ForAll([qd: P], …)` around it"),
        ("likes(max, y)", "bind `y`: write `ForAll([y: P], …)` around it"),
        # A letter that is no variable.
        ("ForAll([x], Implies(wumpus(i), big(x)))", "write `x` for `i`"),
        ("ForAll([x], Implies(wumpus(x), likes(x, i)))", "bind `i`: write `ForAll([i: P], …)` around it"),
        # Literals are names that are near, too; capitals and the like are no slip.
        ("big(cow) -> Trur", "write `True` for `Trur`"),
        ("Big(cow)", "write `big` for `Big`"),
        # An argument that stands there twice.
        ("likes(cow, cow, max)", "drop the argument `cow`"),
        ("likes(cow, max, cow)", "drop the last argument"),
        ("hue(max, max) == red", "drop the last argument"),
        ("hue(max, red)", "write `hue(max) == red`"),
        ("likes(cow, max, task1)", "drop the last argument"),
        ("ForAll([x], Implies(likes(x, x, max), big(x)))", "drop the argument `x`"),
    ],
)
def test_the_nearest_repair_is_the_first(fact: str, title: str) -> None:
    """[DIAG-FIX-7]"""
    fix = first_fix({**NAMES, "knowledge_base": [*NAMES["knowledge_base"], fact]})
    assert fix is not None and fix.title == title


@pytest.mark.parametrize(
    ("fact", "fixed"),
    [("likes(cow, cow, max)", "likes(cow, max)"), ("likes( cow , max , cow )", "likes( cow , max)")],
)
def test_an_argument_is_dropped_with_its_comma(fact: str, fixed: str) -> None:
    """[DIAG-FIX-7]"""
    source = {**NAMES, "knowledge_base": [fact]}
    fix = first_fix(source)
    assert fix is not None
    assert apply_fix(source, fix)["knowledge_base"] == [fixed]  # type: ignore[index]


def test_an_argument_that_does_not_fit_is_the_one_too_many() -> None:
    """[DIAG-FIX-7]"""
    fix = first_fix({**NAMES, "knowledge_base": ["likes(red, cow, max)"]})
    assert fix is not None and fix.title == "drop the argument `red`"


@pytest.mark.parametrize(
    ("fact", "title"),
    [
        ("n + 2 == 5", "give `n` the sort Int in place of Bool"),
        ("n + m == 1", "write `If(n, 1, 0)` and `If(m, 1, 0)`"),
    ],
)
def test_one_formula_among_numbers_has_the_wrong_sort(fact: str, title: str) -> None:
    """[DIAG-FIX-5] Several are counted."""
    fix = first_fix(
        {
            "constants": {"c": {"sort": "Bool", "members": ["n"]}, "d": {"sort": "Bool", "members": ["m"]}},
            "knowledge_base": [fact],
        }
    )
    assert fix is not None and fix.title == title


def test_the_range_of_a_missing_function_is_the_sort_that_nothing_else_uses() -> None:
    """[DIAG-FIX-5] Any range compiles: of the program's own sorts the rarest comes first."""
    pigeons = {
        "sorts": [
            {"name": "Pigeon", "type": "EnumSort", "values": ["p1", "p2"]},
            {"name": "Hole", "type": "EnumSort", "values": ["h1"]},
        ],
        "verifications": [{"name": "apart", "constraint": "Distinct(in_hole(p1), in_hole(p2))"}],
    }
    fix = first_fix(pigeons)
    assert fix is not None and fix.title == "declare the function `in_hole` with the range Hole"


def test_several_mistakes_are_mended_one_by_one() -> None:
    """[DIAG-FIX-5] A repair leaves fewer errors, not always none."""
    source = changed("functions/0/domain/1", "Int")
    source["functions"][1]["range"] = "Real"
    for _ in range(2):
        fix = first_fix(source)
        assert fix is not None
        source = apply_fix(source, fix)  # type: ignore[assignment]
    assert source == WORLD


def test_large_programs_are_not_searched() -> None:
    """[DIAG-FIX-5] What is offered for a large program does not depend on a search."""
    source = changed("functions/0/domain/1", "Int")
    source["knowledge_base"] += ["kind(ann)"] * 20_000
    assert first_fix(source) is None


def repaired_shares(count: int, seed: int) -> dict[str, float]:
    """The share of mistakes, by kind, after whose first fix the verdicts are those before."""
    rng = random.Random(seed)
    shares = {}
    for kind in KINDS:
        good = 0
        for _ in range(count):
            source, text = _mistaken(kind, rng)
            fix = first_fix(text)
            good += fix is not None and _verdicts(apply_fixes(text, [fix])) == _verdicts(json.dumps(source))
        shares[kind] = good / count
    return shares


def _mistaken(kind: str, rng: random.Random) -> tuple[dict[str, Any], str]:
    while True:
        source = rng.choice(SOUND)
        text = with_mistake(source, kind, rng)
        if text is not None and potlang.check(text).program is None:
            return source, text


def _verdicts(text: str) -> list[str]:
    report = potlang.verify(text, trust="solver")
    return [str(report.verdict), *(str(each.verdict) for each in report.results)]


def test_mistakes_in_the_paper_s_programs_are_repaired() -> None:
    shares = repaired_shares(10, 3)
    assert min(shares.values()) >= 0.7, shares


@pytest.mark.slow
def test_six_hundred_mistakes_are_repaired() -> None:
    """At least 85 % in all and 70 % of each kind."""
    shares = repaired_shares(100, 1)
    assert min(shares.values()) >= 0.7, shares
    assert sum(shares.values()) / len(shares) >= 0.85, shares


@pytest.mark.parametrize(
    "program",
    [
        {"name": "x", "sort": "S", "verifications": [{"constraint": "foo(a)"}]},
        {**WORLD, "sorts": [*WORLD["sorts"], {"name": []}], "verifications": [{"constraint": "kind(rex)"}]},
    ],
    ids=["a binder in the place of a program", "a sort whose name is a list"],
)
def test_misplaced_parts_are_no_sorts(program: dict[str, Any]) -> None:
    """[DIAG-FIX-5]: parts of another form than a program's have diagnostics, and are no part of a repair."""
    for source in (program, json.dumps(program)):
        codes = {each.code for each in potlang.check(source).diagnostics}
        assert codes & {"POT1010", "POT1011", "POT1012"}


def test_what_cannot_mend_enough_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of sorts stay in statements that a change leaves alone: the same repairs with fewer trials."""
    source = changed("functions/1/domain", ["Person", "Person"])
    source["knowledge_base"][1] = "owns(ann, ann)"
    trials: list[bool] = []
    tried = _RepairSearch._tried

    def counted(self: Any, edits: Any, most: int | None = None) -> tuple[int, int] | None:
        trials.append(True)
        return tried(self, edits, most)

    monkeypatch.setattr(_RepairSearch, "_tried", counted)
    found, fewer = potlang.check(source).diagnostics, len(trials)
    trials.clear()
    monkeypatch.setattr(_RepairSearch, "_least_left", lambda self, edits: 0)
    assert potlang.check(source).diagnostics == found
    assert 0 < fewer < len(trials)
