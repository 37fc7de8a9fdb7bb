"""A problem as a Lean 4 file that needs no library: types, functions, axioms, a theorem for each claim.

A theorem has a proof where the least model of the Horn part gives one (`lean_proofs`), else `sorry`. Truth
values are propositions; sets, arrays and functions as values are functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, cast

from potlang.export.lean_proofs import ProofWriter
from potlang.export.problem import (
    NoCounterpart,
    ToolProblem,
    label,
    pairs_of,
    require_small,
    stated_at,
    variables_in,
)
from potlang.export.texts import (
    Names,
    Opened,
    Operand,
    Piece,
    Row,
    head_text,
    infix,
    joined,
    no_operator,
    slug,
    text_of,
)
from potlang.ir import operators as op
from potlang.ir.module import Definition
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var
from potlang.ir.numerals import digits
from potlang.ir.operators import Operator
from potlang.ir.sorts import (
    BOOL,
    INT,
    BoolSort,
    DeclaredSort,
    EnumSort,
    IntSort,
    SetSort,
    Sort,
    TupleSort,
    table_sorts,
)

_LOWEST, _IFF, _ARROW, _OR, _AND, _NOT, _RELATION, _SUM, _PRODUCT, _MINUS, _APPLIED = (
    *(5, 20, 25, 30, 35, 40, 50, 65, 70, 75, 90),
)
"""How tightly Lean's notations bind."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_QUOTABLE: Final = re.compile(r"[ -~]+")
_KEYWORDS: Final = frozenset(
    """
    abbrev all and as at attribute axiom begin break by calc case catch class constant continue cut
    decreasing_by def default deriving do elab else end evaluates example exists export extends extern
    false finally for forall from fun goal have hiding if import in include inductive infix infixl
    infixr inherit initialize instance invariant lambda lemma let local macro macro_rules match meta mod
    module mut mutual namespace native nofun nomatch noncomputable notation obtain omit on only opaque
    open or partial postfix precedence prefix prelude private Prop protected public rcases register
    repeat return rfl rintro scoped sealed section set_option show sorry Sort static structure suffices
    syntax termination_by then theorem this trivial true try Type unif_hint union universe universes
    unless unsafe unseal using variable variables where while with xor
    """.split()  # noqa: SIM905 - one word a line would hide the rest
)
_CORE: Final = (
    "«_root_»",
    *(
        "Program",
        "Int",
        "Nat",
        "Bool",
        "True",
        "False",
        "And",
        "Or",
        "Not",
        "Iff",
        "Eq",
        "Exists",
        "Nonempty",
    ),
    *("Classical", "Decidable", "Function", "Set", "Array", "String", "List", "Option", "Unit", "absurd"),
)
"""Names of Lean's core that are used here, or that it would confuse a reader to see again."""
_MADE: Final = (
    *("mk", "rec", "recOn", "casesOn", "noConfusion", "noConfusionType", "below", "brecOn", "toCtorIdx"),
    *("ctorIdx", "ctorElim", "ctorElimType", "sizeOf_spec", "injEq", "inj", "ofNat", "elim", "toNat"),
)
"""Names that Lean makes below those of types."""
_HEAD: Final = """\
-- A program of potlang in Lean 4 without libraries. What is assumed are axioms, what is asked are theorems.
-- A theorem whose proof is `sorry` is stated only: the program may well refute it.

namespace Program
open Classical
"""


def lean_text(problem: ToolProblem) -> str:
    """The file. Raises `NoCounterpart`."""
    return LeanWriter(problem).text()


class LeanWriter:
    """Names the parts of a problem and writes them, declaration by declaration."""

    def __init__(self, problem: ToolProblem) -> None:
        self.problem = problem
        self._names = Names(_spelled, (*_CORE, *_MADE))
        self._sorts: dict[Sort, str] = {}
        self._values: dict[tuple[Sort, object], str] = {}
        self._symbols: dict[Symbol, str] = {}
        self._local: dict[int, str] = {}
        self._called: Mapping[Symbol, str] = {}
        self.hypotheses: dict[str, str] = {}
        """The name of each assumption, by its key."""

    def text(self) -> str:
        """All of it."""
        problem = self.problem
        lines = [_HEAD, *(line for sort in problem.sorts for line in self._sort_lines(sort)), ""]
        lines += map(self._symbol_line, problem.symbols)
        for definition in problem.definitions:
            with stated_at(definition.origin):
                lines += self._definition(definition)
        for each in problem.assertions:
            with stated_at(each.origin):
                name = self.hypotheses[each.key] = self._names.new(each.name or "assumption")
                lines += ["", f"-- {label(str(each.kind), each.name, each.origin)}"]
                lines.append(f"axiom {name} : {self.formula(each.formula)}")
        proofs = ProofWriter(self)
        for claim, formula in problem.asked:
            with stated_at(claim.origin):
                name = self._names.new(claim.name or "claim")
                lines += ["", f"-- {label('claim', claim.name, claim.origin)}"]
                head = f"theorem {name} : {self.formula(formula)} :="
                proof = proofs.lines(formula)
                lines += [f"{head} by sorry"] if proof is None else [head, *proof]
        return "\n".join([*lines, "", "end Program", ""])

    # --- declarations ---

    def _sort_lines(self, sort: DeclaredSort | EnumSort | TupleSort) -> Iterator[str]:
        name = self._sorts[sort] = self._names.new(sort.name)
        if isinstance(sort, DeclaredSort):
            yield f"axiom {name} : Type"
            yield f"axiom {self._names.new(f'{sort.name} is not empty')} : Nonempty {name}"
        elif isinstance(sort, EnumSort):
            yield f"inductive {name} : Type where"
            for value in sort.values:
                text = self._names.new(value)
                self._values[sort, value] = f"{name}.{text}"
                yield f"  | {text} : {name}"
        else:
            self._values[sort, None] = f"{name}.mk"
            yield f"structure {name} : Type where"
            for field, part in sort.fields:
                text = self._names.new(field)
                self._values[sort, field] = f"{name}.{text}"
                yield f"  {text} : {self.sort(part)}"

    def _symbol_line(self, symbol: Symbol) -> str:
        name = self._symbols[symbol] = self._names.new(symbol.name)
        return f"axiom {name} : {self._function_type((*symbol.domain, symbol.range))}"

    def _definition(self, definition: Definition) -> list[str]:
        params = definition.params
        text = self.formula(definition.body, params)
        binders = "".join(f" ({self._local[var.id]} : {self.sort(var.sort)})" for var in params)
        name = self._symbols[definition.symbol] = self._names.new(definition.symbol.name)
        comment = f"-- {label('definition', definition.symbol.name, definition.origin)}"
        return [
            "",
            comment,
            f"noncomputable def {name}{binders} : {self.sort(definition.body.sort)} := {text}",
        ]

    def _function_type(self, sorts: Sequence[Sort]) -> str:
        """A type of functions; arguments that are functions themselves are in brackets."""
        texts = [self.sort(sort) for sort in sorts]
        given = [f"({text})" if "→" in text else text for text in texts[:-1]]
        return " → ".join([*given, texts[-1]])

    def sort(self, sort: Sort) -> str:
        """The type that a sort is. Raises `NoCounterpart`."""
        # Recursion is bounded: sorts that are read nest no deeper than a limit.
        match sort:
            case DeclaredSort() | EnumSort() | TupleSort():
                return self._sorts[sort]
            case BoolSort():
                return "Prop"
            case IntSort():
                return "Int"
        maps = table_sorts(sort)
        if maps is None:
            raise NoCounterpart(f"the sort {sort}", "Lean's core has none that means the same")
        return self._function_type((*maps[0], maps[1]))

    # --- formulas ---

    def formula(
        self, root: Node, params: Sequence[Var] = (), called: Mapping[Symbol, str] = MappingProxyType({})
    ) -> str:
        """The text of a closed term, or of one of some parameters; `called` are names of more symbols."""
        self._local = self._names.local(dict.fromkeys([*params, *variables_in(root)]))
        self._called = called
        require_small(root)
        return text_of(root, self._opened)

    def unused(self, wanted: str) -> str:
        """A name that nothing else has."""
        return self._names.new(wanted)

    def _opened(self, node: Node) -> Opened:
        match node:
            case Lit():
                return self._literal(node)
            case Sym(symbol=symbol):
                return Opened([self._called.get(symbol) or self._symbols[symbol]])
            case Var():
                return Opened([self._local[node.id]])
            case Quant():
                binders = " ".join(f"({self._local[v.id]} : {self.sort(v.sort)})" for v in node.binders)
                sign = "∀" if node.kind == "forall" else "∃"
                return Opened([f"{sign} {binders}, ", Operand(node.body)], _LOWEST)
            case App(op=Operator() as operation):
                row = _ROWS.get(operation)
                if row is None:
                    raise no_operator(operation, "Lean's core")
                return row(self, node)
            case App(op=symbol):
                return _application(head_text(cast(Symbol, symbol), self._symbols, self._values), node.args)
        raise AssertionError(node)

    def _literal(self, lit: Lit) -> Opened:
        value = lit.value
        match lit.sort:
            case BoolSort():
                return Opened(["True" if value else "False"])
            case IntSort():
                text = digits(abs(cast(int, value)))
                return Opened([f"({'-' if cast(int, value) < 0 else ''}{text} : Int)"])
            case EnumSort():
                return Opened([self._values[lit.sort, value]])
            case SetSort(element):
                return Opened([f"fun (_ : {self.sort(element)}) => False"], _LOWEST)
        raise NoCounterpart(f"values of the sort {lit.sort}", "Lean's core has none that mean the same")


def _spelled(name: str) -> str:
    """An identifier, in quotation marks of Lean where it is none."""
    if _IDENTIFIER.fullmatch(name) and name not in _KEYWORDS:
        return name
    return f"«{name if _QUOTABLE.fullmatch(name) else slug(name)}»"


def _application(head: str, args: Sequence[Node]) -> Opened:
    pieces: list[Piece] = [head]
    for arg in args:
        pieces += [" ", Operand(arg, _APPLIED + 1)]
    return Opened(pieces, _APPLIED)


# --- operators -------------------------------------------------------------------------------------------

_LeanRow = Callable[[LeanWriter, App], Opened]


def _plain(row: Row) -> _LeanRow:
    return lambda writer, node: row(node)


def _before(sign: str, binds: int) -> _LeanRow:
    return lambda writer, node: Opened([sign, Operand(node.args[0], binds + 1)], binds)


def _xor(writer: LeanWriter, node: App) -> Opened:
    return Opened(["¬(", *joined(" ↔ ", _IFF, node.args).pieces, ")"], _NOT)


def _equation(writer: LeanWriter, node: App) -> Opened:
    if node.args[0].sort is BOOL:
        return joined(" ↔ ", _IFF, node.args)
    return joined(" = ", _RELATION, node.args)


def _distinct(writer: LeanWriter, node: App) -> Opened:
    args = node.args
    if args[0].sort is BOOL:
        # Of three truth values two are equal.
        return _xor(writer, node) if len(args) == 2 else Opened(["False"])
    pieces: list[Piece] = []
    for one, other in pairs_of(args):
        pieces += [" ∧ "] if pieces else []
        pieces += [Operand(one, _RELATION + 1), " ≠ ", Operand(other, _RELATION + 1)]
    return Opened(pieces, _RELATION if len(args) == 2 else _AND)


def _choice(writer: LeanWriter, node: App) -> Opened:
    condition, then, otherwise = map(Operand, node.args)
    return Opened(["if ", condition, " then ", then, " else ", otherwise], _LOWEST)


def _absolute(writer: LeanWriter, node: App) -> Opened:
    arg = node.args[0]
    if arg.sort is not INT:
        raise no_operator(op.ABS, "Lean's core")
    part = Operand(arg, _MINUS + 1)
    return Opened(["if ", part, " < (0 : Int) then -", part, " else ", part], _LOWEST)


def _divided(sign: str) -> _LeanRow:
    def row(writer: LeanWriter, node: App) -> Opened:
        divisor = node.args[1]
        if not isinstance(divisor, Lit) or not divisor.value:
            assert isinstance(node.op, Operator)
            raise NoCounterpart(
                f"the operator `{node.op.name}` by anything but a number that is not 0",
                "division by 0 is 0 in Lean, and any number here",
            )
        return joined(sign, _PRODUCT, node.args)

    return row


def _read(writer: LeanWriter, node: App) -> Opened:
    """An array or a function as a value, applied."""
    pieces: list[Piece] = [Operand(node.args[0], _APPLIED)]
    for arg in node.args[1:]:
        pieces += [" ", Operand(arg, _APPLIED + 1)]
    return Opened(pieces, _APPLIED)


def _member(writer: LeanWriter, node: App) -> Opened:
    element, whole = node.args
    return Opened([Operand(whole, _APPLIED), " ", Operand(element, _APPLIED + 1)], _APPLIED)


def _pointwise(body: Callable[[str, App], list[Piece]]) -> _LeanRow:
    """A map by what it is at an index."""

    def row(writer: LeanWriter, node: App) -> Opened:
        keys = table_sorts(node.sort)
        assert keys is not None
        at = writer.unused("y")
        return Opened([f"fun ({at} : {writer.sort(keys[0][0])}) => ", *body(at, node)], _LOWEST)

    return row


def _of_both(at: str, node: App, sign: str, second: str = "") -> list[Piece]:
    left, right = (Operand(arg, _APPLIED) for arg in node.args)
    return [left, f" {at} {sign} {second}", right, f" {at}"]


def _subset(writer: LeanWriter, node: App) -> Opened:
    sort = cast(SetSort, node.args[0].sort)
    at = writer.unused("y")
    return Opened([f"∀ ({at} : {writer.sort(sort.element)}), ", *_of_both(at, node, "→")], _LOWEST)


def _with_element(at: str, node: App) -> list[Piece]:
    element, whole = node.args
    return [f"{at} = ", Operand(element, _RELATION + 1), " ∨ ", Operand(whole, _APPLIED), f" {at}"]


def _stored(at: str, node: App) -> list[Piece]:
    whole, index, value = node.args
    chosen: list[Piece] = [f"if {at} = ", Operand(index, _RELATION + 1), " then ", Operand(value)]
    return [*chosen, " else ", Operand(whole, _APPLIED), f" {at}"]


_ROWS: Final[dict[Operator, _LeanRow]] = {
    op.NOT: _before("¬", _NOT),
    op.AND: _plain(infix(" ∧ ", _AND)),
    op.OR: _plain(infix(" ∨ ", _OR)),
    op.IMPLIES: _plain(infix(" → ", _ARROW)),
    op.IFF: _plain(infix(" ↔ ", _IFF)),
    op.XOR: _xor,
    op.ITE: _choice,
    op.EQ: _equation,
    op.DISTINCT: _distinct,
    op.LT: _plain(infix(" < ", _RELATION)),
    op.LE: _plain(infix(" ≤ ", _RELATION)),
    op.ADD: _plain(infix(" + ", _SUM)),
    op.SUB: _plain(infix(" - ", _SUM)),
    op.NEG: _before("-", _MINUS),
    op.MUL: _plain(infix(" * ", _PRODUCT)),
    op.INT_DIV: _divided(" / "),
    op.MOD: _divided(" % "),
    op.ABS: _absolute,
    op.SELECT: _read,
    op.APPLY: _read,
    op.STORE: _pointwise(_stored),
    op.MEMBER: _member,
    op.INSERT: _pointwise(_with_element),
    op.UNION: _pointwise(lambda at, node: _of_both(at, node, "∨")),
    op.INTERSECT: _pointwise(lambda at, node: _of_both(at, node, "∧")),
    op.DIFFERENCE: _pointwise(lambda at, node: _of_both(at, node, "∧", "¬")),
    op.SUBSET: _subset,
}
