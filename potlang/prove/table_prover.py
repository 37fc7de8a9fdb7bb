"""Verdicts of a program with large tables, by queries of DuckDB ([SRC-LARGE])."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from potlang.expressions.names import written
from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node, Quant, Var
from potlang.ir.sorts import DeclaredSort, EnumSort
from potlang.report.results import (
    AskedQuestion,
    Bindings,
    CheckRecord,
    Consistency,
    Evidence,
    IndependentCheck,
    Interrupted,
    Limits,
    OptimizationResult,
    OptimizationStatus,
    ProgramResult,
    Result,
    TableRow,
    TableRows,
    Verdict,
    Witness,
    overall,
)
from potlang.tables.bound import LoadedTables, SourceColumn
from potlang.tables.derive import derive
from potlang.tables.facts import member_name
from potlang.tables.queries import QueryWriter, RowQuery, Sense
from potlang.tables.theory import TableTheory, UnansweredError
from potlang.utils.deadline import OutOfFuel, within

SHOWN: Final = 20
"""Rows that are listed; the rest is counted."""
ROUTE: Final = "tables"
_COMPLETIONS: Final = (Sense(True, "least"), Sense(True, "greatest"))


class _ModelsFound(NamedTuple):
    """Whether the assumptions, a claim with them, and its denial with them have models; None: not known."""

    claim: bool | None
    denial: bool | None
    rows: TableRows | None = None
    reason: str = ""


class TableProver:
    """Answers as `Prover` does, over a module whose facts are in tables. A context manager of nothing."""

    was_cut_short = False

    def __init__(self, module: Module, loaded: LoadedTables, closed: frozenset[str], limits: Limits) -> None:
        self.module = module
        self.limits = limits
        self._loaded = loaded
        self._closed = closed
        self._stack: list[tuple[Assertion, ...]] = []
        self._theory = TableTheory(module, loaded, closed)
        self._consistent: bool | None = None
        self._is_ready = False
        self._doubts: list[str] = []

    def close(self) -> None:
        """Free what was derived; the program keeps its database."""
        with within(None):
            self._theory.close()

    def push(self, assertions: Iterable[Assertion]) -> None:
        """As of `Prover`."""
        self._stack.append(tuple(assertions))
        self._begin()

    def pop(self) -> None:
        """As of `Prover`."""
        self._stack.pop()
        self._begin()

    def _begin(self) -> None:
        """Begins again with the assumptions as they are."""
        self._theory.close()
        assumed = (*self.module.assertions, *(each for more in self._stack for each in more))
        self._theory = TableTheory(replace(self.module, assertions=assumed), self._loaded, self._closed)
        self._consistent, self._is_ready, self._doubts = None, False, []

    def certificate(self) -> str | None:
        """None: no certificate has millions of facts."""
        return None

    def report(self) -> ProgramResult:
        """As of `Prover`."""
        began = time.perf_counter()
        asked = "verify" in self.module.actions
        results: tuple[Result, ...] = ()
        interruption: KeyboardInterrupt | None = None
        try:
            results = self.verify() if asked else ()
        except Interrupted as error:
            interruption, results = error, error.known
        optimization = None
        problem = self.module.optimization
        if problem is not None and "optimize" in self.module.actions:
            detail = "no optimum is looked for over large tables"
            optimization = OptimizationResult(
                OptimizationStatus.UNKNOWN,
                problem.mode,
                reason="unsupported",
                detail=detail,
                pointer=problem.origin.pointer,
            )
        consistency = {
            True: Consistency.CONSISTENT,
            False: Consistency.INCONSISTENT,
            None: Consistency.UNKNOWN,
        }
        found = consistency[self._consistent] if results else None
        notes = [] if results or optimization is not None else ["the program asks nothing"]
        if any(each.evidence.rows is not None or each.route == ROUTE for each in results):
            rows = f"{self._theory.loaded.rows:,} rows"
            notes.append(
                f"answered by queries over {rows}: all rests on DuckDB's word, and has no certificate"
            )
        report = ProgramResult(
            overall(results, optimization, found),
            results,
            optimization,
            found,
            notes=tuple(notes),
            limits=self.limits,
            time_ms=(time.perf_counter() - began) * 1000,
        )
        if interruption is not None:
            raise Interrupted(report) from interruption
        return report

    def verify(
        self, claims: Sequence[Claim] | None = None, norms: Sequence[Claim] | None = None
    ) -> tuple[Result, ...]:
        """As of `Prover`."""
        own = claims is None and norms is None
        asked = [(each, "verification") for each in (self.module.claims if own else claims or ())]
        asked += [(each, "norm") for each in (self.module.norms if own else norms or ())]
        results: list[Result] = []
        try:
            with within(self.limits.total_ms):
                for claim, kind in asked:
                    results.append(self._result(claim, kind))
        except KeyboardInterrupt as error:
            left = [self._unknown(claim, kind, "interrupted") for claim, kind in asked[len(results) :]]
            raise Interrupted((*results, *left)) from error
        return tuple(results)

    # --- one claim ---------------------------------------------------------------------------------------

    def _result(self, claim: Claim, kind: str) -> Result:
        began = time.perf_counter()
        reason, detail = None, ""
        found = _ModelsFound(None, None)
        try:
            self._prepare()
            # From contradictory assumptions everything follows.
            with within(self.limits.check_ms):
                found = _ModelsFound(False, False) if self._consistent is False else self._asked(claim)
        except UnansweredError as error:
            reason, detail = "unsupported", str(error)
        except RecursionError:
            reason, detail = "unsupported", "a formula is nested too deeply for a query"
        except OutOfFuel:
            reason = "timeout"
        except self._theory.database.memory_error:
            reason = "memory"
        except self._theory.database.error as error:
            reason, detail = "error", str(error).partition("\n")[0]
        possible = _states(self._consistent, found)
        verdict = possible[0] if len(possible) == 1 else Verdict.UNKNOWN
        if verdict is Verdict.UNKNOWN and reason is None:
            reason, detail = "incomplete", found.reason or "; ".join(self._doubts[:3])
        question = claim.question
        time_ms = (time.perf_counter() - began) * 1000
        status = {True: "sat", False: "unsat", None: "unknown"}
        checks = (
            CheckRecord("claim", ROUTE, status[found.claim], reason, detail, time_ms),
            CheckRecord("negation", ROUTE, status[found.denial], reason, detail, 0.0),
        )
        return Result(
            claim.name,
            claim.origin.pointer,
            verdict,
            {True: "SAT", False: "UNSAT", None: None}[found.claim],
            kind,
            reason if verdict is Verdict.UNKNOWN else None,
            tuple(possible) if verdict is Verdict.UNKNOWN else (),
            ROUTE,
            "solver",
            self._evidence(claim, kind, verdict, found),
            checks if verdict is Verdict.UNKNOWN else (),
            () if verdict is Verdict.UNKNOWN else tuple(_assurances(found)),
            None,
            time_ms,
            claim.ask,
            question and AskedQuestion(question.name, question.origin.pointer),
        )

    def _unknown(self, claim: Claim, kind: str, reason: str) -> Result:
        question = claim.question
        return Result(
            claim.name,
            claim.origin.pointer,
            Verdict.UNKNOWN,
            kind=kind,
            reason=reason,
            possible=tuple(_states(self._consistent, _ModelsFound(None, None))),
            route=ROUTE,
            ask=claim.ask,
            question=question and AskedQuestion(question.name, question.origin.pointer),
        )

    def _evidence(self, claim: Claim, kind: str, verdict: Verdict, found: _ModelsFound) -> Evidence:
        rows = found.rows
        if rows is None:
            return Evidence()
        bindings = tuple(row.binding for row in rows.shown)
        if claim.find:
            return Evidence(bindings=Bindings(bindings, cut=rows.total - len(bindings)), rows=rows)
        if kind == "norm" and verdict is not Verdict.ENTAILED:
            return Evidence(violations=Bindings(bindings), rows=rows, witness=Witness(bindings[:1]))
        return Evidence(rows=rows, witness=Witness(bindings[:1]) if bindings and bindings[0] else None)

    def _asked(self, claim: Claim) -> _ModelsFound:
        """The knowledge of a claim, with the rows that make it true or false."""
        formula = self._theory.unfolded(claim.formula)
        if claim.find:
            # The claim is that something fits.
            return self._exists(claim.find, formula, True)
        if isinstance(formula, Quant):
            found = self._exists(*_stripped(formula), formula.kind == "exists")
            return (
                found if formula.kind == "exists" else found._replace(claim=found.denial, denial=found.claim)
            )
        return self._plain(formula)

    def _exists(self, variables: tuple[Var, ...], body: Node, wanted: bool) -> _ModelsFound:
        """That values of the variables make a formula true, or false: `claim` says whether there are any."""
        rows = self._rows(variables, body, wanted)
        if rows.total:
            return _ModelsFound(self._consistent, False, rows)
        if not self._any(Sense(False), variables, body, wanted):
            return _ModelsFound(False, self._consistent)
        quantified = self.module.pool.quant("exists" if wanted else "forall", variables, body)
        return self._open(quantified, wanted)

    def _plain(self, formula: Node) -> _ModelsFound:
        for wanted in (True, False):
            truth, query = QueryWriter(self._theory).holds(formula, wanted, Sense())
            at = "".join(f", {alias}.rowid" for alias in query.origins)
            ((value, *numbers),) = self._theory.database.rows(f"SELECT {truth}{at} {query.body()}")
            if value:
                where = _where(query, numbers)
                rows = TableRows(1, (TableRow({}, where),)) if where else None
                known = self._consistent
                return _ModelsFound(known, False, rows) if wanted else _ModelsFound(False, known, rows)
        return self._open(formula, True)

    def _open(self, formula: Node, wanted: bool) -> _ModelsFound:
        """A formula that what is known leaves open: models in which it holds, and fails, are looked for."""
        holds = fails = None
        for sense in _COMPLETIONS:
            if not self._is_model(sense):
                continue
            self._consistent = True
            holds = holds or self._truth(formula, wanted, sense) or None
            fails = fails or self._truth(formula, not wanted, sense) or None
        return _ModelsFound(holds, fails, None, "what no row says may make it true or false")

    # --- queries -----------------------------------------------------------------------------------------

    def _truth(self, formula: Node, wanted: bool, sense: Sense) -> bool:
        truth, query = QueryWriter(self._theory).holds(formula, wanted, sense)
        return bool(self._theory.database.rows(f"SELECT {truth} {query.body()}")[0][0])

    def _any(self, sense: Sense, variables: tuple[Var, ...], body: Node, wanted: bool) -> bool:
        query = QueryWriter(self._theory).satisfying(sense, variables, [(body, wanted)])
        return bool(self._theory.database.rows(f"SELECT 1 {query.body()} LIMIT 1"))

    def _rows(self, variables: tuple[Var, ...], body: Node, wanted: bool) -> TableRows:
        """The bindings that are certain to make a formula true, or false: some of them, and how many."""
        query = QueryWriter(self._theory).satisfying(Sense(), variables, [(body, wanted)])
        values = [query.env[var] for var in variables]
        listed = ", ".join(values)
        text = query.body()
        if query.projects:
            count = self._theory.database.number(f"SELECT count(*) FROM (SELECT DISTINCT {listed} {text})")
        else:
            count = self._theory.database.number(f"SELECT count(*) {text}")
        if not count:
            return TableRows(0)
        at = "".join(f", {alias}.rowid" for alias in query.origins)
        order = ", ".join(f"{alias}.rowid" for alias in query.origins) or listed
        rows = self._theory.database.rows(f"SELECT {listed}{at} {text} ORDER BY {order} LIMIT {SHOWN}")
        shown: dict[tuple[object, ...], TableRow] = {}
        for row in rows:
            key = row[: len(values)]
            binding = {var.name: self._said(var, value) for var, value in zip(variables, key, strict=True)}
            shown.setdefault(key, TableRow(binding, _where(query, row[len(values) :])))
        return TableRows(count, tuple(shown.values()))

    def _said(self, var: Var, value: object) -> str:
        """A value as the program would write it."""
        if isinstance(var.sort, DeclaredSort) and self._theory.loaded.bound(var.sort) is not None:
            named = {each.name for each in self.module.constants(var.sort)}
            text = str(value)
            return written(text if text in named else member_name(var.sort, text))
        return written(str(value)) if isinstance(var.sort, EnumSort | DeclaredSort) else str(value)

    # --- the assumptions ---------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Derives what follows from the rules, and finds out whether the assumptions have a model."""
        if self._is_ready:
            return
        theory = self._theory
        self._doubts = [*derive(theory), *theory.doubts]
        self._is_ready = True
        for symbol, false in theory.false.items():
            # The rows themselves give no key two values.
            true = theory.true.get(symbol) if symbol in theory.rules else None
            if true is not None:
                names = " AND ".join(
                    f"a.{x} = b.{y}" for x, y in zip(true.columns, false.columns, strict=True)
                )
                both = f"SELECT 1 FROM {true.table} AS a, {false.table} AS b WHERE {names or 'true'} LIMIT 1"
                if theory.database.rows(both):
                    self._consistent = False
                    return
        left = []
        for assertion in theory.constraints:
            formula = theory.unfolded(assertion.formula)
            if self._truth(formula, False, Sense()):
                self._consistent = False
                return
            if not self._truth(formula, True, Sense()):
                left.append(assertion)
        if self._doubts:
            return
        if not left and not any(head in theory.false or head in theory.closed for head in theory.rules):
            # What is open of predicates may be true: then all rules hold.
            self._consistent = True
        elif any(map(self._is_model, _COMPLETIONS)):
            self._consistent = True

    def _is_model(self, sense: Sense) -> bool:
        """Whether all assumptions hold in a completion, as far as functions have values."""
        if self._doubts:
            return False
        return all(
            self._truth(self._theory.unfolded(each.formula), True, sense)
            for each in self._theory.module.assertions
        )


def _stripped(formula: Quant) -> tuple[tuple[Var, ...], Node]:
    """The variables of a quantifier and of those of its kind right behind it, and what is behind these."""
    variables, body = formula.binders, formula.body
    while isinstance(body, Quant) and body.kind == formula.kind and not set(variables) & set(body.binders):
        variables, body = (*variables, *body.binders), body.body
    return variables, body


def _where(query: RowQuery, numbers: Sequence[int | None]) -> tuple[str, ...]:
    """The places of the rows of a query's tables, with the columns that it uses."""
    found: dict[str, None] = {}
    for origin, number in zip(query.origins.values(), numbers, strict=True):
        columns: list[SourceColumn | None] = [*origin.columns.values()] or [None]
        if number is not None:
            found.update(dict.fromkeys(origin.table.place(number, column) for column in columns))
    # A row by itself says nothing beside a column of it.
    return tuple([each for each in found if not any(other.startswith(f"{each}, ") for other in found)])


def _states(theory: bool | None, found: _ModelsFound) -> list[Verdict]:
    """The verdicts that what is known leaves ([VERDICT-STATE])."""
    states = {
        Verdict.ENTAILED: (True, True, False),
        Verdict.REFUTED: (True, False, True),
        Verdict.UNDETERMINED: (True, True, True),
        Verdict.INCONSISTENT: (False, False, False),
    }
    known = (theory, found.claim, found.denial)
    return [
        verdict
        for verdict, state in states.items()
        if all(a is None or a == b for a, b in zip(known, state, strict=True))
    ]


def _assurances(found: _ModelsFound) -> list[IndependentCheck]:
    note = "a query over the tables says so, and nothing has checked it"
    named = (("claim", found.claim), ("negation", found.denial))
    return [
        IndependentCheck(query, "sat" if has_model else "unsat", "solver", "duckdb", note)
        for query, has_model in named
        if has_model is not None
    ]
