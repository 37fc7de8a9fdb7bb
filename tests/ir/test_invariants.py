"""The invariants hold of generated modules and through all passes, and each can fail. [IR-1] to [IR-7]"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from potlang.ir.invariants import check
from potlang.ir.module import Claim, Definition, Module
from potlang.ir.nodes import App, Symbol, SymbolKind
from potlang.ir.operators import AND
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort
from potlang.passes.pipeline import read_pipeline
from potlang.testing import modules

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


def test_each_can_fail() -> None:
    pool = Pool()
    x = pool.var("x", S)
    atom = pool.app(P, (x,))
    assert "unbound variable 'x'" in problems(pool, Claim("c", "c", atom))
    assert problems(pool, Claim("c", "c", atom, find=(x,))) == ""
    quant = pool.quant("forall", (x,), atom)
    assert problems(pool, Claim("c", "c", quant)) == ""
    assert "two parts have one key" in problems(pool, Claim("c", "c", quant), Claim("c", "d", quant))
    assert "the sort 'S' is not declared" in problems(pool, Claim("c", "c", quant), sorts=())
    twice = pool.quant("exists", (x,), pool.conj((quant, atom)))
    assert "bound in it already" in problems(pool, Claim("c", "c", twice))
    assert "is no formula" in problems(pool, Claim("c", "c", pool.integer(1)))
    other = Symbol("q", (), BOOL, SymbolKind.CONSTANT)
    assert "'q' is not declared" in problems(pool, Claim("c", "c", pool.sym(other)))
    forged = App(0, BOOL, AND, (pool.true, pool.integer(1)))
    assert "larger id" in problems(pool, Claim("c", "c", forged))
    assert "does not take" in problems(pool, Claim("c", "c", forged))
    module = Module(pool, (S,), (P,))
    definition = Definition(Symbol("d", (S,), INT, SymbolKind.DEFINED), (x,), atom)
    assert "does not fit" in "; ".join(check(replace(module, definitions=(definition,))))
