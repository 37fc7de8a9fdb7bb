"""Unit propagation and RUP against brute force, and their speed."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_support import theory_of

from potlang.certify import Refutation
from potlang.certify.propagation import ClauseDatabase
from potlang.certify.tokens import Invalid, StepBudget

literals = st.integers(1, 5).flatmap(lambda n: st.sampled_from([n, -n]))
clause = st.lists(literals, max_size=4, unique_by=abs).map(tuple)
Clause = tuple[int, ...]


def naive(clauses: list[Clause], assumed: Clause = ()) -> bool:
    """Whether unit propagation from `assumed` reaches the empty clause: rescan until nothing changes."""
    true = set(assumed)
    if any(-literal in true for literal in true):
        return True
    while True:
        units = []
        for each in clauses:
            if not any(literal in true for literal in each):
                rest = [literal for literal in each if -literal not in true]
                if not rest:
                    return True
                if len(rest) == 1:
                    units.append(rest[0])
        if not units:
            return False
        true.update(units)
        if any(-literal in true for literal in true):
            return True


@given(st.lists(st.tuples(clause, st.booleans()), max_size=25), st.lists(clause, max_size=5))
@settings(max_examples=300)
def test_what_follows_is_what_rescanning_finds(steps: list[tuple[Clause, bool]], asked: list[Clause]) -> None:
    """[CERT-LEMMA] Clauses come one by one, with questions in between, some of them are dropped."""
    kept: list[Clause] = []
    database = ClauseDatabase(StepBudget(10**6))
    implied: set[Clause] = set()
    for each, drop in steps:
        database.add(each)
        kept.append(each)
        for question in asked:
            found = database.implies(question)
            assert found or not naive(kept, tuple(-literal for literal in question))
            if found and not naive(kept, tuple(-literal for literal in question)):
                implied.add(question)
                assert brute_force(kept_ever(kept, steps), question)
        if drop and database.propagate() is False:
            database.remove(kept.pop())
    assert not implied or any(drop for _, drop in steps)


def kept_ever(kept: list[Clause], steps: list[tuple[Clause, bool]]) -> list[Clause]:
    """With those that were dropped: what they implied stays."""
    return kept + [each for each, _ in steps]


def brute_force(clauses: list[Clause], question: Clause) -> bool:
    """Whether every assignment that satisfies `clauses` satisfies `question`."""
    for signs in itertools.product((1, -1), repeat=5):
        true = {number * sign for number, sign in enumerate(signs, 1)}
        if all(true & set(each) for each in clauses) and not true & set(question):
            return False
    return True


@given(st.lists(clause, max_size=25))
@settings(max_examples=300)
def test_propagation_is_that_of_rescanning(clauses: list[Clause]) -> None:
    """[CERT-EMPTY]"""
    database = ClauseDatabase(StepBudget(10**6))
    for each in clauses:
        database.add(each)
    assert database.propagate() == naive(clauses)


def test_a_clause_that_is_there_twice_can_be_removed_twice() -> None:
    """[CERT-LEMMA]"""
    database = ClauseDatabase(StepBudget(1000))
    database.add((1, 2))
    database.add((2, 1))
    database.remove((1, 2))
    assert not database.implies((1,))
    database.add((-2,))
    assert database.implies((1,))
    database.remove((2, 1))
    with pytest.raises(Invalid):
        database.remove((1, 2))


@pytest.mark.slow
def test_ten_thousand_clauses_and_a_thousand_lemmas_take_seconds() -> None:
    """[CERT-LEMMA] A chain of implications with side conditions, and lemmas that shortcut it."""
    atoms = 3_000
    constants = [f'(declare constant "p{i}" () Bool)' for i in range(atoms)]
    chain = [f'(assert "c{i}" "" fact (=> p{i} p{i + 1}))' for i in range(atoms - 1)]
    random_ = random.Random(3)
    noise = [
        f'(assert "n{i}" "" fact (or p{a} (not p{b}) p{c} p{d}))'
        for i, (a, b, c, d) in enumerate(random_.sample(range(atoms), 4) for _ in range(7_000))
    ]
    ends = ['(assert "first" "" fact p0)', f'(assert "last" "" fact (not p{atoms - 1}))']
    work = Refutation(theory_of(*constants, *chain, *noise, *ends), "assumptions", None)
    start = time.process_time()
    keys = [f"c{i}" for i in range(atoms - 1)] + [f"n{i}" for i in range(7_000)]
    for number, key in enumerate(keys, 1):
        work.statement(f'(instance {number} "{key}")')
    for i in range(1, 1_001):
        work.statement(f"(lemma -1 {i + 1})")
    work.statement('(instance 20000 "first")')
    work.statement('(instance 20001 "last")')
    work.statement("(empty)")
    assert len(work.clauses) == 11_001
    assert time.process_time() - start < 15


def test_propagation_ends_with_its_steps() -> None:
    """[CERT-OUTCOME]"""
    database = ClauseDatabase(StepBudget(100))
    with pytest.raises(Invalid, match="steps"):
        for i in range(1, 1000):
            database.add((-i, i + 1))
            database.implies((-1, i + 1))
