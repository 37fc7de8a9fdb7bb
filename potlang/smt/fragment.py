"""What a set of formulas uses, which fragment of logic that is, and its SMT-LIB logic.

A fragment is a guarantee: a set of formulas is in the first of `Fragment` that fits. Doubt moves it up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum

from potlang.ir import operators as ops
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, reachable
from potlang.ir.operators import Operator
from potlang.ir.sorts import (
    BOOL,
    ArraySort,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    IntSort,
    RealSort,
    SetSort,
    Sort,
    StringSort,
    TupleSort,
    components,
)


class Fragment(StrEnum):
    """From the smallest to the largest."""

    PROPOSITIONAL = "propositional"
    """Bool constants and connectives."""
    GROUND = "ground"
    """No quantifiers, linear arithmetic at most."""
    HORN = "horn"
    """Function-free Horn clauses: each a universal implication from atoms to at most one atom."""
    EFFECTIVELY_PROPOSITIONAL = "effectively propositional"
    """Function-free, no arithmetic, no existential quantifier under a universal one."""
    FIRST_ORDER = "first order"
    """Anything else with linear arithmetic at most."""
    NONLINEAR = "nonlinear"
    """Products, quotients or remainders of unknowns."""


@dataclass(slots=True)
class Features:
    """What occurs in formulas. `alternation`: an existential quantifier in the scope of a universal one."""

    quantifiers: bool = False
    alternation: bool = False
    integers: bool = False
    reals: bool = False
    nonlinear: bool = False
    functions: bool = False
    """Uninterpreted functions and predicates with arguments."""
    terms: bool = False
    """Functions whose value is not a truth value: terms may nest."""
    sorts: bool = False
    """Declared sorts."""
    datatypes: bool = False
    arrays: bool = False
    strings: bool = False
    bits: bool = False
    constants: bool = False
    """Constants other than truth values."""

    def names(self) -> tuple[str, ...]:
        """The features that are present, in the order of the fields."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name))


def features(formulas: Iterable[Node]) -> Features:
    """What the formulas use."""
    roots = list(formulas)
    found = Features()
    seen: dict[Sort, None] = {}
    for node in reachable(*roots):
        if node.sort not in seen:
            seen[node.sort] = None
            _note_sort(node.sort, found)
        match node:
            case App(op=Symbol() as symbol):
                if symbol.kind in ("constructor", "selector"):
                    found.terms = True
                else:
                    found.functions = True
                    found.terms |= symbol.range is not BOOL
            case App(op=Operator() as op):
                _note_operator(node, op, found)
            case Sym():
                found.constants |= node.sort is not BOOL
            case Quant():
                found.quantifiers = True
            case _:
                pass
    found.alternation = found.quantifiers and _alternates(roots)
    return found


def _note_sort(sort: Sort, found: Features) -> None:
    stack = [sort]
    while stack:
        part = stack.pop()
        stack.extend(components(part))
        match part:
            case IntSort():
                found.integers = True
            case RealSort():
                found.reals = True
            case DeclaredSort():
                found.sorts = True
            case EnumSort() | TupleSort():
                found.datatypes = True
            case ArraySort() | SetSort() | FunctionSort():
                found.arrays = True
            case StringSort():
                found.strings = True
            case BitVecSort():
                found.bits = True
            case BoolSort():
                pass


def _note_operator(node: App, op: Operator, found: Features) -> None:
    constant = [isinstance(arg, Lit) for arg in node.args]
    if op is ops.MUL:
        found.nonlinear |= constant.count(False) > 1
    elif op in (ops.DIV, ops.INT_DIV, ops.MOD):
        divisor = node.args[1]
        found.nonlinear |= not (isinstance(divisor, Lit) and divisor.value != 0)
    elif op in (ops.TO_INT, ops.TO_REAL):
        found.integers = found.reals = True


def _alternates(roots: list[Node]) -> bool:
    """Whether an existential quantifier, polarities respected, may be in the scope of a universal one."""
    seen: dict[tuple[int, int, bool], None] = {}
    stack: list[tuple[Node, int, bool]] = [(root, 1, False) for root in roots]
    while stack:
        node, polarity, under = stack.pop()
        if (node.id, polarity, under) in seen:
            continue
        seen[node.id, polarity, under] = None
        if isinstance(node, Quant):
            universal = (node.kind == "forall") == (polarity > 0)
            if under and (polarity == 0 or not universal):
                return True
            stack.append((node.body, polarity, under or universal or polarity == 0))
        elif isinstance(node, App):
            stack += [(arg, way, under) for arg, way in _polarities(node, polarity)]
    return False


def _polarities(node: App, polarity: int) -> list[tuple[Node, int]]:
    """The arguments with 1 for positive, -1 for negative, 0 for both."""
    if node.op in (ops.AND, ops.OR):
        return [(arg, polarity) for arg in node.args]
    if node.op is ops.NOT:
        return [(node.args[0], -polarity)]
    if node.op is ops.IMPLIES:
        return [(node.args[0], -polarity), (node.args[1], polarity)]
    if node.op is ops.ITE and node.sort is BOOL:
        return [(node.args[0], 0), (node.args[1], polarity), (node.args[2], polarity)]
    return [(arg, 0) for arg in node.args]


def fragment(formulas: Iterable[Node]) -> Fragment:
    """The smallest fragment that certainly holds the formulas."""
    roots = list(formulas)
    found = features(roots)
    if found.nonlinear:
        return Fragment.NONLINEAR
    if not found.quantifiers:
        plain = not found.names()
        return Fragment.PROPOSITIONAL if plain else Fragment.GROUND
    interpreted = found.integers or found.reals or found.datatypes or found.arrays
    if interpreted or found.strings or found.bits or found.terms:
        return Fragment.FIRST_ORDER
    if all(_is_horn(root) for root in roots):
        return Fragment.HORN
    return Fragment.FIRST_ORDER if found.alternation else Fragment.EFFECTIVELY_PROPOSITIONAL


_CONNECTIVES = (ops.NOT, ops.AND, ops.OR, ops.IMPLIES, ops.IFF, ops.XOR, ops.ITE)


def _is_horn(root: Node) -> bool:
    """Whether a formula is `forall … (A and … => B)`, a denial, or a conjunction of atoms."""
    while isinstance(root, Quant) and root.kind == "forall":
        root = root.body
    if isinstance(root, App) and root.op is ops.NOT:
        return _are_atoms(root.args[0])
    if isinstance(root, App) and root.op is ops.IMPLIES:
        return _are_atoms(root.args[0]) and (_are_atoms(root.args[1]) or _is_falsity(root.args[1]))
    return _are_atoms(root)


def _is_falsity(node: Node) -> bool:
    return isinstance(node, Lit) and node.value is False


def _are_atoms(node: Node) -> bool:
    """Whether a formula is an atom without formulas inside, or a conjunction of such."""
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, App) and part.op is ops.AND:
            stack.extend(part.args)
        elif isinstance(part, Quant) or (isinstance(part, App) and not _is_atom(part)):
            return False
    return True


def _is_atom(node: App) -> bool:
    if node.op in _CONNECTIVES or node.op is ops.DISTINCT:
        return False
    return not any(isinstance(arg, Quant) or (isinstance(arg, App) and arg.sort is BOOL) for arg in node.args)


_STANDARD = re.compile(
    "QF_UF|QF_LIA|QF_LRA|QF_NIA|QF_NRA|QF_BV|QF_AX|QF_ABV|QF_AUFBV|QF_ALIA|QF_AUFLIA|QF_UFBV|QF_UFLIA"
    "|QF_UFLRA|QF_UFNIA|QF_UFNRA|QF_S|QF_SLIA|QF_DT|QF_UFDT|QF_LIRA|QF_UFLIRA|QF_NIRA|QF_UFNIRA|QF_DTLIA"
    "|QF_UFDTLIA|LIA|LRA|NIA|NRA|LIRA|NIRA|BV|UF|UFBV|UFDT|UFDTLIA|UFLIA|UFLRA|UFLIRA|UFNIA|UFNRA|UFNIRA"
    "|AUFLIA|AUFLIRA|AUFNIRA"
)


def logic(found: Features) -> str:
    """The SMT-LIB logic of what is used: `QF_UFLIA`, `UFLIRA`, …; `ALL` where no standard name fits."""
    prefix = "" if found.quantifiers else "QF_"
    parts = "A" if found.arrays else ""
    parts += "UF" if found.functions or found.sorts else ""
    parts += "BV" if found.bits else ""
    parts += "DT" if found.datatypes else ""
    parts += "S" if found.strings else ""
    parts += _arithmetic(found)
    name = prefix + {"": "UF", "A": "AX" if not found.quantifiers else "A"}.get(parts, parts)
    return name if _STANDARD.fullmatch(name) else "ALL"


def _arithmetic(found: Features) -> str:
    numbers = ("I" if found.integers else "") + ("R" if found.reals else "")
    return f"{'N' if found.nonlinear else 'L'}{numbers}A" if numbers else ""


def describe(formulas: Iterable[Node]) -> tuple[Fragment, str]:
    """The fragment and the SMT-LIB logic of formulas."""
    roots = list(formulas)
    return fragment(roots), logic(features(roots))
