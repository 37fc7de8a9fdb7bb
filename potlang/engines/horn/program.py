"""The Horn part of a program: rules, facts, what is left, and the conditions under which it decides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from potlang.engines.horn.normal import LIMITS, NotHorn, NumberedClause, Relations, predicate_clauses
from potlang.engines.horn.rules import EQUAL, FALSE, Atom, DatalogRule, Row, variables
from potlang.engines.horn.universe import Provenance, Universe, can_range, is_infinite, is_open
from potlang.ir.clauses import Clause, ClauseLimits, TooManyClauses
from potlang.ir.module import Assertion, Definition, Module
from potlang.ir.nodes import Lit, Node, Sym, Symbol, Var
from potlang.ir.pool import Pool
from potlang.ir.skolem import Choice, NotSkolemizable, skolemize
from potlang.ir.sorts import Sort


class Remainder(NamedTuple):
    """Part of an assertion (None: of the goal) that is no Horn rule, and why."""

    key: str | None
    reason: str


class Given(NamedTuple):
    """A ground atom of a relation that is assumed, or (relation `EQUAL`) a ground equation."""

    relation: int
    row: Row


@dataclass(slots=True)
class HornParts:
    """The Horn parts of a set of formulas: rules, given atoms and equations, and why more may follow."""

    rules: list[DatalogRule] = field(default_factory=list)
    given: dict[Given, Provenance] = field(default_factory=dict)
    repeated: dict[Given, list[Provenance]] = field(default_factory=dict)
    """Given atoms that other formulas give once more."""
    remainder: list[Remainder] = field(default_factory=list)
    doubts: dict[str, None] = field(default_factory=dict)
    differing: dict[Sort, None] = field(default_factory=dict)
    """Sorts with a difference in a rule's body."""
    choices: dict[Symbol, Choice] = field(default_factory=dict)
    """Skolem constants."""
    splits: list[tuple[NumberedClause, ...]] = field(default_factory=list)
    """Ground disjunctions, literal by literal (of the goal alone)."""


@dataclass(slots=True)
class HornProgram:
    """The Horn part of a program. `exact`: its least model decides what the conditions allow."""

    module: Module
    universe: Universe
    relations: Relations
    parts: HornParts
    closed: dict[Sort, tuple[int, ...]]
    """Sorts without members but these constants."""
    closing: dict[Sort, list[Provenance]]
    """The assertions that close these sorts, of one variable each."""
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
        """The formula that a row of a relation stands for."""
        nodes = [self.universe.nodes[code] for code in row]
        if relation == FALSE:
            return self.pool.false
        if relation == EQUAL:
            return self.pool.eq(*nodes)
        symbol = self.relations.symbols[relation]
        assert symbol is not None
        atom = self.pool.app(symbol, tuple(nodes)) if nodes else self.pool.sym(symbol)
        return self.pool.negate(atom) if relation in self.relations.flipped else atom


# --- from formulas to clauses, from clauses to rules ------------------------------------------------


class HornClauses(NamedTuple):
    """The clauses of a formula, its universal variables, and its Skolem constants; or why it has none."""

    clauses: Sequence[Clause] = ()
    universals: tuple[Var, ...] = ()
    choices: Mapping[Symbol, Choice] = {}
    problem: str | None = None

    def enter(self, parts: HornParts, key: str | None) -> None:
        """Note the constants, or the reason, as those of an assertion or of the goal (None)."""
        parts.choices.update(self.choices)
        if self.problem is not None:
            parts.remainder.append(Remainder(key, self.problem))


def read_clauses(
    formula: Node,
    pool: Pool,
    definitions: Mapping[Symbol, Definition],
    key: str | None,
    *,
    negated: bool = False,
    limits: ClauseLimits = LIMITS,
) -> HornClauses:
    """The clauses of an assertion, or of the goal (`key` None)."""
    try:
        form = skolemize(formula, pool, definitions, key, negated)
        clauses = predicate_clauses(form.matrix, pool, limits)
    except NotSkolemizable as problem:
        return HornClauses(problem=str(problem))
    except TooManyClauses:
        return HornClauses(problem="too many clauses")
    constants = {symbol: choice for symbol, choice in form.choices.items() if not symbol.domain}
    return HornClauses(clauses, form.universals, constants)


def add_rule(parts: HornParts, normal: NumberedClause, relations: Relations, universe: Universe) -> None:
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


def _unique(equation: tuple[int, int], normal: NumberedClause, universe: Universe) -> bool:
    return universe.all_distinct(_sort_of(equation, normal, universe))


def _sort_of(pair: tuple[int, int], normal: NumberedClause, universe: Universe) -> Sort:
    value = pair[0]
    return normal.sorts[~value] if value < 0 else universe.nodes[value].sort


def _enter(
    parts: HornParts,
    normal: NumberedClause,
    head: Atom,
    body: list[Atom],
    differ: tuple[tuple[int, int], ...],
    relations: Relations,
) -> None:
    ground = not any(value < 0 for value in (*head.args, *(v for pair in differ for v in pair)))
    if ground and not body and not normal.equal and not differ and head.relation != FALSE:
        given = Given(head.relation, head.args)
        if given in parts.given:
            parts.repeated.setdefault(given, []).append(normal.source)
        else:
            parts.given[given] = normal.source
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
    parts.rules.append(DatalogRule(head, tuple(body), differ, normal.source, normal.equal))


# --- conditions ------------------------------------------------------------------------------------


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
        if is_infinite(sort) or not universe.all_distinct(sort, but)
    ]
