"""Recognition of the function-free Horn rules among a module's assumptions."""

from __future__ import annotations

from collections.abc import Sequence

from potlang.engines.horn.normal import (
    LIMITS,
    PREDICATES,
    Normalizer,
    NotHorn,
    NumberedClause,
    Relations,
    distinct_constants,
)
from potlang.engines.horn.polarity import choose
from potlang.engines.horn.program import (
    HornClauses,
    HornParts,
    HornProgram,
    Remainder,
    add_rule,
    loose,
    outside,
    read_clauses,
)
from potlang.engines.horn.rules import FALSE, Atom, DatalogRule
from potlang.engines.horn.universe import (
    Provenance,
    Universe,
    can_range,
    fixed_members,
    is_constant,
    is_infinite,
    is_open,
)
from potlang.ir.clauses import Clause, ClauseLimits
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Node, Symbol, SymbolKind
from potlang.ir.sorts import BOOL, Sort
from potlang.ir.structure import definitions_of
from potlang.utils.deadline import look

_FEW = LIMITS._replace(product=1_000, literals=100_000)


KnownClauses = dict[tuple[str, int], HornClauses]
"""By an assertion's key and its formula's number: for who asks about parts of the same assumptions again."""


def recognise(
    module: Module, extra: Sequence[Assertion] = (), known: KnownClauses | None = None
) -> HornProgram:
    """The Horn part of the module's assumptions, `extra` ones included; its claims are not looked at."""
    work = _Recognition(module, tuple(extra), known)
    for assertion in (*module.assertions, *extra):
        work.take(assertion)
    return work.finish()


def recognise_exact(
    module: Module, extra: Sequence[Assertion] = (), known: KnownClauses | None = None
) -> HornProgram | None:
    """The same where it is exact, else None: as soon as something is no Horn rule, or seems to be many."""
    assertions = (*module.assertions, *extra)
    work = _Recognition(module, tuple(extra), known, _FEW)
    for assertion in assertions:
        work.take(assertion)
        if work.parts.remainder:
            return None
    found = work.finish()
    return found if found.exact else None


class _Recognition:
    def __init__(
        self,
        module: Module,
        extra: tuple[Assertion, ...],
        known: KnownClauses | None,
        limits: ClauseLimits = LIMITS,
    ) -> None:
        self.module = module
        self.extra = extra
        self.known = {} if known is None else known
        self.limits = limits
        self.definitions = definitions_of(module)
        self.universe = Universe()
        self.relations = Relations()
        self.parts = HornParts()
        self.normals: list[NumberedClause] = []
        self.closed: dict[Sort, tuple[int, ...]] = {}
        self.closing: dict[Sort, list[Provenance]] = {}
        self._declare()

    def _declare(self) -> None:
        """All predicates get numbers, all constants of open sorts too."""
        for symbol in self.module.symbols:
            if symbol.range is BOOL and symbol.kind in PREDICATES:
                self.relations.of(symbol)
            elif not symbol.domain and symbol.kind is SymbolKind.CONSTANT and is_open(symbol.range):
                self.universe.code(self.module.pool.sym(symbol))

    def take(self, assertion: Assertion) -> None:
        """Note the clauses of one assumption."""
        formula = assertion.formula
        if not self.definitions and self._fact(formula, assertion.key):
            return
        pool, key = self.module.pool, assertion.key
        found = self.known.get((key, formula.id))
        if found is None:
            found = read_clauses(formula, pool, self.definitions, key, limits=self.limits)
            self.known[key, formula.id] = found
        found.enter(self.parts, key)
        normalizer = Normalizer(self.universe, self.relations, pool, key, found.universals)
        for clause in found.clauses:
            look()
            self._take_clause(clause, normalizer, key)

    def _fact(self, formula: Node, key: str) -> bool:
        """The short way for ground atoms."""
        if not isinstance(formula, App) or not isinstance(formula.op, Symbol):
            return False
        if formula.op.kind is not SymbolKind.FUNCTION or not all(map(is_constant, formula.args)):
            return False
        atom = Atom(self.relations.of(formula.op), tuple(map(self.universe.code, formula.args)))
        self.normals.append(NumberedClause(Provenance(key), ((True, atom),), (), (), (), False))
        return True

    def _take_clause(self, clause: Clause, normalizer: Normalizer, key: str) -> None:
        if terms := distinct_constants(clause):
            source = Provenance(key, tuple(normalizer.slots.items()))
            self._separate([self.universe.code(node) for node in terms], source)
            return
        try:
            normal = normalizer.normal(clause)
        except NotHorn as problem:
            self.parts.remainder.append(Remainder(key, str(problem)))
            return
        if normal is None or self._closes(normal):
            return
        if len(normal.equal) == 1 and not normal.atoms and not normal.equations:
            self._separate(list(normal.equal[0]), normal.source)
            return
        self.normals.append(normal)

    def _separate(self, codes: list[int], source: Provenance) -> None:
        if len(set(codes)) < len(codes):
            self.parts.rules.append(DatalogRule(Atom(FALSE, ()), (), (), source))
        else:
            self.universe.separate(codes, source)

    def _closes(self, normal: NumberedClause) -> bool:
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

    def finish(self) -> HornProgram:
        """Choose polarities, enter the rules, and check the conditions."""
        self.relations.flipped = choose(self.normals)
        for normal in self.normals:
            look()
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
        self.relations.fixed = True
        constants = len(self.universe.nodes)
        parts, closed, closing = self.parts, self.closed, self.closing
        return HornProgram(
            self.module, self.universe, self.relations, parts, closed, closing, constants, self.extra
        )

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
