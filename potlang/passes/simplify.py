"""Simplification: one bottom-up sweep a round, linear in the nodes; every root keeps its value.

The rules are [PASS-SIMPLIFY-1] to [PASS-SIMPLIFY-9] of `spec/50-passes.md`. Sorts are not empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from potlang.ir import operators as op
from potlang.ir.fold import fold
from potlang.ir.module import Module
from potlang.ir.nodes import App, Lit, Node, Quant, Var, children, is_flat, reachable
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, REAL, Sort
from potlang.ir.substitute import with_children
from potlang.passes.base import Keeps, Property, finish, marked

FLAT = frozenset({op.AND, op.OR, op.ADD, op.MUL})
"""Associative and commutative: an argument with the same operator and no other parent is absorbed."""


@dataclass(frozen=True, slots=True)
class Simplify:
    """Simplifies until nothing changes, at most `rounds` times."""

    rounds: int = 4

    name: ClassVar[str] = "simplify"
    requires: ClassVar[frozenset[Property]] = frozenset()
    establishes: ClassVar[frozenset[Property]] = frozenset({Property.SIMPLE})
    preserves: ClassVar[frozenset[Property]] = frozenset({Property.NNF, Property.PRENEX})
    keeps: ClassVar[Keeps] = Keeps.EQUIVALENT

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ValueError("rounds is at least 1")

    def run(self, module: Module) -> Module:
        """The module with every root simplified."""
        roots = module.formulas()
        places = [place for place, root in enumerate(roots) if not (is_flat(root) or _is_plain(root))]
        before = open_roots = [roots[place] for place in places]
        for _ in range(self.rounds):
            simpler = simplify_once(module.pool, open_roots)
            if simpler == open_roots:
                break
            open_roots = simpler
        if open_roots == before:
            return marked(self, module)
        for place, root in zip(places, open_roots, strict=True):
            roots[place] = root
        return finish(self, module, roots)


def _is_plain(root: Node) -> bool:
    """Whether a root is `p(a, b)`, `f(a) == 3` or a negation of these, as most facts are: no rule applies."""
    if type(root) is App and root.op is op.NOT:
        root = root.args[0]
    if type(root) is App and root.op is op.EQ and type(root.args[1]) is Lit and root.args[1].sort is not BOOL:
        root = root.args[0]
    return is_flat(root)


def simplify_once(pool: Pool, roots: list[Node]) -> list[Node]:
    """One round over `roots`."""
    nodes = reachable(*roots)
    absorbed = _absorbed(nodes, roots)
    alive = {node.id for node in nodes if isinstance(node, Var)}
    done: dict[int, Node] = {}
    for node in nodes:
        if node.id in absorbed:
            continue
        if isinstance(node, App):
            done[node.id] = _application(pool, node, absorbed, done)
        elif isinstance(node, Quant):
            done[node.id] = _quantifier(pool, node, done[node.body.id], alive)
        else:
            done[node.id] = node
    return [done[root.id] for root in roots]


def _absorbed(nodes: list[Node], roots: list[Node]) -> frozenset[int]:
    """The ids of the associative nodes whose one occurrence is as an argument of their own operator."""
    uses: dict[int, int] = dict.fromkeys((root.id for root in roots), 2)
    inside: list[int] = []
    for node in nodes:
        for child in children(node):
            uses[child.id] = uses.get(child.id, 0) + 1
        if isinstance(node, App) and node.op in FLAT:
            inside.extend(arg.id for arg in node.args if isinstance(arg, App) and arg.op is node.op)
    return frozenset(number for number in inside if uses[number] == 1)


def _application(pool: Pool, node: App, absorbed: frozenset[int], done: dict[int, Node]) -> Node:
    if isinstance(node.op, Operator) and node.op in FLAT:
        args = _flat_arguments(node, absorbed, done)
        return _FLAT_RULES[node.op](pool, node.sort, args)
    rebuilt = with_children(pool, node, done)
    if not isinstance(rebuilt, App) or not isinstance(rebuilt.op, Operator):
        return rebuilt
    if all(isinstance(arg, Lit) for arg in rebuilt.args):
        folded = fold(pool, rebuilt)
        if folded is not None:
            return folded
    rule = _RULES.get(rebuilt.op)
    return rule(pool, rebuilt, rebuilt.args) if rule else rebuilt


def _flat_arguments(node: App, absorbed: frozenset[int], done: dict[int, Node]) -> list[Node]:
    """The simplified arguments, those of absorbed nodes in place of the nodes, in order."""
    flat: list[Node] = []
    stack = list(reversed(node.args))
    while stack:
        arg = stack.pop()
        if arg.id in absorbed and isinstance(arg, App):
            stack.extend(reversed(arg.args))
        else:
            flat.append(done[arg.id])
    return flat


def _quantifier(pool: Pool, quant: Quant, body: Node, alive: set[int]) -> Node:
    """[PASS-SIMPLIFY-6] A literal body stands for the formula; binders that occur nowhere go."""
    if isinstance(body, Lit):
        return body
    binders = tuple([var for var in quant.binders if var.id in alive])
    if not binders:
        return body
    if body is quant.body and len(binders) == len(quant.binders):
        return quant
    return pool.quant(quant.kind, binders, body)


# --- connectives: [PASS-SIMPLIFY-2] to [PASS-SIMPLIFY-5] -----------------------------------------


def _junction(operator: Operator, absorbing: bool) -> Callable[[Pool, Sort, list[Node]], Node]:
    """The rule for `and` (`absorbing` False) or `or` (True)."""

    def rule(pool: Pool, sort: Sort, args: list[Node]) -> Node:
        positive: dict[int, None] = {}
        negative: dict[int, None] = {}
        kept: list[Node] = []
        for arg in args:
            if isinstance(arg, Lit):
                if arg.value is absorbing:
                    return arg
                continue
            negated = isinstance(arg, App) and arg.op is op.NOT
            atom = arg.args[0].id if isinstance(arg, App) and negated else arg.id
            same, opposite = (negative, positive) if negated else (positive, negative)
            if atom in opposite:
                return pool.truth(absorbing)
            if atom not in same:
                same[atom] = None
                kept.append(arg)
        return pool.disj(kept) if absorbing else pool.conj(kept)

    return rule


def _not(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    inner = args[0]
    return inner.args[0] if isinstance(inner, App) and inner.op is op.NOT else node


def _implies(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    left, right = args
    if isinstance(left, Lit):
        return right if left.value else pool.true
    if isinstance(right, Lit):
        return pool.true if right.value else pool.negate(left)
    if left is right:
        return pool.true
    return right if opposites(left, right) else node


def _agreement(agree: bool) -> Callable[[Pool, App, tuple[Node, ...]], Node]:
    """The rule for iff, and that for xor; also of equality and of `distinct`, between two formulas."""
    operator = op.IFF if agree else op.XOR

    def rule(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
        left, right = args
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Lit):
                return other if one.value is agree else pool.negate(other)
        if left is right:
            return pool.truth(agree)
        if opposites(left, right):
            return pool.truth(not agree)
        if _is_negation(left) and _is_negation(right):
            return pool.app(operator, (pool.negate(left), pool.negate(right)))
        return node if node.op is operator else pool.app(operator, args)

    return rule


_iff, _xor = _agreement(True), _agreement(False)


def _ite(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    condition, then, otherwise = args
    if isinstance(condition, Lit):
        return then if condition.value else otherwise
    if then is otherwise:
        return then
    if isinstance(condition, App) and condition.op is op.NOT:
        return _ite_of(pool, condition.args[0], otherwise, then)
    return _ite_of(pool, condition, then, otherwise)


def _ite_of(pool: Pool, condition: Node, then: Node, otherwise: Node) -> Node:
    """A choice between formulas one of which is a truth value is a connective."""
    if then.sort is BOOL and isinstance(then, Lit):
        if isinstance(otherwise, Lit):
            return condition if then.value else pool.negate(condition)
        if then.value:
            return pool.disj((condition, otherwise))
        return pool.conj((pool.negate(condition), otherwise))
    if otherwise.sort is BOOL and isinstance(otherwise, Lit):
        if otherwise.value:
            return pool.disj((pool.negate(condition), then))
        return pool.conj((condition, then))
    return pool.app(op.ITE, (condition, then, otherwise))


def opposites(a: Node, b: Node) -> bool:
    """Whether one is the other's negation."""
    return (isinstance(a, App) and a.op is op.NOT and a.args[0] is b) or (
        isinstance(b, App) and b.op is op.NOT and b.args[0] is a
    )


def _is_negation(node: Node) -> bool:
    return isinstance(node, App) and node.op is op.NOT


# --- equality: [PASS-SIMPLIFY-7] -----------------------------------------------------------------


def _eq(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    if args[0].sort is BOOL:
        return _iff(pool, node, args)
    return pool.true if args[0] is args[1] else node


def _distinct(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    if len({arg.id for arg in args}) < len(args):
        return pool.false
    if args[0].sort is BOOL:
        return pool.false if len(args) > 2 else _xor(pool, node, args)
    return pool.negate(pool.app(op.EQ, args)) if len(args) == 2 else node


def _reflexive(value: bool) -> Callable[[Pool, App, tuple[Node, ...]], Node]:
    def rule(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
        return pool.truth(value) if args[0] is args[1] else node

    return rule


# --- arithmetic: [PASS-SIMPLIFY-8] ---------------------------------------------------------------


def _number(pool: Pool, value: int, sort: Sort) -> Lit:
    return pool.real(value) if sort is REAL else pool.lit(value, sort)


def _is_number(node: Node, value: int) -> bool:
    return isinstance(node, Lit) and node.value == value


def _accumulation(operator: Operator, neutral: int) -> Callable[[Pool, Sort, list[Node]], Node]:
    """The rule for `+` and `*`: one literal at most, in front; the neutral one dropped."""

    def rule(pool: Pool, sort: Sort, args: list[Node]) -> Node:
        constants = [arg for arg in args if isinstance(arg, Lit)]
        rest = [arg for arg in args if not isinstance(arg, Lit)]
        total: list[Lit] = _accumulate(pool, operator, constants)
        if operator is op.MUL and any(_is_number(literal, 0) for literal in total):
            return _number(pool, 0, sort)
        kept = [*(literal for literal in total if not _is_number(literal, neutral)), *rest]
        if not kept:
            return _number(pool, neutral, sort)
        return pool.app(operator, tuple(kept)) if len(kept) > 1 else kept[0]

    return rule


def _accumulate(pool: Pool, operator: Operator, literals: list[Lit]) -> list[Lit]:
    """The literals combined into one, or into few where one would be too large."""
    combined: list[Lit] = literals[:1]
    for literal in literals[1:]:
        folded = fold(pool, pool.app(operator, (combined[-1], literal)))
        if folded is None:
            combined.append(literal)
        else:
            combined[-1] = folded
    return combined


def _sub(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    left, right = args
    if left is right:
        return _number(pool, 0, node.sort)
    if _is_number(right, 0):
        return left
    return pool.app(op.NEG, (right,)) if _is_number(left, 0) else node


def _neg(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    inner = args[0]
    return inner.args[0] if isinstance(inner, App) and inner.op is op.NEG else node


def _quotient(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    return args[0] if _is_number(args[1], 1) else node


def _mod(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    return pool.integer(0) if _is_number(args[1], 1) or _is_number(args[1], -1) else node


def _to_int(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    inner = args[0]
    return inner.args[0] if isinstance(inner, App) and inner.op is op.TO_REAL else node


# --- arrays and sets: [PASS-SIMPLIFY-9] ----------------------------------------------------------


def _select(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    array, index = args
    if isinstance(array, App) and array.op is op.STORE and array.args[1] is index:
        return array.args[2]
    return node


def _member(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    element, whole = args
    if isinstance(whole, Lit):
        return pool.false
    if isinstance(whole, App) and whole.op is op.INSERT and whole.args[0] is element:
        return pool.true
    return node


def _union(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    left, right = args
    if left is right or isinstance(right, Lit):
        return left
    return right if isinstance(left, Lit) else node


def _intersect(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    left, right = args
    if left is right or isinstance(left, Lit):
        return left
    return right if isinstance(right, Lit) else node


def _difference(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    left, right = args
    if left is right:
        return pool.lit(None, node.sort)
    return left if isinstance(left, Lit) or isinstance(right, Lit) else node


def _subset(pool: Pool, node: App, args: tuple[Node, ...]) -> Node:
    return pool.true if args[0] is args[1] or isinstance(args[0], Lit) else node


_FLAT_RULES: Mapping[Operator, Callable[[Pool, Sort, list[Node]], Node]] = MappingProxyType(
    {
        op.AND: _junction(op.AND, absorbing=False),
        op.OR: _junction(op.OR, absorbing=True),
        op.ADD: _accumulation(op.ADD, 0),
        op.MUL: _accumulation(op.MUL, 1),
    }
)

_RULES: Mapping[Operator, Callable[[Pool, App, tuple[Node, ...]], Node]] = MappingProxyType(
    {
        op.NOT: _not,
        op.IMPLIES: _implies,
        op.IFF: _iff,
        op.XOR: _xor,
        op.ITE: _ite,
        op.EQ: _eq,
        op.DISTINCT: _distinct,
        op.LT: _reflexive(False),
        op.LE: _reflexive(True),
        op.SUB: _sub,
        op.NEG: _neg,
        op.DIV: _quotient,
        op.INT_DIV: _quotient,
        op.MOD: _mod,
        op.TO_INT: _to_int,
        op.SELECT: _select,
        op.MEMBER: _member,
        op.UNION: _union,
        op.INTERSECT: _intersect,
        op.DIFFERENCE: _difference,
        op.SUBSET: _subset,
        op.BV_ULT: _reflexive(False),
        op.BV_SLT: _reflexive(False),
        op.BV_ULE: _reflexive(True),
        op.BV_SLE: _reflexive(True),
    }
)
