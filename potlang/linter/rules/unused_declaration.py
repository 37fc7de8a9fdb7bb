"""POT9010: a sort, a function, a constant or a variable that nothing in the program uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from potlang.diag import Place
from potlang.expressions import surface as s
from potlang.ir.nodes import SymbolKind
from potlang.linter.linted import LintedProgram, removal
from potlang.linter.rule import LintFinding, LintRule

_WORD = re.compile(r"\w+")


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    tree = program.tree
    used = {symbol.name for symbol in program.used.symbols}
    # Where nothing has a name yet, there is nothing left of what is counted.
    for formula in program.formulas:
        if formula.pointer in program.counting:
            used.update(_WORD.findall(formula.text))
    # What a pack is given, it uses in its own text.
    given = {name for each in tree.imports for name, _ in each.substitution.values()}
    sorts, variables = _written_sorts(program), _variables(program)
    for sort in tree.sorts:
        if sort.name not in sorts | given and used.isdisjoint(name for name, _, _ in sort.fields):
            yield _finding("sort", sort.name, sort.pointer)
    for function in tree.functions:
        if function.name not in used | given:
            yield _finding("function", function.name, function.pointer)
    # Where a table has the members of a sort, its constants are values.
    values = (
        {node.value for node in program.used.literals if isinstance(node.value, str)}
        if tree.sources
        else set()
    )
    for group in tree.constants:
        for name, pointer in group.members:
            if name not in used | given | values:
                yield _finding("constant", name, pointer)
    for variable in tree.variables:
        if variable.name not in variables | given:
            yield _finding("variable", variable.name, variable.pointer)


def _finding(kind: str, name: str, pointer: str) -> LintFinding:
    return LintFinding(
        Place(pointer),
        {"kind": kind, "name": name},
        helps=(f"remove it, or say something about `{name}`",),
        fixes=(removal(pointer, f"remove `{name}`"),),
    )


def _written_sorts(program: LintedProgram) -> set[str]:
    """The names of the sorts that declarations and formulas use."""
    tree = program.tree
    written: list[s.SortExpr | int | None] = []
    for function in tree.functions:
        written += [*function.domain, function.range]
    written += [group.sort for group in tree.constants]
    for sort in tree.sorts:
        written += [sort.definition, *(part for _, part, _ in sort.fields)]
    binders = list(tree.variables)
    for statement in (*tree.rules, *tree.verifications):
        binders += [*statement.binders, *statement.find]
    for fact in tree.facts:
        binders += fact.variables
    if tree.optimization is not None:
        binders += tree.optimization.variables
    written += [each.sort for each in binders]
    used = {node.sort for node in program.used.literals}
    used.update(var.sort for quant in program.used.quantifiers for var in quant.binders)
    found = set(map(str, used))
    while written:
        expr = written.pop()
        if isinstance(expr, s.SortExpr):
            found.add(expr.name)
            written += expr.args
    return found


def _variables(program: LintedProgram) -> set[str]:
    """The names of the variables that are bound, or occur free."""
    tree = program.tree
    found = {var.name for quant in program.used.quantifiers for var in quant.binders}
    found.update(each.name for each in program.module.symbols if each.kind is SymbolKind.FREE)
    for statement in (*tree.rules, *tree.verifications):
        found.update(each.name for each in (*statement.binders, *statement.find))
    # Sums and counts are expanded: their variables are nowhere in the formulas.
    if not found.issuperset(each.name for each in tree.variables):
        found.update(*(_WORD.findall(each.text) for each in program.formulas))
    return found


RULE = LintRule("POT9010", _find)
