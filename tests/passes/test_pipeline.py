"""Pipelines: text form, requirements, callback, big input."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest
from invariants import check

from potlang.ir.module import Claim, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind, reachable
from potlang.ir.operators import AND, IFF, NOT, OR
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, DeclaredSort
from potlang.passes.base import Pass, PassLimit, Property
from potlang.passes.nnf import Nnf
from potlang.passes.pipeline import PASSES, Pipeline, PipelineError, pass_class, read_pipeline
from potlang.passes.prenex import Prenex
from potlang.passes.simplify import Simplify

S = DeclaredSort("S")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "simplify",
        "simplify{rounds=3},nnf,prenex",
        'slice{claim="a \\"b\\", {c}"}',
        "nnf,simplify,prenex{limit=5}",
        "nnf,prenex{same_arity=true}",
    ],
)
def test_the_text_form_is_read_and_printed(text: str) -> None:
    """[PASS-PIPELINE-2]"""
    pipeline = read_pipeline(text)
    assert str(pipeline) == text
    assert read_pipeline(str(pipeline)) == pipeline


def test_space_and_default_options_may_be_written() -> None:
    """[PASS-PIPELINE-2]"""
    assert read_pipeline(" simplify { rounds = 4 } , nnf ") == Pipeline((Simplify(), Nnf()))
    assert read_pipeline("nnf, prenex{same_arity=false}") == Pipeline((Nnf(), Prenex()))


MISTAKES = {
    "simplfy": "no pass is called 'simplfy'; did you mean simplify? at offset 0",
    "nnf,,nnf": "expected a pass's name, found ',' at offset 4",
    "nnf nnf": "expected ',', found 'nnf' at offset 4",
    "nnf,": "expected a pass's name, found 'the end' at offset 4",
    "simplify{round=1}": "simplify has no option 'round'; it has rounds at offset 9",
    "nnf{x=1}": "nnf has no option 'x'; it has none at offset 4",
    "simplify{rounds=true}": "the option rounds wants a whole number, found 'true' at offset 16",
    "simplify{rounds=1,rounds=2}": "the option rounds is given twice at offset 18",
    "simplify{rounds=0}": "simplify: rounds is at least 1 at offset 0",
    "simplify{rounds": "expected '=', found 'the end' at offset 15",
    "slice": "slice wants the option claim at offset 0",
    "nnf;": "unexpected ';' at offset 3",
    "prenex": "prenex requires nnf; put nnf somewhere before it",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_named(text: str) -> None:
    with pytest.raises(PipelineError) as caught:
        read_pipeline(text)
    assert str(caught.value) == MISTAKES[text]


def test_a_pipeline_without_what_a_pass_requires_is_refused_when_made() -> None:
    """[PASS-PIPELINE-1]"""
    with pytest.raises(PipelineError, match="prenex requires nnf"):
        Pipeline((Simplify(), Prenex()))
    assert Pipeline((Nnf(), Simplify(), Prenex())).passes


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_has_the_shape_of_one(name: str) -> None:
    cls = pass_class(name)
    assert cls.name == name
    assert is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert isinstance(cls(**{f.name: "x" for f in fields(cls) if f.type == "str"}), Pass)


def test_the_callback_sees_every_output() -> None:
    """[PASS-PIPELINE-3]"""
    pool = Pool()
    p = pool.sym(Symbol("p", (), BOOL, SymbolKind.CONSTANT))
    module = Module(pool, claims=(Claim("c", "c", pool.negate(pool.conj((p, pool.true)))),))
    seen: list[str] = []

    def note(step: Pass, after: Module, seconds: float) -> None:
        assert seconds >= 0 and check(Module(pool, (), (p.symbol,), claims=after.claims)) == []
        seen.append(step.name)

    after = read_pipeline("simplify,nnf,prenex").run(module, note)
    assert seen == ["simplify", "nnf", "prenex"]
    assert after.properties == {Property.SIMPLE, Property.NNF, Property.PRENEX}


def nested_equivalences(depth: int) -> Module:
    """∀x1 (P(x1) iff ∀x2 (P(x2) iff …)): its prenex form has 2^depth quantifiers."""
    pool = Pool()
    p = Symbol("P", (S,), BOOL, SymbolKind.FUNCTION)
    node: Node = pool.true
    for _ in range(depth):
        x = pool.var("x", S)
        node = pool.quant("forall", (x,), pool.app(IFF, (pool.app(p, (x,)), node)))
    return Module(pool, (S,), (p,), claims=(Claim("c", "c", node),))


def test_shared_equivalences_stay_linear_in_nnf() -> None:
    """[PASS-PIPELINE-4]"""
    module = nested_equivalences(300)
    after = Nnf().run(module)
    assert len(reachable(*after.formulas())) < 300 * 20
    assert check(after) == []


def test_prenex_stops_where_its_output_would_explode() -> None:
    """[PASS-PRENEX-4]"""
    module = Nnf().run(nested_equivalences(60))
    with pytest.raises(PassLimit):
        Prenex(limit=10_000).run(module)
    small = Prenex().run(Nnf().run(nested_equivalences(5)))
    assert check(small) == []


@pytest.mark.slow
def test_deep_and_wide_formulas_are_quick() -> None:
    """[PASS-PIPELINE-4]"""
    pool = Pool()
    atoms = [pool.sym(Symbol(f"p{i}", (), BOOL, SymbolKind.CONSTANT)) for i in range(50_000)]
    deep: Node = atoms[0]
    for atom in atoms:
        deep = pool.app(AND, (atom, deep))
    wide = pool.disj(atoms)
    negated: Node = pool.app(OR, (deep, wide))
    for _ in range(50_001):
        negated = pool.app(NOT, (negated,))
    module = Module(pool, claims=(Claim("c", "c", deep), Claim("d", "d", negated)))
    after = read_pipeline("simplify,nnf,prenex").run(module)
    assert after.claims[0].formula is pool.conj(reversed(atoms))


def test_folding_does_not_explode() -> None:
    from potlang.ir.operators import MUL, STR_CONCAT
    from potlang.ir.sorts import STRING

    pool = Pool()
    number: Node = pool.integer(3)
    text: Node = pool.lit("ab", STRING)
    for _ in range(70):
        number = pool.app(MUL, (number, number))
        text = pool.app(STR_CONCAT, (text, text))
    module = Module(
        pool, claims=(Claim("c", "c", pool.conj((pool.eq(number, number), pool.eq(text, text)))),)
    )
    Simplify(rounds=20).run(module)
