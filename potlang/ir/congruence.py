"""Congruence closure with explanations: equal arguments make equal terms.

After G. Nelson and D. C. Oppen, "Fast decision procedures based on congruence closure" (1980), and
R. Nieuwenhuis and A. Oliveras, "Proof-producing congruence closure" (2005). Function symbols and
operators alike are only functions here; different literals of a sort are different.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from potlang.ir.graphs import ProofForest, UnionFind
from potlang.ir.nodes import App, Lit, Node
from potlang.utils.deadline import look

Reason = TypeVar("Reason", bound=Hashable)
"""How the caller names an equation."""


class CongruenceClosure(ABC, Generic[Reason]):
    """Classes of terms, which are numbers here. `congruent` is the reason of equations that it finds itself.

    Users say in `_clash` how two literals that become equal are reported, which is then not done.
    """

    def __init__(self, congruent: Reason) -> None:
        self.classes: UnionFind[int] = UnionFind()
        self.proofs: ProofForest[int, Reason] = ProofForest()
        self.literals: dict[int, int] = {}
        """By representative: the literal in the class."""
        self.signatures: dict[tuple[object, ...], int] = {}
        """A term by its head and the representatives of its arguments."""
        self.calls: dict[int, tuple[object, Sequence[int]]] = {}
        """The heads and arguments of terms."""
        self.pending: deque[tuple[int, int, Reason]] = deque()
        self._congruent = congruent
        self._users: dict[int, list[int]] = {}

    def call(self, term: int, head: object, args: Sequence[int]) -> None:
        """Make known that a term is `head` applied to terms."""
        self.calls[term] = head, args
        for leader in dict.fromkeys(map(self.classes.find, args)):
            self._users.setdefault(leader, []).append(term)
        self._sign(term)

    def close(self) -> None:
        """Make all pending equations true, and those that follow. Raises OutOfFuel at the end of the call."""
        while self.pending:
            look()
            self._union(*self.pending.popleft())

    def _union(self, a: int, b: int, reason: Reason) -> None:
        small, large = self.classes.find(a), self.classes.find(b)
        if small == large:
            return
        # The work is to sign the users of one side again: that of the smaller one, so each term is
        # signed at most log n times.
        if len(self._users.get(small, ())) > len(self._users.get(large, ())):
            small, large, a, b = large, small, b, a
        one, other = self.literals.get(small), self.literals.get(large)
        if one is not None and other is not None:
            self._clash(a, b, reason)
            return
        self.proofs.link(a, b, reason)
        self.classes.attach(small, large)
        moved = changed = self._users.pop(small, [])
        if one is not None:
            self.literals[large] = one
            # The representative stays, but operators on literals can be computed now.
            changed = moved + self._users.get(large, [])
        if moved:
            self._users.setdefault(large, []).extend(moved)
        for term in dict.fromkeys(changed):
            self._sign(term)

    def _sign(self, term: int) -> None:
        """Enter a term under its head and its arguments' classes; who is there already is equal."""
        head, args = self.calls[term]
        signature = (head, *map(self.classes.find, args))
        other = self.signatures.setdefault(signature, term)
        if other != term:
            self.pending.append((term, other, self._congruent))

    @abstractmethod
    def _clash(self, a: int, b: int, reason: Reason) -> None:
        """Two literals would become equal by `a = b`."""


class Conflict(Exception):
    """The equation would make two different literals equal; `reasons` do so together with it."""

    def __init__(self, reasons: list[Hashable]) -> None:
        super().__init__("two different literals")
        self.reasons = reasons


class EqualTerms(CongruenceClosure[Hashable]):
    """Classes of equal terms of the IR. An equation that leads to a conflict is reported, and not made."""

    def __init__(self) -> None:
        super().__init__(None)
        self._nodes: dict[int, Node] = {}

    def leader(self, node: Node) -> int:
        """A number for the class of `node`, until the next equation."""
        self._add(node)
        self.close()
        return self.classes.find(node.id)

    def equal(self, a: Node, b: Node) -> bool:
        """Whether `a` and `b` are in one class."""
        self._add(a)
        return self.leader(b) == self.leader(a)

    def merge(self, a: Node, b: Node, reason: Hashable) -> None:
        """Add the equation `a = b`, known by `reason`, which is not None. Raises `Conflict`."""
        self._add(a)
        self._add(b)
        self.pending.append((a.id, b.id, reason))
        self.close()

    def explain(self, a: Node, b: Node) -> list[Hashable]:
        """The reasons of the equations that make `a` and `b` equal, in order of discovery."""
        return self._explain([(a.id, b.id)])

    def _add(self, root: Node) -> None:
        """Register `root` and its arguments. Quantifiers are leaves."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node.id in self._nodes:
                stack.pop()
                continue
            args = node.args if isinstance(node, App) else ()
            missing = [arg for arg in args if arg.id not in self._nodes]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._nodes[node.id] = node
            if isinstance(node, Lit):
                self.literals[node.id] = node.id
            elif isinstance(node, App):
                self.call(node.id, node.op, [arg.id for arg in args])

    def _clash(self, a: int, b: int, reason: Hashable) -> None:
        pairs = [(each, self.literals[self.classes.find(each)]) for each in (a, b)]
        if reason is None:
            pairs += self._arguments(a, b)
        reasons = self._explain(pairs)
        raise Conflict(reasons if reason is None or reason in reasons else [*reasons, reason])

    def _arguments(self, a: int, b: int) -> list[tuple[int, int]]:
        return list(zip(self.calls[a][1], self.calls[b][1], strict=True))

    def _explain(self, pairs: list[tuple[int, int]]) -> list[Hashable]:
        reasons: dict[Hashable, None] = {}
        done: set[tuple[int, int]] = set()
        stack = list(reversed(pairs))
        while stack:
            here, end = pair = stack.pop()
            if pair in done or here == end:
                continue
            done.add(pair)
            for there, reason in self.proofs.path(here, end):
                if reason is None:
                    stack.extend(self._arguments(here, there))
                else:
                    reasons[reason] = None
                here = there
        return list(reasons)
