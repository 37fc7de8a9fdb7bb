"""The surface tree: what a program says, with places, before any name is resolved.

The languages build it, `sema` turns it into typed IR. Expression nodes carry `start` and `end`,
a half-open span of characters in the string that they were read from; the pointer of that string
is kept once, in the `Formula` that owns the expression. Nodes are never changed once built, but
are not frozen: a program has very many of them and freezing doubles the cost of making one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from potlang.ir.module import Ask

# --- expressions ---------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Name:
    """An identifier: `alice`, `And`, `True`, `_`."""

    id: str
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Number:
    """A numeral as written: `12`, `2.50`, `1e-3`. Exactness is the reader's promise: it stays text."""

    text: str
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class BitVecLiteral:
    """`#b0101` or `#xff` as written."""

    text: str
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class DateLiteral:
    """`2025-01-20` or `2025-01-20T14:30` as written; the day need not exist."""

    text: str
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Amount:
    """A number with a unit, as written: `30 days`, `$900`, `900 EUR`, `10 %`."""

    text: str
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class StringLiteral:
    """A string literal, decoded."""

    value: str
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class ListOf:
    """`[a, b]` (and `{a, b}`, `(a, b)` with a comma), as an argument of a call or after `in`."""

    items: list[Expr]
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Binding:
    """`p: Person` or `{'name': 'p', 'sort': 'Person'}` in a binder list."""

    name: Name
    sort: SortExpr
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Call:
    """`head(args)`; the connectives, quantifiers and built-in functions are calls too."""

    head: Expr
    args: list[Expr]
    start: int
    end: int


class FlatCall(Call):
    """A call `f(a, b)` over names alone, as most are: known by its words, its parts made when asked for.

    `name` is the head's; `names` are the arguments with commas, and blanks at most, between them.
    """

    __slots__ = ("name", "names")

    def __init__(self, name: str, names: str, start: int, end: int) -> None:
        self.name = name
        self.names = names
        self.start = start
        self.end = end

    @property
    def head(self) -> Expr:  # type: ignore[override]
        """The head as a name."""
        return Name(self.name, self.start, self.start + len(self.name))

    @property
    def args(self) -> list[Expr]:  # type: ignore[override]
        """The arguments as names."""
        found: list[Expr] = []
        at = self.start + len(self.name) + 1
        for part in self.names.split(","):
            name = part.strip(" ")
            start = at + part.index(name)
            found.append(Name(name, start, start + len(name)))
            at += len(part) + 1
        return found


class BuiltinCall(Call):
    """A call of a built-in function, also where the program declares one of its name. The head is a name."""

    __slots__ = ()


@dataclass(slots=True, eq=False, repr=False)
class Quoted:
    """An expression that was read from a string of its own, at `pointer`, whose characters its parts count.

    `start` and `end` are its place among the characters around it.
    """

    pointer: str
    text: str
    root: Expr
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Infix:
    """`a op b op c` for one associative run, or `a op b`.

    `op` is one of `and or -> <-> + - * / // % ** in not-in`. Only `and`, `or`, `+` and `*` have more
    than two operands (a run of the same operator). `-` `/` `//` `%` associate to the left, `->` and
    `**` to the right.
    """

    op: str
    args: list[Expr]
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Prefix:
    """`not a` or `-a`; `op` is `not` or `-`."""

    op: str
    arg: Expr
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Compare:
    """A chain `a < b <= c`: `ops[i]` stands between `operands[i]` and `operands[i + 1]`.

    An op is one of `== != < <= > >=`.
    """

    operands: list[Expr]
    ops: list[str]
    start: int
    end: int


Expr = (
    Name
    | Number
    | BitVecLiteral
    | DateLiteral
    | Amount
    | StringLiteral
    | ListOf
    | Binding
    | Call
    | Quoted
    | Infix
    | Prefix
    | Compare
)


class Formula:
    """An expression with the place of the string that it was read from and that string.

    `root` is None where the string could not be parsed (the error is in the sink already).
    """

    __slots__ = ("_root", "pointer", "text")

    def __init__(self, pointer: str, text: str, root: Expr | None) -> None:
        self.pointer = pointer
        self.text = text
        self._root = root

    @property
    def root(self) -> Expr | None:
        """The tree."""
        return self._root


Words = tuple[str | None, str, str, str | None]
"""Of a literal: `Not` if it stands in `Not(…)`, name and names as in `FlatCall`, and the name or the natural
numeral that the call equals, if any."""


class FlatLiteral(Formula):
    """`p(a, b)`, `Not(p(a))` or `f(a) == 3`, over names alone: known by its words.

    Its tree is made each time that it is asked for, which is seldom: very many formulas are literals.
    """

    __slots__ = ("_read", "words")

    def __init__(self, pointer: str, text: str, words: Words, read: Callable[[str], Expr | None]) -> None:
        self.pointer = pointer
        self.text = text
        self.words = words
        self._read = read

    @property
    def root(self) -> Expr | None:
        """The tree."""
        return self._read(self.text)


# --- sorts ---------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class SortExpr:
    """A sort as written: `Person`, `BitVecSort(8)`, `ArraySort(Int, Bool)`.

    `args` holds sort expressions and integers. `pointer` locates the string, `start` and `end` the part.
    """

    name: str
    args: list[SortExpr | int]
    pointer: str
    start: int
    end: int


# --- program -------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class SortDecl:
    """An item of `sorts`. `kind` is `DeclareSort`, `EnumSort`, `BoolSort`, `BitVecSort`, … without arguments.

    `definition` is the sort expression for aliases and constructed sorts (`ArraySort(A, B)`), else None.
    """

    name: str
    pointer: str
    kind: str
    definition: SortExpr | None = None
    values: list[tuple[str, str]] = field(default_factory=list)
    """EnumSort: (value, pointer)."""
    fields: list[tuple[str, SortExpr, str]] = field(default_factory=list)
    """TupleSort: (field, sort, pointer)."""
    description: str | None = None
    """Of a sort or a function: kept where it may be a template, which has braces."""


@dataclass(slots=True, eq=False, repr=False)
class BinderDecl:
    """`{"name": "p", "sort": "Person"}` in `variables`, `forall`, `exists`; sort None: not written."""

    name: str
    sort: SortExpr | None
    pointer: str


@dataclass(slots=True, eq=False, repr=False)
class FunctionDecl:
    """An item of `functions`; `params` and `body` where it is defined.

    `closed` says of a predicate that it is true only where rules or facts make it so.
    """

    name: str
    domain: list[SortExpr]
    range: SortExpr
    pointer: str
    params: list[BinderDecl] | None = None
    body: Formula | None = None
    closed: bool = False
    description: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class ConstantGroup:
    """A group of `constants`: members (name, pointer) of one sort."""

    group: str
    sort: SortExpr
    members: list[tuple[str, str]]
    pointer: str


class MemberColumn(NamedTuple):
    """The column whose values are the members of a sort."""

    sort: str
    column: str
    pointer: str


class FunctionColumns(NamedTuple):
    """The columns of a function's arguments and of its value; without one each row makes a predicate true."""

    name: str
    arguments: tuple[str, ...]
    value: str | None
    pointer: str


class TableSource(NamedTuple):
    """An item of `sources`: where a table is, and what its columns give."""

    name: str | None
    file: str | None
    table: str | None
    format: str | None
    members: list[MemberColumn]
    functions: list[FunctionColumns]
    pointer: str


@dataclass(slots=True, eq=False, repr=False)
class FactDecl:
    """An item of `knowledge_base`; `value` False asserts the negation."""

    name: str | None
    formula: Formula
    value: bool
    variables: Sequence[BinderDecl]
    pointer: str


@dataclass(slots=True, eq=False, repr=False)
class StatementDecl:
    """A rule or a verification: binders, then `antecedent implies consequent` or `constraint`.

    `quantifier` is `forall`, `exists` or None. Exactly one of `constraint` and the pair
    (`antecedent`, `consequent`) is set, but for a verification with `options`, which has claims of its own.
    `role` is `axiom` or `norm`; `unless` lists exceptions, `overrides` names of rules with their pointers,
    `default` is set where opposite rules override (rules alone). `find` lists variables whose bindings are
    asked for, `ask` says in which mode (verifications alone).
    """

    name: str | None
    pointer: str
    quantifier: str | None = None
    binders: list[BinderDecl] = field(default_factory=list)
    constraint: Formula | None = None
    antecedent: Formula | None = None
    consequent: Formula | None = None
    role: str = "axiom"
    find: list[BinderDecl] = field(default_factory=list)
    ask: Ask = "must"
    options: list[StatementDecl] = field(default_factory=list)
    unless: Sequence[Formula] = ()
    overrides: Sequence[tuple[str, str]] = ()
    default: bool = False


@dataclass(slots=True, eq=False, repr=False)
class ObjectiveDecl:
    """An item of `objectives`; `direction` is `minimize` or `maximize`."""

    name: str | None
    direction: str
    expression: Formula
    pointer: str


@dataclass(slots=True, eq=False, repr=False)
class SoftDecl:
    """An item of `soft`: what should hold, what it costs if it does not, and the group it counts in."""

    constraint: Formula
    weight: Fraction
    group: str | None
    pointer: str


@dataclass(slots=True, eq=False, repr=False)
class OptimizationDecl:
    """The section `optimization`; `mode` is `lexicographic`, `pareto` or `box`."""

    variables: list[BinderDecl]
    constraints: list[Formula]
    objectives: list[ObjectiveDecl]
    soft: list[SoftDecl]
    mode: str
    pointer: str


class PackSort(NamedTuple):
    """A sort parameter: an enum sort with its values, one with an order and its default, or any sort."""

    name: str
    values: tuple[str, ...] = ()
    default: str | None = None


class PackSymbol(NamedTuple):
    """A symbol parameter: its name and its sorts as written in the pack.

    `params` and `body` where the pack defines it; `defined` where that or a pack that it imports does.
    `closed` says of a predicate that it is true only where rules or facts make it so.
    """

    name: str
    domain: list[SortExpr]
    range: SortExpr
    params: list[BinderDecl] | None = None
    body: Formula | None = None
    defined: bool = False
    closed: bool = False
    description: str | None = None


class Pack(NamedTuple):
    """A pack as read: parameters, and the program fragment over them.

    Once it is loaded, `sorts` and `symbols` have the parameters of the packs that it imports too; its own
    `definitions` are the symbols that it gives a body.
    """

    name: str
    sorts: list[PackSort]
    symbols: list[PackSymbol]
    definitions: list[PackSymbol]
    program: ParsedProgram


@dataclass(slots=True, eq=False, repr=False)
class ImportDecl:
    """An item of `imports`: the pack and its substitution `with` (parameter -> (name, pointer)).

    `is_object` tells `{"pack": …}` from a string. `loaded` is the pack; None where it could not be read.
    """

    pack: str
    substitution: dict[str, tuple[str, str]]
    pointer: str
    is_object: bool = False
    loaded: Pack | None = None


@dataclass(slots=True, eq=False, repr=False)
class SemanticsDecl:
    """`semantics`: True (all sorts), False, or a list of (sort name, pointer)."""

    unique_names: bool | list[tuple[str, str]] = False
    closed_domain: bool | list[tuple[str, str]] = False


@dataclass(slots=True, eq=False, repr=False)
class LintDecl:
    """`lint`: rules of the linter to run besides the usual ones, and rules not to run, as (name, pointer)."""

    select: list[tuple[str, str]] = field(default_factory=list)
    ignore: list[tuple[str, str]] = field(default_factory=list)


class CitedDocument(NamedTuple):
    """`document`: the text that a program was made from, as sentences that its items cite by number."""

    name: str | None
    sha256: str | None
    sentences: tuple[str, ...]


@dataclass(slots=True, eq=False, repr=False)
class ParsedProgram:
    """A whole program as read. `actions` is None where the section is absent."""

    sorts: list[SortDecl] = field(default_factory=list)
    functions: list[FunctionDecl] = field(default_factory=list)
    constants: list[ConstantGroup] = field(default_factory=list)
    variables: list[BinderDecl] = field(default_factory=list)
    facts: list[FactDecl] = field(default_factory=list)
    rules: list[StatementDecl] = field(default_factory=list)
    verifications: list[StatementDecl] = field(default_factory=list)
    optimization: OptimizationDecl | None = None
    actions: list[str] | None = None
    imports: list[ImportDecl] = field(default_factory=list)
    semantics: SemanticsDecl = field(default_factory=SemanticsDecl)
    sources: list[TableSource] = field(default_factory=list)
    tabled: frozenset[str] = frozenset()
    """The sorts whose members are in large tables: they are listed nowhere."""
    lint: LintDecl = field(default_factory=LintDecl)
    document: CitedDocument | None = None
    cites: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The numbers of the sentences that an item cites, by the item's pointer."""
    broken: list[str] = field(default_factory=list)
    """Names whose declarations have errors and were left out: their uses are no further errors."""

    def cited_at(self, pointer: str) -> tuple[int, ...]:
        """The numbers of the sentences that the item at a pointer cites, or else the item around it."""
        while pointer and pointer not in self.cites:
            pointer = pointer.rpartition("/")[0]
        return self.cites.get(pointer, ())
