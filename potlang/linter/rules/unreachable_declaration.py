"""POT9011: a function of which facts and rules speak, but which has nothing to do with what is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potlang.diag import Place
from potlang.ir.nodes import Node, Symbol
from potlang.linter.linted import LintedProgram, Mentioned
from potlang.linter.rule import LintFinding, LintRule


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    module = program.module
    if not module.claims:
        return
    reached = _symbols(each.formula for each in (*module.claims, *module.norms))
    if module.optimization is not None:
        reached |= _symbols(each.term for each in module.optimization.objectives)
    waiting = [_symbols([each]) for each in program.premises]
    waiting += [_symbols([each.body]) | {each.symbol} for each in module.definitions]
    growing = True
    while growing:
        near = [each for each in waiting if not _functions(each).isdisjoint(reached)]
        waiting = [each for each in waiting if _functions(each).isdisjoint(reached)]
        reached = reached.union(*near)
        growing = bool(near)
    far = frozenset().union(*waiting) - reached
    for function in program.tree.functions:
        if any(symbol.name == function.name for symbol in far):
            yield LintFinding(
                Place(function.pointer),
                {"name": function.name},
                helps=("what the program says of it cannot change an answer",),
            )


def _functions(symbols: frozenset[Symbol]) -> frozenset[Symbol]:
    """The symbols through which one premise bears on another: an individual is no such link."""
    return frozenset(each for each in symbols if each.domain) or symbols


def _symbols(roots: Iterable[Node]) -> frozenset[Symbol]:
    found = Mentioned()

    found.look_at(roots)
    return frozenset(found.symbols)


RULE = LintRule("POT9011", _find, by_default=False)
