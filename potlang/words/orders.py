"""Whether formulas order things as the words of a text do ([ORDER-CONFLICT]).

A text says which way its scales run by all that it orders along them. A program that numbers the places of a
race from the first one on, and has `below` as a smaller number, has made one of two scales out of one: models
do that alike, so that no comparison of their programs shows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, flattened, reachable
from potlang.ir.operators import AND, EQ, LE, LT
from potlang.ir.sorts import INT, REAL
from potlang.words.order_phrases import OrderPhrase, order_phrases


class OrderedAs(NamedTuple):
    """A phrase of a text and the formula that is about the same."""

    phrase: OrderPhrase
    formula: Node


class OrderConflict(NamedTuple):
    """Two phrases on one scale, which the formulas number from opposite ends."""

    one: OrderedAs
    other: OrderedAs

    def described(self, written: Callable[[Node], str]) -> str:
        """A sentence on it, without its stop; `written` makes the text of a formula."""
        pairs = [
            f'"{each.phrase.words}" as {written(each.formula).removeprefix("(").removesuffix(")")}'
            for each in self
        ]
        return f"the same scale is numbered from one end in {pairs[0]}, and from the other in {pairs[1]}"


def order_conflict(text: str, formulas: Iterable[Node]) -> OrderConflict | None:
    """The first two phrases of a text that formulas order in opposite directions; None where none are."""
    stated = list(formulas)
    found = list(_literals(stated))
    names = {place.name for each in found for place in (each.first, each.second) if place is not None}
    directions: dict[tuple[str, Symbol | None], dict[bool, OrderedAs]] = defaultdict(dict)
    for phrase, each, ascends in _directions(order_phrases(text, names), found, _sizes(stated, found)):
        known = directions[phrase.pole.scale, each.first.function]
        known.setdefault(ascends, OrderedAs(phrase, each.formula))
        if len(known) > 1:
            return OrderConflict(known[True], known[False])
    return None


# --- formulas ------------------------------------------------------------------------------------------


class _PlaceTerm(NamedTuple):
    """A thing's place: the value of a function of it, or of the constant itself."""

    function: Symbol | None
    name: str


class _OrderLiteral(NamedTuple):
    """The first place is less than the second, or is the number."""

    formula: Node
    first: _PlaceTerm
    second: _PlaceTerm | None = None
    number: Fraction | None = None


def _literals(formulas: Iterable[Node]) -> Iterator[_OrderLiteral]:
    """The comparisons that are formulas, or stand in conjunctions."""
    for each in (part for formula in formulas for part in flattened(formula, AND)):
        if not isinstance(each, App) or each.op not in (LT, LE, EQ):
            continue
        first, second = each.args
        if each.op is EQ and isinstance(first, Lit):
            first, second = second, first
        place, other = _place(first), _place(second)
        if place is None:
            continue
        if each.op is EQ:
            if (
                second.sort in (INT, REAL)
                and isinstance(second, Lit)
                and isinstance(second.value, int | Fraction)
            ):
                yield _OrderLiteral(each, place, number=Fraction(second.value))
        elif other is not None and place.function is other.function:
            yield _OrderLiteral(each, place, other)


def _place(term: Node) -> _PlaceTerm | None:
    if isinstance(term, Sym):
        return _PlaceTerm(None, term.symbol.name)
    if isinstance(term, App) and isinstance(term.op, Symbol) and len(term.args) == 1:
        (thing,) = term.args
        if isinstance(thing, Sym):
            return _PlaceTerm(term.op, thing.symbol.name)
        if isinstance(thing, Lit) and isinstance(thing.value, str):
            return _PlaceTerm(term.op, thing.value)
    return None


# --- directions ----------------------------------------------------------------------------------------


_Direction = tuple[OrderPhrase, _OrderLiteral, bool]
"""A phrase, what a formula says of the same, and whether its numbers grow towards the scale's second end."""


def _directions(
    phrases: Sequence[OrderPhrase],
    literals: Sequence[_OrderLiteral],
    sizes: Mapping[Symbol | None, Fraction],
) -> Iterator[_Direction]:
    yield from _of_pairs(phrases, literals)
    yield from _of_ranks(phrases, literals, sizes)


def _of_pairs(phrases: Sequence[OrderPhrase], literals: Sequence[_OrderLiteral]) -> Iterator[_Direction]:
    by_pair: dict[frozenset[str], list[OrderPhrase]] = defaultdict(list)
    for phrase in phrases:
        if phrase.second is not None:
            by_pair[frozenset((phrase.first, phrase.second))].append(phrase)
    said: dict[frozenset[str], list[_OrderLiteral]] = defaultdict(list)
    for each in literals:
        if each.second is not None:
            said[frozenset((each.first.name, each.second.name))].append(each)
    for pair, own in by_pair.items():
        # An answer to choose may say the opposite of what is given: which formula is about which is open.
        ends = {(each.pole if each.first == own[0].first else each.pole.opposite) for each in own}
        if len(ends) == 1 and len({each.first for each in said[pair]}) == 1:
            phrase, each = own[0], said[pair][0]
            yield phrase, each, phrase.pole.end is not (each.first.name == phrase.first)


def _of_ranks(
    phrases: Sequence[OrderPhrase],
    literals: Sequence[_OrderLiteral],
    sizes: Mapping[Symbol | None, Fraction],
) -> Iterator[_Direction]:
    ranked: dict[str, dict[str, list[OrderPhrase]]] = defaultdict(lambda: defaultdict(list))
    for phrase in phrases:
        if phrase.rank is not None:
            ranked[phrase.first][phrase.pole.scale].append(phrase)
    for each in literals:
        if each.number is None:
            continue
        count = sizes[each.first.function]
        for own in ranked[each.first.name].values():
            # Answers to choose from rank a thing several times: what fits from both ends tells nothing.
            ascending = [phrase for phrase in own if _number(phrase, count, ascends=True) == each.number]
            descending = [phrase for phrase in own if _number(phrase, count, ascends=False) == each.number]
            if bool(ascending) is not bool(descending):
                yield (*ascending, *descending)[0], each, bool(ascending)


def _sizes(formulas: Sequence[Node], literals: Sequence[_OrderLiteral]) -> dict[Symbol | None, Fraction]:
    """How many places each function has, at least: things of which it is said, and numbers of one."""
    names: dict[Symbol | None, set[str]] = defaultdict(set)
    for node in reachable(*formulas):
        place = _place(node) if node.sort in (INT, REAL) else None
        if place is not None:
            names[place.function].add(place.name)
    sizes = {function: Fraction(len(found)) for function, found in names.items()}
    for each in literals:
        if each.number is not None:
            sizes[each.first.function] = max(sizes[each.first.function], each.number)
    return sizes


def _number(phrase: OrderPhrase, count: Fraction, *, ascends: bool) -> Fraction:
    """The number of a rank, where numbers from 1 on grow towards the second end of the scale, or fall."""
    rank = Fraction(phrase.rank or 0)
    return rank if phrase.pole.end is not ascends else count + 1 - rank
