"""The value of a formula in a model.

[CERT-EVAL-HOLE], [CERT-EVAL-KLEENE], [CERT-EVAL-DOMAIN], [CERT-EVAL-GUARD], [CERT-EVAL-RANGE]
of `spec/80-certificates.md`.

A formula is a list of its parts, inner ones first; quantifiers are calls, which wait on a stack for
the values of their bodies. Where an atom decides a quantifier's body by being false, the bindings come
from the entries that make it true.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from .bounds import Limit, bounds_by, limits_on, necessary
from .models import MOST_MEMBERS, CertificateModel
from .normal import Part
from .operators import NoValue, TotalMap
from .sorts import INT, Sort
from .terms import QUANTIFIERS, Symbol, Term, inner_first, ordered
from .theory import reachable
from .tokens import Exhausted, Invalid, StepBudget, shown

MOST_REMEMBERED = 1 << 19
MOST_VARIABLES = 100
TRIED = range(-1, 3)
"""Integers that are tried where there are infinitely many: one may decide, whatever the others do."""
Environment = dict[Term, object]
Function = Callable[[list[Any]], object]
Source = Iterator[Environment]
Tuples = Iterator[tuple[object, ...]]
Values = Callable[[Environment, list[NoValue]], Tuples]
Stage = tuple[list[Term], Values]
"""The variables that it binds, and what yields values for them."""
Call = Generator[tuple[Term, list[object]], Any, object]


class _Code(NamedTuple):
    """The values of constant parts, and how the others come from their arguments, inner ones first.

    A part without a function is a call.
    """

    start: Environment
    work: list[tuple[Term, Function | None, Sequence[Term]]]


class ModelEvaluation:
    """Values in one model, whose lines are all read; `Invalid` is raised where it does not say enough."""

    def __init__(self, model: CertificateModel, steps: StepBudget) -> None:
        self.model, self.steps = model, steps
        self._codes: dict[Term, _Code] = {}
        self._plans: dict[Term, tuple[Term, list[Stage]]] = {}
        self._memo: dict[object, object] = {}

    def truth(self, formula: Term) -> object:
        """True, False, or a hole. Raises `Invalid` if a symbol in the formula has no meaning."""
        try:
            self.steps.spend(len(terms := reachable(formula)))
            for symbol in dict.fromkeys(each.op for each in terms if isinstance(each.op, Symbol)):
                if symbol not in self.model.meanings and symbol.kind not in ("constructor", "selector"):
                    raise Invalid(f"the model gives {shown(symbol.name)} no meaning")
            return self._run(formula)
        except Exhausted as error:
            return NoValue(str(error))

    def _run(self, formula: Term) -> object:
        """The value; every call is a generator on a stack of its own."""
        stack: list[Call] = [self._execute(formula, {})]
        keys: list[object] = [None]
        value: object = None
        while stack:
            try:
                term, values = stack[-1].send(value)
            except StopIteration as done:
                stack.pop()
                value = self._memo[keys.pop()] = done.value
                continue
            key = (term, *values)
            value = self._memo.get(key)
            # No value is None: a hole is an object of its own.
            if value is None:
                stack.append(self._call(term, values))
                keys.append(key)
            # Bounded memory; only time is lost by forgetting.
            if len(self._memo) > MOST_REMEMBERED:
                self._memo.clear()
        return value

    def _execute(self, root: Term, environment: Environment) -> Call:
        """Computes a term, part by part; asks for the values of calls."""
        # Terms are compiled to a list once and run for each binding: the kernel spends most of its time here.
        code = self._code(root)
        self.steps.spend(1 + len(code.work))
        values = {**code.start, **environment}
        for term, function, args in code.work:
            given = [values[arg] for arg in args]
            values[term] = (yield term, given) if function is None else function(given)
        return values[root]

    def _call(self, term: Term, values: list[object]) -> Call:
        """A quantifier whose free variables have these values."""
        body, stages = self._plan(term)
        holes: list[NoValue] = []
        source = iter([dict(zip(_arguments(term), values, strict=True))])
        for stage in stages:
            # Generators: a binding that decides ends the enumeration, whatever its size.
            source = self._extended(stage, source, holes)
        decisive = term.op == "exists"
        for environment in source:
            result = yield from self._execute(body, environment)
            if result is decisive:
                return decisive
            # A hole does not end the search: another binding may decide ([CERT-EVAL-KLEENE]).
            if isinstance(result, NoValue) and not holes:
                holes.append(result)
        return holes[0] if holes else not decisive

    def _extended(self, stage: Stage, source: Source, holes: list[NoValue]) -> Source:
        variables, values = stage
        # P(x, x) binds x twice: entries with two different values are none of its bindings.
        once = len(set(variables)) == len(variables)
        for environment in source:
            for each in values(environment, holes):
                self.steps.spend()
                found = environment.copy()
                found.update(zip(variables, each, strict=True))
                if once or all(found[v] == value for v, value in zip(variables, each, strict=True)):
                    yield found

    # --- code ---

    def _code(self, root: Term) -> _Code:
        code = self._codes.get(root)
        if code is None:
            code = self._codes[root] = _Code({}, [])
            done: set[Term] = set()
            for each in inner_first(root, _arguments, done):
                done.add(each)
                self._compile(each, code)
        return code

    def _compile(self, term: Term, code: _Code) -> None:
        if term.op == "lit":
            code.start[term] = self.model.literal(term)
        elif isinstance(term.op, Symbol) and not term.args:
            code.start[term] = () if term.op.kind == "constructor" else self.model.meanings[term.op]
        elif term.op != "var":
            code.work.append((term, self._function(term), _arguments(term)))

    def _function(self, term: Term) -> Function | None:
        """How a term's value comes from those of its arguments; None for calls."""
        op = term.op
        if isinstance(op, str):
            if op in QUANTIFIERS:
                return None
            return _KLEENE.get(op) or _strict(lambda values: self.model.compute(term, values, self.steps))
        if op.kind == "constructor":
            return _strict(tuple)
        if op.kind == "selector":
            place = op.domain[0].labels.index(op.name)
            return _strict(lambda values: values[0][place])
        table = self.model.meanings[op]
        assert isinstance(table, TotalMap)
        return _strict(lambda values: table.get(tuple(values)))

    # --- bindings ---

    def _plan(self, term: Term) -> tuple[Term, list[Stage]]:
        """A quantifier's body, and the stages that yield the bindings that may decide."""
        if term in self._plans:
            return self._plans[term]
        body, binders = term.args[0], list(term.binders)
        # Nested quantifiers of one kind become one, so that guards of the inner body bind the outer
        # variables.
        while body.op == term.op and not set(binders) & set(body.binders):
            binders += body.binders
            body = body.args[0]
        stages: list[Stage] = []
        bound, around = set(term.free), term.free.union(binders)
        parts = necessary(body, term.op == "exists", around)
        guards = [each for each, sign in parts if sign and (each.op == "=" or isinstance(each.op, Symbol))]
        unbound = binders
        if len(binders) > MOST_VARIABLES:
            raise Exhausted("a quantifier has too many variables")
        while unbound:
            self.steps.spend(1 + len(parts) * len(unbound))
            options = [option for guard in guards for option in self._options(guard, bound, unbound)]
            # The whole sort is the last resort, dearer than any guard: first those that have few members.
            options += [self._any(variable, parts, bound) for variable in unbound]
            stages.append(min(options, key=lambda option: option[0])[1])
            bound.update(stages[-1][0])
            unbound = [variable for variable in unbound if variable not in bound]
        self._plans[term] = body, stages
        return self._plans[term]

    def _options(self, guard: Term, bound: set[Term], unbound: list[Term]) -> Iterator[tuple[int, Stage]]:
        """The ways to bind variables such that an atom is true, with what they cost."""
        args = guard.args
        known = [self._is_known(arg, bound) for arg in args]
        if guard.op == "=":
            for place in (0, 1):
                if args[place] in unbound and known[1 - place]:
                    yield 0, ([args[place]], partial(self._equal, args[1 - place]))
            return
        table = self.model.meanings.get(guard.op) if isinstance(guard.op, Symbol) else None
        new = [arg for arg, each in zip(args, known, strict=True) if not each]
        if isinstance(table, TotalMap) and table.default is False and new and set(new) <= set(unbound):
            # An estimate: each known argument leaves a sixteenth of the entries. It decides the order of
            # joins, never a value.
            many = len(table.entries) >> 4 * (len(args) - len(new))
            yield 1 + many, (new, self._entries(guard, table, known))

    def _is_known(self, term: Term, bound: set[Term]) -> bool:
        """Whether a term has a value once these variables have: there is no call in it."""
        self.steps.spend(len(work := self._code(term).work))
        return term.free <= bound and all(each[1] for each in work)

    def _any(self, variable: Term, parts: list[Part], bound: set[Term]) -> tuple[int, Stage]:
        """All members of a sort; of Int those within bounds, where these are known."""
        everything = [variable], partial(self._all, variable.sort)
        if variable.sort.kind not in ("Int", "Real", "String"):
            return 1 << 59, everything
        limits = [each for each in limits_on(variable, parts) if self._is_known(each[1], bound)]
        if variable.sort is not INT or None in bounds_by(limits, lambda _: 0):
            return 1 << 60, everything
        return 1 << 58, ([variable], partial(self._range, limits))

    def _range(self, limits: list[Limit], environment: Environment, holes: list[NoValue]) -> Tuples:
        low, high = bounds_by(limits, lambda term: self._value(term, environment))
        if low is None or high is None or high - low >= MOST_MEMBERS:
            holes.append(NoValue("a quantifier ranges over too many integers"))
            return zip(TRIED)
        # Beyond these the body decides nothing: one of its own conditions is false there.
        return zip(range(low, high + 1))

    def _all(self, sort: Sort, _: Environment, holes: list[NoValue]) -> Tuples:
        members = self.model.members(sort)
        if members is None:
            holes.append(NoValue("a quantifier ranges over an infinite or very large sort"))
        return zip(members or (TRIED if sort is INT else ()))

    def _equal(self, term: Term, environment: Environment, holes: list[NoValue]) -> Tuples:
        value = self._value(term, environment)
        if isinstance(value, NoValue):
            holes.append(value)
        else:
            yield (value,)

    def _entries(self, guard: Term, table: TotalMap, known: list[bool]) -> Values:
        keys = [place for place, each in enumerate(known) if each]
        new = [place for place, each in enumerate(known) if not each]
        index: dict[object, list[tuple[object, ...]]] = {}
        self.steps.spend(len(table.entries))
        for entry in table.entries:
            key = tuple([entry[place] for place in keys])
            index.setdefault(key, []).append(tuple([entry[place] for place in new]))

        def values(environment: Environment, holes: list[NoValue]) -> Tuples:
            found = tuple([self._value(guard.args[place], environment) for place in keys])
            holes.extend(value for value in found if isinstance(value, NoValue))
            return iter(index.get(found, ()))

        return values

    def _value(self, term: Term, environment: Environment) -> object:
        """The value of a term without calls."""
        if term.op == "var":
            return environment[term]
        try:
            next(self._execute(term, environment))
        except StopIteration as done:
            return done.value
        raise AssertionError("a call")


def _arguments(term: Term) -> Sequence[Term]:
    return ordered(term) if term.op in QUANTIFIERS else term.args


def _strict(function: Function) -> Function:
    """A hole where an argument is one."""

    def call(values: list[Any]) -> object:
        for value in values:
            if value.__class__ is NoValue:
                return value
        return function(values)

    return call


def _not(values: list[Any]) -> object:
    return values[0] if isinstance(values[0], NoValue) else not values[0]


def _decided(by: bool) -> Function:
    """One argument of that value decides; otherwise a hole is one."""

    rest = _strict(lambda _: not by)
    return lambda values: by if by in values else rest(values)


_or = _decided(True)
_KLEENE: Mapping[str, Function] = MappingProxyType(
    {
        "not": _not,
        "and": _decided(False),
        "or": _or,
        "=>": lambda values: _or([_not(values), values[1]]),
        "iff": _strict(lambda values: values[0] is values[1]),
        "xor": _strict(lambda values: values[0] is not values[1]),
        "ite": lambda values: values[0] if isinstance(values[0], NoValue) else values[1 if values[0] else 2],
    }
)
