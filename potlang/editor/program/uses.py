"""The names in one expression or sort: where each stands, and what in the expression itself binds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from potlang.diag import Sink
from potlang.expressions import surface as s
from potlang.expressions.expression import parse_expression, parse_sort
from potlang.expressions.names import name_of
from potlang.expressions.tables import Token, tokenize

UseKind = Literal["name", "head", "binder", "sort", "builtin"]
"""A term's name, the head of a call, a name that is bound with its sort, a sort, a built-in method."""
_REMEMBERED = 2_000
"""Characters of an expression whose names are remembered."""
_NAME = re.compile(r"[A-Za-z_]\w*+", re.ASCII)
_FLAT = re.compile(rf"{_NAME.pattern}\({_NAME.pattern}(?:, ?{_NAME.pattern})*+\)", re.ASCII)
_WORDS = frozenset({"and", "or", "not", "in"})
_OPENING, _CLOSING = ("LPAR", "LSQB", "LBRACE"), ("RPAR", "RSQB", "RBRACE")


class NameUse(NamedTuple):
    """A name in an expression, at the characters `[start, end)`.

    `bound_at` is where the binder of that name begins, if one around it gives the name a sort, and
    `bound_sort` that sort as written.
    """

    name: str
    start: int
    end: int
    kind: UseKind
    bound_at: int | None = None
    bound_sort: str = ""


class ExpressionUses(NamedTuple):
    """The names in an expression in their order. `is_whole`: it was read, and these are all of them."""

    uses: tuple[NameUse, ...]
    is_whole: bool


def formula_uses(text: str) -> ExpressionUses:
    """The names in an expression; of one that is not finished, as far as its tokens tell."""
    flat = _flat_uses(text)
    if flat is not None:
        return flat
    return _remembered(text) if len(text) <= _REMEMBERED else _formula_uses(text)


def _flat_uses(text: str) -> ExpressionUses | None:
    """The names in `f(a, b)`, as most facts are, without a tree; None for another expression."""
    if _FLAT.fullmatch(text) is None:
        return None
    head, *others = _NAME.finditer(text)
    if head[0] in _WORDS or any(each[0] in _WORDS for each in others):
        return None
    names = (NameUse(each[0], each.start(), each.end(), "name") for each in others)
    return ExpressionUses((NameUse(head[0], head.start(), head.end(), "head"), *names), True)


def sort_uses(text: str) -> ExpressionUses:
    """The names in a sort as it is written."""
    tree = parse_sort(text, "", Sink())
    if tree is None:
        return ExpressionUses(tuple(_of_tokens(text, "sort")), False)
    return ExpressionUses(tuple(_sort_names(tree)), True)


def _formula_uses(text: str) -> ExpressionUses:
    tree = parse_expression(text, "", Sink())
    if tree is None:
        return ExpressionUses(tuple(_of_tokens(text, "name")), False)
    found = sorted(_tree_names(tree, text), key=lambda use: use.start)
    return ExpressionUses(tuple(found), True)


_remembered = lru_cache(maxsize=4_096)(_formula_uses)

_Bound = tuple[str, int, str, "_Bound | None"]
"""A name that is bound, where, with which sort, and what is bound around it."""


def _tree_names(tree: s.Expr, text: str) -> Iterator[NameUse]:
    """A walk with a stack of its own: an expression may be as deep as its limit."""
    todo: list[tuple[s.Expr, _Bound | None, bool]] = [(tree, None, False)]
    while todo:
        expr, bound, is_head = todo.pop()
        match expr:
            case s.Name(id=name, start=start, end=end):
                yield _use(name, start, end, "head" if is_head else "name", bound)
            case s.Binding(name=name, sort=sort):
                written = text[sort.start : sort.end]
                yield NameUse(name.id, name.start, name.end, "binder", name.start, written)
                yield from _sort_names(sort)
            case s.BuiltinCall(head=s.Name(id=name, start=start, end=end), args=args):
                yield NameUse(name, start, end, "builtin")
                todo += [(arg, bound, False) for arg in args]
            case s.Call(head=head, args=args):
                todo.append((head, bound, True))
                todo += [(arg, bound, False) for arg in args[:-1]]
                inner = bound
                for each in _bindings(args[:-1]):
                    sort_text = text[each.sort.start : each.sort.end]
                    inner = (each.name.id, each.name.start, sort_text, inner)
                todo += [(arg, inner, False) for arg in args[-1:]]
            case s.ListOf(items=parts) | s.Infix(args=parts) | s.Compare(operands=parts):
                todo += [(part, bound, False) for part in parts]
            case s.Prefix(arg=arg):
                todo.append((arg, bound, False))
            case s.Quoted(root=root):
                todo.append((root, bound, False))


def _bindings(heads: list[s.Expr]) -> Iterator[s.Binding]:
    for head in heads:
        for item in head.items if isinstance(head, s.ListOf) else (head,):
            if isinstance(item, s.Binding):
                yield item


def _use(name: str, start: int, end: int, kind: UseKind, bound: _Bound | None) -> NameUse:
    while bound is not None:
        if bound[0] == name:
            return NameUse(name, start, end, kind, bound[1], bound[2])
        bound = bound[3]
    return NameUse(name, start, end, kind)


def _sort_names(tree: s.SortExpr) -> Iterator[NameUse]:
    todo = [tree]
    while todo:
        sort = todo.pop()
        # `Array(A, B)` has the place of the whole; its name is what it begins with.
        end = sort.start + len(sort.name) if sort.args else sort.end
        yield NameUse(sort.name, sort.start, end, "sort")
        todo += [each for each in sort.args if isinstance(each, s.SortExpr)]


def _of_tokens(text: str, kind: UseKind) -> Iterator[NameUse]:
    """The names in a text that cannot be read: a name before a colon binds what follows it."""
    bound: dict[str, tuple[int, str]] = {}
    tokens = tokenize(text)
    for at, token in enumerate(tokens):
        if token.kind not in ("NAME", "QUOTED"):
            continue
        name = name_of(token.text)
        before = tokens[at - 1].kind if at else ""
        after = tokens[at + 1].kind if at + 1 < len(tokens) else ""
        if before == "COLON":
            yield NameUse(name, token.start, token.end, "sort")
        elif after == "COLON":
            bound[name] = token.start, _sort_behind(tokens, at + 2)
            yield NameUse(name, token.start, token.end, "binder", *bound[name])
        elif name in bound and kind == "name":
            yield NameUse(name, token.start, token.end, _called(after), *bound[name])
        else:
            yield NameUse(name, token.start, token.end, _called(after) if kind == "name" else kind)


def _called(after: str) -> UseKind:
    return "head" if after == "LPAR" else "name"


def _sort_behind(tokens: list[Token], at: int) -> str:
    """The sort that begins at a token, up to the comma or the bracket that ends it."""
    depth, first = 0, at
    while at < len(tokens) - 1:
        kind = tokens[at].kind
        if depth == 0 and (kind == "COMMA" or kind in _CLOSING):
            break
        depth += (kind in _OPENING) - (kind in _CLOSING)
        at += 1
    return " ".join(token.text for token in tokens[first:at])
