"""Expressions: names to declarations, sorts checked in both directions, surface nodes to IR nodes.

`visit` returns a node, or None for a part whose error is reported already (None absorbs every
follow-up), or a generator to be driven where the part has parts of its own. The driver keeps the
generators on a list, so that no input is too deep for the host's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import repeat
from types import GeneratorType
from typing import cast

from potlang.diag import Applicability, Fix, Label, Place, Replace, Sink, shorten
from potlang.expressions import surface as s
from potlang.expressions.names import written
from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Symbol, SymbolKind, Var
from potlang.ir.numerals import fraction, natural
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    BitVecSort,
    FunctionSort,
    MeasureSort,
    SetSort,
    Sort,
    is_numeric,
)
from potlang.sema import measures
from potlang.sema.advice import (
    are,
    count,
    declared_here,
    members_help,
    not_numeric,
    report_arguments,
    report_arity,
    set_help,
)
from potlang.sema.builtins import BUILTINS
from potlang.sema.elsewhere import same_as
from potlang.sema.free_numbers import FreeNumbers, FreeUse
from potlang.sema.infix import compare, infix, prefix
from potlang.sema.kept_aggregates import KeptAggregates
from potlang.sema.literals import call_node, literal_node
from potlang.sema.operands import complete
from potlang.sema.scope import FunctionEntry, Scope, TermEntry, VariableEntry, signature
from potlang.sema.sets import set_of
from potlang.sema.sorts import SortTable
from potlang.sema.undeclared import Undeclared
from potlang.sema.unknown_calls import hidden_builtin, is_sort, meant_builtin, misspelt_builtin, unknown_call

Step = Generator["Visit", "Node | None", "Node | None"]
Visit = Node | None | Step
Build = Callable[["Elaborator", s.Call, "Sort | None"], Visit]

_TRUTH = {"True": True, "true": True, "False": False, "false": False}
_SHALLOW = 4
"""Levels that are visited without the driver, on the host's stack."""
_MOST_DIGITS = 10_000


class Elaborator:
    """Elaborates the formulas of one program into one pool."""

    def __init__(self, pool: Pool, scope: Scope, sorts: SortTable, sink: Sink) -> None:
        self.pool = pool
        self.scope = scope
        self.sorts = sorts
        self.sink = sink
        self._depth = 0
        self.pointer = ""
        self.text = ""
        """The string that the current formula was read from, and above its pointer."""
        self.undeclared = Undeclared(sink)
        self.free: dict[str, Symbol] = {}
        """Declared variables that occur free, as unknown constants, in order of first use."""
        self.free_numbers = FreeNumbers()
        self.inferred: dict[str, Sort] = {}
        """Sorts of undeclared decision variables, while the optimization section is elaborated."""
        self.deciding = False
        """Whether free variables are decision variables: in the optimization section."""
        self.near_builtins: dict[str, str | None] = {}
        """Built-in functions that undeclared names are a slip away from."""
        self.hidden: set[str] = set()
        """Declared names that binders hide, as warned of."""
        self.expanded = 0
        """Terms that aggregates have been expanded into, their parts counted."""
        self.closed: frozenset[Sort] = frozenset()
        self.unique: frozenset[Sort] = frozenset()
        """The declared sorts with no members but their constants, and those whose constants differ."""
        self.closures: dict[Symbol, dict[tuple[Node, Node], Node]] = {}
        """Transitive closures of relations, by pairs of members, once each."""
        self.kept: KeptAggregates | None = None
        """Aggregates over sorts whose members are not all known yet; None: all are written out."""
        self.members: Callable[[Sort], list[Node] | None] = lambda sort: None
        """The named members of a finite or declared sort, None where there is no such list."""

    def begin(self, sink: Sink) -> None:
        """Forgets a formula that the limits of a call have ended in its midst, and reports to `sink`."""
        self.sink = sink
        self.expanded = 0
        self._depth = 0
        self.scope.local = {}
        self.scope.unbind()

    # --- driving ---------------------------------------------------------------------------------

    def formula(self, formula: s.Formula | None) -> Node | None:
        """A formula of the program; None where it has an error, which is reported."""
        # Most facts are literals over names: these go straight to the IR. Whatever is unusual about one gives
        # None here, and the ordinary way below reports it.
        if type(formula) is s.FlatLiteral:
            node = literal_node(formula.words, self.scope, self.pool)
            if node is not None:
                return node
        return self.term(formula, BOOL)

    def term(self, formula: s.Formula | None, expected: Sort | None) -> Node | None:
        """A term, checked against `expected` where that is given."""
        root = None if formula is None else formula.root
        if formula is None or root is None:
            return None
        self.pointer, self.text = formula.pointer, formula.text
        return self.fit(self.run(self.visit(root, expected)), expected, root)

    def number(self, formula: s.Formula) -> Node | None:
        """A term to minimize or maximize: an Int, a Real or a bit vector."""
        node = self.term(formula, None)
        if node is not None and formula.root is not None and not _is_measured(node.sort):
            not_numeric(self, formula.root, "objective", node)
            return None
        return node

    def run(self, visit: Visit) -> Node | None:
        """Drives a visit to its end."""
        if not isinstance(visit, GeneratorType):
            return cast("Node | None", visit)
        stack: list[Step] = [visit]
        value: Node | None = None
        while stack:
            try:
                part = stack[-1].send(value)
            except StopIteration as stop:
                stack.pop()
                value = stop.value
                continue
            # A visit that is a value already costs no frame: only nested visits are driven from the list.
            if isinstance(part, GeneratorType):
                stack.append(part)
                value = None
            else:
                value = cast("Node | None", part)
        return value

    def visit(self, expr: s.Expr, expected: Sort | None) -> Visit:
        """Elaborates `expr`; `expected` guides literals and messages, `fit` enforces it."""
        return _VISITORS[type(expr)](self, expr, expected)

    def gather(
        self,
        exprs: Iterable[s.Expr],
        sorts: Iterable[Sort | None],
        finish: Callable[[list[Node | None]], Node | None],
        nodes: list[Node | None] | None = None,
    ) -> Visit:
        """`finish` of the visited `exprs`; at once where they are shallow, as most are.

        `sorts` are what is expected, taken one by one; those of later ones may look at `nodes`, which
        holds what was found so far.
        """
        found: list[Node | None] = [] if nodes is None else nodes
        pairs = zip(exprs, sorts, strict=False)
        # The host's stack serves a few levels, which is faster than generators; deeper ones are driven by
        # `run`, so that no nesting of the input can exhaust it.
        if self._depth >= _SHALLOW:
            return self._gather_rest(pairs, finish, found, None)
        self._depth += 1
        for expr, sort in pairs:
            visit = _VISITORS[type(expr)](self, expr, sort)
            # The rest of this list moves to a generator too: its elements must keep their order.
            if type(visit) is GeneratorType:
                self._depth -= 1
                return self._gather_rest(pairs, finish, found, visit)
            found.append(visit)  # type: ignore[arg-type]
        self._depth -= 1
        return finish(found)

    def _gather_rest(
        self,
        pairs: Iterator[tuple[s.Expr, Sort | None]],
        finish: Callable[[list[Node | None]], Node | None],
        found: list[Node | None],
        visit: Step | None,
    ) -> Step:
        if visit is not None:
            found.append((yield visit))
        for expr, sort in pairs:
            found.append((yield self.visit(expr, sort)))
        return finish(found)

    def gather_all(
        self,
        exprs: Sequence[s.Expr],
        sorts: Iterable[Sort | None],
        finish: Callable[[list[Node]], Node | None],
    ) -> Visit:
        """`finish` of all of `exprs`; None if any is in error."""

        def finish_all(found: list[Node | None]) -> Node | None:
            nodes = complete(found)
            return None if nodes is None else finish(nodes)

        return self.gather(exprs, sorts, finish_all)

    def gather_fitted(
        self,
        exprs: Sequence[s.Expr],
        sorts: Sequence[Sort | None],
        finish: Callable[[list[Node]], Node | None],
    ) -> Visit:
        """`finish` of all of `exprs` as terms of `sorts` (None: of any); None if any is in error."""

        def fit_all(found: list[Node | None]) -> Node | None:
            # In a list first: each error is reported, not the first alone.
            fitted = [
                self.fit(node, sort, expr) for node, sort, expr in zip(found, sorts, exprs, strict=True)
            ]
            nodes = complete(fitted)
            return None if nodes is None else finish(nodes)

        return self.gather(exprs, sorts, fit_all)

    # --- reporting -------------------------------------------------------------------------------

    def place(self, expr: s.Expr) -> Place:
        """Where an expression of the current formula stands."""
        return Place(self.pointer, (expr.start, expr.end))

    def report(self, code: str, expr: s.Expr, **details: object) -> None:
        """Reports at an expression of the current formula, with the severity of the code."""
        report: Callable[..., None] = self.sink.report
        report(code, self.place(expr), **details)

    def text_of(self, expr: s.Expr) -> str:
        """An expression of the current formula as it is written."""
        return self.text[expr.start : expr.end]

    def _edit(self, start: int, end: int, text: str = "") -> Replace:
        return Replace(self.pointer, start, end, text)

    def replace(self, expr: s.Expr, text: str, title: str, safe: bool = False) -> Fix:
        """A fix that writes `text` for `expr`."""
        applicability = Applicability.SAFE if safe else Applicability.UNSAFE
        return Fix(title, applicability, (Replace(self.pointer, expr.start, expr.end, text),))

    # --- sorts -----------------------------------------------------------------------------------

    def fit(self, node: Node | None, expected: Sort | None, expr: s.Expr) -> Node | None:
        """`node` as a term of `expected`: itself, with `to_real` where an Int meets a Real, or an error."""
        # None absorbs: the error below is reported, and no follow-up is ([DIAG-LIST-2]).
        if node is None or expected is None or node.sort is expected or node.sort == expected:
            return node
        if expected is REAL and node.sort is INT:
            return self.to_real(node)
        if expected is BOOL:
            self._not_a_formula(node, expr)
            return None
        if type(expected) is MeasureSort or type(node.sort) is MeasureSort:
            return measures.fitted(self, node, expected, expr)
        self.report(
            "POT3001",
            expr,
            expected=expected,
            found=node.sort,
            primary=f"this is of sort {node.sort}",
            helps=set_help(node.sort, expected) or members_help(self, expected),
        )
        return None

    def _not_a_formula(self, node: Node, expr: s.Expr) -> None:
        helps = [f"compare it with a term of sort {node.sort}: `{shorten(self.text_of(expr), 40)} == …`"]
        labels: list[Label] = []
        if isinstance(node, App) and isinstance(node.op, Symbol) and node.op.kind is SymbolKind.FUNCTION:
            labels = declared_here(self, node.op)
            helps.append(f'if `{node.op.name}` is a predicate, its range is "Bool"')
        helps = set_help(node.sort, BOOL) + helps
        primary = f"a term of sort {node.sort} is neither true nor false"
        self.report("POT3006", expr, found=node.sort, primary=primary, labels=labels, helps=helps)

    def to_real(self, node: Node) -> Node:
        """An Int term as a Real one; literals are converted at once."""
        if isinstance(node, Lit):
            assert isinstance(node.value, int)
            return self.pool.real(Fraction(node.value))
        return self.pool.app(op.TO_REAL, (node,))

    # --- leaves ----------------------------------------------------------------------------------

    def _name(self, expr: s.Name, expected: Sort | None) -> Node | None:
        name = expr.id
        entry = self.scope.meaning(name)
        match entry:
            case TermEntry():
                return entry.node
            case Var():
                return entry
            # A binder whose sort is in error: its uses say nothing new, but their sort may help the fix.
            case None if self.scope.bound(name)[0]:
                self.undeclared.hint(name, expected)
                return None
            case VariableEntry():
                return self._free_variable(entry, expr)
            case FunctionEntry():
                return self._bare_function(entry, expr)
            case None:
                return self._unknown_name(expr, expected)

    def _unknown_name(self, expr: s.Name, expected: Sort | None) -> Node | None:
        truth = _TRUTH.get(expr.id)
        if truth is not None:
            return self.pool.truth(truth)
        sort = self.inferred.get(expr.id)
        if expr.id == "EmptySet" and sort is None:
            return self._empty_set(expr, expected)
        if sort is not None:
            return self.pool.sym(self._free_symbol(expr.id, sort))
        if is_sort(self, expr):
            meant = f"a sort is no term and no set: a variable gets it in its binder, `[x: {expr.id}]`"
            self.undeclared.operator(expr.id, self.place(expr), meant)
            return None
        # The halves of an `implies` are under the binders of their rule, which stand elsewhere.
        half = self.pointer.endswith(("/antecedent", "/consequent"))
        length = None if half or self.deciding else len(self.text)
        self.undeclared.term(expr.id, self.place(expr), expected, self.scope.names()[:50], length)
        return None

    def _empty_set(self, expr: s.Name, expected: Sort | None) -> Node | None:
        if isinstance(expected, SetSort):
            return self.pool.lit(None, expected)
        helps = ["write it where a set is required, behind the other side: `S == EmptySet`, or `IsEmpty(S)`"]
        self.report("POT3001", expr, expected=expected or "another term", found="the empty set", helps=helps)
        return None

    def _free_variable(self, entry: VariableEntry, expr: s.Name) -> Node | None:
        if entry.sort is None:
            return None
        if entry.name in self.free_numbers:
            self.free_numbers.again(entry.name, self.pointer)
        # Reported at the first use only; decision variables are free on purpose.
        elif entry.name not in self.free and not self.deciding:
            use = FreeUse(entry, self.place(expr), self._quantified(entry.name))
            if is_numeric(entry.sort):
                self.free_numbers.first(use)
            else:
                use.report(self.sink)
        return self.pool.sym(self._free_symbol(entry.name, entry.sort))

    def _quantified(self, name: str) -> list[Fix]:
        """The whole formula under a quantifier; a half of an implication is not the whole."""
        if self.pointer.endswith(("/antecedent", "/consequent")):
            return []
        end = len(self.text)
        edits = (self._edit(0, 0, f"ForAll([{written(name)}], "), self._edit(end, end, ")"))
        return [Fix(f"write `ForAll([{name}], …)` around it", Applicability.UNSAFE, edits)]

    def _free_symbol(self, name: str, sort: Sort) -> Symbol:
        symbol = self.free.get(name)
        if symbol is None:
            symbol = self.free[name] = Symbol(name, (), sort, SymbolKind.FREE)
        return symbol

    def _bare_function(self, entry: FunctionEntry, expr: s.Name) -> Node | None:
        symbol = entry.symbol
        if symbol is None:
            return None
        if not symbol.domain:
            return self.pool.sym(symbol)
        placeholders = ", ".join(str(sort) for sort in symbol.domain)
        self.report(
            "POT2010",
            expr,
            name=entry.name,
            labels=[Label(entry.place, f"{signature(symbol)} is declared here")],
            helps=[f"write `{written(entry.name)}({placeholders})` with terms of these sorts"],
        )
        return None

    def _number(self, expr: s.Number, expected: Sort | None) -> Node | None:
        text = expr.text
        # Before conversion: Python's own limit on digits raises, and long conversions take quadratic time.
        if len(text) > _MOST_DIGITS:
            self.report("POT0004", expr, digits=len(text), limit=_MOST_DIGITS)
            return None
        if text.isdigit():
            number = natural(text)
            return self.pool.real(number) if expected is REAL else self.pool.integer(number)
        value = fraction(text, _MOST_DIGITS)
        if value is None:
            self.report("POT0004", expr, digits=text, limit=_MOST_DIGITS)
            return None
        return self.pool.real(value)

    def _text(self, expr: s.StringLiteral, expected: Sort | None) -> Node | None:
        if expected is BOOL and expr.value in _TRUTH:
            return self.pool.truth(_TRUTH[expr.value])
        if type(expected) is MeasureSort and measures.is_date(expr.value):
            return measures.date_literal(self, expr.value, expr)
        return self.pool.lit(expr.value, STRING)

    def _bits(self, expr: s.BitVecLiteral, expected: Sort | None) -> Node | None:
        digits, base = expr.text[2:], 2 if expr.text[1] in "bB" else 16
        width = len(digits) * (1 if base == 2 else 4)
        return self.pool.lit(int(digits, base), BitVecSort(width))

    def _date(self, expr: s.DateLiteral, expected: Sort | None) -> Node | None:
        self.sorts.measured = True
        return measures.date_literal(self, expr.text, expr)

    def _amount(self, expr: s.Amount, expected: Sort | None) -> Node | None:
        self.sorts.measured = True
        return measures.amount(self, expr, expected)

    def _misplaced_binding(self, expr: s.Binding, expected: Sort | None) -> None:
        self.report(
            "POT1020",
            expr,
            problem=f"`{expr.name.id}: {expr.sort.name}` declares a variable, which only a quantifier can do",
            helps=["write it in the list of ForAll, Exists, Sum or Count"],
        )

    def _list(self, expr: s.ListOf, expected: Sort | None) -> Visit:
        if isinstance(expected, SetSort):
            return self.gather_fitted(
                expr.items,
                [expected.element] * len(expr.items),
                lambda nodes: set_of(self.pool, expected, nodes),
            )
        self.report(
            "POT1020",
            expr,
            problem="a list is not a term",
            helps=[
                "lists are for the variables of a quantifier, after `in`, and as sets where a set is expected"
            ],
        )
        return None

    # --- applications ----------------------------------------------------------------------------

    def _call(self, expr: s.Call, expected: Sort | None) -> Visit:
        head = expr.head
        # `f(x)(y)`, `Select(a, i)(y)`: the head is a value of a function sort.
        if type(head) is not s.Name:
            uncurried = self._uncurried(expr)
            return self._apply_value(expr) if uncurried is None else self._call(uncurried, expected)
        entry = self.scope.meaning(head.id)
        if type(entry) is FunctionEntry:
            return self._application(expr, entry, expected)
        # A constant or variable of function sort may have a built-in's name: the program's own name wins.
        if self.scope.callable(head.id):
            return self._apply_value(expr)
        builtin = BUILTINS.get(head.id)
        if builtin is not None:
            return builtin(self, expr, expected)
        meant = meant_builtin(self, expr, head.id)
        if meant is not None:
            return misspelt_builtin(self, expr, head, meant, expected)
        return unknown_call(self, expr, head, expected)

    def _uncurried(self, expr: s.Call) -> s.Call | None:
        """`TransitiveClosure(r)(a, b)` as `Reachable(r, a, b)`."""
        match expr.head:
            case s.Call(head=s.Name(id=name), args=[relation]) if not self.scope.callable(name):
                meant = name if name in BUILTINS else same_as(name)
                if meant is None or BUILTINS[meant] is not BUILTINS["Reachable"]:
                    return None
                head = s.Name("Reachable", expr.head.start, expr.head.end)
                return s.Call(head, [relation, *expr.args], expr.start, expr.end)
        return None

    def _flat_call(self, expr: s.FlatCall, expected: Sort | None) -> Visit:
        return call_node(expr.name, expr.names, self.scope, self.pool) or self._call(expr, expected)

    def _builtin_call(self, expr: s.BuiltinCall, expected: Sort | None) -> Visit:
        assert isinstance(expr.head, s.Name)
        return BUILTINS[expr.head.id](self, expr, expected)

    def _quoted(self, expr: s.Quoted, expected: Sort | None) -> Step:
        """Its parts are at places of their own string; it itself is at one of the formula around it."""
        around = self.pointer, self.text
        self.pointer, self.text = expr.pointer, expr.text
        node = yield self.visit(expr.root, expected)
        self.pointer, self.text = around
        return node

    def _application(self, expr: s.Call, entry: FunctionEntry, expected: Sort | None) -> Visit:
        symbol = entry.symbol
        args = expr.args
        if symbol is None:
            return self._discard(expr)
        if len(args) != len(symbol.domain):
            return self.gather(
                args, repeat(None), lambda nodes: report_arity(self, expr, entry, symbol, nodes, expected)
            )
        return self.gather(args, symbol.domain, lambda nodes: self._applied(expr, symbol, nodes))

    def _applied(self, expr: s.Call, symbol: Symbol, nodes: list[Node | None]) -> Node | None:
        args: list[Node] = []
        wrong: list[int] = []
        for position, (node, sort) in enumerate(zip(nodes, symbol.domain, strict=True)):
            if node is None:
                continue
            if node.sort is sort or node.sort == sort:
                args.append(node)
            elif sort is REAL and node.sort is INT:
                args.append(self.to_real(node))
            elif type(sort) is MeasureSort or type(node.sort) is MeasureSort:
                fitted = self.fit(node, sort, expr.args[position])
                args += [] if fitted is None else [fitted]
            else:
                wrong.append(position)
        if wrong:
            hidden = None if self.sink.is_full else hidden_builtin(symbol.name)
            report_arguments(self, expr, symbol, nodes, wrong, hidden)
        if len(args) < len(nodes):
            return None
        return self.pool.app(symbol, tuple(args)) if args else self.pool.sym(symbol)

    def _discard(self, expr: s.Call) -> Visit:
        """Visits the arguments for their own errors; the head's is reported already."""
        return self.gather(expr.args, repeat(None), lambda nodes: None)

    def _apply_value(self, expr: s.Call) -> Step:
        """`f(x)` where `f` is a term of a function sort, a constant, a variable or another application."""
        function = yield self.visit(expr.head, None)
        if function is None:
            return (yield self._discard(expr))
        sort = function.sort
        if not isinstance(sort, FunctionSort):
            name = expr.head.id if isinstance(expr.head, s.Name) else "this"
            self.report("POT2007", expr.head, name=name, kind=f"a term of sort {sort}")
            return (yield self._discard(expr))
        if len(expr.args) != len(sort.domain):
            wanted, found = count(len(sort.domain), "argument"), len(expr.args)
            name = expr.head.id if isinstance(expr.head, s.Name) else str(sort)
            self.report("POT3002", expr, name=name, expected=wanted, found=are(found))
            return (yield self._discard(expr))
        return (
            yield self.gather_fitted(
                expr.args, sort.domain, lambda nodes: self.pool.app(op.APPLY, (function, *nodes))
            )
        )


def _is_measured(sort: Sort) -> bool:
    return is_numeric(sort) or isinstance(sort, BitVecSort | MeasureSort)


_VISITORS: dict[type, Callable[..., Visit]] = {
    s.Name: Elaborator._name,
    s.Number: Elaborator._number,
    s.StringLiteral: Elaborator._text,
    s.BitVecLiteral: Elaborator._bits,
    s.DateLiteral: Elaborator._date,
    s.Amount: Elaborator._amount,
    s.Call: Elaborator._call,
    s.FlatCall: Elaborator._flat_call,
    s.BuiltinCall: Elaborator._builtin_call,
    s.Quoted: Elaborator._quoted,
    s.ListOf: Elaborator._list,
    s.Binding: Elaborator._misplaced_binding,
    s.Infix: infix,
    s.Prefix: prefix,
    s.Compare: compare,
}
