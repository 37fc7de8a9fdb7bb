"""Lean files, by a reader of their forms that checks their proofs (`lean_reader`); no test runs Lean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from lean_reader import File, Wrong
from strategies.formulas import modules

from potlang import api
from potlang.export.problem import NoCounterpart
from potlang.export.ways import claims_of, written
from potlang.generate.programs import SHAPES, ProgramDifficulty, generate_many
from potlang.ir import operators as op
from potlang.ir.module import Claim, Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, ArraySort, FunctionSort, SetSort

ROOT = Path(__file__).parents[2]
GOLDENS = Path(__file__).parent / "lean"


def file_of(program: dict[str, Any]) -> str:
    module = api.compile(program, language="pot").module
    return written(module, "lean", claims_of(module, "lean"))


def entailed(facts: list[str], claim: str) -> str:
    """The file of a program about people, one claim of which follows."""
    people = {"sort": "Person", "members": ["ann", "bob"]}
    predicates = [{"name": name, "domain": ["Person"], "range": "Bool"} for name in ("p", "q", "r")]
    return file_of(
        {
            "sorts": [{"name": "Person", "type": "DeclareSort"}],
            "functions": predicates,
            "constants": {"people": people},
            "knowledge_base": facts,
            "verifications": [{"name": "claim", "constraint": claim}],
        }
    )


@pytest.mark.parametrize(
    ("facts", "claim"),
    [
        (["p(ann)"], "p(ann)"),
        (["p(ann)", "ForAll([x: Person], p(x) -> q(x))"], "q(ann)"),
        (["p(ann)", "q(ann)", "ForAll([x: Person], p(x) and q(x) -> r(x))"], "r(ann)"),
        (["p(ann)", "ForAll([x: Person], p(x) -> q(x) and r(x))"], "r(ann) and q(ann)"),
        (["p(ann)", "ForAll([x: Person], p(x) <-> q(x))"], "q(ann)"),
        (["q(ann)", "ForAll([x: Person], p(x) <-> q(x))"], "p(ann)"),
        (
            ["ForAll([x: Person], p(x) -> q(x))", "ForAll([x: Person], q(x) -> r(x))"],
            "ForAll([x: Person], p(x) -> r(x))",
        ),
        (["p(bob)"], "Exists([x: Person], p(x))"),
        (["ForAll([x: Person], p(x) -> not q(x))", "p(ann)"], "not q(ann)"),
        (["ForAll([x: Person], p(x) or q(x) -> r(x))", "q(ann)"], "r(ann)"),
        (["ann == bob", "p(ann)"], "ann == bob"),
    ],
)
def test_claims_that_rules_derive_are_proved(facts: list[str], claim: str) -> None:
    """[WAY-LEAN-PROOF] Each proof is checked, step by step."""
    text = entailed(facts, claim)
    assert File(text).proved and "sorry" not in text.partition("namespace")[2]


@pytest.mark.parametrize(
    ("facts", "claim"),
    [
        (["p(ann)"], "q(ann)"),
        (["p(ann)"], "not p(ann)"),
        (["p(ann) or q(ann)"], "not not (p(ann) or q(ann))"),
    ],
)
def test_other_claims_are_stated(facts: list[str], claim: str) -> None:
    """[WAY-LEAN]"""
    assert len(File(entailed(facts, claim)).sorry) == 1


def test_generated_programs_are_read_and_proved() -> None:
    """[WAY-LEAN] [WAY-LEAN-PROOF]"""
    difficulty = ProgramDifficulty.of_level(5)._replace(shapes=SHAPES[:3])
    for each in generate_many(12, 3, difficulty):
        found = File(file_of(each.program))
        if each.verdict == "entailed":
            assert found.proved, each.seed
        elif each.verdict != "inconsistent":
            assert found.sorry


def test_wrong_proofs_are_seen() -> None:
    text = entailed(["p(ann)", "ForAll([x: Person], p(x) -> q(x))"], "q(ann)")
    for right, wrong in (("q ann :=\n", "r ann :=\n"), ("ann s", "bob s"), (": p ann := ", ": p bob := ")):
        assert right in text
        with pytest.raises(Wrong):
            File(text.replace(right, wrong))


@given(
    modules(most=2, depth=3, names=lambda kind, number: ["in", "a b", "Prop", "«", "é"][number % 5] + kind)
)
@settings(max_examples=40)
def test_what_is_written_has_the_form_that_is_read(module: Module) -> None:
    """[WAY-LEAN] [WAY-NAMES] Every name is declared before it is used."""
    try:
        text = written(module, "lean", claims_of(module, "lean"))
    except NoCounterpart:
        return
    assert File(text).names


@pytest.mark.parametrize("name", ["derivation", "find", "seating"])
def test_files_are_the_golden_ones(name: str) -> None:
    """[WAY-LEAN]"""
    program = (ROOT / "examples" / f"{name}.json").read_bytes()
    module = api.compile(program, language="pot").module
    text = written(module, "lean", claims_of(module, "lean"))
    assert File(text).names
    assert text == (GOLDENS / f"{name}.lean").read_text(encoding="utf-8")


def test_maps_are_functions() -> None:
    """[WAY-LEAN-SORTS]"""
    pool = Pool()
    sets = [pool.sym(Symbol(name, (), SetSort(INT), SymbolKind.CONSTANT)) for name in "st"]
    array = pool.sym(Symbol("m", (), ArraySort(INT, BOOL), SymbolKind.CONSTANT))
    function = pool.sym(Symbol("f", (), FunctionSort((INT, INT), BOOL), SymbolKind.CONSTANT))
    one = pool.integer(1)
    formulas = [
        pool.app(op.MEMBER, (one, pool.app(op.DIFFERENCE, (sets[0], sets[1])))),
        pool.app(op.SUBSET, (pool.app(op.INSERT, (one, sets[0])), sets[1])),
        pool.app(op.SELECT, (pool.app(op.STORE, (array, one, pool.true)), one)),
        pool.app(op.APPLY, (function, one, pool.integer(-2))),
    ]
    module = Module(pool, claims=tuple(Claim(f"c{n}", f"c{n}", each) for n, each in enumerate(formulas)))
    text = written(module, "lean", module.claims)
    assert File(text).sorry == ["c0", "c1", "c2", "c3"]
    for line in (
        "axiom f : Int → Int → Prop",
        "theorem c0 : (fun (y : Int) => s y ∧ ¬t y) (1 : Int)",
        "theorem c1 : ∀ (y_2 : Int), (fun (y_3 : Int) => y_3 = (1 : Int) ∨ s y_3) y_2 → t y_2",
        "theorem c2 : (fun (y_4 : Int) => if y_4 = (1 : Int) then True else m y_4) (1 : Int)",
        "theorem c3 : f (1 : Int) (-2 : Int)",
    ):
        assert line in text


def test_the_root_of_all_names_is_no_name() -> None:
    """[WAY-NAMES] Lean reads `_root_` as something else in quotation marks, too."""
    pool = Pool()
    root = Claim("c", "_root_", pool.sym(Symbol("_root_", (), BOOL, SymbolKind.CONSTANT)))
    text = written(Module(pool, claims=(root,)), "lean", (root,))
    assert "«_root_»" not in text and File(text).sorry
