"""The classes of equal terms in a model of ground clauses, and the axioms that the model violates.

Congruence closure with a proof forest (R. Nieuwenhuis and A. Oliveras, 2005); what it concludes against
the model becomes instances of transitivity and congruence.
"""

from __future__ import annotations

from collections.abc import Iterable

from potlang.engines.ground.axioms import Axiom
from potlang.engines.ground.table import Head, TermTable, values_of
from potlang.engines.ground.unfolding import needed
from potlang.ir import operators as op
from potlang.ir.congruence import CongruenceClosure
from potlang.ir.nodes import Lit, Symbol
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, Sort

MOST_BETWEEN = 64
"""Integers between two bounds are told apart if they are no more than so many."""
UNKNOWN = -1
"""In place of a class."""
_CONGRUENT = 0
_COMPUTED = -1


class _Closure(CongruenceClosure[int]):
    """Congruence closure of a table's terms, in which operators on literals are computed.

    Reasons are numbers of atoms, or `_CONGRUENT` and `_COMPUTED`. Literals that would become equal are
    noted in `clashes`: the model violates something, and it is explained once all is closed.
    """

    def __init__(self, table: TermTable) -> None:
        super().__init__(_CONGRUENT)
        self.table = table
        self.inputs: dict[int, tuple[int, ...]] = {}
        """Of a term that was computed: from which literals."""
        self.clashes: dict[tuple[int, int, int], None] = {}

    def take(self, equalities: Iterable[int]) -> None:
        """Close the table's terms under equations, which are numbers of atoms."""
        table = self.table
        for term in range(len(table.heads)):
            args = table.args[term]
            if table.is_literal(term):
                self.literals[term] = term
            elif args and table.sorts[term] is not BOOL and not table.formulas_in(args):
                self.call(term, table.heads[term], args)
        for number in equalities:
            a, b = table.atoms[number][1]
            self.pending.append((a, b, number))
        self.close()

    def _sign(self, term: int) -> None:
        super()._sign(term)
        head, args = self.calls[term]
        if isinstance(head, Operator) and term not in self.inputs:
            literals = [self.literals.get(self.classes.find(arg)) for arg in args]
            known = tuple([lit for lit in literals if lit is not None])
            value = self.table.compute(head, known) if len(known) == len(args) else None
            if value is not None:
                self.inputs[term] = known
                # That may be a term that the table did not have.
                literal = self.table.literal(value)
                self.literals.setdefault(self.classes.find(literal), literal)
                self.pending.append((term, literal, _COMPUTED))

    def _clash(self, a: int, b: int, reason: int) -> None:
        self.clashes[a, b, reason] = None


class EqualityClasses:
    """The classes of equal terms in a model. `axioms` are instances that it violates, each once."""

    def __init__(self, table: TermTable, true: Iterable[int]) -> None:
        self.table = table
        self.true = frozenset(true)
        self.axioms: dict[Axiom, None] = {}
        equalities = [number for number in sorted(self.true) if table.atoms[number][0] is op.EQ]
        self.trivial = not equalities and not table.computed
        self._closure = _Closure(table)
        self.leader = self._closure.classes.find
        """The number that stands for the class of a term; a term made later is alone in its class."""
        if not self.trivial:
            self._closure.take(equalities)
            self._check()
        self._require_unfolded()
        self._require_choices()
        self._require_operators()
        self._require_members()
        self._require_integers()

    def literal(self, term: int) -> int | None:
        """A literal in the class of a term."""
        found = self._closure.literals.get(self.leader(term))
        return term if found is None and self.table.is_literal(term) else found

    def apply(self, head: Symbol | Operator, args: tuple[int, ...], sort: Sort) -> int:
        """The class of a function's value at classes of arguments, as the model has it or by default.

        `UNKNOWN` for what an operator gives, if only an instance will tell.
        """
        if UNKNOWN in args:
            return UNKNOWN
        if sort is BOOL:
            holds = self.holds(head, args)
            return UNKNOWN if holds is None else self.leader(self.table.literal(self.table.pool.truth(holds)))
        if self.trivial:
            known = self.table.find(head, args)
        else:
            known = self._closure.signatures.get((head, *map(self.leader, args)))
        if known is not None:
            return self.leader(known)
        if isinstance(head, Operator):
            known = self.table.find(head, args)
            value = self._computed(head, args)
            if known is None and value is None:
                return UNKNOWN
            return self.leader(self.table.literal(value) if known is None else known)  # type: ignore[arg-type]
        return self.leader(self.table.default(sort))

    def holds(self, head: Symbol | Operator, args: tuple[int, ...]) -> bool | None:
        """The value of an atom at classes of arguments; None if only an instance will give it one."""
        if UNKNOWN in args:
            return None
        if head is op.EQ:
            return self.leader(args[0]) == self.leader(args[1])
        if isinstance(head, Operator):
            value = self._computed(head, args)
            if value is not None:
                return value.value is True
            number = self.table.known_atom(head, args)
            return None if number is None else (abs(number) in self.true) is (number > 0)
        if self.trivial:
            return self.table.known_atom(head, args) in self.true
        return (head, tuple([self.leader(arg) for arg in args])) in self._facts

    def explained(self, a: int, b: int) -> list[Axiom]:
        """The axioms by which two terms of one class are equal, as an atom says it."""
        known, self.axioms = self.axioms, {}
        self._explain(a, b)
        found, self.axioms = list(self.axioms), known
        return found

    def doubtful(self) -> bool:
        """Whether something interpreted has a value here that no computation gave it."""
        table = self.table
        terms = zip(table.heads, table.args, table.sorts, strict=True)
        calls = [(head, args) for head, args, sort in terms if sort is not BOOL]
        return any(self._is_doubtful(head, args) for head, args in [*calls, *table.atoms[1:]])

    def _is_doubtful(self, head: Head, args: tuple[int, ...]) -> bool:
        if not isinstance(head, Operator):
            return self.table.formulas_in(args)
        if head is op.EQ:
            return False
        if head is op.ITE:
            return self.table.formula(args[0]) is None
        return self._computed(head, args) is None

    def _computed(self, head: Operator, args: Iterable[int]) -> Lit | None:
        literals = [self.literal(arg) for arg in args]
        known = [lit for lit in literals if lit is not None]
        return self.table.compute(head, known) if len(known) == len(literals) else None

    # --- what the model violates ---

    def _check(self) -> None:
        # Two literals that the model makes equal: the chain of equations from one to the other is what is
        # wrong, and the atom that closes it is among them.
        for a, b, reason in self._closure.clashes:
            path = [*self._path(self._closure.literals[self.leader(a)], a), (b, reason)]
            path += self._path(b, self._closure.literals[self.leader(b)])[1:]
            self._explain_path(path)
        facts: dict[tuple[Head, tuple[int, ...]], int] = {}
        for number in sorted(self.true):
            head, args = self.table.atoms[number]
            if head is not op.EQ:
                facts.setdefault((head, tuple([self.leader(arg) for arg in args])), number)
        self._facts = facts
        for number in range(1, len(self.table.atoms)):
            head, args = self.table.atoms[number]
            if head is op.EQ:
                if number not in self.true and self.leader(args[0]) == self.leader(args[1]):
                    self._explain(args[0], args[1])
            else:
                self._check_atom(number, head, args)

    def _check_atom(self, number: int, head: Head, args: tuple[int, ...]) -> None:
        if self.table.formulas_in(args):
            return
        holds = number in self.true
        if isinstance(head, Operator):
            value = self._computed(head, args)
            if value is not None and value.value is not holds:
                inputs = tuple([self._closure.literals[self.leader(arg)] for arg in args])
                self._congruent(head, *((args, inputs) if holds else (inputs, args)))
        if not holds:
            other = self._facts.get((head, tuple([self.leader(arg) for arg in args])))
            if other is not None:
                self._congruent(head, self.table.atoms[other][1], args)

    def _congruent(self, head: Head, left: tuple[int, ...], right: tuple[int, ...]) -> None:
        self.axioms[Axiom("congruent", head, left, right)] = None
        for a, b in zip(left, right, strict=True):
            self._explain(a, b)

    def _explain(self, a: int, b: int) -> None:
        """The axioms by which two terms of one class are equal."""
        # A congruence step asks why its arguments are equal, which are smaller terms: this ends. Pairs are
        # explained once, else shared subterms would be explained once for each path to them.
        stack = [(a, b)]
        done: set[tuple[int, int]] = set()
        while stack:
            pair = stack.pop()
            if pair not in done and pair[0] != pair[1]:
                done.add(pair)
                stack.extend(self._chain(self._path(*pair)))

    def _explain_path(self, path: list[tuple[int, int]]) -> None:
        for a, b in self._chain(path):
            self._explain(a, b)

    def _chain(self, path: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The axioms along a path of terms, and the pairs of arguments that these take to be equal."""
        pairs: list[tuple[int, int]] = []
        # `first = before` is known and `before = term` by the reason: one instance of transitivity each.
        first = before = path[0][0]
        for term, reason in path[1:]:
            if reason <= 0:
                head, left, right = self._step(before, term, reason)
                self.axioms[Axiom("congruent", head, left, right)] = None
                pairs.extend(zip(left, right, strict=True))
            if before != first:
                self.axioms[Axiom("transitive", None, (first, before, term))] = None
            before = term
        return pairs

    def _step(self, a: int, b: int, reason: int) -> tuple[Head, tuple[int, ...], tuple[int, ...]]:
        """Why two terms next to one another are equal, other than by an equality."""
        args = self.table.args
        if reason == _CONGRUENT:
            return self.table.heads[a], args[a], args[b]
        if self.table.is_literal(b):
            return self.table.heads[a], args[a], self._closure.inputs[a]
        return self.table.heads[b], self._closure.inputs[b], args[b]

    def _path(self, a: int, b: int) -> list[tuple[int, int]]:
        """The terms from `a` to `b`, each with the reason why it equals the one before."""
        return [(a, 0), *self._closure.proofs.path(a, b)]

    def _require_unfolded(self) -> None:
        """Equalities of records and tables, and readings of tables, are what they are by their parts."""
        for each in needed(self.table, self.true):
            self.axioms[Axiom(*each)] = None

    def _require_choices(self) -> None:
        """A choice is what its condition says."""
        table = self.table
        for term in table.computed:
            if table.heads[term] is op.ITE and table.formula(table.args[term][0]) is not None:
                self.axioms[Axiom("then", None, (term,))] = None
                self.axioms[Axiom("else", None, (term,))] = None

    def _require_operators(self) -> None:
        """Quotients, remainders, rounded and absolute numbers that are not computed are bounded."""
        table = self.table
        for term in table.computed:
            head, args = table.heads[term], table.args[term]
            by_literal = head in (op.INT_DIV, op.MOD) and table.is_literal(args[1]) and table.integer(args[1])
            wanted = by_literal or head in (op.TO_INT, op.ABS)
            if wanted and self._computed(head, args) is None:  # type: ignore[arg-type]
                self.axioms[Axiom("arithmetic", None, (term,))] = None

    def _require_members(self) -> None:
        """A term of an enumerated sort is one of its values."""
        table = self.table
        for sort, terms in list(table.by_sort.items()):
            if sort is BOOL or values_of(sort) is None:
                continue
            for term in terms:
                if self.literal(term) is None:
                    self.axioms[Axiom("member", None, (term,))] = None

    def _require_integers(self) -> None:
        """An integer between two bounds is one of those there; below a bound it is below higher ones."""
        table = self.table
        lows: dict[int, int] = {}
        highs: dict[int, int] = {}
        for number in range(1, len(table.atoms)):
            head, args = table.atoms[number]
            if head is not op.LT or table.sorts[args[0]] is not INT or not table.is_literal(args[1]):
                continue
            term, bound = args[0], table.integer(args[1])
            if number in self.true:
                highs[term] = min(bound - 1, highs.get(term, bound - 1))
            else:
                lows[term] = max(bound, lows.get(term, bound))
        for term, low in lows.items():
            high = highs.get(term)
            if high is not None and self.literal(term) is None and abs(high - low) <= MOST_BETWEEN:
                ends = tuple([table.literal(table.pool.integer(value)) for value in (low, high)])
                self.axioms[Axiom("between", None, (term, *ends))] = None
