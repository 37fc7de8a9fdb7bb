"""Ranges of whole numbers that the body of a quantifier itself sets ([IR-EVAL-7]).

In `forall b. 1 <= b and b <= n(p) => …` every other b makes the body true, whatever else is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.module import Definition
from potlang.ir.nodes import App, Node, Quant, Sym, Symbol, Var, free_variables, reachable
from potlang.ir.sorts import INT

TRIED = range(-1, 3)
"""Numbers that are tried where they are infinitely many: one may decide, whatever the others do."""
MOST_NUMBERS = 1 << 16
"""Numbers that are tried for one variable."""


class NumberLimit(NamedTuple):
    """A variable is at least (`is_least`) or at most the value of a term, and `more`."""

    is_least: bool
    term: Node
    more: int


BinderLimits = Mapping[Var, Sequence[NumberLimit]]


class NumberRanges:
    """The limits of the binders of quantifiers, each found once; definitions are those of a structure."""

    def __init__(self, definitions: Mapping[Symbol, Definition]) -> None:
        self._definitions = definitions
        self._limits: dict[int, BinderLimits] = {}
        self._plain: dict[int, bool] = {}

    def limits(self, quant: Quant) -> BinderLimits:
        """The bounds that the body sets for each binder of sort Int, by terms without quantifiers."""
        if quant.id not in self._limits:
            found: dict[Var, list[NumberLimit]] = {var: [] for var in quant.binders if var.sort is INT}
            around = frozenset((*quant.binders, *free_variables(quant)))
            for atom, wanted in _needed(quant, around):
                for var, limit in _limits(atom, wanted):
                    # What a quantifier below binds means nothing outside of it.
                    is_known = var in found and around.issuperset(free_variables(limit.term))
                    if is_known and self._is_plain(limit.term):
                        found[var].append(limit)
            self._limits[quant.id] = found
        return self._limits[quant.id]

    def _is_plain(self, term: Node) -> bool:
        """Whether no quantifier is in a term, nor in what it uses by definition."""
        if term.id not in self._plain:
            waiting, seen = [term], {term.id}
            is_plain = True
            while waiting and is_plain:
                for node in reachable(waiting.pop()):
                    is_plain = is_plain and not isinstance(node, Quant)
                    body = self._body(node)
                    if body is not None and body.id not in seen:
                        seen.add(body.id)
                        waiting.append(body)
            self._plain[term.id] = is_plain
        return self._plain[term.id]

    def _body(self, node: Node) -> Node | None:
        """The body of the function or constant that a node is an application of, if it is defined."""
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        definition = self._definitions.get(symbol) if isinstance(symbol, Symbol) else None
        return None if definition is None else definition.body


def range_by(limits: Sequence[NumberLimit], value: Callable[[Node], object]) -> range | None:
    """The numbers within limits; None if one side has none, or they are too many.

    What has no value is no limit: the numbers that it would exclude are tried.
    """
    least: int | None = None
    most: int | None = None
    for limit in limits:
        found = value(limit.term)
        if not isinstance(found, int):
            continue
        at = found + limit.more
        if limit.is_least:
            least = at if least is None else max(least, at)
        else:
            most = at if most is None else min(most, at)
    if least is None or most is None or most - least >= MOST_NUMBERS:
        return None
    return range(least, most + 1)


def _needed(quant: Quant, around: Set[Var]) -> Iterator[tuple[App, bool]]:
    """The atoms that have a certain value wherever the body has the one that decides.

    Below a quantifier that binds one of the variables `around` again it is another variable.
    """
    stack: list[tuple[Node, bool]] = [(quant.body, quant.kind == "exists")]
    seen: set[tuple[int, bool]] = set()
    while stack:
        node, wanted = stack.pop()
        if (node.id, wanted) in seen:
            continue
        seen.add((node.id, wanted))
        if isinstance(node, Quant):
            # A quantifier that decides has one binding with which its body does.
            if (node.kind == "exists") is wanted and around.isdisjoint(node.binders):
                stack.append((node.body, wanted))
        elif isinstance(node, App):
            if node.op is op.NOT:
                stack.append((node.args[0], not wanted))
            elif node.op is (op.AND if wanted else op.OR):
                stack.extend((arg, wanted) for arg in node.args)
            elif node.op is op.IMPLIES and not wanted:
                stack += [(node.args[0], True), (node.args[1], False)]
            else:
                yield node, wanted


def _limits(atom: App, wanted: bool) -> Iterator[tuple[Var, NumberLimit]]:
    """The bounds that an atom with this value sets for the variables that are its sides."""
    if atom.op not in (op.LT, op.LE, op.EQ) or (atom.op is op.EQ and not wanted):
        return
    one, two = atom.args
    for var, other, is_left in ((one, two, True), (two, one, False)):
        if not isinstance(var, Var) or var in reachable(other):
            continue
        if atom.op is op.EQ:
            yield var, NumberLimit(True, other, 0)
            yield var, NumberLimit(False, other, 0)
            continue
        # The denial of x < t is t <= x, that of x <= t is t < x.
        strict = (atom.op is op.LT) is wanted
        is_least = is_left is not wanted
        yield var, NumberLimit(is_least, other, (1 if is_least else -1) if strict else 0)
