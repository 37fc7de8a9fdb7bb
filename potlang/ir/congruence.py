"""Congruence closure over ground terms, with explanations.

After G. Nelson and D. C. Oppen, "Fast decision procedures based on congruence closure" (1980), and
R. Nieuwenhuis and A. Oliveras, "Proof-producing congruence closure" (2005). Function symbols and
operators alike are only functions here; different literals of a sort are different.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from potlang.ir.nodes import App, Lit, Node

Reason = Hashable
"""What the caller names an equation by."""


class Conflict(Exception):
    """The equation would make two different literals equal; `reasons` do so together with it."""

    def __init__(self, reasons: list[Reason]) -> None:
        super().__init__("two different literals")
        self.reasons = reasons


class Closure:
    """Classes of equal terms. An equation that leads to a conflict is reported, and not made."""

    def __init__(self) -> None:
        self._nodes: dict[int, Node] = {}
        self._leader: dict[int, int] = {}
        self._members: dict[int, int] = {}
        self._literal: dict[int, Lit] = {}
        self._uses: dict[int, list[App]] = {}
        self._signatures: dict[tuple[object, ...], App] = {}
        self._proof: dict[int, tuple[int, Reason | None, int, int]] = {}
        self._pending: deque[tuple[int, int, Reason | None]] = deque()

    def equal(self, a: Node, b: Node) -> bool:
        """Whether `a` and `b` are in one class."""
        self._add(a)
        self._add(b)
        self._propagate()
        return a is b or self._find(a.id) == self._find(b.id)

    def leader(self, node: Node) -> int:
        """A number for the class of `node`, until the next equation."""
        self._add(node)
        self._propagate()
        return self._find(node.id)

    def merge(self, a: Node, b: Node, reason: Reason) -> None:
        """Add the equation `a = b`, known by `reason`. Raises `Conflict`."""
        self._add(a)
        self._add(b)
        self._pending.append((a.id, b.id, reason))
        self._propagate()

    def explain(self, a: Node, b: Node) -> list[Reason]:
        """The reasons of the equations that make `a` and `b` equal, in order of discovery."""
        return self._explain([(a.id, b.id)])

    def _find(self, number: int) -> int:
        leader = self._leader
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    def _add(self, root: Node) -> None:
        """Register `root` and its arguments. Quantifiers are leaves."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node.id in self._nodes:
                stack.pop()
                continue
            missing = [arg for arg in node.args if arg.id not in self._nodes] if isinstance(node, App) else []
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._register(node)

    def _register(self, node: Node) -> None:
        number = node.id
        self._nodes[number] = node
        self._leader[number] = number
        self._members[number] = 1
        if isinstance(node, Lit):
            self._literal[number] = node
        elif isinstance(node, App):
            for leader in dict.fromkeys(self._find(arg.id) for arg in node.args):
                self._uses.setdefault(leader, []).append(node)
            self._sign(node)

    def _sign(self, node: App) -> None:
        """Enter `node` under its operator and its arguments' classes; who is there already is equal."""
        signature = (node.op, *[self._find(arg.id) for arg in node.args])
        other = self._signatures.setdefault(signature, node)
        if other is not node:
            self._pending.append((node.id, other.id, None))

    def _propagate(self) -> None:
        while self._pending:
            a, b, reason = self._pending.popleft()
            self._union(a, b, reason)

    def _union(self, a: int, b: int, reason: Reason | None) -> None:
        small, large = self._find(a), self._find(b)
        if small == large:
            return
        one, other = self._literal.get(small), self._literal.get(large)
        if one is not None and other is not None:
            pairs = [(a, one.id), (b, other.id)]
            if reason is None:
                pairs += self._arguments(a, b)
            reasons = self._explain(pairs)
            raise Conflict(reasons if reason is None or reason in reasons else [*reasons, reason])
        if self._members[small] > self._members[large]:
            small, large, a, b = large, small, b, a
        self._reroot(a)
        self._proof[a] = (b, reason, a, b)
        self._leader[small] = large
        self._members[large] += self._members[small]
        literal = one or other
        if literal is not None:
            self._literal[large] = literal
        moved = self._uses.pop(small, [])
        if moved:
            self._uses.setdefault(large, []).extend(moved)
            for node in moved:
                self._sign(node)

    def _reroot(self, number: int) -> None:
        """Turn the proof edges above `number` around, so that it has none."""
        edge = self._proof.pop(number, None)
        while edge is not None:
            above, reason, a, b = edge
            edge = self._proof.pop(above, None)
            self._proof[above] = (number, reason, a, b)
            number = above

    def _arguments(self, a: int, b: int) -> list[tuple[int, int]]:
        one, other = self._nodes[a], self._nodes[b]
        assert isinstance(one, App) and isinstance(other, App)
        return [(x.id, y.id) for x, y in zip(one.args, other.args, strict=True)]

    def _explain(self, pairs: list[tuple[int, int]]) -> list[Reason]:
        reasons: dict[Reason, None] = {}
        done: set[tuple[int, int]] = set()
        stack = list(reversed(pairs))
        while stack:
            pair = stack.pop()
            if pair in done or pair[0] == pair[1]:
                continue
            done.add(pair)
            for _, reason, a, b in self._path(*pair):
                if reason is None:
                    stack.extend(self._arguments(a, b))
                else:
                    reasons[reason] = None
        return list(reasons)

    def _path(self, a: int, b: int) -> list[tuple[int, Reason | None, int, int]]:
        """The proof edges between two members of one class: up from both to where they meet."""
        above = {a: 0}
        up: list[tuple[int, Reason | None, int, int]] = []
        here = a
        while here in self._proof:
            up.append(self._proof[here])
            here = self._proof[here][0]
            above[here] = len(up)
        down: list[tuple[int, Reason | None, int, int]] = []
        here = b
        while here not in above:
            down.append(self._proof[here])
            here = self._proof[here][0]
        return up[: above[here]] + down
