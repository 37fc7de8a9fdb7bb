"""Formulas over finitely many unknown values as propositional clauses.

[CERT-FINITE], [CERT-FINITE-CELL], [CERT-FINITE-SORT], [CERT-FINITE-TERM], [CERT-FINITE-CLAUSE] of
`spec/80-certificates.md`.

A term is read as its possible values, each with a literal that says that it has this value. Operators are
computed value by value, so that equal results share a literal.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from .bounds import UNBOUNDED, Bounds, limited, limits_of, met, range_of
from .evaluate import ModelEvaluation
from .gates import MOST_VALUES, TRUE, Gates, Values, few, taken, truth
from .models import CertificateModel
from .normal import Part, connective, is_connective
from .operands import code_of, is_operator, leaves_of
from .operators import NoValue
from .propagation import Clause
from .sorts import BOOL, INT, Sort
from .terms import QUANTIFIERS, Symbol, Term, inner_first
from .theory import Theory
from .tokens import Invalid, StepBudget, shown

Cell = tuple[Symbol, tuple[object, ...]]
"""A symbol at given arguments."""
_NOTHING: Values = {None: TRUE}


class FiniteEncoding(Gates):
    """Clauses that hold in every structure in which all of some formulas have the signs given.

    `clauses` say what the variables mean, `asserted` what each of the formulas says. `cells` are the unknown
    values, a member of a closed sort being the place of a constant that names it, and `bounds` those of
    numbers. `sources` are the places of the formulas that bound a number, `closing` of those that close a
    sort. With `beyond` a number has so many values more at each end, which its bounds exclude as any other
    formula does.
    """

    def __init__(self, theory: Theory, parts: Sequence[Part], steps: StepBudget, beyond: int = 0) -> None:
        """Raises `Invalid` where the formulas are not of this kind, or need more than is allowed."""
        super().__init__(steps)
        self.asserted: list[list[Clause]] = []
        self.cells: dict[Cell, Values] = {}
        self.bounds: dict[Cell, Bounds] = {}
        self.sources: dict[Cell, set[int]] = {}
        self.closing: set[int] = set()
        self.closed: dict[Sort, tuple[Symbol, ...]] = {}
        self._terms = theory.terms
        self._terms.steps = steps
        self._beyond = beyond
        self._model = CertificateModel(theory)
        self._evaluation = ModelEvaluation(self._model, steps)
        self._values: dict[Term, Values] = {}
        self._expansions: dict[Term, Term] = {}
        for place, part in enumerate(parts):
            self._close(place, *part)
        # Where no sort is closed, a formula says the same in all problems of a program.
        self._known: dict[Part, list[list[Part]]] = {} if self.closed else theory.conjuncts
        self._limits: dict[Part, list[tuple[Cell, Bounds]]] = {} if self.closed else theory.limits
        self._results: dict[tuple[Term, ...], dict[Any, Any]] = {} if self.closed else theory.results
        for place, part in enumerate(parts):
            self._note_bounds(place, part)
        for formula, sign in parts:
            self.asserted.append([])
            for disjuncts in self._conjuncts(formula, sign):
                self._assert(disjuncts)

    # --- sorts and bounds ---

    def _close(self, at: int, formula: Term, sign: bool) -> None:
        """A sort of which a formula says that everything in it is one of some constants."""
        if not sign or formula.op != "forall" or len(formula.binders) > 1:
            return
        (variable,), (body,) = formula.binders, formula.args
        constants: dict[Symbol, None] = {}
        for each in body.args if body.op == "or" else (body,):
            others = [arg for arg in each.args if arg is not variable] if each.op == "=" else []
            if len(others) != 1 or not isinstance(others[0].op, Symbol) or others[0].args:
                return
            constants[others[0].op] = None
        if variable.sort.kind == "declared" and variable.sort not in self.closed:
            self.closing.add(at)
            self.closed[variable.sort] = tuple(constants)
            # The first constant that names a member stands for it: the others have its place, an earlier one.
            for place, constant in enumerate(constants):
                self._cell((constant, ()), range(place + 1))

    def _exists(self, sort: Sort, place: Any) -> int:
        """That a constant is the first that names its member; true of what is no member of a closed sort."""
        return self.cells[self.closed[sort][place], ()][place] if sort in self.closed else TRUE

    def _note_bounds(self, place: int, part: Part) -> None:
        if part not in self._limits:
            self._limits[part] = list(self._limits_in(part))
        for cell, bounds in self._limits[part]:
            before = self.bounds.get(cell, UNBOUNDED)
            self.bounds[cell] = met(before, bounds)
            if self.bounds[cell] != before:
                self.sources.setdefault(cell, set()).add(place)

    def _limits_in(self, part: Part) -> Iterator[tuple[Cell, Bounds]]:
        stack: list[tuple[Part, frozenset[Term]]] = [(part, frozenset())]
        while stack:
            top, absent = stack.pop()
            for disjuncts in self._conjuncts(*top):
                # Where no member stands, the cells there may have any bounds, for nothing is said of them.
                rest = [each for each in disjuncts if self._absent(*each) is None]
                new = absent.union(found for each in disjuncts if (found := self._absent(*each)))
                if len(rest) == 1 and len(disjuncts) > 1:
                    stack.append((rest[0], new))
                elif one := limited([limits_of(*each) for each in rest], new):
                    yield one

    def _absent(self, term: Term, sign: bool) -> Term | None:
        """The place of which a disjunct says that no member stands there."""
        if term.op == "=" and not sign:
            for image in term.args:
                if image.op == "lit" and any(set(pair) == set(term.args) for pair in self._named(image)):
                    return image
        return None

    def _members(self, sort: Sort, cell: Cell | None = None) -> Collection[Any]:
        """The values of a sort; of an Int those within the bounds of a cell."""
        members: Collection[Any] | None = None
        if sort is INT and cell is not None:
            low, high = self.bounds.get(cell, UNBOUNDED)
            if self._beyond and low is not None and high is not None:
                low, high = min(low, high) - self._beyond, max(low, high) + self._beyond
            if low is not None and high is not None and high - low < MOST_VALUES:
                members = range(low, high + 1)
        else:
            closed = self.closed.get(sort)
            members = self._model.members(sort) if closed is None else range(len(closed))
        if members is None or len(members) > MOST_VALUES:
            which = cell[0].name if cell else sort.name or sort.kind
            raise Invalid(f"{shown(which)} has no or too many values")
        return members

    def _cell(self, cell: Cell, members: Collection[Any]) -> None:
        """The values of an unknown: exactly one of the members."""
        symbol, args = cell
        # At arguments that are no members nothing is said, for nothing is there.
        absent = [-self._exists(*each) for each in zip(symbol.domain, args, strict=True)]
        if not members:
            # Its bounds exclude each other. What is made of it needs a value all the same.
            self.define(absent)
        found = self.cells[cell] = self.fresh(members or (0,))
        if len(found) > 2:
            self.define([*absent, *found.values()])
            self.at_most_one(list(found.values()), self.define)
        if symbol.range in self.closed:
            for place, literal in found.items():
                self.define([-literal, self._exists(symbol.range, place)])

    def apart(self, numbers: Sequence[int]) -> tuple[list[Clause], list[Clause]]:
        """That each of these cells (from 1) has another value, and what follows if so. Raises `Invalid`."""
        cells = list(self.cells.values())
        if len(set(numbers)) < len(numbers) or not all(1 <= each <= len(cells) for each in numbers):
            raise Invalid("there is no cell of that number, or it is repeated")
        chosen = [cells[each - 1] for each in numbers]
        # Of a cell at what may be no member not even this need be so: that it has a value.
        known: list[Clause] = [tuple(values.values()) for values in chosen]
        for one, two in itertools.combinations(chosen, 2):
            known += [(-literal, -two[value]) for value, literal in one.items() if value in two]
        self._steps.spend(len(known))
        return known, taken(chosen)

    def _require(self, literals: Iterable[int]) -> None:
        self.add(self.asserted[-1], literals)

    # --- what formulas say ---

    def _conjuncts(self, formula: Term, sign: bool) -> list[list[Part]]:
        """The conjuncts of a formula or of its negation, each a disjunction."""
        part = formula, sign
        if part not in self._known:
            self._known[part] = list(self._conjuncts_of(*part))
        return self._known[part]

    def _conjuncts_of(self, formula: Term, sign: bool) -> Iterator[list[Part]]:
        stack = [(formula, sign)]
        seen: dict[Part, None] = {}
        while stack:
            part = stack.pop()
            shape = [] if part in seen else self._shape(*part)
            seen[part] = None
            self._steps.spend(1 + len(shape))
            for disjuncts in reversed(shape):
                if len(disjuncts) == 1 and not self._is_atom(disjuncts[0][0]):
                    stack.append(disjuncts[0])
                else:
                    yield self._flat(disjuncts)

    def _flat(self, disjuncts: list[Part]) -> list[Part]:
        """A disjunction without disjunctions in it."""
        flat: dict[Part, bool] = {}
        stack = disjuncts[::-1]
        while stack:
            part = stack.pop()
            if part in flat:
                continue
            shape = self._shape(*part)
            self._steps.spend(1 + len(shape))
            flat[part] = len(shape) > 1 or self._is_atom(part[0])
            stack.extend(() if flat[part] else reversed(shape[0]))
        return [part for part, whole in flat.items() if whole]

    def _shape(self, term: Term, sign: bool) -> list[list[Part]]:
        if term.op in QUANTIFIERS:
            return [[(self._expanded(term), sign)]]
        return [[(term, sign)]] if self._is_atom(term) else connective(term, sign)

    def _is_atom(self, term: Term) -> bool:
        return term.op not in QUANTIFIERS and not is_connective(term)

    def _assert(self, disjuncts: list[Part]) -> None:
        if len(disjuncts) > 1:
            self._require([self._literal(*part) for part in disjuncts])
            return
        term, sign = disjuncts[0]
        if term.op == "distinct" and sign:
            self._different([self.values(arg) for arg in term.args])
        elif is_operator(term):
            one, two, function = self._operands(term)
            for value, literal in one.items():
                told = [(its, function(value, other) is sign) for other, its in two.items()]
                allowed = [its for its, holds in told if holds]
                excluded = [its for its, holds in told if not holds]
                if len(excluded) > len(allowed):
                    self._require((-literal, *allowed))
                else:
                    for its in excluded:
                        self._require((-literal, -its))
        else:
            self._require([self._literal(term, sign)])

    def _different(self, terms: list[Values]) -> None:
        for value in dict.fromkeys(itertools.chain.from_iterable(terms)):
            self.at_most_one([each[value] for each in terms if value in each], self._require)
        for clause in taken(terms):
            self._require(clause)

    def _literal(self, term: Term, sign: bool) -> int:
        literal = self.values(term).get(True, -TRUE)
        return literal if sign else -literal

    def _expanded(self, term: Term) -> Term:
        """A quantifier's value, if all structures give it the same, or the conjunction of its instances."""
        if term not in self._expansions:
            self._expansions[term] = self._evaluated(term) or self._written(term)
        return self._expansions[term]

    def _evaluated(self, term: Term) -> Term | None:
        try:
            value = self._evaluation.truth(term)
        except Invalid:
            # A symbol that structures give different meanings, or a sort.
            return None
        return None if isinstance(value, NoValue) else self._terms.literal(value, BOOL)

    def _written(self, term: Term) -> Term:
        terms = self._terms
        op, inner = ("and", "or") if term.op == "forall" else ("or", "and")
        choices = [self._listed(term, variable) for variable in term.binders]
        instances = []
        for images in itertools.product(*choices):
            self._steps.spend(len(images))
            body = terms.substitute(term.args[0], dict(zip(term.binders, images, strict=True)))
            present = [terms.apply("=", pair) for image in images for pair in self._named(image)]
            sides = [terms.negated(each) if op == "and" else each for each in present]
            instances.append(terms.join(inner, [*sides, body]))
        return terms.join(op, instances)

    def _named(self, image: Term) -> list[tuple[Term, Term]]:
        """Of a member of a closed sort: the constant that is it, if there is such a member."""
        place: Any = image.value
        constants = self.closed.get(image.sort)
        return [] if constants is None else [(self._terms.apply(constants[place], ()), image)]

    def _listed(self, term: Term, variable: Term) -> list[Term]:
        """The literals that a variable stands for: of Int those that are not excluded by the body itself."""
        sort = variable.sort
        members = range_of(term, variable, MOST_VALUES) if sort is INT else self._members(sort)
        return [self._terms.literal(each, sort) for each in members]

    # --- terms ---

    def values(self, root: Term) -> Values:
        """The values of a closed term."""
        for each in inner_first(root, lambda whole: self._inner(whole)[::-1], self._values):
            self._values[each] = self._made(each)
        return self._values[root]

    def _inner(self, term: Term) -> Sequence[Term]:
        """The terms whose values come first."""
        self._steps.spend(1 + len(term.args))
        if term.op in QUANTIFIERS:
            return (self._expanded(term),)
        return self._computed_from(term) if is_operator(term) else term.args

    def _computed_from(self, term: Term) -> Sequence[Term]:
        """The leaves, or the arguments, of three and more the last one and an application to those before."""
        op, args, leaves = term.op, term.args, leaves_of(term)
        if leaves is not None:
            return leaves
        # Sums with a common beginning then share its values, each of which stands for many choices.
        return args if len(args) < 3 else (self._terms.make(op, args[:-1], term.sort), args[-1])

    def _made(self, term: Term) -> Values:
        values, op = [self._values[each] for each in self._inner(term)], term.op
        if op == "lit":
            return {self._model.literal(term): TRUE}
        if op in QUANTIFIERS:
            return values[0]
        if isinstance(op, Symbol) and op.kind == "selector":
            place = op.domain[0].labels.index(op.name)
            return self.image(values[0], lambda value: value[place])
        if isinstance(op, Symbol) or op in ("store", "apply"):
            return self._looked_up(term, values)
        if op == "distinct":
            return truth(-self.any_of([self._same(*pair) for pair in itertools.combinations(values, 2)]))
        if op == "ite":
            return self.chosen(values[0], {True: values[1], False: values[2]})
        if is_connective(term):
            clauses = connective(term, True)
            signed = [[self._literal(*part) for part in clause] for clause in clauses]
            return truth(-self.any_of([-self.any_of(clause) for clause in signed]))
        one, two, function = self._operands(term)
        return self.chosen(one, {value: self.image(two, partial(function, value)) for value in one})

    def _same(self, one: Values, two: Values) -> int:
        return self.chosen(one, {u: truth(two.get(u, -TRUE)) for u in one}).get(True, -TRUE)

    def _looked_up(self, term: Term, args: Sequence[Values]) -> Values:
        """A value for each choice of arguments: of a symbol that of a cell."""
        level: dict[tuple[Any, ...], Values] = {}
        for key in few(args):
            self._steps.spend()
            if not isinstance(op := term.op, Symbol):
                level[key] = {self._computed(term, key): TRUE}
            elif op.kind == "constructor":
                level[key] = {key: TRUE}
            else:
                if (op, key) not in self.cells:
                    self._cell((op, key), self._members(op.range, (op, key)))
                level[key] = self.cells[op, key]
        for place in reversed(range(len(args))):
            level = {
                key: self.chosen(args[place], {value: level[*key, value] for value in args[place]})
                for key in itertools.product(*args[:place])
            }
        return level[()]

    def _operands(self, term: Term) -> tuple[Values, Values, Callable[[Any, Any], object]]:
        """Two terms whose values an operator's comes from, and how; the one with fewer comes first."""
        parts = self._computed_from(term)
        code, known = code_of(term, parts, self._model.literal)
        parts = sorted(parts, key=lambda each: len(self.values(each)))
        values = [self.values(each) for each in parts]

        told = self._results.setdefault((term, *parts), {})

        def function(*given: object) -> object:
            self._steps.spend(1 + len(code))
            if given not in told:
                found = {**known, **dict(zip(parts, given[2 - len(parts) :], strict=True))}
                for each, args in code:
                    found[each] = self._computed(each, [found[arg] for arg in args])
                told[given] = found[term]
            return told[given]

        one, two = [_NOTHING] * (2 - len(values)) + values
        return one, two, function

    def _computed(self, term: Term, args: Sequence[Any]) -> object:
        value = self._model.compute(term, args, self._steps)
        if isinstance(value, NoValue):
            raise Invalid(value.reason)
        return value
