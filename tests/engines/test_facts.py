"""Programs of ground facts: decided by the facts that matter as by z3 with all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engines.test_grounding_random import z3_status
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import potlang
from potlang.engines.check import Check, CheckResult
from potlang.engines.context import ProgramContext
from potlang.engines.ground.facts import FactsProcedure
from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort, EnumSort, Sort
from potlang.processes.pool import default_workers
from potlang.prove.modelcheck import check_model
from potlang.report.results import Limits

THING, OWNER = DeclaredSort("Thing"), DeclaredSort("Owner")
COLOUR = EnumSort("Colour", ("red", "green"))


def function(name: str, *sorts: Sort) -> Symbol:
    kind = SymbolKind.FUNCTION if len(sorts) > 1 else SymbolKind.CONSTANT
    return Symbol(name, sorts[:-1], sorts[-1], kind)


THINGS = tuple(function(name, THING) for name in "abcd")
OWNERS = tuple(function(name, OWNER) for name in "op")
FUNCTIONS = (
    function("P", THING, BOOL),
    function("S", THING, THING, BOOL),
    function("H", THING, COLOUR, BOOL),
    function("age", THING, INT),
    function("next", THING, THING),
    function("N", INT, BOOL),
    function("owner", THING, OWNER),
    function("colour", THING, COLOUR),
)
TRUTH, NUMBER = function("q", BOOL), function("n", INT)
SYMBOLS = (*THINGS, *OWNERS, TRUTH, NUMBER, *FUNCTIONS)


class Drawing:
    """Formulas without quantifiers; nearly all functions in them are at constants and literals."""

    def __init__(self, draw: DrawFn) -> None:
        self.draw = draw
        self.pool = Pool()
        # In a quarter of the programs: what is beyond the procedure would else be in nearly all.
        self.unusual = draw(st.sampled_from([False, False, False, True]))

    def name(self, sort: Sort) -> Node:
        pool = self.pool
        if sort is INT:
            if self.unusual and self.draw(st.booleans()):
                return pool.sym(NUMBER)
            return pool.integer(self.draw(st.integers(0, 2)))
        if isinstance(sort, EnumSort):
            return pool.lit(self.draw(st.sampled_from(sort.values)), sort)
        return pool.sym(self.draw(st.sampled_from(THINGS if sort == THING else OWNERS)))

    def application(self) -> Node:
        symbol = self.draw(st.sampled_from(FUNCTIONS))
        args = tuple(map(self.name, symbol.domain))
        if args[0].sort is THING and self.unusual and self.draw(st.booleans()):
            args = (self.pool.app(FUNCTIONS[4], args[:1]), *args[1:])
        return self.pool.app(symbol, args)

    def fact(self) -> Node:
        term = self.application()
        if term.sort is not BOOL:
            sides = (term, self.name(term.sort))
            return self.pool.eq(*(sides if self.draw(st.booleans()) else sides[::-1]))
        return term if self.draw(st.booleans()) else self.pool.negate(term)

    def literal(self) -> Node:
        pool = self.pool
        match self.draw(st.integers(0, 7)):
            case 0:
                atom: Node = pool.sym(TRUTH)
            case 1:
                atom = pool.eq(self.name(THING), self.name(THING))
            case 2:
                atom = pool.app(op.LT, (pool.app(FUNCTIONS[3], (self.name(THING),)), self.name(INT)))
            case _:
                atom = self.fact()
        return atom if self.draw(st.booleans()) else pool.negate(atom)

    def rule(self) -> Node:
        return self.pool.disj(self.literal() for _ in range(self.draw(st.integers(1, 3))))


@st.composite
def programs(draw: DrawFn) -> Module:
    """Many facts, of which few contradict each other, some rules, a claim."""
    drawing = Drawing(draw)
    formulas = [drawing.fact() for _ in range(draw(st.integers(0, 5)))]
    formulas += [drawing.rule() for _ in range(draw(st.integers(0, 4)))]
    if draw(st.booleans()):
        members = draw(st.lists(st.sampled_from(THINGS), min_size=2, max_size=5))
        formulas.append(drawing.pool.app(op.DISTINCT, tuple(map(drawing.pool.sym, members))))
    kinds = AssertionKind.FACT
    assertions = tuple(
        Assertion(f"a{at}", f"a{at}", kinds, formula)
        for at, formula in enumerate(draw(st.permutations(formulas)))
    )
    claim = Claim("c0", "c0", drawing.rule())
    return Module(drawing.pool, (THING, OWNER, COLOUR), SYMBOLS, (), assertions, (claim,))


def decided(module: Module, negated: bool) -> CheckResult | None:
    claim = module.claims[0]
    procedure = FactsProcedure(ProgramContext.of(module, default_workers()), 5_000, 100)
    check = Check("negation" if negated else "claim", claim.formula, negated, claim=claim)
    return procedure.decide(check)


@settings(max_examples=120, deadline=None)
@given(programs(), st.booleans())
def test_facts_that_nothing_else_mentions_do_not_matter(module: Module, negated: bool) -> None:
    """[GROUND-FACTS] z3, who has all of them, says the same; models are models of all, cores suffice."""
    found = decided(module, negated)
    if found is None:
        return
    assert found.status == z3_status(module, negated)
    if found.status == "sat":
        assert found.structure is not None
        structure = found.structure()
        assert structure is not None
        side = module.claims[0].formula
        side = module.pool.negate(side) if negated else side
        assert check_model(module, module.assertions, side, structure).holds is True
        return
    labels = ProgramContext.of(module, default_workers()).labels
    core = tuple(each for each in module.assertions if labels.name(each) in (found.core or ()))
    assert z3_status(replace(module, assertions=core), negated) == "unsat"


def test_most_are_decided() -> None:
    """[GROUND-FACTS] Else the test above would say nothing."""
    counts: dict[bool, int] = {True: 0, False: 0}

    @settings(max_examples=100, deadline=None, database=None, derandomize=True)
    @given(programs())
    def count(module: Module) -> None:
        counts[decided(module, False) is not None] += 1

    count()
    assert 3 * counts[True] > counts[False]


def test_terms_that_may_be_equal_to_others_are_left_to_others() -> None:
    """[GROUND-FACTS] A fact may speak of a term under another name: an integer constant, a nested term."""
    pool = Pool()
    n, a, b = (pool.sym(each) for each in (NUMBER, *THINGS[:2]))
    named = {symbol.name: symbol for symbol in FUNCTIONS}
    three = pool.integer(3)
    following = pool.app(named["next"], (a,))
    contradictions = [
        [pool.app(named["N"], (n,)), pool.negate(pool.app(named["N"], (three,))), pool.eq(n, three)],
        [pool.app(named["P"], (following,)), pool.negate(pool.app(named["P"], (b,))), pool.eq(following, b)],
        [pool.app(named["P"], (a,)), pool.negate(pool.app(named["P"], (b,))), pool.eq(a, b)],
    ]
    for formulas in contradictions:
        kind = AssertionKind.FACT
        assertions = tuple(Assertion(f"a{at}", "", kind, each) for at, each in enumerate(formulas))
        claim = Claim("c0", "c0", pool.sym(TRUTH))
        found = decided(Module(pool, (THING, OWNER, COLOUR), SYMBOLS, (), assertions, (claim,)), False)
        assert found is None or found.status == "unsat"


def program(size: int, **changes: object) -> dict[str, object]:
    """So many facts about as many entities, and one rule."""
    names = [f"e{number}" for number in range(size // 2)]
    facts = [f"bird({name})" for name in names] + [f"age({name}) == {len(name)}" for name in names]
    return {
        "sorts": [{"name": "Entity", "type": "DeclareSort"}],
        "functions": [
            {"name": "bird", "domain": ["Entity"], "range": "BoolSort"},
            {"name": "flies", "domain": ["Entity"], "range": "BoolSort"},
            {"name": "age", "domain": ["Entity"], "range": "IntSort"},
        ],
        "constants": {"entities": {"sort": "Entity", "members": names}},
        "knowledge_base": facts,
        "rules": [{"constraint": "Implies(And(bird(e0), age(e0) < 5), flies(e0))"}],
        "verifications": [
            {"constraint": "flies(e0)"},
            {"constraint": "flies(e1)"},
            {"constraint": "age(e1) > 5"},
        ],
        **changes,
    }


@pytest.mark.parametrize("size", [200, 1_800, 5_000])
def test_large_programs_of_facts_are_checked(size: int) -> None:
    """[GROUND-FACTS] The model of thousands of facts is evaluated; a solver's is too long to be read."""
    report = potlang.verify(program(size))
    assert [(str(each.verdict), each.trust, each.route) for each in report.results] == [
        ("entailed", "checked", "ground"),
        ("undetermined", "checked", "ground"),
        ("refuted", "checked", "ground"),
    ]
    assert report.results[0].evidence.core is not None
    assert [item.name for item in report.results[0].evidence.core] == [
        "fact 1",
        f"fact {size // 2 + 1}",
        "rule 1",
    ]
    unique = potlang.verify(program(size, semantics={"unique_names": True}))
    assert [(each.verdict, each.trust) for each in unique.results] == [
        (each.verdict, each.trust) for each in report.results
    ]


@pytest.mark.parametrize(
    "more",
    [
        "ForAll([x: Entity], flies(x) -> bird(x))",
        "bird(e0) -> age(e1) == age(e2) + 1 and not bird(e3)",
        "not bird(e9)",
        "e0 == e1",
    ],
)
def test_what_is_beyond_them_is_left_to_others(more: str) -> None:
    """[GROUND-FACTS] Quantifiers, facts that contradict each other, constants that are equal."""
    text = program(2_400)
    text["knowledge_base"] = [*text["knowledge_base"], more]  # type: ignore[misc]
    found = potlang.verify(text, trust="solver", limits=Limits(check_ms=2_000))
    alone = potlang.verify(text, trust="solver", route="z3", limits=Limits(check_ms=2_000))
    assert [each.verdict for each in found.results] == [each.verdict for each in alone.results]
