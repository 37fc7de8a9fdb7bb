"""Pairs of rules about the same term whose conclusions may contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Quant, Symbol, Var, flattened, free_variables, reachable
from potlang.ir.pool import Pool
from potlang.ir.skolem import NotSkolemizable, unfold
from potlang.ir.substitute import substitute
from potlang.linter.linted import Implication, LintedProgram, conjuncts, literal, said

_MOST = 500
"""Pairs that are looked at: what is done for one grows with the square of the rules' sizes."""
_LARGEST = 200
"""Nodes of a rule up to which it is compared with others."""
_ORDERS = (op.LT, op.LE)


class Conclusion(NamedTuple):
    """A part of what a rule concludes: `formula` says something of `term`."""

    rule: Implication
    term: App
    formula: Node


class Clash(NamedTuple):
    """Two conclusions about one term, over the same variables; `is_certain`: their form contradicts."""

    one: Implication
    other: Implication
    antecedents: tuple[Node, Node]
    conclusions: tuple[Node, Node]
    variables: tuple[Var, ...]
    is_certain: bool

    @property
    def pair(self) -> frozenset[object]:
        """The same for clashes of the same two rules, also where one of these is there twice."""
        return frozenset((said(self.one.statement.formula), said(self.other.statement.formula)))

    @property
    def more_special(self) -> Implication | None:
        """The rule whose conditions are those of the other one and more; None if neither's are."""
        one, other = (set(conjuncts(each)) for each in self.antecedents)
        return self.other if one < other else self.one if other < one else None


def conclusions(program: LintedProgram) -> dict[Symbol, list[Conclusion]]:
    """The conclusions of quantified rules, by the function that each is about."""
    found: dict[Symbol, list[Conclusion]] = {}
    for rule in program.implications:
        for formula in conjuncts(rule.consequent) if rule.binders else ():
            term = _subject(formula)
            if term is not None and isinstance(term.op, Symbol):
                found.setdefault(term.op, []).append(Conclusion(rule, term, formula))
    # Most functions are concluded once, and then nothing is compared.
    return {
        symbol: [each for each in group if _is_compared(each.rule)]
        for symbol, group in found.items()
        if len(group) > 1
    }


def _is_compared(rule: Implication) -> bool:
    return len(reachable(rule.antecedent, rule.consequent)) <= _LARGEST


def _subject(formula: Node) -> App | None:
    """The application that a literal or a comparison speaks of."""
    atom, _ = literal(formula)
    if not isinstance(atom, App):
        return None
    if isinstance(atom.op, Symbol):
        return atom
    if atom.op in (op.EQ, op.IFF, *_ORDERS):
        sides = [arg.args[0] if isinstance(arg, App) and arg.op is op.TO_REAL else arg for arg in atom.args]
        return next((arg for arg in sides if isinstance(arg, App) and isinstance(arg.op, Symbol)), None)
    return None


def clashes(program: LintedProgram) -> Iterator[Clash]:
    """Pairs of conclusions about one term that are not the same."""
    pool = program.module.pool
    looked_at = 0
    for group in conclusions(program).values():
        for one, other in combinations(group, 2):
            looked_at += 1
            if looked_at > _MOST:
                return
            clash = _clash(pool, one, other)
            if clash is not None:
                yield clash


def _agree(one: Conclusion, other: Conclusion) -> bool:
    """Whether both say that a predicate holds, or that it does not: of one term they then say the same."""
    (left, left_holds), (right, right_holds) = literal(one.formula), literal(other.formula)
    return left is one.term and right is other.term and left_holds is right_holds


def _clash(pool: Pool, one: Conclusion, other: Conclusion) -> Clash | None:
    if one.rule is other.rule or _agree(one, other):
        return None
    replaced = _unified(one.term, other.term)
    if replaced is None:
        return None

    def instance(node: Node) -> Node:
        return substitute(pool, node, replaced) if replaced else node

    first, second = instance(one.formula), instance(other.formula)
    if first is second:
        return None
    antecedents = instance(one.rule.antecedent), instance(other.rule.antecedent)
    bound = frozenset((*one.rule.binders, *other.rule.binders))
    variables = free_variables(*antecedents, first, second)
    # Variables under a conclusion's own quantifier would be torn from it.
    if not bound.issuperset(variables):
        return None
    return Clash(one.rule, other.rule, antecedents, (first, second), variables, contradict(first, second))


def _unified(one: App, other: App) -> dict[Node, Node] | None:
    """The variables to replace so that the two terms are one; None where they may differ."""
    found: dict[Node, Node] = {}
    for left, right in zip(one.args, other.args, strict=True):
        left, right = found.get(left, left), found.get(right, right)
        if left is right:
            continue
        # A variable gives way to a variable or to a closed term, never to a term with variables of its own.
        if isinstance(right, Var) and _is_simple(left):
            variable, term = right, left
        elif isinstance(left, Var) and _is_simple(right):
            variable, term = left, right
        else:
            return None
        found = {key: term if value is variable else value for key, value in found.items()}
        found[variable] = term
    return found


def _is_simple(term: Node) -> bool:
    return isinstance(term, Var) or not free_variables(term)


def contradict(one: Node, other: Node) -> bool:
    """Whether two literals contradict each other by their form."""
    (left, left_holds), (right, right_holds) = literal(one), literal(other)
    if left is right:
        return left_holds != right_holds
    if not (left_holds and right_holds and isinstance(left, App) and isinstance(right, App)):
        return False
    if left.op in _ORDERS and right.op in _ORDERS and op.LT in (left.op, right.op):
        return left.args == right.args[::-1]
    if left.op is not op.EQ or right.op is not op.EQ:
        return False
    return any(
        a is c and isinstance(b, Lit) and isinstance(d, Lit) and b is not d
        for a, b in (left.args, left.args[::-1])
        for c, d in (right.args, right.args[::-1])
    )


def exclude_each_other(program: LintedProgram, one: Node, other: Node) -> bool:
    """Whether two conditions have parts that contradict each other by their form.

    A defined symbol stands for its body; a disjunction is contradicted where each of its parts is.
    """
    left, right = ([*conjuncts(_unfolded(program, each))] for each in (one, other))
    if _denies_all(left, right) or _denies_all(right, left):
        return True
    return any(_is_denied(a, b) for a in left for b in right)


def _unfolded(program: LintedProgram, condition: Node) -> Node:
    definitions = {each.symbol: each for each in program.module.definitions}
    try:
        return unfold(condition, program.module.pool, definitions)
    except NotSkolemizable:
        return condition


def _is_denied(one: Node, other: Node) -> bool:
    sides = flattened(one, op.OR), flattened(other, op.OR)
    return all(contradict(*each) or _apart(*each) for each in product(*sides))


def _denies_all(some: list[Node], others: list[Node]) -> bool:
    """Whether one of `some` is the negation of a conjunction all of whose parts are among `others`."""
    known = set(others)
    for each in some:
        inner, holds = literal(each)
        if holds:
            continue
        if known.issuperset(conjuncts(inner)):
            return True
        # That nothing is so excludes what is said to be so.
        if isinstance(inner, Quant) and inner.kind == "exists" and _has_instance(inner, others):
            return True
    return False


def _has_instance(exists: Quant, nodes: list[Node]) -> bool:
    return any(_is_instance(exists.body, node, exists.binders) for node in nodes)


def _is_instance(pattern: Node, node: Node, variables: tuple[Var, ...]) -> bool:
    """Whether an atom is another one with terms in the place of variables."""
    if not (isinstance(pattern, App) and isinstance(node, App) and pattern.op is node.op):
        return False
    found: dict[Node, Node] = {}
    pairs = zip(pattern.args, node.args, strict=False)
    return len(pattern.args) == len(node.args) and all(
        found.setdefault(one, other) is other if one in variables else one is other for one, other in pairs
    )


def _apart(one: Node, other: Node) -> bool:
    """Whether two comparisons of one term with numbers leave it no value."""
    (left, left_holds), (right, right_holds) = literal(one), literal(other)
    for low, low_holds, high, high_holds in (
        (left, left_holds, right, right_holds),
        (right, right_holds, left, left_holds),
    ):
        below, above = _bound(high, high_holds, upper=True), _bound(low, low_holds, upper=False)
        if below is None or above is None or below[0] is not above[0]:
            continue
        if above[1] > below[1] or (above[1] == below[1] and (above[2] or below[2])):
            return True
    return False


def _bound(atom: Node, holds: bool, *, upper: bool) -> tuple[Node, Fraction, bool] | None:
    """The term, its bound and whether that is strict, where a comparison bounds it on that side."""
    if not isinstance(atom, App) or len(atom.args) != 2:
        return None
    left, right = atom.args
    if atom.op is op.EQ and holds:
        number = _number(right)
        if number is not None:
            return left, number, False
        number = _number(left)
        return None if number is None else (right, number, False)
    if atom.op not in _ORDERS:
        return None
    # `t < c` and `not c <= t` bound t from above, `c < t` and `not t <= c` from below.
    strict = (atom.op is op.LT) == holds
    small, large = (left, right) if holds else (right, left)
    number = _number(large if upper else small)
    return None if number is None else (small if upper else large, number, strict)


def _number(node: Node) -> Fraction | None:
    value = node.value if isinstance(node, Lit) else None
    return Fraction(value) if isinstance(value, int | Fraction) and not isinstance(value, bool) else None
