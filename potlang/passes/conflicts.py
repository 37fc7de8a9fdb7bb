"""An analysis, no rewrite: ground assertions that contradict each other, found without a solver.

Sound and near-linear; what it finds is [PASS-CONFLICTS-1] to [PASS-CONFLICTS-4] of `spec/50-passes.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potlang.ir import operators as op
from potlang.ir.congruence import Closure, Conflict
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL

MOST = 20
"""Contradictions reported at most; each costs an explanation."""

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
    literals = [
        (number, atom, positive)
        for number, assertion in enumerate(module.assertions)
        for atom, positive in _literals(assertion.formula)
    ]
    if all(_is_flat(atom, positive) for _, atom, positive in literals):
        found = _opposites(literals)
    else:
        found = _Search(module.pool, literals).run()
    return [tuple(module.assertions[number] for number in numbers) for numbers in found]


def _is_flat(atom: Node, positive: bool) -> bool:
    """Whether an atom makes no two terms equal that others are built from.

    That is an atom over constants, a compound formula taken as a whole, or `f(a) == 3`: a function's
    value, which stands inside no other term as long as all atoms are flat.
    """
    if not isinstance(atom, App):
        return isinstance(atom, Quant | Sym)
    if atom.op in _RELATIONS:
        left, right = atom.args[0], atom.args[-1]
        term = right if isinstance(left, Lit) else left
        is_value = len(atom.args) == 2 and isinstance(left, Lit) != isinstance(right, Lit)
        return atom.op in _EQUALITIES and is_value and isinstance(term, App) and _is_shallow(term)
    return not isinstance(atom.op, Symbol) or _is_shallow(atom)


def _is_shallow(term: App) -> bool:
    return all(isinstance(arg, Sym) for arg in term.args)


def _opposites(literals: list[Literal]) -> list[tuple[int, ...]]:
    """Atoms both asserted and denied, and functions with two values: all there is among flat atoms."""
    first: dict[object, int] = {}
    values: dict[int, tuple[int, Node]] = {}
    found: dict[tuple[int, ...], None] = {}
    for number, atom, positive in literals:
        first.setdefault((atom.id, positive), number)
        other = first.get((atom.id, not positive))
        if other is None and positive and isinstance(atom, App) and atom.op in _EQUALITIES:
            left, right = atom.args
            term, value = (right, left) if isinstance(left, Lit) else (left, right)
            before, known = values.setdefault(term.id, (number, value))
            other = None if known is value else before
        if other is not None:
            found[tuple(sorted({other, number}))] = None
            if len(found) >= MOST:
                break
    return list(found)


class _Search:
    def __init__(self, pool: Pool, literals: list[Literal]) -> None:
        self.pool = pool
        self.literals = literals
        self.closure = Closure()
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
        """What the atom says beside being true or false."""
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


def _literals(formula: Node) -> Iterator[tuple[Node, bool]]:
    """The conjuncts of `formula`, without their negations, and whether they are asserted or denied."""
    stack = [(formula, True)]
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
