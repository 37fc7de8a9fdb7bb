"""An analysis, no rewrite: ground assertions that contradict each other, found without a solver.

Sound and near-linear; what it finds is [PASS-CONFLICTS-1] to [PASS-CONFLICTS-4] of `spec/50-passes.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potlang.ir import operators as op
from potlang.ir.congruence import Conflict, EqualTerms
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, is_flat
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL

MOST = 20
"""Contradictions reported at most; each costs an explanation."""

_COMPOUND = frozenset({op.NOT, op.AND, op.OR, op.IMPLIES})
_EQUALITIES = frozenset({op.EQ, op.IFF})
_DIFFERENCES = frozenset({op.DISTINCT, op.XOR})
_APART = frozenset({op.DISTINCT, op.XOR, op.LT, op.BV_ULT, op.BV_SLT})
"""Atoms that are false where two of their arguments are equal."""
_APART_DENIED = frozenset({op.EQ, op.IFF, op.LE, op.BV_ULE, op.BV_SLE})
"""Atoms that are true there."""
_RELATIONS = _EQUALITIES | _DIFFERENCES | _APART | _APART_DENIED

Literal = tuple[int, Node, bool]
"""The number of an assertion, an atom, and whether it is asserted or denied."""


def find_contradictions(module: Module) -> list[tuple[Assertion, ...]]:
    """Sets of assertions, each unsatisfiable by itself, in order of discovery; `MOST` at most.

    One assertion alone is false. Only assertions' top-level conjuncts that are literals count.
    """
    literals: list[Literal] = []
    for number, assertion in enumerate(module.assertions):
        formula, positive = assertion.formula, True
        if type(formula) is App and formula.op is op.NOT:
            formula, positive = formula.args[0], False
        if type(formula) is App and formula.op in _COMPOUND:
            literals += [(number, *literal) for literal in _literals(formula, positive)]
        else:
            literals.append((number, formula, positive))
    if all(map(_is_flat, literals)):
        found = _FlatConflicts(literals).run()
    else:
        found = _ConflictSearch(module.pool, literals).run()
    return [tuple(module.assertions[number] for number in numbers) for numbers in found]


def _is_flat(literal: Literal) -> bool:
    """Whether a literal makes no two terms equal that others are built from.

    That is an atom over constants, a compound formula taken as a whole, a comparison that is no
    equation, or `f(a) == 3`: a function's value, which stands inside no other term as long as all
    atoms are flat.
    """
    _, atom, positive = literal
    if is_flat(atom):
        return True
    if not isinstance(atom, App):
        return isinstance(atom, Quant | Sym)
    if atom.op in _RELATIONS:
        return _is_value(atom) or (_is_no_equation(atom, positive) and all(map(_is_term, atom.args)))
    return not isinstance(atom.op, Symbol) or all(isinstance(arg, Sym) for arg in atom.args)


def _is_value(atom: App) -> bool:
    """`f(a) == 3`, or the other way round."""
    left, right = atom.args[0], atom.args[-1]
    term = right if isinstance(left, Lit) else left
    if atom.op not in _EQUALITIES or isinstance(left, Lit) == isinstance(right, Lit):
        return False
    return is_flat(term) or (isinstance(term, App) and all(isinstance(arg, Sym) for arg in term.args))


def _is_no_equation(atom: App, positive: bool) -> bool:
    if atom.args[0].sort is BOOL:
        return False
    return atom.op not in (_EQUALITIES if positive else _DIFFERENCES)


def _is_term(node: Node) -> bool:
    return isinstance(node, Sym | Lit) or is_flat(node)


class _FlatConflicts:
    """The contradictions among flat atoms alone: `_ConflictSearch` would find the same, slower."""

    def __init__(self, literals: list[Literal]) -> None:
        self.literals = literals
        self.values: dict[int, tuple[int, Node]] = {}
        """Of each term that is said to equal a literal: by which assertion, and the literal."""
        self.found: dict[tuple[int, ...], None] = {}

    def run(self) -> list[tuple[int, ...]]:
        """Atoms both asserted and denied, functions with two values, and what follows for comparisons."""
        asserted: dict[int, int] = {}
        denied: dict[int, int] = {}
        comparisons: list[tuple[int, App, bool]] = []
        for number, atom, positive in self.literals:
            same, opposite = (asserted, denied) if positive else (denied, asserted)
            same.setdefault(atom.id, number)
            other = opposite.get(atom.id)
            if type(atom) is App and atom.op in _RELATIONS:
                if not (positive and atom.op in _EQUALITIES):
                    comparisons.append((number, atom, positive))
                elif other is None:
                    other = self._other_value(number, atom)
            if other is not None:
                self.found[tuple(sorted({other, number}))] = None
                if len(self.found) >= MOST:
                    break
        self._compare(comparisons)
        return list(self.found)[:MOST]

    def _other_value(self, number: int, atom: App) -> int | None:
        """The assertion that gives the same term another value."""
        left, right = atom.args
        term, value = (right, left) if isinstance(left, Lit) else (left, right)
        before, known = self.values.setdefault(term.id, (number, value))
        return None if known is value else before

    def _compare(self, comparisons: list[tuple[int, App, bool]]) -> None:
        """Comparisons of equals, and of the same values with opposite outcomes."""
        known: dict[tuple[object, ...], tuple[int, App]] = {}
        for number, atom, positive in comparisons:
            leaders = [self._leader(arg) for arg in atom.args]
            if atom.op in (_APART if positive else _APART_DENIED):
                self._check_apart(number, atom, leaders)
            other = known.get((not positive, atom.op, *leaders))
            known.setdefault((positive, atom.op, *leaders), (number, atom))
            if other is not None:
                pairs = zip(atom.args, other[1].args, strict=True)
                terms = [term for a, b in pairs if a is not b for term in (a, b)]
                self._report(number, other[0], terms=terms)

    def _check_apart(self, number: int, atom: App, leaders: list[int]) -> None:
        first: dict[int, Node] = {}
        for arg, leader in zip(atom.args, leaders, strict=True):
            if leader in first:
                self._report(number, terms=[first[leader], arg] if first[leader] is not arg else [])
                return
            first[leader] = arg

    def _leader(self, term: Node) -> int:
        return self.values[term.id][1].id if term.id in self.values else term.id

    def _report(self, *numbers: int, terms: Iterable[Node]) -> None:
        """The assertions and those that give the terms their values."""
        sources = [self.values[term.id][0] for term in terms if term.id in self.values]
        self.found[tuple(sorted({*numbers, *sources}))] = None


class _ConflictSearch:
    def __init__(self, pool: Pool, literals: list[Literal]) -> None:
        self.pool = pool
        self.literals = literals
        self.closure = EqualTerms()
        self.apart: list[tuple[int, tuple[Node, ...]]] = []
        self.found: dict[tuple[int, ...], None] = {}

    def run(self) -> list[tuple[int, ...]]:
        for number, atom, positive in self.literals:
            if len(self.found) >= MOST:
                break
            self._assume(number, atom, positive)
        self._check_apart()
        return list(self.found)[:MOST]

    def _assume(self, number: int, atom: Node, positive: bool) -> None:
        if isinstance(atom, Lit):
            if bool(atom.value) is not positive:
                self._report([number])
            return
        if isinstance(atom, App):
            self._assume_meaning(number, atom, positive)
        self._merge(atom, self.pool.truth(positive), number)

    def _assume_meaning(self, number: int, atom: App, positive: bool) -> None:
        """Assumes the meaning of an atom beyond its truth value."""
        args, operator = atom.args, atom.op
        if operator in (_EQUALITIES if positive else _DIFFERENCES) and len(args) == 2:
            self._merge(args[0], args[1], number)
        elif operator in (_APART if positive else _APART_DENIED):
            self.apart.append((number, args))

    def _merge(self, a: Node, b: Node, number: int) -> None:
        try:
            self.closure.merge(a, b, number)
        except Conflict as conflict:
            self._report(conflict.reasons)

    def _check_apart(self) -> None:
        """Terms that an assertion keeps apart and others make equal."""
        for number, args in self.apart:
            if len(self.found) >= MOST:
                return
            seen: dict[int, Node] = {}
            for arg in args:
                leader = self._leader(arg)
                if leader in seen:
                    self._report([*self.closure.explain(seen[leader], arg), number])
                    break
                seen[leader] = arg

    def _leader(self, node: Node) -> int:
        """The class of `node`. Registering new terms can only repeat conflicts that are known."""
        while True:
            try:
                return self.closure.leader(node)
            except Conflict as conflict:
                self._report(conflict.reasons)

    def _report(self, reasons: Iterable[object]) -> None:
        self.found[tuple(sorted({number for number in reasons if isinstance(number, int)}))] = None


def _literals(formula: Node, positive: bool) -> Iterator[tuple[Node, bool]]:
    """The conjuncts of `formula`, asserted or denied, without their negations, and which they are."""
    stack = [(formula, positive)]
    while stack:
        node, positive = stack.pop()
        if isinstance(node, App) and node.sort is BOOL:
            if node.op is op.NOT:
                stack.append((node.args[0], not positive))
                continue
            if node.op is (op.AND if positive else op.OR):
                stack.extend((arg, positive) for arg in reversed(node.args))
                continue
            if node.op is op.IMPLIES and not positive:
                stack += [(node.args[1], False), (node.args[0], True)]
                continue
        yield node, positive
