"""Axioms of equalities and readings: true in all structures of small sorts, and what refutes with them."""

from __future__ import annotations

import itertools

import pytest
from kernel_support import theory_of

import potlang
from potlang import certify
from potlang.certify import Invalid, Refutation, Theory
from potlang.certify.evaluate import ModelEvaluation
from potlang.certify.models import CertificateModel
from potlang.certify.operators import TotalMap
from potlang.certify.terms import Symbol, Term
from potlang.certify.tokens import StepBudget, tree
from potlang.certify.unfolding import unfolded
from potlang.ir.text import print_module

CONSTANTS = {
    "(Set C)": "s t",
    "(Array Bool C)": "a b",
    "(Array C Bool)": "m n",
    "(Function C Bool Bool)": "f g",
    "Pair": "p q",
    "C": "c d",
    "Bool": "x y",
}
SIGNATURE = (
    '(enum C "red" "blue")',
    '(tuple Pair ("left" C) ("right" Bool))',
    '(use constructor "Pair" (C Bool) Pair)',
    '(use selector "left" (Pair) C)',
    *(
        f'(declare constant "{name}" () {sort})'
        for sort, names in CONSTANTS.items()
        for name in names.split()
    ),
)
UNFOLDED = (
    "(= s t)",
    "(= s (union s t))",
    "(= s (lit (Set C) empty))",
    "(= a b)",
    "(= a (store a x c))",
    "(= m n)",
    "(= f g)",
    "(= p q)",
    "(= p (Pair c x))",
    "(= (Pair c x) (Pair d y))",
    "(subset s t)",
    "(subset (insert c s) t)",
    "(member c (union s t))",
    "(member c (intersect s t))",
    "(member c (difference s t))",
    "(member c (insert d s))",
    "(member c (lit (Set C) empty))",
    "(select (store a x c) y)",
    "(select (store m c x) d)",
)
REFUSED = (
    *("(member c s)", "(select a x)", "(= c d)", "(= x y)", "(= s s)", "x", "(not x)", "(left p)"),
    *("(apply f c x)", "(union s t)", "(member c (ite x s t))"),
)


def term_of(theory: Theory, text: str) -> Term:
    return theory.term(tree(f"(not {text})")[1] if text.startswith("(") else text)


def symbols_in(term: Term) -> list[Symbol]:
    found, stack = {}, [term]
    while stack:
        top = stack.pop()
        if isinstance(top.op, Symbol):
            found[top.op] = None
        stack.extend(top.args)
    return list(found)


def at_difference(model: CertificateModel, symbol: Symbol, number: int) -> TotalMap:
    """For each two tables a place where they differ; of those that are the same some other."""
    sort = symbol.domain[0]
    keys = sort.parts if sort.kind == "Set" else sort.parts[:-1]
    places = list(itertools.product(*(model.members(key) or () for key in keys)))
    tables = [each for each in model.members(sort) or () if isinstance(each, TotalMap)]
    entries = {}
    for one, two in itertools.product(tables, repeat=2):
        place = next((each for each in places if one.get(each) != two.get(each)), places[-1])
        entries[one, two] = place[number]
    return TotalMap(places[0][number], entries)


@pytest.mark.parametrize("text", UNFOLDED)
def test_what_is_unfolded_is_true_in_all_structures(text: str) -> None:
    """[CERT-UNFOLDED] Of small sorts, with a function that finds differences."""
    theory = theory_of(*SIGNATURE)
    term = term_of(theory, text)
    formula = unfolded(theory, term)
    assert formula is not term
    model = CertificateModel(theory)
    differing = {
        symbol: number
        for (_, number), symbol in theory._made.items()  # type: ignore[misc]
        if symbol.kind == "differ"
    }
    for symbol, number in differing.items():
        model.meanings[symbol] = at_difference(model, symbol, number)
    constants = [each for each in symbols_in(formula) if each.kind == "constant"]
    for values in itertools.product(*(model.members(each.range) or () for each in constants)):
        model.meanings.update(zip(constants, values, strict=True))
        evaluation = ModelEvaluation(model, StepBudget(100_000))
        assert evaluation.truth(formula) is True, values


@pytest.mark.parametrize("text", REFUSED)
def test_other_terms_are_not_unfolded(text: str) -> None:
    """[CERT-UNFOLDED]"""
    theory = theory_of(*SIGNATURE, '(claim "v" "" () x)')
    with pytest.raises(Invalid):
        Refutation(theory, "claim", "v").statement(f"(axiom 1 unfolded {text})")


@pytest.mark.parametrize(
    "text",
    [
        "(differ 1 s t)",
        "(differ -1 s t)",
        "(differ 0 s)",
        "(differ 0 s a)",
        "(differ 0 p q)",
        "(differ 2 f g)",
        "(differ)",
        "(differ 0)",
    ],
)
def test_indices_that_there_are_not(text: str) -> None:
    """[CERT-UNFOLDED]"""
    theory = theory_of(*SIGNATURE, '(claim "v" "" () x)')
    with pytest.raises(Invalid):
        Refutation(theory, "claim", "v").statement(f"(axiom 1 member {text})")


def test_a_set_that_is_written_out_is_not_the_empty_one() -> None:
    """[CERT-UNFOLDED] Finite problems have such literals."""
    theory = theory_of(*SIGNATURE)
    sort = theory.symbol("s").range
    whole = theory.terms.literal(TotalMap(False, {("red",): True}), sort)
    with pytest.raises(Invalid):
        unfolded(theory, theory.terms.apply("member", (theory.term("c"), whole)))


def test_the_order_of_two_tables_does_not_count() -> None:
    """[CERT-UNFOLDED]"""
    theory = theory_of(*SIGNATURE, '(claim "v" "" () x)')
    work = Refutation(theory, "claim", "v")
    assert work._ground(tree("(differ 0 s t)")) is work._ground(tree("(differ 0 t s)"))


# --- programs ---------------------------------------------------------------------------------------------

SORTS = [
    {
        "name": "Place",
        "type": "TupleSort",
        "fields": [{"name": "at", "sort": "Int"}, {"name": "up", "sort": "Bool"}],
    },
    {"name": "Ints", "type": "SetSort(Int)"},
    {"name": "Row", "type": "ArraySort(Int, Int)"},
    {"name": "Thing", "type": "DeclareSort"},
    {"name": "Things", "type": "SetSort(Thing)"},
    {"name": "Two", "type": "FunctionSort(Int, Thing, Bool)"},
]
ENTAILED = (
    "ForAll([p: Place], Place(at(p), up(p)) == p)",
    "ForAll([p: Place, q: Place], at(p) == at(q) and up(p) == up(q) -> p == q)",
    "ForAll([i: Int, j: Int], Place(i, True) == Place(j, True) -> i == j)",
    "ForAll([i: Int, j: Int], Place(i, True) != Place(j, False))",
    "ForAll([s: Things, t: Things], Union(s, t) == Union(t, s))",
    "ForAll([s: Things, t: Things], Subset(s, t) and Subset(t, s) -> s == t)",
    "ForAll([s: Ints, t: Ints, u: Ints], Subset(s, t) and Subset(t, u) -> Subset(s, u))",
    "ForAll([s: Ints, t: Ints], Intersect(s, Union(s, t)) == s)",
    "ForAll([s: Ints, t: Ints], Difference(s, t) == s -> Intersect(s, t) == Difference(s, s))",
    "ForAll([a: Row, i: Int], Store(a, i, Select(a, i)) == a)",
    "ForAll([a: Row, i: Int, j: Int], i == j or Select(Store(a, i, 1), j) == Select(a, j))",
    "ForAll([a: Row, i: Int, j: Int], Store(Store(a, i, 1), j, 1) == Store(Store(a, j, 1), i, 1))",
)
NOT_ENTAILED = (
    "ForAll([p: Place, q: Place], at(p) == at(q) -> p == q)",
    pytest.param("ForAll([s: Things, t: Things], Subset(Union(s, t), s))", marks=pytest.mark.slow),
    "ForAll([a: Row, b: Row], Select(a, 0) == Select(b, 0) -> a == b)",
)


@pytest.mark.parametrize("claim", ENTAILED)
def test_extensionality_is_checked(claim: str) -> None:
    """[CERT-UNFOLDED] [GROUND-UNFOLDED]"""
    source = {"sorts": SORTS, "verifications": [{"constraint": claim}]}
    report = potlang.verify(source, certificate=True)
    (result,) = report.results
    assert (result.verdict, result.trust) == ("entailed", "checked")
    outcome = certify.check(report.certificate or "", print_module(potlang.compile(source).module))
    assert (outcome.status, outcome.open) == ("VALID", ())


@pytest.mark.parametrize("claim", NOT_ENTAILED)
def test_what_extensionality_does_not_give(claim: str) -> None:
    """[GROUND-UNFOLDED]"""
    (result,) = potlang.verify({"sorts": SORTS, "verifications": [{"constraint": claim}]}).results
    assert result.verdict == "refuted"


@pytest.mark.parametrize(
    "claim",
    [
        # The selector is nowhere in the program's text: its name would mean nothing to the kernel.
        "R(c) in [f(c), f(c)]",
        "f(c) == f(d) -> ForAll([x: T, y: T], f(c) == R(x) and f(d) == R(y) -> x == y)",
        "R(c) == R(d) -> c == d",
    ],
)
def test_selectors_that_the_program_does_not_mention_have_numbers(claim: str) -> None:
    """[CERT-UNFOLDED]"""
    program = {
        "sorts": [
            {"name": "T", "type": "DeclareSort"},
            {"name": "R", "type": "TupleSort", "fields": [{"name": "of", "sort": "T"}]},
        ],
        "functions": [{"name": "f", "domain": ["T"], "range": "R"}],
        "constants": {"things": {"sort": "T", "members": ["c", "d"]}},
        "knowledge_base": ["c == d"],
        "verifications": [{"constraint": claim}],
        "semantics": {"closed_domain": True},
    }
    report = potlang.verify(program, certificate=True)
    assert report.verdict == "entailed"
    assert report.results[0].trust == "checked"
    assert report.certificate is not None
    outcome = certify.check(report.certificate, potlang.compile(program).emit("ir", passes=""))
    assert outcome.status == "VALID"


@pytest.mark.parametrize("written", ["(field 2 p)", "(field 0 c)", "(field x p)", "(field)", "((field) p)"])
def test_fields_that_there_are_not(written: str) -> None:
    """[CERT-UNFOLDED]"""
    theory = theory_of(*SIGNATURE, '(claim "v" "v" () true)')
    refutation = Refutation(theory, "claim", "v")
    with pytest.raises(Invalid):
        refutation._ground(tree(written))
    assert refutation._ground(tree("(field 1 p)")).sort.kind == "Bool"
    assert refutation._ground(tree("(field 0 p)")) is refutation._ground(tree("(left p)"))
