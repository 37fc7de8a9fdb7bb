"""Least models in DuckDB, for programs that are large for Python: a `DatalogEngine`.

Constants are integers and tables have numbers, so no text of a program is in any query. A relation that
recurs through itself alone, by linear rules, is one recursive query; others are evaluated round by
round. Additions are made in a transaction that is rolled back.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from potlang.engines.horn.engine import EvaluationLimits, EvaluationTimeout, Merging, TooManyRows
from potlang.engines.horn.rules import (
    EQUAL,
    FALSE,
    Atom,
    DatalogProgram,
    DatalogRule,
    Row,
    by_head,
    components,
    needed_for,
)
from potlang.engines.horn.universe import Universe
from potlang.utils.watched_queries import signals_passed_on, watched

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MOST_PAIRS = 1_000
MOST_MEGABYTES = 4_096


@functools.cache
def available() -> bool:
    """Whether DuckDB is installed; looked up once, since each program asks."""
    return find_spec("duckdb") is not None


class DuckDB:
    """The least model of a program in an in-memory database. It gives no derivations."""

    def __init__(
        self,
        program: DatalogProgram,
        universe: Universe,
        limits: EvaluationLimits,
        megabytes: int = MOST_MEGABYTES,
    ) -> None:
        self.program = program
        self.limits = limits
        self._connection = _connect(megabytes)
        self._component, self._order = components(program)
        self._done: set[int] = set()
        self._by_head = by_head(program.rules, len(program.arities))
        self._steps = 0
        self._is_open = False
        self._heavy = False
        """Whether a query may take long, and so is watched."""
        for relation, arity in enumerate(program.arities):
            self._create(_table(relation), max(arity, 1))
        self._load(universe)

    def close(self) -> None:
        """Free the database."""
        self._connection.close()

    def _load(self, universe: Universe) -> None:
        given: dict[int, dict[Row, None]] = {}
        for relation, row in self.program.given:
            given.setdefault(relation, {})[row] = None
        for relation, rows in given.items():
            self._fill(_table(relation), max(self.program.arities[relation], 1), list(rows))
        groups = [(code, group) for code, found in universe.group_of.items() for group in found]
        self._create("apart_group", 2)
        self._fill("apart_group", 2, groups)
        self._create("apart_pair", 2)
        pairs = [(a, b) for pair in universe.pairs for a, b in (pair, pair[::-1])]
        self._fill("apart_pair", 2, pairs)

    def _create(self, table: str, columns: int) -> None:
        self._execute(f"CREATE TABLE {table} ({', '.join(f'c{n} INTEGER' for n in range(columns))})")

    def _fill(self, table: str, columns: int, rows: Sequence[Row]) -> None:
        if not rows:
            return
        values = [[row[n] if row else 0 for row in rows] for n in range(columns)]
        shown = ", ".join(f"unnest(${n + 1}::INTEGER[])" for n in range(columns))
        self._execute(f"INSERT INTO {table} SELECT {shown}", values)

    # --- queries ---

    def _execute(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The answer to a query, which is interrupted when time is over."""
        import duckdb

        self.limits.tick()
        try:
            with (
                watched(self._connection, self.limits.expired) if self._heavy else nullcontext(),
                signals_passed_on(),
            ):
                return self._connection.execute(query, list(values)).fetchall()
        except duckdb.InterruptException:
            raise EvaluationTimeout from None
        except duckdb.OutOfMemoryException:
            raise TooManyRows from None

    # --- what is known ---

    @property
    def violated(self) -> bool:
        """Whether a denial, or a difference, is violated, as far as evaluated."""
        return self.count(FALSE) > 0

    def complete(self, relation: int) -> bool:
        """Whether the relation has been evaluated."""
        return self._component[relation] in self._done

    def count(self, relation: int) -> int:
        """How many rows a relation has."""
        return self._size(_table(relation))

    def _size(self, table: str) -> int:
        ((number,),) = self._execute(f"SELECT count(*) FROM {table}")
        return int(number)

    def table(self, relation: int) -> Collection[Row]:
        """The rows of a relation."""
        arity = self.program.arities[relation]
        return [row[:arity] for row in self._execute(f"SELECT * FROM {_table(relation)}")]

    def grown(self, relation: int) -> bool:
        """Whether the additions may have given it rows: it is not known."""
        return True

    def violation(self) -> tuple[int, Row]:
        """The violation: the row of `FALSE`, or a pair of `EQUAL`."""
        for pair in self._execute(f"SELECT * FROM {_table(EQUAL)} LIMIT 1"):
            return EQUAL, (int(pair[0]), int(pair[1]))
        return FALSE, ()

    def instance(self, relation: int, row: Row) -> tuple[DatalogRule, dict[int, int]] | None:
        """Raises RuntimeError: rows do not remember what they were derived from."""
        raise RuntimeError("a database does not know what its rows were derived from")

    # --- the model of the program ---

    def ensure(self, relations: Iterable[int]) -> None:
        """Evaluate what these relations depend on. Raises `TooManyRows`, `EvaluationTimeout`, `Merging`."""
        wanted = {self._component[relation] for relation in needed_for(relations, self._by_head)} - self._done
        self._heavy = True
        try:
            for component in sorted(wanted):
                self._evaluate(self._order[component])
                self._done.add(component)
        finally:
            self._heavy = False

    def _evaluate(self, members: list[int]) -> None:
        rules = [rule for relation in members for rule in self._by_head[relation]]
        if not rules:
            return
        if len(members) == 1 and members[0] not in (FALSE, EQUAL) and all(map(_linear, rules)):
            self._recursive(members[0], rules)
        else:
            self._rounds(rules, members)
        if EQUAL in members:
            self._check_pairs()
        if sum(map(self.count, range(len(self.program.arities)))) > self.limits.rows:
            raise TooManyRows

    def _recursive(self, relation: int, rules: list[DatalogRule]) -> None:
        """One relation by one query."""
        table, columns = _table(relation), _columns(max(self.program.arities[relation], 1))
        once = [rule for rule in rules if all(atom.relation != relation for atom in rule.body)]
        again = [rule for rule in rules if rule not in once]
        seeds = [f"SELECT {columns} FROM {table}", *(_select(rule) for rule in once)]
        if not self._size(table) and once:
            del seeds[0]
        seed = " UNION ".join(seeds)
        query = f"SELECT DISTINCT * FROM ({seed})"
        if again:
            steps = " UNION ALL ".join(_step(rule) for rule in again)
            query = f"WITH RECURSIVE x({columns}) AS ({seed} UNION ({steps})) SELECT * FROM x"
        name = f"n{relation}"
        self._execute(f"CREATE OR REPLACE TABLE {name} AS {query} LIMIT {self.limits.rows + 1}")
        if self._size(name) > self.limits.rows:
            raise TooManyRows
        self._execute(f"DROP TABLE {table}")
        self._execute(f"ALTER TABLE {name} RENAME TO {table}")

    def _rounds(self, rules: Sequence[DatalogRule], inside: Collection[int]) -> None:
        """Several relations, round by round: each from what is new of the others."""
        delta = self._round([(rule, None, "") for rule in rules])
        while delta:
            delta = self._next_round(rules, {each: delta[each] for each in delta if each in inside})

    def _next_round(self, rules: Sequence[DatalogRule], delta: dict[int, str]) -> dict[int, str]:
        """One round of the rules over what is new: tables by relation."""
        return self._round(
            [
                (rule, place, delta[atom.relation])
                for rule in rules
                for place, atom in enumerate(rule.body)
                if atom.relation in delta
            ]
        )

    def _round(self, jobs: Sequence[tuple[DatalogRule, int | None, str]]) -> dict[int, str]:
        """One round of the rules over new rows (place None: all rows): tables of new rows, by relation."""
        by_head: dict[int, list[str]] = {}
        for rule, place, table in jobs:
            by_head.setdefault(rule.head.relation, []).append(_select(rule, place, table))
        found = {}
        for relation, selects in by_head.items():
            self._steps += 1
            name = f"d{self._steps}"
            query = f"({' UNION '.join(selects)}) EXCEPT SELECT * FROM {_table(relation)}"
            self._execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM ({query}) LIMIT {self.limits.rows + 1}")
            if self._size(name):
                found[relation] = name
        for relation, name in found.items():
            self._execute(f"INSERT INTO {_table(relation)} SELECT * FROM {name}")
            if self.count(relation) > self.limits.rows:
                raise TooManyRows
        return found

    def _check_pairs(self) -> None:
        """Equations of different constants violate something, or would make them equal."""
        pairs = self._execute(f"SELECT * FROM {_table(EQUAL)} WHERE c0 <> c1 LIMIT {_MOST_PAIRS + 1}")
        if not all(self.program.known_distinct(int(a), int(b)) for a, b in pairs) or len(pairs) > _MOST_PAIRS:
            raise Merging
        self._execute(f"DELETE FROM {_table(EQUAL)} WHERE c0 = c1")
        if pairs:
            self._execute(f"INSERT INTO {_table(FALSE)} VALUES (0)")

    # --- additions ---

    def add(
        self, given: Sequence[tuple[int, Row]], rules: Sequence[DatalogRule], wanted: Collection[int]
    ) -> None:
        """Add rows and rules on top, until `backtrack`, and evaluate what `wanted` depends on."""
        self._execute("BEGIN TRANSACTION")
        self._is_open = True
        used = {*wanted, *(atom.relation for rule in rules for atom in rule.body)}
        relevant = needed_for(used, self._by_head)
        relevant |= {FALSE, EQUAL}
        delta: dict[int, str] = {}
        fresh: dict[int, dict[Row, None]] = {}
        for relation, row in given:
            if relation in relevant:
                fresh.setdefault(relation, {})[row] = None
        for relation, rows in fresh.items():
            self._steps += 1
            name = f"d{self._steps}"
            columns = max(self.program.arities[relation], 1)
            self._create(name, columns)
            self._fill(name, columns, list(rows))
            known = f"SELECT {_row(columns)} FROM {_table(relation)}"
            self._execute(f"DELETE FROM {name} WHERE {_row(columns)} IN ({known})")
            self._execute(f"INSERT INTO {_table(relation)} SELECT * FROM {name}")
            if self._size(name):
                delta[relation] = name
        self._heavy = True
        try:
            self._spread(delta, rules, relevant)
        finally:
            self._heavy = False

    def _spread(self, delta: dict[int, str], rules: Sequence[DatalogRule], relevant: Collection[int]) -> None:
        usable = [rule for rule in self.program.rules if rule.head.relation in relevant]
        usable += rules
        more = self._round([(rule, None, "") for rule in rules])
        for relation, name in more.items():
            if relation in delta:
                self._execute(f"INSERT INTO {delta[relation]} SELECT * FROM {name}")
            else:
                delta[relation] = name
        if EQUAL in delta:
            self._check_pairs()
        while delta and not self.violated:
            delta = self._next_round(usable, delta)
            if EQUAL in delta:
                self._check_pairs()

    def backtrack(self) -> None:
        """Take the additions back."""
        # Where the limits are reached already there has been no beginning.
        if self._is_open:
            self._is_open = False
            self._connection.execute("ROLLBACK")


def _connect(megabytes: int) -> DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute(f"SET memory_limit = '{megabytes}MB'")
    connection.execute("SET temp_directory = ''")
    connection.execute("SET preserve_insertion_order = false")
    # With several threads an interrupted recursive query may never return (seen with DuckDB 2.0.0).
    connection.execute("SET threads = 1")
    return connection


# --- query text: numbers and fixed words only -------------------------------------------------------


def _table(relation: int) -> str:
    return f"r{relation}"


def _columns(count: int) -> str:
    return ", ".join(f"c{n}" for n in range(count))


def _row(count: int) -> str:
    return f"({_columns(count)})"


def _linear(rule: DatalogRule) -> bool:
    """Whether at most one body atom is of the head's relation.

    A recursive query sees in its own table only what its last round added, so it is right for these alone.
    """
    return sum(atom.relation == rule.head.relation for atom in rule.body) <= 1


def _step(rule: DatalogRule) -> str:
    """The query for one step of a linear recursive rule from the recursive table."""
    named = {place: "x" for place, atom in enumerate(rule.body) if atom.relation == rule.head.relation}
    return _query(rule, named)


def _select(rule: DatalogRule, place: int | None = None, table: str = "") -> str:
    """The rows that a rule derives, the atom at `place` from another table."""
    return _query(rule, {} if place is None else {place: table})


def _query(rule: DatalogRule, named: dict[int, str]) -> str:
    where: dict[int, str] = {}
    conditions = []
    tables = []
    for place, atom in enumerate(rule.body):
        tables.append(f"{named.get(place, _table(atom.relation))} AS t{place}")
        conditions += _matching(atom, place, where)
    conditions += [_different(_value(a, where), _value(b, where)) for a, b in rule.differ]
    values = [_value(value, where) for value in rule.head.args] or ["0"]
    shown = ", ".join(f"{value} AS c{column}" for column, value in enumerate(values))
    text = f"SELECT {shown}"
    if tables:
        text += f" FROM {', '.join(tables)}"
    if conditions:
        text += f" WHERE {' AND '.join(conditions)}"
    return text if rule.head.args else f"(SELECT * FROM ({text}) LIMIT 1)"


def _matching(atom: Atom, place: int, where: dict[int, str]) -> list[str]:
    """The conditions of one body atom; its new variables go into `where`."""
    found = []
    for column, value in enumerate(atom.args):
        name = f"t{place}.c{column}"
        if value < 0 and ~value not in where:
            where[~value] = name
        else:
            found.append(f"{name} = {_value(value, where)}")
    return found


def _value(value: int, where: dict[int, str]) -> str:
    return where[~value] if value < 0 else f"{value}::INTEGER"


def _different(a: str, b: str) -> str:
    """That two constants certainly differ."""
    grouped = (
        f"EXISTS (SELECT 1 FROM apart_group g, apart_group h WHERE g.c0 = {a} AND h.c0 = {b} AND g.c1 = h.c1)"
    )
    paired = f"EXISTS (SELECT 1 FROM apart_pair p WHERE p.c0 = {a} AND p.c1 = {b})"
    return f"{a} <> {b} AND ({grouped} OR {paired})"
