"""The names of a program in a few lines, for a model that writes claims without having seen it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from potlang.expressions.names import written
from potlang.ir.module import Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import EnumSort, Sort
from potlang.sema.emit import sort_text

_KINDS: Final = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.DEFINED)
_MOST: Final = 100


def vocabulary(module: Module) -> list[str]:
    """Its functions with their sorts, and for each sort the names that it has; each list cut at 100 names."""
    # In the sorts that the program writes: a date is stated as one, not as its number.
    symbols = [each.declared or each for each in module.symbols if each.kind in _KINDS]
    functions = [signature(each) for each in symbols if each.domain]
    # Functions first: whoever has room for one line needs these most.
    lines = [f"the policy's functions: {_listed(functions)}"] if functions else []
    return [*lines, *islice(_members(module, symbols), _MOST)]


def _members(module: Module, symbols: list[Symbol]) -> Iterator[str]:
    names: dict[Sort, list[str]] = {
        sort: list(map(written, sort.values)) for sort in module.sorts if isinstance(sort, EnumSort)
    }
    for symbol in symbols:
        if not symbol.domain:
            names.setdefault(symbol.range, []).append(written(symbol.name))
    for sort, found in names.items():
        yield f"of sort {sort_text(sort)}: {_listed(found)}"


def signature(symbol: Symbol) -> str:
    """A function with its sorts: `days(Item): Int`."""
    return f"{written(symbol.name)}({', '.join(map(sort_text, symbol.domain))}): {sort_text(symbol.range)}"


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return ", ".join(found[:_MOST]) + more
