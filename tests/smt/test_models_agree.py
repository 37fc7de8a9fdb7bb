"""[MODEL-READ] [MODEL-CHECK] What z3 and cvc5 answer to real programs is read, and is a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.formulas import meanings, modules
from test_solvers_agree import ODD, renaming

import potlang
from potlang.certify import check, read_theory
from potlang.certify.models import CertificateModel as KernelModel
from potlang.certify.tokens import tree
from potlang.engines.messages import Query
from potlang.engines.solver import SolverSession
from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, TupleSort
from potlang.ir.structure import Structure
from potlang.ir.text import print_module
from potlang.processes.pool import default_workers
from potlang.prove.modelcheck import ModelCheck, check_model
from potlang.prove.verdicts import closed_formula
from potlang.smt.encodings import Dialect
from potlang.smt.errors import Unsupported
from potlang.smt.models import SolverModel, read_structure, structure_text
from potlang.smt.printer import Printer
from potlang.testing import programs

_TIMEOUT_MS = {"z3": 2_000, "cvc5": 2_000, "cvc5-fmf": 200}
_EXAMPLES = {"z3": 25, "cvc5": 25, "cvc5-fmf": 8}
SEED = Path(__file__).parents[1] / "seed"
REASONS = (
    "is infinite, too large, or has no size in the structure",
    "is infinite, and no guard binds",
    "it divides by zero",
    "an irrational number",
    "it takes too",
)
"""Why a part of a random module may have no value."""


def models(module: Module, name: str, sides: list[Node | None]) -> Iterator[tuple[SolverModel, ModelCheck]]:
    """The models that an engine finds of the assertions with each side, and what evaluation says."""
    dialect: Dialect = "z3" if name == "z3" else "cvc5"
    printer = Printer(module, dialect)
    try:
        base = printer.base()
        queries = [Query("" if side is None else printer.assertion(side), model=True) for side in sides]
    except Unsupported:
        return
    with SolverSession(default_workers(), name, base) as session:
        answers = [*session.ask_all(queries, _TIMEOUT_MS[name])]
    for side, answer in zip(sides, answers, strict=True):
        if answer.status == "sat":
            assert answer.model is not None
            found = read_structure(answer.model, module, dialect)
            yield found, check_model(module, module.assertions, side, found)


def sides_of(module: Module) -> list[Node | None]:
    closed = [closed_formula(claim, module.pool) for claim in (*module.claims, *module.norms)]
    return [each for formula in closed for each in (formula, module.pool.negate(formula))]


def agree(module: Module, name: str, sides: list[Node | None]) -> int:
    """How many models were found: each is total, and true wherever there is a value."""
    count = 0
    for found, checked in models(module, name, sides):
        assert checked.holds is not False, checked.failed
        assert all(any(reason in why for reason in REASONS) for _, why in checked.skipped), checked.skipped
        interpreted = {*found.functions, *found.definitions}
        assert interpreted >= {each for each in module.symbols if each.kind is not SymbolKind.DEFINED}
        count += 1
    return count


@pytest.mark.parametrize("name", ["z3", "cvc5", "cvc5-fmf"])
def test_models_of_random_modules(name: str) -> None:
    total = 0

    @settings(max_examples=_EXAMPLES[name])
    @given(modules(depth=4))
    def run(module: Module) -> None:
        nonlocal total
        total += agree(module, name, [None, *sides_of(module)])

    run()
    assert total >= _EXAMPLES[name] // 2


@pytest.mark.parametrize("name", ["z3", "cvc5"])
@settings(max_examples=12)
@given(programs())
def test_models_of_random_programs(name: str, program: dict[str, Any]) -> None:
    module = potlang.compile(program).module
    agree(module, name, sides_of(module))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["z3", "cvc5", "cvc5-fmf"])
@settings(max_examples=1500)
@given(modules(depth=5))
def test_models_of_many_random_modules(name: str, module: Module) -> None:
    agree(module, name, [None, *sides_of(module)])


# --- programs that solvers find models of by quantifier instantiation -----------------------------

ROUND = {
    "sorts": [
        {"name": "P", "type": "DeclareSort"},
        {"name": "E", "type": "EnumSort", "values": ["red", "green", "blue"]},
    ],
    "functions": [
        {"name": "color", "domain": ["P"], "range": "E"},
        {"name": "liked", "domain": ["P"], "range": "Set(E)"},
        {"name": "next", "domain": ["P"], "range": "P"},
        {"name": "shelf", "domain": ["E"], "range": "Array(Int, E)"},
    ],
    "constants": [
        {"name": "people", "sort": "P", "members": ["a", "b", "c"]},
        {"name": "relations", "sort": "Function(E, E, Bool)", "members": ["R"]},
        {"name": "scores", "sort": "Function(Int, E, Int)", "members": ["G"]},
    ],
    "rules": [
        {
            "forall": [{"name": "x", "sort": "P"}],
            "constraint": "And(next(x) != x, next(next(next(x))) == x, color(next(x)) != color(x), "
            "Member(color(x), liked(x)))",
        },
        {
            "forall": [{"name": "e", "sort": "E"}],
            "constraint": "And(R(e, red), R(e, e), Not(R(red, e)) == (e == green), G(3, e) == 5, "
            "Select(shelf(e), 3) != e)",
        },
    ],
    "knowledge_base": ["Distinct(a, b, c)", "G(4, red) == 7"],
    "verifications": [{"constraint": "G(7, green) > 100"}, {"constraint": "color(a) == red"}],
}
LADDER = {
    "sorts": [{"name": "P", "type": "DeclareSort"}],
    "functions": [
        {"name": "R", "domain": ["P", "P"], "range": "Bool"},
        {"name": "Q", "domain": ["P"], "range": "Bool"},
        {"name": "age", "domain": ["P"], "range": "Int"},
    ],
    "constants": [{"name": "people", "sort": "P", "members": [f"c{i}" for i in range(24)]}],
    "semantics": {"unique_names": True},
    "rules": [
        {
            "forall": [{"name": each, "sort": "P"} for each in "xy"],
            "implies": {"antecedent": "And(R(x, y), Q(x))", "consequent": "Q(y)"},
        },
        {
            "forall": [{"name": each, "sort": "P"} for each in "xyz"],
            "implies": {"antecedent": "And(R(x, y), R(y, z))", "consequent": "Not(R(z, x))"},
        },
    ],
    "knowledge_base": [
        *(f"R(c{i}, c{(i * 7 + 1) % 24})" for i in range(24) if i % 5),
        *(f"age(c{i}) == {i * i}" for i in range(24)),
    ],
    "verifications": [{"constraint": "Q(c0)"}],
}


# A real value beside an index that is an integer.
CELLS = {
    "constants": [{"name": "tables", "sort": "Array(Int, Real)", "members": ["t"]}],
    "knowledge_base": ["t == Store(t, 0, 0.5)"],
    "verifications": [{"constraint": "Select(t, 1) > 2"}],
}


@pytest.mark.parametrize("program", [ROUND, LADDER, CELLS])
def test_models_with_projections_lambdas_and_nested_tables(program: dict[str, Any]) -> None:
    module = potlang.compile(program).module
    found = [*models(module, "z3", sides_of(module))]
    assert [checked for _, checked in found] == [ModelCheck(True)] * len(sides_of(module))
    structures = [structure for structure, _ in found]
    pairs = zip(structures[::2], structures[1::2], strict=True)
    keys = (claim.key for claim in module.claims)
    assert kernel_says(module, dict(zip(keys, pairs, strict=True))) == "VALID"


def test_every_model_of_the_seed_programs_is_checked() -> None:
    count = 0
    for path in sorted(SEED.glob("[0-9]*.json")):
        try:
            module = potlang.compile(json.loads(path.read_text(encoding="utf-8"))).module
        except potlang.CompileError:
            continue
        for name in ("z3", "cvc5"):
            for _, checked in models(module, name, [None, *sides_of(module)]):
                infinite = checked.skipped and checked.skipped[0][1].startswith("IntSort is infinite")
                assert checked.holds or infinite, path.name
                count += bool(checked.holds)
    assert count > 40


# --- names ---------------------------------------------------------------------------------------

MORE_ODD = [
    *ODD,
    "P!val!0",
    "$P!val!0",
    "x!0",
    "k!1",
    "_arg_1",
    "x1",
    "@P_0",
    "f!12",
    "; rep: @P_0",
    "x" * 300,
]


@pytest.mark.parametrize("name", MORE_ODD)
def test_any_name_is_read_back_in_every_role(name: str) -> None:
    """A sort, a predicate, constants, an enum with its values and a tuple, all called nearly the same."""
    pool = Pool()
    sort = DeclaredSort(name)
    enum = EnumSort(f"{name}!", (name, f"{name}$"))
    pair = TupleSort(f"{name}^", ((name, enum), (f"{name}/", BOOL)))
    a, b, c = (Symbol(each, (), sort, SymbolKind.CONSTANT) for each in (name, f"{name}2", f"{name}3"))
    twin = Symbol(name, (), enum, SymbolKind.FREE)
    holds = Symbol(f"{name} ", (sort,), BOOL, SymbolKind.FUNCTION)
    value = Symbol(f"{name}!val!0", (), pair, SymbolKind.CONSTANT)
    make = Symbol(pair.name, (enum, BOOL), pair, SymbolKind.CONSTRUCTOR)
    first, second = pool.sym(a), pool.sym(b)
    facts = [
        pool.app(holds, (first,)),
        pool.negate(pool.app(holds, (second,))),
        pool.eq(pool.sym(twin), pool.lit(f"{name}$", enum)),
        pool.eq(pool.sym(value), pool.app(make, (pool.lit(name, enum), pool.true))),
    ]
    assertions = tuple(Assertion(f"a{i}", name, AssertionKind.FACT, fact) for i, fact in enumerate(facts))
    claim = Claim("c", name, pool.app(holds, (pool.sym(c),)))
    symbols = (a, b, c, twin, holds, value)
    module = Module(pool, (sort, enum, pair), symbols, assertions=assertions, claims=(claim,))
    for solver in ("z3", "cvc5"):
        found = [*models(module, solver, sides_of(module))]
        assert [checked for _, checked in found] == [ModelCheck(True)] * 2
        for structure, _ in found:
            assert structure.functions[a] != structure.functions[b]
            assert structure.functions[twin] == f"{name}$"
        assert kernel_says(module, {"c": (found[0][0], found[1][0])}) == "VALID"


# --- certificates --------------------------------------------------------------------------------


Pair = tuple[Structure, Structure]


def kernel_says(module: Module, models: dict[str, Pair]) -> str:
    """The kernel's word on pairs of models as evidence that claims are undetermined, the others unknown."""
    module = replace(module, optimization=None)
    program = print_module(module)
    digest = hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest()
    lines = ["(potlang-certificate 1)", f'(program "{digest}")']
    for number, structure in enumerate(each for pair in models.values() for each in pair):
        lines += [f"(model m{number})", *structure_text(module, structure)]
    for number, key in enumerate(models):
        sides = f"(sat claim m{2 * number})", f"(sat negation m{2 * number + 1})"
        lines += [f"(result {json.dumps(key)} undetermined)", *sides]
    rest = [each.key for each in (*module.claims, *module.norms) if each.key not in models]
    if not rest and not models:
        rest = ["assumptions"]
    lines += [*(f"(result {json.dumps(key)} unknown)" for key in rest), "(end)"]
    outcome = check("".join(f"{line}\n" for line in lines), program)
    if not models and len(outcome.holes) == 1:
        # Where nothing is answered the kernel says so, and has nothing against the models.
        return "VALID"
    return outcome.status if outcome.line is None else f"{outcome.message}: {lines[outcome.line - 1]}"


def checked_pairs(module: Module) -> dict[str, Pair]:
    """The claims of which both sides have a model that evaluation finds to be one, with these."""
    found: dict[str, Pair] = {}
    for claim in (*module.claims, *module.norms):
        formula = closed_formula(claim, module.pool)
        sides: list[Node | None] = [formula, module.pool.negate(formula)]
        both = [structure for structure, checked in models(module, "z3", sides) if checked.holds]
        if len(both) == 2:
            found[claim.key] = both[0], both[1]
    return found


@settings(max_examples=60)
@given(modules(depth=3, most=2))
def test_the_kernel_finds_true_what_evaluation_finds_true(module: Module) -> None:
    assert kernel_says(module, checked_pairs(module)) == "VALID"


@pytest.mark.parametrize("seed", range(0, len(ODD), 6))
@given(data=st.data())
@settings(max_examples=3)
def test_the_kernel_takes_models_with_odd_names(seed: int, data: st.DataObject) -> None:
    module = data.draw(modules(finite=True, depth=3, most=1, names=renaming(seed)))
    assert kernel_says(module, checked_pairs(module)) == "VALID"


@settings(max_examples=60)
@given(st.data())
def test_the_kernel_reads_every_line_of_any_structure(data: st.DataObject) -> None:
    """[MODEL-TEXT]"""
    module = data.draw(modules(depth=2, most=1))
    structure = data.draw(meanings(module))
    model = KernelModel(read_theory(print_module(module)))
    for line in structure_text(module, structure):
        model.read(tree(line))
    assert len(model.universe) == sum(isinstance(sort, DeclaredSort) for sort in module.sorts)
    assert len(model.meanings) == len(structure.functions)
