"""Formulas of the IR as the JSON of a `@prop`; what JSON has no word for is a PoT expression."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, reachable
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, REAL, EnumSort
from potlang.sema.emit import Writer, sort_text

Json = Any

_DEEPEST = 100
"""Operators inside each other; deeper formulas are expressions. Reading JSON has a limit of its own."""
_KEYS: Mapping[Operator, str] = MappingProxyType(
    {
        op.EQ: "eq",
        op.LT: "lt",
        op.LE: "le",
        op.AND: "and",
        op.OR: "or",
        op.IMPLIES: "implies",
        op.IFF: "iff",
        op.ADD: "add",
        op.SUB: "sub",
        op.MUL: "mul",
    }
)


class _NoJson(Exception):
    """A part has no form but an expression."""


def proposition_json(formula: Node, writer: Writer) -> Json:
    """The JSON of a closed formula, which `writer` has the names for.

    Raises `potlang.sema.emit.ExpansionTooLarge`.
    """
    text = writer.term(formula)
    try:
        return _json(formula, writer)
    except _NoJson:
        return {"pot": text}


def _json(formula: Node, writer: Writer) -> Json:
    nodes = reachable(formula)
    names = writer.names(nodes)
    found: dict[int, Json] = {}
    depths: dict[int, int] = {}
    for node in nodes:
        below = node.args if isinstance(node, App) else (node.body,) if isinstance(node, Quant) else ()
        depths[node.id] = 1 + max((depths[each.id] for each in below), default=0)
        if depths[node.id] > _DEEPEST:
            raise _NoJson
        found[node.id] = _one(node, [found[each.id] for each in below], names)
    if not isinstance(found[formula.id], dict | list | str):
        raise _NoJson
    return found[formula.id]


def _one(node: Node, below: list[Json], names: Mapping[int, str]) -> Json:
    match node:
        case Lit():
            return _literal(node)
        case Sym(symbol=symbol):
            return symbol.name
        case Var():
            return names[node.id]
        case Quant(kind=kind, binders=binders):
            return {kind: [{names[var.id]: sort_text(var.sort) for var in binders}, below[0]]}
        case App(op=head, args=args):
            return _application(head, args, below)


def _literal(node: Lit) -> Json:
    value, sort = node.value, node.sort
    if sort is INT and isinstance(value, int):
        return value
    if isinstance(sort, EnumSort):
        return str(value)
    if sort is REAL and isinstance(value, int | Fraction):
        exact = Fraction(value)
        decimal = _decimal(exact)
        if decimal is not None:
            return decimal
    raise _NoJson


def _decimal(value: Fraction) -> Decimal | None:
    """The decimal, with a point, if there is one of few digits."""
    for digits in range(1, 7):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            return Decimal(int(scaled)).scaleb(-digits) if abs(scaled) < 10**25 else None
    return None


def _application(head: Operator | Symbol, args: tuple[Node, ...], below: list[Json]) -> Json:
    if isinstance(head, Symbol):
        return [head.name, *_terms(args, below)]
    key = _KEYS.get(head)
    if key in ("and", "or", "implies", "iff"):
        return {key: below}
    if key is not None:
        return {key: _terms(args, below)}
    if head is op.NOT:
        equation = args[0]
        if isinstance(equation, App) and equation.op is op.EQ:
            return {"ne": below[0]["eq"]}
        return {"not": below[0]}
    if head is op.NEG:
        return {"neg": below[0]}
    if head is op.ITE and args[1].sort is not BOOL:
        return {"ite": below}
    raise _NoJson


def _terms(args: tuple[Node, ...], below: list[Json]) -> list[Json]:
    """Arguments that are terms: a truth value there is a name or an application."""
    for arg, json in zip(args, below, strict=True):
        if arg.sort is BOOL and isinstance(json, dict):
            raise _NoJson
    return below
