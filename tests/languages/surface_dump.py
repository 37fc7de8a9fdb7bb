"""Surface trees as s-expressions, with or without spans, for comparing and for reading."""

from __future__ import annotations

from potlang.expressions.surface import (
    Binding,
    BitVecLiteral,
    Call,
    Compare,
    Expr,
    Infix,
    ListOf,
    Name,
    Number,
    Prefix,
    SortExpr,
    StringLiteral,
)


def dump(node: Expr | SortExpr | int | None, spans: bool = False) -> str:
    """`f(a) == 3` is `(== (f a) 3)`."""
    if node is None or isinstance(node, int):
        return str(node)
    at = f"@{node.start}:{node.end}" if spans else ""

    def form(head: str, *parts: Expr | SortExpr | int) -> str:
        return f"({' '.join([head + at, *(dump(part, spans) for part in parts)])})"

    match node:
        case Name(id):
            return (id if id.isidentifier() else f"`{id}`") + at
        case Number(text) | BitVecLiteral(text):
            return text + at
        case StringLiteral(value):
            return repr(value) + at
        case ListOf(items):
            return form("list", *items)
        case Binding(name, sort):
            return form(":", name, sort)
        case Call(head, args):
            return form("", head, *args).replace("( ", "(", 1) if not spans else form("call", head, *args)
        case Infix(op, args):
            return form(op, *args)
        case Prefix(op, arg):
            return form(f"{op}1", arg)
        case Compare(operands, ops):
            return form(" ".join(ops), *operands)
        case SortExpr(name, args):
            return form(name, *args) if args else name + at
