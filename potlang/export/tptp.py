"""A problem in TPTP's typed first-order form with arithmetic (TFF, TFA): axioms and one conjecture.

G. Sutcliffe, S. Schulz, K. Claessen, P. Baumgartner, "The TPTP typed first-order form and arithmetic" (2012).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, cast

from potlang.engines.saturation.declarations import apart, listed, sort_type, statement, symbol_type
from potlang.export.first_order import defining_formula, first_order
from potlang.export.problem import NoCounterpart, ToolProblem, label, require_small, stated_at, variables_in
from potlang.export.texts import (
    Names,
    Opened,
    Operand,
    Row,
    applied,
    call,
    joined,
    row_of,
    slug,
    text_of,
)
from potlang.ir import operators as op
from potlang.ir.module import Origin
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var
from potlang.ir.numerals import digits
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, BoolSort, DeclaredSort, EnumSort, IntSort, RealSort, Sort, TupleSort

_BINARY, _QUANTIFIED, _NEGATED, _EQUATION = 10, 12, 20, 30
_MOST_VALUES: Final = 300
"""Members of a sort that are listed: that they differ is said of each two."""
_LOWER_WORD: Final = re.compile(r"[a-z][A-Za-z0-9_]*")
_PRINTABLE: Final = re.compile(r"[ -~]+")
_KEPT_DECIMALS: Final = 12


def tptp_text(problem: ToolProblem) -> str:
    """The problem that asks whether the only claim follows. Raises `NoCounterpart`."""
    return _ProblemWriter(problem).text()


class _ProblemWriter:
    """Names the parts of a problem and writes them, statement by statement."""

    def __init__(self, problem: ToolProblem) -> None:
        self._problem = problem
        self._names = Names(_word)
        self._statements = Names(_word)
        self._variables = Names(_variable)
        self._sorts: dict[Sort, str] = {}
        self._values: dict[tuple[Sort, object], str] = {}
        self._symbols: dict[Symbol, str] = {}
        self._local: dict[int, str] = {}
        self._declared: list[str] = []
        self._laws: list[str] = []

    def text(self) -> str:
        """All of it. What is declared is known only after the formulas are written."""
        problem = self._problem
        stated: list[str] = []
        for definition in problem.definitions:
            with stated_at(definition.origin):
                formula = defining_formula(problem.pool, definition)
                stated += self._stated("definition", definition.symbol.name, definition.origin, formula)
        for each in problem.assertions:
            with stated_at(each.origin):
                stated += self._stated(str(each.kind), each.name, each.origin, each.formula)
        for claim, formula in problem.asked:
            with stated_at(claim.origin):
                stated += self._stated("claim", claim.name, claim.origin, formula, role="conjecture")
        return "\n".join([*_HEAD, "", *self._declared, "", *self._laws, *stated, ""])

    def _stated(
        self, kind: str, name: str, origin: Origin, formula: Node, role: str = "axiom"
    ) -> Iterator[str]:
        plain = first_order(self._problem.pool, formula)
        require_small(plain)
        self._local = self._variables.local(variables_in(plain))
        yield f"% {label(kind, name, origin)}"
        yield statement(self._statements.new(name or kind), role, text_of(plain, self._opened))

    def _declare(self, text: str) -> None:
        self._declared.append(statement(self._statements.new("type of"), "type", text))

    def _law(self, text: str) -> None:
        self._laws.append(statement(self._statements.new("law of a sort"), "axiom", text))

    # --- sorts and symbols, declared where they are first met ---

    def _sort(self, sort: Sort) -> str:
        match sort:
            case IntSort():
                return "$int"
            case RealSort():
                return "$real"
        if sort not in self._sorts:
            self._declare_sort(sort)
        return self._sorts[sort]

    def _declare_sort(self, sort: Sort) -> None:
        match sort:
            case DeclaredSort(name) | EnumSort(name) | TupleSort(name):
                self._sorts[sort] = self._names.new(name)
            case BoolSort():
                self._sorts[sort] = self._names.new("bool")
            case _:
                raise NoCounterpart(f"the sort {sort}", "TPTP has $int, $real, and sorts of one's own")
        self._declare(sort_type(self._sorts[sort]))
        match sort:
            case EnumSort(_, values):
                self._enumerate(sort, {value: value for value in values})
            case BoolSort():
                self._enumerate(sort, {True: "true", False: "false"})
            case TupleSort():
                self._declare_record(sort)

    def _enumerate(self, sort: Sort, members: Mapping[Any, str]) -> None:
        if len(members) > _MOST_VALUES:
            raise NoCounterpart(
                f"the sort {sort} of {len(members)} values", f"at most {_MOST_VALUES} are listed"
            )
        own = self._sorts[sort]
        for value, name in members.items():
            self._values[sort, value] = self._names.new(name)
            self._declare(symbol_type(self._values[sort, value], (), own))
        names = [self._values[sort, value] for value in members]
        self._law(listed(own, names))
        for text in apart(names):
            self._law(text)

    def _declare_record(self, sort: TupleSort) -> None:
        """The constructor, the selectors, and that they undo each other."""
        own, maker = self._sorts[sort], self._names.new(f"make_{sort.name}")
        self._values[sort, None] = maker
        fields = [(self._names.new(f"{sort.name}_{name}"), self._sort(part)) for name, part in sort.fields]
        if any(part is BOOL for _, part in sort.fields):
            raise NoCounterpart(
                f"the record {sort.name}, which has a truth value as a field", "make the field a predicate"
            )
        self._declare(symbol_type(maker, [part for _, part in fields], own))
        variables = [f"X{number}" for number in range(len(fields))]
        made = f"{maker}({', '.join(variables)})" if fields else maker
        binders = ", ".join(f"{var}: {part}" for var, (_, part) in zip(variables, fields, strict=True))
        for (name, _), (field, part) in zip(sort.fields, fields, strict=True):
            self._values[sort, name] = field
            self._declare(symbol_type(field, [own], part))
            self._law(f"! [{binders}] : {field}({made}) = {variables[self._index(sort, name)]}")
        again = f"{maker}({', '.join(f'{field}(X)' for field, _ in fields)})" if fields else maker
        self._law(f"! [X: {own}] : {again} = X")

    @staticmethod
    def _index(sort: TupleSort, field: str) -> int:
        return [name for name, _ in sort.fields].index(field)

    def _symbol(self, symbol: Symbol) -> str:
        if symbol.kind in (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR):
            sort = symbol.range if symbol.kind is SymbolKind.CONSTRUCTOR else symbol.domain[0]
            self._sort(sort)
            return self._values[sort, None if symbol.kind is SymbolKind.CONSTRUCTOR else symbol.name]
        name = self._symbols.get(symbol)
        if name is None:
            domain = [self._sort(sort) for sort in symbol.domain]
            value = "$o" if symbol.range is BOOL else self._sort(symbol.range)
            name = self._symbols[symbol] = self._names.new(symbol.name)
            self._declare(symbol_type(name, domain, value))
        return name

    # --- formulas ---

    def _opened(self, node: Node) -> Opened:
        match node:
            case Lit():
                return Opened([self._literal(node)])
            case Sym(symbol=symbol):
                return Opened([self._symbol(symbol)])
            case Var():
                return Opened([self._local[node.id]])
            case Quant():
                return self._quantifier(node)
            case App(op=Operator()):
                return row_of(_ROWS, node, "TPTP")
            case App(op=symbol):
                # A truth value as an argument is a constant; as a formula it is not.
                return self._application(self._symbol(cast(Symbol, symbol)), node)
        raise AssertionError(node)

    def _application(self, head: str, node: App) -> Opened:
        if not any(arg.sort is BOOL for arg in node.args):
            return applied(head, node.args)
        pieces: list[str | Operand] = [f"{head}("]
        for number, arg in enumerate(node.args):
            pieces += [", "] if number else []
            pieces.append(
                self._truth_value(arg) if isinstance(arg, Lit) and arg.sort is BOOL else Operand(arg)
            )
        return Opened([*pieces, ")"])

    def _truth_value(self, lit: Lit) -> str:
        self._sort(BOOL)
        return self._values[BOOL, lit.value]

    def _quantifier(self, node: Quant) -> Opened:
        binders = ", ".join(f"{self._local[var.id]}: {self._sort(var.sort)}" for var in node.binders)
        sign = "!" if node.kind == "forall" else "?"
        return Opened([f"{sign} [{binders}] : ", Operand(node.body, _QUANTIFIED)], _QUANTIFIED)

    def _literal(self, lit: Lit) -> str:
        value = lit.value
        match lit.sort:
            case BoolSort():
                return "$true" if value else "$false"
            case IntSort():
                return _integer(cast(int, value))
            case RealSort():
                return _real(Fraction(cast(Fraction, value)))
            case EnumSort():
                self._sort(lit.sort)
                return self._values[lit.sort, value]
        raise NoCounterpart(f"values of the sort {lit.sort}")


_HEAD: Final = (
    "% A program of potlang as a problem in TPTP (TFF). Theorem says that the claim is entailed (or that the",
    "% assumptions are inconsistent: ContradictoryAxioms), CounterSatisfiable that it is not entailed.",
)


def _word(name: str) -> str:
    """A lower word, or a quoted one."""
    if _LOWER_WORD.fullmatch(name):
        return name
    if _PRINTABLE.fullmatch(name):
        escaped = name.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return f"'{slug(name)}'"


def _variable(name: str) -> str:
    text = slug(name)
    return text[0].upper() + text[1:] if text[0].isalpha() else f"V{text}"


def _integer(value: int) -> str:
    return f"-{digits(-value)}" if value < 0 else digits(value)


def _real(value: Fraction) -> str:
    """A decimal where that is exact, else a quotient of two."""
    scaled = value * 10**_KEPT_DECIMALS
    if scaled.denominator != 1:
        return f"$quotient({_integer(value.numerator)}.0, {digits(value.denominator)}.0)"
    sign = "-" if value < 0 else ""
    whole, rest = divmod(abs(scaled.numerator), 10**_KEPT_DECIMALS)
    decimals = f"{rest:0{_KEPT_DECIMALS}d}".rstrip("0") or "0"
    return f"{sign}{digits(whole)}.{decimals}"


# --- operators -------------------------------------------------------------------------------------------


def _negated(node: App) -> Opened:
    (denied,) = node.args
    if isinstance(denied, App) and denied.op is op.EQ:
        return joined(" != ", _EQUATION, denied.args)
    return Opened(["~ ", Operand(denied, _EQUATION + 1)], _NEGATED)


def _binary(sign: str) -> Row:
    """Between formulas, of which those with a sign between them, and quantifiers, are in brackets."""
    return lambda node: Opened(joined(f" {sign} ", _QUANTIFIED, node.args).pieces, _BINARY)


def _nested(head: str) -> Row:
    """A function of two arguments, applied again and again."""

    def row(node: App) -> Opened:
        first, *rest = node.args
        pieces: list[str | Operand] = [f"{head}(" * len(rest), Operand(first)]
        for arg in rest:
            pieces += [", ", Operand(arg), ")"]
        return Opened(pieces)

    return row


_ROWS: Final[dict[Operator, Row]] = {
    op.NOT: _negated,
    op.AND: _binary("&"),
    op.OR: _binary("|"),
    op.IMPLIES: _binary("=>"),
    op.IFF: _binary("<=>"),
    op.XOR: _binary("<~>"),
    op.EQ: lambda node: joined(" = ", _EQUATION, node.args),
    op.LT: call("$less"),
    op.LE: call("$lesseq"),
    op.ADD: _nested("$sum"),
    op.SUB: call("$difference"),
    op.NEG: call("$uminus"),
    op.MUL: _nested("$product"),
    op.DIV: call("$quotient"),
    op.INT_DIV: call("$quotient_e"),
    op.MOD: call("$remainder_e"),
    op.TO_REAL: call("$to_real"),
    op.TO_INT: call("$to_int"),
}
