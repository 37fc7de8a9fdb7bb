"""Defined functions: bodies elaborated under their parameters, ordered so that each follows its uses."""

from __future__ import annotations

from collections.abc import Sequence

from potlang.diag import Place
from potlang.expressions import surface as s
from potlang.ir.graphs import ordered
from potlang.ir.module import Definition, Origin
from potlang.ir.nodes import Symbol, Var, symbols_in
from potlang.sema.advice import count
from potlang.sema.elaborate import Elaborator
from potlang.sema.scope import FunctionEntry
from potlang.source import join_pointer


def build_definitions(
    functions: list[s.FunctionDecl], e: Elaborator, imported: Sequence[Definition] = ()
) -> list[Definition]:
    """The definitions of all functions with a body, those that packs bring among them.

    Recursion is an error, since it is no definition.
    """
    found = {definition.symbol: definition for definition in imported}
    for function in functions:
        entry = e.scope.entries.get(function.name)
        if function.body is None or not isinstance(entry, FunctionEntry) or entry.symbol is None:
            continue
        definition = build_definition(function, entry.symbol, e)
        if definition is not None:
            found[entry.symbol] = definition
    return _in_order(found, {definition.symbol for definition in imported}, e)


def build_definition(function: s.FunctionDecl, symbol: Symbol, e: Elaborator) -> Definition | None:
    """The definition of one function with a body; None, with reports, where it has an error."""
    assert function.body is not None
    params = function.params or []
    if len(params) != len(symbol.domain):
        e.sink.report(
            "POT3002",
            join_pointer(function.pointer, "params"),
            name=function.name,
            expected=count(len(symbol.domain), "parameter"),
            found=f"{len(params)} {'is' if len(params) == 1 else 'are'}",
            helps=["`params` names one parameter for each sort of `domain`"],
        )
        return None
    variables: list[Var] = []
    for param, sort in zip(params, symbol.domain, strict=True):
        _check_written_sort(param, sort, e)
        variables.append(e.pool.var(param.name, sort))
    binders = [(var.name, var) for var in variables]
    e.scope.push(list(binders))
    body = e.term(function.body, symbol.range)
    e.scope.pop(list(binders))
    if body is None:
        return None
    return Definition(symbol, tuple(variables), body, Origin(function.pointer, function.body.text))


def _check_written_sort(param: s.BinderDecl, sort: object, e: Elaborator) -> None:
    if param.sort is None:
        return
    written = e.sorts.resolve(param.sort)
    if written is not None and written != sort:
        place = Place(param.sort.pointer, (param.sort.start, param.sort.end))
        e.sink.report("POT3001", place, expected=sort, found=written)


def _in_order(found: dict[Symbol, Definition], imported: set[Symbol], e: Elaborator) -> list[Definition]:
    """Each after those that it uses; cycles are reported."""

    def uses(symbol: Symbol) -> list[Symbol]:
        return [each for each in symbols_in(found[symbol].body) if each in found]

    def cyclic(path: list[Symbol]) -> None:
        # A pack alone has no cycle: the program's own definition is at fault.
        own = next((symbol for symbol in path if symbol not in imported), path[0])
        _report_cycle(found[own], [symbol.name for symbol in path], e)

    return [found[symbol] for symbol in ordered(found, uses, cyclic)]


def _report_cycle(definition: Definition, names: list[str], e: Elaborator) -> None:
    e.sink.report(
        "POT4008",
        join_pointer(definition.origin.pointer, "body"),
        cycle=" -> ".join([*names, names[0]]),
        helps=["declare the function without a body and say what holds of it in `rules`"],
    )
