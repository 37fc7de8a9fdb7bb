"""How many formulas hold, or for how many members: `AtMost`, `AtLeast`, `Exactly`, `ExistsUnique`, `PbLe`.

Over formulas and over finite sorts these are sums of ones. Over any other sort they are quantifiers about
that many different members (E. Grädel, M. Otto, E. Rosen, "Two-variable logic with counting is decidable",
1997, for the reading), so that members without a name count as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, repeat
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import Lit, Node, Var, reachable
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort, Sort, is_numeric
from potlang.ir.substitute import substitute
from potlang.sema.aggregates import counted, instances
from potlang.sema.binders import binder_form, under_binders
from potlang.sema.operands import coerced, flat, known_sort

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Step, Visit

_MOST_MEMBERS = 8
"""Up to so many members of an open sort are said to differ by quantifiers."""


def cardinality(relation: str, fixed: int | None = None) -> Build:
    """`AtMost(k, …)`, `AtLeast(k, …)`, `Exactly(k, …)`; with `fixed` the bound stands in the name."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        if not expr.args:
            e.report("POT1014", expr, what=f"the list of `{_name(expr)}`")
            return None
        if fixed is not None:
            return under(e, expr, expr.args, e.pool.integer(fixed))
        found = _bound(e, expr)
        if found is None:
            return e.gather(flat(expr.args), repeat(None), lambda nodes: None) if _plain(expr) else None
        return behind(e, expr, *found)

    def behind(e: Elaborator, expr: s.Call, bound: s.Expr, rest: Sequence[s.Expr]) -> Step:
        number = e.fit((yield e.visit(bound, INT)), INT, bound)
        # Without its bound the call is in error, but its formulas have errors of their own.
        node = yield under(e, expr, rest, e.pool.integer(0) if number is None else number)
        return None if number is None else node

    def under(e: Elaborator, expr: s.Call, args: Sequence[s.Expr], bound: Node) -> Visit:
        form = binder_form(e, args)
        if form is None:
            terms = flat(args)
            return e.gather_fitted(
                terms,
                [BOOL] * len(terms),
                lambda nodes: _related(e, relation, counted(e, nodes, expr), bound),
            )
        heads, body = form
        return under_binders(
            e,
            _name(expr),
            heads,
            body,
            BOOL,
            lambda variables, node: over(e, expr, heads, variables, node, bound),
        )

    def over(
        e: Elaborator, expr: s.Call, heads: Sequence[s.Expr], variables: list[Var], node: Node, bound: Node
    ) -> Node | None:
        if e.kept is not None and e.kept.has(variables):
            return _related(e, relation, e.kept.aggregate(e.pool, "Count", variables, node, INT), bound)
        open_sorts = [var.sort for var in variables if _is_open(e, var.sort)]
        if not open_sorts:
            terms = instances(e, node, variables, heads[0], expr)
            return None if terms is None else _related(e, relation, counted(e, terms, expr), bound)
        number = bound.value if isinstance(bound, Lit) else None
        if not isinstance(number, int) or number > _MOST_MEMBERS:
            e.report(
                "POT4010", heads[0], op=_name(expr), sort=open_sorts[0], helps=_open_helps(open_sorts[0])
            )
            return None
        return by_quantifiers(e.pool, relation, number, variables, node)

    return build


def _name(expr: s.Call) -> str:
    assert isinstance(expr.head, s.Name)
    return expr.head.id


def _plain(expr: s.Call) -> bool:
    return not any(isinstance(arg, s.ListOf | s.Binding) for arg in expr.args)


def _bound(e: Elaborator, expr: s.Call) -> tuple[s.Expr, Sequence[s.Expr]] | None:
    """The bound, which stands first, or last as in Z3's `AtMost(p, q, 1)`, and the other arguments."""
    args = expr.args
    numeric = (
        [len(args) > 1 and _is_number(e, arg) for arg in (args[0], args[-1])] if args else [False, False]
    )
    if numeric[0] and not numeric[1]:
        return args[0], args[1:]
    if numeric[1] and not numeric[0]:
        return args[-1], args[:-1]
    name = _name(expr)
    shapes = f"`{name}(2, [p, q, r])` or `{name}(2, [x: Sort], p(x))`"
    e.report(
        "POT3001", expr, expected="a number and formulas", found="other arguments", helps=[f"write {shapes}"]
    )
    return None


def _is_number(e: Elaborator, arg: s.Expr) -> bool:
    sort = None if isinstance(arg, s.ListOf | s.Binding) else known_sort(e, arg)
    if sort is None:
        return (
            isinstance(arg, s.Call)
            and isinstance(arg.head, s.Name)
            and arg.head.id in ("Count", "Card", "Sum")
        )
    return is_numeric(sort)


def _is_open(e: Elaborator, sort: Sort) -> bool:
    """Whether the members of a sort cannot be counted by their names, each once."""
    if isinstance(sort, DeclaredSort):
        return sort not in e.closed or sort not in e.unique
    return e.members(sort) is None


def _open_helps(sort: Sort) -> list[str]:
    helps = [f"give the number as a numeral up to {_MOST_MEMBERS}"]
    if isinstance(sort, DeclaredSort):
        closed = f'"semantics": {{"closed_domain": ["{sort}"], "unique_names": ["{sort}"]}}'
        helps.insert(0, f"say that the named members are all there are, and different: {closed}")
    return helps


def _related(e: Elaborator, relation: str, number: Node, bound: Node) -> Node:
    if relation == "Exactly":
        return e.pool.eq(number, bound)
    return e.pool.app(op.LE, (number, bound) if relation == "AtMost" else (bound, number))


# --- by quantifiers ------------------------------------------------------------------------------


def by_quantifiers(pool: Pool, relation: str, number: int, variables: Sequence[Var], body: Node) -> Node:
    """That `body` holds for at most, at least or exactly `number` values of the variables."""
    if relation == "Exactly":
        if number == 1:
            return unique_existence(pool, variables, body)
        parts = [by_quantifiers(pool, each, number, variables, body) for each in ("AtLeast", "AtMost")]
        return pool.conj(parts)
    if relation == "AtMost":
        return pool.negate(by_quantifiers(pool, "AtLeast", number + 1, variables, body))
    if number <= 0:
        return pool.true
    copies = _copies(pool, variables, body, number)
    formulas = [substitute(pool, body, dict(zip(variables, copy, strict=True))) for copy in copies]
    formulas += [pool.negate(_same(pool, *pair)) for pair in combinations(copies, 2)]
    return pool.quant("exists", tuple(var for copy in copies for var in copy), pool.conj(formulas))


def unique_existence(pool: Pool, variables: Sequence[Var], body: Node) -> Node:
    """That `body` holds for one value of the variables and for no other."""
    (copy,) = _copies(pool, variables, body, 1)
    other = substitute(pool, body, dict(zip(variables, copy, strict=True)))
    no_other = pool.quant("forall", tuple(copy), pool.app(op.IMPLIES, (other, _same(pool, variables, copy))))
    return pool.quant("exists", tuple(variables), pool.conj([body, no_other]))


def _same(pool: Pool, one: Sequence[Var], other: Sequence[Var]) -> Node:
    return pool.conj([pool.eq(a, b) for a, b in zip(one, other, strict=True)])


def _copies(pool: Pool, variables: Sequence[Var], body: Node, number: int) -> list[list[Var]]:
    """So many lists of new variables of the same sorts, of names that do not occur in `body`."""
    taken = {node.name for node in reachable(body) if isinstance(node, Var)} | {var.name for var in variables}
    found: list[list[Var]] = []
    for index in range(1, number + 1):
        copy = []
        for var in variables:
            name = f"{var.name}_{index}"
            while name in taken:
                name += "_"
            taken.add(name)
            copy.append(pool.var(name, var.sort))
        found.append(copy)
    return found


def exists_unique(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`ExistsUnique([x: A], p)`: for one x and no other; of formulas, `ExistsUnique(p, q)`, one holds."""
    form = binder_form(e, expr.args, bare=True)
    if form is None:
        return cardinality("Exactly", 1)(e, expr, expected)
    heads, body = form
    return under_binders(
        e, _name(expr), heads, body, BOOL, lambda variables, node: unique_existence(e.pool, variables, node)
    )


def pairwise_distinct(pool: Pool, variables: Sequence[Var], body: Node) -> Node:
    """That the term `body` has different values for different values of the variables."""
    (copy,) = _copies(pool, variables, body, 1)
    other = substitute(pool, body, dict(zip(variables, copy, strict=True)))
    equal = pool.app(op.IMPLIES, (pool.eq(body, other), _same(pool, variables, copy)))
    return pool.quant("forall", (*variables, *copy), equal)


# --- weights -------------------------------------------------------------------------------------


def pseudo_boolean(relation: str) -> Build:
    """`PbLe([(p, 2), (q, 3)], 4)` and the like: the weights of what holds; without a weight it is 1."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        if not expr.args:
            e.report("POT1014", expr, what=f"the list of `{_name(expr)}`")
            return None
        *lists, bound = expr.args
        items = [item for each in lists for item in (each.items if isinstance(each, s.ListOf) else [each])]
        pairs = [item.items if isinstance(item, s.ListOf) else [item] for item in items]
        if isinstance(bound, s.ListOf) or any(len(pair) not in (1, 2) for pair in pairs):
            helps = [f"write `{_name(expr)}([(p, 2), (q, 3)], 4)`, each formula with its weight"]
            e.report("POT3001", expr, expected="formulas with weights", found="other arguments", helps=helps)
            return None
        parts = [part for pair in pairs for part in pair]
        sorts = [None if index else BOOL for pair in pairs for index in range(len(pair))]

        def weighed(nodes: list[Node]) -> Node | None:
            *found, limit = nodes
            values = iter(found)
            zero, one = e.pool.integer(0), e.pool.integer(1)
            weights = [(next(values), next(values) if len(pair) == 2 else one) for pair in pairs]
            numbers = coerced(e, [limit, *(weight for _, weight in weights)])
            if not all(is_numeric(number.sort) for number in numbers):
                e.report(
                    "POT3005",
                    expr,
                    op=_name(expr),
                    found="a weight that is none",
                    helps=["weights are numbers"],
                )
                return None
            empty = zero if numbers[0].sort is INT else e.pool.real(0)
            terms = [
                e.pool.app(op.ITE, (p, w, empty)) for (p, _), w in zip(weights, numbers[1:], strict=True)
            ]
            total = terms[0] if len(terms) == 1 else e.pool.app(op.ADD, tuple(terms)) if terms else empty
            return _related(e, relation, total, numbers[0])

        return e.gather_fitted([*parts, bound], [*sorts, None], weighed)

    return build
