"""Contradictory assertions found without a solver: sound, minimal enough, quick."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies.formulas import modules

from potlang.ir.module import Assertion, AssertionKind, Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort
from potlang.ir.text import read_module
from potlang.passes.conflicts import find_contradictions
from potlang.smt.printer import Printer

HEADER = """(potlang-ir 1)
(sort S)
(enum Color "red" "green")
(declare constant "a" () S) (declare constant "b" () S) (declare constant "c" () S)
(declare constant "b2" () S) (declare constant "b3" () S)
(declare constant "n" () Int) (declare constant "p" () Bool) (declare constant "q" () Bool)
(declare function "P" (S) Bool) (declare function "f" (S) Int) (declare function "g" (S) S)
(declare function "hue" (S) Color) (declare function "k" (Int) Int)
"""

FOUND = {
    "a false fact": (["false"], [(0,)]),
    "a fact and its negation": (["(P a)", "(P b)", "(not (P a))"], [(0, 2)]),
    "two values": (["(= (f a) 1)", "(= (f b) 2)", "(= (f a) 2)"], [(0, 2)]),
    "two enum values": (['(= (hue a) (lit Color "red"))', '(= (lit Color "green") (hue a))'], [(0, 1)]),
    "a chain": (["(= a b)", "(= (f a) 1)", "(= (f b) 2)"], [(0, 1, 2)]),
    "congruence": (["(= a b)", "(P (g a))", "(not (P (g b)))"], [(0, 1, 2)]),
    "congruence twice": (["(= (g a) a)", "(P a)", "(not (P (g (g (g a)))))"], [(0, 1, 2)]),
    "a value inside what is compared": (
        ["(= (f a) 1)", "(< (k (f a)) n)", "(not (< (k 1) n))"],
        [(0, 1, 2)],
    ),
    "a strict order of one with itself": (["(< n n)"], [(0,)]),
    "a strict order of equals": (["(= (f a) n)", "(< (f a) n)"], [(0, 1)]),
    "a denied order": (["(not (<= n n))"], [(0,)]),
    "unequal to itself": (["(not (= a a))"], [(0,)]),
    "names that are unique": (["(distinct a b c)", "(= a c)"], [(0, 1)]),
    "twice the same in distinct": (["(distinct a b a)"], [(0,)]),
    "three that are one, of which two will do": (["(distinct a b c)", "(= a b)", "(= b c)"], [(0, 1)]),
    "inside conjunctions": (["(and p (P a))", "(not (or q (P a)))"], [(0, 1)]),
    "a denied implication": (["(not (=> (P a) p))", "p"], [(0, 1)]),
    "equal formulas": (["(iff p q)", "p", "(not q)"], [(0, 1, 2)]),
    "one of two truths": (["(xor p q)", "p", "q"], [(0, 1, 2)]),
    "a denied equivalence": (["(not (iff p q))", "(not p)", "(not q)"], [(0, 1, 2)]),
    "no two of two truths": (["(not (xor p q))", "p", "(not q)"], [(0, 1, 2)]),
    "within one fact": (["(and p (not p))"], [(0,)]),
    "rules are not applied": (["(P a)", "(=> (P a) p)", "(not p)"], []),
    "arithmetic is not done": (["(< 1 (f a))", "(< (f a) 1)"], []),
    "nothing": (["(P a)", "(not (P b))", "(or p q)", "(not p)", "(= (f a) 1)", "(distinct a b c)"], []),
    "a disjunction is no fact": (["(or (P a) p)", "(not (P a))", "(not p)"], []),
}


def contradictions(formulas: list[str]) -> list[tuple[int, ...]]:
    lines = [f'(assert "{i}" "{i}" fact {formula})' for i, formula in enumerate(formulas)]
    found = find_contradictions(read_module(HEADER + "\n".join(lines)))
    return [tuple(int(assertion.key) for assertion in each) for each in found]


@pytest.mark.parametrize("name", FOUND)
def test_what_is_found(name: str) -> None:
    """[PASS-CONFLICTS-1] [PASS-CONFLICTS-2] [PASS-CONFLICTS-4]"""
    formulas, expected = FOUND[name]
    assert contradictions(formulas) == expected


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(modules(nested=False, depth=2, most=6, definitions=False))
def test_what_is_found_is_unsatisfiable(module: Module) -> None:
    """[PASS-CONFLICTS-3]"""
    import z3

    for each in find_contradictions(module):
        printer = Printer(module)
        solver = z3.Solver(ctx=z3.Context())
        solver.set("timeout", 2_000)
        texts = [printer.assertion(assertion.formula) for assertion in each]
        solver.from_string("\n".join([printer.declarations(), *texts]))
        assert solver.check() != z3.sat


TERMS = st.sampled_from(["(f a)", "(f b)", "(f c)", "1", "2", "n"])
FLAT = st.one_of(
    st.sampled_from(
        ["(P a)", "(P b)", "(P c)", "p", "(= (f a) 1)", "(= 2 (f a))", "(= (f b) 1)", "(= (f b) 2)"]
    ),
    st.sampled_from(['(= (hue a) (lit Color "red"))', '(= (lit Color "green") (hue a))', "(or p (P a))"]),
    st.tuples(st.sampled_from(["<", "<=", "distinct", "="]), TERMS, TERMS).map(lambda t: f"({' '.join(t)})"),
    st.sampled_from(["q", "(iff p q)", "(xor p q)", "(iff q (P a))", "(distinct p q (P a))"]),
    st.tuples(TERMS, TERMS, TERMS).map(lambda t: f"(distinct {' '.join(t)})"),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(FLAT, FLAT.map(lambda atom: f"(not {atom})")), min_size=1, max_size=6))
@example(["(= (f a) 1)", "(= (f b) 1)", "(< (f a) 2)", "(not (< (f b) 2))"])
@example(["(= (f a) 1)", "(not (= 1 (f a)))"])
def test_among_flat_facts_the_quick_way_finds_what_the_search_finds(formulas: list[str]) -> None:
    """[PASS-CONFLICTS-2] Not the very same sets, but some exactly if there are some."""
    found = contradictions(formulas)
    # An equation between constants makes no difference here, but sends all facts to the search.
    assert bool(found) == bool(contradictions([*formulas, "(= b2 b3)"]))


@pytest.mark.slow
def test_long_chains_of_equations_are_quick() -> None:
    pool = Pool()
    sort = DeclaredSort("S")
    constants = [pool.sym(Symbol(f"c{i}", (), sort, SymbolKind.CONSTANT)) for i in range(20_000)]
    f = Symbol("f", (sort,), INT, SymbolKind.FUNCTION)
    p = Symbol("p", (sort,), BOOL, SymbolKind.FUNCTION)
    formulas = [pool.eq(a, b) for a, b in itertools.pairwise(constants)]
    formulas += [pool.app(p, (c,)) for c in constants]
    formulas += [pool.eq(pool.app(f, (constants[0],)), pool.integer(1))]
    formulas += [pool.eq(pool.app(f, (constants[-1],)), pool.integer(2))]
    module = Module(
        pool,
        assertions=tuple(
            Assertion(str(i), "", AssertionKind.FACT, formula) for i, formula in enumerate(formulas)
        ),
    )
    (found,) = find_contradictions(module)
    assert len(found) == len(constants) + 1
