"""Brute force, z3 and cvc5 agree on what is printed; names do not matter."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from smt_solvers import run_cvc5, run_z3
from strategies.formulas import modules
from structures import count_structures, structures

from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, DeclaredSort
from potlang.ir.structure import NotEvaluable
from potlang.smt.errors import Unsupported
from potlang.smt.printer import Printer, script

SIZE = 2
MOST = 300


def sized(module: Module, printer: Printer) -> str:
    """Commands that give each declared sort exactly `SIZE` members."""
    lines = []
    for sort in module.sorts:
        if isinstance(sort, DeclaredSort):
            some = [Symbol(f"m{i}{sort.name}", (), sort, SymbolKind.FRESH) for i in range(SIZE)]
            terms = [printer.symbol(symbol) for symbol in some]
            lines += map(printer.declare, some)
            lines.append(f"(assert (distinct {' '.join(terms)}))")
            member = " ".join(f"(= x {term})" for term in terms)
            lines.append(f"(assert (forall ((x {printer.declare(some[0]).split()[-1][:-1]})) (or {member})))")
    return "\n".join(lines) + "\n"


def brute_force(module: Module) -> list[bool]:
    """Whether each claim, then its negation, has a model of the module's assertions with `SIZE` members."""
    found = [False] * (2 * len(module.claims))
    universe = {sort: SIZE for sort in module.sorts if isinstance(sort, DeclaredSort)}
    for structure in structures(module, universe):
        if all(evaluate(each.formula, structure) for each in module.assertions):
            for i, claim in enumerate(module.claims):
                found[2 * i + (not evaluate(claim.formula, structure))] = True
    return found


def answers(module: Module, run: Callable[[str], str], dialect: str) -> list[str]:
    """What a solver says of the same questions."""
    printer = Printer(module, dialect)  # type: ignore[arg-type]
    text = f"(set-logic ALL)\n{printer.base()}{sized(module, printer)}"
    for claim in module.claims:
        for side in (claim.formula, module.pool.negate(claim.formula)):
            text += f"(push 1)\n{printer.assertion(side)}\n(check-sat)\n(pop 1)\n"
    lines = run(text).splitlines()
    return [line.split()[0] for line in lines if line.split()[:1] in (["sat"], ["unsat"], ["unknown"])]


def run_finite(text: str) -> str:
    """cvc5 looking for finite models."""
    return run_cvc5(text, **{"incremental": "true", "finite-model-find": "true"})


def agree(expected: list[bool], given: list[str]) -> bool:
    fits = {True: ("sat", "unknown"), False: ("unsat", "unknown")}
    return len(given) == len(expected) and all(g in fits[e] for e, g in zip(expected, given, strict=True))


def countable(module: Module) -> bool:
    universe = {sort: SIZE for sort in module.sorts if isinstance(sort, DeclaredSort)}
    try:
        return count_structures(module, universe) <= MOST
    except NotEvaluable:
        return False


def check(module: Module) -> None:
    assume(countable(module))
    try:
        expected = brute_force(module)
    except NotEvaluable:
        assume(False)
    assert agree(expected, answers(module, run_z3, "z3"))
    try:
        found = answers(module, run_finite, "cvc5")
    except Unsupported:
        return
    assert agree(expected, found)


@given(modules(finite=True, depth=3, most=2))
@settings(max_examples=30)
def test_brute_force_z3_and_cvc5_agree(module: Module) -> None:
    check(module)


@pytest.mark.slow
@given(modules(finite=True, depth=4, most=3))
@settings(max_examples=1500)
def test_brute_force_z3_and_cvc5_agree_on_many(module: Module) -> None:
    check(module)


@given(modules(depth=4))
@settings(max_examples=60)
def test_both_solvers_take_every_script(module: Module) -> None:
    checks = ("(check-sat)", "(get-objectives)")
    text = "".join(f"{line}\n" for line in script(module).splitlines() if line not in checks)
    run_z3(text)
    try:
        other = Printer(module, "cvc5").script()
    except Unsupported:
        return
    run_cvc5(other.replace("(check-sat)", ""), incremental="true")


# --- names ---------------------------------------------------------------------------------------

ODD = [
    "", "_", "!", "and", "assert", "true", "Int", "Bool", "let", "forall", "a b", "a|b", 'a"b', "a\nb", "a;b",
    "é", "(", "))", "=>", "distinct", "ite", "select", "!a0", "%t0", "?x.0", "$x", "x.0", "\\", "\U0001f600",
    "\0", "as", "par", "par!0", "check-sat", "is-x", "E!val!0", "@x", ":named", "#b1", "0", "1.5", "Real",
    "not",
]  # fmt: skip


def renaming(seed: int) -> Callable[[str, int], str]:
    """An injective naming of the things of `modules`."""
    kinds = {"sort": 0, "value": 11, "field": 23, "f": 31}

    def name(kind: str, number: int) -> str:
        place = kinds.get(kind, 5) + number + seed
        return ODD[place % len(ODD)] + ("" if place < 2 * len(ODD) and kind in kinds else f"{kind}{number}")

    return name


@pytest.mark.parametrize("seed", range(0, len(ODD), 4))
@given(data=st.data())
@settings(max_examples=4)
def test_odd_names_change_no_verdict(seed: int, data: st.DataObject) -> None:
    """Finite modules with odd names have the verdicts of brute force, which knows no names."""
    check(data.draw(modules(finite=True, depth=3, most=2, names=renaming(seed))))


@pytest.mark.parametrize("name", ODD)
def test_any_name_serves_in_every_role(name: str) -> None:
    """A sort, a predicate, a constant, a bound variable and an assertion, all called the same."""
    from potlang.ir.module import Assertion, AssertionKind, Claim, Origin

    pool = Pool()
    sort = DeclaredSort(name)
    constant = Symbol(name, (), sort, SymbolKind.CONSTANT)
    predicate = Symbol(name + "p", (sort,), BOOL, SymbolKind.FUNCTION)
    x = pool.var(name, sort)
    rule = pool.quant("forall", (x,), pool.app(predicate, (x,)))
    fact = Assertion(name, name, AssertionKind.RULE, rule, Origin(name, name))
    claim = Claim(name, name, pool.app(predicate, (pool.sym(constant),)), Origin(name, name))
    module = Module(pool, (sort,), (constant, predicate), assertions=(fact,), claims=(claim,))
    assert run_z3(script(module)).split() == ["sat", "unsat"]
    assert run_cvc5(Printer(module, "cvc5").script(), incremental="true").split() == ["sat", "unsat"]
