"""Ground terms and atoms by number, and clauses with variables over them.

Terms that the logic says are equal are not merged here: `(+ 1 2)` is 3 because the kernel computes it, but
two constants are two terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.clauses import Clause
from potlang.ir.fold import fold, literal_of
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, Var, reachable
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    Sort,
    TupleSort,
)
from potlang.ir.values import Bits

MOST_BITS = 6
"""The values of wider bit vectors are not enumerated."""

Head = Symbol | Operator | tuple[Sort, object]
"""A symbol, an operator, or a literal."""
Ref = int
"""In a clause: a place in the binding, or, negative, `~number` of a ground term."""


class RuleLiteral(NamedTuple):
    """An atom with variables, or its negation; `head` is an operator (`=` among them) or a predicate."""

    positive: bool
    head: Symbol | Operator
    refs: tuple[Ref, ...]


class RuleCall(NamedTuple):
    """A term with variables: its value goes to `place`."""

    place: int
    head: Symbol | Operator
    refs: tuple[Ref, ...]
    sort: Sort


@dataclass(frozen=True, slots=True, eq=False)
class GroundRule:
    """A clause for all values of `variables`, which come first in its binding, before its calls.

    `form` is the number of the formula it comes from; `top` is False for what says what a named part implies.
    """

    form: int
    top: bool
    variables: tuple[Var, ...]
    calls: tuple[RuleCall, ...]
    literals: tuple[RuleLiteral, ...]

    @property
    def places(self) -> int:
        """The length of a binding."""
        return len(self.variables) + len(self.calls)


def values_of(sort: Sort) -> list[object] | None:
    """The values of a sort that is enumerated: Bool, enums, small bit vectors; None for other sorts."""
    match sort:
        case BoolSort():
            return [False, True]
        case EnumSort():
            return list(sort.values)
        case BitVecSort() if sort.width <= MOST_BITS:
            return list(range(1 << sort.width))
        case _:
            return None


class TermTable:
    """The terms and atoms of one problem. Atoms are numbered from 1, terms from 0."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.heads: list[Head] = []
        self.args: list[tuple[int, ...]] = []
        self.sorts: list[Sort] = []
        self.by_sort: dict[Sort, list[int]] = {}
        self.atoms: list[tuple[Head, tuple[int, ...]]] = [(op.EQ, ())]
        self.computed: list[int] = []
        self._terms: dict[tuple[Head, tuple[int, ...]], int] = {}
        self._numbers: dict[tuple[Head, tuple[int, ...]], int] = {}
        self._dummies: dict[Sort, Symbol] = {}
        self.selectors: dict[tuple[Sort, str], Symbol] = {}
        """Those of the program by their sort and name, and others."""
        self.differing: dict[Symbol, int] = {}
        """Functions that give the index, of this number, at which two tables differ, if they do."""
        self._computed: dict[tuple[Operator, tuple[int, ...]], Lit | None] = {}

    # --- terms ---

    def find(self, head: Head, args: tuple[int, ...]) -> int | None:
        """The number of a term that there is already."""
        return self._terms.get((head, args))

    def term(self, head: Head, args: tuple[int, ...], sort: Sort) -> int:
        """The number of a term."""
        number = self._terms.get((head, args))
        if number is None and (field := self.field(head, args)) is not None:
            return field
        if number is None:
            if isinstance(head, Operator):
                value = self.compute(head, args)
                if value is not None:
                    return self.literal(value)
            number = len(self.heads)
            if isinstance(head, Operator):
                self.computed.append(number)
            self._terms[head, args] = number
            self.heads.append(head)
            self.args.append(args)
            self.sorts.append(sort)
            self.by_sort.setdefault(sort, []).append(number)
        return number

    def field(self, head: Head, args: tuple[int, ...]) -> int | None:
        """The field that a selector takes of a record that is built here; None for all else."""
        if not isinstance(head, Symbol) or head.kind is not SymbolKind.SELECTOR:
            return None
        built, sort = self.heads[args[0]], head.domain[0]
        if not isinstance(built, Symbol) or built.kind is not SymbolKind.CONSTRUCTOR:
            return None
        assert isinstance(sort, TupleSort)
        return self.args[args[0]][[name for name, _ in sort.fields].index(head.name)]

    def literal(self, node: Lit) -> int:
        """The number of a literal."""
        return self.term((node.sort, node.value), (), node.sort)

    def value(self, number: int) -> Lit | None:
        """The literal that a term is."""
        head = self.heads[number]
        return self.pool.lit(head[1], head[0]) if isinstance(head, tuple) else None  # type: ignore[arg-type]

    def is_literal(self, number: int) -> bool:
        """Whether a term is a literal."""
        return isinstance(self.heads[number], tuple)

    def integer(self, number: int) -> int:
        """The value of an integer literal."""
        literal = self.value(number)
        assert literal is not None and isinstance(literal.value, int)
        return literal.value

    def compute(self, operator: Operator, args: Sequence[int]) -> Lit | None:
        """The literal that an operator gives on literals; None if not all are, or it has none."""
        key = operator, tuple(args)
        # Every model asks again about all atoms and terms.
        if key not in self._computed:
            self._computed[key] = self._compute(operator, args)
        return self._computed[key]

    def _compute(self, operator: Operator, args: Sequence[int]) -> Lit | None:
        literals = [self.value(arg) for arg in args]
        known = tuple(lit for lit in literals if lit is not None)
        if len(known) < len(args) or operator in _CONNECTIVES:
            return None
        return fold(self.pool, self.pool.app(operator, known))

    def formulas_in(self, args: Sequence[int]) -> bool:
        """Whether some argument is a formula other than True and False: that is not reasoned about."""
        return any(self.sorts[arg] is BOOL and not self.is_literal(arg) for arg in args)

    def universe(self, sort: Sort) -> list[int]:
        """The terms that variables of a sort stand for: its values, or all terms, or a dummy."""
        values = values_of(sort)
        if values is not None:
            return [self.literal(self.pool.lit(value, sort)) for value in values]  # type: ignore[arg-type]
        found = self.by_sort.get(sort)
        if not found:
            found = [self.default(sort)]
        return found

    def default(self, sort: Sort) -> int:
        """The value of a function where none is known: a term of the sort that there is always."""
        literal = self._default_literal(sort)
        if literal is not None:
            return self.literal(literal)
        found = self.by_sort.get(sort)
        return found[0] if found else self.term(self.dummy(sort), (), sort)

    def _default_literal(self, sort: Sort) -> Lit | None:
        match sort:
            case BoolSort():
                return self.pool.false
            case EnumSort():
                return self.pool.lit(sort.values[0], sort)
            case BitVecSort():
                return literal_of(self.pool, Bits(0, sort.width), sort)
            case _ if sort is INT or sort is REAL:
                return literal_of(self.pool, 0, sort)
            case _ if sort is STRING:
                return self.pool.lit("", sort)
            case _:
                return None

    def dummy(self, sort: Sort) -> Symbol:
        """The fresh constant of a sort."""
        symbol = self._dummies.get(sort)
        if symbol is None:
            symbol = self._dummies[sort] = Symbol("dummy", (), sort, SymbolKind.FRESH)
        return symbol

    def dummies(self) -> frozenset[Symbol]:
        """The dummies made so far."""
        return frozenset(self._dummies.values())

    # --- atoms ---

    def atom(self, head: Symbol | Operator, args: tuple[int, ...]) -> int:
        """The number of an atom, negative if what is numbered is its negation.

        Atoms that have one value in every structure are `TRUE` and `FALSE`.
        """
        normal = self._normal(head, args)
        if isinstance(normal, bool):
            return TRUE if normal else FALSE
        key, sign = normal
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.atoms)
            self.atoms.append(key)
        return sign * number

    def known_atom(self, head: Symbol | Operator, args: tuple[int, ...]) -> int | None:
        """The same for an atom that there is already; None for others."""
        normal = self._normal(head, args)
        if isinstance(normal, bool):
            return TRUE if normal else FALSE
        number = self._numbers.get(normal[0])
        return None if number is None else normal[1] * number

    def _normal(
        self, head: Symbol | Operator, args: tuple[int, ...]
    ) -> tuple[tuple[Head, tuple[int, ...]], int] | bool:
        """How an atom is entered, and with which sign; its value if it has one in every structure.

        `=` is orderless, `<=` is the negation of `<`, and a lower bound of an integer that of an upper one.
        """
        field = self.field(head, args)
        if field is not None:
            value, inner = self.value(field), self.heads[field]
            if value is not None:
                return value.value is True
            assert isinstance(inner, Symbol | Operator)
            return self._normal(inner, self.args[field])
        if head is op.EQ:
            if args[0] == args[1]:
                return True
            if self.is_literal(args[0]) and self.is_literal(args[1]):
                return False
            return (head, args if args[0] < args[1] else (args[1], args[0])), 1
        sign = 1
        if isinstance(head, Operator):
            if head is op.LE:
                head, args, sign = op.LT, (args[1], args[0]), -1
            value = self.compute(head, args)
            if value is not None:
                return (value.value is True) is (sign > 0)
            if head is op.LT and self.sorts[args[0]] is INT and self.is_literal(args[0]):
                above = self.literal(self.pool.integer(self.integer(args[0]) + 1))
                args, sign = (args[1], above), -sign
        return (head, args), sign

    def formula(self, term: int) -> tuple[bool, list[int]] | None:
        """Literals, and whether the formula that a term is joins them with `and` (else with `or`).

        None for a formula that is nested deeper.
        """
        joined: bool | None = None
        literals: list[int] = []
        stack = [(term, True)]
        while stack:
            top, sign = stack.pop()
            head, args = self.heads[top], self.args[top]
            if head is op.NOT:
                stack.append((args[0], not sign))
            elif head is op.AND or head is op.OR or head is op.IMPLIES:
                conjunction = (head is op.AND) is sign
                if joined not in (None, conjunction):
                    return None
                joined = conjunction
                first = (args[0], sign is not (head is op.IMPLIES))
                stack += [*[(arg, sign) for arg in reversed(args[1:])], first]
            elif head in _CONNECTIVES or self.formulas_in(args):
                return None
            elif isinstance(head, tuple):
                literals.append(TRUE if head[1] is sign else FALSE)
            else:
                number = self.atom(head, args)
                literals.append(number if sign else -number)
        return joined is True, literals

    # --- rules ---

    def rule(self, form: int, top: bool, clause: Clause) -> GroundRule:
        """A clause lowered to references; its ground terms are entered."""
        return _Lowering(self, clause).rule(form, top)

    def instance(self, rule: GroundRule, binding: Sequence[int]) -> list[int]:
        """The literals of a rule for terms put for its variables; `TRUE` alone if it holds anyway."""
        env = [*binding, *[0] * len(rule.calls)]
        for call in rule.calls:
            args = tuple([env[ref] if ref >= 0 else ~ref for ref in call.refs])
            env[call.place] = self.term(call.head, args, call.sort)
        literals: list[int] = []
        for positive, head, refs in rule.literals:
            number = self.atom(head, tuple([env[ref] if ref >= 0 else ~ref for ref in refs]))
            literal = number if positive else -number
            if literal == TRUE:
                return [TRUE]
            if literal != FALSE:
                literals.append(literal)
        return literals

    def exact(self, rule: GroundRule) -> bool:
        """Whether the rule holds if all its instances over terms do."""
        return all(is_plain(var.sort) for var in rule.variables)


_CONNECTIVES = frozenset({op.NOT, op.AND, op.OR, op.IMPLIES, op.IFF, op.XOR, op.ITE})
TRUE = 1 << 60
FALSE = -TRUE


class _Lowering:
    """One clause: places for its variables and its terms with variables in them."""

    def __init__(self, table: TermTable, clause: Clause) -> None:
        self.table = table
        self.clause = clause
        self.refs: dict[int, Ref] = {}
        self.calls: list[RuleCall] = []
        nodes = reachable(*(part for atom, _ in clause for part in _arguments(atom)))
        self.variables = tuple(node for node in nodes if isinstance(node, Var))
        self.refs.update({var.id: place for place, var in enumerate(self.variables)})
        for node in nodes:
            if not isinstance(node, Var):
                self.refs[node.id] = self._ref(node)

    def _ref(self, node: Node) -> Ref:
        table = self.table
        match node:
            case Lit():
                return ~table.literal(node)
            case Sym():
                return ~table.term(node.symbol, (), node.sort)
            case App():
                self._note(node)
                refs = tuple([self.refs[arg.id] for arg in node.args])
                if all(ref < 0 for ref in refs):
                    return ~table.term(node.op, tuple([~ref for ref in refs]), node.sort)
                place = len(self.variables) + len(self.calls)
                self.calls.append(RuleCall(place, node.op, refs, node.sort))
                return place
            case _:
                raise TypeError("a quantifier or a stray variable in a clause")

    def _note(self, node: App) -> None:
        if isinstance(node.op, Symbol) and node.op.kind is SymbolKind.SELECTOR:
            self.table.selectors[node.op.domain[0], node.op.name] = node.op

    def rule(self, form: int, top: bool) -> GroundRule:
        literals = tuple([self._literal(atom, sign) for atom, sign in self.clause])
        return GroundRule(form, top, self.variables, tuple(self.calls), literals)

    def _literal(self, atom: Node, sign: bool) -> RuleLiteral:
        if isinstance(atom, Sym):
            return RuleLiteral(sign, atom.symbol, ())
        if isinstance(atom, App):
            self._note(atom)
            refs = tuple([self.refs[arg.id] for arg in atom.args])
            if atom.op is op.LE:
                return RuleLiteral(not sign, op.LT, (refs[1], refs[0]))
            return RuleLiteral(sign, atom.op, refs)
        return RuleLiteral(sign, op.EQ, (self.refs[atom.id], ~self.table.literal(self.table.pool.true)))


def _arguments(atom: Node) -> tuple[Node, ...]:
    """The terms of an atom; a variable of sort Bool is one itself."""
    match atom:
        case App():
            return atom.args
        case Var():
            return (atom,)
        case _:
            return ()


def is_plain(sort: Sort) -> bool:
    """Whether terms of a sort are taken as they are: uninterpreted and enumerated sorts."""
    return isinstance(sort, DeclaredSort) or values_of(sort) is not None


__all__ = [
    "BOOL",
    "RuleCall",
    "FALSE",
    "RuleLiteral",
    "GroundRule",
    "TRUE",
    "TermTable",
    "is_plain",
    "values_of",
]
