"""Random well-sorted IR: sorts, signatures, terms, formulas, modules, and structures for them.

Simple things come first among the choices, so that examples shrink to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from potlang.ir import operators as op
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
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    IntSort,
    RealSort,
    SetSort,
    Sort,
    StringSort,
    TupleSort,
    is_numeric,
)
from potlang.ir.structure import (
    FunctionTable,
    NotEvaluable,
    Structure,
    cardinality,
    definitions_of,
    members,
)
from potlang.ir.values import MapValue, Record

Named = DeclaredSort | EnumSort | TupleSort


@dataclass(frozen=True, slots=True)
class Signature:
    """The symbols of formulas. `fixed` holds constructors and selectors."""

    sorts: tuple[Named, ...]
    symbols: tuple[Symbol, ...]
    fixed: tuple[Symbol, ...] = ()

    def usable(self) -> list[Sort]:
        """The sorts that terms can be asked for, Bool first."""
        found: dict[Sort, None] = {BOOL: None, **dict.fromkeys(self.sorts)}
        for symbol in self.symbols:
            found.update(dict.fromkeys((*symbol.domain, symbol.range)))
        return list(found)


def sorts(*named: Named, finite: bool = False, nested: bool = True) -> SearchStrategy[Sort]:
    """Sorts made from Bool, bit vectors, `named` and, unless `finite`, Int, Real and String.

    Not `nested`: no arrays, sets and functions.
    """
    simple: list[Sort] = [BOOL, *named]
    if not finite:
        simple += [INT, REAL, STRING]
    base = st.sampled_from([*simple, BitVecSort(1), BitVecSort(2)])
    if not nested:
        return base
    small = st.sampled_from([BOOL, *[n for n in named if not isinstance(n, TupleSort)]])
    whole = small if finite else base
    return st.one_of(
        base,
        st.builds(SetSort, whole),
        st.builds(ArraySort, whole, whole),
        st.builds(lambda a, b: FunctionSort((a,), b), whole, whole),
    )


@st.composite
def signatures(
    draw: DrawFn,
    finite: bool = False,
    nested: bool = True,
    names: Callable[[str, int], str] = lambda kind, number: f"{kind}{number}",
    most: int = 4,
) -> Signature:
    """A signature: a declared sort, sometimes an enum and a tuple sort, constants and functions.

    `names` makes the name of the n-th thing of a kind (`sort`, `value`, `field`, `f`); it must be injective.
    """
    person = DeclaredSort(names("sort", 0))
    declared: list[Named] = [person]
    if draw(st.booleans()):
        count = draw(st.integers(1, 3))
        declared.append(EnumSort(names("sort", 1), tuple(names("value", i) for i in range(count))))
    fixed: list[Symbol] = []
    if draw(st.booleans()):
        declared.append(draw(_tuple_sorts(names, declared, finite)))
        fixed = _tuple_symbols(declared[-1])
    strategy = sorts(*declared, finite=finite, nested=nested)
    domain = sorts(*declared, finite=finite, nested=False)
    symbols = [Symbol(names("f", 0), (), person, SymbolKind.CONSTANT)]
    for number in range(draw(st.integers(1, most))):
        arguments = tuple(draw(st.lists(domain, max_size=2)))
        kind = SymbolKind.FUNCTION if arguments else SymbolKind.CONSTANT
        symbols.append(Symbol(names("f", number + 1), arguments, draw(strategy), kind))
    return Signature(tuple(declared), tuple(symbols), tuple(fixed))


@st.composite
def _tuple_sorts(
    draw: DrawFn, names: Callable[[str, int], str], declared: list[Named], finite: bool
) -> TupleSort:
    parts = draw(st.lists(sorts(*declared, finite=finite, nested=False), min_size=1, max_size=2))
    return TupleSort(names("sort", 2), tuple((names("field", i), part) for i, part in enumerate(parts)))


def _tuple_symbols(sort: Named) -> list[Symbol]:
    assert isinstance(sort, TupleSort)
    constructor = Symbol(sort.name, tuple(part for _, part in sort.fields), sort, SymbolKind.CONSTRUCTOR)
    selectors = [Symbol(name, (sort,), part, SymbolKind.SELECTOR) for name, part in sort.fields]
    return [constructor, *selectors]


# --- terms and formulas --------------------------------------------------------------------------


@dataclass(slots=True)
class _VariableScope:
    """The context of a term being built: variables at hand, and terms to reuse."""

    draw: DrawFn
    signature: Signature
    pool: Pool
    quantifiers: bool
    variables: list[Var] = field(default_factory=list)
    made: list[Node] = field(default_factory=list)


def terms(
    signature: Signature, pool: Pool, sort: Sort, depth: int = 4, quantifiers: bool = True
) -> SearchStrategy[Node]:
    """Closed terms of `sort`, at most `depth` operators deep, with shared parts."""

    @st.composite
    def build(draw: DrawFn) -> Node:
        return _term(_VariableScope(draw, signature, pool, quantifiers), sort, depth)

    return build()


def formulas(
    signature: Signature, pool: Pool, depth: int = 4, quantifiers: bool = True
) -> SearchStrategy[Node]:
    """Closed formulas, at most `depth` operators deep, with shared parts."""
    return terms(signature, pool, BOOL, depth, quantifiers)


Maker = Callable[[], Node]


def _term(scope: _VariableScope, sort: Sort, depth: int) -> Node:
    makers = _leaves(scope, sort)
    if depth > 0:
        inner = _inner(scope, sort, depth - 1)
        # Few leaves, twice the rest: else most terms would end at once.
        makers = [*makers[:2], *inner, *inner] if inner else makers
    elif not makers:
        makers = _constructions(scope, sort)
    node = makers[scope.draw(st.integers(0, len(makers) - 1))]()
    scope.made.append(node)
    return node


def _leaves(scope: _VariableScope, sort: Sort) -> list[Maker]:
    pool = scope.pool
    # The newest first, which is what examples shrink to; sharing is what passes get wrong.
    reusable: list[Node] = [*reversed(scope.variables), *reversed(scope.made[-20:])]
    leaves: list[Maker] = [lambda node=node: node for node in reusable if node.sort == sort]  # type: ignore[misc]
    leaves += [
        lambda s=s: pool.sym(s)  # type: ignore[misc]
        for s in scope.signature.symbols
        if not s.domain and s.range == sort
    ]
    literal = _literals(sort)
    if literal is not None:
        leaves.append(lambda: pool.lit(scope.draw(literal), sort))
    return leaves


def _literals(sort: Sort) -> SearchStrategy[bool | int | Fraction | str | None] | None:
    match sort:
        case BoolSort():
            return st.booleans()
        case IntSort():
            return st.integers(-3, 3) | st.integers()
        case RealSort():
            return st.integers(-2, 2).map(Fraction) | st.fractions(max_denominator=7)
        case StringSort():
            return st.text("ab", max_size=2)
        case EnumSort():
            return st.sampled_from(sort.values)
        case BitVecSort():
            return st.integers(0, (1 << sort.width) - 1)
        case SetSort():
            return st.none()
        case _:
            return None


def _constructions(scope: _VariableScope, sort: Sort) -> list[Maker]:
    """Calls that make a term of a sort that has neither literals nor constants."""
    symbols = (*scope.signature.fixed, *scope.signature.symbols)
    fitting = [s for s in symbols if s.range == sort and s.domain and s.kind is not SymbolKind.SELECTOR]
    return [_call(scope, symbol, 0) for symbol in fitting]


def _call(scope: _VariableScope, symbol: Symbol, depth: int) -> Maker:
    return lambda: scope.pool.app(symbol, tuple(_term(scope, part, depth) for part in symbol.domain))


def _inner(scope: _VariableScope, sort: Sort, depth: int) -> list[Maker]:
    signature = scope.signature
    makers = [_call(scope, s, depth) for s in signature.symbols if s.domain and s.range == sort]
    makers += [_call(scope, s, depth) for s in signature.fixed if s.range == sort and s.domain]
    match sort:
        case BoolSort():
            makers += _formula_makers(scope, depth)
        case IntSort() | RealSort():
            makers += _arithmetic_makers(scope, sort, depth)
        case StringSort():
            makers.append(_operation(scope, op.STR_CONCAT, (STRING, STRING), depth))
            makers.append(_operation(scope, op.STR_SUBSTRING, (STRING, INT, INT), depth))
        case BitVecSort():
            makers += [_operation(scope, row, (sort, sort), depth) for row in _BIT_ROWS]
            makers += [_operation(scope, row, (sort,), depth) for row in (op.BV_NOT, op.BV_NEG)]
            makers.append(_operation(scope, op.INT_TO_BV, (INT, sort), depth))
        case SetSort():
            makers += [_operation(scope, row, (sort, sort), depth) for row in _SET_ROWS]
            makers.append(_operation(scope, op.INSERT, (sort.element, sort), depth))
        case ArraySort():
            makers.append(_operation(scope, op.STORE, (sort, sort.index, sort.element), depth))
        case _:
            pass
    makers += _reads(scope, sort, depth)
    makers.append(_operation(scope, op.ITE, (BOOL, sort, sort), depth))
    return makers


_BIT_ROWS = tuple(
    row
    for name, row in op.OPERATORS.items()
    if name.startswith("bv") and row.least == 2 and name[-2:] not in ("lt", "le")
)
_BIT_ORDERS = (op.BV_ULT, op.BV_ULE, op.BV_SLT, op.BV_SLE)
_SET_ROWS = (op.UNION, op.INTERSECT, op.DIFFERENCE)


def _operation(scope: _VariableScope, row: op.Operator, arguments: tuple[Sort, ...], depth: int) -> Maker:
    return lambda: scope.pool.app(row, tuple(_term(scope, part, depth) for part in arguments))


def _reads(scope: _VariableScope, sort: Sort, depth: int) -> list[Maker]:
    """`select` and `apply` with this result."""
    makers = []
    for part in scope.signature.usable():
        if isinstance(part, ArraySort) and part.element == sort:
            makers.append(_operation(scope, op.SELECT, (part, part.index), depth))
        if isinstance(part, FunctionSort) and part.range == sort:
            makers.append(_operation(scope, op.APPLY, (part, *part.domain), depth))
    return makers


def _arithmetic_makers(scope: _VariableScope, sort: Sort, depth: int) -> list[Maker]:
    rows = (op.ADD, op.SUB, op.MUL)
    makers = [_operation(scope, row, (sort, sort), depth) for row in rows]
    makers += [_operation(scope, row, (sort,), depth) for row in (op.NEG, op.ABS)]
    makers.append(_operation(scope, op.ADD, (sort, sort, sort), depth))
    if isinstance(sort, RealSort):
        return [
            *makers,
            _operation(scope, op.DIV, (REAL, REAL), depth),
            _operation(scope, op.TO_REAL, (INT,), depth),
        ]
    makers += [_operation(scope, row, (INT, INT), depth) for row in (op.INT_DIV, op.MOD)]
    makers.append(_operation(scope, op.TO_INT, (REAL,), depth))
    makers += [_operation(scope, row, (STRING,), depth) for row in (op.STR_LENGTH, op.STR_TO_INT)]
    makers += [_operation(scope, op.BV_TO_INT, (BitVecSort(width),), depth) for width in (1, 2)]
    return makers


def _formula_makers(scope: _VariableScope, depth: int) -> list[Maker]:
    makers = [_operation(scope, op.NOT, (BOOL,), depth)]
    makers += [
        _operation(scope, row, (BOOL, BOOL), depth) for row in (op.AND, op.OR, op.IMPLIES, op.IFF, op.XOR)
    ]
    makers += [_operation(scope, row, (BOOL, BOOL, BOOL), depth) for row in (op.AND, op.OR)]
    makers.append(lambda: _relation(scope, depth))
    if scope.quantifiers:
        makers += [lambda: _quantified(scope, depth)] * 3
    return makers


def _relation(scope: _VariableScope, depth: int) -> Node:
    """An equality, `distinct`, or another relation between terms of a sort."""
    usable = scope.signature.usable()
    sort = scope.draw(st.sampled_from([part for part in usable if part is not BOOL] or usable))
    rows: list[op.Operator] = [op.EQ, op.DISTINCT]
    if is_numeric(sort):
        rows += [op.LT, op.LE]
    if isinstance(sort, BitVecSort):
        rows += _BIT_ORDERS
    if isinstance(sort, SetSort):
        rows += [op.SUBSET, op.MEMBER]
    if sort is STRING:
        rows += [op.STR_CONTAINS, op.STR_PREFIX, op.STR_SUFFIX]
    row = scope.draw(st.sampled_from(rows))
    first = sort.element if row is op.MEMBER and isinstance(sort, SetSort) else sort
    count = 3 if row is op.DISTINCT and scope.draw(st.booleans()) else 2
    arguments = (first, *[sort] * (count - 1))
    return scope.pool.app(row, tuple(_term(scope, part, depth) for part in arguments))


def _quantified(scope: _VariableScope, depth: int) -> Node:
    candidates = [
        s for s in scope.signature.usable() if not isinstance(s, ArraySort | FunctionSort | SetSort)
    ]
    chosen = scope.draw(st.lists(st.sampled_from(candidates), min_size=1, max_size=2))
    binders = tuple(scope.pool.var(scope.draw(st.sampled_from("xyz")), sort) for sort in chosen)
    inner = _VariableScope(
        scope.draw,
        scope.signature,
        scope.pool,
        scope.quantifiers,
        [*scope.variables, *binders],
        list(scope.made),
    )
    body = _term(inner, BOOL, depth)
    return scope.pool.quant(scope.draw(st.sampled_from(["forall", "exists"])), binders, body)


# --- modules and structures ----------------------------------------------------------------------


@st.composite
def modules(
    draw: DrawFn,
    finite: bool = False,
    nested: bool = True,
    depth: int = 4,
    most: int = 4,
    definitions: bool = True,
    names: Callable[[str, int], str] = lambda kind, number: f"{kind}{number}",
) -> Module:
    """Modules with assertions, claims, and sometimes a definition, a norm and an optimization.

    `finite`: only sorts that can be enumerated once declared sorts have a size.
    """
    pool = Pool()
    signature = draw(signatures(finite=finite, nested=nested, names=names))
    formula = formulas(signature, pool, depth)
    defined: tuple[Definition, ...] = ()
    if definitions and draw(st.booleans()):
        defined = (draw(_definitions(signature, pool, depth)),)
        extra = tuple(d.symbol for d in defined)
        signature = Signature(signature.sorts, (*signature.symbols, *extra), signature.fixed)
        formula = formulas(signature, pool, depth)
    texts = st.sampled_from(["", "knowledge", 'a "quoted" text\n'])
    kinds = st.sampled_from(AssertionKind)
    assertions = tuple(
        Assertion(f"a{i}", f"fact {i}", draw(kinds), draw(formula), Origin(f"/rules/{i}", draw(texts)))
        for i in range(draw(st.integers(0, most)))
    )
    claims = tuple(Claim(f"c{i}", f"claim {i}", draw(formula)) for i in range(draw(st.integers(1, 2))))
    norms = (Claim("n0", "norm", draw(formula)),) if draw(st.booleans()) else ()
    optimization = draw(_optimizations(signature, pool, depth)) if draw(st.booleans()) else None
    return Module(pool, signature.sorts, signature.symbols, defined, assertions, claims, norms, optimization)


@st.composite
def _definitions(draw: DrawFn, signature: Signature, pool: Pool, depth: int) -> Definition:
    params = tuple(
        pool.var("p", sort) for sort in draw(st.lists(st.sampled_from(signature.usable()), max_size=2))
    )
    scope = _VariableScope(draw, signature, pool, True, list(params))
    body = _term(scope, draw(st.sampled_from(signature.usable())), depth)
    symbol = Symbol("defined", tuple(p.sort for p in params), body.sort, SymbolKind.DEFINED)
    return Definition(symbol, params, body)


@st.composite
def _optimizations(draw: DrawFn, signature: Signature, pool: Pool, depth: int) -> Optimization:
    constraint = Assertion("o0", "bound", AssertionKind.CONSTRAINT, draw(formulas(signature, pool, depth)))
    numeric = [s for s in signature.usable() if is_numeric(s) or isinstance(s, BitVecSort)] or [INT]
    term = draw(terms(signature, pool, draw(st.sampled_from(numeric)), depth))
    return Optimization(
        (constraint,), (Objective("cost", draw(st.sampled_from(["minimize", "maximize"])), term),)
    )


@st.composite
def meanings(draw: DrawFn, module: Module, most: int = 3) -> Structure:
    """A structure for the module's symbols, with at most `most` members in each declared sort.

    Functions over infinite sorts get a table of few entries and a default.
    """
    universe = {s: draw(st.integers(1, most)) for s in module.sorts if isinstance(s, DeclaredSort)}
    sizes = Structure(universe)
    functions: dict[Symbol, object] = {}
    defined = definitions_of(module)
    for symbol in module.symbols:
        if symbol in defined:
            continue
        result = values_of(symbol.range, sizes)
        if not symbol.domain:
            functions[symbol] = draw(result)
            continue
        arguments = st.tuples(*(values_of(part, sizes) for part in symbol.domain))
        functions[symbol] = FunctionTable(draw(st.dictionaries(arguments, result, max_size=4)), draw(result))
    return Structure(universe, functions, defined)


def values_of(sort: Sort, structure: Structure) -> SearchStrategy[object]:
    """Members of `sort` in `structure`, canonical where tables are finite."""
    if cardinality(sort, structure) is not None:
        return st.sampled_from(members(sort, structure))
    match sort:
        case TupleSort():
            parts = st.tuples(*(values_of(part, structure) for _, part in sort.fields))
            return parts.map(lambda fields: Record(sort.name, fields))
        case SetSort():
            return _tables(values_of(sort.element, structure), st.booleans())
        case ArraySort():
            return _tables(values_of(sort.index, structure), values_of(sort.element, structure))
        case FunctionSort():
            keys = st.tuples(*(values_of(part, structure) for part in sort.domain))
            return _tables(keys, values_of(sort.range, structure))
    literal = _literals(sort)
    if literal is None:
        raise NotEvaluable(f"no values of {sort}")
    return literal.map(lambda value: value)


def _tables(keys: SearchStrategy[object], values: SearchStrategy[object]) -> SearchStrategy[object]:
    def make(default: object, entries: dict[object, object]) -> MapValue:
        return MapValue(default, frozenset((k, v) for k, v in entries.items() if v != default))

    return st.builds(make, values, st.dictionaries(keys, values, max_size=3))
