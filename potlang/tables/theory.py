"""The knowledge of a program with large tables: relations of its database, given and derived."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.measures import DATE
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Node, Quant, Sym, Symbol, Var, reachable
from potlang.ir.skolem import unfold
from potlang.ir.sorts import BOOL, DeclaredSort, Sort
from potlang.tables.bound import BoundFunction, LoadedTable, LoadedTables, SourceColumn


class UnansweredError(Exception):
    """The tables alone do not answer this; the message says why."""


class TableRelation(NamedTuple):
    """Tuples, each once: a table of the database and its columns; `source` if these are rows of a file."""

    table: str
    columns: tuple[str, ...]
    source: LoadedTable | None = None
    named: tuple[SourceColumn, ...] = ()
    """The columns of the file."""


class Values(NamedTuple):
    """The values of a function: each key once. `value` may be NULL, which says nothing."""

    relation: TableRelation
    value: str
    sort: Sort
    column: SourceColumn | None = None


class TableRule(NamedTuple):
    """For all variables: if the conditions hold, the predicate is true of the arguments."""

    head: Symbol
    args: tuple[Node, ...]
    variables: tuple[Var, ...]
    conditions: tuple[Node, ...]


class TableTheory:
    """The predicates and functions of a module with the rows that are known of them.

    `true` and `false` say where predicates are known to be so; those that are `closed` are false wherever
    they are not known to be true. `rules` derive more; `constraints` are all other assumptions.
    """

    def __init__(self, module: Module, loaded: LoadedTables, closed: frozenset[str]) -> None:
        self.module = module
        self.loaded = loaded
        self.database = loaded.database
        self.true: dict[Symbol, TableRelation] = {}
        self.false: dict[Symbol, TableRelation] = {}
        self.values: dict[Symbol, Values] = {}
        self.closed = frozenset(each for each in module.symbols if each.name in closed)
        self.rules: dict[Symbol, list[TableRule]] = {}
        self.constraints: list[Assertion] = []
        self._definitions = {each.symbol: each for each in module.definitions}
        self.doubts: list[str] = []
        """Why it may know less than it should, so that no model is found."""
        self._derived: dict[Symbol, str] = {}
        for symbol in module.symbols:
            bound = loaded.functions.get((symbol.declared or symbol).name)
            if bound is not None:
                self._bind(symbol, bound)
        for assertion in module.assertions:
            self._assume(assertion)

    def unfolded(self, formula: Node) -> Node:
        """The formula without defined functions."""
        return unfold(formula, self.module.pool, self._definitions) if self._definitions else formula

    def derived(self, symbol: Symbol, query: str, columns: tuple[str, ...]) -> None:
        """Has a query say where a predicate is true, in place of what said it."""
        table = self.database.new_table(query)
        before = self._derived.get(symbol)
        self.true[symbol] = TableRelation(table, columns)
        self._derived[symbol] = table
        if before is not None:
            self.database.rows(f"DROP TABLE {before}")

    def close(self) -> None:
        """Free what was derived."""
        for table in self._derived.values():
            self.database.rows(f"DROP TABLE {table}")
        self._derived.clear()

    # --- tables ------------------------------------------------------------------------------------------

    def members(self, sort: Sort) -> TableRelation | None:
        """The members of a sort that a column has."""
        bound = self.loaded.bound(sort)
        return None if bound is None else self._distinct(bound.table, (bound.column,))

    def _distinct(
        self, table: LoadedTable, columns: tuple[SourceColumn, ...], where: str = ""
    ) -> TableRelation:
        names = tuple(dict.fromkeys(each.sql for each in columns))
        listed = ", ".join(names)
        all_names = tuple(each.sql for each in columns)
        if not where and self.is_key(table, columns):
            return TableRelation(table.sql, all_names, table, columns)
        if names and self.is_key(table, columns):
            once = f"(SELECT {listed}, rowid FROM {table.sql} {where})"
            return TableRelation(once, all_names, table, columns)
        if not names:
            return TableRelation(
                f"(SELECT min(rowid) AS rowid FROM {table.sql} {where} HAVING count(*) > 0)", ()
            )
        grouped = f"(SELECT {listed}, min(rowid) AS rowid FROM {table.sql} {where} GROUP BY {listed})"
        return TableRelation(grouped, all_names, table, columns)

    def is_key(self, table: LoadedTable, columns: Sequence[SourceColumn]) -> bool:
        """Whether no two rows have the same values in these columns."""
        return table.is_key(self.database, [each.sql for each in columns])

    def _bind(self, symbol: Symbol, bound: BoundFunction) -> None:
        table, arguments, value = bound.table, bound.arguments, bound.value
        if any(each.sort is DATE for each in arguments):
            self.doubts.append(f"`{symbol.name}` has dates as arguments, which are not looked up")
            return
        if value is None:
            self.true[symbol] = self._distinct(table, arguments)
            return
        if symbol.range is BOOL:
            self.true[symbol] = self._distinct(table, arguments, f"WHERE {value.sql}")
            self.false[symbol] = self._distinct(table, arguments, f"WHERE NOT {value.sql}")
        if self.is_key(table, arguments):
            relation = TableRelation(table.sql, tuple(each.sql for each in arguments), table, arguments)
            self.values[symbol] = Values(relation, value.sql, value.sort, value)
        else:
            names = ", ".join(dict.fromkeys(each.sql for each in arguments))
            group = f"GROUP BY {names}" if names else ""
            listed = f"{names}, " if names else ""
            grouped = (
                f"(SELECT {listed}any_value({value.sql}) AS value, min(rowid) AS rowid FROM {table.sql} "
                f"WHERE {value.sql} IS NOT NULL {group})"
            )
            relation = TableRelation(grouped, tuple(each.sql for each in arguments), table, arguments)
            self.values[symbol] = Values(relation, "value", value.sort, value)

    # --- assumptions -------------------------------------------------------------------------------------

    def _assume(self, assertion: Assertion) -> None:
        try:
            rules = list(self._rules(self.unfolded(assertion.formula), (), ()))
        except RecursionError:
            rules = []
        if rules and all(each is not None for each in rules):
            for rule in rules:
                assert rule is not None
                self.rules.setdefault(rule.head, []).append(rule)
        else:
            self.constraints.append(assertion)

    def _rules(
        self, node: Node, variables: tuple[Var, ...], conditions: tuple[Node, ...]
    ) -> Iterator[TableRule | None]:
        """The rules that a formula is the conjunction of; None for a part that is none."""
        match node:
            case Quant(kind="forall"):
                yield from self._rules(node.body, (*variables, *node.binders), conditions)
            case App(op=op.IMPLIES):
                yield from self._rules(node.args[1], variables, (*conditions, *_parts(node.args[0])))
            case App(op=op.AND):
                for each in node.args:
                    yield from self._rules(each, variables, conditions)
            case App(op=Symbol()) if node.sort is BOOL:
                assert isinstance(node.op, Symbol)
                yield TableRule(node.op, node.args, variables, conditions)
            case Sym() if node.sort is BOOL:
                yield TableRule(node.symbol, (), variables, conditions)
            case _:
                yield None

    def is_total(self, formula: Node) -> bool:
        """Whether all predicates and functions of a formula are known everywhere."""
        for node in reachable(formula):
            symbol = node.op if isinstance(node, App) else node.symbol if isinstance(node, Sym) else None
            if not isinstance(symbol, Symbol) or symbol in self.closed:
                continue
            if not symbol.domain and isinstance(symbol.range, DeclaredSort) and symbol not in self.values:
                # The constant of a member.
                continue
            values = self.values.get(symbol)
            if values is None or not self._is_whole(symbol, values):
                return False
        return True

    def _is_whole(self, symbol: Symbol, values: Values) -> bool:
        """Whether a function has a value for all members."""
        if len(symbol.domain) > 1:
            return False
        known = f"SELECT count(*) FROM {values.relation.table} WHERE {values.value} IS NOT NULL"
        if not symbol.domain:
            return self.database.number(known) > 0
        members = self.members(symbol.domain[0])
        return members is not None and self.database.number(known) == self.database.number(
            f"SELECT count(*) FROM {members.table}"
        )


def _parts(node: Node) -> list[Node]:
    """The parts of a conjunction."""
    if isinstance(node, App) and node.op is op.AND:
        return [part for arg in node.args for part in _parts(arg)]
    return [node]
