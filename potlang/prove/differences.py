"""Two models of an undetermined claim, alike but for what its truth may depend on ([VERDICT-DIFFERENCE]).

What differs between two models that solvers found is mostly chance. A value is exchanged between the two:
if both stay models, with the claim true in the one and false in the other, it does not matter, and one takes
the other's. What is left is what to ask about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.evaluator import Evaluator
from potlang.ir.nodes import App, Node, Quant, Sym, Symbol, reachable, symbols_in
from potlang.ir.sorts import ArraySort, DeclaredSort, FunctionSort, SetSort, TupleSort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure
from potlang.ir.values import Unspecified
from potlang.prove.terms import ShownTerm
from potlang.utils.deadline import Deadline

MOST_MS = 200.0
"""Of one claim, unless all symbols are shown ([LIMIT-DIFFERENCE])."""
MOST_MS_FULL = 500.0
MOST_MS_CALL = 300.0
"""Of all claims of a call."""
_MOST_ROUNDS = 4
_MOST_EXCHANGES = 60
"""Of one claim: a count, so that the same program gets the same answer on every machine."""
_PLAIN = (bool, int, Fraction, str)
_NOT_COMPARED = (DeclaredSort, TupleSort, SetSort, ArraySort, FunctionSort)

IsModel = Callable[[int, Structure, Structure], bool]
"""Whether a structure is a model of the claim (0) or its denial (1), as the one that it was made of."""
Cell = tuple[Symbol, tuple[object, ...]]


class Nearest(NamedTuple):
    """Two models with the claim true and false in them, and the terms in whose values they differ."""

    true: Structure
    false: Structure
    terms: tuple[ShownTerm, ...]


def nearest(
    true: Structure, false: Structure, terms: Sequence[ShownTerm], is_model: IsModel, deadline: Deadline
) -> Nearest | None:
    """The two models, as near to each other as exchanges bring them; None if that takes too long."""
    # Elements, records and the like are not compared.
    terms = [each for each in terms if not isinstance(each.node.sort, _NOT_COMPARED)]
    pair, left = _ModelPair(true, false, terms), _MOST_EXCHANGES
    # In halves: what belongs together is exchanged together, be it of one individual or of one function.
    for number in range(_MOST_ROUNDS):
        differing = list(pair.differing)
        if number % 2 == 0:
            differing.sort(key=_arguments)
        waiting = _halves(differing)
        refused, is_done = False, number % 2 == 1
        while waiting:
            if deadline.passed() or not left:
                return None
            group, left = waiting.pop(), left - 1
            other = pair.exchanged(group)
            if other is not None and other.is_made_of(pair, is_model):
                pair = _ModelPair(other.true, pair.false, terms)
                # What was refused before may be possible now.
                is_done = is_done and not refused
            else:
                waiting += _halves(group)
                refused = True
        if is_done or len(differing) < 3:
            break
    return Nearest(pair.true, pair.false, tuple(pair.differing))


def _halves(group: list[ShownTerm]) -> list[list[ShownTerm]]:
    """The parts of a group of two or more, the first one last.

    All that differs is not exchanged at once: the models would have changed places.
    """
    middle = len(group) // 2
    return [group[middle:], group[:middle]] if len(group) > 1 else []


def _arguments(term: ShownTerm) -> tuple[int, ...]:
    return tuple(each.id for each in term.node.args) if isinstance(term.node, App) else ()


def to_ask(formula: Node, terms: Sequence[ShownTerm]) -> tuple[str, ...]:
    """Terms that would help to know: not the claim itself, and its own terms only if there is no other."""
    while isinstance(formula, App) and formula.op is op.NOT:
        formula = formula.args[0]
    rest = [each for each in terms if each.node is not formula]
    own = set(reachable(formula))
    # Over bound variables a claim has no ground terms, but speaks of functions all the same.
    bound = set(symbols_in(formula)) if any(isinstance(each, Quant) for each in own) else set()
    others = [each for each in rest if each.node not in own and _symbol(each.node) not in bound]
    return tuple(each.label for each in others or rest)


def _symbol(node: Node) -> object:
    return node.op if isinstance(node, App) else node.symbol if isinstance(node, Sym) else None


class _ModelPair:
    def __init__(self, true: Structure, false: Structure, terms: Sequence[ShownTerm]) -> None:
        self.true = true
        self.false = false
        self._terms = terms
        self._evaluators = Evaluator(true), Evaluator(false)

    def is_made_of(self, pair: _ModelPair, is_model: IsModel) -> bool:
        """Whether both are models still, as those of the pair that they were made of."""
        return is_model(0, self.true, pair.true) and is_model(1, self.false, pair.false)

    @cached_property
    def differing(self) -> list[ShownTerm]:
        """The terms that have another value in each."""
        found: dict[object, ShownTerm] = {}
        for term in self._terms:
            values = [_value(each, term.node) for each in self._evaluators]
            if all(isinstance(each, _PLAIN) for each in values) and values[0] != values[1]:
                # Of names of one thing in both, the first speaks for it.
                cells = self._cell(0, term.node), self._cell(1, term.node)
                found.setdefault(term.node if None in cells else cells, term)
        return list(found.values())

    def exchanged(self, terms: Sequence[ShownTerm]) -> _ModelPair | None:
        """Both structures with the values of these terms exchanged; None where one has no place for them."""
        changes: tuple[dict[Cell, object], dict[Cell, object]] = {}, {}
        for term in terms:
            cells = [self._cell(side, term.node) for side in (0, 1)]
            values = [_value(each, term.node) for each in self._evaluators]
            for side in (0, 1):
                cell = cells[side]
                if cell is None:
                    return None
                changes[side][cell] = values[1 - side]
        true, false = _changed(self.true, changes[0]), _changed(self.false, changes[1])
        return None if true is None or false is None else _ModelPair(true, false, self._terms)

    def _cell(self, side: int, node: Node) -> Cell | None:
        """The symbol and the arguments by which a structure has the value of a term."""
        structure = self.false if side else self.true
        if isinstance(node, Sym):
            return (node.symbol, ()) if node.symbol in structure.functions else None
        if not isinstance(node, App) or node.op not in structure.functions:
            return None
        args = tuple(_value(self._evaluators[side], arg) for arg in node.args)
        assert isinstance(node.op, Symbol)
        return None if None in args else (node.op, args)


def _value(evaluator: Evaluator, node: Node) -> object:
    try:
        return evaluator.value(node)
    except (NotEvaluable, Unspecified):
        return None


def _changed(structure: Structure, changes: Mapping[Cell, object]) -> Structure | None:
    functions = dict(structure.functions)
    for (symbol, args), value in changes.items():
        meaning = functions[symbol]
        if not args:
            functions[symbol] = value
        elif isinstance(meaning, FunctionTable):
            functions[symbol] = FunctionTable({**meaning.entries, args: value}, meaning.default)
        else:
            return None
    return replace(structure, functions=functions)
