"""A function's body as a decision list: `(ite (= x a) v …)` and what solvers write for it in Bool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, Var, free_variables
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL

Key = tuple[Node, ...]
Immediate = Callable[[Node], bool]
"""Tells nodes that are values by themselves: different such nodes are different values."""


class DecisionList(NamedTuple):
    """The value at each key, the first where a key is there twice, and at all other arguments.

    No key and no value mentions a parameter. Keys are of `slots`: of each parameter itself, or of a
    function of it alone.
    """

    entries: tuple[tuple[Key, Node], ...]
    default: Node
    slots: tuple[Node, ...]

    def is_direct(self, params: tuple[Var, ...]) -> bool:
        """True if keys are of the parameters themselves."""
        return all(slot is param for slot, param in zip(self.slots, params, strict=True))


def decision_list(
    pool: Pool, body: Node, params: tuple[Var, ...], immediate: Immediate
) -> DecisionList | None:
    """The decision list of a body, in time linear in it; None if it is none.

    A decision is a condition that says of every parameter, or of one function of it, which value it has.
    """
    return _DecisionListBuilder(pool, params, immediate).run(body) if params else None


class _DecisionListBuilder:
    def __init__(self, pool: Pool, params: tuple[Var, ...], immediate: Immediate) -> None:
        self.pool = pool
        self.params = params
        self.immediate = immediate
        self.entries: list[tuple[Key, Node]] = []
        self.slots: dict[Node, Node] = {}
        self.flipped = False

    def run(self, body: Node) -> DecisionList | None:
        rest: Node | None = body
        while isinstance(rest, App):
            if rest.op is op.NOT:
                # Solvers negate whole lists; what is entered from here on is negated instead.
                self.flipped = not self.flipped
                rest = rest.args[0]
            elif rest.op is op.ITE:
                rest = self._choice(*rest.args)
            elif rest.sort is BOOL and rest.op in (op.AND, op.OR, op.EQ, op.IFF):
                rest = self._junction(rest)
            else:
                break
        # A Boolean parameter by itself is the equation of it and `true`.
        if rest is not None and rest.sort is BOOL and rest in self.params:
            rest = self._junction(rest)
        if rest is None or self._mentions(rest):
            return None
        slots = tuple(self.slots.get(param, param) for param in self.params)
        return DecisionList(tuple(self.entries), self._value(rest), slots)

    def _choice(self, condition: Node, value: Node, rest: Node) -> Node | None:
        keys = self._keys(condition)
        if keys is None or self._mentions(value):
            return None
        self._enter(keys, value)
        return rest

    def _junction(self, body: Node) -> Node | None:
        """Enter a disjunction of conditions, or a conjunction of negated ones; what is left of it."""
        keys = self._keys(body)
        if keys is not None:
            self._enter(keys, self.pool.true)
            return self.pool.false
        if not isinstance(body, App) or body.op not in (op.AND, op.OR):
            return None
        positive = body.op is op.OR
        left: list[Node] = []
        for arg in body.args:
            keys = self._keys(arg if positive else _denied(arg))
            if keys is None:
                left.append(arg)
            else:
                self._enter(keys, self.pool.truth(positive))
        # The entries are tried first, so a single part that is no condition may be what comes after them.
        if len(left) > 1:
            return None
        return left[0] if left else self.pool.truth(not positive)

    def _enter(self, keys: Iterable[Key], value: Node) -> None:
        value = self._value(value)
        self.entries.extend((key, value) for key in keys)

    def _value(self, node: Node) -> Node:
        if not self.flipped:
            return node
        return self.pool.truth(not node.value) if isinstance(node, Lit) else self.pool.negate(node)

    def _keys(self, condition: Node | None) -> list[Key] | None:
        """The arguments for which a condition holds, if it says which."""
        if condition is None:
            return None
        either = isinstance(condition, App) and condition.op is op.OR
        parts = condition.args if isinstance(condition, App) and either else (condition,)
        keys: list[Key] = []
        for part in parts:
            found = self._pinned(part)
            if found is None:
                return None
            keys += found
        return keys

    def _pinned(self, condition: Node) -> list[Key] | None:
        """One key for a conjunction of equations for all parameters; none if it contradicts itself."""
        both = isinstance(condition, App) and condition.op is op.AND
        parts = condition.args if isinstance(condition, App) and both else (condition,)
        pins: dict[Node, Node] = {}
        others: list[tuple[Node, Node, bool]] = []
        for part in parts:
            literal = self._literal(part)
            if literal is None:
                return None
            param, value, equal = literal
            if equal and param not in pins:
                pins[param] = value
            else:
                others.append(literal)
        if len(pins) < len(self.params):
            return None
        # A second literal on a parameter is redundant, or contradicts the first: that can be told of
        # values that are known to differ alone.
        for param, value, equal in others:
            if not (self.immediate(value) and self.immediate(pins[param])):
                return None
            if (value is pins[param]) is not equal:
                return []
        return [tuple(pins[param] for param in self.params)]

    def _literal(self, node: Node) -> tuple[Node, Node, bool] | None:
        """Parameter, value and True for an equation of its slot and a value, False for a negated one."""
        equal = True
        while isinstance(node, App) and node.op is op.NOT:
            equal, node = not equal, node.args[0]
        if node in self.params and node.sort is BOOL:
            return (node, self.pool.truth(equal), True) if self._is_slot(node, node) else None
        if not isinstance(node, App) or node.op not in (op.EQ, op.IFF):
            return None
        slot, value = node.args
        param = self._param(slot)
        if param is None:
            slot, value = value, slot
            param = self._param(slot)
        if param is None or self._mentions(value) or not self._is_slot(param, slot):
            return None
        return param, value, equal

    def _param(self, node: Node) -> Node | None:
        """The parameter that a node is, or is a function of."""
        if isinstance(node, App) and isinstance(node.op, Symbol) and len(node.args) == 1:
            node = node.args[0]
        return node if node in self.params else None

    def _is_slot(self, param: Node, slot: Node) -> bool:
        # A list has keys of one kind: what the first condition on a parameter compares, all must compare.
        return self.slots.setdefault(param, slot) is slot

    def _mentions(self, node: Node) -> bool:
        # Nearly all keys and values are flat; `free_variables` would walk each of them with a stack.
        if isinstance(node, Lit | Sym):
            return False
        if isinstance(node, App) and all(isinstance(arg, Lit | Sym) for arg in node.args):
            return False
        return any(variable in self.params for variable in free_variables(node))


def _denied(node: Node) -> Node | None:
    return node.args[0] if isinstance(node, App) and node.op is op.NOT else None
