"""Calls of what is no function: misspelt built-in functions, operators of other languages, values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, repeat
from typing import TYPE_CHECKING

from potlang.diag import Applicability, Fix, Label, Replace
from potlang.diag.near import edit_distance
from potlang.expressions import surface as s
from potlang.ir.nodes import Node
from potlang.ir.sorts import SetSort, Sort
from potlang.sema.advice import quoted
from potlang.sema.binders import bind_quietly, binder_form
from potlang.sema.builtins import BUILTINS
from potlang.sema.elsewhere import folded, other_operator, same_as
from potlang.sema.operands import is_thing, known_sort
from potlang.sema.scope import FunctionEntry, TermEntry, describe

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator, Step, Visit

_LONG_NAME = 5
_SCANNED = 2_000
_OF_ANYTHING = frozenset(
    [
        *("And", "Or", "Not", "Implies", "Iff", "Xor", "If", "Ite", "Distinct", "AllDifferent"),
        *("ForAll", "Forall", "Exists", "ExistsUnique", "Unique", "Set", "SetOf"),
    ]
)
"""Functions of the language that members of the program's own sorts may be arguments of."""
_DIFFERENT_ELSEWHERE = frozenset(("Round", "Substring", "Div", "Mod", "Between", "Average", "Matches"))
"""Functions that other languages have by the same name with another meaning."""
_BINDERS = (
    "`ForAll`, `Exists`, `ExistsUnique`, `Sum`, `Product`, `Count`, `Min`, `Max`, `Average` and `SetOf`"
)


def meant_builtin(e: Elaborator, expr: s.Call, name: str) -> str | None:
    """The built-in function that an undeclared name stands for: by a slip, or in other languages."""
    if e.scope.bound(name)[0] or e.scope.lookup(name) is not None:
        return None
    plain = folded(name)
    meant = next((builtin for builtin in BUILTINS if builtin.casefold() == plain), None) or same_as(name)
    return None if meant is None or _is_of_things(e, expr, meant) else meant


def hidden_builtin(name: str) -> str | None:
    """The built-in function from which the name of the program's own differs in its case alone."""
    return next((each for each in BUILTINS if each != name and each.casefold() == name.casefold()), None)


def _is_of_things(e: Elaborator, expr: s.Call, meant: str) -> bool:
    """Whether the arguments are members of the program's own sorts, of which the operator is not."""
    if meant in _OF_ANYTHING or binder_form(e, expr.args) is not None:
        return False
    if meant == "Reachable" and len(expr.args) == 3:
        # A relation, and two of its things.
        return False
    sorts = [known_sort(e, arg) for arg in expr.args]
    if any(isinstance(arg, s.ListOf) for arg in expr.args):
        return False
    return any(map(is_thing, sorts)) and not any(isinstance(sort, SetSort) for sort in sorts)


def misspelt_builtin(e: Elaborator, expr: s.Call, head: s.Name, meant: str, expected: Sort | None) -> Step:
    """`forall(…)`: one report, and the arguments are read as those of `ForAll`."""
    spelt = s.Call(s.Name(meant, head.start, head.end), expr.args, expr.start, expr.end)
    before = len(e.sink)
    node = yield BUILTINS[meant](e, spelt, expected)
    # A safe fix keeps the meaning: the name differs in its case alone, and the arguments fit.
    same = folded(head.id) == meant.casefold() and meant not in _DIFFERENT_ELSEWHERE
    safe = same and (node is not None or len(e.sink) == before or meant in _OF_ANYTHING)
    e.sink.report(
        "POT2001",
        e.place(head),
        name=head.id,
        primary="not declared",
        helps=[f"the built-in function is spelt `{meant}`"],
        fixes=[e.replace(head, meant, f"write `{meant}`", safe=safe)],
    )
    return node


def unknown_call(e: Elaborator, expr: s.Call, head: s.Name, expected: Sort | None) -> Visit:
    """Reports a call of neither a function of the program nor one of the language."""
    if e.scope.bound(head.id)[0] or e.scope.lookup(head.id) is not None:
        if _is_inside_out(e, expr, head):
            return None
        return e.gather(expr.args, repeat(None), lambda nodes: _not_callable(e, expr, head, expected))
    near = _near_builtin(e, head.id)
    if near is not None and (near in _OF_ANYTHING or not _is_relation(e, expr.args)):
        fixes = [e.replace(head, near, f"write `{near}`")]
        helps = [f"did you mean the built-in function `{near}`?"]
        e.sink.report(
            "POT2001", e.place(head), name=head.id, primary="not declared", helps=helps, fixes=fixes
        )
        return None
    form = binder_form(e, expr.args)
    if form is not None:
        return _unknown_binder(e, head, *form)
    meant = _operator_meant(e, expr.args, head.id)
    if meant is not None:
        # Nothing is said of its arguments: they are written anew with the operator.
        e.undeclared.operator(head.id, e.place(head), meant)
        return None

    def report(nodes: list[Node | None]) -> None:
        sorts = tuple(None if node is None else node.sort for node in nodes)
        e.undeclared.call(head.id, e.place(head), sorts, expected)

    return e.gather(expr.args, repeat(None), report)


def _near_builtin(e: Elaborator, name: str) -> str | None:
    """The built-in function that a long name is a letter away from, if no declared name is as near."""
    if len(name) < _LONG_NAME or e.sink.is_full:
        return None
    if name not in e.near_builtins:
        near = next((each for each in BUILTINS if edit_distance(name, each, 1)), None)
        declared = islice(e.scope.entries, _SCANNED)
        own = near is not None and any(edit_distance(name, each, 2) for each in declared)
        e.near_builtins[name] = None if own else near
    return e.near_builtins[name]


def _is_relation(e: Elaborator, args: Sequence[s.Expr]) -> bool:
    """Whether the arguments are things, of which most operators are not."""
    sorts = [known_sort(e, arg) for arg in args]
    return any(map(is_thing, sorts)) and all(sort is None or is_thing(sort) for sort in sorts)


def _operator_meant(e: Elaborator, args: Sequence[s.Expr], name: str) -> str | None:
    """The help for a call that cannot be of a function of the program's own; None where it can be."""
    known = other_operator(name)
    if any(isinstance(arg, s.ListOf | s.Binding) for arg in args):
        return known or f"there is no function of lists `{name}`"
    of_sort = next((e.text_of(arg) for arg in args if is_sort(e, arg)), None)
    if of_sort is not None:
        return known or f"a sort is no argument: bind a variable of it, `[x: {of_sort}]`"
    # A word that is an operator elsewhere may be a relation of things, `adjacent(ann, bob)`.
    return None if _is_relation(e, args) else known


def is_sort(e: Elaborator, arg: s.Expr) -> bool:
    """Whether an expression is the name of a sort, and of nothing else."""
    is_free = isinstance(arg, s.Name) and e.scope.meaning(arg.id) is None
    return is_free and isinstance(arg, s.Name) and arg.id in e.sorts.names()


def _unknown_binder(e: Elaborator, head: s.Name, heads: list[s.Expr], body: s.Expr) -> Visit:
    """`F([x: A], p)` for an unknown F: no function of the program's own binds variables."""
    binding = other_operator(head.id) or "the functions that bind variables are " + _BINDERS
    e.undeclared.operator(head.id, e.place(head), binding)
    binders = bind_quietly(e, heads)
    e.scope.push(binders)
    return e.gather((body,), (None,), lambda nodes: e.scope.pop(binders))


def _is_inside_out(e: Elaborator, expr: s.Call, head: s.Name) -> bool:
    """Reports `a(f)` for `f(a)`, where f is a function of one argument."""
    inner = expr.args[0] if len(expr.args) == 1 else None
    entry = e.scope.meaning(inner.id) if isinstance(inner, s.Name) else None
    symbol = entry.symbol if isinstance(entry, FunctionEntry) else None
    if inner is None or symbol is None or len(symbol.domain) != 1 or known_sort(e, head) != symbol.domain[0]:
        return False
    text = f"{e.text_of(inner)}({e.text_of(head)})"
    kind = f"a term of sort {symbol.domain[0]}"
    fixes = [e.replace(expr, text, f"write `{text}`")]
    e.report("POT2007", head, name=head.id, kind=kind, helps=[f"write `{text}`"], fixes=fixes)
    return True


def _not_callable(e: Elaborator, expr: s.Call, head: s.Name, expected: Sort | None) -> None:
    is_bound, var = e.scope.bound(head.id)
    entry = None if is_bound else e.scope.lookup(head.id)
    term = entry.node if isinstance(entry, TermEntry) else var
    fixes = []
    if expected is None or (term is not None and term.sort == expected):
        edits = (Replace(e.pointer, head.end, expr.end, ""),)
        fixes = [Fix("drop the arguments", Applicability.UNSAFE, edits)]
    e.report(
        "POT2007",
        head,
        name=head.id,
        kind="a bound variable" if entry is None else describe(entry),
        labels=[Label(entry.place, "declared here")] if entry is not None else [],
        helps=[f"write {quoted(head.id)} alone, or declare a function of another name"],
        fixes=fixes,
    )
