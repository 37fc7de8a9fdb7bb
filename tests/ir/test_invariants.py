"""The invariants hold of generated modules and through all passes, and each can fail."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invariants import check
from strategies.formulas import modules

from potlang.ir.module import Claim, Definition, Module
from potlang.ir.nodes import App, Symbol, SymbolKind
from potlang.ir.operators import AND
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort
from potlang.passes.pipeline import read_pipeline

S = DeclaredSort("S")
P = Symbol("P", (S,), BOOL, SymbolKind.FUNCTION)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    modules(depth=3, most=3),
    st.sampled_from(["simplify", "nnf", "nnf,prenex", "simplify,nnf,prenex,simplify"]),
)
def test_they_hold_between_all_passes(module: Module, text: str) -> None:
    assert check(module) == []
    read_pipeline(text).run(module, lambda step, after, seconds: _fails_unless(check(after) == [], step.name))


def _fails_unless(holds: bool, name: str) -> None:
    assert holds, name


def problems(pool: Pool, *claims: Claim, sorts: tuple[DeclaredSort, ...] = (S,)) -> str:
    return "; ".join(check(Module(pool, sorts, (P,), claims=claims)))


def test_children_come_first_and_nodes_are_well_sorted() -> None:
    """[IR-1] [IR-2]"""
    pool = Pool()
    forged = App(0, BOOL, AND, (pool.true, pool.integer(1)))
    assert "larger id" in problems(pool, Claim("c", "c", forged))
    assert "does not take" in problems(pool, Claim("c", "c", forged))


def test_symbols_and_sorts_are_declared() -> None:
    """[IR-3] [IR-4]"""
    pool = Pool()
    other = Symbol("q", (), BOOL, SymbolKind.CONSTANT)
    assert "'q' is not declared" in problems(pool, Claim("c", "c", pool.sym(other)))
    x = pool.var("x", S)
    quant = pool.quant("forall", (x,), pool.app(P, (x,)))
    assert problems(pool, Claim("c", "c", quant)) == ""
    assert "the sort 'S' is not declared" in problems(pool, Claim("c", "c", quant), sorts=())


def test_roots_are_closed_formulas_and_definitions_fit() -> None:
    """[IR-5]"""
    pool = Pool()
    x = pool.var("x", S)
    atom = pool.app(P, (x,))
    assert "unbound variable 'x'" in problems(pool, Claim("c", "c", atom))
    assert problems(pool, Claim("c", "c", atom, find=(x,))) == ""
    assert "is not a formula" in problems(pool, Claim("c", "c", pool.integer(1)))
    definition = Definition(Symbol("d", (S,), INT, SymbolKind.DEFINED), (x,), atom)
    module = Module(pool, (S,), (P,), (definition,))
    assert "does not fit" in "; ".join(check(module))


def test_keys_are_unique() -> None:
    """[IR-6]"""
    pool = Pool()
    assert "two parts have one key" in problems(pool, Claim("c", "c", pool.true), Claim("c", "d", pool.true))


def test_no_quantifier_binds_what_is_bound_around_it() -> None:
    """[IR-7]"""
    pool = Pool()
    x = pool.var("x", S)
    atom = pool.app(P, (x,))
    quant = pool.quant("forall", (x,), atom)
    twice = pool.quant("exists", (x,), pool.conj((quant, atom)))
    assert "bound in it already" in problems(pool, Claim("c", "c", twice))
    assert problems(pool, Claim("c", "c", pool.conj((quant, pool.quant("exists", (x,), atom))))) == ""
