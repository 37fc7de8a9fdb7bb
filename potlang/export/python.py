"""A problem as a Python script over z3's own interface, which says the verdict on each claim.

Nothing of a program is code: names are made of letters and digits, texts are literals in ASCII.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, cast

from potlang.export.problem import NoCounterpart, ToolProblem, label, stated_at, variables_in
from potlang.export.texts import (
    Names,
    Opened,
    Operand,
    Row,
    applied,
    call,
    head_text,
    infix,
    prefix,
    row_of,
    slug,
    text_of,
)
from potlang.ir import operators as op
from potlang.ir.module import Definition
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, children, reachable
from potlang.ir.numerals import digits
from potlang.ir.operators import Operator
from potlang.ir.sorts import (
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    IntSort,
    RealSort,
    SetSort,
    Sort,
    StringSort,
    TupleSort,
    table_sorts,
)
from potlang.smt.errors import Unsupported
from potlang.smt.numerals import string_text

_DEEPEST: Final = 20
"""Levels of a term in one line: Python reads at most 200 brackets within one another."""
_SHARED: Final = 4
"""Nodes from which on a part that occurs twice gets a name."""
_LONG: Final = 15
"""Digits from which on a number is written as a text: Python reads no more than 4,300 of a number."""
_WORDS: Final = (
    *("z3", "sys", "json", "main", "status", "verdict", "assumptions", "claims", "TIMEOUT_MS", "VERDICTS"),
    *keyword.kwlist,
    *keyword.softkwlist,
    *dir(builtins),
)
_HEAD: Final = '''\
"""A program of potlang as a script over z3's Python interface: run it with `python FILE`.

It needs the package z3-solver, prints the verdict on each claim, and ends as `potc` does: with 0 if all are
entailed, with 3 if one is unknown, else with 1.
"""

import json
import sys

import z3

TIMEOUT_MS = 10_000  # of each check
'''
_TAIL: Final = '''

# --- Verdicts

VERDICTS = {
    # What z3 says of the claim and of its denial, each together with the assumptions.
    ("sat", "unsat"): "entailed",
    ("unsat", "sat"): "refuted",
    ("sat", "sat"): "undetermined",
    ("unsat", "unsat"): "inconsistent",
}


def status(*formulas):
    """Whether the assumptions are satisfiable together with some formulas: sat, unsat or unknown."""
    solver = z3.Solver()
    solver.set(timeout=TIMEOUT_MS)
    solver.add(*assumptions, *formulas)
    return str(solver.check())


def verdict(claim):
    """The verdict on a claim: one of the words in VERDICTS, or `unknown`."""
    found = status(claim), status(z3.Not(claim))
    if set(found) == {"unsat", "unknown"}:
        # As one is unsatisfiable, the other is satisfiable exactly if the assumptions are.
        alone = status()
        found = tuple(alone if each == "unknown" else each for each in found)
    return VERDICTS.get(found, "unknown")


def main():
    """Prints a line for each claim."""
    found = [verdict(formula) for _, formula in claims]
    for (name, _), word in zip(claims, found):
        print(f"{json.dumps(name)}: {word}")
    sys.exit(3 if "unknown" in found else any(word != "entailed" for word in found))


if __name__ == "__main__":
    main()
'''


def python_text(problem: ToolProblem) -> str:
    """The script. Raises `NoCounterpart`."""
    return _PythonScript(problem).text()


class _PythonScript:
    """Names the parts of a problem and writes them, statement by statement."""

    def __init__(self, problem: ToolProblem) -> None:
        self._problem = problem
        self._names = Names(slug_of, _WORDS)
        self._z3_names = Names(str)
        """Of z3's constants: a bound variable must not have the name of another constant."""
        self._sorts: dict[Sort, str] = {}
        self._values: dict[tuple[Sort, object], str] = {}
        self._symbols: dict[Symbol, str] = {}
        self._local: dict[int, str] = {}
        """The variables and shared parts of the formula that is being written."""

    def text(self) -> str:
        """All of it."""
        problem = self._problem
        lines = [_HEAD, *_section("Sorts", map(self._sort_line, problem.sorts))]
        lines += _section("Functions and constants", map(self._symbol_line, problem.symbols))
        lines += _section(
            "Definitions", [line for each in problem.definitions for line in self._definition(each)]
        )
        lines += ["", "# --- What is assumed", "", "assumptions = []"]
        for assertion in problem.assertions:
            with stated_at(assertion.origin):
                lines.append(f"# {label(str(assertion.kind), assertion.name, assertion.origin)}")
                lines += self._formula(assertion.formula, "assumptions.append({})")
        lines += ["", "# --- What is asked", "", "claims = []"]
        for claim, formula in problem.asked:
            with stated_at(claim.origin):
                lines.append(f"# {label('claim', claim.name, claim.origin)}")
                lines += self._formula(formula, f"claims.append(({claim.name!a}, {{}}))")
        return "\n".join([*lines, _TAIL])

    # --- declarations ---

    def _sort_line(self, sort: DeclaredSort | EnumSort | TupleSort) -> str:
        name = self._sorts[sort] = self._names.new(sort.name)
        if isinstance(sort, DeclaredSort):
            return f"{name} = z3.DeclareSort({sort.name!a})"
        if isinstance(sort, EnumSort):
            values = []
            for value in sort.values:
                self._values[sort, value] = self._names.new(value)
                values.append(self._values[sort, value])
            texts = ", ".join(map(ascii, sort.values))
            return f"{name}, {_tuple(values)} = z3.EnumSort({sort.name!a}, [{texts}])"
        return self._record_lines(name, sort)

    def _record_lines(self, name: str, sort: TupleSort) -> str:
        maker = self._values[sort, None] = self._names.new(f"make_{sort.name}")
        fields = "".join(f", ({field!a}, {self._sort(part)})" for field, part in sort.fields)
        lines = [f"{name} = z3.Datatype({sort.name!a})"]
        lines.append(f"{name}.declare({sort.name!a}{fields})")
        lines += [f"{name} = {name}.create()", f"{maker} = {name}.constructor(0)"]
        for place, (field, _) in enumerate(sort.fields):
            self._values[sort, field] = self._names.new(f"{sort.name}_{field}")
            lines.append(f"{self._values[sort, field]} = {name}.accessor(0, {place})")
        return "\n".join(lines)

    def _symbol_line(self, symbol: Symbol) -> str:
        name = self._symbols[symbol] = self._names.new(symbol.name)
        called = ascii(self._z3_names.new(symbol.name))
        if not symbol.domain:
            return f"{name} = z3.Const({called}, {self._sort(symbol.range)})"
        sorts = ", ".join(map(self._sort, (*symbol.domain, symbol.range)))
        return f"{name} = z3.Function({called}, {sorts})"

    def _definition(self, definition: Definition) -> Iterator[str]:
        with stated_at(definition.origin):
            name = self._symbols[definition.symbol] = self._names.new(definition.symbol.name)
            yield f"# {label('definition', definition.symbol.name, definition.origin)}"
            if not definition.params:
                yield from self._formula(definition.body, f"{name} = {{}}", keep=True)
                return
            lines = self._formula(definition.body, "return {}", definition.params, keep=True)
            yield f"def {name}({', '.join(self._local[param.id] for param in definition.params)}):"
            yield from (f"    {line}" for line in lines)
            yield ""

    def _sort(self, sort: Sort) -> str:
        # Recursion is bounded: sorts that are read nest no deeper than a limit.
        match sort:
            case DeclaredSort() | EnumSort() | TupleSort():
                return self._sorts[sort]
            case BoolSort() | IntSort() | RealSort() | StringSort():
                return f"z3.{sort}Sort()"
            case BitVecSort(width):
                return f"z3.BitVecSort({width})"
            case SetSort(element):
                return f"z3.SetSort({self._sort(element)})"
            case _:
                maps = table_sorts(sort)
                assert maps is not None
                indices, element = maps
                heads = "".join(f"z3.ArraySort({self._sort(index)}, " for index in indices)
                return f"{heads}{self._sort(element)}{')' * len(indices)}"

    # --- formulas ---

    def _formula(
        self, root: Node, frame: str, params: Sequence[Var] = (), *, keep: bool = False
    ) -> list[str]:
        """The lines that give a term its place in `frame`; with `keep` its variables keep their names."""
        variables = list(dict.fromkeys((*params, *variables_in(root))))
        self._local = self._names.local(variables)
        called = self._z3_names.local(variables)
        if keep:
            # A definition may be used within the scope of any variable.
            called = {var.id: self._z3_names.new(var.name) for var in variables}
        lines = []
        for var in variables:
            if var not in params:
                name = self._local[var.id]
                lines.append(f"{name} = z3.Const({called[var.id]!a}, {self._sort(var.sort)})")
        taken = set(self._local.values())
        for node in _named_parts(root):
            text = text_of(node, self._opened)
            name = self._names.new("part")
            while name in taken:
                name = self._names.new("part")
            lines.append(f"{name} = {text}")
            self._local[node.id] = name
        return [*lines, frame.replace("{}", text_of(root, self._opened), 1)]

    def _opened(self, node: Node) -> Opened:
        local = self._local.get(node.id)
        if local is not None:
            return Opened([local])
        match node:
            case Lit():
                return Opened([self._literal(node)])
            case Sym(symbol=symbol):
                return Opened([self._symbols[symbol]])
            case Quant(kind=kind, binders=binders, body=body):
                names = ", ".join(self._local[var.id] for var in binders)
                head = "z3.ForAll" if kind == "forall" else "z3.Exists"
                return Opened([f"{head}([{names}], ", Operand(body), ")"])
            case App(op=Operator()):
                return row_of(_ROWS, node, "z3")
            case App(op=symbol):
                return applied(head_text(cast(Symbol, symbol), self._symbols, self._values), node.args)
            case _:
                raise AssertionError(node)

    def _literal(self, lit: Lit) -> str:
        value = lit.value
        match lit.sort:
            case BoolSort():
                return f"z3.BoolVal({value})"
            case IntSort():
                return f"z3.IntVal({_number(cast(int, value))})"
            case RealSort():
                return f"z3.RealVal({_fraction(Fraction(cast(Fraction, value)))})"
            case StringSort():
                return f"z3.StringVal({_string(cast(str, value))})"
            case BitVecSort(width):
                return f"z3.BitVecVal({_number(cast(int, value))}, {width})"
            case SetSort(element):
                return f"z3.EmptySet({self._sort(element)})"
            case _:
                return self._values[lit.sort, value]


def slug_of(name: str) -> str:
    """A Python name, perhaps a keyword."""
    text = slug(name)
    return f"_{text}" if text[0].isdigit() else text


def _section(title: str, lines: Iterator[str] | list[str]) -> list[str]:
    found = list(lines)
    return ["", f"# --- {title}", "", *found] if found else []


def _tuple(names: Sequence[str]) -> str:
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


def _number(value: int) -> str:
    text = digits(abs(value))
    signed = f"-{text}" if value < 0 else text
    return ascii(signed) if len(text) > _LONG else signed


def _fraction(value: Fraction) -> str:
    if value.denominator == 1:
        return _number(value.numerator)
    sign = "-" if value < 0 else ""
    return ascii(f"{sign}{digits(abs(value.numerator))}/{digits(value.denominator)}")


def _string(value: str) -> str:
    """A string in SMT-LIB's spelling, which z3 reads, but for its doubled quotation marks."""
    try:
        text = string_text(value)
    except Unsupported as error:
        raise NoCounterpart(str(error), "write it with other characters") from error
    return ascii(text[1:-1].replace('""', '"'))


def _named_parts(root: Node) -> list[Node]:
    """The parts of a term that get a line of their own, each after those within it."""
    nodes = reachable(root)
    uses: dict[int, int] = {}
    for node in nodes:
        for child in children(node):
            uses[child.id] = uses.get(child.id, 0) + 1
    named = []
    height: dict[int, int] = {}
    size: dict[int, int] = {}
    for node in nodes:
        parts = children(node)
        height[node.id] = 1 + max((height[part.id] for part in parts), default=0)
        size[node.id] = 1 + sum(size[part.id] for part in parts)
        is_shared = uses.get(node.id, 0) > 1 and size[node.id] >= _SHARED
        if node is not root and (is_shared or height[node.id] > _DEEPEST):
            named.append(node)
            height[node.id] = 0
            size[node.id] = 1
    return named


# --- operators -------------------------------------------------------------------------------------------

_COMPARED, _OR, _XOR, _AND, _SHIFTED, _ADDED, _MULTIPLIED, _SIGNED = 40, 44, 46, 48, 50, 60, 70, 80


def _swapped(head: str) -> Row:
    return lambda node: applied(head, node.args[::-1])


def _several(sign: str, binds: int, head: str) -> Row:
    """Between two operands, as a call before more of them: long chains are deep to Python."""
    between, before = infix(sign, binds), call(head)
    return lambda node: between(node) if len(node.args) == 2 else before(node)


def _apply(node: App) -> Opened:
    """A function as a value is an array of arrays."""
    pieces: list[str | Operand] = ["z3.Select(" * (len(node.args) - 1), Operand(node.args[0])]
    for arg in node.args[1:]:
        pieces += [", ", Operand(arg), ")"]
    return Opened(pieces)


def _to_bits(node: App) -> Opened:
    assert isinstance(node.sort, BitVecSort)
    return Opened(["z3.Int2BV(", Operand(node.args[0]), f", {node.sort.width})"])


_ROWS: Final[dict[Operator, Row]] = {
    op.NOT: call("z3.Not"),
    op.AND: call("z3.And"),
    op.OR: call("z3.Or"),
    op.IMPLIES: call("z3.Implies"),
    op.IFF: infix(" == ", _COMPARED),
    op.XOR: call("z3.Xor"),
    op.ITE: call("z3.If"),
    op.EQ: infix(" == ", _COMPARED),
    op.DISTINCT: call("z3.Distinct"),
    op.LT: infix(" < ", _COMPARED),
    op.LE: infix(" <= ", _COMPARED),
    op.ADD: _several(" + ", _ADDED, "z3.Sum"),
    op.SUB: infix(" - ", _ADDED),
    op.NEG: prefix("-", _SIGNED),
    op.MUL: _several(" * ", _MULTIPLIED, "z3.Product"),
    op.DIV: infix(" / ", _MULTIPLIED),
    op.INT_DIV: infix(" / ", _MULTIPLIED),
    op.MOD: infix(" % ", _MULTIPLIED),
    op.ABS: call("z3.Abs"),
    op.TO_REAL: call("z3.ToReal"),
    op.TO_INT: call("z3.ToInt"),
    op.SELECT: call("z3.Select"),
    op.STORE: call("z3.Store"),
    op.APPLY: _apply,
    op.MEMBER: call("z3.IsMember"),
    op.INSERT: _swapped("z3.SetAdd"),
    op.UNION: call("z3.SetUnion"),
    op.INTERSECT: call("z3.SetIntersect"),
    op.DIFFERENCE: call("z3.SetDifference"),
    op.SUBSET: call("z3.IsSubset"),
    op.STR_CONCAT: call("z3.Concat"),
    op.STR_LENGTH: call("z3.Length"),
    op.STR_CONTAINS: call("z3.Contains"),
    op.STR_PREFIX: call("z3.PrefixOf"),
    op.STR_SUFFIX: call("z3.SuffixOf"),
    op.STR_SUBSTRING: call("z3.SubString"),
    op.STR_TO_INT: call("z3.StrToInt"),
    op.BV_CONCAT: call("z3.Concat"),
    op.BV_TO_INT: call("z3.BV2Int"),
    op.INT_TO_BV: _to_bits,
    op.BV_NOT: prefix("~", _SIGNED),
    op.BV_NEG: prefix("-", _SIGNED),
    op.BV_AND: infix(" & ", _AND),
    op.BV_OR: infix(" | ", _OR),
    op.BV_XOR: infix(" ^ ", _XOR),
    op.BV_ADD: infix(" + ", _ADDED),
    op.BV_SUB: infix(" - ", _ADDED),
    op.BV_MUL: infix(" * ", _MULTIPLIED),
    op.BV_UDIV: call("z3.UDiv"),
    op.BV_UREM: call("z3.URem"),
    op.BV_SDIV: infix(" / ", _MULTIPLIED),
    op.BV_SREM: call("z3.SRem"),
    op.BV_SHL: infix(" << ", _SHIFTED),
    op.BV_LSHR: call("z3.LShR"),
    op.BV_ASHR: infix(" >> ", _SHIFTED),
    op.BV_ULT: call("z3.ULT"),
    op.BV_ULE: call("z3.ULE"),
    op.BV_SLT: infix(" < ", _COMPARED),
    op.BV_SLE: infix(" <= ", _COMPARED),
}
