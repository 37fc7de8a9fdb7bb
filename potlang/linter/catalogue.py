"""The packs of the standard library as formulas, to be compared with what a program says by hand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from potlang.ir.module import AssertionKind
from potlang.ir.nodes import Node, Symbol, symbols_in
from potlang.ir.sorts import DeclaredSort
from potlang.languages.pot.check import check
from potlang.linter.matching import Renaming, renamings
from potlang.utils.resources import pack_names

_MOST = 20
"""Renamings of one pack that are looked at: a pack of many symbols alike has very many."""


class CataloguedPack(NamedTuple):
    """A pack over its own names: its sort and symbol parameters, and its axioms."""

    name: str
    sorts: tuple[DeclaredSort, ...]
    symbols: tuple[Symbol, ...]
    axioms: tuple[Node, ...]


@lru_cache(maxsize=1)
def catalogue() -> tuple[CataloguedPack, ...]:
    """The packs that have axioms, those with many first."""
    found = [each for name in pack_names() if (each := _read(name)) is not None]
    return tuple(sorted(found, key=lambda each: -len(each.axioms)))


def _read(name: str) -> CataloguedPack | None:
    program = check({"imports": [name]}).program
    # A pack that is broken is reported where it is imported.
    module = None if program is None else program.module
    if module is None or module.definitions or not module.assertions:
        return None
    return CataloguedPack(
        name,
        tuple(each for each in module.sorts if isinstance(each, DeclaredSort)),
        module.symbols,
        tuple(each.formula for each in module.assertions if each.kind is AssertionKind.PACK),
    )


def occurrences(pack: CataloguedPack, formulas: list[Node]) -> list[Renaming]:
    """Renamings of all symbols of a pack under which some of the formulas have the form of its axioms.

    The other axioms may be said in another form, or not at all.
    """
    found: dict[tuple[Symbol, ...], Renaming] = {}
    for axiom in pack.axioms:
        for formula in formulas:
            for start in islice(renamings(axiom, formula, Renaming()), _MOST):
                whole = _completed(pack, formulas, start)
                if whole is not None and len(found) < _MOST:
                    found.setdefault(tuple(whole.symbols[each] for each in pack.symbols), whole)
    return list(found.values())


def _completed(pack: CataloguedPack, formulas: list[Node], given: Renaming) -> Renaming | None:
    """The renaming with the symbols that it lacks, taken from formulas of the form of further axioms."""
    for axiom in pack.axioms:
        if any(symbol not in given.symbols for symbol in symbols_in(axiom)):
            given = next(_further(axiom, formulas, given), given)
    return given if all(each in given.symbols for each in pack.symbols) else None


def _further(axiom: Node, formulas: list[Node], given: Renaming) -> Iterator[Renaming]:
    for formula in formulas:
        yield from renamings(axiom, formula, given)
