"""The packs of the standard library as formulas, to be compared with what a program says by hand."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from potlang.ir.module import AssertionKind
from potlang.ir.nodes import Node, Symbol, symbols_in
from potlang.ir.sorts import DeclaredSort
from potlang.languages.pot.check import check
from potlang.linter.matching import FormulaForm, Renaming, forms_of, renamings
from potlang.utils.resources import pack_names

_MOST = 20
"""Renamings of one pack that are looked at: a pack of many symbols alike has very many."""


class CataloguedPack(NamedTuple):
    """A pack over its own names: its sort and symbol parameters, and its axioms."""

    name: str
    sorts: tuple[DeclaredSort, ...]
    symbols: tuple[Symbol, ...]
    axioms: tuple[Node, ...]
    forms: tuple[FormulaForm, ...]
    """Of the conjuncts of the axioms that are not too large to be compared."""


@lru_cache(maxsize=1)
def catalogue() -> tuple[CataloguedPack, ...]:
    """The packs that say no more than axioms, those with many first.

    Left out are packs that define symbols, close predicates or have norms: rules are no substitute for these.
    """
    found = [each for name in pack_names() if (each := _read(name)) is not None]
    return tuple(sorted(found, key=lambda each: -len(each.axioms)))


def _read(name: str) -> CataloguedPack | None:
    checked = check({"imports": [name]})
    # What a pack counts are the members that a program has: over none it says something else, with a warning.
    module = None if checked.program is None or checked.diagnostics else checked.program.module
    if module is None or not module.assertions or module.definitions or module.norms:
        return None
    axioms = tuple(each.formula for each in module.assertions)
    if any(each.kind is not AssertionKind.PACK for each in module.assertions):
        return None
    if not all(set(module.symbols).issuperset(symbols_in(each)) for each in axioms):
        return None
    sorts = tuple(each for each in module.sorts if isinstance(each, DeclaredSort))
    return CataloguedPack(name, sorts, module.symbols, axioms, tuple(forms_of(module.pool, axioms)))


def occurrences(pack: CataloguedPack, forms: list[FormulaForm]) -> list[Renaming]:
    """Renamings of all symbols of a pack under which some of the forms are those of its axioms.

    The other axioms may be said in another form, or not at all.
    """
    found: dict[tuple[Symbol, ...], Renaming] = {}
    for axiom in pack.forms:
        for form in forms:
            for start in islice(renamings(axiom, form, Renaming()), _MOST):
                whole = _completed(pack, forms, start)
                if whole is not None and len(found) < _MOST:
                    found.setdefault(tuple(whole.symbols[each] for each in pack.symbols), whole)
    return list(found.values())


def _completed(pack: CataloguedPack, forms: list[FormulaForm], given: Renaming) -> Renaming | None:
    """The renaming with the symbols that it lacks, taken from forms of further axioms."""
    for axiom in pack.forms:
        if len(given.symbols) == len(pack.symbols):
            break
        further = (each for form in forms for each in renamings(axiom, form, given))
        given = next((each for each in further if len(each.symbols) > len(given.symbols)), given)
    return given if all(each in given.symbols for each in pack.symbols) else None
