"""Cores of large programs are looked for around the claim, and found wherever they are ([VERDICT-CORE])."""

from __future__ import annotations

import itertools

import potlang
from potlang import Verdict
from potlang.ir.module import Assertion, AssertionKind
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, DeclaredSort
from potlang.prove.premises import SIZES, PremiseSelection

PERSON = DeclaredSort("Person")
COUNT = 2_500


def chain(length: int) -> dict[str, object]:
    """People in a row, each knowing the next; who is known by a happy one is happy."""
    people = [f"p{i}" for i in range(length)]
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [
            {"name": "knows", "domain": ["Person", "Person"], "range": "Bool"},
            {"name": "happy", "domain": ["Person"], "range": "Bool"},
        ],
        "constants": {"people": {"sort": "Person", "members": people}},
        "knowledge_base": [f"knows({a}, {b})" for a, b in itertools.pairwise(people)],
        "rules": [
            {"constraint": f"Implies(And(happy(p{i}), knows(p{i}, p{i + 1})), happy(p{i + 1}))"}
            for i in range(3)
        ],
        "verifications": [{"name": "v", "constraint": "Implies(happy(p0), happy(p3))"}],
    }


def test_the_core_of_a_large_program_is_found_and_minimal() -> None:
    report = potlang.verify(chain(COUNT))
    evidence = report.results[0].evidence
    assert report.verdict is Verdict.ENTAILED
    assert evidence.core is not None
    texts = {item.text for item in evidence.core}
    assert texts >= {"knows(p0, p1)", "knows(p1, p2)", "knows(p2, p3)"}
    assert (len(texts), evidence.core_minimal) == (6, True)


def test_a_core_far_from_the_claim_is_found_among_all_assumptions() -> None:
    program = chain(COUNT)
    program["knowledge_base"] += ["happy(p2000)", "Not(happy(p2000))"]  # type: ignore[operator]
    program["verifications"] = [{"name": "v", "constraint": "happy(p0)"}]
    report = potlang.verify(program)
    assert report.verdict is Verdict.INCONSISTENT
    core = report.results[0].evidence.core
    assert core is not None
    assert {item.text for item in core} == {"happy(p2000)", "Not(happy(p2000))"}


def test_subsets_grow_outwards_from_the_claim() -> None:
    pool = Pool()
    knows = Symbol("knows", (PERSON, PERSON), BOOL, SymbolKind.FUNCTION)
    people = [Symbol(f"p{i}", (), PERSON, SymbolKind.CONSTANT) for i in range(3_000)]
    terms = [pool.sym(person) for person in people]
    facts = [
        Assertion(f"f{i}", f"fact {i}", AssertionKind.FACT, pool.app(knows, (a, b)))
        for i, (a, b) in enumerate(itertools.pairwise(terms))
    ]
    claim = pool.app(knows, (terms[50], terms[50]))
    near, wider = PremiseSelection(facts).around(claim)
    assert [len(near), len(wider)] == list(SIZES)
    numbers = [int(fact.key[1:]) for fact in near]
    assert numbers == list(range(numbers[0], numbers[0] + 100))
    assert {49, 50} <= set(numbers)
    assert set(near) <= set(wider)
