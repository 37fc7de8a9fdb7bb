"""Recognition of function-free Horn rules, and whether their least model decides (`spec/55-closure.md`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.skolem import Choice, NotSkolemizable, skolemize
from potlang.ir.sorts import BOOL, Sort
from potlang.ir.structure import definitions_of

from .clauses import Literal, RawClause, TooManyClauses, clauses_of
from .joins import Atom, Row, variables
from .least import EQUAL, FALSE
from .polarity import choose
from .universe import Source, Universe, can_range, fixed_members, is_constant, is_infinite, is_open

_PREDICATES = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)


class Clause(NamedTuple):
    """A rule: where `body` holds, the pairs `equal` are equal and those of `differ` differ, `head` holds.

    Relations of sorts (`Relations.domains`) in the body say that a variable is any constant of its sort.
    """

    source: Source
    head: Atom
    body: tuple[Atom, ...]
    equal: tuple[tuple[int, int], ...]
    differ: tuple[tuple[int, int], ...]


class Remainder(NamedTuple):
    """Part of an assertion (None: of the goal) that is no Horn rule, and why."""

    key: str | None
    reason: str


class Given(NamedTuple):
    """A ground atom of a relation that is assumed, or (relation `EQUAL`) a ground equation."""

    relation: int
    row: Row


class NotHorn(Exception):
    """Why a clause is left out."""


@dataclass(slots=True)
class Relations:
    """The relations by number: what violates (0), equations (1), sorts, predicates.

    A flipped relation holds the arguments for which its predicate is false.
    """

    symbols: list[Symbol | None] = field(default_factory=lambda: [None, None])
    arities: list[int] = field(default_factory=lambda: [0, 2])
    numbers: dict[Symbol, int] = field(default_factory=dict)
    domains: dict[Sort, int] = field(default_factory=dict)
    flipped: frozenset[int] = frozenset()

    def of(self, symbol: Symbol) -> int:
        """The relation of a predicate."""
        number = self.numbers.get(symbol)
        if number is None:
            number = self.numbers[symbol] = self._new(symbol, len(symbol.domain))
        return number

    def domain(self, sort: Sort) -> int:
        """The relation that holds the constants of a sort."""
        number = self.domains.get(sort)
        if number is None:
            number = self.domains[sort] = self._new(None, 1)
        return number

    def _new(self, symbol: Symbol | None, arity: int) -> int:
        self.symbols.append(symbol)
        self.arities.append(arity)
        return len(self.symbols) - 1


@dataclass(slots=True)
class Parts:
    """What a set of formulas comes to: rules, given atoms and equations, and why more may follow."""

    clauses: list[Clause] = field(default_factory=list)
    given: dict[Given, Source] = field(default_factory=dict)
    remainder: list[Remainder] = field(default_factory=list)
    doubts: dict[str, None] = field(default_factory=dict)
    differing: dict[Sort, None] = field(default_factory=dict)
    """Sorts with a difference in a rule's body."""
    choices: dict[Symbol, Choice] = field(default_factory=dict)
    """Skolem constants."""
    splits: list[tuple[Normal, ...]] = field(default_factory=list)
    """Ground disjunctions, literal by literal (of the goal alone)."""


@dataclass(slots=True)
class Horn:
    """The Horn part of a program. `exact`: its least model decides what the conditions allow."""

    module: Module
    universe: Universe
    relations: Relations
    parts: Parts
    closed: dict[Sort, tuple[int, ...]]
    """Sorts without members but these constants."""
    closing: dict[Sort, list[Source]]
    """What says so, of one variable each."""
    constants: int
    """How many constants the assumptions have; a goal's have numbers from there on."""
    extra: tuple[Assertion, ...] = ()
    """Assumptions beyond the module's."""

    @property
    def exact(self) -> bool:
        """Whether the assumptions are satisfiable exactly if the least model violates nothing."""
        return not self.parts.remainder and not self.parts.doubts

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not exact, each reason once; nothing if it is."""
        left = [each.reason for each in self.parts.remainder]
        return tuple(dict.fromkeys([*left, *self.parts.doubts]))

    @property
    def pool(self) -> Pool:
        """The module's pool."""
        return self.module.pool

    def literal(self, relation: int, row: Row) -> Node:
        """What a row of a relation says."""
        nodes = [self.universe.nodes[code] for code in row]
        if relation == FALSE:
            return self.pool.false
        if relation == EQUAL:
            return self.pool.eq(*nodes)
        symbol = self.relations.symbols[relation]
        assert symbol is not None
        atom = self.pool.app(symbol, tuple(nodes)) if nodes else self.pool.sym(symbol)
        return self.pool.negate(atom) if relation in self.relations.flipped else atom


# --- one clause -----------------------------------------------------------------------------------


class Normal(NamedTuple):
    """A clause with numbered variables and constants; denied equations are substituted where possible."""

    source: Source
    atoms: tuple[tuple[bool, Atom], ...]
    equations: tuple[tuple[int, int], ...]
    """Positive ones."""
    equal: tuple[tuple[int, int], ...]
    """Pairs of constants in denied equations."""
    sorts: tuple[Sort, ...]
    """Of the variables."""
    infinite: bool
    """Whether a positive equation has a variable of a sort such as Int."""


class _Tautology(Exception):
    """The clause says nothing."""


class Normalizer:
    """Makes `Normal` clauses of one program's formulas."""

    def __init__(self, universe: Universe, relations: Relations, pool: Pool) -> None:
        self.universe = universe
        self.relations = relations
        self.pool = pool
        self.fixed = False
        """Whether relations may no longer be added."""

    def normal(self, raw: RawClause, key: str | None, universals: Sequence[Var]) -> Normal | None:
        """The clause, or None if it says nothing. Raises `NotHorn`."""
        if raw.foreign is not None:
            raise NotHorn(raw.foreign)
        slots = {var: ~number for number, var in enumerate(universals)}
        merged: dict[int, int] = {}
        equal: list[tuple[int, int]] = []
        try:
            for literal in raw.literals:
                if literal.symbol is None and (not literal.positive or len(literal.args) == 1):
                    self._assume_equal(literal, slots, merged, equal)
            return self._finish(raw, key, universals, slots, merged, equal)
        except _Tautology:
            return None

    def _term(self, node: Node, slots: dict[Var, int]) -> int:
        if isinstance(node, Var):
            return slots[node]
        assert is_constant(node)
        return self.universe.code(node)

    def _assume_equal(
        self, literal: Literal, slots: dict[Var, int], merged: dict[int, int], equal: list[tuple[int, int]]
    ) -> None:
        """Take a denied equation as a substitution; a variable of sort Bool as one by a truth value."""
        if len(literal.args) == 1:
            a = slots[literal.args[0]]  # type: ignore[index]
            b = self.universe.code(self.pool.truth(not literal.positive))
        else:
            a, b = (self._term(arg, slots) for arg in literal.args)
        a, b = find(merged, a), find(merged, b)
        if a == b:
            return
        if a >= 0 and b >= 0:
            self._constants_equal(a, b, equal)
        elif a < 0:
            merged[a] = b
        else:
            merged[b] = a

    def _constants_equal(self, a: int, b: int, equal: list[tuple[int, int]]) -> None:
        nodes = self.universe.nodes
        if isinstance(nodes[a], Lit) and isinstance(nodes[b], Lit):
            raise _Tautology
        equal.append((a, b))

    def _finish(
        self,
        raw: RawClause,
        key: str | None,
        universals: Sequence[Var],
        slots: dict[Var, int],
        merged: dict[int, int],
        equal: list[tuple[int, int]],
    ) -> Normal | None:
        atoms: dict[tuple[bool, Atom], None] = {}
        equations: dict[tuple[int, int], None] = {}
        for literal in raw.literals:
            if literal.symbol is not None:
                args = tuple([find(merged, self._term(arg, slots)) for arg in literal.args])
                atom = Atom(self._relation(literal.symbol), args)
                if (not literal.positive, atom) in atoms:
                    return None
                atoms[literal.positive, atom] = None
            elif literal.positive and len(literal.args) == 2:
                a, b = (find(merged, self._term(arg, slots)) for arg in literal.args)
                if a == b:
                    return None
                if not self._differ_anyway(a, b):
                    equations[a, b] = None
        images = tuple((var, find(merged, slots[var])) for var in universals)
        sorts = tuple(var.sort for var in universals)
        infinite = any(v < 0 and is_infinite(sorts[~v]) for pair in equations for v in pair)
        return Normal(Source(key, images), tuple(atoms), tuple(equations), tuple(equal), sorts, infinite)

    def _relation(self, symbol: Symbol) -> int:
        if symbol not in self.relations.numbers and (self.fixed or symbol.kind not in _PREDICATES):
            raise NotHorn("a truth value that the goal supposes")
        return self.relations.of(symbol)

    def _differ_anyway(self, a: int, b: int) -> bool:
        nodes = self.universe.nodes
        return a >= 0 and b >= 0 and isinstance(nodes[a], Lit) and isinstance(nodes[b], Lit)


def find(merged: dict[int, int], value: int) -> int:
    """The constant or variable that a variable is replaced by."""
    while value in merged:
        value = merged[value]
    return value


# --- from clauses to rules ------------------------------------------------------------------------


def add_rule(parts: Parts, normal: Normal, relations: Relations, universe: Universe) -> None:
    """Enter a clause under the polarities of `relations`. Raises `NotHorn`."""
    heads = [atom for positive, atom in normal.atoms if positive is not (atom.relation in relations.flipped)]
    body = [atom for positive, atom in normal.atoms if positive is (atom.relation in relations.flipped)]
    if len(heads) > 1:
        raise NotHorn("an alternative of several atoms")
    equations = list(normal.equations)
    head = heads[0] if heads else Atom(FALSE, ())
    if not heads and equations:
        chosen = next((e for e in equations if not _unique(e, normal, universe)), equations[0])
        equations.remove(chosen)
        head = Atom(EQUAL, chosen)
    for pair in equations:
        parts.differing[_sort_of(pair, normal, universe)] = None
    if normal.infinite:
        parts.doubts["an equation with a variable of a sort like Int"] = None
    _enter(parts, normal, head, body, tuple(equations), relations)


def _unique(equation: tuple[int, int], normal: Normal, universe: Universe) -> bool:
    return universe.all_apart(_sort_of(equation, normal, universe))


def _sort_of(pair: tuple[int, int], normal: Normal, universe: Universe) -> Sort:
    value = pair[0]
    return normal.sorts[~value] if value < 0 else universe.nodes[value].sort


def _enter(
    parts: Parts,
    normal: Normal,
    head: Atom,
    body: list[Atom],
    differ: tuple[tuple[int, int], ...],
    relations: Relations,
) -> None:
    ground = not any(value < 0 for value in (*head.args, *(v for pair in differ for v in pair)))
    if ground and not body and not normal.equal and not differ and head.relation != FALSE:
        parts.given.setdefault(Given(head.relation, head.args), normal.source)
        return
    bound = variables(body)
    loose = dict.fromkeys(~v for v in (*head.args, *(v for pair in differ for v in pair)) if v < 0)
    for slot in loose:
        if slot not in bound:
            body.append(Atom(relations.domain(normal.sorts[slot]), (~slot,)))
    used = variables(body)
    for sort in {normal.sorts[slot]: None for slot in sorted(used)}:
        if not can_range(sort):
            parts.doubts[f"variables of sort {sort}"] = None
    clause = Clause(normal.source, head, tuple(body), normal.equal, differ)
    parts.clauses.append(clause)


# --- programs -------------------------------------------------------------------------------------


def recognise(module: Module, extra: Sequence[Assertion] = ()) -> Horn:
    """The Horn part of the module's assumptions, `extra` ones included; its claims are not looked at."""
    work = _Recognition(module, tuple(extra))
    for assertion in (*module.assertions, *extra):
        work.take(assertion)
    return work.finish()


class _Recognition:
    def __init__(self, module: Module, extra: tuple[Assertion, ...]) -> None:
        self.module = module
        self.extra = extra
        self.definitions = definitions_of(module)
        self.universe = Universe()
        self.relations = Relations()
        self.parts = Parts()
        self.normalizer = Normalizer(self.universe, self.relations, module.pool)
        self.normals: list[Normal] = []
        self.closed: dict[Sort, tuple[int, ...]] = {}
        self.closing: dict[Sort, list[Source]] = {}
        self._declare()

    def _declare(self) -> None:
        """All predicates get numbers, all constants of open sorts too."""
        for symbol in self.module.symbols:
            if symbol.range is BOOL and symbol.kind in _PREDICATES:
                self.relations.of(symbol)
            elif not symbol.domain and symbol.kind is SymbolKind.CONSTANT and is_open(symbol.range):
                self.universe.code(self.module.pool.sym(symbol))

    def take(self, assertion: Assertion) -> None:
        """Note the clauses of one assumption."""
        formula = assertion.formula
        if not self.definitions and self._fact(formula, assertion.key):
            return
        try:
            form = skolemize(formula, self.module.pool, self.definitions, assertion.key)
            raws = clauses_of(form.matrix, self.module.pool)
        except NotSkolemizable as problem:
            self.parts.remainder.append(Remainder(assertion.key, str(problem)))
            return
        except TooManyClauses:
            self.parts.remainder.append(Remainder(assertion.key, "too many clauses"))
            return
        self.parts.choices.update({s: c for s, c in form.choices.items() if not s.domain})
        for raw in raws:
            self._take_clause(raw, assertion.key, form.universals)

    def _fact(self, formula: Node, key: str) -> bool:
        """The short way for ground atoms."""
        if not isinstance(formula, App) or not isinstance(formula.op, Symbol):
            return False
        if formula.op.kind is not SymbolKind.FUNCTION or not all(map(is_constant, formula.args)):
            return False
        atom = Atom(self.relations.of(formula.op), tuple(map(self.universe.code, formula.args)))
        self.normals.append(Normal(Source(key), ((True, atom),), (), (), (), False))
        return True

    def _take_clause(self, raw: RawClause, key: str, universals: tuple[Var, ...]) -> None:
        if raw.distinct:
            images = tuple((var, ~number) for number, var in enumerate(universals))
            self._separate([self.universe.code(node) for node in raw.distinct], Source(key, images))
            return
        try:
            normal = self.normalizer.normal(raw, key, universals)
        except NotHorn as problem:
            self.parts.remainder.append(Remainder(key, str(problem)))
            return
        if normal is None or self._closes(normal):
            return
        if len(normal.equal) == 1 and not normal.atoms and not normal.equations:
            self._separate(list(normal.equal[0]), normal.source)
            return
        self.normals.append(normal)

    def _separate(self, codes: list[int], source: Source) -> None:
        if len(set(codes)) < len(codes):
            self.parts.clauses.append(Clause(source, Atom(FALSE, ()), (), (), ()))
        else:
            self.universe.separate(codes, source)

    def _closes(self, normal: Normal) -> bool:
        """Whether the clause says that a variable is one of some constants; if so, note it."""
        variables_ = {value for pair in normal.equations for value in pair if value < 0}
        pairs = normal.equations
        if (
            normal.atoms
            or normal.equal
            or len(variables_) != 1
            or not all(max(p) >= 0 > min(p) for p in pairs)
        ):
            return False
        sort = normal.sorts[~variables_.pop()]
        if not is_open(sort) or is_infinite(sort) or len(pairs) == 1:
            return False
        members = tuple(dict.fromkeys(max(pair) for pair in pairs))
        self.closing.setdefault(sort, []).append(normal.source)
        known = self.closed.get(sort)
        self.closed[sort] = members if known is None else tuple(c for c in known if c in members)
        return True

    def finish(self) -> Horn:
        """Choose polarities, enter the rules, and check the conditions."""
        self.relations.flipped = choose(self.normals)
        for normal in self.normals:
            try:
                add_rule(self.parts, normal, self.relations, self.universe)
            except NotHorn as problem:
                self.parts.remainder.append(Remainder(normal.source.key, str(problem)))
        self._fill()
        doubts = [
            *outside(self.universe.nodes, self.universe, self.closed),
            *loose(self.parts.differing, self.universe),
        ]
        self.parts.doubts.update(dict.fromkeys(doubts))
        self.normalizer.fixed = True
        constants = len(self.universe.nodes)
        parts, closed, closing = self.parts, self.closed, self.closing
        return Horn(self.module, self.universe, self.relations, parts, closed, closing, constants, self.extra)

    def _fill(self) -> None:
        """Members of fixed sorts and fresh constants of empty ones become constants; sorts get relations."""
        pool = self.module.pool
        sorts: dict[Sort, None] = {sort: None for sort in self.module.sorts if can_range(sort)}
        sorts |= {part: None for s in self.module.symbols for part in s.domain if can_range(part)}
        sorts |= dict.fromkeys(sort for sort in self.universe.by_sort if can_range(sort))
        sorts |= dict.fromkeys(self.relations.domains)
        sorts[BOOL] = None
        for sort in sorts:
            for member in fixed_members(sort, pool):
                self.universe.code(member)
            if not self.universe.by_sort.get(sort):
                self.universe.dummy(sort, pool)
            self.relations.domain(sort)


def outside(nodes: Iterable[Node], universe: Universe, closed: dict[Sort, tuple[int, ...]]) -> list[str]:
    """A doubt for each constant that may be any member of a sort whose members are known."""
    members = {sort: frozenset(codes) for sort, codes in closed.items()}
    found = []
    for node in nodes:
        if isinstance(node, Lit):
            continue
        assert isinstance(node, Sym)
        if not is_open(node.sort):
            found.append(f"{node.symbol.name} may be any member of {node.sort}")
        elif node.sort in members and universe.codes[node.id] not in members[node.sort]:
            found.append(f"{node.symbol.name} may be any member of the closed sort {node.sort}")
    return found


def loose(differing: Iterable[Sort], universe: Universe, but: Collection[int] = ()) -> list[str]:
    """A doubt for each sort with a difference in a rule's body but without unique names.

    Constants in `but` are some other constant, and so do not count.
    """
    return [
        f"a difference over {sort}, whose constants may be equal"
        for sort in differing
        if is_infinite(sort) or not universe.all_apart(sort, but)
    ]
