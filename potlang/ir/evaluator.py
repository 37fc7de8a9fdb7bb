"""The reference meaning: the value of a term or formula in a structure, exactly.

Connectives are Kleene's: a part without a value matters only if the other parts do not decide. The
walk keeps its own stack, and shared nodes are computed once for each binding of their variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

from potlang.ir import operators as op
from potlang.ir import values
from potlang.ir.fold import value_of, within_bounds
from potlang.ir.guards import Binding, Guards
from potlang.ir.module import Definition
from potlang.ir.nodes import (
    App,
    Lit,
    Node,
    Quant,
    Sym,
    Symbol,
    SymbolKind,
    Var,
    children,
    free_by_parts,
    reachable,
)
from potlang.ir.ranges import TRIED, BinderLimits, NumberRanges, range_by
from potlang.ir.sorts import INT, REAL, STRING, ArraySort, FunctionSort, SetSort, Sort, TupleSort
from potlang.ir.structure import (
    FunctionTable,
    NotEvaluable,
    Structure,
    canonical,
    lookup,
    members,
)
from potlang.utils.deadline import Deadline

MOST_REMEMBERED = 1 << 19
"""Values of open nodes kept at a time."""
_PERIOD = 1 << 10

_LAZY = frozenset({op.AND, op.OR, op.IMPLIES})
_DECIDES: Mapping[tuple[op.Operator | Symbol, int], bool] = {
    (op.AND, 0): False,
    (op.OR, 0): True,
    (op.IMPLIES, 0): False,
    (op.IMPLIES, 1): True,
}
"""The value of an argument that decides, by operator and, for `=>`, place."""
_TABLES = (ArraySort, SetSort, FunctionSort)
_Failure = NotEvaluable | values.Unspecified
_PENDING = object()


def evaluate(
    node: Node,
    structure: Structure,
    env: Mapping[Var, object] | Iterable[tuple[Var, object]] = (),
    most_steps: int = 50_000_000,
) -> object:
    """The value of `node` with its free variables as `env` says.

    Raises `NotEvaluable` where infinitely many values of a quantifier matter or a meaning is missing, and
    `values.Unspecified` for division by zero, each unless the rest of the formula decides. After
    `most_steps` computed parts, `OutOfSteps` in any case.
    """
    return Evaluator(structure, most_steps).value(node, env)


class OutOfSteps(NotEvaluable):
    """The computation was given up: it took too many steps, or too long."""


class Survey:
    """Facts about the nodes of one pool that evaluating needs, whatever they mean: found out once."""

    def __init__(self) -> None:
        self.free: dict[int, tuple[Var, ...]] = {}
        self.shared: set[int] = set()
        """The nodes that can be met more than once: their values are worth remembering."""
        self._roots: set[int] = set()

    def take(self, root: Node) -> None:
        """Find the free variables of each node of a formula, and the nodes that occur more than once."""
        if root.id in self._roots:
            return
        self._roots.add(root.id)
        free: dict[int, frozenset[Var]] = {}
        seen: set[int] = {root.id}
        for node in reachable(root):
            for child in children(node):
                # Remembered is only what can be met twice: shared nodes, and quantifiers, which a binder
                # around them enters once for each binding.
                if child.id in seen or isinstance(child, Quant):
                    self.shared.add(child.id)
                seen.add(child.id)
            below = free_by_parts(node, free)
            free[node.id] = below
            if node.id not in self.free:
                self.free[node.id] = tuple(sorted(below, key=lambda var: var.id)) if below else ()


class Evaluator:
    """Values in one structure, of nodes of one pool; what several of them need is computed once.

    All calls together have `most_steps`, and end at `deadline`. Evaluators of one pool may have one `survey`.
    """

    def __init__(
        self,
        structure: Structure,
        most_steps: int = 50_000_000,
        deadline: Deadline | None = None,
        survey: Survey | None = None,
    ) -> None:
        self._evaluation = _Evaluation(structure, most_steps, deadline or Deadline(inf), survey or Survey())

    def value(self, node: Node, env: Mapping[Var, object] | Iterable[tuple[Var, object]] = ()) -> object:
        """As `evaluate`."""
        value = self._evaluation.run(node, dict(env))
        if isinstance(value, _Failure):
            raise value
        return value


class _EvaluationFrame:
    """A node under way: the values of its parts so far, and for a quantifier its bindings to come."""

    __slots__ = ("bindings", "failure", "got", "key", "node", "saved")

    def __init__(self, node: Node, key: tuple[object, ...] | None) -> None:
        self.node = node
        self.key = key
        self.got: list[object] = []
        self.failure: _Failure | None = None
        self.bindings: Iterator[Binding] | None = None
        self.saved: dict[Var, object] = {}


class _Evaluation:
    def __init__(self, structure: Structure, steps: int, deadline: Deadline, survey: Survey) -> None:
        self.steps = steps
        self.deadline = deadline
        self.structure = structure
        self.survey = survey
        self.env: dict[Var, object] = {}
        self.guards = Guards(structure)
        self.ranges = NumberRanges(structure.definitions)
        self.memo: dict[tuple[object, ...], object] = {}
        self.domains: dict[Sort, list[object]] = {}
        self.stack: list[_EvaluationFrame] = []
        self.leaves: dict[int, object] = {}
        self.tables: dict[Symbol, FunctionTable] = {}

    def run(self, root: Node, env: dict[Var, object]) -> object:
        """The value, or the failure that stands for it."""
        self.env = env
        # Facts over constants are most of a program: they need no frame, no survey and no memo.
        value = self._plain(root)
        if value is not _PENDING:
            return value
        self.stack.clear()
        self.survey.take(root)
        return self._walk(root)

    def _walk(self, node: Node) -> object:
        """The value of a part of what is evaluated, or the failure, while what is around it waits."""
        around = len(self.stack)
        result = self._enter(node)
        while len(self.stack) > around:
            self._count()
            frame = self.stack[-1]
            if result is not _PENDING:
                _receive(frame, result)
            result = self._step(frame)
            if result is not _PENDING:
                self._leave(result)
        return result

    def _plain(self, root: Node) -> object:
        """The value of `p(a)`, or of an operator at such terms and names; `_PENDING` for other formulas."""
        if type(root) is not App:
            return _PENDING
        if type(root.op) is Symbol:
            return self._flat(root)
        if root.op in _LAZY or root.op is op.ITE:
            return _PENDING
        args = []
        for arg in root.args:
            value = self._flat(arg) if type(arg) is App else self._leaf(arg)
            if value is _PENDING or isinstance(value, _Failure):
                return value
            args.append(value)
        self._count()
        return self._called(root, args)

    def _flat(self, node: App) -> object:
        """The value of a symbol applied to names and literals, none of them defined; else `_PENDING`."""
        symbol = node.op
        if type(symbol) is not Symbol or symbol in self.structure.definitions:
            return _PENDING
        args = []
        leaves = self.leaves
        for arg in node.args:
            value = leaves.get(arg.id) or self._leaf(arg)
            if value is _PENDING or isinstance(value, _Failure):
                return value
            args.append(value)
        self._count()
        # Very many facts are about few predicates, whose tables are found once.
        table = self.tables.get(symbol)
        if table is None:
            found = self.structure.functions.get(symbol)
            plain = symbol.kind is SymbolKind.FUNCTION and not isinstance(symbol.range, _TABLES)
            if not plain or not isinstance(found, FunctionTable):
                return self._called(node, args)
            table = self.tables[symbol] = found
        try:
            return table(*args)
        except NotEvaluable as failure:
            return failure

    def _leaf(self, node: Node) -> object:
        """The value of a variable, constant or literal; `_PENDING` for others and what is defined."""
        if type(node) is Var:
            if node in self.env:
                return self.env[node]
            return NotEvaluable(f"the variable {node.name[:100]} has no value")
        value = self.leaves.get(node.id, _PENDING)
        if value is _PENDING:
            if type(node) is Lit:
                value = self.leaves[node.id] = canonical(value_of(node), node.sort, self.structure)
            elif type(node) is Sym and node.symbol not in self.structure.definitions:
                value = self.leaves[node.id] = self._constant(node.symbol)
        return value

    def _count(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps("it takes too many steps")
        # The clock is read once in a while only: reading it costs more than a step.
        if not self.steps % _PERIOD and self.deadline.passed():
            raise OutOfSteps("it takes too long")

    def _enter(self, node: Node) -> object:
        """The value of `node` if it is at hand; else a new frame and `_PENDING`."""
        is_shared = node.id in self.survey.shared
        if type(node) is not App:
            value = self._leaf(node)
        else:
            # A table is looked up as fast as a value that is remembered; an operator may take longer.
            value = _PENDING if is_shared and type(node.op) is not Symbol else self._plain(node)
        if value is not _PENDING:
            return value
        key: tuple[object, ...] | None = None
        if is_shared or isinstance(node, Sym):
            # A value depends on the free variables alone, so bindings of others hit the same entry.
            key = (node.id, *[self.env.get(var) for var in self.survey.free.get(node.id, ())])
            if key in self.memo:
                return self.memo[key]
        self.stack.append(_EvaluationFrame(node, key))
        return _PENDING

    def _constant(self, symbol: Symbol) -> object:
        if symbol.kind is SymbolKind.CONSTRUCTOR:
            return values.Record(symbol.range.name if isinstance(symbol.range, TupleSort) else "", ())
        try:
            return canonical(lookup(self.structure, symbol), symbol.range, self.structure)
        except NotEvaluable as failure:
            return failure

    def _leave(self, result: object) -> None:
        frame = self.stack.pop()
        if frame.saved:
            self._restore(frame)
        if frame.key is not None:
            # Emptied as a whole: ageing single entries would cost each look-up.
            if len(self.memo) >= MOST_REMEMBERED:
                self.memo.clear()
            self.memo[frame.key] = result

    def _step(self, frame: _EvaluationFrame) -> object:
        """The value of the frame's node, or `_PENDING` with a frame for its next part on the stack."""
        node = frame.node
        if isinstance(node, Quant):
            return self._quantify(frame, node)
        if not isinstance(node, App):
            return self._apply(frame, node, ())
        if node.op is op.ITE:
            return self._choose(frame, node)
        return self._connect(frame, node) if node.op in _LAZY else self._apply(frame, node, node.args)

    # --- quantifiers ---

    def _quantify(self, frame: _EvaluationFrame, quant: Quant) -> object:
        decisive = quant.kind == "exists"
        if frame.bindings is None:
            try:
                domains = [self._domain(var.sort) for var in quant.binders]
                limits = self.ranges.limits(quant) if None in domains else {}
                frame.bindings = self.guards.bindings(quant, domains, self.env, limits)
                if limits:
                    frame.bindings = self._numbered(frame, quant, frame.bindings, limits)
            except NotEvaluable as failure:
                return failure
            # A binder may be bound further out: [IR-7] forbids it, but an evaluator is given any node.
            frame.saved = {var: self.env.get(var, _PENDING) for var in quant.binders}
        # `got` keeps one value at a time here, or it would hold a value for each binding.
        elif frame.got.pop() is decisive:
            return decisive
        for binding in frame.bindings:
            self.env.update(zip(quant.binders, binding, strict=True))
            value = self._enter(quant.body)
            if value is _PENDING or value is decisive:
                return value
            if isinstance(value, _Failure):
                frame.failure = frame.failure or value
        return frame.failure or (not decisive)

    def _numbered(
        self, frame: _EvaluationFrame, quant: Quant, bindings: Iterator[Binding], limits: BinderLimits
    ) -> Iterator[Binding]:
        """The bindings, in which variables without a value (None) get all numbers within their limits."""
        waiting = [bindings]
        while waiting:
            binding = next(waiting[-1], None)
            if binding is None:
                waiting.pop()
            elif None in binding:
                self._count()
                waiting.append(self._with_number(frame, quant, binding, limits))
            else:
                yield binding

    def _with_number(
        self, frame: _EvaluationFrame, quant: Quant, binding: Binding, limits: BinderLimits
    ) -> Iterator[Binding]:
        """The binding with all numbers for the first variable that has limits beside the others' values.

        Where none has, a few are tried for one of them.
        """
        for var, value in zip(quant.binders, binding, strict=True):
            # A value from another binding would be taken for a limit.
            self.env.pop(var, None)
            if value is not None:
                self.env[var] = value
        for place, var in enumerate(quant.binders):
            numbers = range_by(limits[var], self._walk) if binding[place] is None else None
            if numbers is not None:
                before, after = binding[:place], binding[place + 1 :]
                return ((*before, number, *after) for number in numbers)
        place = binding.index(None)
        name = quant.binders[place].name[:100]
        frame.failure = frame.failure or NotEvaluable(f"IntSort is infinite, and no guard binds `{name}`")
        return ((*binding[:place], number, *binding[place + 1 :]) for number in TRIED)

    def _restore(self, frame: _EvaluationFrame) -> None:
        for var, value in frame.saved.items():
            if value is _PENDING:
                self.env.pop(var, None)
            else:
                self.env[var] = value

    def _domain(self, sort: Sort) -> Sequence[object] | None:
        """The members of a sort; None if these are infinitely many, which guards may still make few."""
        if sort is INT or sort is REAL or sort is STRING:
            return None
        if sort not in self.domains:
            self.domains[sort] = members(sort, self.structure)
        return self.domains[sort]

    # --- applications ---

    def _connect(self, frame: _EvaluationFrame, node: App) -> object:
        """A connective: its parts in order, until one decides."""
        got, args = frame.got, node.args
        implies = node.op is op.IMPLIES
        while True:
            if got and got[-1] is _DECIDES[node.op, len(got) - 1 if implies else 0]:
                return True if implies else got[-1]
            if len(got) == len(args):
                return frame.failure or self._called(node, got)
            value = self._enter(args[len(got)])
            if value is _PENDING:
                return value
            _receive(frame, value)

    def _choose(self, frame: _EvaluationFrame, node: App) -> object:
        """`ite`: the chosen branch alone is computed."""
        got = frame.got
        if not got:
            value = self._enter(node.args[0])
            if value is _PENDING:
                return value
            _receive(frame, value)
        if len(got) == 1 and isinstance(got[0], bool):
            return self._enter(node.args[1] if got[0] else node.args[2])
        return got[-1]

    def _apply(self, frame: _EvaluationFrame, node: Node, args: tuple[Node, ...]) -> object:
        """A strict application, or what is defined."""
        got = frame.got
        while frame.failure is None and len(got) < len(args):
            value = self._enter(args[len(got)])
            if value is _PENDING:
                return value
            _receive(frame, value)
        if frame.failure is not None:
            return frame.failure
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        definition = self.structure.definitions.get(symbol) if isinstance(symbol, Symbol) else None
        if definition is not None:
            return self._unfold(frame, definition)
        assert isinstance(node, App)
        return self._called(node, got)

    def _called(self, node: App, args: list[object]) -> object:
        try:
            return self._call(node, args)
        except (NotEvaluable, values.Unspecified) as failure:
            return failure

    def _unfold(self, frame: _EvaluationFrame, definition: Definition) -> object:
        """The body under the parameters; on the way back, its value."""
        params = definition.params
        if len(frame.got) > len(params):
            return frame.got[-1]
        # Bodies are surveyed when they are first unfolded: most definitions are not used by most formulas.
        self.survey.take(definition.body)
        frame.saved = {var: self.env.get(var, _PENDING) for var in params}
        self.env.update(zip(params, frame.got, strict=True))
        return self._enter(definition.body)

    def _call(self, node: App, args: list[object]) -> object:
        operator = node.op
        if isinstance(operator, Symbol):
            return self._call_symbol(operator, args)
        if operator is op.SUBSET:
            # a ⊆ b iff a \ b is empty. Canonical tables are compared: one over a finite sort may list its
            # members or have them by default ([IR-EVAL-4]).
            rest = canonical(op.DIFFERENCE.evaluate(*args), node.args[0].sort, self.structure)
            return rest == canonical(values.MapValue(False), node.args[0].sort, self.structure)
        if not within_bounds(operator, args):
            raise NotEvaluable("the value is too large")
        result = operator.evaluate(*args)
        return canonical(result, node.sort, self.structure) if isinstance(node.sort, _TABLES) else result

    def _call_symbol(self, symbol: Symbol, args: list[object]) -> object:
        if symbol.kind is SymbolKind.CONSTRUCTOR and isinstance(symbol.range, TupleSort):
            return values.Record(symbol.range.name, tuple(args))
        if symbol.kind is SymbolKind.SELECTOR and isinstance(symbol.domain[0], TupleSort):
            record = args[0]
            assert isinstance(record, values.Record)
            return record.fields[[name for name, _ in symbol.domain[0].fields].index(symbol.name)]
        function = lookup(self.structure, symbol)
        if not callable(function):
            raise NotEvaluable(f"the meaning of {symbol.name[:100]} is not a function")
        return canonical(function(*args), symbol.range, self.structure)


def _receive(frame: _EvaluationFrame, result: object) -> None:
    if isinstance(result, _Failure):
        # A failure is kept, not raised: a later part may decide the whole ([IR-EVAL-3]). The first one is
        # reported.
        frame.failure = frame.failure or result
    frame.got.append(result)
