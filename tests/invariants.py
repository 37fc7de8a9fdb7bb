"""The invariants of modules, which hold between all passes: [IR-1] to [IR-7] of `spec/45-ir.md`."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.ir.module import Module
from potlang.ir.nodes import (
    App,
    Node,
    Quant,
    Sym,
    Symbol,
    SymbolKind,
    Var,
    children,
    free_variables,
    reachable,
)
from potlang.ir.pool import IllSorted, result_sort
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, Sort, TupleSort, components


def check(module: Module) -> list[str]:
    """The violated invariants of `module`, a line each; empty if all hold."""
    nodes = reachable(*module.formulas())
    problems: list[str] = []
    for node in nodes:
        problems.extend(_of_node(node))
    if problems:
        return problems
    problems.extend(_declarations(module, nodes))
    problems.extend(_roots(module))
    problems.extend(_scopes(nodes))
    return problems


def _of_node(node: Node) -> Iterator[str]:
    """[IR-1] children first; [IR-2] well sorted."""
    if any(child.id >= node.id for child in children(node)):
        yield f"node {node.id} has a child with a larger id"
    if isinstance(node, App):
        try:
            if result_sort(node.op, node.args) != node.sort:
                yield f"node {node.id} has another sort than its operator gives it"
        except IllSorted as error:
            yield f"node {node.id}: {error}"
    elif isinstance(node, Quant) and (node.body.sort is not BOOL or node.sort is not BOOL):
        yield f"the quantifier {node.id} is not a formula"
    elif isinstance(node, Sym) and (node.symbol.domain or node.symbol.range != node.sort):
        yield f"node {node.id} is not a constant of its symbol's sort"


def _declarations(module: Module, nodes: list[Node]) -> Iterator[str]:
    """[IR-3] symbols are declared, defined, or need no declaration; [IR-4] so are sorts."""
    known = {*module.symbols, *(definition.symbol for definition in module.definitions)}
    free = (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR, SymbolKind.FRESH)
    missing: dict[Symbol, None] = {}
    sorts: dict[Sort, None] = {}
    for node in nodes:
        sorts[node.sort] = None
        if isinstance(node, Quant):
            sorts.update(dict.fromkeys(var.sort for var in node.binders))
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        if isinstance(symbol, Symbol) and symbol not in known and symbol.kind not in free:
            missing[symbol] = None
    for symbol in missing:
        yield f"the symbol {symbol.name[:100]!r} is not declared"
    for symbol in module.symbols:
        sorts.update(dict.fromkeys((*symbol.domain, symbol.range)))
    stack, seen = list(sorts), set(sorts)
    while stack:
        sort = stack.pop()
        if isinstance(sort, DeclaredSort | EnumSort | TupleSort) and sort not in module.sorts:
            yield f"the sort {sort.name[:100]!r} is not declared"
        for part in components(sort):
            if part not in seen:
                seen.add(part)
                stack.append(part)


def _roots(module: Module) -> Iterator[str]:
    """[IR-5] closed up to parameters, formulas where formulas are wanted; [IR-6] keys unique."""
    for definition in module.definitions:
        yield from _open(definition.body, definition.params, f"definition {definition.symbol.name[:100]!r}")
        domain = tuple(var.sort for var in definition.params)
        if (domain, definition.body.sort) != (definition.symbol.domain, definition.symbol.range):
            yield f"the definition of {definition.symbol.name[:100]!r} does not fit its symbol"
    named = [(f"assertion {a.key!r}", a.formula, ()) for a in module.assertions]
    claims = [(f"claim {c.key!r}", c.formula, c.find) for c in (*module.claims, *module.norms)]
    if module.optimization is not None:
        named += [(f"constraint {c.key!r}", c.formula, ()) for c in module.optimization.constraints]
        for objective in module.optimization.objectives:
            yield from _open(objective.term, (), f"objective {objective.name!r}")
    for label, formula, allowed in (*named, *claims):
        yield from _open(formula, allowed, label)
        if formula.sort is not BOOL:
            yield f"{label} is not a formula"
    for labels in ([label for label, _, _ in named], [label for label, _, _ in claims]):
        if len(set(labels)) < len(labels):
            yield "two parts have one key"


def _open(root: Node, allowed: tuple[Var, ...], label: str) -> Iterator[str]:
    for var in free_variables(root):
        if var not in allowed:
            yield f"{label} has the unbound variable {var.name[:100]!r}"


def _scopes(nodes: list[Node]) -> Iterator[str]:
    """[IR-7] no quantifier binds a variable twice, or one that a quantifier around it binds."""
    below: dict[int, frozenset[Var]] = {}
    nothing: frozenset[Var] = frozenset()
    for node in nodes:
        parts = [below[child.id] for child in children(node)]
        bound = max(parts, key=len, default=nothing)
        if not all(part <= bound for part in parts):
            bound = bound.union(*parts)
        if isinstance(node, Quant):
            if len(set(node.binders)) < len(node.binders) or not bound.isdisjoint(node.binders):
                yield f"the quantifier {node.id} binds a variable that is bound in it already"
            bound = bound.union(node.binders)
        below[node.id] = bound
