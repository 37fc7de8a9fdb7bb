"""An analysis, no rewrite: ground assertions that contradict each other, found without a solver.

Sound and near-linear; what it finds is [PASS-CONFLICTS-1] to [PASS-CONFLICTS-4] of `spec/50-passes.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potlang.ir import operators as op
from potlang.ir.congruence import Closure, Conflict
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Lit, Node
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


def find_contradictions(module: Module) -> list[tuple[Assertion, ...]]:
    """Sets of assertions, each unsatisfiable by itself, in order of discovery; `MOST` at most.

    One assertion alone is false. Only assertions' top-level conjuncts that are literals count.
    """
    return _Search(module.pool, module.assertions).run()


class _Search:
    def __init__(self, pool: Pool, assertions: tuple[Assertion, ...]) -> None:
        self.pool = pool
        self.assertions = assertions
        self.closure = Closure()
        self.apart: list[tuple[int, tuple[Node, ...]]] = []
        self.found: dict[tuple[int, ...], None] = {}

    def run(self) -> list[tuple[Assertion, ...]]:
        for number, assertion in enumerate(self.assertions):
            for literal, positive in _literals(assertion.formula):
                if len(self.found) >= MOST:
                    break
                self._assume(number, literal, positive)
        self._check_apart()
        found = list(self.found)[:MOST]
        return [tuple(self.assertions[number] for number in numbers) for numbers in found]

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
