"""The binders of quantifiers and sums in expressions: their sorts, and warnings where they hide a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from potlang.diag import Label, Place
from potlang.expressions import surface as s
from potlang.ir.nodes import Node, Var
from potlang.ir.sorts import Sort
from potlang.sema.operands import flat
from potlang.sema.scope import TermEntry, VariableEntry, describe

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator, Visit


def under_binders(
    e: Elaborator,
    name: str,
    heads: Sequence[s.Expr],
    body: s.Expr,
    sort: Sort | None,
    finish: Callable[[list[Var], Node], Node | None],
) -> Visit:
    """`finish` of the variables that `heads` bind and of the `body` under them; None after an error."""
    binders = _bind(e, flat(heads), heads[0], name)
    e.scope.push(binders)

    def close(found: list[Node | None]) -> Node | None:
        node = e.fit(found[0], sort, body)
        e.scope.pop(binders)
        variables = [var for _, var in binders if var is not None]
        if node is None or not variables or len(variables) < len(binders):
            return None
        return finish(variables, node)

    return e.gather((body,), (sort,), close)


def _bind(
    e: Elaborator, items: Sequence[s.Expr], owner: s.Expr, quantifier: str
) -> list[tuple[str, Var | None]]:
    """The binders of a list in an expression; each error is reported and its variable is None."""
    binders: list[tuple[str, Var | None]] = []
    for item in items:
        match item:
            case s.Name():
                binders.append((item.id, _named_binder(e, item)))
            case s.Binding():
                sort = e.sorts.resolve(item.sort)
                warn_shadowing(e, item.name.id, e.place(item.name))
                binders.append((item.name.id, None if sort is None else e.pool.var(item.name.id, sort)))
            case _:
                e.report(
                    "POT1020",
                    item,
                    problem=f"`{quantifier}` expects a variable name here, not an expression",
                    helps=[f"write {quantifier}([x, y], …) or {quantifier}([x: Sort], …)"],
                )
    if not items:
        e.report(
            "POT4001",
            owner,
            quantifier=quantifier,
            helps=["name the variables in the list, or drop the quantifier"],
        )
    return binders


def _named_binder(e: Elaborator, item: s.Name) -> Var | None:
    entry = e.scope.lookup(item.id)
    match entry:
        case VariableEntry():
            sort = entry.sort
        case TermEntry(node=node):
            warn_shadowing(e, item.id, e.place(item))
            sort = None if node is None else node.sort
        case _:
            is_bound, var = e.scope.bound(item.id)
            if is_bound:
                sort = None if var is None else var.sort
            elif item.id in e.inferred:
                sort = e.inferred[item.id]
            else:
                e.undeclared.binder(item.id, e.place(item), None)
                sort = None
    return None if sort is None else e.pool.var(item.id, sort)


def warn_shadowing(e: Elaborator, name: str, place: Place) -> None:
    """Warns where a binder hides a constant, an enum value or a function."""
    entry = e.scope.entries.get(name)
    broken = isinstance(entry, TermEntry) and entry.node is None
    if entry is None or broken or isinstance(entry, VariableEntry):
        return
    e.sink.report(
        "POT2004",
        place,
        name=name,
        hidden=f"{describe(entry)} of the same name",
        labels=[Label(entry.place, "declared here")],
        helps=["rename the variable if the declared name was meant"],
    )
