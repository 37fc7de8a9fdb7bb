"""POT9015: two declared names that differ by one letter more, in case, in underscores or in a plural."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from potlang.diag import Label, Place
from potlang.diag.near import edit_distance, numbered_alike
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import Finding, LintRule

_SHORTEST = 6
_MOST = 300
"""Functions that are compared in pairs."""


def _find(program: LintedProgram) -> Iterator[Finding]:
    places = {each.name: each.pointer for each in program.tree.functions}
    declared = [
        each for each in program.module.symbols if each.kind is SymbolKind.FUNCTION and each.name in places
    ]
    for one, other in combinations(declared[:_MOST], 2):
        if _are_near(one, other):
            yield Finding(
                Place(f"{places[other.name]}/name"),
                {"name": other.name, "other": one.name},
                labels=(Label(Place(f"{places[one.name]}/name"), "the other name"),),
                helps=("if one thing is meant, use one name for it",),
            )


def _are_near(one: Symbol, other: Symbol) -> bool:
    if (one.domain, one.range) != (other.domain, other.range) or numbered_alike(one.name, other.name):
        return False
    if _stem(one.name) == _stem(other.name):
        return True
    first, second = one.name.casefold(), other.name.casefold()
    if min(len(first), len(second)) < _SHORTEST or edit_distance(first, second, 1) != 1:
        return False
    # One letter in the place of another makes another word more often than a slip.
    return len(first) != len(second) or sorted(first) == sorted(second)


def _stem(name: str) -> str:
    return name.casefold().replace("_", "").removesuffix("s")


RULE = LintRule("POT9015", _find)
