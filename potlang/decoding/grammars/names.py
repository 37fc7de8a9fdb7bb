"""The names that a grammar admits, where a program or a theory says which there are."""

from __future__ import annotations

from string import ascii_lowercase
from typing import NamedTuple

from potlang.ir.nodes import SymbolKind
from potlang.ir.sorts import EnumSort, TupleSort
from potlang.languages.pot.program import Program
from potlang.sema.builtins import BUILTINS
from potlang.sema.sorts import BUILTIN, CONSTRUCTORS


class AllowedNames(NamedTuple):
    """The names of constants, functions and members; of sorts; of bound variables.

    `declared`: those of the first that the program declares itself. `functions`, of these: what is applied.
    """

    symbols: tuple[str, ...]
    sorts: tuple[str, ...]
    variables: tuple[str, ...]
    declared: tuple[str, ...]
    functions: tuple[str, ...]


def names_of(program: Program) -> AllowedNames:
    """The names that formulas over a program's declarations may use.

    Bound variables are those that the program declares, and single letters that are not declared.
    """
    module = program.module.typed or program.module
    symbols = [each for each in module.symbols if each.kind is not SymbolKind.FRESH]
    declared = dict.fromkeys(each.name for each in symbols)
    functions = dict.fromkeys(each.name for each in symbols if each.domain)
    for sort in module.sorts:
        if isinstance(sort, EnumSort):
            declared.update(dict.fromkeys(sort.values))
        if isinstance(sort, TupleSort):
            parts = dict.fromkeys((sort.name, *(name for name, _ in sort.fields)))
            declared.update(parts)
            functions.update(parts)
    variables = dict.fromkeys(each.name for each in program.tree.variables)
    variables.update((letter, None) for letter in ascii_lowercase if letter not in declared)
    return AllowedNames(
        symbols=tuple(dict.fromkeys((*declared, *BUILTINS, "True", "False"))),
        sorts=tuple(dict.fromkeys((*(sort.name for sort in module.sorts), *BUILTIN, *CONSTRUCTORS))),
        variables=tuple(variables),
        declared=tuple(declared),
        functions=tuple(functions),
    )
