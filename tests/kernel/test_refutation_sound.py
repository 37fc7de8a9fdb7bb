"""Refutations are sound: what holds in a structure is not refuted by any instances and axioms.

A finite structure is drawn, and random formulas are assumed as they are or negated, whichever is true in
it. Then Skolem functions and dummies can be chosen in it such that the clauses of random statements are
true: all choices are tried. A wrong Skolem form, instance, axiom or clause shows as clauses that no choice
makes true.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kernel_support import model_lines
from strategies.formulas import Signature, _term, _VariableScope, meanings, modules

from potlang.certify import Invalid, Refutation, Theory, read_theory
from potlang.certify.evaluate import ModelEvaluation
from potlang.certify.models import CertificateModel
from potlang.certify.operators import NoValue, TotalMap
from potlang.certify.sorts import Sort
from potlang.certify.terms import Symbol
from potlang.certify.theory import reachable
from potlang.certify.tokens import StepBudget, tree
from potlang.ir import operators as op
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Assertion, AssertionKind, Module
from potlang.ir.nodes import Node
from potlang.ir.sorts import BOOL, TupleSort
from potlang.ir.structure import NotEvaluable, Structure
from potlang.ir.text import print_module
from potlang.ir.values import Unspecified

STEPS = 100_000
MOST_CHOICES = 512
NO_SKOLEM_FORM = ("defined function", "two quantifiers", "bound twice")


def true_in(module: Module, structure: Structure) -> Module | None:
    """The module with each assertion negated that is false in `structure`, and its first claim alone."""
    pool = module.pool

    def made(formula: Node) -> Node:
        return formula if evaluate(formula, structure, most_steps=STEPS) else pool.app(op.NOT, (formula,))

    try:
        assertions = [
            Assertion(a.key, a.name, AssertionKind.RULE, made(a.formula)) for a in module.assertions
        ]
        evaluate(module.claims[0].formula, structure, most_steps=STEPS)
    except (NotEvaluable, Unspecified):
        return None
    return replace(
        module, assertions=tuple(assertions), claims=module.claims[:1], norms=(), optimization=None
    )


class Ground:
    """Ground terms of a refutation, as text, by sort: a few of each."""

    def __init__(self, draw: st.DrawFn, refutation: Refutation) -> None:
        self.draw = draw
        self.terms: dict[Sort, list[str]] = {}
        theory = refutation.theory
        heads = [
            (symbol, json.dumps(symbol.name))
            for symbol in theory.symbols
            if theory._named[symbol.name] is symbol and symbol.definition is None
        ]
        roots = [json.dumps(key) for key in theory.assertions] + ["goal"]
        for root in roots:
            for (variable, sign), symbol in refutation._matrix(tree(f"({root})")[0]).skolems.items():
                heads.append((symbol, f"skolem {root} {variable} {sign}"))
        for sort in theory.sorts.named.values():
            if sort.kind == "enum":
                self._add(sort, *(f"(lit {json.dumps(sort.name)} {json.dumps(v)})" for v in sort.labels))
            if sort.kind == "declared":
                self._add(sort, f"(dummy {json.dumps(sort.name)})")
        for _ in range(2):
            for symbol, head in heads:
                if all(sort in self.terms for sort in symbol.domain):
                    args = [draw(st.sampled_from(self.terms[sort][-4:])) for sort in symbol.domain]
                    text = f"({' '.join([head, *args])})" if args or " " in head else head
                    self._add(symbol.range, text)

    def _add(self, sort: Sort, *texts: str) -> None:
        known = self.terms.setdefault(sort, [])
        known += [text for text in texts if text not in known]

    def pick(self, sort: Sort) -> str:
        """A term of `sort`; a dummy where there is none."""
        if sort.kind == "Bool":
            return self.draw(st.sampled_from(["true", "false"]))
        if sort.kind == "BitVec":
            return f"(lit (BitVec {sort.width}) {self.draw(st.integers(0, (1 << sort.width) - 1))})"
        found = self.terms.get(sort)
        assume(found)
        return self.draw(st.sampled_from(found or [""]))


def statements(draw: st.DrawFn, refutation: Refutation) -> list[str]:
    """Instances of all roots and a few axioms."""
    ground = Ground(draw, refutation)
    lines = []
    roots = [json.dumps(key) for key in refutation.theory.assertions] + ["goal"]
    for root, _ in itertools.product(roots, range(3)):
        matrix = refutation._matrix(tree(f"({root})")[0])
        bindings = [f"({name} {ground.pick(var.sort)})" for name, var in matrix.universals.items()]
        lines.append(" ".join(["instance", "0", root, *bindings]))
    sorts = [sort for sort in ground.terms if sort.kind != "Bool"]
    for _ in range(3):
        sort = draw(st.sampled_from(sorts))
        a, b, c = (ground.pick(sort) for _ in range(3))
        lines.append(f"axiom 0 transitive {a} {b} {c}")
        if sort.kind in ("enum", "BitVec"):
            lines.append(f"axiom 0 member {a}")
    functions = [symbol for symbol in refutation.theory.symbols if symbol.domain]
    for symbol in functions[:3]:
        if all(s.kind == "Bool" or s in ground.terms for s in symbol.domain) and symbol.definition is None:
            lists = [" ".join(ground.pick(s) for s in symbol.domain) for _ in range(2)]
            lines.append(f"axiom 0 congruent {json.dumps(symbol.name)} ({lists[0]}) ({lists[1]})")
    return [f"({line.replace(' 0 ', f' {number} ', 1)})" for number, line in enumerate(lines, 1)]


def holds_with_some_choice(
    refutation: Refutation, theory: Theory, module: Module, structure: Structure
) -> bool:
    """Whether Skolem functions and dummies can be chosen in the structure such that all clauses hold."""
    fresh = dict.fromkeys(
        term.op
        for atom in refutation.atoms
        for term in reachable(atom)
        if isinstance(term.op, Symbol) and term.op.kind in ("skolem", "dummy")
    )
    model = CertificateModel(theory)
    for line in model_lines(module, structure):
        model.read(tree(line))
    choices = [list(meanings_of(model, symbol)) for symbol in fresh]
    assume(math.prod(map(len, choices)) <= MOST_CHOICES)
    for chosen in itertools.product(*choices):
        model.meanings.update(zip(fresh, chosen, strict=True))
        evaluation = ModelEvaluation(model, StepBudget(STEPS))
        values = [evaluation.truth(atom) for atom in refutation.atoms]
        assume(not any(isinstance(value, NoValue) for value in values))
        true = {number if value else -number for number, value in enumerate(values, 1)}
        if all(true & set(clause) for clause in refutation.clauses):
            return True
    return False


def meanings_of(model: CertificateModel, symbol: Symbol) -> Iterator[object]:
    """All that a symbol may mean, if its sorts are small."""
    values = model.members(symbol.range) or []
    keys = list(itertools.product(*(model.members(sort) or [] for sort in symbol.domain)))
    assume(values and len(values) ** len(keys) <= MOST_CHOICES)
    if not symbol.domain:
        yield from values
        return
    for chosen in itertools.product(values, repeat=len(keys)):
        yield TotalMap(values[0], dict(zip(keys, chosen, strict=True)))


def alternating(draw: st.DrawFn, module: Module) -> Assertion:
    """An assertion that alternates quantifiers over the declared sort."""
    pool = module.pool
    sort = module.sorts[0]
    variables = [pool.var("v", sort) for _ in range(draw(st.integers(2, 3)))]
    plain = [s for s in module.symbols if not any(isinstance(p, TupleSort) for p in (*s.domain, s.range))]
    signature = Signature(module.sorts[:1], tuple(plain))
    body = _term(_VariableScope(draw, signature, pool, False, list(variables)), BOOL, 2)
    same = pool.eq(*draw(st.permutations(variables))[:2])
    connective = draw(st.sampled_from([op.NOT, op.XOR, op.IFF, op.OR, op.AND, op.IMPLIES]))
    body = pool.app(connective, (same,) if connective is op.NOT else (body, same))
    kinds = draw(st.permutations(["forall", "exists"]))
    for number, variable in enumerate(variables):
        body = pool.quant(kinds[number % 2], (variable,), body)
    return Assertion("q0", "alternating", AssertionKind.RULE, body)


def check_soundness(data: st.DataObject, depth: int) -> None:
    module = data.draw(modules(finite=True, nested=False, depth=depth, most=2, definitions=False))
    if data.draw(st.integers(0, 3)):
        module = replace(module, assertions=(data.draw(st.composite(alternating)(module)),))
    structure = data.draw(meanings(module, most=2))
    assumed = true_in(module, structure)
    assume(assumed is not None)
    assert assumed is not None
    theory = read_theory(print_module(assumed))
    holds = evaluate(assumed.claims[0].formula, structure, most_steps=STEPS)
    refutation = Refutation(theory, "claim" if holds else "negation", "c0")
    try:
        lines = data.draw(st.composite(statements)(refutation))
        for line in lines:
            refutation.statement(line)
    except Invalid as error:
        assume(not any(reason in str(error) for reason in NO_SKOLEM_FORM))
        raise
    assert not refutation.propagate()
    assert holds_with_some_choice(refutation, theory, assumed, structure)


@given(st.data())
@settings(max_examples=30)
def test_what_is_true_is_not_refuted(data: st.DataObject) -> None:
    """[CERT-SKOLEM-1] [CERT-SKOLEM-2] [CERT-SKOLEM-3] [CERT-SKOLEM-4] [CERT-INSTANCE] [CERT-CLAUSE]"""
    check_soundness(data, 4)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1500)
def test_what_is_true_is_not_refuted_deeply(data: st.DataObject) -> None:
    check_soundness(data, data.draw(st.integers(2, 6)))
