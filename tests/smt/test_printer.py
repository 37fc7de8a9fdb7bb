"""What modules become, and that both solvers take it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from smt_solvers import run_cvc5, run_z3

from potlang.ir import operators as ops
from potlang.ir.module import (
    Assertion,
    AssertionKind,
    Claim,
    Definition,
    Module,
    Objective,
    Optimization,
    Origin,
)
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.smt.encodings import Dialect
from potlang.smt.errors import Unsupported
from potlang.smt.printer import Printer, script

PERSON = DeclaredSort("Person")
COLOR = EnumSort("Color", ("red", "gr een"))
PAIR = TupleSort("Pair", (("first", INT), ("second", REAL)))


def constant(name: str, sort: Sort) -> Symbol:
    return Symbol(name, (), sort, SymbolKind.CONSTANT)


def module(pool: Pool, symbols: list[Symbol], *formulas: Node, **rest: object) -> Module:
    facts = tuple(Assertion(f"k{i}", f"fact {i}", AssertionKind.FACT, f) for i, f in enumerate(formulas))
    return Module(pool, (PERSON, COLOR, PAIR), tuple(symbols), assertions=facts, **rest)  # type: ignore[arg-type]


def verdicts(text: str) -> list[list[str]]:
    """What each solver answers to the checks of a script."""
    text = text.split("; optimization")[0]
    return [[w for w in run(text).split() if w in ("sat", "unsat")] for run in (run_z3, run_cvc5)]


def test_a_small_program_in_full() -> None:
    """[SMT-LOGIC-1] [SMT-SCRIPT-1] [SMT-SCRIPT-2]"""
    pool = Pool()
    alice, knows = constant("alice", PERSON), Symbol("assert", (PERSON, PERSON), BOOL, SymbolKind.FUNCTION)
    x = pool.var("x", PERSON)
    older = Symbol("older", (INT,), INT, SymbolKind.DEFINED)
    n = pool.var("n", INT)
    age = constant("âge", INT)
    rule = pool.quant("forall", (x,), pool.app(knows, (x, pool.sym(alice))))
    bound = pool.app(ops.LT, (pool.app(older, (pool.sym(age),)), pool.integer(-3)))
    program = Module(
        pool,
        (PERSON, COLOR),
        (alice, knows, age),
        (Definition(older, (n,), pool.app(ops.ADD, (n, pool.integer(1)))),),
        (
            Assertion("a", "r1", AssertionKind.RULE, rule, Origin("/rules/0", "a\n(assert false)")),
            Assertion("b", "", AssertionKind.FACT, bound),
        ),
        (Claim("c", "goal\r(assert false)", pool.app(knows, (pool.sym(alice), pool.sym(alice)))),),
        optimization=Optimization((), (Objective("o", "maximize", pool.sym(age)),), "pareto"),
    )
    assert script(program).splitlines() == [
        "; SMT-LIB 2.6, written by potlang",
        "(set-logic ALL)",
        "(declare-sort $Person 0)",
        "(declare-datatypes (($Color 0)) ((($Color/red) ($Color/gr.20.een))))",
        "(declare-const $alice $Person)",
        "(declare-fun $assert ($Person $Person) Bool)",
        "(declare-const $.e2.ge Int)",
        "(define-fun $older ((?n.0 Int)) Int (+ ?n.0 1))",
        '; rule "r1" "/rules/0" "a\\n(assert false)"',
        "(assert (! (forall ((?x.0 $Person)) ($assert ?x.0 $alice)) :named !a0))",
        "; fact",
        "(assert (! (< ($older $.e2.ge) (- 3)) :named !a1))",
        '; claim "goal\\r(assert false)"',
        "(push 1)",
        "(assert ($assert $alice $alice))",
        "(check-sat)",
        "(pop 1)",
        "(push 1)",
        "(assert (not ($assert $alice $alice)))",
        "(check-sat)",
        "(pop 1)",
        '; optimization "pareto"',
        "(push 1)",
        "(set-option :opt.priority pareto)",
        '; objective "o"',
        "(maximize $.e2.ge)",
        "(check-sat)",
        "(get-objectives)",
        "(pop 1)",
    ]
    assert verdicts(script(program)) == [["sat", "unsat"]] * 2
    assert run_z3(script(program)).split().count("sat") == 2


def test_definitions_follow_what_they_use_and_recursion_is_refused() -> None:
    """[SMT-SORT-1]"""
    pool = Pool()
    f, g = (Symbol(name, (INT,), INT, SymbolKind.DEFINED) for name in "fg")
    x, y = pool.var("x", INT), pool.var("y", INT)
    uses = Definition(f, (x,), pool.app(g, (x,)))
    used = Definition(g, (y,), pool.app(ops.NEG, (y,)))
    lines = Printer(Module(pool, definitions=(uses, used))).declarations().splitlines()
    assert [line.split()[1] for line in lines] == ["$g", "$f"]
    circular = Definition(g, (y,), pool.app(f, (y,)))
    with pytest.raises(Unsupported, match="recursive"):
        Printer(Module(pool, definitions=(uses, circular))).declarations()


def term(pool: Pool, node: Node, dialect: str = "z3") -> str:
    return Printer(Module(pool), dialect).term(node)  # type: ignore[arg-type]


def test_operators_of_irregular_shape() -> None:
    """[SMT-LIT-4] [SMT-SET-1]"""
    pool = Pool()
    a, b, e = (
        pool.sym(constant(name, s)) for name, s in (("a", SetSort(INT)), ("b", SetSort(INT)), ("e", INT))
    )
    r = pool.sym(constant("r", REAL))
    f = pool.sym(constant("f", FunctionSort((INT, REAL), BOOL)))
    everywhere = "((as const (Array Int Bool)) true)"
    expected = {
        pool.app(ops.MEMBER, (e, a)): "(select $a $e)",
        pool.app(ops.INSERT, (e, a)): "(store $a $e true)",
        pool.app(ops.UNION, (a, b)): "((_ map or) $a $b)",
        pool.app(ops.INTERSECT, (a, b)): "((_ map and) $a $b)",
        pool.app(ops.DIFFERENCE, (a, b)): "((_ map and) $a ((_ map not) $b))",
        pool.app(ops.SUBSET, (a, b)): f"(= ((_ map =>) $a $b) {everywhere})",
        pool.app(ops.APPLY, (f, e, r)): "(select (select $f $e) $r)",
        pool.app(ops.ABS, (e,)): "(abs $e)",
        pool.app(ops.ABS, (r,)): "(let ((%x $r)) (ite (< %x 0.0) (- %x) %x))",
        pool.lit(None, SetSort(INT)): "((as const (Array Int Bool)) false)",
        pool.real(Fraction(-1, 3)): "(- (/ 1.0 3.0))",
    }
    assert {node.id: term(pool, node) for node in expected} == {n.id: text for n, text in expected.items()}


def _sets(pool: Pool, element: Sort, make: str) -> tuple[list[Symbol], list[Node]]:
    """Laws of sets: each formula is valid."""
    symbols = [constant(name, SetSort(element)) for name in "abc"]
    a, b, c = map(pool.sym, symbols)
    key = constant("e", element)
    e = pool.sym(key)

    def union(x: Node, y: Node) -> Node:
        return pool.app(ops.UNION, (x, y))

    both, less = pool.app(ops.INTERSECT, (a, b)), pool.app(ops.DIFFERENCE, (a, b))
    laws = {
        "parts": pool.eq(union(both, less), a),
        "monotone": pool.app(ops.SUBSET, (both, union(b, c))),
        "disjoint": pool.negate(pool.app(ops.MEMBER, (e, pool.app(ops.INTERSECT, (less, b))))),
        "insert": pool.app(ops.MEMBER, (e, pool.app(ops.INSERT, (e, union(a, c))))),
        "empty": pool.eq(pool.app(ops.DIFFERENCE, (a, a)), pool.lit(None, SetSort(element))),
    }
    return [*symbols, key], [laws[make]]


@pytest.mark.parametrize("element", [INT, PERSON, COLOR, BOOL, BitVecSort(2)])
@pytest.mark.parametrize("law", ["parts", "monotone", "disjoint", "insert", "empty"])
def test_laws_of_sets_hold_in_both_dialects(element: Sort, law: str) -> None:
    """[SMT-SET-1] [SMT-SET-2]"""
    pool = Pool()
    symbols, (formula,) = _sets(pool, element, law)
    program = module(pool, symbols, pool.negate(formula))
    assert run_z3(f"{Printer(program).base()}(check-sat)").strip() == "unsat"
    text = f"(set-logic ALL)\n{Printer(program, 'cvc5').base()}(check-sat)"
    assert run_cvc5(text).strip() == "unsat"


def test_a_union_that_cvc5_cannot_say_is_refused() -> None:
    """[SMT-SET-2]"""
    pool = Pool()
    a = pool.sym(constant("a", SetSort(INT)))
    f = Symbol("f", (SetSort(INT),), BOOL, SymbolKind.FUNCTION)
    node = pool.app(f, (pool.app(ops.UNION, (a, a)),))
    with pytest.raises(Unsupported, match="union"):
        term(pool, node, "cvc5")


def test_an_objective_is_as_good_as_the_constraints_of_its_optimization_let_it_be() -> None:
    """[SMT-SCRIPT-2]"""
    pool = Pool()
    x = constant("x", INT)
    most = Assertion("c", "", AssertionKind.CONSTRAINT, pool.app(ops.LE, (pool.sym(x), pool.integer(5))))
    optimization = Optimization((most,), (Objective("o", "maximize", pool.sym(x)),), "lexicographic")
    assert "($x 5)" in run_z3(script(module(pool, [x], pool.true, optimization=optimization)))


# --- sharing -------------------------------------------------------------------------------------


def squares(pool: Pool, start: Node, depth: int) -> Node:
    """((x + 1)^2 + 1)^2 …: a tree of 2^depth leaves."""
    node = start
    for _ in range(depth):
        more = pool.app(ops.ADD, (node, pool.integer(1)))
        node = pool.app(ops.MUL, (more, more))
    return node


def test_shared_arithmetic_becomes_constants_with_equations() -> None:
    """[SMT-SHARE-3]"""
    pool = Pool()
    x = constant("x", INT)
    program = module(pool, [x], pool.eq(squares(pool, pool.sym(x), 3), pool.integer(7)))
    lines = Printer(program).assertions().splitlines()
    assert lines[:2] == ["(declare-const %t0 Int)", "(assert (= %t0 (+ $x 1)))"]
    assert lines[-1] == "(assert (! (= (* %t2 %t2) 7) :named !a0))"


def test_deep_shared_arithmetic_is_decided_at_once() -> None:
    """[SMT-SHARE-3] Unfolded, or with definitions in place of equations, z3 multiplies this out without
    end.
    """
    pool = Pool()
    x = constant("x", INT)
    program = module(pool, [x], pool.eq(squares(pool, pool.sym(x), 12), pool.integer(7)))
    assert run_z3(f"{Printer(program).base()}(push)(check-sat)").strip() == "unsat"


def test_shared_terms_under_a_binder_become_lets_in_its_scope() -> None:
    """[SMT-SHARE-4]"""
    pool = Pool()
    p = Symbol("p", (INT, INT), BOOL, SymbolKind.FUNCTION)
    x, y = pool.var("x", INT), pool.var("y", INT)
    one = pool.app(p, (x, pool.app(ops.ADD, (x, pool.integer(1)))))
    big = pool.disj([one, pool.app(p, (x, x)), pool.app(p, (pool.integer(2), x))])
    inner = pool.quant("exists", (y,), pool.conj([pool.app(p, (x, y)), big]))
    formula = pool.quant("forall", (x,), pool.disj([pool.negate(big), inner]))
    text = Printer(module(pool, [p], formula)).term(formula)
    start = "(forall ((?x.0 Int)) (let ((%l0 (or ($p ?x.0 (+ ?x.0 1)) ($p ?x.0 ?x.0) ($p 2 ?x.0)))) "
    assert text == start + "(or (not %l0) (exists ((?y.1 Int)) (and ($p ?x.0 ?y.1) %l0)))))"


@pytest.mark.parametrize(("others", "names"), [(6, 1), (7, 2)])
def test_a_part_with_a_name_counts_as_one_node(others: int, names: int) -> None:
    """[SMT-SHARE-1] `large` has 10 nodes; `of_it` its own, one for `large`, and the others."""
    pool = Pool()
    symbols = [constant(f"p{i}", BOOL) for i in range(9)]
    atoms = [pool.sym(s) for s in symbols]
    large = pool.disj(atoms)
    of_it = pool.conj([large, *atoms[:others]])
    program = module(pool, symbols, pool.implies(of_it, pool.negate(large)), pool.negate(of_it))
    assert Printer(program).base().count("(define-fun ") == names


@pytest.mark.parametrize(
    ("element", "dialect", "names"), [(INT, "cvc5", 0), (COLOR, "cvc5", 1), (INT, "z3", 1), (COLOR, "z3", 1)]
)
def test_unions_that_cvc5_can_only_say_of_members_have_no_name(
    element: Sort, dialect: Dialect, names: int
) -> None:
    """[SMT-SHARE-1] [SMT-SET-2] A shared union of 6 sets: of integers cvc5 is given it for each `member`."""
    pool = Pool()
    sets = [constant(f"s{at}", SetSort(element)) for at in range(6)]
    x, y = constant("x", element), constant("y", element)
    union = pool.sym(sets[0])
    for each in sets[1:]:
        union = pool.app(ops.UNION, (union, pool.sym(each)))
    inside, outside = (pool.app(ops.MEMBER, (pool.sym(each), union)) for each in (x, y))
    program = module(pool, [*sets, x, y], inside, pool.negate(outside), pool.eq(pool.sym(x), pool.sym(y)))
    printer = Printer(program, dialect)
    assert printer.base().count("(define-fun ") == names
    run = run_z3 if dialect == "z3" else run_cvc5
    assert run(f"(set-logic ALL){printer.base()}(check-sat)").strip() == "unsat"


def doubled(pool: Pool, start: Node, depth: int, element: Node) -> Node:
    node = start
    for i in range(depth):
        node = pool.conj([pool.disj([node, pool.eq(element, pool.integer(i))]), node])
    return node


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("depth", [20, 200])
def test_text_is_linear_in_the_graph(closed: bool, depth: int) -> None:
    """[SMT-SHARE-1]"""
    pool = Pool()
    x, p = constant("x", INT), Symbol("p", (INT,), BOOL, SymbolKind.FUNCTION)
    v = pool.var("v", INT)
    element = pool.sym(x) if closed else v
    body = doubled(pool, pool.app(p, (element,)), depth, element)
    formula = body if closed else pool.quant("forall", (v,), body)
    program = module(pool, [x, p], formula)
    for text in (
        Printer(program).base(),
        Printer(program).assertion(formula),
        Printer(program).term(formula),
    ):
        assert len(text) < 600 + 120 * depth
    whole = f"(set-logic ALL){Printer(program).base()}"
    assert run_z3(whole) == run_cvc5(whole) == ""


def test_what_assertions_share_is_written_once_and_queries_use_it() -> None:
    """[SMT-SHARE-2]"""
    pool = Pool()
    symbols = [constant(f"p{i}", BOOL) for i in range(12)]
    big = pool.disj([pool.sym(s) for s in symbols])
    facts = [pool.implies(big, pool.sym(symbols[i])) for i in range(3)]
    program = module(pool, symbols, *facts)
    printer = Printer(program)
    assert printer.base().count("(or ") == 1
    assert printer.base() == printer.base()
    assert printer.script(()).count("(define-fun %t0 ") == 1
    assert printer.assertion(pool.negate(big)) == "(assert (not %t0))"
    fresh = pool.conj([pool.sym(s) for s in symbols])
    again = printer.assertion(pool.disj([pool.implies(fresh, big), fresh]), "!a7")
    assert again.splitlines()[0].startswith("(define-fun %t1 () Bool (and ")
    assert again.splitlines()[1] == "(assert (! (or (=> %t1 %t0) %t1) :named !a7))"


def test_deep_terms_do_not_recurse() -> None:
    """[SMT-SHARE-5]"""
    pool = Pool()
    node: Node = pool.sym(constant("a", BOOL))
    for _ in range(50_000):
        node = pool.app(ops.NOT, (node,))
    assert len(term(pool, node)) == 50_000 * 6 + 2


def test_deep_sorts_do_not_recurse() -> None:
    """[SMT-SHARE-5]"""
    sort: Sort = INT
    for _ in range(300):
        sort = ArraySort(INT, sort)
    text = Printer(Module(Pool(), symbols=(constant("a", sort),))).declarations()
    assert text.count("(Array Int") == 300


def test_a_hundred_thousand_facts_are_a_line_each() -> None:
    pool = Pool()
    p, q = (Symbol(name, (PERSON,) * n, BOOL, SymbolKind.FUNCTION) for name, n in (("p", 1), ("q", 2)))
    people = [constant(f"c{i}", PERSON) for i in range(1000)]
    terms = [pool.sym(each) for each in people]
    formulas = [pool.app(p, (terms[i % 1000],)) for i in range(50_000)]
    formulas += [pool.negate(pool.app(q, (terms[i % 1000], terms[i % 7]))) for i in range(50_000)]
    program = module(pool, [p, q, *people], *formulas)
    assert Printer(program).base().count("\n") == 101_000 + 5
