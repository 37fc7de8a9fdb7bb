"""From the Horn part of a program to rules over relations, transitive ones made linear."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from potlang.engines.horn.program import HornProgram
from potlang.engines.horn.rules import FALSE, Atom, DatalogProgram, DatalogRule, Row, by_head, needed_for
from potlang.utils.deadline import look

Map = Callable[[Row], Row]


class Focus(NamedTuple):
    """A relation whose rows with given values in `columns` follow from such rows, and what else is used.

    `part` is an unused relation that can hold those rows (A. V. Aho and J. D. Ullman, "Universality of
    data retrieval languages", 1979: selections commute with a recursion that keeps a column).
    """

    columns: tuple[int, ...]
    part: int
    rules: tuple[DatalogRule, ...]
    given: dict[Row, list[Row]]
    """The relation's given rows, by the values in the columns."""


@dataclass(frozen=True, slots=True)
class RelationTables:
    """A program for an `DatalogEngine`, and how its relations belong to those of the Horn part.

    A transitive relation gets a second one, its base, into which everything goes but what
    transitivity adds: T(x, y), base(y, z) -> T(x, z) makes each pair far less often than
    T(x, y), T(y, z) -> T(x, z). For a symmetric T the base is made symmetric.
    """

    program: DatalogProgram
    entry: dict[int, int]
    """From a relation to its base."""
    shown: tuple[int, ...]
    """From each relation to the one of the Horn part."""
    focus: dict[int, Focus]
    """Relations of which a part can be evaluated alone."""

    def rule(self, clause: DatalogRule, renamed: Map) -> DatalogRule:
        """A rule of the program, its constants renamed."""
        head = Atom(self.entry.get(clause.head.relation, clause.head.relation), renamed(clause.head.args))
        body = tuple(Atom(atom.relation, renamed(atom.args)) for atom in clause.body)
        differ = tuple((a, b) for a, b in (renamed(pair) for pair in clause.differ))
        return clause._replace(head=head, body=body, differ=differ)

    def given(self, relation: int, row: Row) -> tuple[int, Row]:
        """Where a given row goes."""
        return self.entry.get(relation, relation), row


def same(row: Row) -> Row:
    """No renaming."""
    return row


def tables(
    horn: HornProgram, renamed: Map = same, known_distinct: Callable[[int, int], bool] | None = None
) -> RelationTables:
    """The program of the assumptions. `renamed` maps constants; rules that want constants equal stay."""
    arities = list(horn.relations.arities)
    shown = list(range(len(arities)))
    entry: dict[int, int] = {}
    clauses = horn.parts.rules
    for relation in dict.fromkeys(c.head.relation for c in clauses if _transitive(c)):
        entry[relation] = len(arities)
        arities.append(2)
        shown.append(relation)
    found = RelationTables(
        DatalogProgram(tuple(arities), (), (), horn.universe.known_distinct), entry, tuple(shown), {}
    )
    rules = []
    for clause in clauses:
        look()
        rules += _rules(found, clause, renamed)
    rules += [_copy(relation, base) for relation, base in entry.items()]
    given = [found.given(g.relation, renamed(g.row)) for g in horn.parts.given if g.relation != 1]
    given += domain_rows(horn, range(horn.constants), renamed)
    focus = {}
    for relation, columns, own in _separable(rules, len(arities)):
        focus[relation] = Focus(columns, len(arities), own, {})
        arities.append(arities[relation])
        shown.append(shown[relation])
    for relation, row in given:
        if relation in focus:
            columns, known = focus[relation].columns, focus[relation].given
            known.setdefault(tuple([row[column] for column in columns]), []).append(row)
    program = DatalogProgram(
        tuple(arities), tuple(rules), tuple(given), known_distinct or horn.universe.known_distinct
    )
    return RelationTables(program, entry, tuple(shown), focus)


# --- parts of relations -----------------------------------------------------------------------------


def _separable(
    rules: list[DatalogRule], size: int
) -> Iterator[tuple[int, tuple[int, ...], tuple[DatalogRule, ...]]]:
    """The recursive relations that depend on no other one in turn and keep a column, with their rules."""
    heads = by_head(rules, size)
    for relation, own in enumerate(heads):
        recursive = [rule for rule in own if any(atom.relation == relation for atom in rule.body)]
        arity = len(recursive[0].head.args) if recursive else 0
        columns = tuple(c for c in range(arity) if all(_keeps(rule, c) for rule in recursive))
        if columns and not _returns(relation, heads):
            yield relation, columns, tuple(own)


def _keeps(rule: DatalogRule, column: int) -> bool:
    value = rule.head.args[column]
    return value < 0 and all(a.args[column] == value for a in rule.body if a.relation == rule.head.relation)


def _returns(relation: int, heads: Sequence[Sequence[DatalogRule]]) -> bool:
    """Whether another relation that `relation` uses depends on it."""
    used = {atom.relation for rule in heads[relation] for atom in rule.body} - {relation}
    return relation in needed_for(used, heads)


def narrowed(focus: Focus, relation: int, row: Row) -> tuple[list[DatalogRule], list[tuple[int, Row]]]:
    """The rules and given rows that put into the part the rows that agree with `row` in the columns."""
    given = focus.given.get(tuple([row[column] for column in focus.columns]), [])
    found = []
    for rule in focus.rules:
        values: dict[int, int] = {}
        for column in focus.columns:
            value = rule.head.args[column]
            if value >= 0 and value != row[column]:
                break
            if values.setdefault(value, row[column]) != row[column]:
                break
        else:
            found.append(_instantiated(rule, relation, focus.part, values))
    return found, [(focus.part, each) for each in given]


def _instantiated(rule: DatalogRule, relation: int, part: int, values: dict[int, int]) -> DatalogRule:
    def put(args: Row) -> Row:
        return tuple([values.get(value, value) for value in args])

    def atom(old: Atom) -> Atom:
        return Atom(part if old.relation == relation else old.relation, put(old.args))

    differ = tuple((a, b) for a, b in map(put, rule.differ))
    source = rule.source
    if source is not None:
        source = source._replace(
            images=tuple((var, values.get(value, value)) for var, value in source.images)
        )
    return DatalogRule(atom(rule.head), tuple(map(atom, rule.body)), differ, source, rule.equal)


def domain_rows(horn: HornProgram, codes: Iterable[int], renamed: Map = same) -> list[tuple[int, Row]]:
    """The rows that make constants known to the relations of their sorts."""
    domains, nodes = horn.relations.domains, horn.universe.nodes
    return [(domains[nodes[code].sort], renamed((code,))) for code in codes if nodes[code].sort in domains]


def _rules(found: RelationTables, clause: DatalogRule, renamed: Map) -> list[DatalogRule]:
    base = found.entry.get(clause.head.relation)
    if base is not None and _transitive(clause):
        first, second = clause.body
        if clause.head.args[0] != first.args[0]:
            first, second = second, first
        return [DatalogRule(clause.head, (first, Atom(base, second.args)), (), clause.source)]
    if base is not None and _symmetric(clause):
        return [
            DatalogRule(Atom(base, clause.head.args), (Atom(base, clause.body[0].args),), (), clause.source)
        ]
    return [found.rule(clause, renamed)]


def _copy(relation: int, base: int) -> DatalogRule:
    return DatalogRule(Atom(relation, (~0, ~1)), (Atom(base, (~0, ~1)),), (), None)


def _plain(clause: DatalogRule, atoms: int) -> bool:
    """Whether a clause has so many body atoms, all of the head's relation, and variables only."""
    if clause.head.relation == FALSE or clause.equal or clause.differ or len(clause.body) != atoms:
        return False
    parts = (clause.head, *clause.body)
    return all(
        a.relation == clause.head.relation and len(a.args) == 2 and a.args[0] != a.args[1] and max(a.args) < 0
        for a in parts
    )


def _transitive(clause: DatalogRule) -> bool:
    if not _plain(clause, 2):
        return False
    (x, z), (a, b), (c, d) = clause.head.args, clause.body[0].args, clause.body[1].args
    return (x, z) in ((a, d), (c, b)) and (b == c if (x, z) == (a, d) else a == d) and len({a, b, c, d}) == 3


def _symmetric(clause: DatalogRule) -> bool:
    return _plain(clause, 1) and clause.body[0].args == clause.head.args[::-1]
