"""Formulas as queries of SQL ([SRC-LARGE]).

A query is asked in a *sense*. `certain`: what is known makes the formula true, whatever is open;
`possible`: what is known does not make it false (Kleene's strong logic, K. 1952). Under a *completion* what
is open of predicates is true (`greatest`) or false (`least`), so that a formula certain in it has a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from potlang.ir import operators as op
from potlang.ir.measures import DATE
from potlang.ir.nnf import signed_conjuncts
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, free_variables
from potlang.ir.sorts import BOOL, INT, REAL, STRING, DeclaredSort, EnumSort, Sort
from potlang.tables.bound import LoadedTable, SourceColumn
from potlang.tables.database import quoted
from potlang.tables.theory import TableRelation, TableTheory, UnansweredError, Values

Completion = Literal["none", "least", "greatest"]
_PLACES: Final = 12
_MOST_PLACES: Final = 24
_ALIAS: Final = re.compile(r"\b(v\d+)\.")
_OPERATORS: Final = {op.EQ: "=", op.LT: "<", op.LE: "<="}
_JOINED: Final = {op.ADD: " + ", op.SUB: " - "}


class Sense(NamedTuple):
    """How a formula is asked about."""

    certain: bool = True
    completion: Completion = "none"

    @property
    def dual(self) -> Sense:
        """The sense in which a formula's denial fails where the formula holds in this one."""
        return self._replace(certain=not self.certain)


class SqlTerm(NamedTuple):
    """A term as an expression; of a Real with so many decimal places."""

    sql: str
    places: int | None = None


class RowOrigin(NamedTuple):
    """Where the rows of an alias stand, and the columns of them that a query uses."""

    table: LoadedTable
    columns: dict[str, SourceColumn]


class RowQuery:
    """The rows that fit a formula, as far as they are written: tables, joins, conditions."""

    def __init__(self, env: dict[Var, str], outer: RowQuery | None = None) -> None:
        self.env = env
        self.outer = outer
        self.tables: list[str] = []
        self.joins: list[str] = []
        self.where: list[str] = []
        self.aliases: set[str] = set()
        self.looked_up: dict[tuple[Symbol, tuple[str, ...]], str] = {}
        self.origins: dict[str, RowOrigin] = {}
        self.projects = False
        """Whether it has variables that are not asked for, so that a binding may come twice."""

    def body(self) -> str:
        """All from FROM on."""
        tables = " CROSS JOIN ".join(self.tables or ["(SELECT 1) AS one"])
        where = f" WHERE {' AND '.join(self.where)}" if self.where else ""
        return f"FROM {tables}{''.join(self.joins)}{where}"


class QueryWriter:
    """Writes queries over a theory. Raises `UnansweredError` for what SQL does not say."""

    def __init__(self, theory: TableTheory) -> None:
        self._theory = theory
        self._aliases = 0

    def satisfying(
        self,
        sense: Sense,
        variables: Sequence[Var],
        conditions: Sequence[tuple[Node, bool]],
        outer: RowQuery | None = None,
    ) -> RowQuery:
        """The query for the values of the variables under which all conditions hold (or fail, if False)."""
        env = {} if outer is None else {var: sql for var, sql in outer.env.items() if var not in variables}
        query = RowQuery(env, outer)
        pending = list(variables)
        left = [part for node, wanted in conditions for part in signed_conjuncts(node, wanted)]
        opened: list[tuple[Node, bool]] = []
        while left:
            node, wanted = left.pop(0)
            # Quantifiers apart may bind one variable.
            is_apart = isinstance(node, Quant) and not {*pending, *env}.intersection(node.binders)
            if isinstance(node, Quant) and is_apart and (node.kind == "exists") is wanted:
                pending += node.binders
                query.projects = True
                left = [*signed_conjuncts(node.body, wanted), *left]
            else:
                opened.append((node, wanted))
        rest = self._generate(query, sense, pending, opened)
        for var in pending:
            if var not in query.env:
                self._range_over(query, var)
        query.where += [self.truth(node, wanted, sense, query) for node, wanted in rest]
        return query

    def holds(self, formula: Node, wanted: bool, sense: Sense) -> tuple[str, RowQuery]:
        """A closed formula, or its denial, as an expression over a query of one row."""
        query = RowQuery({})
        return self.truth(formula, wanted, sense, query), query

    # --- tables for variables ----------------------------------------------------------------------------

    def _generate(
        self, query: RowQuery, sense: Sense, pending: list[Var], conditions: list[tuple[Node, bool]]
    ) -> list[tuple[Node, bool]]:
        """Has atoms give variables their values, one after the other; the other conditions."""
        rest = list(conditions)
        found = True
        while found:
            found = False
            for each in rest:
                if self._from_atom(query, sense, pending, *each):
                    rest.remove(each)
                    found = True
                    break
        return rest

    def _from_atom(self, query: RowQuery, sense: Sense, pending: list[Var], node: Node, wanted: bool) -> bool:
        if not wanted or not isinstance(node, App):
            return False
        unbound = {var for var in free_variables(node) if var in pending and var not in query.env}
        if not unbound:
            return False
        if node.op is op.EQ and node.args[0].sort not in (BOOL, REAL):
            for var, other in (node.args, reversed(node.args)):
                if isinstance(var, Var) and var in unbound and self._is_fixed(other):
                    query.env[var] = self.term(other, query).sql
                    return True
            return False
        if not isinstance(node.op, Symbol) or not unbound <= set(node.args):
            return False
        # What is possible may be true of more than the rows, and of values that are not known.
        fixed = all(isinstance(arg, Var) or self._is_fixed(arg) for arg in node.args)
        is_known = sense.certain or (fixed and self._is_closed(node.op))
        if node.op in self._theory.values and len(node.args) == 1 and node.op not in self._theory.rules:
            # Its values stand in a column: all members are looked at anyway.
            is_known = self._theory.members(node.args[0].sort) is None and is_known
        if not is_known or (sense.completion == "greatest" and not self._is_closed(node.op)):
            return False
        relation = self._theory.true.get(node.op)
        if relation is None or any(isinstance(var, Var) and var.sort is REAL for var in unbound):
            return False
        alias = self._from(query, relation)
        others = []
        for column, arg in zip(relation.columns, node.args, strict=True):
            if isinstance(arg, Var) and arg in unbound and arg not in query.env:
                query.env[arg] = f"{alias}.{column}"
            else:
                others.append((column, arg))
        # Terms may be over variables that the columns behind them bind.
        query.where += [f"{alias}.{column} = {self.term(arg, query).sql}" for column, arg in others]
        return True

    def _is_closed(self, symbol: Symbol) -> bool:
        """Whether a predicate is false wherever it is not known to be true."""
        if symbol not in self._theory.closed:
            return False
        for sort in symbol.domain:
            if isinstance(sort, DeclaredSort) and self._theory.loaded.bound(sort) is None:
                self._require_apart(sort)
        return True

    def _require_apart(self, sort: Sort) -> None:
        if sort not in self._theory.module.unique:
            raise UnansweredError(f"two constants of {sort} may be one thing")

    def _is_fixed(self, node: Node) -> bool:
        """Whether a term is a literal, or the constant of a member."""
        return isinstance(node, Lit) or (isinstance(node, Sym) and node.symbol not in self._theory.values)

    def _from(self, query: RowQuery, relation: TableRelation) -> str:
        alias = self._alias(query)
        query.tables.append(f"{relation.table} AS {alias}")
        if relation.source is not None:
            used = {each.sql: each for each in relation.named}
            query.origins[alias] = RowOrigin(relation.source, used if len(used) > 1 else {})
        return alias

    def _alias(self, query: RowQuery) -> str:
        self._aliases += 1
        alias = f"v{self._aliases}"
        query.aliases.add(alias)
        return alias

    def _range_over(self, query: RowQuery, var: Var) -> None:
        """Has a variable range over its sort."""
        members = self._theory.members(var.sort)
        if members is not None:
            query.env[var] = f"{self._from(query, members)}.{members.columns[0]}"
            return
        if var.sort is BOOL:
            listed = "(false), (true)"
        elif isinstance(var.sort, EnumSort):
            listed = ", ".join(f"({quoted(value)})" for value in var.sort.values)
        elif var.sort in self._theory.module.closed & self._theory.module.unique:
            symbols = self._theory.module.constants(var.sort)
            listed = ", ".join(f"({quoted(symbol.name)})" for symbol in symbols)
        else:
            raise UnansweredError(f"`{var.name}` ranges over {var.sort}, whose members no table lists")
        alias = self._alias(query)
        query.tables.append(f"(VALUES {listed}) AS {alias}(c0)")
        query.env[var] = f"{alias}.c0"

    # --- formulas ----------------------------------------------------------------------------------------

    def truth(self, node: Node, wanted: bool, sense: Sense, query: RowQuery) -> str:
        """A formula (its denial, if not `wanted`) as a condition that is never NULL."""
        match node:
            case Lit():
                return "true" if bool(node.value) is wanted else "false"
            case Var():
                return query.env[node] if wanted else f"NOT {query.env[node]}"
            case Quant():
                if (node.kind == "exists") is wanted:
                    inner = self.satisfying(sense, node.binders, [(node.body, wanted)], query)
                    return f"EXISTS (SELECT 1 {inner.body()})"
                inner = self.satisfying(sense.dual, node.binders, [(node.body, not wanted)], query)
                return f"NOT EXISTS (SELECT 1 {inner.body()})"
            case Sym():
                return self._atom(node.symbol, (), wanted, sense, query)
            case App(op=Symbol()):
                assert isinstance(node.op, Symbol)
                return self._atom(node.op, node.args, wanted, sense, query)
        assert isinstance(node, App)
        return self._operator(node, wanted, sense, query)

    def _operator(self, node: App, wanted: bool, sense: Sense, query: RowQuery) -> str:
        def part(each: Node, positive: bool) -> str:
            return self.truth(each, positive, sense, query)

        args = node.args
        if node.op is op.NOT:
            return part(args[0], not wanted)
        if node.op in (op.AND, op.OR):
            parts = [part(each, wanted) for each in args]
            return _all(parts) if (node.op is op.AND) is wanted else _any(parts)
        if node.op is op.IMPLIES:
            parts = [part(args[0], not wanted), part(args[1], wanted)]
            return _any(parts) if wanted else _all(parts)
        if node.op is op.ITE:
            condition, one, other = args
            first = _all([part(condition, True), part(one, wanted)])
            return _any([first, _all([part(condition, False), part(other, wanted)])])
        if node.op in (op.IFF, op.XOR) or (node.op is op.EQ and args[0].sort is BOOL):
            same = wanted is (node.op is not op.XOR)
            first = _all([part(args[0], True), part(args[1], same)])
            return _any([first, _all([part(args[0], False), part(args[1], not same)])])
        if node.op is op.DISTINCT:
            pairs = [(a, b) for at, a in enumerate(args) for b in args[:at]]
            parts = [self._compared("=", a, b, not wanted, sense, query) for a, b in pairs]
            return _all(parts) if wanted else _any(parts)
        if node.op in _OPERATORS:
            return self._compared(_OPERATORS[node.op], args[0], args[1], wanted, sense, query)
        raise UnansweredError(f"no query says `{node.op}`")

    def _compared(self, sign: str, a: Node, b: Node, wanted: bool, sense: Sense, query: RowQuery) -> str:
        if isinstance(a.sort, DeclaredSort) and self._theory.loaded.bound(a.sort) is None:
            self._require_apart(a.sort)
        elif a.sort not in (INT, REAL, STRING) and not isinstance(a.sort, EnumSort | DeclaredSort):
            raise UnansweredError(f"no query compares values of {a.sort}")
        left, right = _aligned([self.term(a, query), self.term(b, query)])
        whole = f"({left.sql} {sign} {right.sql})"
        if sense.certain:
            return f"({whole} IS {'true' if wanted else 'false'})"
        return f"({whole} IS NOT {'false' if wanted else 'true'})"

    def _atom(
        self, symbol: Symbol, args: tuple[Node, ...], wanted: bool, sense: Sense, query: RowQuery
    ) -> str:
        if symbol.kind == "free":
            raise UnansweredError(f"`{symbol.name}` is an unknown constant")
        if sense.certain:
            return self._known(symbol, args, wanted, sense, query)
        return f"NOT {self._known(symbol, args, not wanted, sense, query)}"

    def _known(
        self, symbol: Symbol, args: tuple[Node, ...], wanted: bool, sense: Sense, query: RowQuery
    ) -> str:
        """That a predicate is known to be true, or false, of some values."""
        theory = self._theory
        terms = [self.term(each, query).sql for each in args]
        # What is known to be true is so, closed or not.
        is_closed = (not wanted or sense.completion == "greatest") and self._is_closed(symbol)
        # The values of functions may be unknown, and nothing is known of them then.
        given = [f"{term} IS NOT NULL" for term in terms if not term.startswith("'")]
        if symbol in theory.values and symbol not in theory.rules and sense.completion == "none":
            found = self._value(symbol, args, query).sql
            if is_closed and not wanted:
                return _all([*given, f"({found} IS NOT true)"])
            return f"({found} IS {str(wanted).lower()})"
        there = "greatest" if not is_closed and sense.completion == "greatest" else "least"
        if wanted and there == "least":
            return self._listed(theory.true.get(symbol), terms)
        if wanted:
            return _all([*given, f"NOT {self._listed(theory.false.get(symbol), terms)}"])
        if is_closed or sense.completion == "least":
            return _all([*given, f"NOT {self._listed(theory.true.get(symbol), terms)}"])
        return self._listed(theory.false.get(symbol), terms)

    def _listed(self, relation: TableRelation | None, terms: list[str]) -> str:
        """That a tuple is one of a relation."""
        if relation is None:
            return "false"
        self._aliases += 1
        alias = f"v{self._aliases}"
        return f"EXISTS (SELECT 1 FROM {relation.table} AS {alias} WHERE {_equal(alias, relation, terms)})"

    # --- terms -------------------------------------------------------------------------------------------

    def term(self, node: Node, query: RowQuery) -> SqlTerm:
        """A term, NULL where its value is not known."""
        match node:
            case Lit():
                return _literal(node)
            case Var():
                return SqlTerm(query.env[node], _PLACES if node.sort is REAL else None)
            case Sym():
                if node.symbol in self._theory.values:
                    return self._value(node.symbol, (), query)
                if node.symbol.kind == "constant" and isinstance(node.sort, DeclaredSort):
                    name = quoted(node.symbol.name)
                    is_number = self._theory.loaded.is_numbered(node.sort)
                    return SqlTerm(f"CAST({name} AS BIGINT)" if is_number else name)
                return self._unknown(node.sort)
            case App(op=Symbol()):
                assert isinstance(node.op, Symbol)
                if node.op not in self._theory.values:
                    return self._unknown(node.sort)
                return self._value(node.op, node.args, query)
            case App():
                return self._computed(node, query)
        raise UnansweredError("no query has a formula for a term")

    def _unknown(self, sort: Sort) -> SqlTerm:
        """A term of which nothing is known."""
        if sort is REAL:
            return SqlTerm(f"CAST(NULL AS DECIMAL(38, {_PLACES}))", _PLACES)
        is_number = sort is INT or self._theory.loaded.is_numbered(sort)
        return SqlTerm(f"CAST(NULL AS {'BIGINT' if is_number else 'VARCHAR'})")

    def _computed(self, node: App, query: RowQuery) -> SqlTerm:
        if node.op is op.ITE:
            condition = Sense()
            one, other = _aligned([self.term(each, query) for each in node.args[1:]])
            yes = self.truth(node.args[0], True, condition, query)
            no = self.truth(node.args[0], False, condition, query)
            return SqlTerm(f"(CASE WHEN {yes} THEN {one.sql} WHEN {no} THEN {other.sql} END)", one.places)
        terms = [self.term(each, query) for each in node.args]
        if node.op in _JOINED:
            aligned = _aligned(terms)
            return SqlTerm(f"({_JOINED[node.op].join(each.sql for each in aligned)})", aligned[0].places)
        if node.op is op.MUL:
            places = None if terms[0].places is None else sum(each.places or 0 for each in terms)
            if places is not None and places > _MOST_PLACES:
                raise UnansweredError("a product has too many decimal places")
            return SqlTerm(f"({' * '.join(each.sql for each in terms)})", places)
        (first, *more) = terms
        if node.op is op.NEG:
            return SqlTerm(f"(-{first.sql})", first.places)
        if node.op is op.ABS:
            return SqlTerm(f"abs({first.sql})", first.places)
        if node.op is op.TO_REAL:
            return SqlTerm(f"CAST({first.sql} AS DECIMAL(38, 0))", 0)
        divisor = node.args[-1]
        if node.op in (op.INT_DIV, op.MOD) and isinstance(divisor, Lit) and int(divisor.value or 0) > 0:
            by = more[0].sql
            rest = f"((({first.sql}) % {by} + {by}) % {by})"
            return SqlTerm(rest if node.op is op.MOD else f"((({first.sql}) - {rest}) // {by})")
        raise UnansweredError(f"no query says `{node.op}`")

    def _value(self, symbol: Symbol, args: tuple[Node, ...], query: RowQuery) -> SqlTerm:
        """The value of a function: of the row at hand, or of a row that is joined."""
        values = self._theory.values[symbol]
        keys = tuple(self.term(each, query).sql for each in args)
        found = self._of_row(values, keys, query) or self._joined(symbol, values, keys, query)
        if values.sort is DATE:
            return SqlTerm(f"({found} - DATE '1970-01-01')")
        return SqlTerm(found, _PLACES if values.sort is REAL else None)

    def _of_row(self, values: Values, keys: tuple[str, ...], query: RowQuery) -> str | None:
        """The value in a row that a variable stands for already."""
        relation = values.relation
        if relation.source is None or relation.table != relation.source.sql or not keys:
            return None
        alias = keys[0].partition(".")[0]
        if keys != tuple(f"{alias}.{name}" for name in relation.columns):
            return None
        inner: RowQuery | None = query
        while inner is not None:
            origin = inner.origins.get(alias)
            tables = [*inner.tables, *inner.joins]
            if origin is not None and any(f"{relation.table} AS {alias}" in each for each in tables):
                if values.column is not None:
                    origin.columns[values.value] = values.column
                return f"{alias}.{values.value}"
            inner = inner.outer
        return None

    def _joined(self, symbol: Symbol, values: Values, keys: tuple[str, ...], query: RowQuery) -> str:
        used = {alias for key in keys for alias in _ALIAS.findall(key)}
        owner: RowQuery = query
        # A value that depends on what is outside alone is looked up there.
        while owner.outer is not None and not used & owner.aliases:
            owner = owner.outer
        known = owner.looked_up.get((symbol, keys))
        if known is not None:
            return known
        relation = values.relation
        if not used <= owner.aliases:
            self._aliases += 1
            alias = f"v{self._aliases}"
            value = f"any_value({alias}.{values.value})"
            return f"(SELECT {value} FROM {relation.table} AS {alias} WHERE {_equal(alias, relation, keys)})"
        alias = self._alias(owner)
        equal = _equal(alias, relation, keys)
        owner.joins.append(f" LEFT JOIN {relation.table} AS {alias} ON {equal}")
        if relation.source is not None and values.column is not None:
            owner.origins[alias] = RowOrigin(relation.source, {values.value: values.column})
        found = owner.looked_up[symbol, keys] = f"{alias}.{values.value}"
        return found


def _equal(alias: str, relation: TableRelation, keys: Sequence[str]) -> str:
    """That a row of a relation has these values."""
    pairs = zip(relation.columns, keys, strict=True)
    return " AND ".join(f"{alias}.{name} = {key}" for name, key in pairs) or "true"


def _all(parts: Sequence[str]) -> str:
    return f"({' AND '.join(parts)})" if parts else "true"


def _any(parts: Sequence[str]) -> str:
    return f"({' OR '.join(parts)})" if parts else "false"


def _aligned(terms: Sequence[SqlTerm]) -> list[SqlTerm]:
    """The terms with as many decimal places each: DuckDB may round to the fewest."""
    places = max((each.places for each in terms if each.places is not None), default=None)
    if places is None:
        return list(terms)
    return [
        each if each.places == places else SqlTerm(f"CAST({each.sql} AS DECIMAL(38, {places}))", places)
        for each in terms
    ]


def _literal(node: Lit) -> SqlTerm:
    value = node.value
    if node.sort is INT:
        if not -(2**63) <= int(value or 0) < 2**63:
            raise UnansweredError("a number is beyond 64 bits")
        return SqlTerm(f"CAST({value} AS BIGINT)")
    if node.sort is REAL:
        return _decimal(Fraction(value or 0))
    if isinstance(value, str):
        return SqlTerm(quoted(value))
    raise UnansweredError(f"no query has a literal of {node.sort}")


def _decimal(value: Fraction) -> SqlTerm:
    """A number with as few decimal places as it has."""
    for places in range(_MOST_PLACES + 1):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            if len(digits) > 38:
                break
            text = f"{digits[: len(digits) - places]}.{digits[len(digits) - places :]}".rstrip(".")
            sign = "-" if value < 0 else ""
            return SqlTerm(f"CAST('{sign}{text}' AS DECIMAL(38, {places}))", places)
    raise UnansweredError(f"{value} has no finite decimal")
