"""The bindings of a quantifier that can matter: those that its guards, atoms with few entries, leave.

`forall x, y. P(x, y) => …` is decided by the entries of P alone if P is false by default: for every other
binding the body is true whatever else is in it, in Kleene's tables too.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.fold import value_of
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var
from potlang.ir.sorts import Sort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure, canonical, lookup

_MOST_GUARDS = 8
_LEAST_BINDINGS = 16

Domain = Sequence[object] | None
Row = tuple[object, ...]
Binding = tuple[object, ...]


class GuardAtom(NamedTuple):
    """An atom that must be `wanted`, or the body is decided; its arguments are constants and variables."""

    symbol: Symbol
    args: tuple[Node, ...]
    wanted: bool


class _JoinStep(NamedTuple):
    """A guard in a join: arguments known before, places that bind a binder, and places that repeat one."""

    rows: Mapping[Row, Sequence[Row]]
    known: tuple[Node, ...]
    bound: tuple[tuple[int, Var], ...]
    repeated: tuple[tuple[int, int], ...]


def guards(quant: Quant) -> list[GuardAtom]:
    """The atoms of `quant`'s body that must have a certain value for a binding to matter."""
    found: list[GuardAtom] = []
    stack: list[tuple[Node, bool]] = [(quant.body, quant.kind == "exists")]
    while stack and len(found) < _MOST_GUARDS:
        node, wanted = stack.pop()
        if not isinstance(node, App):
            continue
        if node.op is op.NOT:
            stack.append((node.args[0], not wanted))
        # If the conjunction must be true, each part must: one that is not decides the body for this binding.
        elif (node.op is op.AND and wanted) or (node.op is op.OR and not wanted):
            stack.extend((arg, wanted) for arg in reversed(node.args))
        # The antecedent comes first: rules put their narrow conditions there.
        elif node.op is op.IMPLIES and not wanted:
            stack += [(node.args[1], False), (node.args[0], True)]
        # Arguments are constants and variables only: a table is indexed by values, and nested terms may have
        # none.
        elif isinstance(node.op, Symbol) and not any(isinstance(arg, App | Quant) for arg in node.args):
            found.append(GuardAtom(node.op, node.args, wanted))
    return found


class Guards:
    """The guards of quantifiers in one structure, with their entries indexed when first needed."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._plans: dict[int, list[_JoinStep]] = {}
        self._sets: dict[Sort, set[object]] = {}
        self._rows: dict[tuple[Symbol, bool], list[Row] | None] = {}
        self._indexes: dict[tuple[Symbol, bool, tuple[int, ...]], dict[Row, list[Row]]] = {}

    def bindings(
        self,
        quant: Quant,
        domains: Sequence[Domain],
        env: Mapping[Var, object],
        numbers: Container[Var] = (),
    ) -> Iterator[Binding]:
        """The bindings of `quant`'s binders from `domains` without those for which guards decide the body.

        A domain of None is infinite. Raises `NotEvaluable` if no guard leaves a variable few values; one
        of the `numbers` has None as its value then.
        """
        size = 1
        known = [domain for domain in domains if domain is not None]
        for members in known:
            size *= len(members)
        # Below that, listing all bindings is cheaper than planning.
        steps = self._plan(quant) if size > _LEAST_BINDINGS or len(known) < len(domains) else []
        bound = {var for step in steps for _, var in step.bound}
        for var, domain in zip(quant.binders, domains, strict=True):
            if domain is None and var not in bound and var not in numbers:
                raise NotEvaluable(
                    f"{type(var.sort).__name__} is infinite, and no guard binds `{var.name[:100]}`"
                )
        if not steps:
            return itertools.product(*((None,) if domain is None else domain for domain in domains))
        return self._join(quant, steps, domains, env)

    def _plan(self, quant: Quant) -> list[_JoinStep]:
        if quant.id not in self._plans:
            left = [guard for guard in guards(quant) if self._usable(guard)]
            bound: set[Var] = set()
            steps: list[_JoinStep] = []
            while left:
                # Greedy: the guard that binds the fewest new variables filters most. An optimal order is
                # not worth its search here.
                best = min(left, key=lambda guard: len(_new(guard, quant, bound)))
                left.remove(best)
                new = _new(best, quant, bound)
                steps.append(self._step(best, new))
                bound.update(new)
            self._plans[quant.id] = steps
        return self._plans[quant.id]

    def _usable(self, guard: GuardAtom) -> bool:
        """Whether the entries of a guard say all: it is a table of truth values with another default."""
        symbols = [arg.symbol for arg in guard.args if isinstance(arg, Sym)]
        structure = self._structure
        if any(s in structure.definitions or s not in structure.functions for s in symbols):
            return False
        key = guard.symbol, guard.wanted
        if key not in self._rows:
            self._rows[key] = self._listed(guard)
        return self._rows[key] is not None

    def _listed(self, guard: GuardAtom) -> list[Row] | None:
        meaning = self._structure.functions.get(guard.symbol)
        if guard.symbol in self._structure.definitions or type(meaning) is not FunctionTable:
            return None
        values = meaning.entries.values()
        if meaning.default is not (not guard.wanted) or not all(isinstance(value, bool) for value in values):
            return None
        return [row for row, value in meaning.entries.items() if value is guard.wanted]

    def _step(self, guard: GuardAtom, new: Mapping[Var, int]) -> _JoinStep:
        known: list[int] = []
        repeated: list[tuple[int, int]] = []
        for place, arg in enumerate(guard.args):
            first = new.get(arg) if isinstance(arg, Var) else None
            if first is None:
                known.append(place)
            elif first != place:
                repeated.append((place, first))
        return _JoinStep(
            self._index(guard, tuple(known)),
            tuple(guard.args[place] for place in known),
            tuple((place, var) for var, place in new.items()),
            tuple(repeated),
        )

    def _index(self, guard: GuardAtom, places: tuple[int, ...]) -> dict[Row, list[Row]]:
        key = guard.symbol, guard.wanted, places
        if key not in self._indexes:
            index: dict[Row, list[Row]] = {}
            for row in self._rows[guard.symbol, guard.wanted] or ():
                index.setdefault(tuple([row[place] for place in places]), []).append(row)
            self._indexes[key] = index
        return self._indexes[key]

    def _join(
        self,
        quant: Quant,
        steps: list[_JoinStep],
        domains: Sequence[Domain],
        env: Mapping[Var, object],
    ) -> Iterator[Binding]:
        for var, domain in zip(quant.binders, domains, strict=True):
            if domain is not None and var.sort not in self._sets:
                self._sets[var.sort] = set(domain)
        bound = {var for step in steps for _, var in step.bound}
        chosen = dict(env)
        # Depth first and lazily: the evaluator stops at the first binding that decides the quantifier, so
        # joining whole tables, as the Horn engine does, would do work for nothing.
        waiting = [self._matches(steps[0], chosen)]
        while waiting:
            step = steps[len(waiting) - 1]
            row = next(waiting[-1], None)
            if row is None:
                waiting.pop()
                continue
            chosen.update((var, row[place]) for place, var in step.bound)
            if len(waiting) < len(steps):
                waiting.append(self._matches(steps[len(waiting)], chosen))
                continue
            free = [
                [chosen[var]] if var in bound else (None,) if domain is None else domain
                for var, domain in zip(quant.binders, domains, strict=True)
            ]
            yield from itertools.product(*free)

    def _matches(self, step: _JoinStep, chosen: Mapping[Var, object]) -> Iterator[Row]:
        key = tuple([self._value(arg, chosen) for arg in step.known])
        sets = [(place, self._sets.get(var.sort)) for place, var in step.bound]
        within = [(place, members) for place, members in sets if members is not None]
        for row in step.rows.get(key, ()):
            if all(row[place] == row[first] for place, first in step.repeated) and all(
                row[place] in members for place, members in within
            ):
                yield row

    def _value(self, arg: Node, chosen: Mapping[Var, object]) -> object:
        if isinstance(arg, Var):
            return chosen[arg]
        if isinstance(arg, Sym):
            return canonical(lookup(self._structure, arg.symbol), arg.sort, self._structure)
        assert isinstance(arg, Lit)
        return canonical(value_of(arg), arg.sort, self._structure)


def _new(guard: GuardAtom, quant: Quant, bound: set[Var]) -> dict[Var, int]:
    """The binders that a guard binds, each at its first place."""
    new: dict[Var, int] = {}
    for place, arg in enumerate(guard.args):
        if isinstance(arg, Var) and arg in quant.binders and arg not in bound:
            new.setdefault(arg, place)
    return new
