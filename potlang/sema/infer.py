"""Sorts of undeclared decision variables, from how the optimization section uses them.

The paper's "Impossible Optimization" minimizes an `x` that nothing declares. A name that stands
where a sort is known (an argument, an operand of a connective) gets that sort; one in arithmetic
is Real where the section has a decimal, a division or a Real term beside it, else Int.
"""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Applicability, Fix, Patch
from potlang.expressions import surface as s
from potlang.ir.sorts import BOOL, INT, REAL, Sort
from potlang.sema.elaborate import Elaborator
from potlang.sema.scope import FunctionEntry, TermEntry, VariableEntry
from potlang.source import join_pointer

_FORMULA_HEADS = ("And", "Or", "Not", "Implies", "Iff", "Xor")


def infer_decision_variables(section: s.OptimizationDecl, e: Elaborator) -> dict[str, Sort]:
    """Undeclared names of the section with their sorts; each is reported as a warning."""
    found: dict[str, Sort] = {}
    roots: list[tuple[s.Formula, Sort | None]] = [(formula, BOOL) for formula in section.constraints]
    roots += [(soft.constraint, BOOL) for soft in section.soft]
    roots += [(objective.expression, None) for objective in section.objectives]
    for formula, wanted in roots:
        if formula.root is None:
            continue
        for name, expected in _undeclared_names(formula.root, wanted, e):
            sort = expected or (REAL if _is_real(formula.root, e) else INT)
            if name.id not in found:
                _warn(name, sort, formula, section, e)
            if found.get(name.id) in (None, INT):
                found[name.id] = sort
    return found


def _warn(name: s.Name, sort: Sort, formula: s.Formula, section: s.OptimizationDecl, e: Elaborator) -> None:
    item = {"name": name.id, "sort": str(sort)}
    edit = Patch.append(item, join_pointer(section.pointer, "variables"), bool(section.variables))
    e.sink.report(
        "POT2008",
        formula.pointer,
        span=(name.start, name.end),
        name=name.id,
        sort=sort,
        helps=[f'declare it: {{"name": "{name.id}", "sort": "{sort}"}} in `variables` of the optimization'],
        fixes=[Fix(f"declare `{name.id}` as a variable of {sort}", Applicability.SAFE, (edit,))],
    )


def _undeclared_names(
    root: s.Expr, wanted: Sort | None, e: Elaborator
) -> Iterator[tuple[s.Name, Sort | None]]:
    """Free undeclared names in order, with the sort that their place wants (None: a number)."""
    stack: list[tuple[s.Expr, Sort | None, frozenset[str]]] = [(root, wanted, frozenset())]
    while stack:
        expr, expected, bound = stack.pop()
        if isinstance(expr, s.Name):
            declared = e.scope.lookup(expr.id) is not None or expr.id in ("True", "False", "true", "false")
            if not declared and expr.id not in bound:
                yield expr, expected
            continue
        stack += reversed([(part, sort, names) for part, sort, names in _parts(expr, bound, e)])


def _parts(
    expr: s.Expr, bound: frozenset[str], e: Elaborator
) -> Iterator[tuple[s.Expr, Sort | None, frozenset[str]]]:
    match expr:
        case s.Call(head=s.Name(id=head), args=args):
            entry = e.scope.lookup(head)
            if isinstance(entry, FunctionEntry) and entry.symbol is not None:
                domain = entry.symbol.domain + (None,) * len(args)
                yield from ((arg, sort, bound) for arg, sort in zip(args, domain, strict=False))
            elif head in _FORMULA_HEADS:
                yield from ((arg, BOOL, bound) for arg in args)
            else:
                hidden = bound | {name for arg in args[:-1] for name in _binder_names(arg)}
                yield from ((arg, None, hidden) for arg in args if not isinstance(arg, s.Binding))
        case s.Infix(op="and" | "or" | "->" | "<->", args=args):
            yield from ((arg, BOOL, bound) for arg in args)
        case s.Infix(args=args) | s.ListOf(items=args) | s.Compare(operands=args):
            yield from ((arg, None, bound) for arg in args)
        case s.Prefix(op=op, arg=arg):
            yield arg, BOOL if op == "not" else None, bound
        case _:
            return


def _binder_names(arg: s.Expr) -> Iterator[str]:
    items = arg.items if isinstance(arg, s.ListOf) else [arg]
    for item in items:
        if isinstance(item, s.Binding):
            yield item.name.id
        elif isinstance(item, s.Name) and isinstance(arg, s.ListOf):
            yield item.id


def _is_real(root: s.Expr, e: Elaborator) -> bool:
    stack = [root]
    while stack:
        expr = stack.pop()
        match expr:
            case s.Number(text=text) if not text.isdigit():
                return True
            case s.Infix(op="/"):
                return True
            case s.Name(id=name) | s.Call(head=s.Name(id=name)):
                entry = e.scope.lookup(name)
                match entry:
                    case FunctionEntry(symbol=symbol) if symbol is not None and symbol.range is REAL:
                        return True
                    case TermEntry(node=node) if node is not None and node.sort is REAL:
                        return True
                    case VariableEntry(sort=sort) if sort is REAL:
                        return True
        match expr:
            case s.Call(args=args) | s.Infix(args=args) | s.ListOf(items=args) | s.Compare(operands=args):
                stack += args
            case s.Prefix(arg=arg):
                stack.append(arg)
    return False
