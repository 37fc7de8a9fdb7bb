"""The binders of quantifiers and sums in expressions: their sorts, and warnings where they hide a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from potlang.diag import Applicability, Fix, Label, Place, Replace
from potlang.expressions import surface as s
from potlang.expressions.names import written
from potlang.ir.nodes import Node, Var
from potlang.ir.sorts import BOOL, Sort
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
    binders = _bind(e, _without_sorts(e, flat(heads), name), heads[0], name)
    e.scope.push(binders)

    def close(found: list[Node | None]) -> Node | None:
        node = e.fit(found[0], sort, body)
        e.scope.pop(binders)
        variables = [var for _, var in binders if var is not None]
        if node is None or not variables or len(variables) < len(binders):
            return None
        return finish(variables, node)

    return e.gather((body,), (sort,), close)


def _without_sorts(e: Elaborator, items: Sequence[s.Expr], quantifier: str) -> Sequence[s.Expr]:
    """The items but for names of sorts, which stand behind a colon: `[x, P]` is reported as `[x: P]`."""
    # Most binders are declared variables: nothing else is looked at for them.
    if all(e.scope.meaning(item.id) is not None for item in items if isinstance(item, s.Name)):
        return items
    sorts = frozenset(e.sorts.names())
    found: list[s.Expr] = []
    for item in items:
        one = found[-1] if found else None
        if not isinstance(item, s.Name) or item.id not in sorts or e.scope.meaning(item.id) is not None:
            found.append(item)
        elif isinstance(one, s.Name):
            text = f"{written(one.id)}: {written(item.id)}"
            fixes = [
                Fix(f"write `{text}`", Applicability.UNSAFE, (Replace(e.pointer, one.start, item.end, text),))
            ]
            problem = f"the sort of a variable of `{quantifier}` stands behind a colon"
            e.report("POT1020", item, problem=problem, helps=[f"write `[{text}]`"], fixes=fixes)
            sort = s.SortExpr(item.id, [], e.pointer, item.start, item.end)
            found[-1] = s.Binding(one, sort, one.start, item.end)
        else:
            found.append(item)
    return found


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
            case s.StringLiteral(value=name) if name.isidentifier():
                e.report(
                    "POT1020",
                    item,
                    problem="a variable has no quotes",
                    helps=[f"write {quantifier}([{name}], …)"],
                    fixes=[e.replace(item, name, f"write `{name}`")],
                )
                binders += bind_quietly(e, [s.Name(name, item.start, item.end)])
            case s.ListOf(items=[s.Name() as name, s.Name() as sort_name]):
                binders.append((name.id, _member_binder(e, item, name, sort_name)))
            case s.Infix(op="in", args=[s.Name() as name, s.Name() as sort_name]):
                binders.append((name.id, _member_binder(e, item, name, sort_name)))
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


def _member_binder(e: Elaborator, item: s.Expr, name: s.Name, of: s.Name) -> Var | None:
    """`x in A` for the binder `x: A`, or for a condition on x where A is a set."""
    text = f"{written(name.id)}: {written(of.id)}"
    is_sort = of.id in e.sorts.names()
    condition = f"write `[{name.id}: Sort]`, and `{name.id} in {of.id}` in the formula"
    fixes = [e.replace(item, text, f"write `{text}`")] if is_sort else []
    problem = f"`{e.text_of(item)}` is no binder"
    e.report(
        "POT1020", item, problem=problem, helps=[f"write `[{text}]`" if is_sort else condition], fixes=fixes
    )
    sort = e.sorts.resolve(s.SortExpr(of.id, [], e.pointer, of.start, of.end)) if is_sort else None
    return None if sort is None else e.pool.var(name.id, sort)


def binder_form(
    e: Elaborator, args: Sequence[s.Expr], *, bare: bool = False
) -> tuple[list[s.Expr], s.Expr] | None:
    """The binders and the body of a call such as `F([x: A], p)`; None where its arguments are terms.

    Without a sort, names in a list are binders if they are declared variables other than formulas,
    or not at all; with `bare` also names outside of a list, as in `F(x, p)`.
    """
    if len(args) < 2 or isinstance(args[-1], s.ListOf | s.Binding):
        return None
    *heads, body = args
    if len(heads) == 1 and isinstance(heads[0], s.ListOf) and heads[0].items:
        named = [item for item in heads[0].items if not isinstance(item, s.Binding)]
        return (heads, body) if all(_may_be_binder(e, item) for item in named) else None
    if all(isinstance(head, s.Binding) or (bare and _is_declared_variable(e, head)) for head in heads):
        return heads, body
    return None


def with_sorts(form: tuple[list[s.Expr], s.Expr] | None) -> tuple[list[s.Expr], s.Expr] | None:
    """A `binder_form` whose binders all have their sorts: nothing else may be taken for it."""
    return form if form is not None and all(isinstance(item, s.Binding) for item in flat(form[0])) else None


def _may_be_binder(e: Elaborator, item: s.Expr) -> bool:
    return isinstance(item, s.Name) and (_is_declared_variable(e, item) or e.scope.meaning(item.id) is None)


def _is_declared_variable(e: Elaborator, item: s.Expr) -> bool:
    entry = e.scope.lookup(item.id) if isinstance(item, s.Name) else None
    return isinstance(entry, VariableEntry) and entry.sort is not BOOL


def bind_quietly(e: Elaborator, heads: Sequence[s.Expr]) -> list[tuple[str, Var | None]]:
    """The binders of a call that is in error: for the errors in its body, without any of their own."""
    found: list[tuple[str, Var | None]] = []
    for item in flat(heads):
        match item:
            case s.Binding(name=name, sort=written):
                sort = e.sorts.resolve(written)
                found.append((name.id, None if sort is None else e.pool.var(name.id, sort)))
            case s.Name(id=name):
                entry = e.scope.lookup(name)
                sort = entry.sort if isinstance(entry, VariableEntry) else None
                found.append((name, None if sort is None else e.pool.var(name, sort)))
    return found


def _named_binder(e: Elaborator, item: s.Name) -> Var | None:
    entry = e.scope.lookup(item.id)
    match entry:
        case VariableEntry():
            sort = entry.sort
            e.free_numbers.bound(item.id)
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
    if entry is None or broken or isinstance(entry, VariableEntry) or name in e.hidden:
        return
    # One name that is hidden everywhere is one thing to know.
    e.hidden.add(name)
    e.sink.report(
        "POT2004",
        place,
        name=name,
        hidden=f"{describe(entry)} of the same name",
        labels=[Label(entry.place, "declared here")],
        helps=["rename the variable if the declared name was meant"],
    )
