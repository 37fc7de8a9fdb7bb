"""Claims in the words that two programs share, drawn at random with a seed ([POLICY-SAMPLES])."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Final, NamedTuple

from potlang.expressions.names import written
from potlang.ir.module import Module
from potlang.ir.nodes import Lit, Symbol, SymbolKind, reachable
from potlang.ir.sorts import BOOL, INT, REAL, DeclaredSort, EnumSort, Sort
from potlang.sema.emit import sort_text

_KINDS: Final = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.DEFINED)
_TRIES: Final = 20
_MOST_NUMERALS: Final = 50
_LARGEST_NUMERAL: Final = 10**12
_RELATIONS: Final = ("==", ">=", "<=")


class _Words(NamedTuple):
    """The common vocabulary: functions with arguments or of numbers, members of sorts, numerals."""

    heads: tuple[Symbol, ...]
    members: dict[Sort, tuple[str, ...]]
    numerals: tuple[int, ...]
    names: frozenset[str]


def sample_claims(first: Module, second: Module, most: int, seed: int) -> list[str]:
    """At most `most` different claims that are formulas over the names which both declare alike.

    They are atoms, implications between two, and rules for all members of a sort. Fewer where the shared
    words do not give so many.
    """
    words = _shared(first, second)
    random = Random(seed)
    found: dict[str, None] = {}
    for _ in range(_TRIES * most if words.heads else 0):
        if len(found) >= most:
            break
        claim = _claim(words, random)
        if claim is not None:
            found[claim] = None
    return list(found)


def _shared(first: Module, second: Module) -> _Words:
    others = {symbol.name: symbol for symbol in second.symbols if symbol.kind in _KINDS}
    values = {sort.name: sort.values for sort in second.sorts if isinstance(sort, EnumSort)}
    common = [
        symbol
        for symbol in first.symbols
        if symbol.kind in _KINDS
        and symbol.name in others
        and _profile(symbol) == _profile(others[symbol.name])
    ]
    members: dict[Sort, tuple[str, ...]] = {BOOL: ("True", "False")}
    for sort in first.sorts:
        if isinstance(sort, EnumSort):
            known = values.get(sort.name, sort.values)
            members[sort] = tuple(written(each) for each in sort.values if each in known)
    for symbol in common:
        if not symbol.domain and symbol.range not in (BOOL, INT, REAL):
            members[symbol.range] = (*members.get(symbol.range, ()), written(symbol.name))
    heads = [each for each in common if each.domain or each.range in (BOOL, INT, REAL)]
    # All names of both, so that a bound variable cannot mean one of them.
    names = frozenset(symbol.name for module in (first, second) for symbol in module.symbols)
    return _Words(
        tuple(heads),
        members,
        _numerals(first, second),
        names | {each for m in members.values() for each in m},
    )


def _profile(symbol: Symbol) -> tuple[str, ...]:
    return (*map(sort_text, symbol.domain), sort_text(symbol.range))


def _numerals(*modules: Module) -> tuple[int, ...]:
    """Whole numbers that the programs speak of, and their neighbours: where verdicts change."""
    found = {0, 1}
    for module in modules:
        for node in reachable(*module.formulas()):
            if (
                isinstance(node, Lit)
                and node.sort in (INT, REAL)
                and not isinstance(node.value, bool | str | None)
            ):
                near = int(node.value)
                if abs(near) < _LARGEST_NUMERAL:
                    found |= {near - 1, near, near + 1}
    return tuple(sorted(found)[:_MOST_NUMERALS])


def _claim(words: _Words, random: Random) -> str | None:
    shape = random.random()
    if shape < 0.5:
        return _atom(words, random, None)
    if shape < 0.75:
        return _implication(words, random, None)
    sorts = sorted(
        {each for head in words.heads for each in head.domain if isinstance(each, DeclaredSort | EnumSort)},
        key=str,
    )
    if not sorts:
        return None
    sort = random.choice(sorts)
    variable = next(name for name in (f"x{number or ''}" for number in count()) if name not in words.names)
    body = _implication(words, random, (variable, sort))
    return None if body is None else f"ForAll([{variable}: {sort_text(sort)}], {body})"


def _implication(words: _Words, random: Random, bound: tuple[str, Sort] | None) -> str | None:
    left, right = _atom(words, random, bound), _atom(words, random, bound)
    return None if left is None or right is None or left == right else f"Implies({left}, {right})"


def _atom(words: _Words, random: Random, bound: tuple[str, Sort] | None) -> str | None:
    """An atom, with the variable in it if one is given; None where there is no such."""
    heads: Sequence[Symbol] = words.heads
    if bound is not None:
        heads = [each for each in heads if bound[1] in each.domain]
    if not heads:
        return None
    head = random.choice(heads)
    arguments = [_member(words, sort, random) for sort in head.domain]
    if bound is not None:
        places = [at for at, sort in enumerate(head.domain) if sort == bound[1]]
        arguments[random.choice(places)] = bound[0]
    if any(each is None for each in arguments):
        return None
    term = written(head.name)
    if arguments:
        term += f"({', '.join(str(each) for each in arguments)})"
    if head.range == BOOL:
        return term
    if head.range in (INT, REAL):
        return f"{term} {random.choice(_RELATIONS)} {random.choice(words.numerals)}"
    value = _member(words, head.range, random)
    return None if value is None else f"{term} == {value}"


def _member(words: _Words, sort: Sort, random: Random) -> str | None:
    if sort in (INT, REAL):
        return str(random.choice(words.numerals))
    found = words.members.get(sort)
    return random.choice(found) if found else None
