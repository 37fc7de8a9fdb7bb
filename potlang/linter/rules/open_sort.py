"""POT9022: a declared sort of which nothing is named, and over which nothing ranges.

Where a function of its members is used, as in `weight(vehicle(a))`, something is said of them all the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Place
from potlang.ir.sorts import DeclaredSort
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    module, tree = program.module, program.tree
    declared = [each for each in tree.sorts if each.kind == "DeclareSort"]
    if not declared:
        return
    used = {sort for symbol in program.used.symbols for sort in (*symbol.domain, symbol.range)}
    known = {symbol.range for symbol in module.symbols if not symbol.domain}
    known.update(sort for symbol in program.used.symbols for sort in symbol.domain)
    known.update(var.sort for quant in program.used.quantifiers for var in quant.binders)
    for each in declared:
        sort = DeclaredSort(each.name)
        # What is used nowhere has a finding of its own.
        if sort in used - known:
            yield LintFinding(
                Place(each.pointer),
                {"name": each.name},
                helps=(
                    f'if the members of {each.name} are known, list them: `"type": "EnumSort"` with `values`',
                ),
            )


RULE = LintRule("POT9022", _find)
